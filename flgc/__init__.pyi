from .classifier import FLGCClassifier
from .classifier_cv import FLGCClassifierCV
from .clustering import FLGCClustering
from .clustering_cv import FLGCClusteringCV
from .version import __version__

__all__ = [
    "FLGCClassifier",
    "FLGCClassifierCV",
    "FLGCClustering",
    "FLGCClusteringCV",
    "__version__",
]
