"""Tables for people: ours beside the published values, both protocols, gaps named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import pandas as pd

from flgc.datasets.dataset import titled
from flgc.datasets.splits import N_FOLDS
from flgc.grid import USUAL_HOPS, USUAL_TELEPORT
from flgc.label_free import CHOSEN, IN_WORDS
from flgc.methods.base import AXIS, axes_of
from flgc.methods.picking import BEST_CLUSTERINGS, ERROR, FIRST, FROM_USUAL, VALIDATED
from tasks.declared.described import Described, Row
from tasks.declared.published import LITERATURE
from tasks.report.gaps import FAILED
from tasks.report.printed import cells_of, in_points, redrawn
from tasks.report.rows import wide
from tasks.report.writers.inert import inert

AVERAGE = "average"
ORIGINAL = "original"
NONE = "\N{EN DASH}"  # there is no such cell, so nothing failed
SUBJECT = ["dataset", "noise", "intensity", "noise_pattern"]
# On what settings are judged, by the column that said which is best.
JUDGED_ON = {
    "test": "test nodes",
    "ACC": "true classes",
    "validation": "validation nodes",
    VALIDATED: "squared error of leave-one-out, among the best on validation nodes",
    ERROR: "squared error of leave-one-out",
    FROM_USUAL: "nothing, as a class has a single label: the usual setting",
    "hits": f"hits in {N_FOLDS} folds of the labelled nodes",
    CHOSEN: f"{IN_WORDS}, which know no labels",
    FIRST: "nothing: the first declared",
    BEST_CLUSTERINGS: f"none picked: the affinities of {BEST_CLUSTERINGS}, added up",
    "all, weighted": "none picked: all, weighted by hits on nodes not fitted, error and size",
}


# The columns that a table is made of: results have one more for each axis of any method.
SHOWN = [
    *("experiment", *SUBJECT, "method", "protocol"),
    *("marks", "changed_share", "run", "metric", "value"),
]


class Place(NamedTuple):
    """Whose value stands in a cell."""

    dataset: str
    noise: str
    intensity: float
    noise_pattern: str
    metric: str
    method: str
    protocol: str


@dataclass(frozen=True)
class Laid:
    """A table as it is shown, and what stands where.

    `places` are by number of the row and by column; `groups` gives each column of values the title
    that it shares with others, and its own below it. The `closing` rows are averages.
    """

    frame: pd.DataFrame
    places: dict[tuple[int, str], Place] = field(default_factory=dict)
    groups: dict[str, tuple[str, str]] = field(default_factory=dict)
    closing: int = 0


def section_table(
    table: Described, protocols: Sequence[str], results: pd.DataFrame, absent: Mapping[str, str]
) -> pd.DataFrame:
    """The table of `laid_out` alone."""
    return laid_out(table, protocols, results, absent).frame


def laid_out(
    table: Described, protocols: Sequence[str], results: pd.DataFrame, absent: Mapping[str, str]
) -> Laid:
    """Published and ours side by side: one row per dataset (and noise, and metric), or per method.

    Where there are more methods than datasets the methods are the rows, those that the paper took
    from the literature included. `absent` says what stands in the cells of a dataset that could not
    be had. A cell without a value for another reason failed.
    """
    places: dict[tuple[int, str], Place] = {}
    groups: dict[str, tuple[str, str]] = {}
    ours = results.loc[results["experiment"] == table.name, SHOWN]
    theirs = cells_of(table.published)
    by_method = methods_are_rows(table)
    rows: dict[tuple, dict[str, str]] = {}
    for dataset, noise, intensity, pattern in subjects(table):
        at = (dataset, noise, intensity, pattern)
        here, printed = (_at(cells, at) for cells in (ours, theirs))
        gap = absent.get(dataset, FAILED)
        about = {"dataset": titled_as(dataset, here)}
        if noise:
            about |= {"noise": f"{noise} {intensity:g}", "pattern": pattern}
            about["changed"] = _changed(here)
        for metric, row in product(table.metrics, table.rows):
            of_metric = {"metric": metric} if len(table.metrics) > 1 else {}
            texts = _texts(table, here, printed, row, metric, protocols, gap)
            if not table.published:
                del texts["published"]
            if by_method:
                key, prefix = {"method": row.name, **of_metric}, " ".join(about.values())
            else:
                key, prefix = {**about, **of_metric}, row.name
            line = rows.setdefault(tuple(key.items()), {})
            number = list(rows).index(tuple(key.items()))
            for kind, text in texts.items():
                column = f"{prefix} {kind}"
                own_title = f"`{kind}`" if kind in protocols else kind
                line[column], groups[column] = text, (prefix, own_title)
                if kind in protocols:
                    places[number, column] = Place(*at, metric, row.name, kind)
    shown = pd.DataFrame([{**dict(key), **line} for key, line in rows.items()])
    last = literature_rows(table) if by_method else average_rows(table, protocols, ours, theirs)
    whole = pd.concat([shown, last], ignore_index=True).fillna("")
    frame = whole.loc[:, ~whole.isin(["", NONE]).all()]  # nobody has a cell there
    return Laid(frame, places, groups, 0 if by_method else len(last))


def methods_are_rows(table: Described) -> bool:
    """Whether there are more methods than datasets, which then are the columns."""
    return len(table.rows) > max(2, len(table.datasets)) and not table.noises


def _texts(
    table: Described,
    here: pd.DataFrame,
    printed: pd.DataFrame,
    row: Row,
    metric: str,
    protocols: Sequence[str],
    gap: str,
) -> dict[str, str]:
    """The published value and ours in each protocol; a value of other data says so."""
    there = printed[(printed["method"] == row.published) & (printed["metric"] == metric)]
    texts = {"published": cell_text(table, there["value"], there["std"].max(), metric, "")}
    if texts["published"] and redrawn(here):
        texts["published"] += f" ({ORIGINAL})"
    of_method = here[(here["method"] == row.name) & (here["metric"] == metric)]
    for protocol in protocols:
        values = of_method[of_method["protocol"] == protocol]["value"]
        spread = values.std(ddof=0) if len(values) > 1 else float("nan")
        lacking = gap if protocol in row.protocols else NONE
        texts[protocol] = cell_text(table, values, spread, metric, lacking)
    return texts


def literature_rows(table: Described) -> pd.DataFrame:
    """Methods that the paper cites with the values of others; nobody ran them here or there."""
    rows: dict[str, dict[str, str]] = {}
    for cell in table.literature:
        row = rows.setdefault(cell["method"], {"method": f"{cell['method']} ({LITERATURE})"})
        text = cell_text(table, pd.Series([cell["value"]]), cell["std"], cell["metric"], "")
        row[f"{cell['dataset']} published"] = text
    return pd.DataFrame(list(rows.values()))


def subjects(table: Described) -> list[tuple[str, str, float, str]]:
    """(dataset, noise, intensity, pattern) of the table's rows."""
    pairs = product(table.datasets, table.noises or (("", 0.0, ""),))
    return [(dataset, *noise) for dataset, noise in pairs]


def average_rows(
    table: Described, protocols: Sequence[str], ours: pd.DataFrame, theirs: pd.DataFrame
) -> pd.DataFrame:
    """The means of all columns over the same datasets, those of the published values too."""
    means, rows = wide(ours), []
    for title, datasets in averaged_over(table, ours).items():
        found = {"dataset": title}
        for row in table.rows:
            printed = theirs[theirs["method"] == row.published].set_index("dataset")["value"]
            if set(datasets) <= set(printed.index):
                found[f"{row.name} published"] = f"{100 * printed[datasets].mean():.2f}"
            for protocol in protocols:
                here = (row.name, protocol) in means
                value = 100 * means.loc[datasets, (row.name, protocol)].mean() if here else None
                found[f"{row.name} {protocol}"] = f"{value:.2f}" if here else NONE
        rows.append(found)
    return pd.DataFrame(rows)


def averaged_over(table: Described, results: pd.DataFrame) -> dict[str, list[str]]:
    """The datasets over which averages go, by what is said of them: those where all have a cell.

    Where there are published values, first without what is not the paper's own data, since theirs
    are of other data, then with it.
    """
    if "accuracy" not in table.metrics or len(table.datasets) < 3:
        return {}
    means = wide(results[results["experiment"] == table.name])
    complete = [name for name in table.datasets if name in means.dropna().index]
    others = redrawn(results) if table.published else []
    own = [name for name in complete if name not in others]
    found = {f"{AVERAGE} over {_named(each, table.datasets)}": each for each in (own, complete)}
    return {title: datasets for title, datasets in found.items() if datasets}


def _named(complete: Sequence[str], datasets: Sequence[str]) -> str:
    """`22 of 24 datasets (all but air, cotton)`: which ones, by the shorter list."""
    number = f"{len(complete)} of {len(datasets)} datasets"
    left_out = [dataset for dataset in datasets if dataset not in complete]
    if not left_out:
        return number
    all_but = len(left_out) <= len(complete)
    names = f"all but {', '.join(left_out)}" if all_but else ", ".join(complete)
    return f"{number} ({names})"


def tried(results: pd.DataFrame) -> pd.DataFrame:
    """How many settings each method tried in each protocol, on what, and in how many runs.

    A method has a row more where that differs between datasets.
    """
    budget = ["method", "protocol", "tried", "criterion"]
    runs = results.drop_duplicates([*budget, *SUBJECT, "run"])
    per_cell = runs.groupby([*budget, *SUBJECT], sort=False).size().reset_index(name="runs")
    groups = per_cell.groupby(budget, sort=False)
    found = groups["runs"].agg(lambda runs: _span(runs.min(), runs.max())).reset_index()
    found["datasets"] = groups["dataset"].nunique().to_numpy()
    found["criterion"] = found["criterion"].map(lambda name: JUDGED_ON.get(name, name))
    return found.rename(columns={"tried": "settings tried", "criterion": "judged on"})


def unjudged(results: pd.DataFrame) -> list[str]:
    """A warning: where a class has a single label, so that nothing could be picked."""
    rows = results[results["criterion"] == FROM_USUAL]
    if rows.empty:
        return []
    methods, datasets = (", ".join(rows[name].unique()) for name in ("method", "dataset"))
    return [
        f"{methods} on {datasets}: a class has a single label, and leave-one-out cannot judge "
        f"models that never saw a class. The usual setting is taken, {USUAL_HOPS} hops, teleport "
        f"{USUAL_TELEPORT:g}, or the nearest of the grid: label two or more of each class."
    ]


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def settings(results: pd.DataFrame) -> pd.DataFrame:
    """The setting that most runs of each cell have, and how many have it; an average has none."""
    axes, cell = axes_of(results), [*SUBJECT, "method", "protocol"]
    if not axes:
        return pd.DataFrame()
    runs = results.dropna(subset=axes, how="all").drop_duplicates([*cell, "run"])
    counted = runs.groupby([*cell, *axes], sort=False, dropna=False).size().reset_index(name="with")
    of_cells = counted.groupby(cell, sort=False)["with"]
    counted["runs"] = counted["with"].astype(str) + " of " + of_cells.transform("sum").astype(str)
    counted["different settings"] = of_cells.transform("size")
    found = counted.loc[of_cells.idxmax()].drop(columns="with")
    if (found["noise"] == "").all():
        found = found.drop(columns=SUBJECT[1:])
    return found.rename(columns=lambda name: name.removeprefix(AXIS)).reset_index(drop=True)


def cost(seconds: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """Seconds by method and stage."""
    return pd.DataFrame([{"method": name, **of_stages} for name, of_stages in seconds.items()])


def markdown(table: pd.DataFrame) -> str:
    """A pipe table; numbers in full columns, nothing abbreviated."""
    if table.empty:
        return "(nothing)"
    head = "| " + " | ".join(map(_text, table.columns)) + " |"
    rule = "|" + "---|" * len(table.columns)
    lines = ["| " + " | ".join(_text(value) for value in row) + " |" for row in table.to_numpy()]
    return "\n".join([head, rule, *lines])


def _text(value: object) -> str:
    return inert(" ".join(as_text(value).split("\n"))).replace("|", "\\|")


def as_text(value: object) -> str:
    """A cell as it is printed; nothing where there is no value."""
    if value is None or value is pd.NA or value != value:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _at(rows: pd.DataFrame, subject: tuple[str, str, float, str]) -> pd.DataFrame:
    return rows[rows[SUBJECT].eq(pd.Series(subject, index=SUBJECT)).all(axis=1)]


def _changed(rows: pd.DataFrame) -> str:
    """`19.8 %`: the share of entries that noise changed, on average over its seeds."""
    shares = rows.drop_duplicates("run")["changed_share"]
    return f"{100 * shares.mean():.1f} %" if len(shares) else ""


def titled_as(dataset: str, results: pd.DataFrame) -> str:
    """`x8d5k (re-drawn)`: a dataset with what its results say of it."""
    marks = results.loc[results["dataset"] == dataset, "marks"]
    return titled(dataset, [marks.iloc[0]] if len(marks) and marks.iloc[0] else [])


def cell_text(table: Described, values: pd.Series, spread: float, metric: str, lacking: str) -> str:
    """Accuracies in percent, ACC and NMI as shares; the spread is over the runs."""
    if len(values) == 0:
        return lacking
    unit, digits = printed_in(metric, table)
    numbers = [values.mean()] if pd.isna(spread) else [values.mean(), spread]
    return " ± ".join(f"{in_points(n, table) * unit / 100:.{digits}f}" for n in numbers)


def printed_in(metric: str, table: Described) -> tuple[int, int]:
    """What 1 is printed as, and with how many digits: 100 in percent, or 1."""
    return (100, table.decimals) if metric == "accuracy" else (1, table.decimals + 2)
