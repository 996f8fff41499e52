"""One dataset of any kind, your own included: every method on the same random splits."""

from collections.abc import Sequence

import scipy.sparse as sp

from flgc.datasets import Dataset
from flgc.methods.base import Grid
from flgc.methods.registry import installed
from flgc.preparing import GIVEN
from flgc.scaling import usual
from tasks.analyses.columns import Columns
from tasks.analyses.paired import Paired
from tasks.declared.paper import FLGC_ROWS, closed_form, powers_of_two
from tasks.declared.rivals import TABLE_GRIDS, own_grids
from tasks.declared.robustness import named
from tasks.declared.types import FIXED_SPLITS, Experiment, Preparation

FLOW = "evaluate"
PROTOCOL = "honest"  # nobody tunes on the test rows of their own data
LABELLED = "10%"
RUNS = 10
METHODS = {
    "classification": (*FLGC_ROWS, "LapRLS", "SVM", "LabelSpreading", "GCN", "SGC"),
    "clustering": (*FLGC_ROWS, "K-Means", "NCut", "EGCSC"),
}
# Beyond so many rows, methods that need a number for every pair of rows, or hours of training.
MANY_ROWS = 3_000
FOR_FEW_ROWS = {
    "classification": ("LapRLS", "LabelSpreading", "GCN"),
    "clustering": ("NCut", "EGCSC", *FLGC_ROWS),
}
FOR_MANY_ROWS = {"clustering": ("FLGC, low-rank", "FLGC*, low-rank")}
GRIDS: dict[str, dict[str, Grid]] = {
    "classification": {
        **TABLE_GRIDS,
        **closed_form(
            (0, 1, 2, 3, 5, 8, 12, 20), (0.0, 0.05, 0.1, 0.2, 0.3, 0.5), powers_of_two(-10, 10, 2)
        ),
    },
    "clustering": {
        **closed_form((1, 2, 5, 10, 20), (0.0, 0.1, 0.2, 0.5), (1.0, 10.0, 100.0, 1e3)),
        **own_grids(("K-Means", "NCut")),
    },
}


def evaluated(
    data: Dataset,
    task: str,
    methods: Sequence[str] = (),
    split: str = LABELLED,
    runs: int = RUNS,
    remarks: Sequence[str] = (),
) -> Experiment:
    """A table of one dataset; without `methods`, those that end in minutes on so many rows."""
    dataset, kind, sparse = data.name, data.kind, sp.issparse(data.features)
    if task == "clustering":
        scalings = ("standardised",) if kind != "graph" else usual(kind, sparse)
    else:
        scalings = usual(kind, sparse)
    return Experiment(
        name=f"evaluate-{named(dataset)}",
        flow=FLOW,
        task="clustering" if task == "clustering" else "classification",
        title=f"{dataset}, {_labelled(split)}" if split else f"{dataset}, clustered",
        datasets=(dataset,),
        methods=tuple(methods) or usual_methods(task, data.n_nodes),
        grids=GRIDS[task],
        preparations=(
            Preparation(GIVEN if kind == "graph" else scalings[0], axes={"scaling": scalings}),
        ),
        split=split,
        runs=runs,
        analyses=(Paired(tuple(reversed(FLGC_ROWS))), Columns()),
        remarks=tuple(remarks),
    )


def usual_methods(task: str, n_rows: int) -> tuple[str, ...]:
    """Those of this library that end in minutes, and all of installed packages."""
    chosen = METHODS[task]
    if n_rows > MANY_ROWS:
        chosen = tuple(name for name in chosen if name not in FOR_FEW_ROWS[task])
        chosen += FOR_MANY_ROWS.get(task, ())
    return (*chosen, *installed(task))


def _labelled(split: str) -> str:
    """`10 % of each class labelled`."""
    if split in FIXED_SPLITS:
        return f"{split} split"
    if split.endswith("%"):
        return f"{split[:-1]} % of each class labelled"
    return f"{split.removesuffix('-per-class')} of each class labelled"
