"""What commands that run flows share: quiet, progress, and tables on a terminal."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from flows.dag import Listener

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


class Ended(NamedTuple):
    """The state in which a flow ended, when it was called, and since when it was running."""

    state: Any
    called: float
    running: float


def be_quiet() -> None:
    """Prefect says nothing of its own."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)


def stop(command: str, error: Exception, code: int) -> NoReturn:
    """The end of a command, with the reason."""
    errors.print(f"flgc {command}: {error}", style="red", soft_wrap=True, markup=False)
    raise typer.Exit(code) from error


def followed(command: str, run: Callable[[Callable[..., None]], Any]) -> Ended:
    """How a flow ended, with its progress on the way; `run` calls what it is given once it runs."""
    from flows.server import NoServer

    called, running = time.perf_counter(), []
    try:
        with progress():
            state = run(lambda *_: running.append(time.perf_counter()))
    except NoServer as error:
        stop(command, error, 1)
    return Ended(state, called, running[0] if running else called)


def progress() -> AbstractContextManager[None]:
    """Bars on a terminal, lines elsewhere."""
    return progress_bars() if errors.is_terminal else progress_lines()


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
        print_plainly(errors, text)

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


def print_outcome(store: str, report: Path, ended: Ended) -> None:
    """The tables of a flow that `followed` has ended, what is not there, the time, the report."""
    from flows.tables import cost, results_of, shown_tables

    state, called, running = ended
    spent = cost(running)
    sections = sections_of(state)
    for section in sections:
        # Of many tables the first, which is that of the means: the others are in the report.
        shown = shown_tables(section, results_of(store, section))
        title, table = next(iter(shown.items()))
        name = f"{section.experiment.title}, {title}" if title else section.experiment.title
        output.print(_rich(name, table))
    if state.is_completed() and any(section.gaps for section in sections):
        print_plainly(output, state.message)
    print_failure(state)
    output.print(
        f"{spent}, after {running - called:.1f} s for Prefect's start",
        highlight=False,
    )
    if sections:
        output.print(f"Report: {report}", soft_wrap=True, highlight=False)


def sections_of(state: Any) -> list[Any]:
    """What a flow of tables gave; nothing if it broke itself."""
    found = state.result(raise_on_failure=False)
    return found if isinstance(found, list) else []


def print_failure(state: Any) -> None:
    """Why a flow did not complete, if it did not."""
    if not state.is_completed():
        found = state.result(raise_on_failure=False)
        print_plainly(errors, state.message or str(found), style="red")


def print_plainly(console: Console, text: str, style: str = "") -> None:
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
