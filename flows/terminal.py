"""What commands that run flows share: quiet, progress, and tables on a terminal."""

import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import pandas as pd

    from flows.dag import Listener

output = Console(width=None if sys.stdout.isatty() else 160)
errors = Console(stderr=True)

EVERY_SECONDS = 60.0  # between two lines of progress where there is no terminal for a bar
INTERRUPTED = 130  # what a shell says of a program that Ctrl-C has ended
RECENT = 20  # tasks whose pace counts for the time left
# Columns that say what a row is about, and stand in each part of a table that is too wide.
NAMES = ("dataset", "method", "protocol", "noise", "pattern", "changed", "metric")
NAME_WIDTH = 26  # a longer name takes two lines
BETWEEN = 2  # blanks between two columns

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


class Pace:
    """How long the rest will take: at the pace of all tasks, or of the latest if that is slower.

    What is stored already is done in no time: the pace of all would promise too much.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.began, self.done = clock, clock(), 0
        self.latest = deque([self.began], maxlen=RECENT + 1)

    def reach(self, done: int) -> None:
        """So many tasks are done now."""
        self.latest.extend([self.clock()] * (done - self.done))
        self.done = done

    def left(self, total: int) -> str:
        """In words; nothing before the first task has ended and after the last."""
        if not 0 < self.done < total:
            return ""
        now = self.clock()
        of_all = (now - self.began) / self.done
        of_latest = (now - self.latest[0]) / (len(self.latest) - 1)
        minutes, seconds = divmod(round((total - self.done) * max(of_all, of_latest)), 60)
        hours, minutes = divmod(minutes, 60)
        if hours:
            return f"about {hours} h {minutes} min left"
        return (
            f"about {minutes} min left"
            if minutes >= 2
            else f"about {60 * minutes + seconds} s left"
        )


class _TimeLeft(ProgressColumn):
    """What the task's pace says, again and again: a task that takes long slows it down."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        pace = task.fields["pace"]
        return Text(pace.left(int(task.total or 0)) if pace else "", style="cyan")


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
        with stoppable(), unconverged(), progress():
            state = run(lambda *_: running.append(time.perf_counter()))
    except NoServer as error:
        stop(command, error, 1)
    return Ended(state, called, running[0] if running else called)


@contextmanager
def stoppable() -> Iterator[None]:
    """Ctrl-C ends a run once its running tasks have ended, and given twice at once.

    Either way all that was stored is there: what is half written is no artifact yet.
    """
    asked = False

    def ask(*_: Any) -> None:
        nonlocal asked
        if asked:
            os._exit(INTERRUPTED)  # Python would wait for threads; the server ends by itself
        asked = True
        text = "Stopping as soon as the running tasks have ended; Ctrl-C again stops at once."
        print_plainly(errors, text, style="yellow")
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        if not asked:  # after Ctrl-C, Python's own end may be what a second one must not wait for
            signal.signal(signal.SIGINT, before)


@contextmanager
def unconverged() -> Iterator[None]:
    """Settings of a grid that a solver does not finish: a line for each solver, at the end."""
    from sklearn.exceptions import ConvergenceWarning

    found: dict[str, list[str]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", ConvergenceWarning)
        shown = warnings.showwarning

        def note(message: Any, category: Any, filename: str, *rest: Any, **more: Any) -> None:
            if issubclass(category, ConvergenceWarning):
                found.setdefault(Path(filename).stem, []).append(str(message))
            else:
                shown(message, category, filename, *rest, **more)

        warnings.showwarning = note
        yield
    for solver, texts in found.items():
        often = f"{len(texts)} times, at first" if len(texts) > 1 else "once"
        errors.print(f"{solver} did not converge {often}: {texts[0]}", style="yellow", markup=False)


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
        _TimeLeft(),
        TextColumn("{task.fields[last]}", markup=False),
    )
    bars: dict[str, Any] = {}
    paces: dict[str, Pace] = {}
    with Progress(*columns, console=errors) as progress:
        starting = progress.add_task("starting Prefect", total=None, last="", pace=None)

        def listen(what: str, done: int, total: int, last: str) -> None:
            progress.update(starting, visible=False)
            if what not in bars:
                paces[what] = Pace()
                bars[what] = progress.add_task(what, total=total, last="", pace=paces[what])
            paces[what].reach(done)
            progress.update(bars[what], completed=done, last=last)

        with _listening(listen):
            yield


@contextmanager
def progress_lines() -> Iterator[None]:
    """A line when an experiment starts and when it ends, and one after each minute of silence."""
    reached, since = "starting Prefect", time.monotonic()
    said, ended = since, threading.Event()
    pace, of = Pace(), 0

    def say(text: str) -> None:
        nonlocal said
        said = time.monotonic()
        print_plainly(errors, text)

    def say_reached() -> None:
        left = pace.left(of)
        say(f"{reached}, {time.monotonic() - since:.0f} s{left and ', '}{left}")

    def listen(what: str, done: int, total: int, last: str) -> None:
        nonlocal reached, since, pace, of
        if done == 0:
            since, pace = time.monotonic(), Pace()
            say(f"{what}: {total} task{'' if total == 1 else 's'} ...")
        reached, of = f"{what}: {done} of {total} tasks", total
        pace.reach(done)
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
        print_table(name, table)
    if state.is_completed() and any(section.gaps for section in sections):
        print_plainly(output, state.message)
    print_failure(state)
    output.print(
        f"\n{spent}, after {running - called:.1f} s for Prefect's start",
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


def print_table(title: str, table: "pd.DataFrame", console: Console = output) -> None:
    """A table within the width of the terminal: what is too wide is printed in parts.

    The columns of one method, or of one dataset, stay together, and each part has the names.
    """
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
    for part in parts_within(table.astype(str), console.width):
        console.print()
        shown = Table(box=None, header_style="bold", padding=(0, BETWEEN, 0, 0), pad_edge=False)
        for name, width in zip(part.columns, _widths(part), strict=True):
            shown.add_column(Text(str(name)), width=width, overflow="fold")
        for row in part.to_numpy():
            shown.add_row(*map(Text, row))
        console.print(shown)


def parts_within(table: "pd.DataFrame", width: int) -> Iterator["pd.DataFrame"]:
    """A table as several, side by side, each with the names and as many columns as fit."""
    names = [column for column in table.columns if column in NAMES]
    sizes = dict(zip(table.columns, (size + BETWEEN for size in _widths(table)), strict=True))
    room = width - sum(sizes[name] for name in names)
    blocks: list[list[str]] = []
    for column in table.columns.drop(names):
        about = column.rpartition(" ")[0]
        if blocks and about and blocks[-1][0].rpartition(" ")[0] == about:
            blocks[-1].append(column)
        else:
            blocks.append([column])
    part: list[str] = []
    for block in blocks:
        whole = sum(map(sizes.__getitem__, block)) <= room
        for columns in [block] if whole else [[column] for column in block]:
            if part and sum(map(sizes.__getitem__, [*part, *columns])) > room:
                yield table[[*names, *part]]
                part = []
            part += columns
    yield table[[*names, *part]]


def _widths(table: "pd.DataFrame") -> list[int]:
    """So wide that no cell takes a second line but long names; headings are wrapped at words."""
    return [
        min(NAME_WIDTH, max(map(len, [*column.split(), *cells])))
        if column in NAMES
        else max(map(len, [*column.split(), *cells]))
        for column, cells in ((str(name), table[name]) for name in table.columns)
    ]
