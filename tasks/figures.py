"""The figures of an experiment, drawn from what is in the store and nothing else."""

from collections.abc import Sequence

import pandas as pd

from tasks.drawing import drawn
from tasks.experiments import Experiment
from tasks.results import read_results
from tasks.stage import as_task
from tasks.store import Artifact, Store

MODULES = ("tasks.drawing",)


def draw_figures(store: str, experiment: Experiment, results: Sequence[Artifact]) -> Artifact:
    """Files (name, content), SVG."""
    opened = Store(store)

    def compute() -> pd.DataFrame:
        files = drawn(experiment, read_results(opened, results))
        return pd.DataFrame({"name": list(files), "content": list(files.values())}, dtype="str")

    return opened.get_or_compute(
        "figures",
        MODULES,
        compute,
        parameters={"experiment": experiment.name, "datasets": experiment.datasets},
        inputs={f"{i:04d}": artifact for i, artifact in enumerate(results)},
    )


figures = as_task(draw_figures, "figures {experiment.name}")


def read_files(store: Store, artifact: Artifact | None) -> dict[str, str]:
    """File name to content, of figures and reports."""
    if artifact is None:
        return {}
    return {row["name"]: row["content"] for row in store.read(artifact.key).to_pylist()}
