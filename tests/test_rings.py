"""Imports point inwards only: flows -> tasks -> flgc."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    "flgc": {"tasks", "flows", "deployments", "prefect"},
    "tasks": {"flows", "deployments"},
    "flows": set(),
}


@pytest.mark.parametrize("ring", FORBIDDEN)
def test_imports_point_inwards(ring):
    for path in (ROOT / ring).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            outward = {name.split(".")[0] for name in names} & FORBIDDEN[ring]
            assert not outward, f"{path.relative_to(ROOT)} imports {outward}"
