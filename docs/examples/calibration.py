"""Calibration: are predictions that get a probability of 80 % right in 80 % of the cases?"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax

from flgc import FLGCClassifierCV
from flgc.datasets import load

data = load("digits")
grid = {"hops": (2, 5, 10), "teleports": (0.1, 0.3), "regularizations": (0.01, 0.1, 1.0)}
edges = np.linspace(0, 1, 11)
confidences: dict[str, list] = {"softmax of the scores": [], "predict_proba": []}
rights: dict[str, list] = {name: [] for name in confidences}
for seed in range(3):
    known = np.random.default_rng(seed).choice(len(data.labels), 100, replace=False)
    y = np.full(len(data.labels), -1)
    y[known] = data.labels[known]
    model = FLGCClassifierCV(**grid, n_neighbors=10).fit(data.features / 16, y)
    rest = y < 0
    # Fitted nodes: their scores, and the temperature that left-out labels gave.
    scores = model.label_scores_[rest]
    for name, temperature in zip(confidences, (1.0, model.temperature_), strict=True):
        p = softmax(scores / temperature, axis=1)
        confidences[name].append(p.max(axis=1))
        rights[name].append(model.classes_[p.argmax(axis=1)] == data.labels[rest])

figure, axes = plt.subplots(figsize=(6, 4))
axes.plot([0, 1], [0, 1], color="black", linewidth=0.8)
for name in confidences:
    confidence, right = np.concatenate(confidences[name]), np.concatenate(rights[name])
    part = np.digitize(confidence, edges[1:-1])
    there = [p for p in np.unique(part) if np.sum(part == p) >= 20]
    axes.plot(
        [confidence[part == p].mean() for p in there],
        [right[part == p].mean() for p in there],
        marker="o",
        label=name,
    )
axes.set(xlabel="probability of the predicted digit", ylabel="share that is right")
axes.grid(alpha=0.3)
axes.legend()
figure.savefig("calibration.svg", bbox_inches="tight", metadata={"Date": None})
