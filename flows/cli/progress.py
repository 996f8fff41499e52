"""The progress of a run: cells done, the time left, and each table as it ends.

It comes from the steps of the run. How long a step takes is estimated from the store and from steps
that have ended; see `flows/dry_run.py`.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from flows import execute
from flows.cli.terminal import errors, format_duration, print_text
from flows.dry_run import Costs, Lookup
from flows.execute import Listener, StepEnded, TableEnded
from flows.tables import headline
from tasks.running.stage import at_work

EVERY_SECONDS = 60.0  # between two lines of progress where there is no terminal for a bar
BAR_WIDTH = 20
REFRESHES = 4  # a second
CELL = "fit"  # the step that makes one


class Outlook:
    """What of a run is done, what is left, and how long that may take.

    A step is expected to take as long as it took before, or as others like it took. What Prefect
    adds to each step is measured on the way. So stored results do not make the rest look fast.
    """

    def __init__(
        self,
        steps: Sequence[Lookup],
        costs: Costs,
        workers: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.costs, self.workers, self.clock = costs, workers, clock
        self.steps = {(step.experiment, step.name): step for step in steps}
        self.waiting = {key: step for key, step in self.steps.items() if step.artifact is None}
        self.cells = Counter(step.experiment for step in steps if step.stage == CELL)
        self.kept = len(self.steps) - len(self.waiting)
        self.began, self.elapsed, self.is_running = clock(), 0.0, False
        self.worked, self.ended = 0.0, 0

    def listen(self, event: StepEnded | TableEnded) -> None:
        """Note what has ended; the time before the first step counts for no step."""
        if isinstance(event, TableEnded):
            self.end_table(event.section.experiment.name)
            return
        if not self.is_running:
            self.is_running, self.began = True, self.clock()
        self.end(event)

    def end(self, event: StepEnded) -> None:
        """Note that a step has ended, well or not; what it took helps to estimate others."""
        step = self.waiting.pop((event.experiment, event.step), None)
        if step is None:
            return
        self.ended, self.elapsed = self.ended + 1, self.clock() - self.began
        if event.artifact is not None:
            self.kept += 1
            if not event.artifact.cached:
                self.worked += event.artifact.seconds
                self.costs.learn(step.stage, step.about, event.artifact.seconds)

    def end_table(self, experiment: str) -> None:
        """Forget the steps of a table that has ended: those still waiting never run."""
        for key in [key for key in self.waiting if key[0] == experiment]:
            del self.waiting[key]

    def done(self, experiment: str = "") -> tuple[int, int]:
        """How many cells are done, and of how many; of all tables if none is named."""
        total = self.cells[experiment] if experiment else self.cells.total()
        waiting = sum(
            step.stage == CELL and experiment in ("", step.experiment)
            for step in self.waiting.values()
        )
        return total - waiting, total

    def left(self, running: dict[str, float]) -> str:
        """The time left in words; `running` has the seconds since each step at work began.

        It is a lower bound if some steps cannot be estimated, and empty if most cannot.
        """
        seconds, unknown = 0.0, 0
        for step in self.waiting.values():
            estimated = self.costs.of(step.stage, step.about)
            if estimated is None:
                unknown += 1
            else:
                seconds += max(0.0, estimated - running.get(step.name, 0.0))
        if not self.waiting or 2 * unknown > len(self.waiting):
            return ""
        idle = max(0.0, self.elapsed - self.worked / self.workers)
        around = idle / self.ended if self.ended else 0.0
        total = seconds / self.workers + around * len(self.waiting)
        return f"{'at least' if unknown else 'about'} {format_duration(total)} left"


class Screen:
    """Two lines at the bottom of a terminal: the whole run, and the table that runs."""

    def __init__(self, outlook: Outlook) -> None:
        self.outlook, self.began, self.experiment = outlook, time.monotonic(), ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        running = at_work()
        elapsed = format_duration(time.monotonic() - self.began)
        if not self.experiment:
            yield Text(f"starting Prefect, {elapsed}")
            return
        done, total = self.outlook.done()
        words = [f"{done} of {total} cells", elapsed, self.outlook.left(running)]
        whole = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(total, 1), completed=done, width=BAR_WIDTH)
        whole.add_row(bar, Text(", ".join(filter(None, words)), no_wrap=True, overflow="ellipsis"))
        yield whole
        done, total = self.outlook.done(self.experiment)
        now = next(iter(running), "")
        text = f"{self.experiment}: {done} of {total}{now and ', '}{now}"
        yield Text(text, style="dim", no_wrap=True, overflow="ellipsis")


class Lines:
    """A line when a table begins and when it ends, and one after each minute of silence."""

    def __init__(self, outlook: Outlook) -> None:
        self.outlook, self.experiment, self.began = outlook, "", time.monotonic()
        self.ended = threading.Event()
        self.print("starting Prefect ...")

    def print(self, text: str) -> None:
        """A line now; the next reminder is a minute later."""
        self.printed = time.monotonic()
        print_text(errors, text)

    def show(self, event: StepEnded | TableEnded) -> None:
        """Print where a table begins and ends."""
        if isinstance(event, TableEnded):
            seconds = format_duration(time.monotonic() - self.began)
            self.print(f"{headline(event.store, event.section)}, {seconds}")
        elif event.experiment != self.experiment:
            self.experiment, self.began = event.experiment, time.monotonic()
            self.print(f"{self.experiment}: {self.outlook.done(self.experiment)[1]} cells ...")

    def remind(self) -> None:
        """Print how far the run is, until it has ended."""
        while not self.ended.wait(max(0.0, self.printed + EVERY_SECONDS - time.monotonic())):
            if time.monotonic() >= self.printed + EVERY_SECONDS:
                (done, total), running = self.outlook.done(), at_work()
                where = self.experiment or "starting Prefect"
                words = [f"{where}: {done} of {total} cells", *list(running)[:1]]
                self.print(", ".join(filter(None, [*words, self.outlook.left(running)])))


@contextmanager
def on_a_terminal(outlook: Outlook) -> Iterator[Listener]:
    """A line for the whole run and one for the table that runs, below a line per finished table."""
    screen = Screen(outlook)
    with Live(screen, console=errors, refresh_per_second=REFRESHES, transient=True) as live:

        def show(event: StepEnded | TableEnded) -> None:
            if isinstance(event, StepEnded):
                screen.experiment = event.experiment
            else:
                print_text(live.console, headline(event.store, event.section, live.console.width))

        yield show


@contextmanager
def in_lines(outlook: Outlook) -> Iterator[Listener]:
    """Lines on stderr, some of them from a thread that prints after each minute of silence."""
    lines = Lines(outlook)
    reminder = threading.Thread(target=lines.remind, daemon=True)
    reminder.start()
    try:
        yield lines.show
    finally:
        lines.ended.set()
        reminder.join()


@contextmanager
def show_progress(outlook: Outlook) -> Iterator[None]:
    """Two lines that change on a terminal, lines elsewhere."""
    with (on_a_terminal if errors.is_terminal else in_lines)(outlook) as show:
        listeners = [outlook.listen, show]  # in this order: `show` asks the outlook
        execute.listeners += listeners
        try:
            yield
        finally:
            for each in listeners:
                execute.listeners.remove(each)
