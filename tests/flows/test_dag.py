"""What is submitted for an experiment: which steps, made from what, shared by whom."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("prefect")

from flows.curves import submit_curves
from prefect.states import Completed, Failed

from flows.dag import (
    Chain,
    Shared,
    begun,
    broken_steps,
    cells,
    costs_of,
    curves_of,
    samples,
    submit_cells,
    time_hops,
)
from flows.plan import Plan
from tasks.analyses.affinity import Affinities
from tasks.analyses.along import Along
from tasks.analyses.labels import LabelCounts
from tasks.analyses.neighbours import Neighbours
from tasks.analyses.samples import Samples
from tasks.analyses.timing import TimedHops
from tasks.declared.paper import prepared
from tasks.declared.types import Cell, Experiment, Subject
from tasks.running.stage import Stage
from tasks.store import Artifact
from tests.tasks.chain import IRIS, iris

BOTH = ("paper", "honest")
GLASS = dataclasses.replace(IRIS, datasets=("glass",))


@dataclass(eq=False)
class Step:
    """What was submitted; ends well unless there is an error."""

    stage: str
    about: str
    given: dict[str, Any]
    error: Exception | None = None

    @property
    def state(self) -> Any:
        return Failed(data=self.error) if self.error else Completed()

    def wait(self) -> None:
        return

    def result(self) -> Artifact:
        return Artifact(f"{self.stage} {self.about}", "", self.stage, 1, 1.5, cached=False)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Grows with what is submitted."""
    found: list[Step] = []

    def submit(stage: Stage, store: str, about: str, *, wait_for: Any = (), **given: Any) -> Step:
        found.append(Step(stage.name, about, given))
        return found[-1]

    monkeypatch.setattr(Stage, "submit", submit)
    return found


def submitted(experiment: Experiment) -> tuple[Shared, list[Chain]]:
    shared = Shared(Plan("", (experiment,), BOTH, "cpu", "nowhere"))
    raw: Any = {name: Step("dataset", name, {}) for name in experiment.datasets}
    return shared, submit_cells(shared, experiment, raw)


def of(steps: list[Step], stage: str) -> list[Step]:
    return [step for step in steps if step.stage == stage]


def test_what_cells_share_is_submitted_once(steps: list[Step]) -> None:
    _, chains = submitted(IRIS)
    counts = {stage: len(of(steps, stage)) for stage in ("splits", "graph", "score", "pick", "fit")}
    # FLGC and FLGC* share their scores in both protocols; the average has a constant.
    assert counts == {"splits": 1, "graph": 1, "score": 2, "pick": 5, "fit": 5}
    assert len(chains) == 5
    assert len(set(of(steps, "splits")[0].given["seeds"])) == IRIS.runs
    assert {step.about for step in of(steps, "fit")} == {chain.cell.title for chain in chains}


def test_a_row_is_picked_from_its_part_by_its_rule(steps: list[Step]) -> None:
    submitted(IRIS)
    found = {step.about: (step.given["part"], step.given["combine"]) for step in of(steps, "pick")}
    assert found["iris FLGC honest"] == ({"teleport": (0.0,)}, "best")
    assert found["iris FLGC* honest"] == ({}, "best")
    assert found["iris FLGC* averaged honest"] == ({}, "average")


def test_an_average_has_no_cell_in_paper() -> None:
    found = [(cell.method, cell.protocol) for cell in cells(IRIS, BOTH)]
    assert found == [("FLGC", "paper"), ("FLGC*", "paper"), *((m, "honest") for m in IRIS.methods)]


def test_honest_never_sees_what_leaks_the_label(steps: list[Step]) -> None:
    _, chains = submitted(GLASS)
    assert {(c.cell.protocol, c.without) for c in chains} == {("paper", ()), ("honest", ("Id",))}
    assert len(of(steps, "splits")) == 1, "rows are the same"
    for chain in chains:
        made_from = [*chain.graphs, *chain.scores, chain.result]
        assert {step.given["without"] for step in made_from} == {chain.without}
    assert len(of(steps, "graph")) == 2
    assert len(of(steps, "score")) == 3


def test_a_preparation_that_was_tuned_for_a_dataset_is_of_paper_alone(steps: list[Step]) -> None:
    tuned, all_have = prepared("min-max", "unit-length", 3), prepared("min-max", "min-max", 7)
    experiment = dataclasses.replace(IRIS, preparations=(all_have,), tuned={"iris": (tuned,)})
    _, chains = submitted(experiment)
    for chain in chains:
        wanted = (all_have, tuned) if chain.cell.protocol == "paper" else (all_have,)
        assert chain.preparations == wanted
        assert [s.given["n_neighbors"] for s in chain.graphs] == [w.n_neighbors for w in wanted]
        assert [s.given["graph"] for s in chain.graphs] == [w.graph for w in wanted]
    assert len(of(steps, "graph")) == 2, "the protocols share what both have"


def test_a_method_that_sees_no_graph_is_scored_once_for_all_of_them() -> None:
    several = (
        prepared("min-max", "min-max", 7),
        prepared("raw", "min-max", 7),
        prepared("raw", "raw", 7),
    )
    experiment = dataclasses.replace(IRIS, preparations=several)
    for method, wanted in (("FLGC*", several), ("sklearn.svm:SVC", (several[0], several[2]))):
        cell = Cell(experiment, Subject("iris"), method, "honest")
        assert begun(cell, None).preparations == wanted  # type: ignore[arg-type]


def test_methods_are_timed_at_what_they_picked_in_honest(steps: list[Step]) -> None:
    experiment = dataclasses.replace(IRIS, analyses=(TimedHops((1, 2)),))
    shared, chains = submitted(experiment)
    before = len(steps)
    timed, failed = time_hops(shared, experiment, chains)
    assert (list(timed), failed) == (["iris"], [])
    [step] = of(steps, "time")
    assert len(steps) == before + 1, "all picks were there"
    assert {name: pick.given["protocol"] for name, pick in step.given["picks"].items()} == {
        "FLGC": "honest",
        "FLGC*": "honest",
    }
    assert step.given["hops"] == (1, 2)


HERE = {"datasets": ("iris", "wine")}
CURVES = dataclasses.replace(
    IRIS,
    methods=(*IRIS.methods, "sklearn.svm:SVC"),
    analyses=(
        LabelCounts((1, 3), **HERE, runs=2),
        Along("hops", (1, 3), **HERE, runs=1, figure="depths"),
        Neighbours((0, 4), **HERE, runs=3, method="FLGC*", setting={"hops": 5}),
    ),
)


def test_every_method_with_a_cell_in_paper_has_its_curves(steps: list[Step]) -> None:
    shared, chains = submitted(CURVES)
    before = len(steps)
    found = [curve.title for curve in submit_curves(shared, CURVES, chains)]
    assert found == [step.about for step in of(steps, "vary")]
    assert found == [
        *(f"iris {method} for labels" for method in ("FLGC", "FLGC*", "sklearn.svm:SVC")),
        "iris FLGC for depths",  # an SVM has no hops
        "iris FLGC* for depths",
        "iris FLGC* for neighbours",
    ]
    more = [f"{step.stage} {step.about}" for step in steps[before:] if step.stage != "vary"]
    # One artifact has the splits of all numbers of labels.
    assert more == [
        "splits iris for labels",
        "splits iris for depths",
        "splits iris for neighbours",
        "graph iris with 0 neighbours",
        "graph iris with 4 neighbours",
    ]
    honest = [chain for chain in chains if chain.cell.protocol == "honest"]
    assert submit_curves(shared, CURVES, honest) == []
    cell = dataclasses.replace(chains[0].cell, subject=Subject("glass"))
    elsewhere = [dataclasses.replace(chains[0], cell=cell)]
    assert submit_curves(shared, CURVES, elsewhere) == []


def test_curves_are_made_from_the_picks_of_paper_and_the_seeds_of_the_table(
    steps: list[Step],
) -> None:
    shared, chains = submitted(CURVES)
    submit_curves(shared, CURVES, chains)
    given = {step.about: step.given for step in of(steps, "vary")}
    labels, depths, neighbours = (
        given[f"iris FLGC* for {figure}"] for figure in ("labels", "depths", "neighbours")
    )
    for curve in (labels, depths):
        assert curve["picks"].about == "iris FLGC* paper"
        assert {title: step.about for title, step in curve["graphs"].items()} == {"min-max": "iris"}
    assert (labels["along"], labels["values"]) == ("splits", (1, 3))
    assert (depths["along"], depths["values"]) == ("hops", (1, 3))
    assert (neighbours["along"], neighbours["values"]) == ("graphs", (0, 4))
    assert [step.given["n_neighbors"] for step in neighbours["graphs"]] == [0, 4]
    assert (neighbours["setting"], "picks" in neighbours) == ({"hops": 5}, False)
    table = Subject("iris").seeds(CURVES)
    assert (labels["seeds"], depths["seeds"]) == (table, table[:1])
    assert neighbours["seeds"][:2] == table
    assert len(set(neighbours["seeds"])) == 3
    for curve in (labels, depths, neighbours):
        assert curve["splits"].given["seeds"] == curve["seeds"]
    assert labels["splits"].given["split"] == ["1-per-class", "3-per-class"]
    assert depths["splits"].given["split"] == neighbours["splits"].given["split"] == "10%"


IMAGES = Experiment(
    name="images",
    flow="clustering",
    task="clustering",
    title="Digits and a table",
    datasets=("digits", "iris"),
    methods=("FLGC", "FLGC*", "sklearn.cluster:KMeans"),
    preparations=(prepared("raw", "raw", 5),),
    analyses=(
        Along("hops", (1, 3), datasets=("digits", "iris"), runs=2),
        Along("teleport", (0.0, 1.0), datasets=("iris",), runs=1, methods=("FLGC*",)),
        Affinities(("iris", "elsewhere")),
        Samples(("digits", "elsewhere"), rows=2, columns=3),
    ),
)


def test_figures_of_clusterings_have_their_steps(steps: list[Step]) -> None:
    shared, chains = submitted(IMAGES)
    before = len(steps)
    found = submit_curves(shared, IMAGES, chains)
    assert [f"{step.stage} {step.about}" for step in steps[before:]] == [
        *(f"vary {name} {m} for hops" for name in ("digits", "iris") for m in ("FLGC", "FLGC*")),
        "vary iris FLGC* for teleport",
        "affinity iris FLGC* for affinity",
    ]
    given = {curve.title: curve.result.given for curve in found}  # type: ignore[attr-defined]
    hops = given["digits FLGC for hops"]
    assert (hops["along"], hops["values"], hops["splits"]) == ("hops", (1, 3), None)
    assert len(set(hops["seeds"])) == 2
    for one in given.values():
        assert one["picks"].given["protocol"] == "paper"
        assert list(one["graphs"]) == ["raw, 5 neighbours"]
    taken, gaps = curves_of(IMAGES, found)
    assert (list(taken), gaps) == (["hops", "teleport", "affinity"], [])


def test_the_graphs_of_a_cell_that_picks_among_several_are_by_their_titles(
    steps: list[Step],
) -> None:
    shared, chains = submitted(IMAGES)
    [chain] = [c for c in chains if c.cell.title == "iris FLGC* paper"]
    others = prepared("raw", "raw", 9), prepared("unit-length", "min-max", 9, power=(2, 4))
    chain.preparations, chain.graphs = (*chain.preparations, *others), ["P5", "P9", "Q9"]
    [*_, found] = submit_curves(shared, IMAGES, [chain])
    given = found.result.given  # type: ignore[attr-defined]
    titles = ["raw, 5 neighbours", "raw, 9 neighbours", "unit-length, 9 neighbours"]
    assert given["graphs"] == dict(zip(titles, ("P5", "P9", "Q9"), strict=True))
    assert (given["grid"]["scaling"], given["grid"]["power"]) == (("raw", "min-max"), (4, 2))


def test_samples_are_of_datasets_that_are_here() -> None:
    raw = {"digits": "of digits", "iris": "of iris"}
    assert samples(IMAGES, raw) == {"samples": {"digits": "of digits"}, "shape": (2, 3)}
    assert samples(IRIS, raw) == {}


def test_a_curve_that_breaks_is_a_gap_beside_the_others(steps: list[Step]) -> None:
    shared, chains = submitted(CURVES)
    curves = submit_curves(shared, CURVES, chains)
    sour, stale = ValueError("sour"), ValueError("stale")
    for step in steps:
        if step.about in ("iris FLGC for depths", "iris with 4 neighbours"):
            step.error = sour
        elif step.about == "iris FLGC* for neighbours":
            step.error = stale  # it never ran
    found, gaps = curves_of(CURVES, curves)
    assert {figure: list(lines["iris"]) for figure, lines in found.items()} == {
        "labels": ["FLGC", "FLGC*", "sklearn.svm:SVC"],
        "depths": ["FLGC*"],
    }
    assert [(gap.what, gap.reason, gap.cells) for gap in gaps] == [
        ("small: vary iris FLGC for depths", "ValueError: sour", 0),
        ("small: graph iris with 4 neighbours", "ValueError: sour", 0),
    ]
    assert all(chain.broken is None for chain in chains), "no cell is missing"
    assert costs_of(curves)["FLGC"] == {"splits": 3.0, "vary": 1.5}


def test_fewer_runs_are_fewer_in_all_figures() -> None:
    runs = [each.runs for each in CURVES.with_runs(2).analyses]
    assert (CURVES.with_runs(2).runs, runs) == (2, [2, 1, 2])
    assert [each.runs for each in CURVES.with_runs(50).analyses] == [2, 1, 3]


def test_cells_wait_for_the_first_step_that_broke() -> None:
    sour, stale = ValueError("sour"), ValueError("stale")
    split = Step("splits", "iris", {})
    graph, score = Step("graph", "iris", {}, sour), Step("score", "iris", {}, stale)
    chains = [begun(iris(protocol=protocol), split) for protocol in BOTH]  # type: ignore[arg-type]
    for chain in chains:
        steps: Any = {"splits iris": split, "graph iris": graph, "score iris": score}
        chain.steps |= steps
    [gap] = broken_steps(IRIS, chains)
    assert (gap.what, gap.reason, gap.cells) == ("small: graph iris", "ValueError: sour", 2)


def test_what_a_methods_cells_share_is_paid_for_once(steps: list[Step]) -> None:
    _, chains = submitted(IRIS)
    costs = costs_of(chains)
    assert costs["FLGC"]["score"] == costs["FLGC*"]["score"] == 1.5
    assert costs["FLGC"]["fit"] == 3.0
    assert costs["FLGC* averaged"]["fit"] == 1.5
    twins = [Step("graph", "iris", {}), Step("graph", "iris", {})]  # asked for twice, made once
    chain = chains[0]
    chain.steps = {str(number): step for number, step in enumerate(twins)}
    assert costs_of([chain]) == {chain.method: {"graph": 1.5}}
