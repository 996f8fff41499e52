"""Is one method better than another over many datasets?

>>> from flgc.statistics import comparison, signed_ranks
>>> signed_ranks([3, 2, 1], [0, 0, 0]).p_value
0.25
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The function, not the module of its name, which an import on first use would leave here.
from flgc.statistics.signed_ranks import signed_ranks

if TYPE_CHECKING:
    from flgc.statistics.many_methods import Comparison, comparison, friedman, holm

__all__ = ["Comparison", "comparison", "friedman", "holm", "signed_ranks"]


def __getattr__(name: str) -> Any:
    """The others are imported on first use: `flgc --help` need not wait for scipy and pandas."""
    if name not in __all__:
        raise AttributeError(f"module 'flgc.statistics' has no attribute {name!r}")
    return getattr(import_module("flgc.statistics.many_methods"), name)
