"""What stands in the key of a stage, by a stage that computes nothing worth a key."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.semi_supervised import LabelSpreading

pytest.importorskip("prefect")

from flgc.methods.estimators import Estimator
from tasks.running import stage as running
from tasks.running.scalings import of_parameters
from tasks.running.stage import Stage
from tasks.stages.cells import corrupt, dataset, fit, graph, propagate, score, splits
from tasks.stages.products import affinity, vary
from tasks.store import Store, code_digest
from tests.tasks.edits import edited


def work(k: int = 0, device: str = "cpu", **given: Any) -> pd.DataFrame:
    return pd.DataFrame({"k": [k]})


def other_work(k: int = 0, device: str = "cpu", **given: Any) -> pd.DataFrame:
    return pd.DataFrame({"k": [k]})


def picked() -> pd.DataFrame:
    return pd.DataFrame({"run": [0], "p_scaling": ["min-max"], "weight": [1.0]})


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


def test_the_order_of_inputs_is_no_part_of_a_key(tmp_path: Path, toy: Stage) -> None:
    store = str(tmp_path)
    raw = dataset(store, dataset="iris")
    drawn = splits(store, data=raw, split="10%", seeds=[1])
    given = {"data": raw, "splits": drawn, "k": 1}
    turned = dict(reversed(given.items()))
    assert toy(store, **given).key == toy(store, **turned).key


@pytest.mark.parametrize(
    ("row", "refit", "counts"),
    [("FLGC*", True, True), ("FLGC*", False, False), ("FLGC* averaged", False, True)],
)
def test_the_scaling_counts_where_a_cell_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, refit: bool, counts: bool
) -> None:
    monkeypatch.setattr(running, "STAGES", {})
    picks = Stage("pick", picked)(str(tmp_path))
    given = {"picks": picks, "method": f"classification:{row}", "refit": refit}
    before = digest_of_named_code(fit, str(tmp_path), given)
    with edited(*MIN_MAX):
        assert (digest_of_named_code(fit, str(tmp_path), given) != before) == counts


def digest_of_named_code(stage: Stage, store: str, given: dict) -> str:
    return code_digest(*(stage.code(store, **given) or ()))


MIN_MAX = ("flgc/scaling.py", "high - low, 1.0)", "high - low, 2.0)")
GAUSSIAN = ("flgc/noise.py", "math.sqrt(variance)", "math.sqrt(2 * variance)")
PROGRESS = ("flgc/progress.py", "report(total, total)", "report(1, 1)")
ONE_HOT = ("flgc/ridge.py", "def one_hot(codes", "def one_hot(*, codes")


def test_the_code_of_the_work_counts(tmp_path: Path, toy: Stage) -> None:
    naming = Stage("toy", work, code=of_parameters)
    keys = [each(str(tmp_path), grid={"scaling": ["raw"]}).key for each in (toy, naming)]
    assert Stage("toy", other_work)(str(tmp_path), grid={"scaling": ["raw"]}).key not in keys
    assert keys[0] != keys[1]


@pytest.mark.parametrize(
    ("stage", "given", "edit", "counts"),
    [
        (score, {"grid": {"scaling": ("raw", "min-max")}}, MIN_MAX, True),
        (score, {"grid": {"scaling": ("raw",)}}, MIN_MAX, False),
        (graph, {"graph": "min-max"}, MIN_MAX, True),
        (graph, {"graph": "given"}, MIN_MAX, False),
        (propagate, {"scaling": "min-max"}, MIN_MAX, True),
        (vary, {"setting": {"scaling": "min-max"}}, MIN_MAX, True),
        (vary, {"setting": {"scaling": "raw"}}, MIN_MAX, False),
        (vary, {"setting": {"hops": 2}}, MIN_MAX, False),
        (affinity, {"setting": {"scaling": "min-max"}}, MIN_MAX, True),
        (fit, {"method": "classification:GCN", "refit": False}, MIN_MAX, False),
        (corrupt, {"kind": "gaussian", "scaling": "min-max"}, MIN_MAX, True),
        (corrupt, {"kind": "gaussian", "scaling": "raw"}, GAUSSIAN, True),
        (corrupt, {"kind": "salt_pepper", "scaling": "raw"}, GAUSSIAN, False),
    ],
)
def test_code_counts_where_a_stage_names_it(
    stage: Any, given: dict, edit: tuple[str, str, str], counts: bool
) -> None:
    before = digest_of_named_code(stage, "", given)
    with edited(*edit):
        assert (digest_of_named_code(stage, "", given) != before) == counts


@pytest.mark.parametrize(
    ("edit", "given", "counts"),
    [
        (ONE_HOT, {"method": "classification:FLGC*"}, True),
        (ONE_HOT, {"method": "classification:sklearn.svm:SVC"}, False),
        (ONE_HOT, {"methods": {"a": "classification:FLGC*"}}, True),
        (PROGRESS, {"method": "classification:FLGC*"}, False),
    ],
)
def test_the_code_of_a_method_counts(
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
