"""Words about figures, on timings and curves that were made up: good ones, bad ones, and none."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from flgc.methods.sorted_affinity import SortedAffinity
from tasks.declared.described import Described
from tasks.declared.paper import CURVES_ON
from tasks.paper.judging import FAILS, HOLDS, PARTLY, UNKNOWN
from tasks.paper.of_figures import STEADY, UNSTEADY, WEAK, tends_to_beat
from tasks.paper.verdicts import Verdict
from tests.tasks.paper.test_verdicts import verdict_on
from tests.tasks.report.made import FLGC, PUBLIC, RIVALS, evidence, table, with_rivals

UCI = with_rivals(table("uci", FLGC), *WEAK, *UNSTEADY, "GCNII", "APPNP")
IMAGES = table("clustering-images")
NONE = "\N{EN DASH}"


def on(of: Described, start: str, **products: Any) -> Verdict:
    return verdict_on(evidence(of, products=products), start)


def timings(
    ours: float = 1, rivals: float = 2, last: float = 0.8, growth: float = 1.0, **more: float
) -> dict[str, pd.DataFrame]:
    """Seconds of ours and of the rivals; accuracy falls from .8 to `last` over 15 hops."""
    frame = pd.DataFrame(
        [
            {"method": method, "hops": hops, "p_teleport": 0.1, "accuracy": accuracy, **more}
            | {"training_time": (ours if method in FLGC else rivals) * by}
            for method in (*RIVALS, *FLGC)
            for hops, accuracy, by in ((1, 0.8, 1.0), (15, last, growth))
        ]
    )
    return dict.fromkeys(PUBLIC.datasets, frame)


@pytest.mark.parametrize(
    ("start", "good", "bad", "numbers"),
    [
        ("FLGC and FLGC* train faster", timings(), timings(2, 1), "medians: GCN 2x, "),
        ("Their training time", timings(), timings(growth=2), "FLGC on Cora 1.0x, "),
        ("FLGC* does not over-smooth", timings(last=0.79), timings(last=0.78), "FLGC* on Cora los"),
        ("GCN, GCN-Linear and SGC", timings(last=0.78), timings(last=0.79), "9 of 9 lose more"),
    ],
)
def test_times_and_smoothing(start: str, good: dict, bad: dict, numbers: str) -> None:
    found = on(PUBLIC, start, time=good)
    assert (found.verdict, found.paper) == (HOLDS, NONE)
    assert found.honest.startswith(numbers)
    assert on(PUBLIC, start, time=bad).verdict == FAILS
    two = {name: good[name] for name in ("Cora", "CiteSeer")}
    assert on(PUBLIC, start, time=two).verdict == UNKNOWN
    nothing = on(PUBLIC, start)
    assert (nothing.verdict, nothing.honest) == (UNKNOWN, "without the figure 'time'")


def test_without_a_teleport_nothing_is_told_of_smoothing() -> None:
    start, bare = "FLGC* does not", timings(p_teleport=0.0)
    assert on(PUBLIC, start, time=bare).verdict == UNKNOWN
    fixed = {
        name: pd.concat(
            [own, own[own["method"] == "FLGC*"].assign(method="FLGC*, teleport .1", p_teleport=0.1)]
        )
        for name, own in bare.items()
    }
    spoken = on(PUBLIC, start, time=fixed)
    assert spoken.verdict == HOLDS, "the row with a teleport speaks for it"
    assert spoken.honest.startswith("FLGC*, teleport .1 on Cora loses 0.0")
    none = {name: own.drop(columns="p_teleport") for name, own in bare.items()}
    assert on(PUBLIC, start, time=none).verdict == UNKNOWN


def curves(datasets: tuple, metric: str = "accuracy", **lines: dict) -> dict:
    """Two runs .02 apart around the points of each method, the same on all datasets."""
    frames = {
        name: pd.DataFrame(
            [
                {"x": x, "run": run, "marks": "", metric: at + way, "p_teleport": 0.1}
                for x, at in line.items()
                for run, way in enumerate((-0.01, 0.01))
            ]
        )
        for name, line in lines.items()
    }
    return dict.fromkeys(datasets, frames)


def lines(*groups: tuple[tuple[str, ...], dict]) -> dict:
    return {name: line for names, line in groups for name in names}


FLAT, STEEP = {1: 0.9, 20: 0.9}, {1: 0.9, 20: 0.8}


@pytest.mark.parametrize(
    ("start", "figure", "good", "bad"),
    [
        (
            "With one label",
            "labels",
            lines((FLGC, {1: 0.9}), (WEAK, {1: 0.8})),
            lines((FLGC, {1: 0.8}), (WEAK, {1: 0.8})),
        ),
        (
            "GCNII, APPNP",
            "depths",
            lines((STEADY, FLAT), (UNSTEADY, STEEP)),
            lines((STEADY, STEEP), (UNSTEADY, STEEP)),
        ),
        (
            "GCN-Linear tends",
            "depths",
            {"GCN-Linear": {1: 0.9}, "GCN": {1: 0.8}},
            {"GCN-Linear": {1: 0.8}, "GCN": {1: 0.8}},
        ),
        (
            "The initial residual",
            "depths",
            {"FLGC*": {1: 0.9}, "FLGC": {1: 0.8}},
            {"FLGC*": {1: 0.7}, "FLGC": {1: 0.8}},
        ),
    ],
)
def test_curves_of_regular_tables(start: str, figure: str, good: dict, bad: dict) -> None:
    found = on(UCI, start, **{figure: curves(CURVES_ON, **good)})
    assert (found.verdict, found.honest) == (HOLDS, NONE)
    assert on(UCI, start, **{figure: curves(CURVES_ON[:2], **good)}).verdict == UNKNOWN
    assert on(UCI, start, **{figure: curves(CURVES_ON, **bad)}).verdict == FAILS
    assert on(UCI, start).paper == f"without the figure {figure!r}"


def test_less_than_a_point_is_won_or_lost_too() -> None:
    rival = {("iris", 1): 80.0, ("iris", 2): 80.0, ("wine", 1): 80.0, ("wine", 2): 80.0}
    own = dict(zip(rival, (80.6, 80.3, 79.9, 80.0), strict=True))
    assert tends_to_beat(own, rival) == (True, "points won-level-lost 2-1-1, mean +0.20")
    assert not tends_to_beat(rival, own)[0]


@pytest.mark.parametrize(
    ("bare", "apart", "wildest", "word"),
    [
        (0.9, 0, 0, FAILS),
        (0.8, 0, 0, PARTLY),
        (0.9, 0.1, 0, PARTLY),
        (0.8, 0.1, 0, HOLDS),
        (0.8, 0.1, 0.2, PARTLY),
    ],
)
def test_no_edges_are_worse_and_less_stable(
    bare: float, apart: float, wildest: float, word: str
) -> None:
    start, stored = "Without edges", curves(CURVES_ON, **{"FLGC*": {0: bare, 5: 0.9, 9: 0.9}})
    own = stored["iris"]["FLGC*"]
    wild = own["accuracy"] + own["x"].map({0: apart, 5: 0, 9: wildest}) * (own["run"] - 0.5)
    stored = {name: {"FLGC*": own.assign(accuracy=wild)} for name in CURVES_ON}
    assert on(UCI, start, neighbours=stored).verdict == word
    del stored["wdbc"]
    assert on(UCI, start, neighbours=stored).verdict == (UNKNOWN if word == HOLDS else word)
    assert on(UCI, start).verdict == UNKNOWN


@pytest.mark.parametrize(
    ("start", "figure", "method", "good", "bad"),
    [
        ("Many steps", "hops", "FLGC*", {1: 0.9, 20: 0.88}, {1: 0.9, 20: 0.879}),
        # About .70: .10 more or less.
        ("FLGC loses", "hops", "FLGC", {1: 0.9, 20: 0.3}, {1: 0.9, 20: 0.301}),
        ("FLGC loses", "hops", "FLGC", {1: 0.9, 20: 0.1}, {1: 0.95, 20: 0.1}),
        ("A larger teleport", "teleport", "FLGC*", {1: 0.5, 0: 0.1}, {0: 0.5, 1: 0.1}),
        ("A larger teleport", "teleport", "FLGC*", {0: 0.1, 1: 0.5}, {0: 0.5, 1: 0.5}),
        ("On COIL20", "teleport", "FLGC*", {0: 0.5, 1: 0.1}, {0: 0.5, 1: 0.5}),
    ],
)
def test_curves_of_images(start: str, figure: str, method: str, good: dict, bad: dict) -> None:
    for line, word in ((good, HOLDS), (bad, FAILS)):
        stored = {figure: curves(IMAGES.datasets, "ACC", **{method: line})}
        assert on(IMAGES, start, **stored).verdict == word
    other = {figure: curves(IMAGES.datasets, "ACC", **{"EGCSC": good})}
    assert on(IMAGES, start, **other).verdict == UNKNOWN


@pytest.mark.parametrize(
    ("of", "dataset"), [(IMAGES, "ExtendedYaleB"), (table("clustering"), "iris")]
)
def test_blocks_of_affinity(of: Described, dataset: str) -> None:
    labels, start = np.array([0, 0, 1, 1]), "The affinity of"
    blocks = np.kron(np.eye(2), np.ones((2, 2)))
    for matrix, word in ((blocks, HOLDS), (1 - blocks, FAILS)):
        stored = {"FLGC*": SortedAffinity(matrix, labels)}
        assert on(of, start, affinity={dataset: stored}).verdict == word
        assert on(of, start, affinity={"ORL": stored}).verdict == UNKNOWN
    assert on(of, start).verdict == UNKNOWN
