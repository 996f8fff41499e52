"""What the paper's tables contradict is written down: each line is found in them again."""

from collections.abc import Callable, Iterator
from importlib import resources
from itertools import combinations, pairwise, permutations
from typing import Any

import pytest

from flgc.datasets import resolve
from flgc.statistics.many_methods import BETTER, UNDECIDED, WORSE
from flgc.statistics.signed_ranks import critical_value
from tasks.declared.published import AVERAGE, published
from tasks.paper.claims import CLASSIC, GCN_VARIANTS
from tasks.paper.judging import OURS, WITH, WITHOUT
from tasks.paper.verdicts import CONTRADICTIONS, contradiction_table

FILE = resources.files("tasks.paper").joinpath(CONTRADICTIONS).read_text("utf-8")
_, SHOWN = contradiction_table({CONTRADICTIONS: FILE})
LINES = SHOWN.frame.set_index("claim")["found"]  # type: ignore[union-attr]
READ = "(read in the text, not computed)"
WHOLE: Any = published("uci_accuracy").pivot_table("mean", "dataset", "method", sort=False)
TABLE = WHOLE.drop(index=AVERAGE)  # datasets x methods, both in the order of the paper
RANKS: Any = published("wilcoxon_ranks").set_index(["row_method", "column_method"])
ORDER = list(RANKS.index.unique("row_method"))
BOLD = set(published("uci_bold")[["dataset", "method"]].itertuples(index=False, name=None))
LEVELS = BELOW, ABOVE = 0.05, 0.1  # of the table of rank sums, by the side of its diagonal
# ACC that more noise may add by chance.
BY_CHANCE = 0.01


def of_split(split: str) -> tuple[Any, Any]:
    """The paper's own cells of a split, and those of all others."""
    cells = published("citation_accuracy").query("split == @split")
    own = cells["origin"] == "ours"
    return cells[own], cells[~own]


def behind(split: str) -> str:
    """Where ours is not above the best of the others."""
    own, others = of_split(split)
    best = others.loc[others.groupby("dataset")["mean"].idxmax()].set_index("dataset")
    best = best.loc[own["dataset"]]
    return ", ".join(
        f"{row.method} on {row.dataset} ({row.mean}, {name} {top})"
        for row, name, top in zip(own.itertuples(), best["method"], best["mean"], strict=True)
        if top >= row.mean
    )


def less_stable() -> Iterator[str]:
    own, others = of_split("random")
    for (method, name), both in own.merge(others, on="dataset", suffixes=("", "_of")).groupby(
        ["method_of", "method"], sort=False
    ):
        for row in both[both["std"] > both["std_of"]].itertuples():
            yield f"{name} on {row.dataset} (± {row.std}, {method} ± {row.std_of})"


def listed_sizes() -> Iterator[str]:
    sizes = [resolve(name) for name in published("uci_datasets")["dataset"]]
    used = [resolve(name) for name in TABLE.index]
    yield from (f"{name} is listed twice" for name in used if sizes.count(name) > 1)
    yield from (f"{name} is not in Table IV" for name in used if name not in sizes)


def best_count() -> str:
    first = TABLE.eq(TABLE.max(axis=1), axis=0)
    level = first[WITH] & first.drop(columns=[*OURS]).any(axis=1)
    bold = sum((name, WITH) in BOLD for name in TABLE.index)
    return (
        f"it is on {first[WITH].sum()} of {len(TABLE)}, on {level.sum()} of them level with a "
        f"rival; {bold} of its values are in bold"
    )


def bold_not_best() -> Iterator[str]:
    for dataset, row in TABLE.iterrows():
        for method, value in row.items():
            if (dataset, method) in BOLD and value < row.max():
                beside = f"{row.idxmax()} {row.max():.2f}"
                yield f"{dataset}: {method} {value:.2f} is, beside {beside}"


def best_not_bold() -> Iterator[str]:
    for dataset, row in TABLE.iterrows():
        left = [name for name in row.index[row == row.max()] if (dataset, name) not in BOLD]
        if left:
            yield f"{dataset} {', '.join(left)} ({row.max():.2f})"


def not_consistent() -> Iterator[str]:
    rivals = TABLE.drop(columns=[*OURS])
    for name in OURS:
        gaps = rivals.max(axis=1) - TABLE[name]
        most, number = gaps.idxmax(), (gaps > 0).sum()
        own, best = f"{TABLE.at[most, name]:.2f}", rivals.loc[most]
        yield (
            f"{name} is below a rival on {number} of {len(gaps)}, most on {most} ({own}, "
            f"{best.idxmax()} {best.max():.2f})"
        )


def classic_ahead() -> Iterator[str]:
    means = WHOLE.loc[AVERAGE]
    for name in GCN_VARIANTS:
        above = [f"{each} {means[each]:.2f}" for each in CLASSIC if means[each] > means[name]]
        if above:
            yield f"the average of {name}, {means[name]:.2f}, is below {', '.join(above)}"


def arrow(pair: tuple[str, str], datasets: int) -> str:
    """What the two rank sums of a pair say of the first, over so many datasets."""
    level = ABOVE if ORDER.index(pair[0]) < ORDER.index(pair[1]) else BELOW
    critical = critical_value(datasets, level)
    own, back = (RANKS["rank_sum"][each] for each in (pair, pair[::-1]))
    return WORSE if own <= critical else BETTER if back <= critical else UNDECIDED


def both_sums(pair: tuple[str, str]) -> float:
    return float(RANKS["rank_sum"][pair] + RANKS["rank_sum"][pair[::-1]])


def without_arrow(*, explained: bool) -> list[str]:
    """Cells that should have one, and whether one dataset less explains that they have none."""
    n, found = len(TABLE), []
    for pair in permutations(ORDER, 2):
        printed = RANKS["verdict"][pair]
        fewer = both_sums(pair) == n * (n - 1) / 2 and arrow(pair, n - 1) == printed
        if arrow(pair, n) != printed and fewer is explained:
            least = min(RANKS["rank_sum"][each] for each in (pair, pair[::-1]))
            found.append(f"{pair[0]} against {pair[1]} {least}")
    return found


def arrow_missing() -> str:
    [cell] = without_arrow(explained=False)
    name, least = cell.rsplit(" ", 1)
    return f"{name} has {least} and none, at {critical_value(len(TABLE), ABOVE):.0f}"


def other_critical_values() -> str:
    cells, fewer = without_arrow(explained=True), len(TABLE) - 1
    values = ", ".join(f"{critical_value(fewer, level):.0f}" for level in LEVELS)
    return (
        f"{len(cells)} more cells are at or below theirs without an arrow ({', '.join(cells)}); "
        f"their sums add up as those of {fewer} datasets, whose critical values are {values}"
    )


def easier_level() -> Iterator[str]:
    for one, other in combinations(ORDER, 2):
        strict, easy = RANKS["verdict"][other, one], RANKS["verdict"][one, other]
        if strict != UNDECIDED and easy == UNDECIDED:
            yield f"{other} is {strict} than {one} at {BELOW:g} and {easy} at {ABOVE:g}"


def added_up() -> Iterator[str]:
    """With an odd number of ties one dataset takes no part, with an even number all do."""
    for one, other in combinations(ORDER, 2):
        n = len(TABLE) - int((TABLE[one] == TABLE[other]).sum()) % 2
        total, right = both_sums((one, other)), n * (n + 1) / 2
        if total != right:
            yield f"{one} and {other} {total:g} ({n} datasets give {right:g})"


def clusterings_ahead() -> Iterator[str]:
    for (dataset, metric), rows in published("clustering_small").groupby(
        ["dataset", "metric"], sort=False
    ):
        values = rows.set_index("method")["value"]
        rivals = values.drop([*OURS])
        above = rivals[rivals >= values[WITHOUT]]
        if len(above):
            yield (
                f"{dataset} {metric}: {WITHOUT} {values[WITHOUT]:.3f} is not above {len(above)} "
                f"rivals, {above.idxmax()} has {above.max():.3f}"
            )


def under_noise() -> Iterator[tuple[str, Any]]:
    """By noise ACC: intensities x methods."""
    cells = published("robustness_extended_yale_b").query("metric == 'ACC'")
    for noise, rows in cells.groupby("noise", sort=False):
        yield str(noise), rows.pivot_table("value", "intensity", "method", sort=False)


def more_sensitive() -> Iterator[str]:
    for noise, values in under_noise():
        lost = (values.iloc[0] - values.iloc[-1]).round(3)
        more = [f"{name} {loss:.3f}" for name, loss in lost.items() if loss > lost["EDSC"]]
        yield f"{noise}: EDSC loses {lost['EDSC']:.3f}, {', '.join(more)}"


def gains_by_noise() -> Iterator[str]:
    for noise, values in under_noise():
        for method, column in values.items():
            for (first, low), (second, high) in pairwise(column.items()):
                if round(high - low, 3) > BY_CHANCE:
                    yield f"{method} {low:.3f} at {noise} {first:g} and {high:.3f} at {second:g}"


# By the start of the claim: what is found, whose parts are joined so.
FOUND: dict[str, tuple[Callable[[], Any], str]] = {
    "FLGC and FLGC* are far above": (lambda: f"public: {behind('public')}", ""),
    "FLGC and FLGC* are above their": (lambda: f"full: {behind('full')}", ""),
    "FLGC and FLGC* vary": (less_stable, ", "),
    "The 24 datasets": (listed_sizes, ", "),
    "FLGC* is the most": (best_count, ""),
    "What is in bold": (bold_not_best, ", "),
    "What is the best": (lambda: "best, but not in bold: " + "; ".join(best_not_bold()), ""),
    "FLGC and FLGC* are consistently": (not_consistent, "; "),
    "Graph networks": (classic_ahead, "; "),
    "A rank sum": (arrow_missing, ""),
    "Critical values": (other_critical_values, ""),
    "What is significant": (easier_level, ", "),
    "The two rank sums": (added_up, ", "),
    "FLGC, too": (clusterings_ahead, "; "),
    "EGCSC, FLGC and FLGC*": (more_sensitive, "; "),
    "More noise": (gains_by_noise, ", "),
}


@pytest.mark.parametrize("start", FOUND)
def test_a_contradiction_is_what_the_published_tables_say(start: str) -> None:
    [found] = LINES[LINES.index.str.startswith(start)]
    again, between = FOUND[start]
    assert between.join(again()) == found


def test_all_others_are_read_in_the_text() -> None:
    others = LINES[[not claim.startswith(tuple(FOUND)) for claim in LINES.index]]
    assert len(others) == len(LINES) - len(FOUND) == 2
    assert others.str.endswith(READ).all()
    assert not behind("random"), "nothing to write down"


def test_their_averages_are_right() -> None:
    """What was looked for and not found: the printed averages are those of the printed values."""
    assert ((TABLE.mean() - WHOLE.loc[AVERAGE]).abs() < 0.0051).all()
