from .classifier import FLGCClassifier
from .classifier_cv import FLGCClassifierCV
from .clustering import FLGCClustering
from .version import __version__

__all__ = ["FLGCClassifier", "FLGCClassifierCV", "FLGCClustering", "__version__"]
