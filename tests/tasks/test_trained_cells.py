"""Methods that are trained, through the stages and without Prefect."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from threadpoolctl import threadpool_info

from flgc.datasets import load
from flgc.datasets.splits import Split, from_table
from flgc.device import n_threads
from flgc.methods.base import Grid, Method, Outputs, Problem, Setting
from flgc.methods.flgc import FLGC
from flgc.methods.judging import classification
from flgc.methods.registry import BUILT_IN, Contender, contender
from flgc.methods.timing import REPEATS
from flgc.methods.trained import GCN, GCNMethod, Training, train
from tasks.analyses.charts import svg_of
from tasks.analyses.registry import analyses_of
from tasks.analyses.sensitivity import Sensitivity
from tasks.analyses.timing import TimedHops
from tasks.declared.described import described
from tasks.declared.paper import GRAPH, closed_form
from tasks.declared.suites import SUITES
from tasks.declared.types import Cell, Experiment, Subject
from tasks.report.evidence import Declaration, Evidence
from tasks.report.rows import COLUMNS
from tasks.stages.products import time
from tasks.store import Artifact, Store, layouts
from tests.tasks.chain import rows, run_cell
from tests.tasks.edits import edited

QUICK = GCNMethod()
QUICK_GRID = {
    "hidden": (4,),
    "learning_rate": (0.05,),
    "epochs": (20, 5),
}
KARATE = Experiment(
    name="karate",
    flow="citation",
    task="classification",
    title="Karate",
    datasets=("KarateClub",),
    methods=("GCN", "FLGC", "FLGC*"),
    grids={**closed_form((1, 2), (0.0, 0.1), (0.1, 1.0)), "GCN": QUICK_GRID},
    preparations=(GRAPH,),
    split="public",
    runs=4,
)


def karate(method: str = "GCN", protocol: str = "honest", experiment: Experiment = KARATE) -> Cell:
    return Cell(experiment, Subject("KarateClub"), method, protocol)


def seeds(experiment: Experiment = KARATE) -> list[int]:
    return Subject("KarateClub").seeds(experiment)


def trained(store: Path, found: dict[str, Artifact], picked: pd.Series, runs: int) -> list:
    """The predictions at all nodes that the library trains, run by run."""
    data, splits = load("KarateClub"), from_table(Store(store).read(found["splits"].key))
    everywhere = np.arange(data.n_nodes)
    asked = [Split(s.train, everywhere[:0], everywhere) for s in splits]
    P = layouts.load(Store(store), found["graph"])
    given = (data.features, data.labels, data.n_classes, P, asked, seeds()[:runs])
    problem, _ = classification(*given, QUICK)
    scores = train(
        GCN(hops=2, hidden=4),
        problem,
        Training(int(picked["p_epochs"]), 0.05, 5e-4),
        scaling=picked["p_scaling"],
    ).scores[0]
    return [of_run.argmax(axis=1) for of_run in scores]


def test_every_run_is_what_the_library_trains(tmp_path: Path) -> None:
    found = run_cell(tmp_path, karate())
    table = rows(tmp_path, found["fit"])
    assert [name for name in table if not name.startswith("p_")] == list(COLUMNS)
    assert table["run"].tolist() == [0, 1, 2, 3]
    assert table["seed"].tolist() == [str(seed) for seed in seeds()]
    # Nobody validates on this split, and a class has one labelled node, which no fold leaves out.
    assert set(table["criterion"]) == {"declared first"}
    assert set(table["p_epochs"]) == {20}
    assert set(table["tried"]) == {4}, "two scalings, two numbers of epochs"
    data, [split] = load("KarateClub"), from_table(Store(tmp_path).read(found["splits"].key))
    for run, row in table.iterrows():
        predicted = trained(tmp_path, found, row, 4)[int(str(run))]
        assert row["value"] == pytest.approx(np.mean((predicted == data.labels)[split.test]))


def test_every_run_has_its_own_split(tmp_path: Path) -> None:
    """None is trained or tested on the nodes of another."""
    cell = karate("GCN", "paper", replace(KARATE, split="2-per-class"))
    found = run_cell(tmp_path, cell)
    data, splits = load("KarateClub"), from_table(Store(tmp_path).read(found["splits"].key))
    assert len({tuple(split.train) for split in splits}) == 4
    table = rows(tmp_path, found["fit"])
    predicted = trained(tmp_path, found, table.iloc[0], 4)
    for value, of_run, split in zip(table["value"], predicted, splits, strict=True):
        assert value == pytest.approx(np.mean((of_run == data.labels)[split.test]))
    assert table["value"].nunique() > 1


def test_where_nobody_validates_honest_picks_by_folds(tmp_path: Path) -> None:
    cell = karate(experiment=replace(KARATE, split="3-per-class"))
    found = run_cell(tmp_path, cell)
    scores, picks = rows(tmp_path, found["score"]), rows(tmp_path, found["pick"])
    assert set(picks["criterion"]) == {"hits"}
    for run, of_run in scores.groupby("run"):
        hits = of_run.merge(picks[picks["run"] == run], on=["p_scaling", "p_epochs"])["hits"]
        assert hits.tolist() == [of_run["hits"].max()]


def test_every_setting_is_trained_in_every_run(tmp_path: Path) -> None:
    scores = rows(tmp_path, run_cell(tmp_path, karate())["score"])
    assert sorted(scores["run"].unique()) == [0, 1, 2, 3]
    assert len(scores) == 4 * 2 * 2  # runs, scalings, epochs


def test_runs_do_not_depend_on_how_many_there_are(tmp_path: Path) -> None:
    everything = rows(tmp_path, run_cell(tmp_path, karate())["fit"])["value"].tolist()
    for runs in (1, 2):
        few = karate(experiment=replace(KARATE, runs=runs))
        assert rows(tmp_path, run_cell(tmp_path, few)["fit"])["value"].tolist() == everything[:runs]


@pytest.fixture
def no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def train(*_: Any, **__: Any) -> None:
        pytest.fail("trained again")

    monkeypatch.setattr("flgc.methods.trained.method.train", train)


@pytest.fixture
def in_store(tmp_path: Path) -> Path:
    """A store that has the honest cell of a GCN."""
    run_cell(tmp_path, karate())
    return tmp_path


@pytest.mark.usefixtures("in_store", "no_training")
def test_the_second_time_nothing_is_trained(tmp_path: Path) -> None:
    found = run_cell(tmp_path, karate())
    assert found["score"].cached
    assert found["fit"].cached
    # What is declared stands in the keys.
    with edited("tasks/declared/paper.py", "GRAPH = Prep", "GRAPH: object = Prep"):
        assert run_cell(tmp_path, karate())["fit"].cached
    with (
        edited("flgc/methods/trained/gcn.py", "H = average(H.relu_() @ W)", "H = average(H @ W)"),
        pytest.raises(pytest.fail.Exception, match="trained again"),
    ):
        run_cell(tmp_path, karate())


@pytest.mark.usefixtures("in_store", "no_training")
def test_no_protocol_trains_what_is_trained(tmp_path: Path) -> None:
    assert not run_cell(tmp_path, karate(protocol="paper"))["fit"].cached


def test_what_sgc_propagates_is_the_artifact_of_flgc_s_same_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = {"scaling": ("raw",), "hops": (2,), "teleport": (0.0,)}
    monkeypatch.setitem(BUILT_IN, ("two", "classification"), Contender("two", FLGC(), part=part))
    first = run_cell(tmp_path, karate("two", "paper"))["propagate"]
    grids = {"SGC": {"scaling": ("raw",), "epochs": (3,), "weight_decay": (5e-4,)}}
    run_cell(tmp_path, karate("SGC", "paper", replace(KARATE, grids=grids)))
    features = {path.stem for path in (tmp_path / "propagate").glob("*.parquet")}
    assert features == {first.key}
    # Both ways: SGC put it there if nobody had.
    alone = tmp_path / "alone"
    run_cell(alone, karate("SGC", "paper", replace(KARATE, grids=grids)))
    assert {path.stem for path in (alone / "propagate").glob("*.parquet")} == {first.key}


NOT_TIMED = ("p_graph", "p_hops")


def timing(store: Path, protocol: str = "honest") -> tuple[Artifact, dict[str, dict]]:
    """Times at the settings of a protocol, and the cells of each method."""
    found = {method: run_cell(store, karate(method, protocol)) for method in KARATE.methods}
    first = found["GCN"]
    timed = time(
        str(store),
        data=first["dataset"],
        graph=first["graph"],
        splits=first["splits"],
        picks={method: cell["pick"] for method, cell in found.items()},
        methods={method: f"classification:{method}" for method in found},
        hops=(1, 2),
        seeds=seeds(),
    )
    return timed, found


def test_methods_are_timed_at_the_setting_of_most_of_their_runs(tmp_path: Path) -> None:
    """Whatever the scores of others say; only the hops vary."""
    timed, found = timing(tmp_path)
    for method, cell in found.items():
        picks = rows(tmp_path, cell["pick"])
        axes = [name for name in picks if name.startswith("p_") and name not in NOT_TIMED]
        usual = picks.groupby(axes, sort=False).size().idxmax()
        times = rows(tmp_path, timed)
        times = times[times["method"] == method]
        assert len(times) == 2
        assert [tuple(row) for row in times[axes].to_numpy().tolist()] == [usual] * 2


def test_time_and_sensitivity_are_drawn_from_the_store_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed, found = timing(tmp_path)
    table = rows(tmp_path, timed)
    assert table.groupby("method")["hops"].apply(list).to_dict() == {
        method: [1, 2] for method in KARATE.methods
    }
    assert (table["training_time"] > 0).all()
    assert table["accuracy"].between(0, 1).all()
    monkeypatch.setattr(Method, "outputs", None)
    monkeypatch.setattr(FLGC, "outputs", None)
    picks = {method: rows(tmp_path, found[method]["pick"]) for method in ("FLGC", "FLGC*")}
    scores = rows(tmp_path, found["FLGC*"]["score"])
    of_axis = {"scores": {"KarateClub": scores}, "regularization": {"KarateClub": picks}}
    analyses = analyses_of(replace(KARATE, analyses=(TimedHops((1, 2)), Sensitivity())))
    known = Evidence(
        Declaration(described(KARATE), analyses, ("honest",)),
        [rows(tmp_path, cell["fit"]) for cell in found.values()],
        {"time": {"KarateClub": table}, "sensitivity": of_axis},
    )
    for name, text in (("cells", "honest"), ("time", "FLGC*"), ("sensitivity", "regularization")):
        [chart] = analyses[name].charts(known, known.rows(name)).values()
        assert text in svg_of(chart)


def test_every_method_is_timed_by_the_same_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[tuple] = []

    def watch(kind: type[Method]) -> None:
        outputs = kind.outputs

        def noted(self: Method, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
            pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
            limits = {pool["num_threads"] for pool in pools}
            of_torch = torch.get_num_threads()
            fits.append((self.name, grid["hops"], n_threads(), of_torch, limits, problem))
            return outputs(self, problem, grid)

        monkeypatch.setattr(kind, "outputs", noted)

    before = (n_threads(), torch.get_num_threads())
    for method in KARATE.methods:
        run_cell(tmp_path, karate(method))
    for kind in (GCNMethod, FLGC):
        watch(kind)
    timing(tmp_path)
    assert (n_threads(), torch.get_num_threads()) == before
    assert {
        threads for *_, ours, of_torch, blas, _ in fits for threads in (ours, of_torch, *blas)
    } == {1}
    assert {problem.X.dtype for *_, problem in fits} == {np.dtype("float32")}
    assert {problem.n_runs for *_, problem in fits} == {1}
    first = [name for name, *_ in fits[: len(KARATE.methods)]]
    assert first == ["GCN", "FLGC*", "FLGC*"], "the first fit of each is not timed"
    of_gcn = [hops for name, (hops,), *_ in fits[3:] if name == "GCN"]
    # One core may be taken away for longer than all repetitions last.
    assert 1 <= of_gcn.count(1) <= REPEATS
    assert 1 <= of_gcn.count(2) <= REPEATS
    of_flgc = [hops for name, (hops,), *_ in fits[3:] if name == "FLGC*"]
    assert 2 <= of_flgc.count(1) <= 2 * REPEATS
    assert 2 <= of_flgc.count(2) <= 2 * REPEATS


def test_accuracy_is_missing_where_nobody_is_asked() -> None:
    nobody = np.array([], dtype=int)
    split = Split(np.array([0]), nobody, np.array([1, 2]))
    given = (np.ones((3, 1)), np.array([0, 1, 1]), 2, None, [split], [0])
    _, judge = classification(*given, FLGC())  # type: ignore[arg-type]
    found = judge([0], [np.array([1, 0])])
    assert np.isnan(found["validation"]).all()
    assert found["test"].tolist() == [0.5]


def test_declarations_can_be_trained() -> None:
    """Every declared method is one that can be had, with settings that it accepts."""
    for experiment in (each for suite in SUITES.values() for each in suite):
        for name in experiment.methods:
            row = contender(name, experiment.task)
            grid = row.whole({**experiment.preparations[0].axes, **experiment.grids.get(name, {})})
            assert all(len(values) for values in grid.values())
            if hasattr(row.method, "training_of"):
                for epochs in grid["epochs"]:
                    setting = {axis: values[0] for axis, values in grid.items()}
                    row.method.model_of(setting)
                    assert row.method.training_of({**setting, "epochs": epochs}).epochs > 0
        known = {contender(name, experiment.task).method.name for name in experiment.methods}
        assert set(experiment.grids) <= known, "a grid for nobody"
