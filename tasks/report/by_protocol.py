"""A table of many methods, made readable: one protocol at a time, the paper's methods first.

Each cell is the mean, its deviation over the runs, and the difference to the published value.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tasks.declared.described import Described
from tasks.report.gaps import FAILED
from tasks.report.printed import cells_of, redrawn
from tasks.report.tables import Laid, Place, averaged_over, laid_out, titled_as

# Where both methods and datasets are more, protocols and published values are not side by side.
MOST_COLUMNS = 4


def is_wide(table: Described) -> bool:
    """Whether it has too many methods and datasets to show all protocols side by side."""
    return min(len(table.rows), len(table.datasets)) > MOST_COLUMNS and not table.noises


def shown_tables(
    table: Described, protocols: Sequence[str], results: pd.DataFrame, absent: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """The tables of `laid_tables` alone."""
    laid = laid_tables(table, protocols, results, absent)
    return {title: each.frame for title, each in laid.items()}


def laid_tables(
    table: Described, protocols: Sequence[str], results: pd.DataFrame, absent: Mapping[str, str]
) -> dict[str, Laid]:
    """The table of an experiment by title: a single one without, or one for each protocol."""
    if not is_wide(table):
        return {"": laid_out(table, protocols, results, absent)}
    printed = {cell["method"] for cell in table.published}
    groups = {
        "": [row.name for row in table.rows if row.name in printed],
        ", further methods": [row.name for row in table.rows if row.name not in printed],
    }
    found = {
        f"`{protocol}`{title}": _of_protocol(table, protocol, methods, results, absent)
        for title, methods in groups.items()
        for protocol in protocols
    }
    published = _published(table, groups[""], results)
    closing = len(averaged_over(table, results))
    found |= {"As published": Laid(published, closing=closing)} if len(published) else {}
    return {title: shown for title, shown in found.items() if shown.frame.shape[1] > 1}


def overview(
    table: Described,
    protocols: Sequence[str],
    results: pd.DataFrame,
    costs: Mapping[str, Mapping[str, float]],
) -> pd.DataFrame:
    """One row per method: means over the same datasets, how often it is the best, what it costs.

    Variants, which pick from a part of another row's settings, are in no count of the best.
    """
    averages = averaged_over(table, results)
    if not averages:
        return pd.DataFrame()
    datasets, digits = list(averages.values())[-1], table.decimals
    columns: dict[str, pd.Series] = {}
    methods = list(table.methods)
    theirs = _theirs(table, methods).loc[datasets].mean()
    if theirs.notna().any():
        columns["published"] = theirs.map(lambda mean: _number(mean, f".{digits}f"))
    for protocol in protocols:
        ours = results[(results["experiment"] == table.name) & (results["protocol"] == protocol)]
        means = _wide(table, ours, methods, "mean").loc[datasets]
        columns[protocol] = means.mean().map(lambda mean: _number(mean, f".{digits}f"))
        if theirs.notna().any():
            gaps = means.mean().round(digits) - theirs.round(digits)
            columns[f"{protocol} vs published"] = gaps.map(lambda gap: _number(gap, f"+.{digits}f"))
        judged = means[[row.name for row in table.rows if not row.is_variant]].round(digits)
        best = judged.eq(judged.max(axis=1), axis=0).sum().where(judged.notna().any())
        columns[f"best in `{protocol}`"] = best.reindex(methods).map(lambda n: _number(n, ".0f"))
    if costs:
        seconds = {name: sum(stages.values()) for name, stages in costs.items()}
        columns["seconds"] = pd.Series(
            [_number(seconds.get(name, float("nan")), ".0f") for name in methods], index=methods
        )
    shown = pd.DataFrame(columns).rename_axis("method").reset_index()
    return shown.assign(datasets=len(datasets))


def _number(value: float, form: str) -> str:
    return "" if pd.isna(value) else f"{value:{form}}"


def grids(table: Described) -> pd.DataFrame:
    """The settings of each method: the values of its axes."""
    rows = [
        {"method": name, "axes": "; ".join(f"{axis} {values}" for axis, values in axes.items())}
        for name, axes in table.grids.items()
    ]
    return pd.DataFrame(rows)


def _of_protocol(
    table: Described,
    protocol: str,
    methods: Sequence[str],
    results: pd.DataFrame,
    absent: Mapping[str, str],
) -> Laid:
    """One row per dataset, then averages; the best of each row is in bold."""
    methods = [name for name in methods if protocol in table.row(name).protocols]
    ours = results[(results["experiment"] == table.name) & (results["protocol"] == protocol)]
    means, spreads = _wide(table, ours, methods, "mean"), _wide(table, ours, methods, "std")
    theirs = _theirs(table, methods)
    theirs.loc[theirs.index.isin(redrawn(ours))] = float("nan")
    lines = []
    for dataset in table.datasets:
        gap = absent.get(dataset, FAILED)
        texts = _texts(table, means.loc[dataset], spreads.loc[dataset], theirs.loc[dataset], gap)
        lines.append({"dataset": titled_as(dataset, ours), **texts})
    for title, datasets in averaged_over(table, results).items():
        over, none = means.loc[datasets].mean(), means.iloc[0] * float("nan")
        texts = _texts(table, over, none, _theirs(table, methods).loc[datasets].mean(), "")
        lines.append({"dataset": title, **texts})
    places = {
        (i, method): Place(dataset, "", 0.0, "", table.metrics[0], method, protocol)
        for i, dataset in enumerate(table.datasets)
        for method in methods
    }
    return Laid(pd.DataFrame(lines), places, closing=len(lines) - len(table.datasets))


def _texts(table: Described, means: Any, spreads: Any, theirs: Any, gap: str) -> dict[str, str]:
    """`**96.30** ± 0.66 (+0.12)` for each method, in points."""
    digits, best = table.decimals, means.round(table.decimals).max()
    found = {}
    for method, mean in means.items():
        if pd.isna(mean):
            found[str(method)] = gap
            continue
        text = f"{mean:.{digits}f}"
        text = f"**{text}**" if round(mean, digits) == best else text
        text += f" ± {spreads[method]:.{digits}f}" if pd.notna(spreads[method]) else ""
        difference = round(mean, digits) - theirs[method]
        found[str(method)] = text + ("" if pd.isna(difference) else f" ({difference:+.{digits}f})")
    return found


def _wide(table: Described, ours: pd.DataFrame, methods: Sequence[str], what: str) -> Any:
    """Datasets x methods in points: the mean over the runs, or their deviation."""
    groups = ours[ours["metric"] == table.metrics[0]].groupby(["dataset", "method"])["value"]
    found = groups.mean() if what == "mean" else groups.std(ddof=0)
    return (100 * found).unstack().reindex(index=list(table.datasets), columns=list(methods))


def _theirs(table: Described, methods: Sequence[str]) -> Any:
    """What the paper prints for these methods: datasets x methods in points."""
    printed = cells_of(table.published)
    names = {name: table.row(name).published for name in methods}
    found = printed.pivot_table(index="dataset", columns="method", values="value", sort=False)
    found = (100 * found).reindex(index=list(table.datasets), columns=list(names.values()))
    return found.set_axis(list(names), axis=1).round(table.decimals)


def _published(table: Described, methods: Sequence[str], results: pd.DataFrame) -> pd.DataFrame:
    """The paper's own table, averages over the same datasets as ours below it."""
    printed = cells_of(table.published)
    printed = printed[printed["method"].isin(methods)]
    if printed.empty:
        return pd.DataFrame()
    means = _theirs(table, methods)
    spreads = (100 * printed.pivot(index="dataset", columns="method", values="std")).reindex(
        index=list(table.datasets), columns=list(methods)
    )
    none = pd.Series(float("nan"), index=list(methods))
    lines = [
        {"dataset": name, **_texts(table, means.loc[name], spreads.loc[name], none, "")}
        for name in table.datasets
    ]
    for title, datasets in averaged_over(table, results).items():
        over = means.loc[datasets].mean()
        lines.append({"dataset": title, **_texts(table, over, none, none, "")})
    return pd.DataFrame(lines)
