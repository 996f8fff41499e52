"""What fills a cell: fitted anew from kept features, read off the pick, or averaged."""

from typing import Any

from flgc.methods.fitting import fit_cell
from tasks.running.stage import Stage
from tasks.stages.pick import scalings
from tasks.stages.propagate import keeping


def kept_if_shared(store: str, refit: bool = False, **given: Any) -> dict[str, Any]:
    """Kept features where all runs share a setting that is fitted in closed form."""
    return keeping(store, **given) if refit else {}


fit = Stage("fit", fit_cell, aside=("refit",), extra=kept_if_shared, named=scalings, gpu=True)
