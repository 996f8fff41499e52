"""What fills a cell: fitted anew from kept features, read off the pick, or averaged."""

from flgc.methods.scoring import fit_cell
from tasks.running.scalings import of_fits
from tasks.running.stage import Stage
from tasks.stages.propagate import keeping

fit = Stage(
    "fit",
    fit_cell,
    outside=("device", "refit"),
    code=of_fits,
    extra=keeping,
    gpu=True,
)
