"""The datasets of an experiment: sizes, and how many nodes are labelled and tested."""

from flgc.datasets.sizes import sizes
from tasks.running.stage import Stage

describe = Stage("describe", sizes)
