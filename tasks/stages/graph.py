"""The propagation matrix P of a dataset: from its own edges, or from nearest neighbours."""

from flgc.preparing import build_graph
from tasks.running.stage import Stage

graph = Stage("graph", build_graph)
