"""What commands that run flows share: quiet, progress, and tables on a terminal."""

import os
import shlex
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import pandas as pd

    from flows.plan import Plan

# Names may have colons, and `:three:` is a name of Rich's for a picture.
output = Console(width=None if sys.stdout.isatty() else 160, emoji=False)
errors = Console(stderr=True, emoji=False)

INTERRUPTED = 130  # what a shell says of a program that Ctrl-C has ended
MOST_ROWS = 6  # of a table that is shown whole; of a longer one its best and its lowest method
# Columns that say what a row is about, and stand in each part of a table that is too wide.
NAMES = ("dataset", "method", "protocol", "noise", "pattern", "changed", "metric")
SENTENCES = 2  # of the report's opening that the terminal repeats
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


def be_quiet() -> None:
    """Silence Prefect's own messages."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)


def stop(command: str, error: Exception, code: int) -> NoReturn:
    """End a command with the reason."""
    print_text(errors, f"flgc {command}: {error}", style="red")
    raise typer.Exit(code) from error


def end(state: Any) -> NoReturn:
    """End a command whose flow ended in this state, with the reason if it did not complete."""
    if not state.is_completed():
        error = state.result(raise_on_failure=False)
        print_text(errors, state.message or str(error), style="red")
    raise typer.Exit(0 if state.is_completed() else 1)


def run_flow(
    command: str, flow: Any, parameters: dict[str, Any], plan: "Plan", report: Path
) -> Ended:
    """Run a flow in this process and show its progress.

    Ctrl-C ends the command: it prints what is kept so far, and how to go on.
    """
    from deployments.embedded import NoServer, use_any_api
    from flows.cli.progress import show_progress
    from tasks.store import StoreError

    outlook = None
    try:
        api = use_any_api()  # its server starts while the store is looked through
        outlook = _outlook(plan)
        called, running = time.perf_counter(), []
        timed = flow.with_options(on_running=[lambda *_: running.append(time.perf_counter())])
        with stoppable(), report_unconverged(), show_progress(outlook), api:
            state = timed(**parameters | {"store": plan.store}, return_state=True)
    except (NoServer, StoreError) as error:
        stop(command, error, 1)
    except KeyboardInterrupt:
        so_far = f"; report so far: {report}" if report.is_file() else ""
        kept = f". {outlook.kept} of {len(outlook.steps)} steps kept{so_far}" if outlook else ""
        print_text(errors, f"Stopped{kept}; rerun to resume.")
        raise typer.Exit(INTERRUPTED) from None
    except SystemExit as error:  # from code that the flow called, not from the flow
        stop(command, RuntimeError(f"the run was ended from within: {error!r}"), 1)
    return Ended(state, called, running[0] if running else called)


def _outlook(plan: "Plan") -> Any:
    """What the run has to do, and how long that may take, from what is stored."""
    from flgc.device import n_threads
    from flows.cli.progress import Outlook
    from flows.dry_run import Costs, look_up
    from tasks.store import Store

    _, steps = look_up(plan)
    return Outlook(steps, Costs(Store(plan.store)), n_threads())


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C end a run once its running tasks have ended; a second Ctrl-C ends it at once.

    Either way, whatever was stored is kept: a file that is half written is no artifact yet.
    """
    interrupted = False

    def interrupt(*_: Any) -> None:
        nonlocal interrupted
        if interrupted:
            os._exit(INTERRUPTED)  # Python would wait for threads; the server ends by itself
        interrupted = True
        text = "Stopping as soon as the running tasks have ended; Ctrl-C again stops at once."
        print_text(errors, text, style="yellow")
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        if not interrupted:  # else a second Ctrl-C must also end what Python does at its exit
            signal.signal(signal.SIGINT, before)


@contextmanager
def report_unconverged() -> Iterator[None]:
    """Print at the end, in a line for each solver, which steps had fits that did not converge.

    The name of a step has the names of its data and method.
    """
    from sklearn.exceptions import ConvergenceWarning

    from tasks.running.stage import about_of_this_thread

    by_solver: dict[str, list[tuple[str, str]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", ConvergenceWarning)
        show = warnings.showwarning

        def note(message: Any, category: Any, filename: str, *rest: Any, **more: Any) -> None:
            if issubclass(category, ConvergenceWarning):
                fit = (about_of_this_thread(), str(message))
                by_solver.setdefault(Path(filename).stem, []).append(fit)
            else:
                show(message, category, filename, *rest, **more)

        warnings.showwarning = note
        yield
    for solver, fits in by_solver.items():
        steps = [step for step in dict.fromkeys(about for about, _ in fits) if step] or [solver]
        whose = steps[0] + (f" and {len(steps) - 1} more" if len(steps) > 1 else "")
        often = f"in {len(fits)} fits, at first" if len(fits) > 1 else "once"
        print_text(errors, f"{whose}: not converged {often}: {fits[0][1]}", style="yellow")


def format_duration(seconds: float) -> str:
    """`40 s`, `12 min`, `2.5 h`, `8.1 days`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172800 else f"{seconds / 86400:.1f} days"


def print_outcome(plan: "Plan", report: Path, ended: Ended, runner: str = "threads") -> None:
    """The results of a flow on one screen; the report has all of them."""
    from flows.tables import cost, results_of, shown_tables, standings
    from tasks.report.tables import unjudged
    from tasks.store import Store

    state, called, running = ended
    spent = cost(running, runner)
    sections = sections_of(state)
    for section in sections:
        rows, title = results_of(plan.store, section), section.experiment.title
        if not section.cells:
            continue
        table, *_ = shown_tables(section, rows).values()
        if len(table) <= MOST_ROWS and len(parts_within(table, output.width)) == 1:
            print_table(title, table)
        else:
            print_text(output, f"\n{title}", style="bold")
            for line in standings(section, rows):
                print_text(output, f"  {line}")
        for line in unjudged(rows):
            print_text(output, line)
    output.print()
    if state.is_completed() and any(section.gaps for section in sections):
        print_text(output, state.message)
    for sentence in answer(report.with_suffix(".md")) if sections else ():
        if sentence.rstrip(".") not in (state.message or ""):  # an empty report has no other
            print_text(output, sentence)
    output.print(f"{spent}, after {running - called:.1f} s for Prefect's start", highlight=False)
    if sections:
        where = "" if plan.store == Store(None).url else f" --store {shlex.quote(plan.store)}"
        output.print(f"Report: {report}", soft_wrap=True, highlight=False)
        name = shlex.quote(report.parent.name)
        print_text(output, f"Open it: flgc report --suite {name} --open{where}")


def answer(report: Path) -> list[str]:
    """What a report says first, before its first table or heading."""
    if not report.is_file():
        return []
    paragraphs = report.read_text(encoding="utf-8").split("\n\n")[1:]
    first = takewhile(lambda text: not text.startswith(("#", "|", "!")), paragraphs)
    return [" ".join(text.replace("**", "").split()) for text in first][:SENTENCES]


def sections_of(state: Any) -> list[Any]:
    """The sections that a flow of tables gave; none if the flow itself broke."""
    result = state.result(raise_on_failure=False)
    return result if isinstance(result, list) else []


def print_text(console: Console, text: str, style: str = "") -> None:
    """Lines wrapped at words on a terminal, and each in one piece where a program reads them."""
    wrapped = console.is_terminal
    console.print(text, style=style, soft_wrap=not wrapped, markup=False, highlight=False)


def print_table(title: str, table: "pd.DataFrame", console: Console = output) -> None:
    """A table within the width of the terminal: what is too wide is printed in parts.

    The columns of one method, or of one dataset, stay together, and each part has the names.
    """
    console.print(f"\n{title}", style="bold", highlight=False, markup=False)
    for part in parts_within(table, console.width):
        console.print()
        grid = Table(box=None, header_style="bold", padding=(0, BETWEEN, 0, 0), pad_edge=False)
        for name, width in _widths(part).items():
            grid.add_column(Text(name), width=width, overflow="fold")
        for row in part.to_numpy():
            grid.add_row(*map(Text, row))
        console.print(grid)


def parts_within(table: "pd.DataFrame", width: int) -> "list[pd.DataFrame]":
    """A table as texts, in parts: each has the names and as many other columns as fit."""
    table = table.astype(str).rename(columns=str)
    sizes = {name: size + BETWEEN for name, size in _widths(table).items()}
    names = [column for column in table.columns if column in NAMES]
    room = width - sum(sizes[name] for name in names)
    parts: list[list[str]] = [[]]
    # Columns of one method are `<method> published`, `<method> paper` and so on.
    others = table.columns.drop(names)
    for _, group in groupby(others, lambda column: column.rpartition(" ")[0] or column):
        block = list(group)
        whole = sum(sizes[column] for column in block) <= room
        for columns in [block] if whole else [[column] for column in block]:
            if parts[-1] and sum(sizes[column] for column in (*parts[-1], *columns)) > room:
                parts.append([])
            parts[-1] += columns
    return [table[[*names, *part]] for part in parts]


def _widths(table: "pd.DataFrame") -> dict[str, int]:
    """The widths of columns: only long names take a second line; headings wrap at words."""
    widths = {name: max(map(len, [*name.split(), *table[name]])) for name in table.columns}
    return widths | {name: min(NAME_WIDTH, widths[name]) for name in NAMES if name in widths}
