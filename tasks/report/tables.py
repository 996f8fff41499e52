"""Tables for people: ours beside the published values, both protocols, gaps named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pandas as pd

from flgc.datasets.dataset import titled
from flgc.datasets.splits import N_FOLDS
from flgc.grid import USUAL_HOPS, USUAL_TELEPORT
from flgc.label_free import CHOSEN, IN_WORDS
from flgc.methods.base import AXIS, axes_of
from flgc.methods.picking import BEST_CLUSTERINGS, ERROR, FIRST, FROM_USUAL, VALIDATED
from tasks.declared.described import Described
from tasks.declared.published import LITERATURE
from tasks.report.gaps import FAILED
from tasks.report.values import PUBLISHED, SUBJECT, Place, Values, in_points
from tasks.report.writers.inert import inert

AVERAGE = "average"
ORIGINAL = "original"
NONE = "\N{EN DASH}"  # there is no such cell, so nothing failed
# What tells a cell from the others, whatever its metric.
CELL = [*SUBJECT, "method", "protocol"]
# What settings are judged on, by the column that says which is best.
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


@dataclass(frozen=True)
class Laid:
    """A table as it is shown, and which cell is where.

    `places` are by number of the row and by column; `groups` gives each column of values the title
    that it shares with others, and its own below it. The `closing` rows are averages.
    """

    frame: pd.DataFrame
    places: dict[tuple[int, str], Place] = field(default_factory=dict)
    groups: dict[str, tuple[str, str]] = field(default_factory=dict)
    closing: int = 0


def laid_out(values: Values, protocols: Sequence[str], absent: Mapping[str, str]) -> Laid:
    """Published and ours side by side: one row per dataset (and noise, and metric), or per method.

    Where there are more methods than datasets the methods are the rows, those that the paper took
    from the literature included. `absent` is the text in the cells of a dataset that could not
    be had. A cell without a value for another reason failed.
    """
    table = values.table
    by_method = methods_are_rows(table)
    kinds = [*([PUBLISHED] if table.published else []), *protocols]
    places: dict[tuple[int, str], Place] = {}
    groups: dict[str, tuple[str, str]] = {}
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for subject in subjects(table):
        data = _data_cells(subject, values)
        for metric, row in product(table.metrics, table.rows):
            of_metric = {"metric": metric} if len(table.metrics) > 1 else {}
            if by_method:
                head, prefix = {"method": row.name, **of_metric}, " ".join(data.values())
            else:
                head, prefix = {**data, **of_metric}, row.name
            line = rows.setdefault(tuple(head.values()), head)
            number = list(rows).index(tuple(head.values()))
            for kind in kinds:
                column, at = f"{prefix} {kind}", Place(*subject, metric, row.name, kind)
                line[column], groups[column] = _text_at(at, values), (prefix, kind)
                if kind in protocols:
                    lacking = absent.get(at.dataset, FAILED) if kind in row.protocols else NONE
                    line[column] = line[column] or lacking
                    groups[column] = (prefix, f"`{kind}`")
                    places[number, column] = at
    last = literature_rows(table) if by_method else average_rows(values, protocols)
    whole = pd.concat([pd.DataFrame(list(rows.values())), last], ignore_index=True).fillna("")
    frame = whole.loc[:, ~whole.isin(["", NONE]).all()]  # without any cell
    return Laid(frame, places, groups, 0 if by_method else len(last))


def methods_are_rows(table: Described) -> bool:
    """Whether there are more methods than datasets, which then are the columns."""
    return len(table.rows) > max(2, len(table.datasets)) and not table.noises


def _data_cells(subject: tuple[str, str, float, str], values: Values) -> dict[str, str]:
    """What a row says of its data."""
    dataset, noise, intensity, pattern = subject
    cells = {"dataset": titled_as(dataset, values.results)}
    if noise:
        cells |= {"noise": f"{noise} {intensity:g}", "pattern": pattern}
        cells["changed"] = _changed(values.results, subject)
    return cells


def _text_at(at: Place, values: Values) -> str:
    """The value there as it is printed, if there is one; a published one of other data says so."""
    is_published = at.protocol == PUBLISHED
    cell = (values.published if is_published else values.cells).get(at)
    if cell is None:
        return ""
    text = cell_text(cell.mean, cell.spread, at.metric, values.table)
    return f"{text} ({ORIGINAL})" if is_published and at.dataset in values.redrawn else text


def literature_rows(table: Described) -> pd.DataFrame:
    """Methods that the paper cites with the values of others: neither it nor we ran them."""
    rows: dict[str, dict[str, str]] = {}
    for cell in table.literature:
        row = rows.setdefault(cell["method"], {"method": f"{cell['method']} ({LITERATURE})"})
        text = cell_text(cell["value"], cell["std"], cell["metric"], table)
        row[f"{cell['dataset']} published"] = text
    return pd.DataFrame(list(rows.values()))


def subjects(table: Described) -> list[tuple[str, str, float, str]]:
    """(dataset, noise, intensity, pattern) of the table's rows."""
    pairs = product(table.datasets, table.noises or (("", 0.0, ""),))
    return [(dataset, *noise) for dataset, noise in pairs]


def average_rows(values: Values, protocols: Sequence[str]) -> pd.DataFrame:
    """The means of all columns over the same datasets, those of the published values too."""
    columns = {protocol: values.wide(protocol) for protocol in (PUBLISHED, *protocols)}
    rows = []
    for title, datasets in averaged_over(values).items():
        line = {"dataset": title}
        for method, (kind, means) in product(values.table.methods, columns.items()):
            if method in means and set(datasets) <= set(means[method].dropna().index):
                line[f"{method} {kind}"] = f"{100 * means.loc[datasets, method].mean():.2f}"
            elif kind != PUBLISHED:
                line[f"{method} {kind}"] = NONE
        rows.append(line)
    return pd.DataFrame(rows)


def averaged_over(values: Values) -> dict[str, list[str]]:
    """The datasets over which averages go, by what is said of them: those where all have a cell.

    Where there are published values, first without what is not the paper's own data, since theirs
    are of other data, then with it.
    """
    table = values.table
    if "accuracy" not in table.metrics or len(table.datasets) < 3:
        return {}
    whole = values.complete()
    complete = [name for name in table.datasets if name in whole]
    others = values.redrawn if table.published else []
    own = [name for name in complete if name not in others]
    titles = {f"{AVERAGE} over {_named(each, table.datasets)}": each for each in (own, complete)}
    return {title: datasets for title, datasets in titles.items() if datasets}


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
    most = _most_picked(results)
    if most.empty or (most["noise"] == "").all():
        most = most.drop(columns=SUBJECT[1:], errors="ignore")
    return most.rename(columns=lambda name: name.removeprefix(AXIS)).reset_index(drop=True)


def picks(results: pd.DataFrame) -> dict[tuple[Any, ...], tuple[str, str]]:
    """The same by subject, method and protocol: a text, and `7 of 10` if runs differ."""
    rows: Any = _most_picked(results).to_dict("records")
    return {
        tuple(row[name] for name in CELL): (
            setting_text({axis: row[axis] for axis in axes_of(results)}),
            row["runs"] if row["different settings"] > 1 else "",
        )
        for row in rows
    }


def _most_picked(results: pd.DataFrame) -> pd.DataFrame:
    axes = axes_of(results)
    runs = results.dropna(subset=axes, how="all").drop_duplicates([*CELL, "run"])
    if not axes or runs.empty:
        return pd.DataFrame()
    counted = runs.groupby([*CELL, *axes], sort=False, dropna=False).size().reset_index(name="with")
    of_cells = counted.groupby(CELL, sort=False)["with"]
    counted["runs"] = counted["with"].astype(str) + " of " + of_cells.transform("sum").astype(str)
    counted["different settings"] = of_cells.transform("size")
    return counted.loc[of_cells.idxmax()].drop(columns="with")


def setting_text(values: Any) -> str:
    """`hops 20, teleport 0.1`, of a row or a mapping: as in tables, without what is not there."""
    texts = {str(axis).removeprefix(AXIS): as_text(value) for axis, value in values.items()}
    return ", ".join(f"{axis} {text}" for axis, text in texts.items() if text)


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


def _changed(results: pd.DataFrame, subject: tuple[str, str, float, str]) -> str:
    """`19.8 %`: the share of entries that noise changed, on average over its seeds."""
    rows = results[results[SUBJECT].eq(pd.Series(subject, index=SUBJECT)).all(axis=1)]
    shares = rows.drop_duplicates("run")["changed_share"]
    return f"{100 * shares.mean():.1f} %" if len(shares) else ""


def titled_as(dataset: str, results: pd.DataFrame) -> str:
    """`x8d5k (re-drawn)`: a dataset with what its results say of it."""
    marks = results.loc[results["dataset"] == dataset, "marks"]
    return titled(dataset, [marks.iloc[0]] if len(marks) and marks.iloc[0] else [])


def cell_text(mean: float, spread: float | None, metric: str, table: Described) -> str:
    """Accuracies in percent, ACC and NMI as shares; the spread, if there is one, over the runs."""
    unit, digits = printed_in(metric, table)
    numbers = [mean] if pd.isna(spread) else [mean, spread]
    return " ± ".join(f"{in_points(n, table) * unit / 100:.{digits}f}" for n in numbers)


def printed_in(metric: str, table: Described) -> tuple[int, int]:
    """What 1 is printed as, and with how many digits: 100 in percent, or 1."""
    return (100, table.decimals) if metric == "accuracy" else (1, table.decimals + 2)
