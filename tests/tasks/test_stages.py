import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tasks.declared.experiments import METHODS, Cell, Experiment, Grid, Noise, Preparation, Subject
from tasks.picking import AXES, Method
from tasks.select import seeds

from flgc import FLGCClassifier
from flgc.datasets import load
from flgc.datasets.splits import from_table
from flgc.scaling import min_max
from tasks.document.results import COLUMNS
from tasks.stages.dataset import dataset_of, dataset_table, described
from tasks.store.store import Store
from tests import plain
from tests.tasks.chain import IRIS, changed_module, computed, iris, rows, run_cell

ALL = {"dataset", "splits", "graph", "select", "pick", "propagate", "fit"}
NOISY = Experiment(
    name="noisy",
    flow="robustness",
    kind="clustering",
    title="Wine under noise",
    datasets=("wine",),
    grid=Grid((2,), (0.1,), (10.0,)),
    preparation=Preparation("standardised", ("standardised",), 10),
    noises=(Noise("gaussian", 0.1, "standardised"),),
)


def test_the_second_time_nothing_is_computed(tmp_path: Path) -> None:
    first, second = run_cell(tmp_path, iris()), run_cell(tmp_path, iris())
    assert computed(first) == ALL
    assert computed(second) == set()
    assert {s: a.key for s, a in first.items()} == {s: a.key for s, a in second.items()}


@pytest.mark.parametrize("protocol", ["paper", "honest"])
def test_rows_have_the_one_schema_and_the_library_agrees(tmp_path: Path, protocol: str) -> None:
    """What `honest` looks up in the grid is what a fit would give."""
    found = run_cell(tmp_path, iris(protocol=protocol))
    table = rows(tmp_path, found["fit"])
    assert list(table) == list(COLUMNS)
    assert table["run"].tolist() == [0, 1]
    data = load("iris")
    splits = from_table(Store(tmp_path).read(found["splits"].key))
    for row, split in zip(table.itertuples(), splits, strict=True):
        y = np.full(data.n_nodes, -1)
        y[split.train] = data.labels[split.train]
        model = FLGCClassifier(
            hops=row.hops, teleport=row.teleport, regularization=row.regularization
        ).fit(min_max(data.features), y)
        hits = model.transduction_[split.test] == data.labels[split.test]
        assert row.value == pytest.approx(hits.mean())


def test_the_fit_of_the_picked_setting_scores_as_in_the_grid(tmp_path: Path) -> None:
    found = run_cell(tmp_path, iris())
    scores, fitted = rows(tmp_path, found["select"]), rows(tmp_path, found["fit"])
    looked_up = rows(tmp_path, found["pick"])["test"].tolist()
    assert fitted["value"].tolist() == pytest.approx(looked_up)
    assert fitted["value"].mean() == pytest.approx(scores.groupby(list(AXES))["test"].mean().max())


def test_protocols_share_all_but_what_depends_on_the_pick(tmp_path: Path) -> None:
    run_cell(tmp_path, iris(protocol="paper"))
    assert computed(run_cell(tmp_path, iris(protocol="honest"))) == {"pick", "fit"}


def test_methods_share_all_but_their_own_part_of_the_grid(tmp_path: Path) -> None:
    run_cell(tmp_path, iris("FLGC*"))
    found = computed(run_cell(tmp_path, iris("FLGC")))
    assert {"pick", "fit"} <= found <= {"pick", "propagate", "fit"}


@pytest.mark.parametrize(
    ("module", "recomputed"),
    [
        ("flgc.graph", {"graph"}),
        ("flgc.grid", {"select"}),
        ("flgc.propagation", {"select", "propagate"}),
        ("flgc.datasets.splits", {"splits", "graph", "select", "propagate", "fit"}),
        ("flgc.noise", set()),
        ("flgc.clustering", set()),
        ("tasks.declared.experiments", set()),
    ],
)
def test_changed_code_recomputes_what_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, recomputed: set[str]
) -> None:
    """What comes out the same, as here, ends there: later stages take contents, not keys."""
    run_cell(tmp_path, iris())
    with changed_module(monkeypatch, module):
        assert computed(run_cell(tmp_path, iris())) == recomputed


@pytest.mark.parametrize(
    ("change", "recomputed"),
    [
        (
            {"grid": Grid((0, 2, 4), (0.0, 0.1), (0.02, 2.0))},
            {"select", "pick", "propagate", "fit"},
        ),
        ({"runs": 3}, {"splits", "select", "pick", "fit"}),
        (
            {"preparation": Preparation("min-max", ("min-max",), 5)},
            {"graph", "select", "pick", "propagate", "fit"},
        ),
    ],
)
def test_a_changed_parameter_recomputes_what_depends_on_it(
    tmp_path: Path, change: dict, recomputed: set[str]
) -> None:
    run_cell(tmp_path, iris())
    found = computed(run_cell(tmp_path, iris(experiment=dataclasses.replace(IRIS, **change))))
    assert found <= recomputed
    assert found >= recomputed - {"propagate"}  # the same setting may be picked again


def test_noise_is_counted_and_its_dataset_is_one_of_its_own(tmp_path: Path) -> None:
    cell = Cell(NOISY, Subject("wine", NOISY.noises[0], 0), "FLGC*", "paper")
    found = run_cell(tmp_path, cell)
    about = described(Store(tmp_path).read(found["corrupt"].key))
    wine = load("wine")
    assert about["changed"] == wine.features.size
    table = rows(tmp_path, found["fit"])
    assert set(table["changed"]) == {wine.features.size}
    assert table["metric"].tolist() == ["ACC", "NMI"]
    assert computed(run_cell(tmp_path, cell)) == set()
    other = dataclasses.replace(cell, subject=dataclasses.replace(cell.subject, run=1))
    second = run_cell(tmp_path, other)
    assert "corrupt" in computed(second)
    assert set(rows(tmp_path, second["fit"])["run"]) == {1}


def test_seeds_are_the_same_for_every_method_and_protocol() -> None:
    cells = [iris(method, protocol) for method in METHODS for protocol in ("paper", "honest")]
    assert len({tuple(seeds(cell)) for cell in cells}) == 1
    assert len(set(seeds(cells[0]))) == IRIS.runs


def test_a_further_method_is_one_declaration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "ridge", Method("ridge", hops=(0,), teleports=(0.0,)))
    assert set(rows(tmp_path, run_cell(tmp_path, iris("ridge"))["fit"])["hops"]) == {0}


def test_propagated_features_are_those_of_the_picked_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each in the same store: settings that differ in one number share nothing."""
    X = min_max(load("iris").features)
    for hops, teleport in ((2, 0.0), (2, 0.1), (4, 0.1)):
        monkeypatch.setitem(METHODS, "one", Method("one", hops=(hops,), teleports=(teleport,)))
        found = run_cell(tmp_path, iris("one"))
        P = Store(tmp_path).read_matrix(found["graph"].key).toarray()
        expected = plain.propagate(P, X, hops, teleport)
        np.testing.assert_allclose(Store(tmp_path).read_matrix(found["propagate"].key), expected)


def test_a_method_outside_of_the_grid_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "far", Method("far", hops=(99,)))
    with pytest.raises(ValueError, match="no setting of the grid is one of far's"):
        run_cell(tmp_path, iris("far"))


@pytest.mark.parametrize("name", ["iris", "digits", "KarateClub"])
def test_datasets_survive_the_store(name: str) -> None:
    original = load(name)
    copy = dataset_of(dataset_table(original))
    assert copy.digest == original.digest
    assert (copy.name, copy.title, copy.leaking) == (
        original.name,
        original.title,
        original.leaking,
    )


@pytest.mark.data
def test_honest_does_not_see_what_leaks_the_label(tmp_path: Path) -> None:
    experiment = dataclasses.replace(IRIS, datasets=("glass",))
    cells = {p: Cell(experiment, Subject("glass"), "FLGC*", p) for p in ("paper", "honest")}
    found = {protocol: run_cell(tmp_path, cell) for protocol, cell in cells.items()}
    for stage in ("graph", "select"):
        assert found["paper"][stage].digest != found["honest"][stage].digest
    assert found["paper"]["splits"].key == found["honest"]["splits"].key
