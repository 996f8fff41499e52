"""Every setting of a method's grid in every run: both protocols and all its rows pick from it."""

from flgc.methods.scoring import score_settings
from tasks.running.scalings import of_grid
from tasks.running.stage import Stage
from tasks.stages.propagate import keeping

score = Stage("score", score_settings, code=of_grid, extra=keeping, gpu=True)
