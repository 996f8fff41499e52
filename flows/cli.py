"""`flgc reproduce`: the whole pipeline in this process, with an embedded Prefect."""

import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer

from flows.terminal import be_quiet, errors, followed, print_outcome, stop

app = typer.Typer(add_completion=False)


@app.command("reproduce")
def reproduce(
    suite: Annotated[str, typer.Option(help="tiny (embedded data, a minute) or paper.")] = "paper",
    datasets: Annotated[
        list[str] | None, typer.Option("--dataset", "-d", help="Only these; repeat for several.")
    ] = None,
    methods: Annotated[
        list[str] | None, typer.Option("--method", "-m", help="Only these; repeat for several.")
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
) -> None:
    """Reproduce the paper: tables, statistics and report, with all that is stored already.

    Ends with 0 if every cell is there whose data can be had from here, and at least one; what is
    not there is listed with the reason. A rerun does only what is missing.

    Example: flgc reproduce --suite tiny
    """
    be_quiet()
    from flgc.methods.registry import LeftOut
    from flows.plan import FLOWS, planned
    from flows.reports import report_folder
    from flows.runners import task_runner
    from tasks.store import StoreError

    try:
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always", LeftOut)
            plan = planned(FLOWS, suite, datasets, methods, protocols, runs, device, store)
        for name in methods or ():
            if not any(name in experiment.methods for experiment in plan.experiments):
                raise ValueError(f"method {name!r} is in none of the tables that were chosen")
        task_runner(runner, address)
    except (ValueError, ImportError, StoreError) as error:
        stop("reproduce", error, 2)
    for text in dict.fromkeys(str(each.message) for each in noted):
        errors.print(f"flgc reproduce: {text}", style="yellow", soft_wrap=True, markup=False)
    warnings.simplefilter("ignore", LeftOut)  # flows plan again
    chosen = {
        "suite": suite,
        "datasets": datasets,
        "methods": methods,
        "protocols": protocols,
        "runs": runs,
        "device": device,
        "store": plan.store,
        "runner": runner,
        "address": address,
        "strict": strict,
    }
    ended = followed("reproduce", lambda when_running: _run(chosen, when_running))
    print_outcome(plan.store, report_folder(plan.suite) / "report.html", ended)
    raise typer.Exit(0 if ended.state.is_completed() else 1)


def _run(chosen: dict[str, Any], when_running: Callable[..., None]) -> Any:
    from flows.reproduce_paper import reproduce_paper
    from flows.server import any_api

    flow = reproduce_paper.with_options(on_running=[when_running])
    with any_api():
        return flow(**chosen, return_state=True)
