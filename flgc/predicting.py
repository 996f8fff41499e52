"""Predictions with probabilities for the rows of a dataset that have no label."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.neighbors import NearestNeighbors

from flgc.classifier_cv import FLGCClassifierCV
from flgc.datasets import Dataset, DatasetError
from flgc.datasets.fetching.atomic import writing
from flgc.datasets.own import check_classes
from flgc.graph import as_adjacency
from flgc.scaling import scaled, usual

if TYPE_CHECKING:
    import pandas as pd

PROBABILITY = "p_"  # begins the column of a class
FORMATS = (".csv", ".parquet", ".pq")
MOST_JUDGED = 5_000  # rows on which nearest neighbours are tried
CLEARLY = 0.1  # neighbours better by this accuracy mean that a linear model does not fit


@dataclass(frozen=True, eq=False)
class Predictions:
    """A row for each predicted row, and facts about the fit: as one line, and for scripts."""

    table: pd.DataFrame
    about: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """`18 labelled, 31 predicted, ...`."""
        about = self.about
        setting = ", ".join(f"{name} {value:g}" for name, value in about["setting"].items())
        by = "an average, most of all of" if about["combine"] == "average" else "the model with"
        return (
            f"{about['labelled']} rows labelled, {about['predicted']} predicted by {by} {setting}, "
            f"on {about['scaling']} features; leave-one-out accuracy "
            f"{100 * about['loo_accuracy']:.1f} % "
            f"({100 * about['majority']:.1f} % by the largest class alone)"
        )


def predictions(
    data: Dataset,
    *,
    every_row: bool = False,
    combine: str = "average",
    device: str = "auto",
) -> Predictions:
    """Fit `FLGCClassifierCV` on the labelled rows, predict the others, or with `every_row` all.

    The default is the average, which is more accurate on most tables (docs/decisions.md). Of
    several scalings the one with the smallest leave-one-out error is taken.
    """
    import pandas as pd

    unlabelled = data.labels < 0
    wanted = np.flatnonzero(unlabelled | every_row)
    if not len(wanted):
        raise DatasetError(
            f"all {data.n_nodes} rows of {data.name} have a label: leave it empty in those that "
            "are to be predicted, or predict every row with --all"
        )
    check_classes(data, data.n_nodes)
    edges = None
    if data.edges is not None:
        edges = as_adjacency(data.edges, data.n_nodes, data.edge_weight)
    models: dict[str, FLGCClassifierCV] = {}
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        for scaling in usual(data.kind, sp.issparse(data.features)):
            model = FLGCClassifierCV(combine=combine, device=device)
            models[scaling] = model.fit(scaled(data.features, scaling), data.labels, edges)
    scaling, model = max(models.items(), key=lambda each: each[1].best_score_)
    shares = softmax(model.label_scores_[wanted] / model.temperature_, axis=1)
    names = [data.class_names[code] for code in model.classes_]
    columns: dict[str, Any] = {"row": wanted}
    if every_row:
        own_labels = np.array([*data.class_names, ""], dtype=object)[data.labels[wanted]]
        columns["label"] = pd.Series(own_labels).replace("", None)
    columns["predicted"] = [names[place] for place in shares.argmax(axis=1)]
    columns |= {f"{PROBABILITY}{name}": shares[:, i] for i, name in enumerate(names)}
    about: dict[str, Any] = {
        "dataset": data.name,
        "labelled": int((~unlabelled).sum()),
        "predicted": len(wanted),
        "combine": combine,
        "scaling": scaling,
        "setting": model.best_params_,
        "loo_accuracy": model.loo_accuracy_,
        "majority": max(data.class_counts) / int((~unlabelled).sum()),
        "nearest_neighbours": _by_neighbours(scaled(data.features, scaling), data.labels),
        "notes": list(data.provenance.get("notes", ())[1:]),
    }
    messages = dict.fromkeys(_with_names(str(each.message), data, model) for each in records)
    return Predictions(pd.DataFrame(columns), about, (*messages, *_poor_fit(about)))


def _by_neighbours(X: Any, labels: np.ndarray) -> float:
    """Leave-one-out accuracy of the three nearest labelled rows, on at most `MOST_JUDGED` rows.

    A baseline that is not linear.
    """
    labelled = np.flatnonzero(labels >= 0)
    judged = labelled[:: -(-len(labelled) // MOST_JUDGED)]
    if len(judged) <= 3:
        return float("nan")
    near = NearestNeighbors(n_neighbors=3).fit(X[judged]).kneighbors(return_distance=False)
    first, second, third = labels[judged][near].T
    vote = np.where(second == third, second, first)
    return float(np.mean(vote == labels[judged]))


def _poor_fit(about: dict[str, Any]) -> list[str]:
    """What to try if the model is hardly better than no model, or worse than neighbours.

    Hardly better: below twice the share of the largest class, or below half way from it to 1.
    """
    accuracy, majority, near = (
        about[key] for key in ("loo_accuracy", "majority", "nearest_neighbours")
    )
    if not (accuracy < min(2 * majority, (1 + majority) / 2) or near > accuracy + CLEARLY):
        return []
    return [
        f"a poor fit: leave-one-out accuracy {100 * accuracy:.1f} %, by the largest class alone "
        f"{100 * majority:.1f} %, by the 3 nearest rows {100 * near:.1f} %. Try other columns "
        "(--drop), edges if rows are linked (--edges), more labels; or another method: `flgc "
        "evaluate` compares them"
    ]


def formulas_in(table: pd.DataFrame, out: Path) -> list[str]:
    """A warning if a spreadsheet would run texts of a CSV as formulas; numbers are no formulas.

    The texts are kept, so that rows can be found again.
    """
    if out.suffix.lower() != ".csv":
        return []
    columns = [table[name] for name in table if table[name].dtype.kind not in "biuf"]
    texts = [
        str(each) for column in (table.columns.to_series(), *columns) for each in column.dropna()
    ]
    formulas = [
        text for text in texts if text.startswith(("=", "+", "-", "@")) and not _number(text)
    ]
    if not formulas:
        return []
    return [
        f"{len(formulas)} texts begin with =, +, - or @, as {formulas[0][:40]!r}: a spreadsheet "
        "would run them as formulas; open the file with all columns as text, or write .parquet"
    ]


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _with_names(message: str, data: Dataset, model: FLGCClassifierCV) -> str:
    """A warning of the classifier with names of classes instead of codes."""
    single = [int(c) for c in model.classes_ if data.class_counts[int(c)] == 1]
    named = [data.class_names[code] for code in single]
    return message.replace(str(single), str(named))


def write_predictions(table: pd.DataFrame, out: Path, force: bool = False) -> None:
    """Write CSV or Parquet, by the file's name; whole or not at all."""
    check_output(out, force)
    with writing(out) as temporary:
        if out.suffix.lower() == ".csv":
            table.to_csv(temporary, index=False)
        else:
            table.to_parquet(temporary, index=False)


def check_output(out: Path, force: bool = False) -> None:
    """Refuse a file that cannot be written, before anything is computed."""
    if out.suffix.lower() not in FORMATS:
        raise ValueError(f"{out} does not end with one of {', '.join(FORMATS)}; rename it")
    if out.is_dir():
        raise ValueError(f"{out} is a folder; name a file")
    if out.exists() and not force:
        raise ValueError(f"{out} exists already; give --force to replace it, or another name")
