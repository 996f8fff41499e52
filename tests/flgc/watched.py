"""Inputs tried in a process of their own, watched: what hangs or dies is an outcome, too."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def serve(rows: list[Row]) -> None:
    """Say that imports are done, then answer each row's number on stdin by a line of JSON."""
    warnings.simplefilter("ignore")
    # Arithmetic that leaves its range is a wrong answer that waits to be found.
    warnings.simplefilter("error", RuntimeWarning)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(outcome(rows[int(line)])), flush=True)


STARTING = 180  # seconds; torch is slow to import on a busy machine
PER_ROW = 10  # seconds; a row takes some hundredths


class Worker:
    """A process that tries rows; one that hangs or dies is replaced by another."""

    def __init__(self, module: str, per_row: float = PER_ROW):
        self.module, self.per_row = module, per_row
        self.process: subprocess.Popen | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", self.module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            cwd=Path(__file__).parents[2],
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()
        assert self.lines.get(timeout=STARTING) == "ready\n"

    @staticmethod
    def _read(process: subprocess.Popen, lines: queue.Queue) -> None:
        for line in process.stdout:
            lines.put(line)
        lines.put("")  # the end

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def outcome(self, number: int) -> tuple[str, str]:
        if self.process is None:
            self.start()
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        try:
            line = self.lines.get(timeout=self.per_row)
        except queue.Empty:
            self.stop()
            return "hang", f"no answer within {self.per_row} s"
        if not line:
            code = self.process.wait()
            self.stop()
            return "crash", f"the process ended with {code}"
        kind, seen = json.loads(line)
        return kind, seen
