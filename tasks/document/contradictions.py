"""What the paper says and its own tables do not, as found in the published values.

Where those agree with the text, there is no contradiction and nothing is told.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tasks.declared.published import published
from tasks.document import regular_contradictions as regular
from tasks.document.influence_claims import WITH, WITHOUT
from tasks.document.regular_contradictions import Printed

READ = "read in the text, not computed"
# ACC that more noise may add by chance.
BY_CHANCE = 0.01


@dataclass(frozen=True)
class Contradiction:
    """What is claimed, what is found instead, and where both stand."""

    claim: str
    found: str
    where: str


def contradictions(printed: Printed = published) -> list[Contradiction]:
    """All that there are, in the order of the paper."""
    told = [Contradiction(claim, check(printed), where) for claim, where, check in _CHECKS]
    return [each for each in told if each.found]


def _of_split(printed: Printed, split: str) -> tuple[Any, Any]:
    """The paper's own cells of a split, and those of all others."""
    cells = printed("citation_accuracy")
    cells = cells[cells["split"] == split]
    return cells[cells["origin"] == "ours"], cells[cells["origin"] != "ours"]


def _behind(printed: Printed, split: str) -> list[str]:
    """`FLGC on PubMed (79.2, GCN 79.4)`: where ours is not above the best of the others."""
    own, others = _of_split(printed, split)
    best = others.loc[others.groupby("dataset", sort=False)["mean"].idxmax()].set_index("dataset")
    return [
        f"{row.method} on {row.dataset} ({row.mean}, {top['method']} {top['mean']})"
        for row in own.itertuples(index=False)
        for top in [best.loc[row.dataset]]
        if top["mean"] >= row.mean
    ]


def _not_ahead(printed: Printed, *splits: str) -> str:
    texts = {split: _behind(printed, split) for split in splits}
    return "; ".join(f"{split}: {', '.join(each)}" for split, each in texts.items() if each)


def _on_public(printed: Printed) -> str:
    return _not_ahead(printed, "public")


def _on_random_and_full(printed: Printed) -> str:
    return _not_ahead(printed, "random", "full")


def _less_stable(printed: Printed) -> str:
    own, others = _of_split(printed, "random")
    texts = []
    for method, cells in others.groupby("method", sort=False):
        theirs = cells.set_index("dataset")["std"]
        for name, ours in own.groupby("method", sort=False):
            wider = ours[ours["std"].to_numpy() > theirs[ours["dataset"]].to_numpy()]
            texts += [
                f"{name} on {row.dataset} (± {row.std}, {method} ± {theirs[row.dataset]})"
                for row in wider.itertuples(index=False)
            ]
    return ", ".join(texts)


def _clusterings_ahead(printed: Printed) -> str:
    cells = printed("clustering_small")
    texts = []
    for (dataset, metric), rows in cells.groupby(["dataset", "metric"], sort=False):
        values = rows.set_index("method")["value"]
        rivals = values.drop([WITHOUT, WITH])
        above = rivals[rivals >= values[WITHOUT]].sort_values(ascending=False)
        if len(above):
            texts.append(
                f"{dataset} {metric}: {WITHOUT} {values[WITHOUT]:.3f} is not above {len(above)} "
                f"rivals, {above.index[0]} has {above.iloc[0]:.3f}"
            )
    return "; ".join(texts)


def _noise(printed: Printed) -> Any:
    """ACC of Table VIII: (noise, intensity) x methods."""
    cells = printed("robustness_extended_yale_b")
    cells = cells[cells["metric"] == "ACC"]
    return cells.pivot_table(
        index=["noise", "intensity"], columns="method", values="value", sort=False
    )


def _more_sensitive(printed: Printed) -> str:
    texts = []
    for noise, values in _noise(printed).groupby("noise", sort=False):
        lost = (values.iloc[0] - values.iloc[-1]).round(3)
        more = [f"{name} {loss:.3f}" for name, loss in lost.items() if loss > lost["EDSC"]]
        if more:
            texts.append(f"{noise}: EDSC loses {lost['EDSC']:.3f}, {', '.join(more)}")
    return "; ".join(texts)


def _gains_by_noise(printed: Printed) -> str:
    values, texts = _noise(printed), []
    for method in values:
        for noise, column in values[method].groupby("noise", sort=False):
            points = list(column.droplevel("noise").items())
            texts += [
                f"{method} {low:.3f} at {noise} {first:g} and {high:.3f} at {second:g}"
                for (first, low), (second, high) in pairwise(points)
                if round(high - low, 3) > BY_CHANCE
            ]
    return ", ".join(texts)


def _panels_swapped(_: Printed) -> str:
    return f"the caption has FLGC as (a) and FLGC* as (b) ({READ})"


def _panels_counted(_: Printed) -> str:
    return f"the figure and its caption have (a) to (c) ({READ})"


_CHECKS: tuple[tuple[str, str, Callable[[Printed], str]], ...] = (
    (
        "FLGC and FLGC* are far above all others on every graph",
        "Section IV-A, Table II",
        _on_public,
    ),
    (
        "FLGC and FLGC* are above their rivals on random and full splits",
        "Section IV-A, Table III",
        _on_random_and_full,
    ),
    (
        "FLGC and FLGC* vary less than their rivals",
        "Section IV-A, Table III",
        _less_stable,
    ),
    ("Figure 3 has panels (a) to (f)", "Section IV-A, Figure 3", _panels_counted),
    ("The 24 datasets of Table V are described", "Tables IV and V", regular.listed_sizes),
    (
        "FLGC* is the most accurate on 16 of 24 datasets",
        "Section IV-B, Table V",
        regular.best_count,
    ),
    ("What is in bold is the best", "Table V", regular.bold_not_best),
    ("What is the best is in bold", "Table V", regular.best_not_bold),
    (
        "FLGC and FLGC* are consistently above classic methods and graph networks",
        "Section IV-B, Table V",
        regular.not_consistent,
    ),
    (
        "Graph networks are generally above classic semi-supervised methods",
        "Section IV-B, Table V",
        regular.classic_ahead,
    ),
    (
        "A rank sum at or below the critical value has an arrow",
        "Section IV-B, Table VI",
        regular.arrow_missing,
    ),
    (
        "Critical values are 81 and 91 for all pairs",
        "Section IV-B, Table VI",
        regular.other_critical_values,
    ),
    ("What is significant at .05 is so at .1", "Table VI", regular.easier_level),
    (
        "The two rank sums of a pair add up to those of its datasets",
        "Tables V and VI",
        regular.added_up,
    ),
    (
        "FLGC, too, is consistently better than existing clusterings",
        "Section V-C, Table VII",
        _clusterings_ahead,
    ),
    (
        "EGCSC, FLGC and FLGC* are less sensitive to noise than EDSC",
        "Section V-D, Table VIII",
        _more_sensitive,
    ),
    ("More noise does not help", "Table VIII", _gains_by_noise),
    ("Figure 10 shows FLGC* as (a) and FLGC as (b)", "Section V-E, Figure 10", _panels_swapped),
)
