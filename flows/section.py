"""What became of one experiment."""

from dataclasses import dataclass, field
from typing import Any

from tasks.declared.described import Described, described
from tasks.declared.types import Experiment
from tasks.report.gaps import Gap, absent
from tasks.store import Artifact


@dataclass(frozen=True)
class Section:
    """Its cells in the store and what was made of them, and the cells that are not there.

    `products` are artifacts by analysis, then by their path, mostly dataset and method; `costs` are
    the seconds of each method's stages when they were computed.
    """

    experiment: Experiment
    protocols: tuple[str, ...]
    cells: tuple[Artifact, ...] = ()
    products: dict[str, Any] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    costs: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def table(self) -> Described:
        """What its table shows."""
        return described(self.experiment)

    @property
    def absent(self) -> dict[str, str]:
        """The datasets that could not be had, and what the table says instead of their cells."""
        return absent(self.gaps, self.experiment.datasets)
