"""A table: how few labels are enough for handwritten digits, with and without a graph."""

import matplotlib.pyplot as plt
import numpy as np

from flgc import FLGCClassifier
from flgc.datasets import load
from flgc.graph import knn_graph

digits = load("digits")
X, truth = digits.features / 16, digits.labels
graph = knn_graph(X, n_neighbors=10)  # once for all fits
counts, draws = (1, 2, 3, 5, 10, 20), 5
hops = {"ridge regression: no hops": 0, "FLGC: 10 neighbours, 10 hops": 10}


def accuracy(seed: int, count: int, hops: int) -> float:
    """On the rows that are not labelled, when `count` of each class are."""
    random = np.random.default_rng(seed)
    known = [random.choice(np.flatnonzero(truth == c), count, replace=False) for c in range(10)]
    y = np.full(len(truth), -1)
    y[np.concatenate(known)] = truth[np.concatenate(known)]
    model = FLGCClassifier(hops=hops, teleport=0.1, regularization=0.1).fit(X, y, adjacency=graph)
    return float(np.mean(model.transduction_[y < 0] == truth[y < 0]))


figure, axes = plt.subplots(figsize=(6, 4))
for name, n_hops in hops.items():
    values = [[accuracy(seed, count, n_hops) for seed in range(draws)] for count in counts]
    axes.errorbar(counts, np.mean(values, 1), np.std(values, 1), marker="o", capsize=3, label=name)
axes.set(
    xlabel="labelled images of each digit",
    ylabel="accuracy on all others",
    title=f"{len(truth)} digits, {draws} draws",
    xscale="log",
)
axes.set_xticks(counts, [str(count) for count in counts])
axes.grid(alpha=0.3)
axes.legend()
figure.savefig("table.svg", bbox_inches="tight", metadata={"Date": None})
