"""`flgc reproduce`: the whole pipeline in this process, with an embedded Prefect."""

import dataclasses
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from flgc.completion import dataset_names, method_names
from flows.terminal import (
    be_quiet,
    duration,
    errors,
    followed,
    output,
    print_outcome,
    print_plainly,
    stop,
)

app = typer.Typer(add_completion=False)


@app.command("reproduce")
def reproduce(
    suite: Annotated[
        str,
        typer.Option(help="paper, tiny (embedded data, a minute), or a .toml file of your own."),
    ] = "paper",
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            "-d",
            help="Only these; repeat for several.",
            autocompletion=dataset_names,
        ),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method", "-m", help="Only these; repeat for several.", autocompletion=method_names
        ),
    ] = None,
    protocols: Annotated[
        list[str] | None, typer.Option("--protocol", help="paper, honest; default: both.")
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Runs of each cell, where splits differ.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    runner: Annotated[str, typer.Option(help="threads, dask or ray.")] = "threads",
    address: Annotated[
        str | None, typer.Option(help="Of a running Dask or Ray cluster; default: a local one.")
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="Directory or URL of the artifacts.", envvar="FLGC_STORE")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="End with 1 too if a dataset was not reachable.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="At most 10 runs, and each noise drawn once.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list the cells, and how long they may take.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --dry-run: print JSON.")] = False,
) -> None:
    """Reproduce the paper: tables, statistics and report, with all that is stored already.

    Ends with 0 if every cell is there whose data can be had from here, and at least one; what is
    not there is listed with the reason. A rerun does only what is missing.

    Example: flgc reproduce --suite tiny

    Example: flgc reproduce --quick --dataset Cora --method 'FLGC*' --method GCN

    Example: flgc reproduce --suite mine.toml --dry-run
    """
    be_quiet()
    from flgc.methods.registry import LeftOut, resolve_method
    from flows.plan import FLOWS, planned
    from flows.reports import report_folder
    from flows.runners import task_runner
    from tasks.store import StoreError

    try:
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always", LeftOut)
            plan = planned(FLOWS, suite, datasets, methods, protocols, runs, device, store, quick)
        for name in map(resolve_method, methods or ()):
            if not any(name in experiment.methods for experiment in plan.experiments):
                raise ValueError(f"method {name!r} is in none of the tables that were chosen")
        task_runner(runner, address)
        if as_json and not dry_run:
            raise ValueError("--json is for --dry-run; the report has the tables as CSV files")
        looked = _looked_up(plan) if dry_run else None
    except (ValueError, ImportError, StoreError) as error:
        stop("reproduce", error, 2)
    for text in dict.fromkeys(str(each.message) for each in noted):
        errors.print(f"flgc reproduce: {text}", style="yellow", soft_wrap=True, markup=False)
    if looked is not None:
        _print_dry(looked, as_json)
        return
    warnings.simplefilter("ignore", LeftOut)  # flows plan again
    chosen = {
        "suite": str(Path(suite).absolute()) if suite.endswith(".toml") else suite,
        "datasets": datasets,
        "methods": methods,
        "protocols": protocols,
        "runs": runs,
        "device": device,
        "store": plan.store,
        "runner": runner,
        "address": address,
        "strict": strict,
        "quick": quick,
    }
    report = report_folder(plan.report) / "report.html"
    ended = followed("reproduce", plan, report, lambda when: _run(chosen, when))
    print_outcome(plan, report, ended)
    raise typer.Exit(0 if ended.state.is_completed() else 1)


def _run(chosen: dict[str, Any], when_running: Callable[..., None]) -> Any:
    from flows.reproduce_paper import reproduce_paper
    from flows.server import any_api

    flow = reproduce_paper.with_options(on_running=[when_running])
    with any_api():
        return flow(**chosen, return_state=True)


def _looked_up(plan: Any) -> Any:
    from flows.dry_run import dry_run

    return dry_run(plan)


def _print_dry(looked: Any, as_json: bool) -> None:
    """A line for each method of a table, and what there is to do."""
    from rich.table import Table

    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(looked), indent=2))
        return
    groups: dict[tuple[str, ...], list[Any]] = {}
    for cell in looked.cells:
        groups.setdefault((cell.experiment, cell.method, cell.protocol), []).append(cell)
    table = Table()
    for column in ("experiment", "method", "protocol"):
        table.add_column(column)
    for column in ("cells", "stored", "settings"):
        table.add_column(column, justify="right")
    for named, cells in groups.items():
        stored = sum(cell.state == "stored" for cell in cells)
        tried = sorted({cell.settings for cell in cells if cell.state != "no data"})
        settings = "-" if not tried else "..".join(map(str, dict.fromkeys((tried[0], tried[-1]))))
        table.add_row(*named, str(len(cells)), str(stored), settings)
    output.print(table)
    for text in told(looked):
        print_plainly(output, text)


def told(looked: Any) -> list[str]:
    """How much there is to do, and how long it may take."""
    states = [cell.state for cell in looked.cells]
    lines = [f"{len(states)} cells: {states.count('stored')} stored, {states.count('new')} new."]
    lacking = sorted({cell.data for cell in looked.cells if cell.state == "no data"})
    if lacking:
        lines.append(f"Not available, {states.count('no data')} cells: {', '.join(lacking)}.")
    if not looked.steps:
        return [*lines, "Nothing is to be computed but figures, tests and the report."]
    text = f"{looked.steps} steps to compute"
    if looked.unknown == looked.steps:
        text += "; for how long is unknown: the store has nothing like them."
    else:
        text += f", about {duration(looked.seconds)} of work on one core, by what the store has"
        text += f" ({looked.unknown} of them are not known)." if looked.unknown else "."
    return [*lines, f"{text} Figures, tests and the report come on top."]
