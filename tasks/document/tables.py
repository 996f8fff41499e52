"""Tables for people: ours beside the published values, both protocols, gaps named."""

from collections.abc import Mapping, Sequence
from itertools import product

import pandas as pd

from flgc.datasets.dataset import titled
from tasks.declared.experiments import Experiment, published_name
from tasks.declared.published import LITERATURE, published_cells
from tasks.document.gaps import FAILED
from tasks.document.printed import decimals, in_points, redrawn

AVERAGE = "average"
ORIGINAL = "original"


def comparison(
    experiment: Experiment,
    protocols: tuple[str, ...],
    results: pd.DataFrame,
    absent: Mapping[str, str],
) -> pd.DataFrame:
    """Published and ours side by side: one row per dataset (and noise, and metric), or per method.

    Where there are more methods than datasets the methods are the rows, those that the paper took
    from the literature included. `absent` says what stands in the cells of a dataset that could not
    be had. A cell without a value for another reason failed.
    """
    ours = results[results["experiment"] == experiment.name]
    theirs = published_cells(experiment)
    by_method = len(experiment.methods) > max(2, len(subjects(experiment)))
    rows: dict[tuple, dict[str, str]] = {}
    for dataset, noise, intensity in subjects(experiment):
        here = _at(ours, dataset, noise, intensity)
        printed = _at(theirs, dataset, noise.split(",")[0], intensity)
        gap = absent.get(dataset, FAILED)
        about = {"dataset": _title(dataset, here)}
        if noise:
            about["noise"] = f"{noise} {intensity:g}"
        for metric, method in product(experiment.metrics, experiment.methods):
            of_metric = {"metric": metric} if len(experiment.metrics) > 1 else {}
            texts = _texts(experiment, here, printed, method, metric, protocols, gap)
            if not experiment.published:
                del texts["published"]
            if by_method:
                key, prefix = {"method": method, **of_metric}, " ".join(about.values())
            else:
                key, prefix = {**about, **of_metric}, method
            row = rows.setdefault(tuple(key.items()), {})
            row |= {f"{prefix} {kind}": text for kind, text in texts.items()}
    table = pd.DataFrame([{**dict(key), **row} for key, row in rows.items()])
    last = (
        literature_rows(experiment)
        if by_method
        else average_row(experiment, protocols, ours, theirs)
    )
    return pd.concat([table, last], ignore_index=True).fillna("")


def _texts(
    experiment: Experiment,
    here: pd.DataFrame,
    printed: pd.DataFrame,
    method: str,
    metric: str,
    protocols: tuple[str, ...],
    gap: str,
) -> dict[str, str]:
    """The published value and ours in each protocol; a value of other data says so."""
    there = printed[(printed["method"] == published_name(method)) & (printed["metric"] == metric)]
    texts = {"published": _cell(experiment, there["value"], there["std"].max(), metric, "")}
    if texts["published"] and redrawn(here):
        texts["published"] += f" ({ORIGINAL})"
    of_method = here[(here["method"] == method) & (here["metric"] == metric)]
    for protocol in protocols:
        values = of_method[of_method["protocol"] == protocol]["value"]
        spread = values.std(ddof=0) if len(values) > 1 else float("nan")
        texts[protocol] = _cell(experiment, values, spread, metric, gap)
    return texts


def literature_rows(experiment: Experiment) -> pd.DataFrame:
    """Methods that the paper cites with the values of others; nobody ran them here or there."""
    rows: dict[str, dict[str, str]] = {}
    for cell in published_cells(experiment, LITERATURE).to_dict("records"):
        row = rows.setdefault(cell["method"], {"method": f"{cell['method']} ({LITERATURE})"})
        value = pd.Series([cell["value"]])
        text = _cell(experiment, value, cell["std"], cell["metric"], "")
        row[f"{cell['dataset']} published"] = text
    return pd.DataFrame(list(rows.values()))


def subjects(experiment: Experiment) -> list[tuple[str, str, float]]:
    """(dataset, noise, intensity) of the table's rows."""
    if not experiment.noises:
        return [(dataset, "", 0.0) for dataset in experiment.datasets]
    return [
        (dataset, f"{noise.kind}, {noise.scaling}", noise.intensity)
        for dataset in experiment.datasets
        for noise in experiment.noises
    ]


def average_row(
    experiment: Experiment,
    protocols: tuple[str, ...],
    ours: pd.DataFrame,
    theirs: pd.DataFrame,
) -> pd.DataFrame:
    """Averages over the datasets where every method and protocol has its cell, published too.

    What is not the paper's own data is left out of all of them: theirs would be of other data.
    """
    if experiment.kind != "classification" or len(experiment.datasets) < 3:
        return pd.DataFrame()
    means = wide(ours).reindex(
        columns=pd.MultiIndex.from_product(
            [experiment.methods, protocols], names=["method", "protocol"]
        )
    )
    complete = means.dropna().index
    if experiment.published:
        complete = complete.drop(redrawn(ours), errors="ignore")
    if len(complete) == 0:
        return pd.DataFrame()
    row = {"dataset": f"{AVERAGE} over {_named(list(complete), experiment.datasets)}"}
    for method in experiment.methods:
        of_method = theirs[theirs["method"] == published_name(method)]
        printed = of_method.set_index("dataset")["value"]
        if set(complete) <= set(printed.index):
            row[f"{method} published"] = f"{100 * printed[complete].mean():.2f}"
        for protocol in protocols:
            row[f"{method} {protocol}"] = (
                f"{100 * means.loc[complete, (method, protocol)].mean():.2f}"
            )
    return pd.DataFrame([row])


def _named(complete: Sequence[str], datasets: Sequence[str]) -> str:
    """`22 of 24 datasets (all but air, cotton)`: which ones, by the shorter list."""
    number = f"{len(complete)} of {len(datasets)} datasets"
    left_out = [dataset for dataset in datasets if dataset not in complete]
    if not left_out:
        return number
    all_but = len(left_out) <= len(complete)
    names = f"all but {', '.join(left_out)}" if all_but else ", ".join(complete)
    return f"{number} ({names})"


def wide(results: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy over the runs: datasets x (method, protocol)."""
    accuracy = results[results["metric"] == "accuracy"]
    return accuracy.pivot_table(
        index="dataset", columns=["method", "protocol"], values="value", sort=False
    )


def settings(results: pd.DataFrame) -> pd.DataFrame:
    """The setting that most runs of each cell have, how many have it, and how it was picked."""
    cell = ["dataset", "noise", "intensity", "method", "protocol", "criterion"]
    axes = ["scaling", "hops", "teleport", "regularization", "learning_rate", "epochs"]
    runs = results.drop_duplicates([*cell, "run"])
    counted = runs.groupby([*cell, *axes], sort=False, dropna=False).size().reset_index(name="with")
    counted["runs"] = counted.groupby(cell, sort=False)["with"].transform("sum")
    counted["different settings"] = counted.groupby(cell, sort=False)["with"].transform("size")
    found = counted.loc[counted.groupby(cell, sort=False)["with"].idxmax()].reset_index(drop=True)
    found["runs"] = found["with"].astype(str) + " of " + found["runs"].astype(str)
    found = found.drop(columns="with")
    if found["epochs"].isna().all():
        found = found.drop(columns=["learning_rate", "epochs"])
    if (found["noise"] == "").all():
        found = found.drop(columns=["noise", "intensity"])
    return found


def cost(results: pd.DataFrame) -> pd.DataFrame:
    """Seconds by stage, summed over the cells of each experiment and method."""
    stages = [name for name in results.columns if name.startswith("seconds_")]
    cells = ["experiment", "method", "protocol", "dataset", "noise", "intensity", "run"]
    once = results.drop_duplicates([*cells[:-1], *stages])
    return once.groupby(["experiment", "method"], sort=False)[stages].sum().round(2).reset_index()


def markdown(table: pd.DataFrame) -> str:
    """A pipe table; numbers in full columns, nothing abbreviated."""
    if table.empty:
        return "(nothing)"
    head = "| " + " | ".join(map(str, table.columns)) + " |"
    rule = "|" + "---|" * len(table.columns)
    lines = ["| " + " | ".join(_text(value) for value in row) + " |" for row in table.to_numpy()]
    return "\n".join([head, rule, *lines])


def _text(value: object) -> str:
    if value is None or value is pd.NA or value != value:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def _at(rows: pd.DataFrame, dataset: str, noise: str, intensity: float) -> pd.DataFrame:
    where = (rows["dataset"] == dataset) & (rows["noise"] == noise)
    return rows[where & (rows["intensity"] == intensity)]


def _title(dataset: str, rows: pd.DataFrame) -> str:
    marks = rows["marks"].iloc[0] if len(rows) else ""
    return titled(dataset, [marks] if marks else [])


def _cell(experiment: Experiment, values: pd.Series, spread: float, metric: str, gap: str) -> str:
    """Accuracies in percent, ACC and NMI as shares; the spread is over the runs."""
    if len(values) == 0:
        return gap
    unit, more = (1, 0) if metric == "accuracy" else (100, 2)
    numbers = [values.mean()] if pd.isna(spread) else [values.mean(), spread]
    digits = decimals(experiment) + more
    return " ± ".join(f"{in_points(n, experiment) / unit:.{digits}f}" for n in numbers)
