"""`flgc reproduce`: the whole pipeline in this process, with an embedded Prefect."""

import json
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import Datasets, Device, Methods, Protocols, StoreUrl
from flows.cli.terminal import (
    be_quiet,
    end,
    errors,
    format_duration,
    output,
    print_outcome,
    print_text,
    run_flow,
    stop,
)
from flows.signatures import shared, takes

if TYPE_CHECKING:
    from flows.dry_run import DryCell, DryRun

app = typer.Typer(add_completion=False)


@dataclass(frozen=True)
class Options:
    """The options of the command; those that the flow takes have the same names there."""

    suite: Annotated[
        str,
        typer.Option(
            help="paper, tiny (a minute), development (rules), heterophilous, or your own .toml."
        ),
    ] = "paper"
    datasets: Datasets = None
    methods: Methods = None
    protocols: Protocols = None
    runs: Annotated[int | None, typer.Option(help="Runs of each cell, where splits differ.")] = None
    device: Device = "auto"
    runner: Annotated[str, typer.Option(help="threads, dask or ray.")] = "threads"
    address: Annotated[
        str | None, typer.Option(help="Of a running Dask or Ray cluster; default: a local one.")
    ] = None
    store: StoreUrl = None
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a dataset is unreachable, too.")
    ] = False
    quick: Annotated[
        bool, typer.Option("--quick", help="At most 10 runs, and each noise drawn once.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list the cells, and how long they may take.")
    ] = False
    as_json: Annotated[bool, typer.Option("--json", help="With --dry-run: print JSON.")] = False


@app.command("reproduce")
@takes(Options)
def reproduce(options: Options) -> None:
    """Reproduce the paper: tables, statistics and report, with all that is stored already.

    Exits with 0 if every cell whose data are available here is complete, and at least one; what is
    missing is listed with the reason. Rerun to compute only what is missing.

    Example: flgc reproduce --suite tiny

    Example: flgc reproduce --quick --dataset Cora --method 'FLGC*' --method GCN

    Example: flgc reproduce --suite mine.toml --dry-run
    """
    be_quiet()
    from flgc.methods.registry import LeftOut, resolve_method
    from flows.dry_run import dry_run
    from flows.parameters import Reproduction
    from flows.plan import FLOWS, plan_of
    from flows.reports import report_folder
    from flows.reproduce_paper import reproduce_paper
    from flows.runners import task_runner
    from tasks.store import StoreError

    parameters = shared(Reproduction, options)
    try:
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always", LeftOut)
            plan = plan_of(FLOWS, Reproduction(**parameters))
        for name in map(resolve_method, options.methods or ()):
            if not any(name in experiment.methods for experiment in plan.experiments):
                raise ValueError(f"method {name!r} is in none of the tables that were chosen")
        task_runner(options.runner, options.address)
        if options.as_json and not options.dry_run:
            raise ValueError("--json is for --dry-run; the report has the tables as CSV files")
        listing = dry_run(plan) if options.dry_run else None
    except (ValueError, ImportError, StoreError) as error:
        stop("reproduce", error, 2)
    for text in dict.fromkeys(str(each.message) for each in noted):
        print_text(errors, f"flgc reproduce: {text}", style="yellow")
    if listing is not None:
        _print_dry_run(listing, options.as_json)
        return
    warnings.simplefilter("ignore", LeftOut)  # flows plan again
    if options.suite.endswith(".toml"):
        parameters["suite"] = str(Path(options.suite).absolute())
    report = report_folder(plan.report) / "report.html"
    ended = run_flow("reproduce", reproduce_paper, parameters, plan, report)
    print_outcome(plan, report, ended, options.runner)
    end(ended.state)


def _print_dry_run(listing: "DryRun", as_json: bool) -> None:
    """A line for each method of a table, then what is left to compute."""
    from rich.table import Table

    if as_json:
        typer.echo(json.dumps(asdict(listing), indent=2))
        return
    rows: dict[tuple[str, ...], list[DryCell]] = {}
    for cell in listing.cells:
        rows.setdefault((cell.experiment, cell.method, cell.protocol), []).append(cell)
    table = Table("experiment", "method", "protocol")
    for column in ("cells", "stored", "settings"):
        table.add_column(column, justify="right")
    for names, cells in rows.items():
        stored = sum(cell.state == "stored" for cell in cells)
        numbers = sorted({cell.settings for cell in cells if cell.state != "no data"})
        settings = "..".join(map(str, dict.fromkeys((*numbers[:1], *numbers[-1:])))) or "-"
        table.add_row(*names, str(len(cells)), str(stored), settings)
    output.print(table)
    for text in summarize(listing):
        print_text(output, text)


def summarize(listing: "DryRun") -> list[str]:
    """How much is left to compute, and how long that may take."""
    states = [cell.state for cell in listing.cells]
    lines = [f"{len(states)} cells: {states.count('stored')} stored, {states.count('new')} new."]
    missing = sorted({cell.data for cell in listing.cells if cell.state == "no data"})
    if missing:
        lines.append(f"Not available, {states.count('no data')} cells: {', '.join(missing)}.")
    if not listing.steps:
        return [*lines, "Compute only figures, tests and the report."]
    text = f"{listing.steps} steps to compute"
    if listing.unknown == listing.steps:
        text += "; the time is unknown: the store has no such steps."
    else:
        text += f", about {format_duration(listing.seconds)} of work on one core, by what the store"
        text += f" has ({listing.unknown} of them unknown)." if listing.unknown else " has."
    return [*lines, f"{text} Figures, tests and the report come on top."]
