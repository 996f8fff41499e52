"""The figures of an experiment, drawn from what is in the store and nothing else."""

from collections.abc import Mapping, Sequence

import pandas as pd

from tasks.declared.experiments import Experiment
from tasks.document.figures.analyses import sensitivity_figure, time_figure
from tasks.document.figures.dots import drawn
from tasks.document.results import read_results
from tasks.running.stage import as_task
from tasks.store.store import Artifact, Store

MODULES = ("tasks.document.figures.dots", "tasks.document.figures.analyses")


def draw_figures(
    store: str,
    experiment: Experiment,
    results: Sequence[Artifact],
    timings: Sequence[Artifact] = (),
    scores: Mapping[str, Artifact] | None = None,
) -> Artifact:
    """Files (name, content), SVG; `scores` are those of the grid, by dataset."""
    opened = Store(store)
    scores = dict(scores or {}) if experiment.sensitivity else {}

    def compute() -> pd.DataFrame:
        files = drawn(experiment, read_results(opened, results))
        if timings:
            frames = [opened.read(artifact.key).to_pandas() for artifact in timings]
            files[f"{experiment.name}-time.svg"] = time_figure(pd.concat(frames))
        if scores:
            grids = {name: opened.read(of.key).to_pandas() for name, of in scores.items()}
            files[f"{experiment.name}-sensitivity.svg"] = sensitivity_figure(grids)
        return pd.DataFrame({"name": list(files), "content": list(files.values())}, dtype="str")

    inputs = {f"{i:04d}": artifact for i, artifact in enumerate((*results, *timings))}
    return opened.get_or_compute(
        "figures",
        MODULES,
        compute,
        parameters={
            "experiment": experiment.name,
            "datasets": experiment.datasets,
            # Seconds are no part of a content's digest: a figure of them needs their own key.
            "timings": [artifact.key for artifact in timings],
        },
        inputs=inputs | scores,
    )


figures = as_task(draw_figures, "figures {experiment.name}")


def read_files(store: Store, artifact: Artifact | None) -> dict[str, str]:
    """File name to content, of figures and reports."""
    if artifact is None:
        return {}
    return {row["name"]: row["content"] for row in store.read(artifact.key).to_pylist()}
