"""Rivals of the paper that are trained by gradient descent, in batches of runs.

>>> import numpy as np
>>> from flgc.methods.trained import GCN, train
>>> from flgc.graph import as_adjacency, propagation_matrix
>>> P = propagation_matrix(as_adjacency(np.array([[0, 1, 3, 4], [1, 2, 4, 5]])))
>>> trained = train(GCN(), P, np.eye(6), np.repeat([0, 1], 3), np.array([0, 5]),
...                 n_classes=2, seeds=[0, 1, 2])
>>> trained.predictions.shape
(1, 3, 6)
>>> trained.predictions[0, 0]
array([0, 0, 0, 1, 1, 1])
"""

from flgc.methods.trained.models import (
    APPNP,
    GCN,
    MODELS,
    SGC,
    GCNLinear,
    Model,
    Training,
    model_named,
)
from flgc.methods.trained.training import Trained, train

__all__ = [
    "APPNP",
    "GCN",
    "MODELS",
    "SGC",
    "GCNLinear",
    "Model",
    "Trained",
    "Training",
    "model_named",
    "train",
]
