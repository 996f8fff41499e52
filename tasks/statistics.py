"""Is one method better than another over the datasets of an experiment?"""

from collections.abc import Sequence

import pandas as pd

from tasks.comparisons import compared
from tasks.experiments import Experiment
from tasks.published import published_cells
from tasks.results import read_results
from tasks.stage import as_task
from tasks.store import Artifact, Store
from tasks.tables import wide

MODULES = ("flgc.statistics", "tasks.comparisons")
EMPTY = {"protocol": str, "control": str, "rival": str, "origin": str}


def compare_methods(
    store: str, experiment: Experiment, protocols: Sequence[str], results: Sequence[Artifact]
) -> Artifact:
    """Wilcoxon for every protocol: our methods with each other and with the published columns."""
    opened = Store(store)
    printed = published_cells(experiment).pivot_table(
        index="dataset", columns="method", values="value", sort=False
    )

    def compute() -> pd.DataFrame:
        means = wide(read_results(opened, results))
        parts = []
        for protocol in protocols:
            if protocol not in means.columns.get_level_values("protocol"):
                continue
            ours = pd.DataFrame(means.xs(protocol, axis=1, level="protocol"))
            found = compared(ours, printed, tuple(ours.columns))
            parts.append(found.assign(protocol=protocol))
        tables = [part for part in parts if not part.empty]
        if not tables:
            return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in EMPTY.items()})
        return pd.concat(tables, ignore_index=True)

    return opened.get_or_compute(
        "statistics",
        MODULES,
        compute,
        parameters={
            "experiment": experiment.name,
            "published": printed.to_csv(),
            "protocols": list(protocols),
        },
        inputs={f"{i:04d}": artifact for i, artifact in enumerate(results)},
    )


statistics = as_task(compare_methods, "statistics {experiment.name}")
