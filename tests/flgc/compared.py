"""Tables to compare: the paper's own, and small ones whose outcome is known."""

import numpy as np
import pandas as pd

from tasks.declared.published import published

AWKWARD = ("50% & more", "under_score $x$", "a|b {c} ~d^e", r"back\slash #1", "<b>", "[red]x")


def paper_accuracies() -> pd.DataFrame:
    """Table V, datasets x methods as printed; the row of averages is left out."""
    rows = published("uci_accuracy")
    methods = list(dict.fromkeys(rows["method"]))
    datasets = [name for name in dict.fromkeys(rows["dataset"]) if name != "Average"]
    return rows.pivot(index="dataset", columns="method", values="mean").loc[datasets, methods]


def drawn(n_datasets: int, names: list[str], spread: float = 2.0) -> pd.DataFrame:
    """Each method a little better than the one before it."""
    noise = np.random.default_rng(0).normal(size=(n_datasets, len(names)))
    datasets = [f"data {i}" for i in range(n_datasets)]
    shifts = np.linspace(0, spread, len(names))
    return pd.DataFrame(noise + shifts, index=datasets, columns=names)
