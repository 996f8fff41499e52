"""The table as bars (the paper's Figure 8)."""

from dataclasses import dataclass

from tasks.analyses.base import Analysis


@dataclass(frozen=True)
class Bars(Analysis):
    """The table as bars instead of dots: methods in their order, for each dataset."""
