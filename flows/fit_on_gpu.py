"""The flow that GPU workers run: one fit, named by function and arguments, into the store."""

from importlib import import_module
from typing import Any, get_type_hints

from prefect import flow
from pydantic import TypeAdapter

from tasks.running.pools import GPU_FLOW

PACKAGE = "tasks."


@flow(name=GPU_FLOW)
def fit_on_gpu(function: str, arguments: dict[str, Any]) -> None:
    """Call a function of the package `tasks`; its result is what it writes into the store."""
    called = resolve(function)
    called(**typed(called, arguments))


def resolve(function: str) -> Any:
    """The function that "tasks.<module>:<name>" names; nothing outside that package."""
    module, _, name = function.partition(":")
    if not module.startswith(PACKAGE) or not name.isidentifier():
        raise ValueError(f"function={function!r} must read 'tasks.<module>:<name>'")
    found = getattr(import_module(module), name, None)
    if not callable(found):
        raise ValueError(f"{module} has no function {name!r}")
    return found


def typed(function: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the function declares them: they came as JSON."""
    hints = get_type_hints(function)
    return {
        name: TypeAdapter(hints.get(name, Any)).validate_python(given)
        for name, given in arguments.items()
    }
