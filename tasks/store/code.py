"""Digest of the code that a stage runs: the part of a key that changes when `flgc` does.

Comments, docstrings, the layout of the source and the place where it lies make no difference.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tasks.store.digests import feed

LIBRARY = "flgc"


def code_digest(*modules: str) -> str:
    """sha256 of the source of these modules and of all that they import from their own package.

    What is imported is read off the import statements, wherever they stand; nothing is run. A
    package's `__init__` counts when a name is imported from it, not because a module lies inside.
    Modules that are named by a string at run time are not seen: name them here.
    """
    digest = hashlib.sha256()
    for name, source in sorted(_closure(modules).items()):
        feed(digest, name.encode(), source.encode())
    return digest.hexdigest()


def _closure(modules: tuple[str, ...]) -> dict[str, str]:
    followed = {LIBRARY} | {module.split(".")[0] for module in modules}
    sources: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in sources:
            continue
        path = _source_file(name)
        if path is None:
            raise ModuleNotFoundError(f"no source file for the module {name!r}; is it spelled so?")
        sources[name], imported = _without_prose(path, name)
        for target, attribute in imported:
            if target.split(".")[0] not in followed:
                continue
            inside = f"{target}.{attribute}"
            waiting.append(inside if attribute and _source_file(inside) else target)
    return sources


def _source_file(module: str) -> Path | None:
    """Where a module's source is, found without running its package."""
    top, *inner = module.split(".")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        return Path(spec.origin) if spec and spec.origin and not inner else None
    for folder in spec.submodule_search_locations:
        stem = Path(folder).joinpath(*inner)
        for candidate in (stem / "__init__.py", stem.with_suffix(".py")):
            if candidate.is_file():
                return candidate
    return None


# Read once per process: what has been imported does not change when its file does.
@cache
def _without_prose(path: Path, module: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    imported = tuple(_imports(tree, package))
    for node in ast.walk(tree):
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree), imported


def _imports(tree: ast.Module, package: str) -> Iterator[tuple[str, str]]:
    """(module, attribute or nothing) for every import statement in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = parents if node.level else []
            target = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((target, alias.name) for alias in node.names)
