"""`flgc reproduce`: the whole pipeline in this process, with an embedded Prefect."""

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from flows.dag import Listener

app = typer.Typer(add_completion=False)
output = Console(width=None if sys.stdout.isatty() else 160)
errors = Console(stderr=True)

EVERY_SECONDS = 60.0  # between two lines of progress where there is no terminal for a bar

# Set before Prefect is imported. What a person has set already stays.
QUIET = {
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}


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
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    from flgc.methods.registry import LeftOut
    from flows.plan import FLOWS, planned
    from flows.runners import task_runner
    from flows.server import NoServer
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
        errors.print(f"flgc reproduce: {error}", style="red", soft_wrap=True, markup=False)
        raise typer.Exit(2) from error
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
    called, running = time.perf_counter(), []
    try:
        with progress_bars() if errors.is_terminal else progress_lines():
            state = _run(chosen, lambda *_: running.append(time.perf_counter()))
    except NoServer as error:
        errors.print(f"flgc reproduce: {error}", style="red", soft_wrap=True, markup=False)
        raise typer.Exit(1) from error
    _print_outcome(plan, state, called, running[0] if running else called)
    raise typer.Exit(0 if state.is_completed() else 1)


def _run(chosen: dict[str, Any], when_running: Callable[..., None]) -> Any:
    from flows.reproduce_paper import reproduce_paper
    from flows.server import any_api

    flow = reproduce_paper.with_options(on_running=[when_running])
    with any_api():
        return flow(**chosen, return_state=True)


@contextmanager
def progress_bars() -> Iterator[None]:
    """A bar for each experiment, on a terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[last]}"),
    )
    bars: dict[str, Any] = {}
    with Progress(*columns, console=errors) as progress:
        starting = progress.add_task("starting Prefect", total=None, last="")

        def listen(what: str, done: int, total: int, last: str) -> None:
            progress.update(starting, visible=False)
            if what not in bars:
                bars[what] = progress.add_task(what, total=total, last="")
            progress.update(bars[what], completed=done, last=last)

        with _listening(listen):
            yield


@contextmanager
def progress_lines() -> Iterator[None]:
    """A line when an experiment starts and when it ends, and one after each minute of silence."""
    reached, since = "starting Prefect", time.monotonic()
    said, ended = since, threading.Event()

    def say(text: str) -> None:
        nonlocal said
        said = time.monotonic()
        _print_plainly(errors, text)

    def say_reached() -> None:
        say(f"{reached}, {time.monotonic() - since:.0f} s")

    def listen(what: str, done: int, total: int, last: str) -> None:
        nonlocal reached, since
        if done == 0:
            since = time.monotonic()
            say(f"{what}: {total} task{'' if total == 1 else 's'} ...")
        reached = f"{what}: {done} of {total} tasks"
        if done == total:
            say_reached()

    def remind() -> None:
        while not ended.wait(max(0.0, said + EVERY_SECONDS - time.monotonic())):
            if time.monotonic() >= said + EVERY_SECONDS:
                say_reached()

    say(f"{reached} ...")
    reminder = threading.Thread(target=remind, daemon=True)
    reminder.start()
    try:
        with _listening(listen):
            yield
    finally:
        ended.set()
        reminder.join()


@contextmanager
def _listening(listen: "Listener") -> Iterator[None]:
    from flows.dag import listeners

    listeners.append(listen)
    try:
        yield
    finally:
        listeners.remove(listen)


def _print_outcome(plan: Any, state: Any, called: float, running: float) -> None:
    from flows.reports import report_folder
    from flows.tables import cost, results_of, shown_tables

    spent = cost(running)
    found = state.result(raise_on_failure=False)
    sections = found if isinstance(found, list) else []
    for section in sections:
        # Of many tables the first, which is that of the means: the others are in the report.
        shown = shown_tables(section, results_of(plan.store, section))
        title, table = next(iter(shown.items()))
        name = f"{section.experiment.title}, {title}" if title else section.experiment.title
        output.print(_rich(name, table))
    if not state.is_completed():
        _print_plainly(errors, state.message or str(found), style="red")
    elif any(section.gaps for section in sections):
        _print_plainly(output, state.message)
    output.print(
        f"{spent}, after {running - called:.1f} s for Prefect's start",
        highlight=False,
    )
    if sections:
        path = report_folder(plan.suite) / "report.md"
        output.print(f"Report: {path}", soft_wrap=True, highlight=False)


def _print_plainly(console: Console, text: str, style: str = "") -> None:
    """Lines wrapped at words on a terminal, and each in one piece where a program reads them."""
    wrapped = console.is_terminal
    console.print(text, style=style, soft_wrap=not wrapped, markup=False, highlight=False)


def _rich(title: str, table: "pd.DataFrame") -> Table:
    shown = Table(title=title, title_justify="left")
    for column in table.columns:
        shown.add_column(str(column), overflow="fold")
    for row in table.astype(str).to_numpy():
        shown.add_row(*row)
    return shown
