"""The progress of a long stage, in Prefect's UI as an artifact of its task run.

There is none outside of a task, or for work that ends within seconds.
"""

import re
import time
from typing import Any

from prefect import runtime
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.context import TaskRunContext

from flgc.progress import Listener

FIRST_SECONDS = 5.0
EVERY_SECONDS = 2.0


def shown_progress() -> Listener:
    """A listener that shows how far this task's loop is."""
    in_task = TaskRunContext.get() is not None
    due = time.monotonic() + FIRST_SECONDS
    artifact: Any = None

    def show(done: int, total: int) -> None:
        nonlocal due, artifact
        ended = artifact is not None and done == total
        if not in_task or not (ended or time.monotonic() >= due):
            return
        due = time.monotonic() + EVERY_SECONDS
        if artifact is None:
            artifact = create_progress_artifact(0.0, slug(f"progress-{runtime.task_run.name}"))
        update_progress_artifact(artifact, 100 * done / max(total, 1), f"{done} of {total}")

    return show


def slug(text: str) -> str:
    """A key as Prefect wants it: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
