"""Cells computed without Prefect: the flow's own steps, called instead of submitted."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from flows.dag import Dag, dag_of
from flows.plan import Plan
from tasks.analyses.base import Analysis
from tasks.declared.paper import MIN_MAX, closed_form
from tasks.declared.types import Cell, Experiment, Subject
from tasks.running.steps import Step, chain_of, with_results
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


def dag_of_cell(cell: Cell, *analyses: Analysis) -> Dag:
    """Of a cell alone, which is the last one, and of what is made of it."""
    subject = cell.subject
    alone = replace(
        cell.experiment,
        datasets=(subject.dataset,),
        noises=(replace(subject.noise, runs=subject.run + 1),) if subject.noise else (),
        methods=(cell.method,),
        analyses=analyses,
    )
    return dag_of(Plan("", (alone,), (cell.protocol,), "cpu", ""), alone)


def run_steps(store: Path, steps: Iterable[Step]) -> dict[Step, Artifact]:
    """What each step makes; those that it needs come before it."""
    made: dict[Step, Artifact] = {}
    for step in steps:
        made[step] = step.stage(str(store), step.about, **with_results(step.given, made))
    return made


def run_cell(store: Path, cell: Cell) -> dict[str, Artifact]:
    """Every artifact of the cell's chain, by stage."""
    made = run_steps(store, chain_of(dag_of_cell(cell).cells[-1].result))
    return {step.stage.name: artifact for step, artifact in made.items()}


def computed(artifacts: dict[str, Artifact]) -> set[str]:
    """The stages that the store did not have."""
    return {stage for stage, artifact in artifacts.items() if not artifact.cached}


def iris(method: str = "FLGC*", protocol: str = "paper", experiment: Experiment = IRIS) -> Cell:
    return Cell(experiment, Subject("iris"), method, protocol)


def rows(store: Path, artifact: Artifact) -> pd.DataFrame:
    return Store(store).read(artifact.key).to_pandas()
