"""Progress on a terminal; silent everywhere else."""

import contextlib
import sys
from collections.abc import Callable, Iterator

Show = Callable[[int, int | None], None]
"""Takes the number of bytes received, and the total if it is known."""


@contextlib.contextmanager
def bar(title: str) -> Iterator[Show]:
    """A progress bar for one download."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextlib.contextmanager
def working(title: str) -> Iterator[None]:
    """A spinner during work of unknown length."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(title):
        yield
