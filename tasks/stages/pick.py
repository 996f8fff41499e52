"""The settings of a cell and their weights, run by run.

Cells are made from it and not from the scores, whose last digits may differ where cores add in
another order: equal picks with equal values are equal cells.
"""

from flgc.methods.picking import pick_settings
from tasks.running.stage import Stage

pick = Stage("pick", pick_settings)
