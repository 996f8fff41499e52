"""`flgc evaluate`: what methods are worth on your own data."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from flgc.completion import method_names
from flows.terminal import (
    be_quiet,
    followed,
    output,
    print_failure,
    print_plainly,
    sections_of,
    stop,
)

app = typer.Typer(add_completion=False)


@app.command("evaluate")
def evaluate(
    data: Annotated[
        str | None,
        typer.Argument(help="CSV or Parquet table, PyG .pt file, or a name of `flgc datasets`."),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Column of the classes; the last by default.")
    ] = None,
    nodes: Annotated[Path | None, typer.Option(help="Table of a graph's nodes.")] = None,
    edges: Annotated[Path | None, typer.Option(help="Edge list: two columns of nodes.")] = None,
    node: Annotated[
        str | None, typer.Option(help="Column that edges name nodes by; default: row numbers.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="A column to leave out; repeat for several.")
    ] = None,
    header: Annotated[bool, typer.Option(help="The first line of a CSV has the names.")] = True,
    name: Annotated[
        str | None, typer.Option(help="Of the data in reports; default: that of the file.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help="Of `flgc methods`, or module:Class; repeat it.",
            autocompletion=method_names,
        ),
    ] = None,
    labelled: Annotated[
        str,
        typer.Option(help="Who is labelled in a run: 10%, 5 (of each class), or public."),
    ] = "10%",
    runs: Annotated[int, typer.Option(help="How many random splits.")] = 10,
    task: Annotated[str, typer.Option(help="classification or clustering.")] = "classification",
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    store: Annotated[
        str | None, typer.Option(help="Directory or URL of the artifacts.", envvar="FLGC_STORE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare methods on your own data, on repeated random splits, with a report.

    In each run some rows are labelled and the other labelled rows are tested; settings are picked
    without the tested ones. Rows without a label are never scored. Missing numbers are filled,
    text is coded, columns that say nothing are left out: the report says which. Ends with 0 if
    every method is there, with 1 if one failed, with 2 if the data cannot be used as they are.

    Example: flgc evaluate patients.csv --label diagnosis

    Example: flgc evaluate --nodes nodes.csv --edges edges.csv --node id --label topic --labelled 5

    Example: flgc evaluate wine -m 'FLGC*' -m sklearn.ensemble:RandomForestClassifier --json
    """
    be_quiet()
    from flgc.datasets import DatasetError, NotAvailable
    from flows.evaluate import pairs_of, planned_evaluation
    from flows.reports import report_folder
    from flows.tables import results_of
    from tasks.report.tables import unjudged
    from tasks.store import StoreError

    try:
        dataset = _named(data, nodes, edges, label, node, drop or [], header, name)
        chosen: dict[str, Any] = {
            "dataset": dataset,
            "methods": methods,
            "labelled": labelled,
            "runs": runs,
            "task": task,
            "device": device,
            "store": store,
        }
        plan = planned_evaluation(**chosen)
    except NotAvailable as error:
        stop("evaluate", error, 1)
    except (ValueError, ImportError, DatasetError, StoreError) as error:
        stop("evaluate", error, 2)
    chosen["store"] = plan.store
    [experiment] = plan.experiments
    if not as_json:
        for remark in experiment.remarks:
            print_plainly(output, remark)
    report = report_folder(plan.report) / "report.html"
    ended = followed("evaluate", plan, report, lambda when: _run(chosen, when))
    sections = sections_of(ended.state)
    pairs = [pairs_of(plan.store, section) for section in sections]
    warned = [line for each in sections for line in unjudged(results_of(plan.store, each))]
    if as_json:
        rows = [row for found in pairs for row in found.to_dict("records")]
        about = {"dataset": dataset, "task": task, "labelled": labelled, "runs": runs}
        shown = {
            **about,
            "remarks": [*experiment.remarks, *warned],
            "methods": rows,
            "report": str(report),
        }
        typer.echo(json.dumps(shown, indent=2))
    else:
        _print(experiment.title, pairs, sections)
        for line in warned:
            print_plainly(output, line)
        output.print(f"Report: {report}", soft_wrap=True, highlight=False)
    print_failure(ended.state)
    raise typer.Exit(0 if ended.state.is_completed() else 1)


def _named(
    data: str | None,
    nodes: Path | None,
    edges: Path | None,
    label: str | None,
    node: str | None,
    drop: list[str],
    header: bool,
    name: str | None,
) -> str:
    """The name of a dataset: files become one."""
    from flgc.datasets.own import add_from, from_files

    if (data is None) == (nodes is None):
        raise ValueError("give a file or the name of a dataset, or --nodes and --edges")
    if nodes is not None and edges is None:
        raise ValueError(f"--nodes {nodes} has no --edges; a table without edges is given as it is")
    file = nodes or Path(str(data))
    if nodes is None and not (file.suffix or file.exists()):
        given = {"--label": label, "--edges": edges, "--node": node, "--name": name}
        unused = [option for option, value in given.items() if value] + ["--drop"] * bool(drop)
        if unused:
            raise ValueError(
                f"{data!r} is no file, and {unused[0]} is for files: of a dataset by name all is "
                "known; see `flgc datasets`"
            )
        return str(data)
    dataset = from_files(
        file, edges=edges, label=label, node=node, header=header, drop=drop, tidy=True
    )
    return add_from(dataset, file, name)


def _run(chosen: dict[str, Any], when_running: Callable[..., None]) -> Any:
    from flows.evaluate import evaluate as evaluate_flow
    from flows.server import any_api

    flow = evaluate_flow.with_options(on_running=[when_running])
    with any_api():
        return flow(**chosen, return_state=True)


def _print(title: str, pairs: list[Any], sections: list[Any]) -> None:
    """One row per method, best first, and what the differences are worth."""
    from rich.table import Table

    from tasks.analyses.paired import NO_TEST

    for found, section in zip(pairs, sections, strict=True):
        metric = section.experiment.metrics[0]
        control = found["control"].iloc[0] if len(found) else ""
        table = Table(title=title, title_justify="left")
        for column in ("method", metric, f"vs {control}", "better", "worse", "seconds"):
            table.add_column(column, justify="left" if column == "method" else "right")
        for row in found.sort_values("mean", ascending=False, kind="stable").to_dict("records"):
            own = row["method"] == control
            gap = "" if own else f"{row['difference']:+.1f} ± {row['spread']:.1f}"
            counts = ("", "") if own else (str(row["better"]), str(row["worse"]))
            seconds = sum(section.costs.get(row["method"], {}).values())
            mean = f"{row['mean']:.1f} ± {row['std']:.1f}"
            table.add_row(row["method"], mean, gap, *counts, f"{seconds:.0f}")
        output.print(table)
        if len(found) > 1:
            print_plainly(output, NO_TEST)
