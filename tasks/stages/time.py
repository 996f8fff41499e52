"""Accuracy and training time of all methods over the hops, while nothing else runs."""

from flgc.methods.timing import time_methods
from tasks.running.scalings import of_picks
from tasks.running.stage import Stage

time = Stage("time", time_methods, code=of_picks)
