"""Noise as a named, seeded, counted step: the corrupted dataset is a dataset of its own."""

from flgc.preparing import corrupt as corrupt_features
from tasks.running.stage import Stage

corrupt = Stage("corrupt", corrupt_features)
