"""The interface of methods: problems, outputs and judges.

    Problem -> Method -> Outputs -> Judge -> a table of scores

A `Problem` hides every label that a run may not see; only the `Judge` has them. So a method cannot
use a test label, whatever its code does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp

from flgc.methods.answers import check_runs, check_scores, check_seen, checked_codes
from flgc.propagation import propagate
from flgc.scaling import dense, scaled

Task = Literal["classification", "clustering"]
# Values of each axis, by its name; settings are all their combinations.
Grid = Mapping[str, Sequence[Any]]
# One value for each axis.
Setting = dict[str, Any]
# Prefix of the columns of axes in tables of scores, weights and results.
AXIS = "p_"
# Criteria that a method may compute by itself on left-out labelled nodes.
SEEN = ("error", "size", "hits")


@dataclass(frozen=True, eq=False)
class Problem:
    """The input of a method: a graph, its features, and for each run the labels that it may fit.

    `labels` has the shape (runs, nodes), -1 at validation, test and unknown nodes. `asked` has for
    each run the numbers of the nodes whose outputs are wanted. `folds`, of the shape of `labels`,
    divides the labelled nodes of a run: nodes of -1 are in no fold, and never left out. `graphs`
    are those that settings may name, if there are several.
    """

    X: Any
    P: sp.csr_array
    n_classes: int
    labels: np.ndarray
    asked: tuple[np.ndarray, ...]
    seeds: tuple[int, ...]
    folds: np.ndarray | None = None
    device: str = "cpu"
    graphs: Mapping[str, sp.csr_array] = field(default_factory=dict)
    # From (scaling, hops, teleport) to stored features H that all runs share.
    kept: Callable[[str, int, float], np.ndarray] | None = None

    @property
    def n_runs(self) -> int:
        return len(self.seeds)

    @property
    def n_nodes(self) -> int:
        return int(self.X.shape[0])

    def labelled(self, run: int) -> np.ndarray:
        """The nodes that a run may fit."""
        return np.flatnonzero(self.labels[run] >= 0)

    def alike(self) -> list[np.ndarray]:
        """Groups of runs with equally many labelled and asked nodes, to be solved together."""
        sizes = [(len(self.labelled(run)), len(asked)) for run, asked in enumerate(self.asked)]
        return [
            np.array([run for run, size in enumerate(sizes) if size == wanted])
            for wanted in dict.fromkeys(sizes)
        ]

    def only(self, runs: Sequence[int] | np.ndarray) -> Problem:
        """The problem with these runs only."""
        return dataclasses.replace(
            self,
            labels=self.labels[np.asarray(runs)],
            asked=tuple(self.asked[run] for run in runs),
            seeds=tuple(self.seeds[run] for run in runs),
            folds=None if self.folds is None else self.folds[np.asarray(runs)],
        )

    def with_folds(self) -> tuple[Problem, np.ndarray]:
        """(the problem with one more run per fold, the run to which each run belongs).

        The run of a fold fits the other folds, and is asked for the nodes of its own.
        """
        if self.folds is None:
            return self, np.arange(self.n_runs)
        owners, labels, asked = list(range(self.n_runs)), list(self.labels), list(self.asked)
        for run in range(self.n_runs):
            for fold in np.unique(self.folds[run][self.folds[run] >= 0]):
                left_out = self.folds[run] == fold
                owners.append(run)
                labels.append(np.where(left_out, -1, self.labels[run]))
                asked.append(np.flatnonzero(left_out))
        more = dataclasses.replace(
            self,
            labels=np.stack(labels),
            asked=tuple(asked),
            seeds=tuple(self.seeds[owner] for owner in owners),
            folds=None,
        )
        return more, np.array(owners)

    def on(self, graph: str) -> Problem:
        """The problem on one of its graphs."""
        return dataclasses.replace(self, P=self.graphs[graph])

    def propagated(self, scaling: str, hops: int, teleport: float) -> np.ndarray:
        """H of Eq. 10 on scaled features, dense; it uses no label, so all runs share it."""
        if self.kept is not None:
            return self.kept(scaling, hops, teleport)
        return propagate(self.P, dense(scaled(self.X, scaling)), hops, teleport)


@dataclass(frozen=True, eq=False)
class Outputs:
    """The answers of a method at the asked nodes, run by run.

    `classes` are codes; -1 is no answer, and counts as wrong. `scores`, if there are any, have the
    shape (asked, classes) each. `seen` are criteria that a method computes by itself, one number
    per run: on left-out labelled nodes the `hits`, the squared `error`, and the mean `size` of the
    scores.
    """

    classes: Sequence[np.ndarray]
    scores: Sequence[np.ndarray] | None = None
    seen: Mapping[str, Any] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)

    def left_out(self) -> dict[str, Any]:
        """The criteria of `seen` that a method may know, without those of a judge."""
        return {name: self.seen[name] for name in SEEN if name in self.seen}

    def checked(self, method: Method, problem: Problem) -> Outputs:
        """The outputs with classes as arrays of codes; errors name the method."""
        name, n_runs = method.name, problem.n_runs
        n_classes = problem.n_classes if method.task == "classification" else None
        check_runs(name, "classes", self.classes, n_runs)
        classes = [
            checked_codes(name, codes, len(asked), n_classes)
            for codes, asked in zip(self.classes, problem.asked, strict=True)
        ]
        if self.scores is not None:
            check_runs(name, "scores", self.scores, n_runs)
            for scores, asked in zip(self.scores, problem.asked, strict=True):
                check_scores(name, scores, (len(asked), problem.n_classes))
        for column, values in self.left_out().items():
            check_seen(name, column, values, n_runs)
        return dataclasses.replace(self, classes=classes)


# Has the hidden labels. Takes numbers of runs and their classes, (runs, asked, ...), or a list if
# runs are asked for different numbers of nodes, and returns columns of shape (runs, ...). One that
# `ranks` nodes takes decisions in place of classes, see `decisions`.
Judge = Callable[[Sequence[int], Any], dict[str, np.ndarray]]


class Method:
    """A method to compare. A subclass overrides `outputs`, and whatever it can do faster.

    `axes` are its settings under its own names, with default values; an experiment may give other
    values. `seeded`: runs on one split differ. `batched`: it takes all runs of a problem at once,
    for speed; other methods never see two runs together, as a node that one run tests is labelled
    in another. `leaves_out`: its scores have `hits` on labelled nodes that a fit leaves out; other
    methods run on folds if there are no validation nodes. `closed_form`: to fit a setting again
    costs less than to keep it, so cells are fitted from kept features. Without `sees_graph` it is
    scored once, however many graphs there are.
    """

    name: str
    task: Task = "classification"
    axes: Grid = MappingProxyType({})
    reference: str = ""
    seeded: bool = False
    batched: bool = False
    leaves_out: bool = False
    closed_form: bool = False
    sees_graph: bool = True
    own: bool = False  # a method of the paper's authors, which its claims are about

    def parameters(self) -> dict[str, Any]:
        """The attributes that distinguish this instance from others of its class, besides axes."""
        about = ("name", "task", "axes", "reference")
        return {
            name: value
            for name, value in vars(self).items()
            if name not in about and not name.startswith("_")
        }

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """(setting, outputs) for every setting of the grid, in any order."""
        raise NotImplementedError(f"{self.name} has no outputs")

    def answers(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """The outputs for every setting of the grid, checked."""
        wanted = {frozenset(setting.items()) for setting in settings_of(grid)}
        pairs = self.outputs(problem, grid)
        if not isinstance(pairs, Iterable):
            raise TypeError(f"{self.name}: outputs gave {pairs!r:.80}; yield (setting, Outputs)")
        for pair in pairs:
            match pair:
                case dict() as setting, Outputs() as outputs:
                    pass
                case _:
                    raise TypeError(f"{self.name}: gave {pair!r:.80}; yield (setting, Outputs)")
            if frozenset(setting.items()) not in wanted:
                raise ValueError(f"{self.name}: {setting} is not in the grid, or came twice")
            wanted.remove(frozenset(setting.items()))
            yield setting, outputs.checked(self, problem)
        if wanted:
            raise ValueError(f"{self.name}: no outputs for {dict(wanted.pop())}; yield each")

    def scores(self, problem: Problem, grid: Grid, judge: Judge) -> pd.DataFrame:
        """One row per run and setting: run, p_<axis>, the columns of the judge and of `seen`."""
        rows = []
        for setting, outputs in self.answers(problem, grid):
            judged = judge(range(problem.n_runs), answers_for(judge, outputs))
            columns = {**judged, **outputs.left_out()}
            for run in range(problem.n_runs):
                values = {name: of_runs[run] for name, of_runs in columns.items()}
                rows.append({"run": run, **as_columns(setting), **values})
        return pd.DataFrame(rows)

    def combined(self, problem: Problem, weights: pd.DataFrame) -> Outputs:
        """The weighted sum of many settings: rows (run, p_<axis>, weight).

        Sums scores if there are any, else votes.
        """
        sums: list[Any] = [0.0] * problem.n_runs
        axes = axes_of(weights)
        for values, rows in weights.groupby(axes, sort=False, dropna=False):
            grid = {a.removeprefix(AXIS): (v,) for a, v in zip(axes, values, strict=True)}
            runs = rows["run"].to_numpy()
            for _, outputs in self.answers(problem.only(runs), grid):
                for i, (run, weight) in enumerate(zip(runs, rows["weight"], strict=True)):
                    votes = np.eye(problem.n_classes + 1)[outputs.classes[i]][:, :-1]  # -1: none
                    scores = votes if outputs.scores is None else outputs.scores[i]
                    sums[run] = sums[run] + weight * scores
        return Outputs([scores.argmax(axis=1) for scores in sums], sums)


def ranks(judge: Any) -> bool:
    """Whether a judge wants decisions."""
    return getattr(judge, "ranks", False)


def decisions(scores: Any) -> Any:
    """The score of the second of two classes less that of the first, (..., 2) to (...)."""
    return scores[..., 1] - scores[..., 0]


def answers_for(judge: Any, outputs: Outputs) -> Sequence[Any]:
    """What a judge takes: classes, or decisions, which are classes where a method has no scores."""
    if not ranks(judge):
        return outputs.classes
    if outputs.scores is None:
        return [np.asarray(classes, dtype=float) - 0.5 for classes in outputs.classes]
    return [decisions(scores) for scores in outputs.scores]


def plain(value: Any) -> Any:
    """A scalar of numpy as one of Python; other values unchanged."""
    return value.item() if hasattr(value, "item") else value


def settings_of(grid: Grid) -> Iterator[Setting]:
    """All combinations, the last axis fastest."""
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def as_columns(setting: Setting) -> dict[str, Any]:
    """The columns of a setting."""
    return {f"{AXIS}{name}": value for name, value in setting.items()}


def axes_of(table: pd.DataFrame) -> list[str]:
    """The columns of axes."""
    return [str(name) for name in table if str(name).startswith(AXIS)]
