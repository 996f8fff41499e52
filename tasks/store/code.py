"""Digest of the code that a stage runs: the part of a key that changes when that code does.

It covers a function or class, the definitions that its source names, those that these name, and so
on. Docstrings, comments, layout and the place of the source make no difference.
"""

import ast
import hashlib
import platform
import re
import symtable
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from types import MethodType
from typing import Any

from tasks.store.digests import feed
from tasks.store.files import StoreError
from tasks.store.sources import (
    LOOSE,
    PROJECT,
    Module,
    Name,
    differs,
    is_installed,
    module_of,
    source_file,
)

DISTRIBUTION = "flgc"
# Whoever takes an entry of a registry names it, and what a stage computes has keys of its own: a
# definition that mentions either does not depend on all that it leads to.
LISTS = (Name("flgc.registry", ("Registry",)), Name("tasks.running.stage", ("Stage",)))
# Who listens to the progress of a loop does not change what it computes.
LISTENERS = ("flgc.progress", "flgc.datasets.fetching.progress")
# How steps are ordered and run does not change what they compute.
RUNNERS = ("tasks.running.stage", "tasks.running.steps")


class CodeChanged(StoreError):
    """A source file was edited while its code ran: nobody knows which version computed."""


@dataclass(frozen=True)
class Definition:
    """The source that a name stands for, without docstrings, and what that source names."""

    text: str
    uses: frozenset[Name]


def code_digest(*objects: Any) -> str:
    """sha256 of the definitions of these functions and classes and of all that they name.

    An instance counts as its class, and with the objects in its `__code_parts__`. The project's
    and the users' own packages are followed by source; nothing is run. An object of a package
    that the project requires counts by the version of that package. What a name stands for at
    run time only (a string, an entry of a `Registry`) is not seen: give it as an object too.
    """
    return _digest_and_files(tuple(_roots(objects)))[0]


def changed_files(*objects: Any) -> list[Path]:
    """The files behind the digest of these objects that have changed since they were read."""
    return sorted(path for path in _digest_and_files(tuple(_roots(objects)))[1] if differs(path))


# Roots are definitions, or text: a version, or the method that is bound to what comes before it.
Root = Name | str


def _roots(objects: Iterable[Any]) -> Iterator[Root]:
    for each in objects:
        if isinstance(each, MethodType):
            yield from _roots([each.__self__])
            yield f"method {each.__name__}"
        else:
            yield _root(each)
            parts = getattr(each, "__code_parts__", ())
            yield from _roots(parts if isinstance(parts, tuple) else ())


def _root(given: Any) -> Root:
    """The definition of a function, of a class or of an instance's class, by its name."""
    definition = given if hasattr(given, "__qualname__") else type(given)
    module, name = definition.__module__, definition.__qualname__
    # A partial function would count without what is bound to it.
    if module is None or (definition is not given and module in ("builtins", "functools")):
        raise _no_digest(given, "it is neither a function, a class nor an instance of one")
    if "<" in name:
        bound = vars(sys.modules[module]).items() if module in sys.modules else ()
        name = next((name for name, value in bound if value is given), "")
        if not name:
            raise _no_digest(given, f"it is not bound to a name of the module {module}")
    if module == "__main__":
        main = sys.modules["__main__"]
        stem = Path(getattr(main, "__file__", "")).stem
        module = main.__spec__.name if main.__spec__ else stem
    requirement = _requirement(module.partition(".")[0])
    if requirement:
        return f"{requirement} {module}:{name}"
    source, outer = module_of(module), name.partition(".")[0]
    if source is None or outer not in source.bindings:
        raise _no_digest(given, f"the source of the module {module!r} does not define {name!r}")
    return Name(module, (outer,))


def _no_digest(given: Any, reason: str) -> TypeError:
    return TypeError(f"no digest of {given!r}: {reason}; name a module-level function or class")


@cache
def _requirement(top: str) -> str | None:
    """`distribution==version` of a package that flgc requires; None if it counts by source."""
    if top in PROJECT or not is_installed(top):
        return None
    if top in sys.stdlib_module_names:
        return f"python=={platform.python_version()}"
    names = {re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in requires(DISTRIBUTION) or ()}
    provider = next((name for name in sorted(names) if _provides(name, top)), None)
    return None if provider is None else f"{provider}=={version(provider)}"


def _provides(name: str, top: str) -> bool:
    """Has a distribution files of this package? `packages_distributions` would take a second."""
    with suppress(PackageNotFoundError):
        files = distribution(name).read_text("RECORD") or ""
        return re.search(rf"^{top}(/|\.[^/,]*(py|so|pyd),)", files, re.MULTILINE) is not None
    return False


@cache
def _digest_and_files(roots: tuple[Root, ...]) -> tuple[str, frozenset[Path]]:
    waiting = [root for root in roots if isinstance(root, Name)]
    given = {name.module.partition(".")[0] for name in waiting}
    definitions: dict[Name, Definition] = {}
    while waiting:
        name = waiting.pop()
        if name not in definitions and _is_followed(name.module, given):
            definitions[name] = _definition(name)
            waiting += definitions[name].uses
    digest = hashlib.sha256()
    for root in roots:
        feed(digest, b"given", repr(root).encode())
    for name, definition in sorted(definitions.items()):
        if definition.text:
            feed(digest, repr(name).encode(), definition.text.encode())
    files = (source_file(name.module) for name in definitions)
    return digest.hexdigest(), frozenset(path for path in files if path)


def _is_followed(module: str, given: set[str]) -> bool:
    """Does its source count? The project's does, and that of given and uninstalled packages."""
    top = module.partition(".")[0]
    return module not in (*LISTENERS, *RUNNERS) and (
        top in PROJECT or top in given or not is_installed(top)
    )


@cache
def _definition(name: Name) -> Definition:
    """One step: what the name is bound to may be a name in another module."""
    module = module_of(name.module)
    if not name.path:
        return Definition("", frozenset(_all_names(module) if module else ()))
    first, rest = name.path[0], name.path[1:]
    bindings = module.bindings.get(first, []) if module else []
    meanings = [
        Name(bound.module, bound.path + rest)
        for bound in bindings
        # A package may import a module of its own by the package's name.
        if isinstance(bound, Name) and bound != Name(name.module, (first,))
    ]
    nodes = [node for node in bindings if isinstance(node, ast.stmt)]
    if module is None or not (meanings or nodes):
        return Definition("", frozenset(_unbound(module, name)))
    if any(_is_list(node, module) for node in nodes):
        return Definition("", frozenset())
    if nodes and rest:
        return Definition("", frozenset([*meanings, Name(name.module, (first,))]))
    # What an imported name means is part of the text: two imports may change places.
    source = [*map(ast.unparse, nodes), *map(repr, meanings)]
    return Definition("\n".join(source), frozenset([*meanings, *_used(nodes, module)]))


def _all_names(module: Module) -> Iterator[Name]:
    """What a module defines or imports, except modules: they count where a definition uses them."""
    for bound_name, bindings in module.bindings.items():
        if not any(isinstance(b, Name) and _is_module(b) for b in bindings):
            yield Name(module.name, (bound_name,))
    yield from map(Name, module.stars)


def _is_module(name: Name) -> bool:
    return source_file(".".join([name.module, *name.path])) is not None


def _unbound(module: Module | None, name: Name) -> Iterator[Name]:
    """Where a name may come from that its module does not bind."""
    inner = f"{name.module}.{name.path[0]}"
    if module is None or source_file(inner):  # a folder without an `__init__.py`, or a submodule
        yield Name(inner, name.path[1:])
    elif module.stars:
        yield from map(Name, module.stars)
    else:
        yield Name(module.name, ("__getattr__",) if "__getattr__" in module.bindings else ())


def _is_list(node: ast.stmt, module: Module) -> bool:
    value = getattr(node, "value", None)
    chain = _chain(value.func) if isinstance(value, ast.Call) else None
    return chain is not None and any(each in module.bindings.get(chain[0], ()) for each in LISTS)


def _used(nodes: list[ast.stmt], module: Module) -> Iterator[Name]:
    """What the `a.b.c` in these statements mean whose `a` is no local variable."""
    if LOOSE in module.bindings:  # which may change any definition of the module
        yield Name(module.name, (LOOSE,))
    local: dict[str, list[Name]] = {}
    for bound, meaning in (pair for node in nodes for pair in module.imports(node)):
        local.setdefault(bound, []).append(meaning)
    chains = {chain for node in nodes for chain in _chains(node)}
    for bound in local.keys() - {chain[0] for chain in chains}:
        yield from local[bound]  # imported for what the import does
    source = "\n".join(map(ast.unparse, nodes))
    outer = set(_outer_names(symtable.symtable(source, module.name, "exec")))
    for first, *rest in chains:
        if first in local:
            yield from (Name(m.module, (*m.path, *rest)) for m in local[first])
        elif first in outer and (first in module.bindings or module.stars):
            yield Name(module.name, (first, *rest))


def _outer_names(table: symtable.SymbolTable) -> Iterator[str]:
    """Names that are looked up in the module, from any scope."""
    for symbol in table.get_symbols():
        inner = table.get_type() == "function"
        if symbol.is_global() if inner else symbol.is_referenced() and not symbol.is_free():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _outer_names(child)


def _chains(node: ast.AST) -> Iterator[tuple[str, ...]]:
    """The longest `a.b.c` of each place."""
    chain = _chain(node)
    if chain:
        yield chain
    else:
        for child in ast.iter_child_nodes(node):
            yield from _chains(child)


def _chain(node: ast.AST) -> tuple[str, ...] | None:
    """The names of `a.b.c`; None for anything else."""
    if isinstance(node, ast.Name):
        return (node.id,)
    inner = _chain(node.value) if isinstance(node, ast.Attribute) else None
    return (*inner, node.attr) if inner and isinstance(node, ast.Attribute) else None
