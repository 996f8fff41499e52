"""Digest of the code that a stage runs: the part of a key that changes when that code does.

It is found definition by definition: a function or a class, what its source names, and so on.
Prose, the layout of the source and the place where it lies make no difference.
"""

import ast
import hashlib
import json
import platform
import re
import symtable
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from types import MethodType
from typing import Any, NamedTuple

from tasks.store.digests import feed, plain
from tasks.store.files import StoreError
from tasks.store.sources import PROJECT, Imported, Module, differs, is_installed, module_of

DISTRIBUTION = "flgc"
Chain = tuple[str, ...]


class CodeChanged(StoreError):
    """A source file was edited while its code ran: which of the two computed cannot be told."""


class Target(NamedTuple):
    """A definition: where it stands and the name that it is bound to there."""

    module: str
    name: str


# Names of what is no definition: all of a module, its statements that bind nothing plainly, and
# what is not followed.
WHOLE, LOOSE, OUTSIDE = "<module>", "<statements>", "<outside>"
REGISTRY = Target("flgc.registry", "Registry")
# Whoever listens to how far a loop is, the loop computes the same.
LISTENED = ("flgc.progress", "flgc.datasets.fetching.progress")


@dataclass(frozen=True)
class Definition:
    """A definition's source without prose, what it names, and the files that told it."""

    text: str
    targets: frozenset[Target]
    files: frozenset[Path]


def code_digest(*objects: Any) -> str:
    """sha256 of the definitions of these functions and classes and of all that they name.

    An instance counts as its class, and with the objects in its `__code_parts__`. The project's
    and the users' own packages are followed by source; nothing is run. An object of a package
    that the project depends on counts by the version of that package. What a name stands for at
    run time only (a string, an entry of a `Registry`) is not seen: give it as an object too.
    """
    return _digested(tuple(_roots(objects)))[0]


def changed_files(*objects: Any) -> list[Path]:
    """The files behind the digest of these objects that are no longer what was digested."""
    return sorted(path for path in _digested(tuple(_roots(objects)))[1] if differs(path))


# Roots are definitions, or text: a version, or a value that was bound to a partial function.
Root = Target | str


def _roots(objects: Iterable[Any]) -> Iterator[Root]:
    for given in objects:
        if isinstance(given, partial):
            yield from _roots([given.func])
            for name, value in [*enumerate(given.args), *given.keywords.items()]:
                yield f"argument {name}"
                if callable(value):
                    yield from _roots([value])
                else:
                    yield json.dumps(plain(value, f"argument {name} of {given}"), sort_keys=True)
        elif isinstance(given, MethodType):
            yield from _roots([given.__self__])
            yield f"method {given.__name__}"
        else:
            yield from _named(given)
            parts = getattr(given, "__code_parts__", ())
            yield from _roots(parts if isinstance(parts, tuple) else ())


def _named(given: Any) -> Iterator[Root]:
    """The definition of a function, of a class or of an instance's class, by its name."""
    definition = given if hasattr(given, "__qualname__") else type(given)
    module, name = definition.__module__, definition.__qualname__
    if module is None or (definition is not given and module == "builtins"):
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
    counted = _third_party(module.partition(".")[0])
    if counted:
        yield f"{counted} {module}:{name}"
        return
    targets = _found(module, name.partition(".")[0])
    if not targets:
        raise _no_digest(given, f"the source of the module {module!r} does not define {name!r}")
    yield from targets


def _no_digest(given: Any, reason: str) -> TypeError:
    return TypeError(f"no digest of {given!r}: {reason}; name a module-level function or class")


@cache
def _found(module: str, name: str) -> tuple[Target, ...]:
    found = module_of(module)
    followed = frozenset({module.partition(".")[0]})
    return tuple(sorted(set(_Names(followed).bound(found, (name,))))) if found else ()


@cache
def _third_party(top: str) -> str | None:
    """`distribution==version` of a package that flgc depends on; None if it counts by source."""
    if top in PROJECT or not is_installed(top):
        return None
    if top in sys.stdlib_module_names:
        return f"python=={platform.python_version()}"
    provider = next((name for name, found in _dependencies().items() if _has(found, top)), None)
    return None if provider is None else f"{provider}=={version(provider)}"


def _has(found: Distribution, top: str) -> bool:
    """Is it in the list of files? `packages_distributions` takes a second for the same answer."""
    files = found.read_text("RECORD")
    if files is None:
        return top in (found.read_text("top_level.txt") or "").split()
    return re.search(rf"^{re.escape(top)}(/|\.[^/,]*(py|so|pyd),)", files, re.MULTILINE) is not None


@cache
def _dependencies() -> dict[str, Distribution]:
    """What flgc needs, with all extras, and what that needs; by name, if it is installed."""
    found: dict[str, Distribution] = {}
    waiting = [DISTRIBUTION]
    seen = set()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            needed = distribution(name)
        except PackageNotFoundError:
            continue
        if name != DISTRIBUTION:
            found[name] = needed
        waiting += [re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in needed.requires or ()]
    return found


@cache
def _digested(roots: tuple[Root, ...]) -> tuple[str, frozenset[Path]]:
    targets = {root for root in roots if isinstance(root, Target)}
    followed = frozenset(target.module.partition(".")[0] for target in targets)
    definitions: dict[Target, Definition] = {}
    waiting = list(targets)
    while waiting:
        target = waiting.pop()
        if target in definitions or target.name == OUTSIDE:
            continue
        definitions[target] = _definition(target, followed)
        waiting += definitions[target].targets
    digest = hashlib.sha256()
    for root in roots:
        feed(digest, b"given", ":".join([root] if isinstance(root, str) else root).encode())
    for target, definition in sorted(definitions.items()):
        if definition.text:
            feed(digest, ":".join(target).encode(), definition.text.encode())
    return digest.hexdigest(), frozenset().union(*(d.files for d in definitions.values()))


@cache
def _definition(target: Target, followed: frozenset[str]) -> Definition:
    module = module_of(target.module)
    assert module is not None  # targets are made from modules that were read
    names = _Names(followed)
    names.files.add(module.path)
    if target.name == WHOLE:
        inside = {part for name in module.bindings for part in names.bound(module, (name,))}
        found = {part for part in inside if part.name != WHOLE} | {Target(module.name, LOOSE)}
        found |= {part for star in module.stars for part in names.inside(star, ())}
        return Definition("", frozenset(found), frozenset(names.files))
    bindings = module.loose if target.name == LOOSE else module.bindings[target.name]
    nodes = [node for node in bindings if isinstance(node, ast.stmt)]
    if any(_is_registry(node, module, names) for node in nodes):
        return Definition("", frozenset(), frozenset(names.files))
    source = "\n".join(ast.unparse(node) for node in nodes)
    # What a name stands for is part of the text: two imports may change places.
    stands_for = {
        ".".join(chain): sorted(set(names.used(module, chain, local)))
        for chain, local in _chains(nodes, source, module)
    }
    lines = [
        f"{chain} = {', '.join(':'.join(part) for part in found)}"
        for chain, found in sorted(stands_for.items())
        if found
    ]
    found = {part for parts in stands_for.values() for part in parts}
    # Every definition of a module may depend on what its loose statements do.
    found |= {Target(module.name, LOOSE)} if module.loose else set()
    return Definition("\n".join([source, *lines]), frozenset(found), frozenset(names.files))


def _is_registry(node: ast.stmt, module: Module, names: "_Names") -> bool:
    value = getattr(node, "value", None)
    if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(value, ast.Call):
        return False
    called = value.func.value if isinstance(value.func, ast.Subscript) else value.func
    chain = _chain(called)
    return chain is not None and REGISTRY in names.bound(module, chain)


class _Names:
    """Finds the definitions that names stand for, and notes the files that it looked into."""

    def __init__(self, followed: frozenset[str]) -> None:
        self.followed = followed
        self.files: set[Path] = set()

    def used(self, module: Module, chain: Chain, local: list[Imported]) -> Iterator[Target]:
        """What `a.b.c` in a definition stands for; nothing if it is one of Python's own names."""
        for imported in local:
            yield from self.inside(imported.module, (*imported.names, *chain[1:]))
        if not local:
            found = list(self.bound(module, chain))
            yield from found
            for star in module.stars if not found else ():
                yield from self.inside(star, ())

    def bound(
        self, module: Module, chain: Chain, seen: frozenset[Target] = frozenset()
    ) -> Iterator[Target]:
        """What a name that the module binds stands for."""
        here = Target(module.name, chain[0])
        if here in seen:  # a package that imports a module of its own by the package's name
            return
        self.files.add(module.path)
        for binding in module.bindings.get(chain[0]) or module.hints.get(chain[0]) or ():
            if isinstance(binding, Imported):
                rest = (*binding.names, *chain[1:])
                yield from self.inside(binding.module, rest, seen | {here})
            else:
                yield Target(module.name, LOOSE) if binding is None else here

    def inside(
        self, name: str, chain: Chain, seen: frozenset[Target] = frozenset()
    ) -> Iterator[Target]:
        """What `chain` stands for in the module of that name; all of the module if it is not
        told by its source.
        """
        top = name.partition(".")[0]
        follow = top in PROJECT or top in self.followed or not is_installed(top)
        follow = follow and name not in LISTENED
        module = module_of(name) if follow else None
        if module is None and follow and chain:  # a folder without an __init__
            yield from self.inside(f"{name}.{chain[0]}", chain[1:], seen)
            return
        if module is None:
            yield Target(".".join((name, *chain)), OUTSIDE)
            return
        self.files.add(module.path)
        if not chain:
            yield Target(name, WHOLE)
            return
        found = list(self.bound(module, chain, seen))
        if found:
            yield from found
        elif module_of(f"{name}.{chain[0]}"):
            yield from self.inside(f"{name}.{chain[0]}", chain[1:], seen)
        elif module.stars:
            for star in module.stars:
                yield from self.inside(star, (), seen)
        else:
            yield Target(name, "__getattr__" if "__getattr__" in module.bindings else WHOLE)


def _chains(
    nodes: list[ast.stmt], source: str, module: Module
) -> Iterator[tuple[Chain, list[Imported]]]:
    """Each `a.b.c` whose `a` is no local variable, with the imports inside that bind `a`."""
    local: dict[str, list[Imported]] = {}
    for name, imported in (pair for node in nodes for pair in module.imports(node)):
        local.setdefault(name, []).append(imported)
    collector = _Collector()
    for node in nodes:
        collector.visit(node)
    outer = set(_outer_names(symtable.symtable(source, module.name, "exec")))
    for chain in collector.chains:
        if chain[0] in outer or chain[0] in local:
            yield chain, local.get(chain[0], [])
    # Imported for what the import does.
    for name in local.keys() - {chain[0] for chain in collector.chains}:
        yield (name,), local[name]


def _outer_names(table: symtable.SymbolTable) -> Iterator[str]:
    """Names that are looked up in the module, from any scope."""
    for symbol in table.get_symbols():
        inner = table.get_type() == "function"
        if symbol.is_global() if inner else symbol.is_referenced() and not symbol.is_free():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _outer_names(child)


class _Collector(ast.NodeVisitor):
    """Collects the longest `a.b.c` of each place."""

    def __init__(self) -> None:
        self.chains: set[Chain] = set()

    def visit_Name(self, node: ast.Name) -> None:
        self.chains.add((node.id,))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain = _chain(node)
        if chain is None:
            self.generic_visit(node)
        else:
            self.chains.add(chain)


def _chain(node: ast.expr) -> Chain | None:
    """The names of `a.b.c`; None for any other expression."""
    if isinstance(node, ast.Name):
        return (node.id,)
    inner = _chain(node.value) if isinstance(node, ast.Attribute) else None
    return (*inner, node.attr) if inner and isinstance(node, ast.Attribute) else None
