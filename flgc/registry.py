"""Things by name."""

from typing import TypeVar

Entry = TypeVar("Entry")


class Registry(dict[str, Entry]):
    """Entries by name; `what` they are stands in the error for an unknown name.

    A result depends on the named entry, not on the others: digests of code do not follow a
    registry; the caller that names an entry adds its digest.
    """

    def __init__(self, what: str, entries: dict[str, Entry]) -> None:
        super().__init__(entries)
        self.what = what

    def __missing__(self, name: str) -> Entry:
        raise ValueError(f"unknown {self.what} {name!r}; choose from {', '.join(self)}")
