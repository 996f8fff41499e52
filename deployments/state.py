"""The note that a running stack writes, so that other terminals and a later start find it."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from deployments.settings import prefect_home


@dataclass(frozen=True)
class StackNote:
    """The process of `flgc up`, the id of its stack, and the address of its server."""

    pid: int
    started: float
    stack_id: str
    api_url: str

    @property
    def is_alive(self) -> bool:
        """Whether that process still runs; another one may have its number by now."""
        try:
            return abs(psutil.Process(self.pid).create_time() - self.started) < 1
        except psutil.Error:
            return False


def note_path() -> Path:
    return prefect_home() / "flgc-stack.json"


def read_note() -> StackNote | None:
    """The note, if there is one that can be read."""
    try:
        return StackNote(**json.loads(note_path().read_text()))
    except (OSError, ValueError, TypeError):
        return None


def write_note(stack_id: str, api_url: str) -> None:
    """Written whole or not at all."""
    started = psutil.Process().create_time()
    note = StackNote(os.getpid(), started, stack_id, api_url)
    note_path().parent.mkdir(parents=True, exist_ok=True)
    draft = note_path().with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(asdict(note)))
    draft.replace(note_path())


def remove_note(stack_id: str) -> None:
    """Remove the note of this stack, never another's."""
    note = read_note()
    if note and note.stack_id == stack_id:
        note_path().unlink(missing_ok=True)
