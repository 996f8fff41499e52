"""The figures of an experiment, drawn from what is in the store and nothing else."""

from tasks.document.figures.draw import draw_figures
from tasks.running.stage import Stage

draw = Stage("draw", draw_figures, told=("table",))
