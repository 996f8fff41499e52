"""Is one method better than another over many datasets?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flgc.statistics.many_methods import Comparison, comparison, friedman, holm
    from flgc.statistics.signed_ranks import signed_ranks

__all__ = ["Comparison", "comparison", "friedman", "holm", "signed_ranks"]


# Imported on first use: `flgc --help` need not wait for scipy.
_MODULES = {
    "Comparison": "flgc.statistics.many_methods",
    "comparison": "flgc.statistics.many_methods",
    "friedman": "flgc.statistics.many_methods",
    "holm": "flgc.statistics.many_methods",
    "signed_ranks": "flgc.statistics.signed_ranks",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'flgc.statistics' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
