"""Clustering: the affinity of points near five subspaces, on which k-means fails."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

from flgc import FLGCClustering
from flgc.datasets import load
from flgc.metrics import clustering_accuracy

points = load("union-of-subspaces")
order = np.argsort(points.labels, kind="stable")
model = FLGCClustering(
    5, hops=1, teleport=0.5, regularization=1.0, n_neighbors=5, random_state=0
).fit(points.features)
by_means = KMeans(5, n_init=10, random_state=0).fit_predict(points.features)

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.6), width_ratios=(1.5, 1))
left.imshow(model.affinity_matrix_[order][:, order] > 0.001, cmap="Greys")
left.set(title="affinity above 0.001, by subspace", xticks=[], yticks=[])
names = ["k-means", "FLGC"]
values = [clustering_accuracy(points.labels, labels) for labels in (by_means, model.labels_)]
right.bar(names, values, color=["#888888", "#1b6ca8"])
right.set(title="clustering accuracy", ylim=(0, 1))
figure.tight_layout()
figure.savefig("clustering.png", dpi=80)
