"""What a person at a terminal sees while something long goes on; silent everywhere else."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


class _Bar:
    """The few calls that pooch makes on a progress bar, shown by rich."""

    def __init__(self, progress: Any, task: Any) -> None:
        self._progress, self._task = progress, task

    @property
    def total(self) -> float | None:
        return self._progress.tasks[0].total

    @total.setter
    def total(self, total: int) -> None:
        self._progress.update(self._task, total=total or None)

    def update(self, n: int) -> None:
        self._progress.update(self._task, advance=n)

    def reset(self) -> None:
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        """The context manager closes the display."""


@contextlib.contextmanager
def bar(title: str) -> Iterator[_Bar | None]:
    """A bar for one download on a terminal, None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    with Progress(*columns, TransferSpeedColumn(), console=console, transient=True) as progress:
        yield _Bar(progress, progress.add_task(title, total=None))


@contextlib.contextmanager
def working(title: str) -> Iterator[None]:
    """A line that moves while something without a known length goes on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(title):
        yield
