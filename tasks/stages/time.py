"""The stage that times all methods on one dataset, at the setting that most runs pick honestly."""

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from tasks.declared.experiments import METHODS, TIMED_REPEATS, TIMED_SECONDS, Cell
from tasks.picking import usual
from tasks.rivals import read_data
from tasks.running.stage import as_task
from tasks.select import seeds
from tasks.stages.graph import leaking
from tasks.stages.pick import pick_settings, picked
from tasks.store.store import Artifact, Store
from tasks.timings import timed_fits

MODULES = ("flgc.methods.trained", "flgc.classifier", "tasks.timings")


def time_methods(
    store: str,
    cell: Cell,
    data: Artifact,
    graph: Artifact,
    splits: Artifact,
    scores: Mapping[str, Artifact],
    device: str = "cpu",
) -> Artifact:
    """One row per method and hops; nothing else should run meanwhile."""
    opened, experiment = Store(store), cell.experiment
    honest = {m: dataclasses.replace(cell, method=m, protocol="honest") for m in scores}
    picks = {method: pick_settings(store, honest[method], of) for method, of in scores.items()}
    settings = {method: usual(picked(opened, of)) for method, of in picks.items()}
    methods = {method: METHODS[method] for method in scores}
    seed = seeds(cell)[0]

    def compute() -> pd.DataFrame:
        given = read_data(opened, cell, data, graph, splits, device)
        found = timed_fits(
            given,
            methods,
            settings,
            experiment.timed_hops,
            seed,
            repeats=TIMED_REPEATS,
            within=TIMED_SECONDS,
        )
        return found.assign(experiment=experiment.name, dataset=cell.subject.dataset)

    return opened.get_or_compute(
        "timing",
        MODULES,
        compute,
        parameters={
            "experiment": experiment.name,
            "dataset": cell.subject.dataset,
            "hops": experiment.timed_hops,
            "repeats": [TIMED_REPEATS, TIMED_SECONDS],
            "methods": {name: asdict(method) for name, method in methods.items()},
            "settings": {method: setting.as_dict() for method, setting in settings.items()},
            "seed": str(seed),
            "without": leaking(opened, data, cell.protocol),
        },
        inputs={"dataset": data, "graph": graph, "splits": splits},
    )


timing = as_task(time_methods, "timing {cell.subject.title}")
