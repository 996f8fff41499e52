"""Baselines for tables: kernel and random-layer ridges on a graph, support vector machines.

>>> import numpy as np
>>> from sklearn.datasets import load_iris
>>> from flgc.methods.tables import LapRLSClassifier, SSELMClassifier, TSVMClassifier
>>> X, truth = load_iris(return_X_y=True)
>>> y = np.full(150, -1)
>>> y[::10] = truth[::10]
>>> for model in (LapRLSClassifier(), SSELMClassifier(random_state=0), TSVMClassifier()):
...     print(float(np.mean(model.fit(X, y).transduction_ == truth) > 0.9))
1.0
1.0
1.0
"""

from flgc.methods.tables.laprls import LapRLS, LapRLSClassifier
from flgc.methods.tables.ss_elm import SSELM, SSELMClassifier
from flgc.methods.tables.tsvm import TSVM, TSVMClassifier

__all__ = ["SSELM", "TSVM", "LapRLS", "LapRLSClassifier", "SSELMClassifier", "TSVMClassifier"]
