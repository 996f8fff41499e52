"""`flgc robustness`: what noise does to methods, on any image or table dataset."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flgc.completion import dataset_names
from flows.cli.options import AsJson, Device, Methods, Protocols, StoreUrl
from flows.cli.terminal import (
    be_quiet,
    end,
    print_outcome,
    run_flow,
    sections_of,
    stop,
)
from flows.signatures import shared, takes

if TYPE_CHECKING:
    import pandas as pd

app = typer.Typer(add_completion=False)


@dataclass(frozen=True)
class Options:
    """The options of the command; those that the flow takes have the same names there."""

    dataset: Annotated[
        str,
        typer.Argument(
            help="One of `flgc datasets`, your own included.", autocompletion=dataset_names
        ),
    ]
    methods: Methods = None
    noises: Annotated[
        list[str] | None,
        typer.Option(
            "--noise",
            "-n",
            help="gaussian:VARIANCE or salt_pepper:SHARE; repeat for several. Default: the "
            "paper's eight.",
        ),
    ] = None
    patterns: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern",
            help="shared (all rows get the same noise) or independent; default: both.",
        ),
    ] = None
    seeds: Annotated[int, typer.Option(help="How often each noise is drawn.")] = 3
    protocols: Protocols = None
    task: Annotated[str, typer.Option(help="clustering or classification.")] = "clustering"
    split: Annotated[
        str | None,
        typer.Option(help="Who is labelled in classification: 10%, 5-per-class. Default: 10%."),
    ] = None
    device: Device = "auto"
    store: StoreUrl = None
    as_json: AsJson = False


@app.command("robustness")
@takes(Options)
def robustness(options: Options) -> None:
    """Cluster or classify a dataset under noise: mean and spread over the seeds, for each method.

    Noise is added to features in [0, 1]: to pixels as they are, to the columns of a table scaled
    so. Settings are picked as `flgc reproduce` does. gaussian:0 is the data as they are. Exits with
    0 if every cell is complete. Rerun to compute only what is missing.

    Example: flgc robustness digits --noise gaussian:0.1 --noise salt_pepper:0.1 --seeds 2

    Example: flgc robustness wine --task classification -m 'FLGC*' -m sklearn.svm:SVC
    """
    be_quiet()
    from flgc.datasets import DatasetError
    from flows.reports import report_folder
    from flows.robustness_of import UnderNoise, plan_under_noise, robustness_of
    from flows.tables import results_of
    from tasks.store import StoreError

    parameters = shared(UnderNoise, options)
    try:
        plan = plan_under_noise(UnderNoise(**parameters))
    except (ValueError, ImportError, DatasetError, StoreError) as error:
        stop("robustness", error, 2)
    report = report_folder(f"{plan.report}-{plan.experiments[0].flow}") / "report.html"
    ended = run_flow("robustness", robustness_of, parameters, plan, report)
    if options.as_json:
        results = [results_of(plan.store, section) for section in sections_of(ended.state)]
        rows = [row for each in results for row in summarize(each)]
        typer.echo(json.dumps(rows, indent=2))
    else:
        print_outcome(plan, report, ended)
    end(ended.state)


def summarize(results: "pd.DataFrame") -> list[dict[str, Any]]:
    """Means and deviations over the seeds, for each noise, pattern, method, protocol and metric."""
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
