"""Shell completion of names of datasets and methods, without importing their packages."""

import ast
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

METHODS = "flgc.methods.registry"


def dataset_names() -> list[str]:
    """All datasets, yours too; the shell picks those that match."""
    from flgc.datasets.catalogue.registry import REGISTRY
    from flgc.datasets.fetching.settings import Settings
    from flgc.datasets.library import own_names

    return [*REGISTRY, *own_names(Settings.of())]


def method_names() -> list[str]:
    """The methods of this library; the shell picks those that match.

    Their table is parsed, not imported: importing scikit-learn would take a second.
    """
    spec = find_spec(METHODS)
    source = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Contender":
            names += _texts(node.args[:1])
        elif isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "BUILT_IN":
            keys = node.value.keys if isinstance(node.value, ast.Dict) else []
            names += _texts(key.elts[0] for key in keys if isinstance(key, ast.Tuple))
    return list(dict.fromkeys(names))


def _texts(nodes: Iterable[ast.expr]) -> list[str]:
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [value for value in values if isinstance(value, str)]
