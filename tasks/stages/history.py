"""A point of history for each run of `track`, and all of them as one table, so that drift shows."""

import pandas as pd
from prefect.logging import get_logger

from flgc.benchmark.history import COLUMNS, measure
from tasks.running.stage import Stage
from tasks.store import Store, StoreError
from tasks.store.upkeep import artifact_keys

# Work that was computed again took other seconds; `when` tells points apart.
history = Stage("history", measure, outside=("costs",))


def past(store: str) -> pd.DataFrame:
    """Every run's rows, oldest first, with a warning for those that cannot be read."""
    opened = Store(store)
    frames = []
    for key in artifact_keys(opened):
        if not key.startswith(f"{history.name}-"):
            continue
        try:
            frames.append(opened.read(key).to_pandas())
        except (StoreError, KeyError) as error:
            get_logger("flgc.history").warning("left out of the history: %s", error)
    rows = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS)
    return rows.sort_values("when", kind="stable")
