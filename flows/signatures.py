"""Parameters that stand once: a dataclass lists them, and functions take them one by one."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any


def takes(record: type, without: tuple[str, ...] = ()) -> Callable[[Callable], Callable]:
    """Make a function of one `record` into one whose parameters are the fields of that dataclass.

    Prefect makes its form and `-p` of a function's signature, typer the options of a command.
    """
    signature = inspect.signature(record)
    kept = [each for name, each in signature.parameters.items() if name not in without]

    def decorate(work: Callable[[Any], Any]) -> Callable[..., Any]:
        @functools.wraps(work)
        def run(*args: Any, **given: Any) -> Any:
            return work(record(*args, **given))

        run.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
        return run

    return decorate


def shared(record: type, given: Any) -> dict[str, Any]:
    """The fields of a `record` that another one has, too."""
    names = [each.name for each in fields(record)]
    return {name: getattr(given, name) for name in names if hasattr(given, name)}
