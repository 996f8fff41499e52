"""Methods that are trained, through the stages and without Prefect."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from threadpoolctl import threadpool_info

from flgc.datasets import load
from flgc.device import n_threads
from flgc.methods.trained import GCN, Training, train
from tasks.declared.experiments import (
    CITATION,
    METHODS,
    TIMED_REPEATS,
    Cell,
    Experiment,
    Grid,
    Subject,
)
from tasks.document.results import COLUMNS
from tasks.picking import Method, Rival, Setting
from tasks.rivals import compare_settings
from tasks.select import score_settings, seeds
from tasks.stages.dataset import fetch_dataset
from tasks.stages.draw import draw_figures, read_files
from tasks.stages.fit import read_off
from tasks.stages.graph import build_graph
from tasks.stages.pick import pick_settings
from tasks.stages.splits import draw_splits, read_splits
from tasks.stages.time import time_methods
from tasks.store.store import Artifact, Store
from tasks.timings import _fit_of as fit_of
from tasks.training import Data
from tests.tasks.chain import changed_module, rows

KARATE = Experiment(
    name="karate",
    flow="citation",
    kind="classification",
    title="Karate",
    datasets=("KarateClub",),
    methods=("quick GCN", "FLGC", "FLGC*"),
    grid=Grid((1, 2), (0.0, 0.1), (0.1, 1.0)),
    preparation=CITATION,
    split="public",
    runs=4,
    timed_hops=(1, 2),
    sensitivity=True,
)
QUICK = Rival("GCN", (2,), (0.05,), (5e-4,), (20, 5), hidden=4)


@pytest.fixture(autouse=True)
def _declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "quick GCN", QUICK)


class Chain:
    """The artifacts of one cell."""

    def __init__(
        self, store: Path, protocol: str = "honest", experiment: Experiment = KARATE
    ) -> None:
        self.store = str(store)
        self.cell = Cell(experiment, Subject("KarateClub"), "quick GCN", protocol)
        self.data = fetch_dataset(self.store, "KarateClub")
        self.graph = build_graph(self.store, self.data, "", CITATION, "paper")
        kind = ("KarateClub", experiment.name, experiment.split, experiment.n_splits)
        self.splits = draw_splits(self.store, self.data, *kind)
        given = (self.store, self.cell, self.data, self.graph)
        self.scores = compare_settings(*given, self.splits)
        self.picks = pick_settings(self.store, self.cell, self.scores)
        self.filled = read_off(*given, self.scores, self.picks)

    def timing(self) -> tuple[Artifact, Artifact]:
        shared = dataclasses.replace(self.cell, method="", protocol="paper")
        given = (self.store, shared, self.data, self.graph, self.splits)
        grid = score_settings(*given)
        scores = {"quick GCN": self.scores, "FLGC": grid, "FLGC*": grid}
        return time_methods(*given, scores), grid


def test_every_run_is_what_the_library_trains(tmp_path: Path) -> None:
    chain = Chain(tmp_path)
    table = rows(tmp_path, chain.filled)
    assert list(table) == list(COLUMNS)
    assert table["run"].tolist() == [0, 1, 2, 3]
    assert set(table["criterion"]) == {"declared first"}, "nobody validates on this split"
    assert set(table["epochs"]) == {20}
    data, split = load("KarateClub"), read_splits(Store(tmp_path), chain.splits)[0]
    trained = train(
        GCN(hops=2, hidden=4),
        Store(tmp_path).read_matrix(chain.graph.key),
        data.features,
        data.labels,
        split.train,
        n_classes=data.n_classes,
        seeds=[seed % 2**63 for seed in seeds(chain.cell)],
        training=Training(20, 0.05, 5e-4),
    )
    hits = trained.predictions[0][:, split.test] == data.labels[split.test]
    assert table["value"].tolist() == pytest.approx(hits.mean(axis=1).tolist())


def test_every_run_has_its_own_split(tmp_path: Path) -> None:
    """None is trained or tested on the nodes of another."""
    chain = Chain(tmp_path, experiment=dataclasses.replace(KARATE, split="2-per-class"))
    data, splits = load("KarateClub"), read_splits(Store(tmp_path), chain.splits)
    assert len({tuple(split.train) for split in splits}) == 4
    found = rows(tmp_path, chain.filled)["value"].tolist()
    trained = train(
        GCN(hops=2, hidden=4),
        Store(tmp_path).read_matrix(chain.graph.key),
        data.features,
        data.labels,
        np.stack([split.train for split in splits]),
        n_classes=data.n_classes,
        seeds=[seed % 2**63 for seed in seeds(chain.cell)],
        training=Training(20, 0.05, 5e-4),
    )
    for value, predicted, split in zip(found, trained.predictions[0], splits, strict=True):
        assert value == pytest.approx(np.mean(predicted[split.test] == data.labels[split.test]))
    assert len(set(found)) > 1


def test_methods_are_timed_at_their_honest_settings(tmp_path: Path) -> None:
    """On scores where test nodes would have picked other ones."""
    chain = Chain(tmp_path)
    frame = pd.DataFrame(
        {"regularization": [0.1, 1.0], "loo_squared_error": [0.2, 0.9], "test": [0.1, 0.9]}
    ).assign(run=0, scaling="raw", hops=1, teleport=0.0, validation=float("nan"))
    grid = Store(tmp_path).get_or_compute("select", (), lambda: frame)
    shared = dataclasses.replace(chain.cell, method="", protocol="paper")
    given = (chain.store, shared, chain.data, chain.graph, chain.splits)
    timed = Store(tmp_path).record(time_methods(*given, {"FLGC*": grid}).key)
    assert timed["parameters"]["settings"]["FLGC*"]["regularization"] == 0.1


def test_every_setting_is_trained_in_every_run(tmp_path: Path) -> None:
    scores = rows(tmp_path, Chain(tmp_path).scores)
    assert sorted(scores["run"].unique()) == [0, 1, 2, 3]
    assert len(scores) == 4 * 2 * 2  # runs, scalings, epochs


def test_runs_do_not_depend_on_how_many_there_are(tmp_path: Path) -> None:
    everything = rows(tmp_path, Chain(tmp_path).filled)["value"].tolist()
    for runs in (1, 2):
        few = Chain(tmp_path, experiment=dataclasses.replace(KARATE, runs=runs))
        assert rows(tmp_path, few.filled)["value"].tolist() == everything[:runs]


def test_the_second_time_nothing_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Chain(tmp_path)
    monkeypatch.setattr("tasks.training.train", lambda *_, **__: pytest.fail("trained again"))
    chain = Chain(tmp_path)
    assert chain.scores.cached
    assert chain.filled.cached
    with changed_module(
        monkeypatch, "tasks.declared.experiments"
    ):  # what it declares stands in the keys
        assert Chain(tmp_path).filled.cached
    with (
        changed_module(monkeypatch, "flgc.methods.trained.models"),
        pytest.raises(pytest.fail.Exception),
    ):
        Chain(tmp_path)


def test_no_protocol_trains_what_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Chain(tmp_path)
    monkeypatch.setattr("tasks.training.train", lambda *_, **__: pytest.fail("trained again"))
    assert not Chain(tmp_path, "paper").filled.cached


def test_time_and_sensitivity_are_drawn_from_the_store_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = Chain(tmp_path)
    timed, grid = chain.timing()
    table = rows(tmp_path, timed)
    assert table.groupby("method")["hops"].apply(list).to_dict() == {
        method: [1, 2] for method in KARATE.methods
    }
    assert (table["seconds"] > 0).all()
    assert table["accuracy"].between(0, 1).all()
    monkeypatch.setattr("tasks.timings.timed_fits", lambda *_: pytest.fail("timed again"))
    given = (str(tmp_path), KARATE, [chain.filled], [timed], {"KarateClub": grid})
    files = read_files(Store(tmp_path), draw_figures(*given))
    assert set(files) == {"karate.svg", "karate-time.svg", "karate-sensitivity.svg"}
    assert "FLGC*" in files["karate-time.svg"]
    assert "regularization" in files["karate-sensitivity.svg"]


def test_every_method_is_timed_by_the_same_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[tuple] = []

    def watched(data: Data, method: Method | Rival, seed: int) -> Callable[[Setting], np.ndarray]:
        fit = fit_of(data, method, seed)

        def noted(setting: Setting) -> np.ndarray:
            limits = {
                pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"
            }
            fits.append((method.name, setting.hops, n_threads(), torch.get_num_threads(), limits))
            return fit(setting)

        return noted

    monkeypatch.setattr("tasks.timings._fit_of", watched)
    before = (n_threads(), torch.get_num_threads())
    Chain(tmp_path).timing()
    assert (n_threads(), torch.get_num_threads()) == before
    assert {
        threads for *_, ours, of_torch, blas in fits for threads in (ours, of_torch, *blas)
    } == {1}
    for method in ("GCN", "FLGC", "FLGC*"):
        hops = [fit[1] for fit in fits if fit[0] == method]
        assert hops[0] == hops[1] == 1, f"{method}: the first fit is not timed"
        # One core may be taken away for longer than all repetitions last.
        assert 1 <= hops[1:].count(1) <= TIMED_REPEATS
        assert 1 <= hops[1:].count(2) <= TIMED_REPEATS


def test_accuracy_is_missing_where_nobody_is_asked() -> None:
    from flgc.datasets.splits import Split

    nobody = np.array([], dtype=int)
    split = Split(np.array([0]), nobody, np.array([1, 2]))
    data = Data(None, None, np.array([0, 1, 1]), 2, [split])  # type: ignore[arg-type]
    assert np.isnan(data.accuracy(np.array([0, 0, 0]), 0, "val"))
    assert data.accuracy(np.array([0, 1, 0]), 5, "test") == 0.5


def test_declarations_can_be_trained() -> None:
    """Every declared rival is one that the library knows, with settings that it accepts."""
    from flgc.methods.trained import MODELS

    rivals = [method for name, method in METHODS.items() if isinstance(method, Rival)]
    assert {rival.name for rival in rivals} <= set(MODELS)
    assert pd.Series([max(rival.epochs) for rival in rivals]).min() > 0
