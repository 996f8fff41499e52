"""What stands in the key of a stage, by a stage that computes nothing worth a key."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.semi_supervised import LabelSpreading

pytest.importorskip("prefect")

from flgc.methods.estimators import Estimator
from tasks.running import stage as running
from tasks.running.stage import Stage
from tasks.store import Store
from tests.tasks.edits import edited


def work(k: int = 0, device: str = "cpu", **given: Any) -> pd.DataFrame:
    return pd.DataFrame({"k": [k]})


def other_work(k: int = 0, device: str = "cpu", **given: Any) -> pd.DataFrame:
    return pd.DataFrame({"k": [k]})


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(running, "STAGES", {})
    return Stage("toy", work)


def test_parameters_count_and_the_device_does_not(tmp_path: Path, toy: Stage) -> None:
    first = toy(str(tmp_path), k=1, device="cpu")
    assert toy(str(tmp_path), k=1, device="cuda:0").key == first.key
    assert toy(str(tmp_path), k=2, device="cpu").key != first.key


def test_every_input_counts_and_is_written_down(tmp_path: Path, toy: Stage) -> None:
    one, two = (toy(str(tmp_path), k=k) for k in (1, 2))
    made = toy(str(tmp_path), first=one, others={"iris": [one, two]})
    assert Store(tmp_path).record(made.key)["made_from"] == {
        "first": one.key,
        "others/iris/0000": one.key,
        "others/iris/0001": two.key,
    }
    keys = {
        toy(str(tmp_path), first=a, others={"iris": [b, c]}).key
        for a in (one, two)
        for b in (one, two)
        for c in (one, two)
    }
    assert len(keys) == 8


def test_the_code_of_the_work_counts(tmp_path: Path, toy: Stage) -> None:
    assert toy(str(tmp_path)).key != Stage("toy", other_work)(str(tmp_path)).key


MIN_MAX = ("flgc/scaling.py", "high - low, 1.0)", "high - low, 2.0)")
GAUSSIAN = ("flgc/noise.py", "math.sqrt(variance)", "math.sqrt(2 * variance)")
ONE_HOT = ("flgc/ridge.py", "def one_hot(codes", "def one_hot(*, codes")


@pytest.mark.parametrize(
    ("edit", "given", "counts"),
    [
        (MIN_MAX, {"grid": {"scaling": ("raw", "min-max")}}, True),
        (MIN_MAX, {"grid": {"scaling": ("raw",)}}, False),
        (GAUSSIAN, {"kind": "gaussian"}, True),
        (GAUSSIAN, {"kind": "salt_pepper"}, False),
        (ONE_HOT, {"method": "classification:FLGC*"}, True),
        (ONE_HOT, {"method": "classification:sklearn.svm:SVC"}, False),
        (ONE_HOT, {"methods": {"a": "classification:FLGC*"}}, True),
    ],
)
def test_code_counts_where_it_is_named(
    tmp_path: Path, toy: Stage, edit: tuple[str, str, str], given: dict, counts: bool
) -> None:
    before = toy(str(tmp_path), **given).key
    with edited(*edit):
        assert (toy(str(tmp_path), **given).key != before) == counts


ROWS = Estimator("spreading", LabelSpreading)
ALL_ROWS = Estimator("spreading", LabelSpreading, unlabelled=True)


def test_what_tells_methods_of_one_code_apart_counts(tmp_path: Path, toy: Stage) -> None:
    specs = [f"classification:{__name__}:{name}" for name in ("ROWS", "ALL_ROWS")]
    assert len({toy(str(tmp_path), method=spec).key for spec in specs}) == 2
    assert len({toy(str(tmp_path), methods={"a": spec}).key for spec in specs}) == 2
