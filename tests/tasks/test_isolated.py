"""Whatever a method of others does, its own step alone fails, by its name."""

import dataclasses
import os
import re
import signal
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tasks.running.isolated import GIGABYTES, SECONDS, MethodFailed, limit_of, run_isolated
from tests.tasks.chain import IRIS, computed, iris, run_cell
from tests.tasks.hostile_methods import ERRORS, Hostile, call, call_back

pytest.importorskip("prefect")

HERE = "tests.tasks.hostile_methods"


def digests(store: Path) -> dict[str, str]:
    """What FLGC has of its own."""
    artifacts = run_cell(store, iris("FLGC"))
    assert {"score", "pick", "fit"} <= {stage.split()[0] for stage in computed(artifacts)}
    return {stage: artifact.digest for stage, artifact in artifacts.items()}


def _of_process() -> tuple:
    """What all that runs in it share."""
    seed = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    return seed, np.geterr(), warnings.filters[:], dict(os.environ), Path.cwd(), sys.path[:]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """FLGC where nobody disturbs it."""
    return digests(tmp_path_factory.mktemp("alone"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_a_hostile_method_fails_by_its_name_and_FLGC_does_not_notice(
    kind: type[Hostile], alone: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECONDS, "20" if kind.__name__ == "Hangs" else "300")
    monkeypatch.setenv(GIGABYTES, "1")
    name, reason = f"{HERE}:{kind.__name__}", ERRORS[kind]
    theirs = iris(name, experiment=dataclasses.replace(IRIS, methods=("FLGC", name)))
    state = _of_process()
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(run_cell, tmp_path, theirs)
        assert digests(tmp_path) == alone
        if reason is None:
            assert "fit" in {stage.split()[0] for stage in result.result()}
        else:
            with pytest.raises(MethodFailed) as raised:
                result.result()
            assert str(raised.value).startswith(f"{name}: ")
            assert reason in str(raised.value)
    assert _of_process() == state


def test_callbacks_run_here_and_their_answers_are_the_same() -> None:
    answer = run_isolated(["x"], call_back, {"n": 3}, {"f": lambda n: (n + 1, os.getpid())})
    assert answer[:2] == (4, os.getpid())
    assert answer[2] != os.getpid()


@pytest.mark.parametrize(
    ("reason", "work", "given"),
    [
        ("ended its process with code 3", os._exit, (3,)),
        ("SystemExit: 4", sys.exit, (4,)),
        ("its process was killed by SIGSEGV", signal.raise_signal, (signal.SIGSEGV,)),
        ("was stopped after 3 s; set FLGC_METHOD_SECONDS to allow more", time.sleep, (1e6,)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_work_that_gives_no_result_fails_by_the_name_of_its_method(
    reason: str, work: Any, given: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quick half of what all hostile methods do to a whole cell."""
    if work is time.sleep:
        monkeypatch.setenv(SECONDS, "3")
    with pytest.raises(MethodFailed, match=f"mine or yours: {re.escape(reason)}"):
        run_isolated(["mine", "yours"], call, {"function": work, "given": given}, {})


@pytest.mark.parametrize("value", ["0", "-1", "nan", "an hour"])
def test_a_limit_is_a_number_above_0(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECONDS, value)
    with pytest.raises(ValueError, match=re.escape(f"{SECONDS}={value!r}: give a number above 0")):
        limit_of(SECONDS)
