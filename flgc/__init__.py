"""Fully linear graph convolution: exact, closed-form graph classification and clustering."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flgc.classifier import FLGCClassifier
    from flgc.classifier_cv import FLGCClassifierCV
    from flgc.clustering import FLGCClustering

__all__ = ["FLGCClassifier", "FLGCClassifierCV", "FLGCClustering"]


# Imported on first use: `flgc --help` need not wait for scikit-learn.
_MODULES = {
    "FLGCClassifier": "flgc.classifier",
    "FLGCClassifierCV": "flgc.classifier_cv",
    "FLGCClustering": "flgc.clustering",
}


if not TYPE_CHECKING:  # a type checker would take any name for one of these

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'flgc' has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)
