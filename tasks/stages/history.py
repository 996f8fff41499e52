"""A point of history for each benchmark, so that drift shows."""

from flgc.benchmark.history import measure
from tasks.running.stage import Stage

history = Stage("history", measure)
