"""Who is labelled and who is tested in each run: one artifact, the same for all methods."""

import pyarrow as pa

from flgc.datasets import splits as library
from flgc.datasets.splits import Split
from tasks.running.stage import as_task
from tasks.stages.dataset import read_dataset
from tasks.store.store import Artifact, Store

MODULES = ("flgc.datasets.splits",)


def draw_splits(
    store: str, data: Artifact, dataset: str, experiment: str, split: str, runs: int
) -> Artifact:
    """The splits of all runs; seeds come from experiment, dataset and run, never the method."""
    opened = Store(store)

    def compute() -> pa.Table:
        loaded = read_dataset(opened, data)
        seeds = (library.derive_seed(experiment, dataset, run) for run in range(runs))
        return library.table(library.make(loaded, split, seed) for seed in seeds)

    parameters = {"experiment": experiment, "dataset": dataset, "split": split, "runs": runs}
    return opened.get_or_compute(
        "splits", MODULES, compute, parameters=parameters, inputs={"dataset": data}
    )


splits = as_task(draw_splits, "splits {dataset} {split}")


def read_splits(store: Store, artifact: Artifact) -> list[Split]:
    """The runs in order."""
    return library.from_table(store.read(artifact.key))
