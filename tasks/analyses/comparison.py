"""Wilcoxon's test of all methods over the datasets (the paper's Table VI)."""

from dataclasses import dataclass

from tasks.analyses.base import Analysis


@dataclass(frozen=True)
class Compare(Analysis):
    """Wilcoxon's test over the datasets; `published` names the paper's table of rank sums."""

    published: str = ""
