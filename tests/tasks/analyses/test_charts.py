"""Charts: what they show is what the rows say, Vega draws it, and print has all panels at once."""

import io
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import vl_convert

from flgc.methods.picking import weighting
from tasks.analyses.cells import cell_rows
from tasks.analyses.charts import COLOURS, SHAPES, on_page, printable, svg_of
from tasks.analyses.history import DRIFTED, STEADY, history_chart
from tasks.analyses.sensitivity import profile
from tasks.declared.looks import METHODS, OTHERS, as_lines, looks_of
from tasks.report.evidence import Evidence
from tasks.report.files import as_json
from tasks.report.values import Values
from tests.tasks.report.made import (
    FLGC,
    PUBLIC,
    ROBUSTNESS,
    UCI,
    evidence,
    results,
    table,
    with_rivals,
)

IMAGES = table("clustering-images")
PAIR = table("uci", FLGC)
CELL = ("dataset", "method", "protocol")
POINT = ("dataset", "method", "x")
SPEC = dict[str, Any]


class Chart(NamedTuple):
    """A chart, its numbers by the columns `keys` as they should be, its legend and its panels."""

    spec: SPEC
    keys: tuple[str, ...]
    numbers: dict[Any, float]
    legend: tuple[str, ...]
    panels: list[str]


def drawn(known: Evidence, name: str) -> SPEC:
    """The chart of an analysis."""
    [spec] = known.declared.analyses[name].charts(known, known.rows(name)).values()
    assert isinstance(spec, dict)
    return spec


def cells(of, n: int) -> tuple[Evidence, dict[Any, float]]:
    """Two runs of each cell of some datasets, and the means of the first metric."""
    of = replace(of, datasets=of.datasets[:n])
    values = {
        (dataset, row.name, protocol): 0.5 + i / 50 + j / 100
        for i, dataset in enumerate(of.datasets)
        for j, row in enumerate(of.rows)
        for protocol in row.protocols
    }
    runs = [
        results(*((*at, value + way) for at, value in values.items()), of=of, metric=metric)
        for metric in of.metrics
        for way in (-0.01, 0.01)
    ]
    rows = [each.assign(run=i % 2, p_hops=3) for i, each in enumerate(runs)]
    unit = 100 if of.metrics[0] == "accuracy" else 1
    return evidence(of, rows), {at: unit * value for at, value in values.items()}


def dots(n: int) -> Chart:
    known, numbers = cells(PUBLIC, n)
    datasets = known.table.datasets
    numbers |= {
        (cell["dataset"], row.name, "published"): 100 * cell["value"]
        for cell in PUBLIC.published
        for row in PUBLIC.rows
        if row.published == cell["method"] and cell["dataset"] in datasets
    }
    protocols = ("published", "paper", "honest")
    return Chart(drawn(known, "cells"), CELL, numbers, protocols, list(datasets))


def lines_of_dots(n: int) -> Chart:
    known, numbers = cells(replace(PAIR, published=()), n)
    return Chart(drawn(known, "cells"), CELL, numbers, (*FLGC, "paper", "honest"), [])


def bars(n: int) -> Chart:
    known, numbers = cells(IMAGES, n)
    return Chart(drawn(known, "cells"), CELL, numbers, IMAGES.methods, [])


def ranks(n: int) -> Chart:
    """Over so many datasets and two more; the last method of a table is the best."""
    known, _ = cells(replace(UCI, published=()), n + 2)
    known = replace(known, declared=replace(known.declared, protocols=("honest",)), _made={})
    numbers = {method: 3.0 - i for i, method in enumerate(UCI.methods)}
    return Chart(drawn(known, "wilcoxon"), ("method",), numbers, (), [])


def times(n: int) -> Chart:
    frame = pd.DataFrame(
        {"method": ["GCN", "GCN", "FLGC"], "hops": [1, 2, 1], "accuracy": [0.5, 0.6, 0.7]}
    ).assign(training_time=[0.2, 0.25, 0.1], p_hops=[1, 2, 1])
    datasets = list(PUBLIC.datasets[:n])
    known = evidence(PUBLIC, products={"time": dict.fromkeys(datasets, frame)})
    rows = frame[["method", "hops", "accuracy"]].itertuples(index=False, name=None)
    numbers = {(name, m, x): 100 * at for m, x, at in rows for name in datasets}
    return Chart(drawn(known, "time"), POINT, numbers, ("GCN", "FLGC"), datasets)


def grid() -> pd.DataFrame:
    """Two runs; the best on validation nodes has 2 hops, teleport .1 and regularization 1."""
    axes = {"run": [0, 1], "p_scaling": ["raw"], "p_hops": [1, 2], "p_teleport": [0.0, 0.1]}
    axes["p_regularization"] = [0.5, 1.0, 2.0]
    rows = pd.DataFrame(list(itertools.product(*axes.values())), columns=list(axes))
    worth = rows["p_hops"] / 10 + rows["p_teleport"] - (rows["p_regularization"] - 1) ** 2 / 10
    return rows.assign(error=1 - worth, size=1.0, validation=worth, validated=5.0, test=worth / 2)


def picks(**part: tuple) -> pd.DataFrame:
    return weighting(grid(), "honest", part).assign(p_graph="given")


PICKS = {"FLGC": picks(teleport=(0.0,)), "FLGC*": picks()}
# The profiles of these through what they picked, by axis, method and nodes.
PROFILES = {
    ("regularization", "FLGC", "test"): {0.5: 8.75, 1.0: 10.0, 2.0: 5.0},
    ("regularization", "FLGC", "validation"): {0.5: 17.5, 1.0: 20.0, 2.0: 10.0},
    ("regularization", "FLGC*", "test"): {0.5: 13.75, 1.0: 15.0, 2.0: 10.0},
    ("regularization", "FLGC*", "validation"): {0.5: 27.5, 1.0: 30.0, 2.0: 20.0},
    ("teleport", "FLGC*", "test"): {0.0: 10.0, 0.1: 15.0},
    ("teleport", "FLGC*", "validation"): {0.0: 20.0, 0.1: 30.0},
}


def sensitivity(n: int) -> Chart:
    datasets = list(PUBLIC.datasets[:n])
    of_axes = {"regularization": PICKS, "teleport": {"FLGC*": PICKS["FLGC*"]}}
    made = {axis: dict.fromkeys(datasets, of_axes[axis]) for axis in of_axes}
    made["scores"] = {name: grid() for name in datasets}
    numbers = {
        (axis, name, method, nodes, x): value
        for (axis, method, nodes), line in PROFILES.items()
        for name in datasets
        for x, value in line.items()
    }
    panels = [f"{axis}, {name}" for axis in of_axes for name in datasets]
    spec = drawn(evidence(PUBLIC, products={"sensitivity": made}), "sensitivity")
    return Chart(spec, ("axis", "dataset", "method", "nodes", "x"), numbers, FLGC, panels)


def curves(of, name: str, n: int, methods: tuple[str, ...] = FLGC) -> Chart:
    """Two runs of each point, one of them .02 better."""
    datasets, metric, xs = list(of.datasets[:n]), of.metrics[0], (0, 5, 10)
    frames = {
        method: pd.DataFrame(
            [(x, run, 0.7 + i / 10 + x / 100 + 0.02 * run) for x in xs for run in (0, 1)],
            columns=["x", "run", metric],
        ).assign(marks="", p_hops=2)
        for i, method in enumerate(methods)
    }
    unit = 100 if metric == "accuracy" else 1
    numbers = {
        (dataset, method, x): unit * (0.71 + i / 10 + x / 100)
        for dataset in datasets
        for i, method in enumerate(methods)
        for x in xs
    }
    spec = drawn(evidence(of, products={name: dict.fromkeys(datasets, frames)}), name)
    return Chart(spec, POINT, numbers, () if name == "neighbours" else methods, datasets)


def labels(n: int) -> Chart:
    return curves(UCI, "labels", n)


def hops(n: int) -> Chart:
    return curves(IMAGES, "hops", n)


def boxes(n: int) -> Chart:
    return curves(UCI, "neighbours", n, ("FLGC*",))


PAST = pd.DataFrame(
    [
        (f"2026-10-{day:02d}T03:00:00+00:00", "tiny", dataset, method, "honest", "accuracy", 0.9)
        for day in (1, 8, 15)
        for dataset in ("iris", "wine", "zoo")
        for method in ("FLGC", "mine")
    ],
    columns=["when", "suite", "dataset", "method", "protocol", "metric", "value"],
)


def history(n: int) -> Chart:
    datasets = list(PAST["dataset"].unique()[:n])
    rows = PAST[PAST["dataset"].isin(datasets)]
    numbers = {(*at, when): 0.9 for *at, when in rows[["dataset", "method", "when"]].to_numpy()}
    panels = [f"accuracy, {name} (tiny)" for name in datasets]
    keys = ("dataset", "method", "when")
    return Chart(history_chart(rows), keys, numbers, ("FLGC", "mine", STEADY, DRIFTED), panels)


ALL = (dots, lines_of_dots, bars, ranks, times, sensitivity, labels, hops, boxes, history)


def data_of(spec: SPEC) -> pd.DataFrame:
    text = {name: str for name in ("printed", "runs")}
    return pd.read_csv(io.StringIO(spec["data"]["values"]), dtype=text, keep_default_na=False)


def texts(svg: str, words: str) -> int:
    """How often a text stands in a picture."""
    return svg.count(f">{words}</text>")


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("made", ALL)
def test_a_chart_shows_its_rows_on_the_page_and_in_print(made: Callable[[int], Chart], n: int):
    chart = made(n)
    rows = data_of(chart.spec)
    column = "rank" if made is ranks else "value"
    keys = rows[list(chart.keys)].itertuples(index=False, name=None)
    found = {key if len(key) > 1 else key[0]: v for key, v in zip(keys, rows[column], strict=True)}
    assert found == pytest.approx(chart.numbers, abs=0.006)

    assert (chart.spec["width"], chart.spec["background"]) == ("container", "transparent")
    assert chart.spec["description"]
    assert "url" not in json.dumps(chart.spec["data"]), "nothing is loaded"
    assert as_json(chart.spec) == as_json(made(n).spec), "the same numbers, the same bytes"
    svg = vl_convert.vegalite_to_svg({**on_page(chart.spec), "width": 500})
    assert COLOURS["axis"]["labelColor"] in svg, "the page says what colour words have"

    still = json.dumps(printable(chart.spec))
    assert not any(f'"{name}"' in still for name in ("param", "params", "tooltip", "bind"))
    svg = svg_of(chart.spec)
    assert svg.partition("<g")[0].endswith('fill="white"/>'), "to be read on a dark page"
    assert svg == svg_of(made(n).spec)
    assert [texts(svg, panel) for panel in chart.panels] == [1] * len(chart.panels)
    assert [texts(svg, name) for name in chart.legend] == [1] * len(chart.legend)


def test_panels_in_print_have_their_own_rows_and_the_page_shows_the_first():
    spec = labels(3).spec
    [choice] = [each for each in spec["params"] if each["name"] == "shown"]
    assert choice["bind"]["options"] == list(UCI.datasets[:3])
    assert choice["value"] == UCI.datasets[0]
    still = printable(spec)
    assert [each["transform"][0]["filter"] for each in still["concat"]] == [
        f'datum.panel == "{name}"' for name in UCI.datasets[:3]
    ]
    assert "concat" not in printable(labels(1).spec)


def test_cells_are_those_of_the_table_with_spread_runs_and_setting():
    rows = results(
        ("Cora", "FLGC*", "honest", 0.80), ("Cora", "FLGC*", "honest", 0.82), of=PUBLIC
    ).assign(run=[0, 1], p_hops=[3, 5], p_teleport=0.05)
    [ours] = cell_rows(Values(PUBLIC, rows)).query("protocol == 'honest'").to_dict("records")
    assert ours.pop("low") == pytest.approx(80.0)
    assert ours.pop("high") == pytest.approx(82.0)
    assert ours == {
        **{"dataset": "Cora", "method": "FLGC*", "protocol": "honest", "value": 81.0},
        **{"printed": "81.0 ± 1.0", "runs": "2"},
        "setting": "hops 3, teleport 0.05 (1 of 2 runs)",
    }
    noisy = results(("ExtendedYaleB", "FLGC*", "paper", 0.5), of=ROBUSTNESS, metric="ACC")
    noisy = noisy.assign(noise="gaussian", intensity=0.1, noise_pattern="shared", p_hops=2)
    [ours] = cell_rows(Values(ROBUSTNESS, noisy)).query("protocol == 'paper'").to_dict("records")
    assert ours["dataset"] == "ExtendedYaleB gaussian 0.1 shared"
    assert ours["setting"] == "hops 2"


def test_accuracies_over_x_are_wider_towards_100_and_few_have_bands():
    spec = labels(1).spec
    rows = data_of(spec)
    assert set(rows["spread"]) == {1.0}
    assert rows["printed"].iloc[0] == "71.00 ± 1.00"
    y = spec["layer"][-1]["encoding"]["y"]
    assert (y["scale"]["type"], y["scale"]["reverse"]) == ("log", True)
    assert spec["layer"][0]["mark"]["type"] == "area"
    other = hops(1).spec["layer"][-1]["encoding"]["y"]
    assert "type" not in other["scale"]
    names = tuple(f"rival {i}" for i in range(3))
    many = curves(with_rivals(UCI, *names), "labels", 1, (*names, *FLGC)).spec
    assert "area" not in {layer["mark"]["type"] for layer in many["layer"]}


def test_what_a_pointer_is_told():
    spec = labels(1).spec
    [tooltip] = [e["tooltip"] for e in (x["encoding"] for x in spec["layer"]) if "tooltip" in e]
    fields = {each["field"] for each in tooltip}
    assert fields == {"method", "dataset", "x", "printed", "runs", "setting"}


def test_a_large_table_stays_small():
    of = replace(UCI, published=())
    known, numbers = cells(of, 24)
    long = [each.assign(p_scaling="min-max", p_regularization=0.001) for each in known.cells]
    spec = drawn(evidence(of, long), "cells")
    assert len(as_json(spec)) / len(numbers) < 150, "bytes of a cell"


def test_history_marks_what_has_drifted():
    drift = ["better" if i == 5 else "" for i in range(len(PAST))]
    spec = history_chart(PAST.assign(drift=drift))
    rows = data_of(spec)
    assert rows.loc[rows["drift"] == DRIFTED, ["when", "dataset"]].to_numpy().tolist() == [
        PAST.loc[5, ["when", "dataset"]].tolist()
    ]
    shape = spec["layer"][1]["encoding"]["shape"]["scale"]
    assert shape["domain"] == [STEADY, DRIFTED]
    assert len(set(shape["range"])) == 2


def test_a_profile_goes_through_the_setting_that_most_runs_picked():
    for (axis, method, nodes), line in PROFILES.items():
        found = 100 * profile(grid(), PICKS[method], axis)[nodes]
        assert found.to_dict() == pytest.approx(line)


def test_methods_can_be_told_apart_and_keep_their_looks():
    found = looks_of(["mine", "FLGC", "yours"])
    assert found == looks_of(["mine", "FLGC", "yours"])
    assert (found["FLGC"]["color"], found["FLGC"]["marker"]) == METHODS["FLGC"]
    assert [found[name]["color"] for name in ("mine", "yours")] == [OTHERS[0][0], OTHERS[1][0]]
    colours, markers = zip(*METHODS.values(), *OTHERS, strict=True)
    assert len(set(colours)) == len(set(markers)) == len(METHODS) + len(OTHERS)
    assert set(markers) <= set(SHAPES)
    names = [*(f"rival {i}" for i in range(12)), *FLGC]
    looks = as_lines(names, FLGC)
    assert len({(x["color"], x["marker"], str(x.get("dash"))) for x in looks.values()}) == 14
    assert {name for name, look in looks.items() if look["width"] > 1} == set(FLGC)
    assert np.unique([look["width"] for look in looks.values()]).size == 3, "where ours meet"
