"""Cells of the closed form through the stages, without Prefect."""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flgc import FLGCClassifier
from flgc.datasets import from_graph, load
from flgc.datasets.splits import from_table
from flgc.label_free import CHOSEN, compared
from flgc.methods import registry
from flgc.methods.flgc import FLGC
from flgc.methods.registry import Contender
from flgc.scaling import min_max
from tasks.declared.paper import SMALL_SETS, closed_form, prepared
from tasks.declared.types import Cell, Experiment, Noise, Subject
from tasks.report.rows import COLUMNS
from tasks.running.steps import chain_of
from tasks.store import Store, layouts
from tasks.store.layouts import dataset_of, dataset_table
from tasks.store.upkeep import artifact_keys
from tests import plain
from tests.tasks.chain import IRIS, computed, dag_of_cell, iris, rows, run_cell, run_steps
from tests.tasks.edits import edited
from tests.tasks.store.kit import prune

ALL = {"dataset", "splits", "graph", "score", "pick", "propagate", "fit"}
AXES = [f"p_{name}" for name in FLGC.axes]
NOISY = Experiment(
    name="noisy",
    flow="robustness",
    task="clustering",
    title="Wine under noise",
    datasets=("wine",),
    methods=("FLGC*",),
    grids=closed_form((2,), (0.1,), (10.0,)),
    preparations=(prepared("standardised", "standardised", 10),),
    noises=(Noise("gaussian", 0.1, scaling="standardised", clip=False),),
)


def declare(monkeypatch: pytest.MonkeyPatch, name: str, **part: tuple) -> None:
    """One row more: FLGC* on a part of its settings."""
    row = Contender(name, FLGC(), part=part)
    monkeypatch.setitem(registry.BUILT_IN, (name, "classification"), row)


def test_the_second_time_nothing_is_computed(tmp_path: Path) -> None:
    first, second = run_cell(tmp_path, iris()), run_cell(tmp_path, iris())
    assert computed(first) == ALL
    assert computed(second) == set()
    assert {s: a.key for s, a in first.items()} == {s: a.key for s, a in second.items()}


@pytest.mark.parametrize("protocol", ["paper", "honest"])
def test_rows_have_the_one_schema_and_the_library_agrees(tmp_path: Path, protocol: str) -> None:
    """What `honest` looks up in the grid is what a fit would give."""
    artifacts = run_cell(tmp_path, iris(protocol=protocol))
    table = rows(tmp_path, artifacts["fit"])
    assert [name for name in table if not name.startswith("p_")] == list(COLUMNS)
    assert set(table) - set(COLUMNS) == {*AXES, "p_graph"}
    assert table["run"].tolist() == [0, 1]
    data = load("iris")
    splits = from_table(Store(tmp_path).read(artifacts["splits"].key))
    for row, split in zip(table.itertuples(), splits, strict=True):
        y = np.full(data.n_nodes, -1)
        y[split.train] = data.labels[split.train]
        model = FLGCClassifier(
            hops=row.p_hops, teleport=row.p_teleport, regularization=row.p_regularization
        ).fit(min_max(data.features), y)
        hits = model.transduction_[split.test] == data.labels[split.test]
        assert row.value == pytest.approx(hits.mean())


def test_the_fit_of_the_picked_setting_scores_as_in_the_grid(tmp_path: Path) -> None:
    artifacts = run_cell(tmp_path, iris())
    scores, fitted = rows(tmp_path, artifacts["score"]), rows(tmp_path, artifacts["fit"])
    looked_up = rows(tmp_path, artifacts["pick"])["test"].tolist()
    assert fitted["value"].tolist() == pytest.approx(looked_up)
    assert fitted["value"].mean() == pytest.approx(scores.groupby(AXES)["test"].mean().max())


def test_protocols_share_all_but_what_depends_on_the_pick(tmp_path: Path) -> None:
    run_cell(tmp_path, iris(protocol="paper"))
    assert computed(run_cell(tmp_path, iris(protocol="honest"))) == {"pick", "fit"}


def test_methods_share_all_but_their_own_part_of_the_grid(tmp_path: Path) -> None:
    run_cell(tmp_path, iris("FLGC*"))
    stages = computed(run_cell(tmp_path, iris("FLGC")))
    assert {"pick", "fit"} <= stages <= {"pick", "propagate", "fit"}


@pytest.mark.parametrize(
    ("path", "old", "new", "recomputed"),
    [
        ("flgc/graph.py", "// (5 * n_classes)", "// n_classes // 5", {"graph"}),
        ("flgc/grid.py", "def _solver_of_some(", "def _solver_of_some(*, ", {"score", "fit"}),
        ("flgc/propagation.py", "def hop(P", "def hop(*, P", {"score", "propagate", "fit"}),
        ("flgc/datasets/splits.py", "> 1:\n", "> 2:\n", {"splits"}),
        ("flgc/methods/picking.py", "rule = _average", "rule: object = _average", {"pick"}),
        ("flgc/noise.py", "def gaussian(", "def gaussian(*, ", set()),
        ("tasks/declared/paper.py", 'AVERAGED = "', 'AVERAGED = "x', set()),
        ("flows/dag.py", "class Dag:", "class Dag(object):", set()),
    ],
)
def test_changed_code_recomputes_what_runs_it(
    tmp_path: Path, path: str, old: str, new: str, recomputed: set[str]
) -> None:
    """What comes out the same, as here, ends there: later stages take contents, not keys.

    A method counts as a whole: cells know what scores it, since an average is computed by that.
    """
    run_cell(tmp_path, iris())
    with edited(path, old, new):
        assert computed(run_cell(tmp_path, iris())) == recomputed


def test_an_average_goes_over_several_graphs(tmp_path: Path) -> None:
    """No features are kept for them, since those belong to one graph."""
    clustered = dataclasses.replace(
        NOISY,
        noises=(),
        datasets=("iris",),
        methods=("FLGC* averaged",),
        grids=closed_form((2, 4), (0.1,), (10.0,)),
        preparations=SMALL_SETS[:2],
    )
    artifacts = run_cell(tmp_path, iris("FLGC* averaged", "honest", clustered))
    weighed = rows(tmp_path, artifacts["pick"])
    assert set(weighed["p_graph"]) == {"standardised", "unit-length"}
    [accuracy, _] = rows(tmp_path, artifacts["fit"])["value"]
    assert accuracy > 0.7


@pytest.mark.parametrize(
    ("change", "recomputed"),
    [
        (
            {"grids": closed_form((0, 2, 4), (0.0, 0.1), (0.02, 2.0))},
            {"score", "pick", "propagate", "fit"},
        ),
        ({"runs": 3}, {"splits", "score", "pick", "fit"}),
        (
            {"preparations": (prepared("min-max", "min-max", 5),)},
            {"graph", "score", "pick", "propagate", "fit"},
        ),
    ],
)
def test_a_changed_parameter_recomputes_what_depends_on_it(
    tmp_path: Path, change: dict, recomputed: set[str]
) -> None:
    run_cell(tmp_path, iris())
    stages = computed(run_cell(tmp_path, iris(experiment=dataclasses.replace(IRIS, **change))))
    assert stages <= recomputed
    assert stages >= recomputed - {"propagate"}  # the same setting may be picked again


def test_noise_is_counted_and_its_dataset_is_one_of_its_own(tmp_path: Path) -> None:
    cell = Cell(NOISY, Subject("wine", NOISY.noises[0], 0), "FLGC*", "paper")
    artifacts = run_cell(tmp_path, cell)
    wine = load("wine")
    noisy = layouts.load(Store(tmp_path), artifacts["corrupt"])
    assert noisy.provenance["changed"] == wine.features.size
    table = rows(tmp_path, artifacts["fit"])
    assert set(table["changed"]) == {wine.features.size}
    assert set(table["changed_share"]) == {1.0}
    assert table["metric"].tolist() == ["ACC", "NMI"]
    assert computed(run_cell(tmp_path, cell)) == set()
    other = dataclasses.replace(cell, subject=dataclasses.replace(cell.subject, run=1))
    second = run_cell(tmp_path, other)
    assert "corrupt" in computed(second)
    assert set(rows(tmp_path, second["fit"])["run"]) == {1}


def test_a_cell_names_its_noise() -> None:
    cell = Cell(NOISY, Subject("wine", Noise("gaussian", 0.1, "shared"), 2), "FLGC*", "paper")
    row = {name: cell.row[name] for name in ("noise", "intensity", "noise_pattern", "first_run")}
    assert list(row.values()) == ["gaussian", 0.1, "shared", 2]
    assert cell.title == "wine gaussian 0.1 shared run 2 FLGC* paper"
    assert iris().row["noise_pattern"] == ""


def test_a_shared_pattern_reaches_the_data_of_both_protocols(tmp_path: Path) -> None:
    X = load("digits").features
    for noise in (Noise("gaussian", 0.1, "shared"), Noise("salt_pepper", 0.1, "shared")):
        cells = [Cell(NOISY, Subject("digits", noise), "FLGC*", p) for p in ("paper", "honest")]
        data = [dag_of_cell(cell).cells[-1].data for cell in cells]
        noisy, honest = (
            layouts.load(Store(tmp_path), run_steps(tmp_path, chain_of(each))[each]).features
            for each in data
        )
        np.testing.assert_array_equal(noisy, honest)
        assert noisy.min() >= 0
        assert noisy.max() <= 1
        alike = (X[0] == X[1]).nonzero()
        np.testing.assert_array_equal(noisy[0][alike], noisy[1][alike])


def test_honest_clustering_picks_among_all_preparations_together(tmp_path: Path) -> None:
    two = (*NOISY.preparations, prepared("unit-length", "unit-length", 10))
    grids = closed_form((2,), (0.0, 0.1), (10.0,))
    experiment = dataclasses.replace(NOISY, noises=(), preparations=two, grids=grids)
    honest = Cell(experiment, Subject("wine"), "FLGC*", "honest")
    [picked] = rows(tmp_path, run_cell(tmp_path, honest)["pick"]).to_dict("records")
    tables = []
    for preparation in two:
        alone = dataclasses.replace(experiment, preparations=(preparation,))
        cell = dataclasses.replace(honest, experiment=alone)
        scores = rows(tmp_path, run_cell(tmp_path, cell)["score"])
        tables.append(scores.assign(p_graph=preparation.title))
    every = pd.concat(tables, ignore_index=True)
    first = compared(every)[CHOSEN].idxmax()
    tried = len(every)
    assert (picked["criterion"], picked["tried"]) == (CHOSEN, tried)
    assert picked["p_graph"] == every["p_graph"][first]
    best = dataclasses.replace(honest, protocol="paper")
    [paper] = rows(tmp_path, run_cell(tmp_path, best)["pick"]).to_dict("records")
    assert (paper["criterion"], paper["tried"]) == ("ACC", tried)


@pytest.mark.parametrize("method", ["FLGC*", "FLGC* averaged"])
def test_what_a_kept_cell_was_made_from_is_kept_with_it(tmp_path: Path, method: str) -> None:
    """Its grid of scores above all, although it is read from the pick."""
    kept = run_cell(tmp_path, iris(method, "honest"))
    other = run_cell(tmp_path, iris(experiment=dataclasses.replace(IRIS, name="other")))
    prune(Store(tmp_path), keep_reachable_from=[kept["fit"].key], delete=True)
    left = set(artifact_keys(Store(tmp_path)))
    assert left == {artifact.key for artifact in kept.values()}
    assert other["score"].key not in left


def test_seeds_are_the_same_for_every_method_and_protocol() -> None:
    cells = [iris(method, protocol) for method in IRIS.methods for protocol in ("paper", "honest")]
    seeds = {tuple(c.subject.seeds(c.experiment)) for c in cells}
    assert len(seeds) == 1
    assert len(set(seeds.pop())) == IRIS.runs
    noisy = [Subject("wine", Noise("gaussian", share), 1) for share in (0.1, 0.2)]
    assert noisy[0].seeds(NOISY) == noisy[1].seeds(NOISY) != Subject("wine").seeds(NOISY)


def test_propagated_features_are_those_of_the_picked_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each in the same store: settings that differ in one number share nothing."""
    X = min_max(load("iris").features)
    for hops, teleport in ((2, 0.0), (2, 0.1), (4, 0.1)):
        declare(monkeypatch, "one", hops=(hops,), teleport=(teleport,))
        artifacts = run_cell(tmp_path, iris("one"))
        P = layouts.load(Store(tmp_path), artifacts["graph"]).toarray()
        expected = plain.propagate(P, X, hops, teleport)
        H = layouts.load(Store(tmp_path), artifacts["propagate"])
        np.testing.assert_allclose(H, expected)


def test_a_part_outside_of_the_grid_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(monkeypatch, "far", hops=(99,))
    with pytest.raises(ValueError, match=r"no setting of the grid has one of .*hops.*99"):
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
    by_protocol = {protocol: run_cell(tmp_path, cell) for protocol, cell in cells.items()}
    for stage in ("graph", "score"):
        assert by_protocol["paper"][stage].digest != by_protocol["honest"][stage].digest
    assert by_protocol["paper"]["splits"].key == by_protocol["honest"]["splits"].key


def test_weights_of_edges_come_back_from_the_store() -> None:
    nodes = pd.DataFrame({"x": [1, 2, 3], "y": [0, 1, 0]})
    original = from_graph(nodes, pd.DataFrame({"s": [0, 1], "t": [1, 2], "weight": [0.5, 3]}))
    copy = dataset_of(dataset_table(original))
    assert copy.edge_weight.tolist() == [0.5, 0.5, 3, 3]
    assert copy.digest == original.digest


def test_masks_in_another_order_are_the_same_dataset() -> None:
    data = load("KarateClub")
    train = np.arange(data.n_nodes) < 4
    masks = {"train": train, "val": ~train, "test": ~train}
    tables = [
        dataset_table(dataclasses.replace(data, masks={name: masks[name] for name in order}))
        for order in (masks, sorted(masks))
    ]
    assert tables[0].equals(tables[1], check_metadata=True)
