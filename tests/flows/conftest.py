"""Commands in tests: silent, with folders of their own, and without a flow where none may start."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from tasks.report.rows import COLUMNS, joined
from tasks.store import Store
from tasks.store.layouts import load

Command = Callable[..., Any]


def cells_of(store: object, state: Any) -> pd.DataFrame:
    """The rows of all cells of a flow that ended in this state."""
    sections = state.result(raise_on_failure=False)
    cells = [load(Store(str(store)), result) for each in sections for result in each.cells]
    return joined(cells)[list(COLUMNS)]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """`command("evaluate", "wine", "--runs", 3)` is what a person would type after `flgc`."""
    from flows.cli.terminal import QUIET

    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    for name in ("FLGC_REPORTS", "FLGC_CACHE", "FLGC_STORE"):
        monkeypatch.setenv(name, str(tmp_path / name.removeprefix("FLGC_").lower()))

    def run(name: str, *arguments: object) -> Any:
        app = import_module(f"flows.cli.{name}").app
        return CliRunner().invoke(app, list(map(str, arguments)))

    return run


@pytest.fixture
def no_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("reproduce", "evaluate", "robustness"):
        run_flow = f"flows.cli.{name}.run_flow"
        monkeypatch.setattr(run_flow, lambda *_: pytest.fail("a flow ran"))
