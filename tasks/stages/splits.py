"""Who is labelled and who is tested in each run: one artifact, the same for all methods."""

from flgc.datasets.splits import runs
from tasks.running.stage import Stage

splits = Stage("splits", runs)
