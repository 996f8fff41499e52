"""Fully linear graph convolution: exact, closed-form graph classification and clustering."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flgc.classifier import FLGCClassifier, FLGCClassifierCV
    from flgc.clustering import FLGCClustering

__all__ = ["FLGCClassifier", "FLGCClassifierCV", "FLGCClustering"]


def __getattr__(name: str) -> Any:
    # Estimators are imported on first use: `flgc --help` need not wait for scikit-learn.
    if name in ("FLGCClassifier", "FLGCClassifierCV"):
        import flgc.classifier

        return getattr(flgc.classifier, name)
    if name == "FLGCClustering":
        import flgc.clustering

        return flgc.clustering.FLGCClustering
    raise AttributeError(f"module 'flgc' has no attribute {name!r}")
