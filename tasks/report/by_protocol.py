"""A table of many methods, made readable: one protocol at a time, the paper's methods first.

Each cell is the mean, its deviation over the runs, and the difference to the published value.
"""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import pandas as pd

from tasks.declared.described import Described
from tasks.report.gaps import FAILED
from tasks.report.tables import Laid, averaged_over, laid_out, titled_as
from tasks.report.values import PUBLISHED, Place, Values

# Where both methods and datasets are more, protocols and published values are not side by side.
MOST_COLUMNS = 4


def is_wide(table: Described) -> bool:
    """Whether it has too many methods and datasets to show all protocols side by side."""
    return min(len(table.rows), len(table.datasets)) > MOST_COLUMNS and not table.noises


def laid_tables(
    values: Values, protocols: Sequence[str], absent: Mapping[str, str]
) -> dict[str, Laid]:
    """The table of an experiment by title: a single one without, or one for each protocol."""
    table = values.table
    if not is_wide(table):
        return {"": laid_out(values, protocols, absent)}
    printed = [name for name in table.methods if name in values.printed]
    further = [name for name in table.methods if name not in printed]
    tables = {
        f"`{protocol}`{title}": _of_protocol(values, protocol, methods, absent)
        for title, methods in (("", printed), (", further methods", further))
        for protocol in protocols
    }
    tables["As published"] = _of_protocol(values, PUBLISHED, printed, {})
    return {title: laid for title, laid in tables.items() if laid.frame.shape[1] > 1}


def overview(
    values: Values, protocols: Sequence[str], costs: Mapping[str, Mapping[str, float]]
) -> pd.DataFrame:
    """One row per method: means over the same datasets, how often it is the best, what it costs.

    Variants, which pick from a part of another row's settings, are in no count of the best.
    """
    table = values.table
    averages = averaged_over(values)
    if not averages:
        return pd.DataFrame()
    datasets, digits = list(averages.values())[-1], table.decimals
    columns: dict[str, Any] = {}
    theirs = _wide(values, PUBLISHED).loc[datasets].mean()
    if theirs.notna().any():
        columns["published"] = _texts(theirs, f".{digits}f")
    for protocol in protocols:
        means = _wide(values, protocol).loc[datasets]
        columns[protocol] = _texts(means.mean(), f".{digits}f")
        if theirs.notna().any():
            gaps = means.mean().round(digits) - theirs.round(digits)
            columns[f"{protocol} vs published"] = _texts(gaps, f"+.{digits}f")
        judged = means[[row.name for row in table.rows if not row.is_variant]].round(digits)
        best = judged.eq(judged.max(axis=1), axis=0).sum().where(judged.notna().any())
        columns[f"best in `{protocol}`"] = _texts(best.reindex(table.methods), ".0f")
    if costs:
        seconds = {name: sum(stages.values()) for name, stages in costs.items()}
        columns["seconds"] = _texts(pd.Series(seconds).reindex(table.methods), ".0f")
    frame = pd.DataFrame(columns).rename_axis("method").reset_index()
    return frame.assign(datasets=len(datasets))


def _texts(numbers: Any, form: str) -> Any:
    return numbers.map(lambda number: "" if pd.isna(number) else f"{number:{form}}")


def grids(table: Described) -> pd.DataFrame:
    """The settings of each method: the values of its axes."""
    rows = [
        {"method": name, "axes": "; ".join(f"{axis} {values}" for axis, values in axes.items())}
        for name, axes in table.grids.items()
    ]
    return pd.DataFrame(rows)


def _of_protocol(
    values: Values, protocol: str, methods: Sequence[str], absent: Mapping[str, str]
) -> Laid:
    """One row per dataset, then averages; the best of each row is in bold."""
    table, averages, digits = values.table, averaged_over(values), values.table.decimals
    is_run = protocol != PUBLISHED
    methods = [name for name in methods if not is_run or protocol in table.row(name).protocols]
    if not methods:
        return Laid(pd.DataFrame())
    means, theirs = (
        _with_averages(_wide(values, each), averages) for each in (protocol, PUBLISHED)
    )
    theirs.loc[values.redrawn if is_run else theirs.index] = nan
    cells = values.cells if is_run else values.published
    lines, places = [], dict[tuple[int, str], Place]()
    for i, (title, row) in enumerate(means.iterrows()):
        is_cell = is_run and title in table.datasets
        line = {"dataset": titled_as(title, values.results) if is_cell else title}
        for method, mean in row[methods].items():
            at = Place(title, "", 0.0, "", table.metrics[0], method, protocol)
            if pd.isna(mean):
                line[method] = absent.get(title, FAILED) if is_cell else ""
            else:
                is_best = round(mean, digits) == row[methods].round(digits).max()
                text = f"**{mean:.{digits}f}**" if is_best else f"{mean:.{digits}f}"
                spread = 100 * cells[at].std if at in cells else nan
                gap = round(mean, digits) - theirs.at[title, method]
                text += "" if pd.isna(spread) else f" ± {spread:.{digits}f}"
                line[method] = text + ("" if pd.isna(gap) else f" ({gap:+.{digits}f})")
            places |= {(i, method): at} if is_cell else {}
        lines.append(line)
    return Laid(pd.DataFrame(lines), places, closing=len(averages))


def _with_averages(wide: Any, averages: Mapping[str, Sequence[str]]) -> Any:
    rows = [wide.loc[datasets].mean().to_frame(title).T for title, datasets in averages.items()]
    return pd.concat([wide, *rows])


def _wide(values: Values, protocol: str) -> Any:
    """All datasets x methods in points; what the paper prints is rounded as there."""
    table = values.table
    wide = (100 * values.wide(protocol)).reindex(index=table.datasets, columns=table.methods)
    return wide.round(table.decimals) if protocol == PUBLISHED else wide
