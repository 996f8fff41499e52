"""What an experiment needs: which steps, made from what, shared by whom; and what it lacks."""

import dataclasses
from collections import Counter
from typing import Any

import pytest

pytest.importorskip("prefect")

from flgc.datasets.errors import NotReachable
from flows.dag import Dag, cells, dag_of
from flows.execute import Execution, costs_of, gaps_of, products_of, run_experiment
from flows.plan import Plan
from tasks.analyses.affinity import Affinities
from tasks.analyses.along import Along
from tasks.analyses.labels import LabelCounts
from tasks.analyses.neighbours import Neighbours
from tasks.analyses.samples import Samples
from tasks.analyses.timing import TimedHops
from tasks.declared.paper import prepared
from tasks.declared.types import Experiment, Noise, Subject
from tasks.report.gaps import FAILED, NOT_AVAILABLE, NOT_REACHABLE
from tasks.running.steps import Step, chain_of
from tasks.store import Artifact
from tests.flows.stubs import FAILURE, stubbed
from tests.tasks.chain import IRIS

BOTH = ("paper", "honest")
SVC = "sklearn.svm:SVC"


def planned(experiment: Experiment, protocols: tuple[str, ...] = BOTH) -> Dag:
    return dag_of(Plan("", (experiment,), protocols, "cpu", "nowhere"), experiment)


def of(dag: Dag, stage: str) -> list[Step]:
    return [step for step in dag.table.steps if step.stage.name == stage]


def given(dag: Dag, stage: str) -> dict[str, dict]:
    """What the steps of a stage are given, by what they are about."""
    return {step.about: dict(step.given) for step in of(dag, stage)}


def test_what_cells_share_is_a_step_once() -> None:
    dag = planned(IRIS)
    stages = Counter(step.stage.name for step in dag.table.steps)
    # FLGC and FLGC* share their scores in both protocols; the average has a constant.
    assert stages == {
        "dataset": 1,
        "splits": 1,
        "graph": 1,
        "score": 2,
        "pick": 5,
        "propagate": 2,
        "fit": 5,
    }
    assert len(set(of(dag, "splits")[0].given["seeds"])) == IRIS.runs
    assert list(given(dag, "fit")) == [
        *(f"iris {method} {protocol}" for protocol in BOTH for method in ("FLGC", "FLGC*")),
        "iris FLGC* averaged honest",
    ]


def test_the_papers_methods_come_first() -> None:
    dag = planned(dataclasses.replace(IRIS, methods=(SVC, *IRIS.methods)))
    stages = ("score", "pick", "fit")
    late = [SVC in step.about for step in dag.table.steps if step.stage.name in stages]
    assert late == sorted(late)
    assert True in late


def test_a_row_is_picked_from_its_part_by_its_rule() -> None:
    found = {
        about: (pick["part"], pick["combine"])
        for about, pick in given(planned(IRIS), "pick").items()
    }
    assert found["iris FLGC honest"] == ({"teleport": (0.0,)}, "best")
    assert found["iris FLGC* honest"] == ({}, "best")
    assert found["iris FLGC* averaged honest"] == ({}, "average")


def test_an_average_has_no_cell_in_paper() -> None:
    found = [(cell.method, cell.protocol) for cell in cells(IRIS, BOTH)]
    assert found == [("FLGC", "paper"), ("FLGC*", "paper"), *((m, "honest") for m in IRIS.methods)]


def test_honest_never_sees_what_leaks_the_label() -> None:
    dag = planned(dataclasses.replace(IRIS, datasets=("glass",)))
    found = {(each.cell.protocol, each.without) for each in dag.cells}
    assert found == {("paper", ()), ("honest", ("Id",))}
    assert len(of(dag, "splits")) == 1, "rows are the same"
    for cell in dag.cells:
        made_from = [*cell.graphs, *cell.scores, cell.result]
        assert {step.given["without"] for step in made_from} == {cell.without}
    assert len(of(dag, "graph")) == 2
    assert len(of(dag, "score")) == 3


def test_a_preparation_that_was_tuned_for_a_dataset_is_of_paper_alone() -> None:
    tuned, all_have = prepared("min-max", "unit-length", 3), prepared("min-max", "min-max", 7)
    dag = planned(dataclasses.replace(IRIS, preparations=(all_have,), tuned={"iris": (tuned,)}))
    for cell in dag.cells:
        wanted = (all_have, tuned) if cell.cell.protocol == "paper" else (all_have,)
        assert cell.preparations == wanted
        assert [s.given["n_neighbors"] for s in cell.graphs] == [w.n_neighbors for w in wanted]
        assert [s.given["graph"] for s in cell.graphs] == [w.graph for w in wanted]
    assert len(of(dag, "graph")) == 2, "the protocols share what both have"


def test_a_method_that_sees_no_graph_is_scored_once_for_all_of_them() -> None:
    several = tuple(
        prepared(*names, 7)
        for names in (("min-max", "min-max"), ("raw", "min-max"), ("raw", "raw"))
    )
    dag = planned(
        dataclasses.replace(IRIS, preparations=several, methods=("FLGC*", SVC)), ("honest",)
    )
    assert [each.preparations for each in dag.cells] == [several, (several[0], several[2])]


@pytest.mark.parametrize("protocols", [BOTH, ("paper",)])
def test_methods_are_timed_at_what_they_picked_in_honest(protocols: tuple[str, ...]) -> None:
    dag = planned(dataclasses.replace(IRIS, analyses=(TimedHops((1, 2)),)), protocols)
    assert not of(dag, "time"), "nothing else runs then"
    before = len(of(dag, "pick"))
    [timed] = dag.after(dag.cells)
    assert of(dag, "time") == [timed.step]
    assert {name: pick.given["protocol"] for name, pick in timed.step.given["picks"].items()} == {
        "FLGC": "honest",
        "FLGC*": "honest",
    }
    assert timed.step.given["hops"] == (1, 2)
    assert len(of(dag, "pick")) == (before if protocols == BOTH else 4)
    [fewer] = dag.after([cell for cell in dag.cells if cell.method == "FLGC*"])
    assert list(fewer.step.given["picks"]) == ["FLGC*"], "without those that broke"


HERE = {"datasets": ("iris", "wine")}
CURVES = dataclasses.replace(
    IRIS,
    methods=(*IRIS.methods, SVC),
    analyses=(
        LabelCounts((1, 3), **HERE, runs=2),
        Along("hops", (1, 3), **HERE, runs=1, figure="depths"),
        Neighbours((0, 4), **HERE, runs=3, method="FLGC*", setting={"hops": 5}),
    ),
)


def added(experiment: Experiment) -> list[str]:
    """The steps that analyses add to those of the cells."""
    alone = planned(dataclasses.replace(experiment, analyses=()))
    return [step.name for step in planned(experiment).table.steps][len(list(alone.table.steps)) :]


def test_every_method_with_a_cell_in_paper_has_its_curves() -> None:
    # One artifact has the splits of all numbers of labels; an SVM has no hops.
    assert added(CURVES) == [
        "splits iris for labels",
        *(f"vary iris {method} for labels" for method in ("FLGC", "FLGC*", SVC)),
        "splits iris for depths",
        *(f"vary iris {method} for depths" for method in ("FLGC", "FLGC*")),
        "graph iris with 0 neighbours",
        "graph iris with 4 neighbours",
        "splits iris for neighbours",
        "vary iris FLGC* for neighbours",
    ]
    assert planned(CURVES, ("honest",)).products == ()
    assert planned(dataclasses.replace(CURVES, datasets=("glass",))).products == ()


def test_curves_are_made_from_the_picks_of_paper_and_the_seeds_of_the_table() -> None:
    found = given(planned(CURVES), "vary")
    labels, depths, neighbours = (
        found[f"iris FLGC* for {figure}"] for figure in ("labels", "depths", "neighbours")
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
        Affinities(("iris", "elsewhere"), "FLGC*"),
        Samples(("digits", "elsewhere"), classes=2, columns=3),
    ),
)


def test_figures_of_clusterings_have_their_steps() -> None:
    assert added(IMAGES) == [
        *(f"vary {name} {m} for hops" for name in ("digits", "iris") for m in ("FLGC", "FLGC*")),
        "vary iris FLGC* for teleport",
        "affinity iris FLGC* for affinity",
    ]
    dag = planned(IMAGES)
    found = given(dag, "vary") | given(dag, "affinity")
    hops = found["digits FLGC for hops"]
    assert (hops["along"], hops["values"], hops["splits"]) == ("hops", (1, 3), None)
    assert len(set(hops["seeds"])) == 2
    for one in found.values():
        assert one["picks"].given["protocol"] == "paper"
        assert list(one["graphs"]) == ["raw, 5 neighbours"]


def test_the_graphs_of_a_cell_that_picks_among_several_are_by_their_titles() -> None:
    others = prepared("raw", "raw", 9), prepared("unit-length", "min-max", 9, power=(2, 4))
    several = (*IMAGES.preparations, *others)
    dag = planned(dataclasses.replace(IMAGES, preparations=several))
    [made] = given(dag, "affinity").values()
    titles = ["raw, 5 neighbours", "raw, 9 neighbours", "unit-length, 9 neighbours"]
    assert {title: step.about for title, step in made["graphs"].items()} == {
        title: f"iris on {title}" for title in titles
    }
    assert (made["grid"]["scaling"], made["grid"]["power"]) == (("raw", "min-max"), (4, 2))


def test_fewer_runs_are_fewer_in_all_figures() -> None:
    def runs(experiment: Experiment) -> list[int]:
        return [getattr(each, "runs", 0) for each in experiment.analyses]

    assert (CURVES.with_runs(2).runs, runs(CURVES.with_runs(2))) == (2, [2, 1, 2])
    assert runs(CURVES.with_runs(50)) == [2, 1, 3]
    assert runs(IMAGES.with_runs(1)) == [1, 1, 0, 0]


def executed(dag: Dag, **broken: Exception) -> Execution:
    """All is made but what broke and what needs it; `graph_iris=error` names a step."""
    run = Execution("", dag.table.experiment.name)
    for number, step in enumerate(dag.table.steps):
        stale = any(need in run.errors for need in step.needs)
        error = broken.get(step.name.replace(" ", "_"), ValueError("never ran") if stale else None)
        if error:
            run.errors[step] = error
        else:
            run.made[step] = Artifact(f"{number}", "", step.stage.name, 1, 1.5, cached=False)
    return run


def lacking(dag: Dag, run: Execution) -> tuple[dict[str, Any], list[tuple[str, str, str, int]]]:
    """The products that are there, and the gaps of all that is not."""
    there, gaps = products_of(dag, run, dag.products)
    return there, [dataclasses.astuple(gap) for gap in (*gaps_of(run, dag.cells), *gaps)]  # type: ignore[misc]


def test_cells_wait_for_the_first_step_that_broke() -> None:
    dag = planned(CURVES)
    there, gaps = lacking(dag, executed(dag, graph_iris=ValueError("sour")))
    assert gaps == [(FAILED, "small: graph iris", "ValueError: sour", 7)]
    assert list(there) == ["neighbours"], "which has graphs of its own"


def test_a_curve_that_breaks_is_a_gap_beside_the_others() -> None:
    dag, sour = planned(CURVES), ValueError("sour")
    broken = {"vary_iris_FLGC_for_depths": sour, "graph_iris_with_4_neighbours": sour}
    run = executed(dag, **broken)
    there, gaps = lacking(dag, run)
    assert {figure: list(lines["iris"]) for figure, lines in there.items()} == {
        "labels": ["FLGC", "FLGC*", SVC],
        "depths": ["FLGC*"],
    }
    assert gaps == [
        (FAILED, "small: vary iris FLGC for depths", "ValueError: sour", 0),
        (FAILED, "small: graph iris with 4 neighbours", "ValueError: sour", 0),
    ]
    assert costs_of(run, dag.products)["FLGC"]["vary"] == 1.5


@pytest.mark.parametrize(
    ("noises", "lost"), [((), 6), ((Noise("gaussian", 0.1, runs=2), Noise("salt_pepper", 0.1)), 18)]
)
def test_data_that_cannot_be_had_are_one_gap_with_all_their_cells(
    noises: tuple[Noise, ...], lost: int
) -> None:
    datasets = ("air", "digits", "iris")
    dag = planned(dataclasses.replace(IMAGES, datasets=datasets, noises=noises))
    assert [(gap.kind, gap.what, gap.cells) for gap in dag.gaps] == [(NOT_AVAILABLE, "air", lost)]
    error = NotReachable("digits", reasons={"mirror": "down"})
    there, gaps = lacking(dag, executed(dag, dataset_digits=error))
    assert gaps == [(NOT_REACHABLE, "digits", "mirror: down", lost)]
    assert "samples" not in there
    assert {title.split()[0] for title in there["hops"]} == {"iris"}


def test_what_needs_data_that_failed_is_never_begun() -> None:
    plan = Plan("", (CURVES,), BOTH, "cpu", "memory://nothing")
    with stubbed(0, failing=1.0):
        section = run_experiment(plan, CURVES)
    assert [dataclasses.astuple(gap) for gap in section.gaps] == [
        (FAILED, "iris", f"ValueError: {FAILURE}", 7)
    ]


def test_what_a_methods_cells_share_is_paid_for_once() -> None:
    dag = planned(IRIS)
    run = executed(dag)
    costs = costs_of(run, dag.cells)
    assert costs["FLGC"]["score"] == costs["FLGC*"]["score"] == 1.5
    assert costs["FLGC"]["fit"] == 3.0
    assert costs["FLGC* averaged"]["fit"] == 1.5
    assert "dataset" not in costs["FLGC"]
    [P] = of(dag, "graph")
    [data] = of(dag, "splits")
    run.made[P] = run.made[data]  # asked for twice, made once
    assert costs_of(run, dag.cells)["FLGC"].keys() == costs["FLGC"].keys() - {"graph"}


def test_a_chain_has_what_is_needed_before_what_needs_it() -> None:
    for cell in planned(IRIS).cells:
        chain = chain_of(cell.result)
        assert len(set(chain)) == len(chain)
        for i, step in enumerate(chain):
            assert set(step.needs) <= set(chain[:i])
        kept = [step.stage.name for step in chain].count("propagate")
        assert kept == (cell.cell.protocol == "paper"), "a fit comes after its features"
