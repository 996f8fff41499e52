"""Where the paper's text on regular tables differs from its Tables IV to VI."""

from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any

import pandas as pd

from flgc.datasets import resolve
from flgc.statistics.many_methods import BETTER, UNDECIDED, WORSE
from flgc.statistics.signed_ranks import critical_value
from tasks.declared.published import AVERAGE
from tasks.document.influence_claims import WITH, WITHOUT
from tasks.document.judging_tables import BEST_ON, OF
from tasks.document.paper_claims import CLASSIC, GCN_VARIANTS

# The levels of Table VI, above and below its diagonal.
LEVELS = ABOVE, BELOW = 0.1, 0.05
# A published table by its name.
Printed = Callable[[str], pd.DataFrame]
Pair = tuple[str, str]


def _wide(cells: pd.DataFrame) -> Any:
    """Datasets x methods of means, both in the order of the paper."""
    found = cells.pivot_table(index="dataset", columns="method", values="mean", sort=False)
    return found.drop(index=AVERAGE, errors="ignore")


def listed_sizes(printed: Printed) -> str:
    sizes = [resolve(name) for name in printed("uci_datasets")["dataset"]]
    used = [resolve(name) for name in _wide(printed("uci_accuracy")).index]
    twice = sorted({name for name in sizes if sizes.count(name) > 1})
    lacking = [name for name in used if name not in sizes]
    texts = [f"{name} is listed twice" for name in twice]
    return ", ".join([*texts, *(f"{name} is not in Table IV" for name in lacking)])


def best_count(printed: Printed) -> str:
    values = _wide(printed("uci_accuracy"))
    first = values.eq(values.max(axis=1), axis=0)
    best, alone = first[WITH], first[WITH] & (first.drop(columns=[WITHOUT]).sum(axis=1) == 1)
    if best.sum() == BEST_ON and len(values) == OF:
        return ""
    return (
        f"it is on {best.sum()} of {len(values)}, on {best.sum() - alone.sum()} of them level with "
        f"a rival; {len(_bold(printed, WITH))} of its values are in bold"
    )


def _bold(printed: Printed, method: str = "") -> list[tuple[str, str]]:
    """The (dataset, method) of Table V that are in bold."""
    cells = printed("uci_bold")
    cells = cells[cells["dataset"] != AVERAGE]
    pairs = list(zip(cells["dataset"], cells["method"], strict=True))
    return [pair for pair in pairs if method in ("", pair[1])]


def bold_not_best(printed: Printed) -> str:
    values = _wide(printed("uci_accuracy"))
    texts = []
    for dataset, method in _bold(printed):
        row = values.loc[dataset]
        if row[method] < row.max():
            beside = f"{row.idxmax()} {row.max():.2f}"
            texts.append(f"{dataset}: {method} {row[method]:.2f} is, beside {beside}")
    return ", ".join(texts)


def best_not_bold(printed: Printed) -> str:
    values, bold, texts = _wide(printed("uci_accuracy")), _bold(printed), []
    for dataset, row in values.iterrows():
        level = [str(name) for name in row.index[row == row.max()]]
        left = [name for name in level if (dataset, name) not in bold]
        if left:
            texts.append(f"{dataset} {', '.join(left)} ({row.max():.2f})")
    return f"best, but not in bold: {'; '.join(texts)}" if texts else ""


def not_consistent(printed: Printed) -> str:
    values = _wide(printed("uci_accuracy"))
    rivals, texts = values.drop(columns=[WITHOUT, WITH]), []
    for name in (WITHOUT, WITH):
        gaps = rivals.max(axis=1) - values[name]
        if (gaps > 0).any():
            most = gaps.idxmax()
            texts.append(
                f"{name} is below a rival on {(gaps > 0).sum()} of {len(gaps)}, most on {most} "
                f"({values.at[most, name]:.2f}, {rivals.loc[most].idxmax()} "
                f"{rivals.loc[most].max():.2f})"
            )
    return "; ".join(texts)


def classic_ahead(printed: Printed) -> str:
    cells = printed("uci_accuracy")
    means = cells[cells["dataset"] == AVERAGE].set_index("method")["mean"]
    texts = []
    for name in GCN_VARIANTS:
        above = [f"{other} {means[other]:.2f}" for other in CLASSIC if means[other] > means[name]]
        if above:
            texts.append(f"the average of {name}, {means[name]:.2f}, is below {', '.join(above)}")
    return "; ".join(texts)


def _ranks(printed: Printed) -> tuple[list[str], dict[Pair, float], dict[Pair, str]]:
    """The methods of Table VI in their order, and its rank sums and verdicts by pair."""
    rows = printed("wilcoxon_ranks")
    pairs = list(zip(rows["row_method"], rows["column_method"], strict=True))
    sums, verdicts = (dict(zip(pairs, rows[name], strict=True)) for name in ("rank_sum", "verdict"))
    return list(dict.fromkeys(rows["row_method"])), sums, verdicts


def _arrow(own: float, back: float, critical: float) -> str:
    """What the two rank sums of a pair say of the first."""
    return WORSE if own <= critical else BETTER if back <= critical else UNDECIDED


def _without_arrow(printed: Printed) -> list[tuple[str, str, float, float, bool]]:
    """(row, column, rank sum, critical value, whether fewer datasets explain it) of such cells."""
    order, sums, verdicts = _ranks(printed)
    of_all, of_fewer = ({each: critical_value(n, each) for each in LEVELS} for n in (OF, OF - 1))
    found = []
    for one, other in permutations(order, 2):
        level = ABOVE if order.index(one) < order.index(other) else BELOW
        own, back, printed_as = sums[one, other], sums[other, one], verdicts[one, other]
        if _arrow(own, back, of_all[level]) == printed_as:
            continue
        fewer = own + back == OF * (OF - 1) / 2
        explained = fewer and _arrow(own, back, of_fewer[level]) == printed_as
        found.append((one, other, min(own, back), of_all[level], explained))
    return found


def arrow_missing(printed: Printed) -> str:
    return ", ".join(
        f"{one} against {other} has {least} and none, at {critical:.0f}"
        for one, other, least, critical, explained in _without_arrow(printed)
        if not explained
    )


def other_critical_values(printed: Printed) -> str:
    cells = [each for each in _without_arrow(printed) if each[-1]]
    if not cells:
        return ""
    texts = [f"{one} against {other} {least}" for one, other, least, *_ in cells]
    fewer = ", ".join(f"{critical_value(OF - 1, level):.0f}" for level in (BELOW, ABOVE))
    return (
        f"{len(cells)} more cells are at or below theirs without an arrow ({', '.join(texts)}); "
        f"their sums add up as those of {OF - 1} datasets, whose critical values are {fewer}"
    )


def easier_level(printed: Printed) -> str:
    order, _, verdicts = _ranks(printed)
    texts = []
    for one, other in combinations(order, 2):
        strict, easy = verdicts[other, one], verdicts[one, other]
        if strict != UNDECIDED and easy == UNDECIDED:
            texts.append(f"{other} is {strict} than {one} at {BELOW:g} and {easy} at {ABOVE:g}")
    return ", ".join(texts)


def added_up(printed: Printed) -> str:
    """With an odd number of ties one dataset takes no part, with an even number all do."""
    order, sums, _ = _ranks(printed)
    values, texts = _wide(printed("uci_accuracy")), []
    for one, other in combinations(order, 2):
        n = len(values) - int((values[one] == values[other]).sum()) % 2
        total = sums[one, other] + sums[other, one]
        if total != n * (n + 1) / 2:
            texts.append(f"{one} and {other} {total:g} ({n} datasets give {n * (n + 1) / 2:g})")
    return ", ".join(texts)
