"""Is one method better than another over the datasets of an experiment?"""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from tasks.declared.experiments import Experiment
from tasks.declared.published import published_cells
from tasks.document.comparisons import compared
from tasks.document.printed import in_points, redrawn
from tasks.document.results import read_results
from tasks.document.tables import wide
from tasks.running.stage import as_task
from tasks.store.store import Artifact, Store

MODULES = ("flgc.statistics.many_methods", "tasks.document.comparisons")
EMPTY = {"protocol": str, "control": str, "rival": str, "origin": str}


def compare_methods(
    store: str, experiment: Experiment, protocols: Sequence[str], results: Sequence[Artifact]
) -> Artifact:
    """Wilcoxon for every protocol: our methods with each other and with the published columns."""
    opened = Store(store)
    printed = published_cells(experiment).pivot_table(
        index="dataset", columns="method", values="value", sort=False
    )
    points = partial(in_points, experiment=experiment)

    def compute() -> pd.DataFrame:
        rows = read_results(opened, results)
        means = wide(rows)
        parts = []
        for protocol in protocols:
            if protocol not in means.columns.get_level_values("protocol"):
                continue
            ours = pd.DataFrame(means.xs(protocol, axis=1, level="protocol"))
            columns = tuple(ours.columns)
            found = compared(ours.map(points), printed.map(points), columns, redrawn(rows))
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
            "published": printed.map(points).to_csv(),
            "protocols": list(protocols),
        },
        inputs={f"{i:04d}": artifact for i, artifact in enumerate(results)},
    )


statistics = as_task(compare_methods, "statistics {experiment.name}")
