"""Fully linear graph convolution: exact, closed-form graph classification and clustering."""

from flgc.classifier import FLGCClassifier, FLGCClassifierCV
from flgc.clustering import FLGCClustering

__all__ = ["FLGCClassifier", "FLGCClassifierCV", "FLGCClustering"]
