"""Parts of a report, each made by itself: one that cannot be made costs no other."""

from collections.abc import Callable
from typing import TypeVar

from tasks.report.blocks import Block, Text
from tasks.report.gaps import reason_of

Made = TypeVar("Made")


class Parts:
    """Makes parts, and collects in `faults` what those that failed raised."""

    def __init__(self) -> None:
        self.faults: dict[str, str] = {}

    def make(self, name: str, work: Callable[[], Made], instead: Made) -> Made:
        """What `work` gives, or `instead` for a part that failed."""
        try:
            return work()
        except Exception as error:
            self.faults[name] = reason_of(error)
            return instead

    def blocks(self, name: str, work: Callable[[], list[Block]]) -> list[Block]:
        """The blocks of a part, or one that says that it is missing and why."""
        nothing: list[Block] = []
        made = self.make(name, work, nothing)
        if made is nothing:
            return [Text(f"**This part of the report failed** ({name}): {self.faults[name]}")]
        return made
