"""`flgc robustness`: what noise does to methods, on any image or table dataset."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flgc.completion import dataset_names, method_names
from flows.terminal import (
    be_quiet,
    followed,
    print_failure,
    print_outcome,
    sections_of,
    stop,
)

if TYPE_CHECKING:
    import pandas as pd

app = typer.Typer(add_completion=False)


@app.command("robustness")
def robustness(
    dataset: Annotated[
        str,
        typer.Argument(
            help="One of `flgc datasets`, your own included.", autocompletion=dataset_names
        ),
    ],
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help="Of `flgc methods`, or module:Class; repeat it.",
            autocompletion=method_names,
        ),
    ] = None,
    noises: Annotated[
        list[str] | None,
        typer.Option(
            "--noise",
            "-n",
            help="gaussian:VARIANCE or salt_pepper:SHARE; repeat it. Default: the paper's eight.",
        ),
    ] = None,
    patterns: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern",
            help="shared (all rows get the same noise) or independent; default: both.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(help="How often each noise is drawn.")] = 3,
    protocols: Annotated[
        list[str] | None, typer.Option("--protocol", help="paper, honest; default: both.")
    ] = None,
    task: Annotated[str, typer.Option(help="clustering or classification.")] = "clustering",
    split: Annotated[
        str | None,
        typer.Option(help="Who is labelled in classification: 10%, 5-per-class. Default: 10%."),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    store: Annotated[
        str | None, typer.Option(help="Directory or URL of the artifacts.", envvar="FLGC_STORE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Cluster or classify a dataset under noise: mean and spread over the seeds, for each method.

    Noise is added to features in [0, 1]: to pixels as they are, to the columns of a table scaled
    so. Settings are picked as `flgc reproduce` does. gaussian:0 is the data as they are. Ends with
    0 if every cell is there; a rerun does only what is missing.

    Example: flgc robustness digits --noise gaussian:0.1 --noise salt_pepper:0.1 --seeds 2

    Example: flgc robustness wine --task classification -m 'FLGC*' -m sklearn.svm:SVC
    """
    be_quiet()
    from flgc.datasets import DatasetError
    from flows.reports import report_folder
    from flows.robustness_of import planned_under_noise
    from tasks.store import StoreError

    chosen: dict[str, Any] = {
        "dataset": dataset,
        "methods": methods,
        "noises": noises,
        "patterns": patterns,
        "seeds": seeds,
        "protocols": protocols,
        "task": task,
        "split": split,
        "device": device,
        "store": store,
    }
    try:
        plan = planned_under_noise(**chosen)
    except (ValueError, ImportError, DatasetError, StoreError) as error:
        stop("robustness", error, 2)
    chosen["store"] = plan.store
    report = report_folder(f"{plan.report}-{plan.experiments[0].flow}") / "report.html"
    ended = followed("robustness", plan, report, lambda when: _run(chosen, when))
    if as_json:
        typer.echo(json.dumps(_rows(plan.store, ended.state), indent=2))
        print_failure(ended.state)
    else:
        print_outcome(plan, report, ended)
    raise typer.Exit(0 if ended.state.is_completed() else 1)


def _run(chosen: dict[str, Any], when_running: Callable[..., None]) -> Any:
    from flows.robustness_of import robustness_of
    from flows.server import any_api

    flow = robustness_of.with_options(on_running=[when_running])
    with any_api():
        return flow(**chosen, return_state=True)


def _rows(store: str, state: Any) -> list[dict[str, Any]]:
    """One row for each noise, pattern, method, protocol and metric."""
    from flows.tables import results_of

    return [row for section in sections_of(state) for row in summary(results_of(store, section))]


def summary(results: "pd.DataFrame") -> list[dict[str, Any]]:
    """Means and deviations over the seeds."""
    cell = ["dataset", "noise", "intensity", "noise_pattern", "method", "protocol", "metric"]
    groups: Any = results.groupby(cell, sort=False)
    return [
        {
            **dict(zip(cell, key, strict=True)),
            "changed_share": float(rows["changed_share"].mean()),
            "mean": float(rows["value"].mean()),
            "std": float(rows["value"].std(ddof=0)),
            "seeds": len(rows),
        }
        for key, rows in groups
    ]
