"""Source files as this process first saw them, and what each module binds at its top level.

Imported code stays as it is when its file changes, and so does what was read here.
"""

import ast
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

PROJECT = ("flgc", "tasks", "flows")
INSTALLED = {"site-packages", "dist-packages"}
# Under this name a module binds the statements that do more than bind a name.
LOOSE = "<statements>"
Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

# Python 3.11 mixes up how deep it is in trees that several threads parse at once: SystemError.
_parsing = threading.Lock()


class Name(NamedTuple):
    """What `a.b.c` means in a module; without a path, the whole module."""

    module: str
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Module:
    """A parsed module: the statements that bind each of its names, or what an import binds it to.

    `stars` are the modules from which it imports `*`.
    """

    name: str
    path: Path
    bindings: dict[str, list[ast.stmt | Name]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def imports(self, node: ast.AST) -> Iterator[tuple[str, Name]]:
        """The names that import statements anywhere in a node bind; `*` too."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Import):
                for alias in inner.names:
                    top = alias.name.partition(".")[0]
                    yield alias.asname or top, Name(alias.name if alias.asname else top)
            elif isinstance(inner, ast.ImportFrom):
                package = self.name.split(".")
                drop = inner.level - (self.path.name == "__init__.py")
                base = package[: len(package) - drop] if inner.level else []
                target = ".".join([*base, *([inner.module] if inner.module else [])])
                for alias in inner.names:
                    yield alias.asname or alias.name, Name(target, (alias.name,))


@cache
def module_of(name: str) -> Module | None:
    """The module of that name, read and never run; None if it has no source."""
    path = source_file(name)
    if path is None:
        return None
    with _parsing:
        tree = ast.parse(_read(path), filename=str(path))
        _normalise(tree)
    module = Module(name, path)
    for node in tree.body:
        _collect(module, node)
    return module


def is_installed(top: str) -> bool:
    """Does a top-level package belong to Python or to what was installed beside it?"""
    if top in sys.stdlib_module_names:
        return True
    path = next(iter(_folders(top)), None) or source_file(top)
    return path is None or bool(INSTALLED & set(path.parts))


def differs(path: Path) -> bool:
    """Is a file that was read here another one now?"""
    try:
        return path.read_bytes() != _read(path)
    except OSError:
        return True


def _spec(top: str) -> ModuleSpec | None:
    try:
        return find_spec(top)
    except ValueError:  # a module that was made by hand
        return None


def _folders(top: str) -> list[Path]:
    spec = _spec(top)
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]


# The project's files as they are when its first stage is imported; others when first read.
_snapshot: dict[Path, bytes] = {
    path: path.read_bytes()
    for top in PROJECT
    for folder in _folders(top)
    for path in folder.rglob("*.py")
}


def _read(path: Path) -> bytes:
    if path not in _snapshot:
        _snapshot.setdefault(path, path.read_bytes())  # the first of several threads decides
    return _snapshot[path]


@cache
def source_file(module: str) -> Path | None:
    """Where a module's source is, found without running its package."""
    top, *inner = module.split(".")
    folders = _folders(top)
    if not folders:
        spec = _spec(top)
        origin = spec.origin if spec and not inner else None
        return Path(origin) if origin and origin.endswith(".py") else None
    for folder in folders:
        stem = folder.joinpath(*inner)
        for path in (stem / "__init__.py", stem.parent / f"{stem.name}.py"):
            # A file that came to the project later is not what this process runs.
            if path in _snapshot if top in PROJECT else path.is_file():
                return path
    return None


def _normalise(tree: ast.Module) -> None:
    """Without docstrings, and with annotations that stand in quotes as expressions."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_prose(part)] or [ast.Pass()]  # type: ignore[attr-defined]
        for name in ("annotation", "returns"):
            if isinstance(getattr(node, name, None), ast.expr):
                setattr(node, name, _Unquoted().visit(getattr(node, name)))


def _is_prose(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


class _Unquoted(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, str):
            return node
        try:
            return ast.parse(node.value, mode="eval").body
        except (ValueError, SyntaxError):  # text for readers
            return node


def _collect(module: Module, node: ast.stmt) -> None:
    """File a top-level statement under the names that it binds, or as a loose one."""
    condition = ast.unparse(node.test) if isinstance(node, ast.If) else ""
    if isinstance(node, ast.If) and condition.endswith("TYPE_CHECKING"):
        for part in [*node.body, *node.orelse]:
            _collect(module, part)
    elif isinstance(node, ast.Pass) or condition.startswith("__name__"):
        return  # the latter is not run when the module is imported
    elif isinstance(node, ast.Import | ast.ImportFrom):
        _collect_imports(module, node)
    elif (names := _bound_plainly(node)) is not None:
        for name in names:
            module.bindings.setdefault(name, []).append(node)
    else:
        module.bindings.setdefault(LOOSE, []).append(node)
        _collect_imports(module, node)
        bound = [n.name for n in ast.walk(node) if isinstance(n, Documented)]
        stored = (n for n in ast.walk(node) if isinstance(n, ast.Name))
        bound += [n.id for n in stored if isinstance(n.ctx, ast.Store)]
        for name in bound:
            module.bindings.setdefault(name, []).append(Name(module.name, (LOOSE,)))


def _collect_imports(module: Module, node: ast.stmt) -> None:
    for name, meaning in module.imports(node):
        if name == "*":
            module.stars.append(meaning.module)
        else:
            module.bindings.setdefault(name, []).append(meaning)


def _bound_plainly(node: ast.stmt) -> list[str] | None:
    """Names of a definition or of a plain assignment; None if it is neither."""
    if isinstance(node, Documented):
        return [node.name]
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    else:
        return None
    parts = [p for t in targets for p in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    if names == ["__all__"]:
        return []
    return names if len(names) == len(parts) else None
