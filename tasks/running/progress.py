"""How far a long stage is, shown in Prefect's UI as an artifact of its task run.

Outside of a task, and in work that ends within seconds, nothing is shown.
"""

import re
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from prefect import runtime
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.context import TaskRunContext

FIRST_SECONDS = 5.0
EVERY_SECONDS = 2.0

Item = TypeVar("Item")


def tracked(items: Iterable[Item], total: int) -> Iterator[Item]:
    """The same items; how many of `total` are done is shown while the loop runs."""
    in_task = TaskRunContext.get() is not None
    due = time.monotonic() + FIRST_SECONDS
    shown: Any = None
    for done, item in enumerate(items):
        if in_task and time.monotonic() >= due:
            due = time.monotonic() + EVERY_SECONDS
            if shown is None:
                shown = create_progress_artifact(0.0, slug(f"progress-{runtime.task_run.name}"))
            update_progress_artifact(shown, 100 * done / total, f"{done} of {total}")
        yield item
    if shown is not None:
        update_progress_artifact(shown, 100.0, f"{total} of {total}")


def slug(text: str) -> str:
    """A key as Prefect wants it: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
