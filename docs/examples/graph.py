"""A graph: the four communities of a karate club from one labelled member of each."""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from flgc import FLGCClassifier
from flgc.datasets import load

club = load("KarateClub")
labelled = club.masks["train"]
y = np.where(labelled, club.labels, -1)

model = FLGCClassifier(hops=10, teleport=0.1, regularization=0.01)
communities = model.fit(club.features, y, adjacency=club.edges).transduction_
wrong = communities != club.labels

graph = nx.Graph(club.edges.T.tolist())
layout = nx.spring_layout(graph, seed=3)
places = np.array([layout[node] for node in range(len(y))])
figure, axes = plt.subplots(figsize=(6, 4))
nx.draw_networkx_edges(graph, layout, ax=axes, edge_color="#bbbbbb", width=0.7)
axes.scatter(*places.T, c=communities, cmap="Set2", s=90)
axes.scatter(*places[labelled].T, s=260, facecolors="none", edgecolors="black", label="labelled")
axes.scatter(*places[wrong].T, s=50, marker="x", color="black", label="found wrong")
axes.set_title(f"{labelled.sum()} labels, and the community of all {len(y)} members")
axes.legend()
axes.axis("off")
figure.savefig("graph.png", dpi=80, bbox_inches="tight")
