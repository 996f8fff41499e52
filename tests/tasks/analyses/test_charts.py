"""Charts: what they show is what the frames say, and Vega can draw it."""

import io
import json
from typing import Any

import pandas as pd
import pytest
import vl_convert
from tasks.document import comparisons
from tasks.document.charts.cells import cell_rows
from tasks.document.charts.history import DRIFTED, STEADY, history_chart
from tasks.document.charts.parts import DARK, LIGHT, SHAPES
from tasks.document.charts.specs import chart_specs
from tasks.document.figures.analyses import OTHERS, STYLES, styles
from tasks.document.figures.draw import draw_figures
from tasks.document.files import as_json, charts, from_table

from tests.tasks.report.made import CLUSTERING, PUBLIC, ROBUSTNESS, UCI, results
from tests.tasks.document.test_figures import curve, grid, picks

CELLS = [
    (dataset, method, protocol, 0.5 + i / 50 + j / 100)
    for i, dataset in enumerate(("Cora", "CiteSeer", "PubMed"))
    for j, method in enumerate(PUBLIC.methods)
    for protocol in PUBLIC.row(method).protocols
]
TIMES = {"method": ["GCN", "FLGC"], "hops": [1, 2], "accuracy": 0.5, "training_time": [0.2, 0.1]}
PAST = pd.DataFrame(
    [
        (f"2026-10-{day:02d}T03:00:00+00:00", "tiny", "iris", method, "honest", "accuracy", 0.9)
        for day in (1, 8, 15)
        for method in ("FLGC", "mine")
    ],
    columns=["when", "suite", "dataset", "method", "protocol", "metric", "value"],
)


def public() -> dict[str, dict[str, Any]]:
    """Dots, training time and sensitivity."""
    cells = results(*CELLS, *CELLS, of=PUBLIC).assign(p_hops=3, p_teleport=0.05)
    cells["run"] = cells.groupby(["dataset", "method", "protocol"]).cumcount()
    timings = {"Cora": pd.DataFrame(TIMES).assign(p_hops=[1, 2])}
    return chart_specs(cells, timings, {"Cora": grid()}, {"Cora": picks()}, {}, PUBLIC, {})


def curves() -> dict[str, dict[str, Any]]:
    lines = {"FLGC": curve(0.8, 0.9), "FLGC*": curve(0.8, 0.95)}
    given = {name: {"iris": lines, "wine": lines} for name in ("labels", "depths")}
    given["neighbours"] = {"iris": {"FLGC*": curve(0.7, 0.8)}}
    cells = results(
        *(
            (dataset, method, "paper", 0.7 + i / 10 + j / 20)
            for i, dataset in enumerate(("iris", "wine"))
            for j, method in enumerate(("FLGC", "FLGC*"))
        ),
        of=UCI,
    )
    ranked = comparisons.compared(cells, UCI, ["paper"])
    return chart_specs(cells, {}, {}, {}, given, UCI, ranked)


def clusterings() -> dict[str, dict[str, Any]]:
    cells = results(("iris", "FLGC*", "paper", 0.9), of=CLUSTERING, metric="ACC")
    point = pd.DataFrame({"x": [1, 2], "run": 0, "marks": "", "ACC": 0.9})
    given = {name: {"iris": {"FLGC*": point}} for name in ("hops", "teleport")}
    return chart_specs(cells, {}, {}, {}, given, CLUSTERING, {}, bars=True)


def data_of(spec: dict[str, Any]) -> pd.DataFrame:
    text = {name: str for name in ("printed", "runs")}
    return pd.read_csv(io.StringIO(spec["data"]["values"]), dtype=text, keep_default_na=False)


def tooltips(spec: dict[str, Any]) -> list[list[str]]:
    """The columns of each tooltip."""
    found = [layer["encoding"].get("tooltip", []) for layer in spec.get("layer", [spec])]
    return [[entry["field"] for entry in tooltip] for tooltip in found if tooltip]


@pytest.mark.parametrize("made", [public, curves, clusterings])
@pytest.mark.parametrize("config", [LIGHT, DARK])
def test_vega_draws_each_chart_and_nothing_is_loaded(made: Any, config: dict[str, Any]):
    for name, spec in made().items():
        assert spec["width"] == "container"
        assert "url" not in json.dumps(spec["data"])
        assert spec["background"] == "transparent"
        assert spec["description"]
        svg = vl_convert.vegalite_to_svg({**spec, "width": 500}, config=config)
        ink = config["axis"]["labelColor"]
        assert ink in svg, f"{name}: the page says what colour words have"


def test_there_is_a_chart_for_each_figure_but_matrices_and_images():
    assert list(public()) == [f"citation-public{end}" for end in ("", "-time", "-sensitivity")]
    ends = ("", "-ranks-paper", "-labels", "-depths", "-neighbours")
    assert list(curves()) == [f"uci{end}" for end in ends]
    assert list(clusterings()) == ["clustering-bars", "clustering-influence"]
    drawn = from_table(draw_figures([results(*CELLS, of=PUBLIC)], {}, {}, {}, {}, PUBLIC))
    assert list(charts(drawn)) == ["citation-public.svg"]
    assert json.loads(charts(drawn)["citation-public.svg"])["data"]
    assert chart_specs(results(*CELLS, of=PUBLIC)[:0], {}, {}, {}, {}, PUBLIC, {}) == {}


def test_cells_are_those_of_the_table_with_spread_runs_and_setting():
    cells = results(
        ("Cora", "FLGC*", "honest", 0.80), ("Cora", "FLGC*", "honest", 0.82), of=PUBLIC
    ).assign(run=[0, 1], p_hops=[3, 5], p_teleport=0.05)
    rows = cell_rows(PUBLIC, cells)
    [ours] = rows[rows["protocol"] == "honest"].to_dict("records")
    assert ours == {
        **{"dataset": "Cora", "method": "FLGC*", "protocol": "honest", "value": 81.0},
        **{"printed": "81.0 ± 1.0", "runs": "2"},
        "setting": "hops 3, teleport 0.05 (1 of 2 runs)",
    }
    published = rows[(rows["protocol"] == "published") & (rows["method"] == "FLGC*")]
    printed = [row for row in PUBLIC.published if row["method"] == "FLGC*"]
    assert published["value"].tolist() == pytest.approx([100 * row["value"] for row in printed])
    assert set(published["runs"]) == set(published["setting"]) == {""}


def test_dots_have_all_methods_and_datasets_in_their_order_and_colours():
    spec = public()["citation-public"]
    rows = data_of(spec)
    assert set(rows["method"]) == set(PUBLIC.methods)
    assert set(rows["dataset"]) == {"Cora", "CiteSeer", "PubMed"}
    scale = spec["layer"][1]["encoding"]["color"]["scale"]
    assert scale["domain"] == list(PUBLIC.methods)
    assert scale["range"] == [look["color"] for look in styles(PUBLIC.methods).values()]
    assert tooltips(spec) == [["method", "dataset", "protocol", "printed", "runs", "setting"]]
    assert spec["params"][0]["bind"] == "legend"
    markers = {marker for _, marker in (*STYLES.values(), *OTHERS)}
    assert markers <= set(SHAPES)


def test_curves_have_means_spread_and_a_scale_of_logarithms():
    spec = curves()["uci-labels"]
    rows = data_of(spec)
    first = rows[(rows["dataset"] == "iris") & (rows["method"] == "FLGC")].iloc[0]
    assert (first["x"], first["value"], first["spread"]) == (0, 81.0, 1.0)
    assert (first["printed"], first["runs"]) == ("81.00 ± 1.00", "2")
    y = spec["layer"][-1]["encoding"]["y"]
    assert (y["scale"]["type"], y["scale"]["reverse"]) == ("log", True)
    assert {"method", "dataset", "x", "printed", "runs", "setting"} == set(tooltips(spec)[0])
    choice = next(param for param in spec["params"] if param["name"] == "shown")
    assert choice["bind"]["options"] == ["iris", "wine"]


def test_noise_is_a_part_of_a_row():
    cells = results(("ExtendedYaleB", "FLGC*", "paper", 0.5), of=ROBUSTNESS, metric="ACC")
    cells = cells.assign(noise="gaussian", intensity=0.1, noise_pattern="shared", p_hops=2)
    [ours] = cell_rows(ROBUSTNESS, cells).query("protocol == 'paper'").to_dict("records")
    assert ours["dataset"] == "ExtendedYaleB gaussian 0.1 shared"
    assert ours["setting"] == "hops 2"


def test_the_same_numbers_give_the_same_bytes():
    for made in (public, curves, clusterings):
        assert as_json(made()) == as_json(made())


def test_a_large_table_stays_small():
    names = [f"dataset {i}" for i in range(24)]
    cells = [(d, m, p, 0.8) for d in names for m in UCI.methods for p in ("paper", "honest")]
    rows = results(*cells, of=UCI).assign(p_scaling="min-max", p_hops=3, p_regularization=0.001)
    [spec] = chart_specs(rows, {}, {}, {}, {}, UCI, {}).values()
    assert len(as_json(spec)) / len(cells) < 150, "bytes of a cell"


def test_history_marks_what_has_drifted():
    spec = history_chart(PAST.assign(drift=[False] * 5 + [True]))
    rows = data_of(spec)
    assert rows["drift"].tolist() == [STEADY] * 5 + [DRIFTED]
    assert rows[["when", "method"]].equals(PAST[["when", "method"]])
    assert rows["value"].tolist() == pytest.approx(PAST["value"].tolist())
    shape = spec["layer"][1]["encoding"]["shape"]["scale"]
    assert shape["domain"] == [STEADY, DRIFTED]
    assert len(set(shape["range"])) == 2
    assert {"drift", "when", "printed", "metric", "suite"} <= set(tooltips(spec)[0])
    assert "<svg" in vl_convert.vegalite_to_svg({**spec, "width": 500})
    assert set(data_of(history_chart(PAST))["drift"]) == {STEADY}, "where nobody has looked"
