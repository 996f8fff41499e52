"""Words about figures, on timings and curves that were made up: good ones, bad ones, and none."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from tasks.document.curve_claims import STEADY, WEAK
from tasks.document.judging import FAILS, HOLDS, PARTLY, UNKNOWN
from tasks.document.judging_figures import CURVES_ON, UNSTEADY
from tasks.document.verdicts import Verdict, verdicts

from flgc.methods.picking import PROTOCOLS
from flgc.methods.sorted_affinity import SortedAffinity
from tasks.declared.described import Described
from tests.tasks.report.made import FLGC, PUBLIC, RIVALS, rival, table

UCI = table("uci", FLGC)
UCI = dataclasses.replace(
    UCI, rows=(*(rival(name) for name in (*WEAK, *UNSTEADY, "GCNII", "APPNP")), *UCI.rows)
)
IMAGES = table("clustering-images", FLGC)


def on(of: Described, start: str, **stored: object) -> Verdict:
    told = {"pairs": {}, "timings": {}, "curves": {}, "affinities": {}, "gaps": {}, **stored}
    [found] = [v for v in verdicts([of], PROTOCOLS, {}, **told) if v.claim.startswith(start)]
    return found


def timings(ours: float, rivals: float, last: float = 0.8, growth: float = 1.0) -> dict:
    """Seconds of ours and of the rivals; accuracy falls from .8 to `last` over 15 hops."""
    frame = pd.DataFrame(
        [
            {"method": method, "hops": hops, "p_teleport": 0.1, "accuracy": accuracy}
            | {"training_time": (ours if method in FLGC else rivals) * by}
            for method in (*RIVALS, *FLGC)
            for hops, accuracy, by in ((1, 0.8, 1.0), (15, last, growth))
        ]
    )
    return {PUBLIC.name: {dataset: frame for dataset in PUBLIC.datasets}}


@pytest.mark.parametrize(
    ("start", "good", "bad"),
    [
        ("FLGC and FLGC* train faster", timings(1, 2), timings(2, 1)),
        ("Their training time", timings(1, 2), timings(1, 2, growth=2)),
        ("FLGC* does not over-smooth", timings(1, 2, last=0.79), timings(1, 2, last=0.78)),
        ("GCN, GCN-Linear and SGC", timings(1, 2, last=0.78), timings(1, 2, last=0.79)),
    ],
)
def test_times_and_smoothing(start: str, good: dict, bad: dict) -> None:
    told = on(PUBLIC, start, timings=good)
    assert (told.verdict, told.paper) == (HOLDS, "\N{EN DASH}")
    assert on(PUBLIC, start, timings=bad).verdict == FAILS
    two = {PUBLIC.name: {name: good[PUBLIC.name][name] for name in ("Cora", "CiteSeer")}}
    assert on(PUBLIC, start, timings=two).verdict == UNKNOWN
    assert on(PUBLIC, start).verdict == UNKNOWN


def test_without_a_teleport_nothing_is_told_of_smoothing() -> None:
    bare = {name: own.assign(p_teleport=0.0) for name, own in timings(1, 2)[PUBLIC.name].items()}
    assert on(PUBLIC, "FLGC* does not", timings={PUBLIC.name: bare}).verdict == UNKNOWN


def curves(
    of: Described, figure: str, datasets: tuple, metric: str = "accuracy", **lines: dict
) -> dict:
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
    return {of.name: {figure: {dataset: frames for dataset in datasets}}}


def depths(steady: float, others: float) -> dict:
    lines = {name: {1: 0.9, 20: steady} for name in STEADY}
    return {**lines, **{name: {1: 0.9, 20: others} for name in UNSTEADY}}


@pytest.mark.parametrize(
    ("start", "figure", "good", "bad"),
    [
        (
            "With one label",
            "labels",
            {**{key: {1: 0.9} for key in FLGC}, **{key: {1: 0.8} for key in WEAK}},
            {**{key: {1: 0.8} for key in FLGC}, **{key: {1: 0.8} for key in WEAK}},
        ),
        ("GCNII, APPNP", "depths", depths(0.9, 0.8), depths(0.8, 0.8)),
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
        ("Without edges", "neighbours", {}, {"FLGC*": {0: 0.9, 5: 0.9}}),
    ],
)
def test_curves_of_regular_tables(start: str, figure: str, good: dict, bad: dict) -> None:
    if good:
        told = on(UCI, start, curves=curves(UCI, figure, CURVES_ON, **good))
        assert (told.verdict, told.honest) == (HOLDS, "\N{EN DASH}")
        part = on(UCI, start, curves=curves(UCI, figure, CURVES_ON[:2], **good))
        assert part.verdict == UNKNOWN
    assert on(UCI, start, curves=curves(UCI, figure, CURVES_ON, **bad)).verdict == FAILS
    assert on(UCI, start).verdict == UNKNOWN


def test_no_edges_are_worse_and_less_stable() -> None:
    stored = curves(UCI, "neighbours", CURVES_ON, **{"FLGC*": {0: 0.8, 5: 0.9}})
    assert on(UCI, "Without edges", curves=stored).verdict == PARTLY, "worse, but as stable"
    for of_methods in stored[UCI.name]["neighbours"].values():
        own = of_methods["FLGC*"]
        wild = own["accuracy"] + (own["x"] == 0) * (own["run"] - 0.5) * 0.1
        of_methods["FLGC*"] = own.assign(accuracy=wild)
    assert on(UCI, "Without edges", curves=stored).verdict == HOLDS


@pytest.mark.parametrize(
    ("start", "figure", "method", "good", "bad"),
    [
        ("Many steps", "hops", "FLGC*", {1: 0.9, 20: 0.89}, {1: 0.9, 20: 0.8}),
        ("FLGC loses", "hops", "FLGC", {1: 0.9, 20: 0.2}, {1: 0.9, 20: 0.8}),
        ("A larger teleport", "teleport", "FLGC*", {0: 0.1, 1: 0.5}, {0: 0.5, 1: 0.1}),
        ("On COIL20", "teleport", "FLGC*", {0: 0.5, 1: 0.1}, {0: 0.1, 1: 0.5}),
    ],
)
def test_curves_of_images(start: str, figure: str, method: str, good: dict, bad: dict) -> None:
    for line, word in ((good, HOLDS), (bad, FAILS)):
        stored = curves(IMAGES, figure, IMAGES.datasets, "ACC", **{method: line})
        assert on(IMAGES, start, curves=stored).verdict == word
    assert on(IMAGES, start).verdict == UNKNOWN


def test_blocks_of_affinity() -> None:
    labels, start = np.array([0, 0, 1, 1]), "The affinity of Extended Yale B"
    blocks = np.kron(np.eye(2), np.ones((2, 2)))
    for matrix, word in ((blocks, HOLDS), (1 - blocks, FAILS)):
        stored = {IMAGES.name: {"ExtendedYaleB": {"FLGC*": SortedAffinity(matrix, labels)}}}
        assert on(IMAGES, start, affinities=stored).verdict == word
    assert on(IMAGES, start).verdict == UNKNOWN
