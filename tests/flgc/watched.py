"""Inputs tried in a process of their own, watched: what hangs or dies is an outcome, too."""

from __future__ import annotations

import multiprocessing
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any
from unittest.mock import patch

import numpy as np


@dataclass(frozen=True)
class Row:
    """An attempt that is refused with words that contain `message`, or, without one, works."""

    name: str
    attempt: Callable[[], Any]
    message: str | None = None
    same_as: Callable[[], Any] | None = None


ADVICE = re.compile(
    r"\b(give|choose|set|remove|rescale|reshape|build|fill|divide|rename|check|must|should|needs?|needed|mark)\b",
    re.IGNORECASE,
)


def outcome(row: Row) -> tuple[str, str]:
    """works, clear, cryptic or silent, and what was seen."""
    try:
        answer = np.asarray(row.attempt(), dtype=float)
    except AssertionError as error:
        return "silent", f"a strange answer: {error}"
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        is_clear = (
            row.message is not None
            and isinstance(error, ValueError | TypeError)
            and row.message in str(error)
            and ADVICE.search(str(error))
        )
        return ("clear" if is_clear else "cryptic"), said
    if row.message is not None:
        return "silent", f"an answer of shape {answer.shape}"
    if answer.size == 0 or not np.isfinite(answer).all():
        return "silent", "an answer that is empty or not finite"
    if row.same_as is not None:
        wanted = np.asarray(row.same_as(), dtype=float)
        # float32 and half precision are among the forms; scores are of the order of 1.
        if answer.shape != wanted.shape or not np.allclose(answer, wanted, rtol=1e-2, atol=1e-2):
            return "silent", "an answer that is not that of the clean input"
    return "works", ""


def serve(module: str, pipe: Connection) -> None:
    """Answer each number of a row of the module."""
    rows = import_module(module).ROWS
    warnings.simplefilter("ignore")
    # Arithmetic that leaves its range is a wrong answer that waits to be found.
    warnings.simplefilter("error", RuntimeWarning)
    while True:
        pipe.send(outcome(rows[pipe.recv()]))


STARTING = 180  # seconds for the first row; torch is slow to import on a busy machine
PER_ROW = 10  # seconds; a row takes some hundredths
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Worker:
    """A process that tries the `ROWS` of a module; one that hangs or dies is replaced."""

    def __init__(self, module: str, per_row: float = PER_ROW):
        self.module, self.per_row = module, per_row
        self.process: Any = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def start(self) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        new = multiprocessing.get_context("spawn").Process
        self.process = new(target=serve, args=(self.module, theirs), daemon=True)
        with patch.dict(os.environ, ONE_THREAD):
            self.process.start()
        theirs.close()  # so that the end of the process is the end of the pipe

    def stop(self) -> int | None:
        """What the process ended with."""
        if self.process is None:
            return None
        self.process.kill()
        self.process.join()
        code, self.process = self.process.exitcode, None
        return code

    def outcome(self, number: int) -> tuple[str, str]:
        seconds = self.per_row
        if self.process is None:
            self.start()
            seconds += STARTING
        self.pipe.send(number)
        if not self.pipe.poll(seconds):
            self.stop()
            return "hang", f"no answer within {seconds} s"
        try:
            return self.pipe.recv()
        except EOFError:
            return "crash", f"the process ended with {self.stop()}"
