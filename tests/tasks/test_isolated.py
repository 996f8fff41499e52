"""Whatever a method of others does, its own step alone fails, by its name."""

import dataclasses
import os
import re
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tasks.running.isolated import GIGABYTES, SECONDS, MethodFailed, run_isolated, seconds_allowed
from tests.tasks.chain import IRIS, computed, iris, run_cell
from tests.tasks.hostile_methods import SAID, Hostile

pytest.importorskip("prefect")

HERE = "tests.tasks.hostile_methods"


def digests(store: Path) -> dict[str, str]:
    """What FLGC has of its own."""
    found = run_cell(store, iris("FLGC"))
    assert {"score", "pick", "fit"} <= {stage.split()[0] for stage in computed(found)}
    return {stage: artifact.digest for stage, artifact in found.items()}


def _of_process() -> tuple:
    """What all that runs in it share."""
    seed = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    return seed, np.geterr(), warnings.filters[:], dict(os.environ), Path.cwd(), sys.path[:]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """FLGC where nobody disturbs it."""
    return digests(tmp_path_factory.mktemp("alone"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAID, ids=lambda kind: kind.__name__)
def test_a_hostile_method_fails_by_its_name_and_FLGC_does_not_notice(
    kind: type[Hostile], alone: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECONDS, "20" if kind.__name__ == "Hangs" else "300")
    monkeypatch.setenv(GIGABYTES, "1")
    name, reason = f"{HERE}:{kind.__name__}", SAID[kind]
    theirs = iris(name, experiment=dataclasses.replace(IRIS, methods=("FLGC", name)))
    state = _of_process()
    with ThreadPoolExecutor(1) as pool:
        theirs_found = pool.submit(run_cell, tmp_path, theirs)
        assert digests(tmp_path) == alone
        if reason is None:
            assert "fit" in {stage.split()[0] for stage in theirs_found.result()}
        else:
            with pytest.raises(MethodFailed) as raised:
                theirs_found.result()
            assert str(raised.value).startswith(f"{name}: ")
            assert reason in str(raised.value)
    assert _of_process() == state


@pytest.mark.slow
def test_what_the_work_asks_for_runs_here_and_its_result_is_the_same(tmp_path: Path) -> None:
    here = os.getpid()

    def asked(n: int) -> tuple[int, int]:
        return n + 1, os.getpid()

    found = run_isolated(["nobody"], _asking, {"n": 3}, {"asked": asked})
    assert found[:2] == (4, here)
    assert found[2] != here


def _asking(n: int, asked: object) -> tuple[int, int, int]:
    return (*asked(n), os.getpid())  # type: ignore[operator]


@pytest.mark.parametrize("value", ["0", "-1", "nan", "an hour"])
def test_a_limit_is_a_number_above_0(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECONDS, value)
    with pytest.raises(ValueError, match=re.escape(f"{SECONDS}={value!r}: give a number above 0")):
        seconds_allowed()
