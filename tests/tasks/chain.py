"""Cells computed without Prefect: the flow's own steps, called instead of submitted."""

from pathlib import Path
from typing import Any

import pandas as pd

from flows.dag import Chain, Shared, begun
from flows.plan import Plan
from tasks.declared.paper import MIN_MAX, closed_form
from tasks.declared.types import Cell, Experiment, Subject
from tasks.stages.dataset import dataset
from tasks.store import Artifact, Store

IRIS = Experiment(
    name="small",
    flow="uci",
    task="classification",
    title="Iris alone",
    datasets=("iris",),
    methods=("FLGC", "FLGC*", "FLGC* averaged"),
    grids=closed_form((0, 2, 4), (0.0, 0.1), (0.01, 1.0)),
    preparations=(MIN_MAX,),
    split="10%",
    runs=2,
    published="uci_accuracy",
)


class Plainly(Shared):
    """Calls each step where the flow would submit it."""

    def once(self, chain: Chain, stage: Any, about: str, what: Any, **given: Any) -> Any:
        given.pop("wait_for", None)
        found = stage(self.plan.store, about, **given)
        chain.steps[stage.name] = found
        return found


def run_cell(store: Path, cell: Cell, steps: type[Shared] = Plainly) -> dict[str, Artifact]:
    """Every artifact of the cell's chain, by stage."""
    shared, chain = begun_cell(store, cell, steps)
    raw: Any = chain.data
    shared.data(chain)
    shared.splits(chain)
    shared.graphs(chain)
    shared.scores(chain)
    chain.picks = shared.picks(chain, cell.protocol)
    if chain.refits:
        shared.features(chain)
    shared.fit(chain)
    return {"dataset": raw, **chain.steps}


def begun_cell(store: Path, cell: Cell, steps: type[Shared] = Plainly) -> tuple[Shared, Chain]:
    """A chain that has its dataset and nothing else, and who makes its steps."""
    shared = steps(Plan("", (cell.experiment,), (cell.protocol,), "cpu", str(store)))
    raw: Any = dataset(str(store), dataset=cell.subject.dataset)
    return shared, begun(cell, raw)


def computed(found: dict[str, Artifact]) -> set[str]:
    """The stages that the store did not have."""
    return {stage for stage, artifact in found.items() if not artifact.cached}


def iris(method: str = "FLGC*", protocol: str = "paper", experiment: Experiment = IRIS) -> Cell:
    return Cell(experiment, Subject("iris"), method, protocol)


def rows(store: Path, artifact: Artifact) -> pd.DataFrame:
    return Store(store).read(artifact.key).to_pandas()
