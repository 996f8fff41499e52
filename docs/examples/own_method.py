"""Your own method: labels that are handed on along the edges, judged as FLGC* is."""

from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from flgc.datasets import load
from flgc.datasets.splits import runs, seeds_of
from flgc.methods.base import Method, Outputs, settings_of
from flgc.methods.estimators import Estimator
from flgc.methods.picking import weighting
from flgc.methods.registry import contender
from flgc.methods.scoring import score_settings
from flgc.preparing import build_graph


class Votes(Method):
    """No features at all: labels are handed on along the edges, and the strongest class wins."""

    name = "votes"
    axes: ClassVar = {"hops": (1, 2, 5, 10)}

    def outputs(self, problem, grid):
        """The classes of the asked nodes, for each setting, run by run."""
        for setting in settings_of(grid):
            classes = []
            for run, asked in enumerate(problem.asked):
                nodes = problem.labelled(run)
                votes = np.zeros((problem.n_nodes, problem.n_classes))
                votes[nodes, problem.labels[run][nodes]] = 1
                for _ in range(setting["hops"]):
                    votes = problem.P @ votes
                classes.append(votes[asked].argmax(axis=1))
            yield setting, Outputs(classes)


near = Estimator("kNN", KNeighborsClassifier, n_neighbors=(1, 3), scaling=("min-max",))
flgc = contender("FLGC*", "classification").method
small = {"scaling": ("min-max",), "hops": (0, 2, 5, 10), "teleport": (0.0, 0.1)}
methods = {near: near.axes, Votes(): Votes.axes, flgc: {**flgc.axes, **small}}
datasets = ("iris", "wine", "wdbc")

figure, panels = plt.subplots(1, 3, figsize=(8, 3), sharey=True)
for panel, name in zip(panels, datasets, strict=True):
    data = load(name)
    seeds = seeds_of("gallery", name, 10)
    splits, graph = runs(data, "10%", seeds), build_graph(data, "min-max")
    values = []
    for method, grid in methods.items():
        scores = score_settings(data, graph, splits, method, grid, seeds)
        values.append(weighting(scores, "honest")["test"])
    panel.boxplot(values, tick_labels=[method.name for method in methods])
    panel.set_title(name)
    panel.grid(alpha=0.3, axis="y")
panels[0].set_ylabel("test accuracy, honest picks")
figure.tight_layout()
figure.savefig("own_method.svg", metadata={"Date": None})
