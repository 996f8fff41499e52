"""Methods trained by gradient descent, in batches of runs.

>>> import numpy as np
>>> from flgc.graph import as_adjacency, propagation_matrix
>>> from flgc.methods.base import Problem
>>> from flgc.methods.trained import GCN, GCNMethod, train
>>> P = propagation_matrix(as_adjacency(np.array([[0, 1, 3, 4], [1, 2, 4, 5]])))
>>> labels = np.array([[0, -1, -1, -1, -1, 1]] * 3)
>>> problem = Problem(np.eye(6), P, 2, labels, asked=(np.arange(6),) * 3, seeds=(0, 1, 2))
>>> train(GCN(), problem).scores[0][0].argmax(axis=1)
array([0, 0, 0, 1, 1, 1])
>>> for setting, outputs in GCNMethod().outputs(problem, {**GCNMethod.axes, "scaling": ["raw"]}):
...     print(setting["epochs"], outputs.classes[0])
100 [0 0 0 1 1 1]
50 [0 0 0 1 1 1]
"""

from flgc.methods.trained.appnp import APPNP, APPNPMethod
from flgc.methods.trained.dropedge import DropEdge, DropEdgeMethod
from flgc.methods.trained.gcn import GCN, GCNLinear, GCNLinearMethod, GCNMethod
from flgc.methods.trained.gcnii import GCNII, GCNIIMethod
from flgc.methods.trained.method import TrainedMethod
from flgc.methods.trained.model import Epoch, Model, Objective, Scorer, Training
from flgc.methods.trained.sgc import SGC, SGCMethod
from flgc.methods.trained.training import Trained, train

__all__ = [
    "APPNP",
    "GCN",
    "GCNII",
    "SGC",
    "APPNPMethod",
    "DropEdge",
    "DropEdgeMethod",
    "Epoch",
    "GCNIIMethod",
    "GCNLinear",
    "GCNLinearMethod",
    "GCNMethod",
    "Model",
    "Objective",
    "SGCMethod",
    "Scorer",
    "Trained",
    "TrainedMethod",
    "Training",
    "train",
]
