"""Curves through a real server: a method that breaks in a figure, and its table and rivals."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flgc.methods.base import Grid, Method, Outputs, Problem, Setting, settings_of
from tasks.store import Store
from tasks.store.layouts import load

pytest.importorskip("prefect")
pytestmark = pytest.mark.slow

NAME = f"{__name__}:Fragile"


class Fragile(Method):
    """The most frequent class, if there are enough labels."""

    name = "fragile"
    axes: Grid = {"depth": (None, 3)}  # noqa: RUF012

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        assert problem.n_runs == 1
        codes = problem.labels[0][problem.labelled(0)]
        if len(codes) < 5:
            raise ValueError(f"{len(codes)} labels are too few")
        for setting in settings_of(grid):
            assert setting["depth"] in (None, 3)
            yield setting, Outputs([np.full(len(problem.asked[0]), np.bincount(codes).argmax())])


def test_a_method_that_breaks_in_a_figure_is_missing_there_alone(
    prefect_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.uci import uci

    monkeypatch.setenv("FLGC_REPORTS", str(tmp_path / "reports"))
    chosen: dict[str, Any] = {"datasets": ["iris"], "methods": ["FLGC*", NAME], "runs": 2}
    state: Any = uci(suite="tiny", store=str(tmp_path / "store"), **chosen, return_state=True)
    assert state.is_failed()
    assert [line for line in state.message.splitlines() if line.startswith("- ")] == [
        f"- uci-tiny: vary iris {NAME} for labels: failed: MethodFailed: {NAME}: "
        "ValueError: 3 labels are too few"
    ]
    [section] = state.result(raise_on_failure=False)
    assert len(section.cells) == 4, "all cells"
    curves = {name: section.products[name]["iris"] for name in ("labels", "depths", "neighbours")}
    assert {figure: list(lines) for figure, lines in curves.items()} == {
        "labels": ["FLGC*"],
        "depths": ["FLGC*"],
        "neighbours": ["FLGC*"],
    }
    for figure, values in {"labels": [1, 3], "depths": [1, 3], "neighbours": [0, 5]}.items():
        rows = load(Store(tmp_path / "store"), curves[figure]["FLGC*"])
        assert rows.groupby("x")["run"].apply(list).to_dict() == {x: [0, 1] for x in values}
    [report] = (tmp_path / "reports").glob("tiny-*-uci")
    for figure in curves:
        assert f"(uci-tiny-{figure}.svg)" in (report / "report.md").read_text()
        assert (report / f"uci-tiny-{figure}.svg").is_file()
        assert (report / f"uci-tiny-{figure}.csv").is_file()
