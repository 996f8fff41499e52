"""No name of the paper stands outside of the rooms that declare and judge what it says."""

import ast
import re
from itertools import chain
from pathlib import Path

import pytest

from tasks.declared.looks import METHODS
from tasks.declared.paper import PAPER
from tasks.declared.published import TABLES

TASKS = Path(__file__).parents[3] / "tasks"
# Datasets that are called by words of everyday.
WORDS = {"air", "seeds", "heart", "vote", "glass", "breast", "cotton"}
OWN = {*METHODS, *TABLES, *chain.from_iterable((*e.methods, *e.datasets) for e in PAPER)} - WORDS
NAMES = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, sorted(OWN)))})(?!\w)")
PLACES = re.compile(r"\b(Table|Figure|Section)s? [IVX\d]+\b")


def violations(source: str) -> list[str]:
    """Texts and names of a module; docstrings may have names, as examples, but no places."""
    found, documented = [], (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            node.body[0].value.value = ""  # type: ignore[attr-defined]
            found += [text] if PLACES.search(text) else []
        names = (getattr(node, name, "") for name in ("value", "id", "attr"))
        texts = [name for name in names if isinstance(name, str)]
        found += [text for text in texts if NAMES.search(text) or PLACES.search(text)]
    return found


def test_no_name_of_the_paper_stands_elsewhere() -> None:
    found = {}
    for path in sorted(TASKS.rglob("*")):
        room = path.relative_to(TASKS).parts[0]
        if room in ("paper", "declared") or path.suffix not in (".py", ".html", ".js", ".css"):
            continue
        source = path.read_text(encoding="utf-8")
        wrong = violations(source) if path.suffix == ".py" else NAMES.findall(source)
        found |= {path.name: wrong} if wrong else {}
    assert found == {}


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        *((text, True) for text in ('x = "FLGC*"', 'f"{x} on Cora"', "GCN", "a.EDSC = 1")),
        ('"""As in Table II."""', True),
        ('"""`GCN on Cora`, for one."""', False),
        *((text, False) for text in ('x = "FLGC_STORE"', "seeds = 1")),
    ],
)
def test_what_is_a_name(source: str, wrong: bool) -> None:
    assert bool(violations(source)) == wrong
