"""`flgc evaluate`: what methods are worth on your own data."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import AsJson, Device, Methods, StoreUrl
from flows.cli.terminal import (
    be_quiet,
    end,
    output,
    print_text,
    run_flow,
    sections_of,
    stop,
)
from flows.signatures import shared, takes

if TYPE_CHECKING:
    import pandas as pd

    from flows.section import Section

app = typer.Typer(add_completion=False)


@dataclass(frozen=True)
class Options:
    """The options of the command; those that the flow takes have the same names there."""

    data: Annotated[
        str | None,
        typer.Argument(help="CSV or Parquet table, PyG .pt file, or a name of `flgc datasets`."),
    ] = None
    label: Annotated[
        str | None, typer.Option(help="Column of the classes; the last by default.")
    ] = None
    nodes: Annotated[Path | None, typer.Option(help="Table of a graph's nodes.")] = None
    edges: Annotated[Path | None, typer.Option(help="Edge list: two columns of nodes.")] = None
    node: Annotated[
        str | None, typer.Option(help="Column that edges name nodes by; default: row numbers.")
    ] = None
    drop: Annotated[
        list[str] | None, typer.Option(help="A column to leave out; repeat for several.")
    ] = None
    header: Annotated[bool, typer.Option(help="The first line of a CSV has the names.")] = True
    name: Annotated[
        str | None, typer.Option(help="Of the data in reports; default: that of the file.")
    ] = None
    methods: Methods = None
    labelled: Annotated[
        str, typer.Option(help="Who is labelled in a run: 10%, 5 (of each class), or public.")
    ] = "10%"
    runs: Annotated[int, typer.Option(help="How many random splits.")] = 10
    task: Annotated[str, typer.Option(help="classification or clustering.")] = "classification"
    device: Device = "auto"
    store: StoreUrl = None
    as_json: AsJson = False


@app.command("evaluate")
@takes(Options)
def evaluate(options: Options) -> None:
    """Compare methods on your own data, on repeated random splits, with a report.

    In each run some rows are labelled and the other labelled rows are tested; settings are picked
    without the tested ones. Rows without a label are never scored. Missing numbers are filled,
    text is coded, columns that say nothing are left out: the report says which. Exits with 0 if
    every method has a result, with 1 if one failed, with 2 if the data cannot be used as they are.

    Example: flgc evaluate patients.csv --label diagnosis

    Example: flgc evaluate --nodes nodes.csv --edges edges.csv --node id --label topic --labelled 5

    Example: flgc evaluate wine -m 'FLGC*' -m sklearn.ensemble:RandomForestClassifier --json
    """
    be_quiet()
    from flgc.datasets import DatasetError, NotAvailable
    from flows.evaluate import Evaluation, evaluate, pairs_of, plan_evaluation
    from flows.reports import report_folder
    from flows.tables import results_of
    from tasks.report.tables import unjudged
    from tasks.store import StoreError

    try:
        parameters = {"dataset": _find_dataset(options), **shared(Evaluation, options)}
        plan = plan_evaluation(Evaluation(**parameters))
    except NotAvailable as error:
        stop("evaluate", error, 1)
    except (ValueError, ImportError, DatasetError, StoreError) as error:
        stop("evaluate", error, 2)
    [experiment] = plan.experiments
    if not options.as_json:
        for remark in experiment.remarks:
            print_text(output, remark)
    report = report_folder(plan.report) / "report.html"
    ended = run_flow("evaluate", evaluate, parameters, plan, report)
    sections = sections_of(ended.state)
    pairs = [pairs_of(plan.store, section) for section in sections]
    warnings = [line for each in sections for line in unjudged(results_of(plan.store, each))]
    if options.as_json:
        about = {name: parameters[name] for name in ("dataset", "task", "labelled", "runs")}
        remarks = [*experiment.remarks, *warnings]
        rows = [row for each in pairs for row in each.to_dict("records")]
        document = {**about, "remarks": remarks, "methods": rows, "report": str(report)}
        typer.echo(json.dumps(document, indent=2))
    else:
        for each, section in zip(pairs, sections, strict=True):
            _print_methods(each, section)
        for line in warnings:
            print_text(output, line)
        output.print(f"Report: {report}", soft_wrap=True, highlight=False)
    end(ended.state)


def _find_dataset(options: Options) -> str:
    """The name of the dataset; files are added to the datasets first."""
    from flgc.datasets.own import add_from, from_files

    data, nodes, edges = options.data, options.nodes, options.edges
    if (data is None) == (nodes is None):
        raise ValueError("give a file or the name of a dataset, or --nodes and --edges")
    if nodes is not None and edges is None:
        raise ValueError(f"--nodes {nodes} has no --edges; give a table without edges by itself")
    file = nodes or Path(str(data))
    if nodes is None and not (file.suffix or file.exists()):
        names = ("label", "edges", "node", "name", "drop")
        unused = [name for name in names if getattr(options, name)]
        if unused:
            raise ValueError(
                f"{data!r} is no file, and --{unused[0]} is for files; `flgc datasets` lists the "
                "names of datasets"
            )
        return str(data)
    dataset = from_files(
        file,
        edges=edges,
        label=options.label,
        node=options.node,
        header=options.header,
        drop=options.drop or [],
        tidy=True,
    )
    return add_from(dataset, file, options.name)


def _print_methods(pairs: "pd.DataFrame", section: "Section") -> None:
    """One row per method, best first, with its difference to the control."""
    from rich.table import Table

    from tasks.analyses.paired import NO_TEST

    control = pairs["control"].iloc[0] if len(pairs) else ""
    table = Table("method", title=section.experiment.title, title_justify="left")
    for column in (section.experiment.metrics[0], f"vs {control}", "better", "worse", "seconds"):
        table.add_column(column, justify="right")
    for row in pairs.sort_values("mean", ascending=False, kind="stable").to_dict("records"):
        difference = ("", "", "")
        if row["method"] != control:
            gap = f"{row['difference']:+.1f} ± {row['spread']:.1f}"
            difference = (gap, str(row["better"]), str(row["worse"]))
        seconds = sum(section.costs.get(row["method"], {}).values())
        mean = f"{row['mean']:.1f} ± {row['std']:.1f}"
        table.add_row(row["method"], mean, *difference, f"{seconds:.0f}")
    output.print(table)
    if len(pairs) > 1:
        print_text(output, NO_TEST)
