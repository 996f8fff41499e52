"""Accuracy and training time of all methods over the hops, while nothing else runs."""

from flgc.methods.timing import time_methods
from tasks.running.stage import Stage
from tasks.stages.pick import scalings

time = Stage("time", time_methods, named=scalings)
