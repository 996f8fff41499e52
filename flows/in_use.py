"""Flows show in the store that they are using it, so that nobody prunes what they have made."""

import functools
import inspect
from collections.abc import Callable
from typing import TypeVar

from tasks.store import Store

Work = TypeVar("Work", bound=Callable)


def uses_store(work: Work) -> Work:
    """The same function, its parameter `store` in use until it ends; stands below `@flow`."""

    @functools.wraps(work)
    def run(*args: object, **kwargs: object) -> object:
        store = inspect.signature(work).bind(*args, **kwargs).arguments.get("store")
        with Store(store).in_use():
            return work(*args, **kwargs)

    return run  # type: ignore[return-value]
