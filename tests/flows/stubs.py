"""Whole suites in seconds: scores are made up, and all that is made of them is real."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest
from prefect.logging import disable_run_logger
from prefect.states import Completed, Failed, Pending

from flgc.datasets.dataset import Dataset
from flgc.methods.criteria import CRITERIA
from flgc.methods.judging import ACCURACY
from flgc.methods.sorted_affinity import SortedAffinity
from flgc.methods.varying import SPLITS
from flows import execute, reports, tables
from tasks.running import stage as running
from tasks.running.isolated import methods_in
from tasks.running.nested import leaves, map_leaves
from tasks.running.stage import Stage
from tasks.store import Artifact

# Stages whose own work is done: on what the others made up.
REAL = ("compare", "report")
FAILURE = "drawn to fail"
N = 12


class Drawn:
    """A future whose artifact is there already, or which failed, or never ran."""

    def __init__(self, artifact: Artifact | None, error: Exception | None = None) -> None:
        self.artifact = artifact
        self.state: Any = Failed(data=error) if error else Completed()
        if artifact is None and error is None:
            self.state = Pending(name="NotReady", message="Upstream task run did not complete")

    def result(self, raise_on_failure: bool = True) -> Any:
        if self.artifact is None and raise_on_failure:
            raise self.state.data
        return self.artifact or self.state.data

    def wait(self) -> None:
        return


class Stubs:
    """Makes up what stages give, from one seed; a share of the steps that compute fails."""

    def __init__(self, seed: int, failing: float) -> None:
        self.random, self.failing = np.random.default_rng(seed), failing
        self.values: dict[str, Any] = {}

    def submit(
        self, stage: Stage, store: str, about: str, *, wait_for: Any = (), **given: Any
    ) -> Drawn:
        """What `Stage.submit` gives."""
        drawn = stage.name not in REAL and self.random.random() < self.failing
        if any(isinstance(leaf, Drawn) and leaf.artifact is None for leaf in leaves(given)):
            return Drawn(None)
        if drawn:
            return Drawn(None, ValueError(FAILURE))
        try:
            made = (
                self._real(stage, given) if stage.name in REAL else self._made_up(stage.name, given)
            )
        except Exception as error:
            return Drawn(None, error)
        key = f"{stage.name}-{len(self.values)}"
        self.values[key] = made
        return Drawn(Artifact(key, key, stage.name, 1, 0.5, cached=False))

    def load(self, store: Any, artifact: Artifact) -> Any:
        """What `load` reads."""
        return self.values[artifact.key]

    def _real(self, stage: Stage, given: Any) -> Any:
        return stage.work(**self._read(given))

    def _read(self, value: Any) -> Any:
        return map_leaves(self._read_leaf, value)

    def _read_leaf(self, value: Any) -> Any:
        value = value.artifact if isinstance(value, Drawn) else value
        return self.values[value.key] if isinstance(value, Artifact) else value

    def _made_up(self, stage: str, given: dict[str, Any]) -> Any:
        make = getattr(self, f"_{stage}", None)
        return make(**given) if make else None

    def _dataset(self, dataset: str) -> Dataset:
        features = self.random.random((N, 16))
        labels = np.arange(N) % 3
        return Dataset(dataset, "images", features, labels, ("a", "b", "c"), image_shape=(4, 4))

    def _score(self, method: str, grid: Mapping[str, Any], seeds: Any, **_: Any) -> pd.DataFrame:
        setting = {f"p_{axis}": values[0] for axis, values in grid.items()}
        rows = [
            {"run": run, **setting, "test": self._share(), "validation": self._share()}
            for run in range(len(seeds))
        ]
        return pd.DataFrame(rows)

    def _pick(self, scores: Any, part: Mapping[str, Any], **_: Any) -> pd.DataFrame:
        own = {f"p_{axis}": values[0] for axis, values in part.items()}
        return self._read(scores)[0].assign(weight=1.0, **own)

    def _fit(
        self, picks: Any, cell: Any, method: str, seeds: Any, metric: str = ACCURACY, **_: Any
    ) -> pd.DataFrame:
        metrics = (metric,) if method.startswith("classification") else ("ACC", "NMI")
        axes = [name for name in self._read(picks) if name.startswith("p_")]
        setting = self._read(picks)[axes].iloc[0].to_dict()
        about = {name: value for name, value in cell.items() if name != "first_run"}
        about |= {"marks": "", "changed": None, "changed_share": float("nan"), "device": "cpu"}
        about |= {"criterion": "test", "tried": 3}
        rows = [
            {**about, "run": run, "seed": str(seed), "metric": metric, "value": self._share()}
            | setting
            for metric in metrics
            for run, seed in enumerate(seeds)
        ]
        return pd.DataFrame(rows)

    def _vary(self, values: Any, method: str, seeds: Any, along: str, **_: Any) -> pd.DataFrame:
        metrics = ("accuracy",) if method.startswith("classification") else ("ACC", "NMI")
        axes = {
            f"p_{axis}": every[0]
            for axis, every in methods_in({"method": method})["method"].axes.items()
        }
        about = axes if along == SPLITS else {n: v for n, v in axes.items() if n != f"p_{along}"}
        rows = [
            {"x": x, "run": run, "marks": "", **about, **{m: self._share() for m in metrics}}
            for x in values
            for run in range(len(seeds))
        ]
        return pd.DataFrame(rows)

    def _time(self, methods: Any, hops: Any, **_: Any) -> pd.DataFrame:
        rows = [
            {
                "method": name,
                "p_teleport": 0.1,
                "hops": n,
                "accuracy": self._share(),
                "training_time": 0.1,
            }
            for name in methods
            for n in hops
        ]
        return pd.DataFrame(rows)

    def _affinity(self, **_: Any) -> SortedAffinity:
        matrix = self.random.random((N, N))
        return SortedAffinity(matrix + matrix.T, np.sort(np.arange(N) % 3))

    def _criteria(self, parts: Any, **_: Any) -> pd.DataFrame:
        rows = [
            {"row": row, "criterion": name, "correlation": 0.1, "ACC": self._share(), "NMI": 0.1}
            for row in parts
            for name in (*CRITERIA, "ACC")
        ]
        return pd.DataFrame(rows)

    def _rules(self, scores: Mapping[str, Any], **_: Any) -> pd.DataFrame:
        rows = [
            {"rule": rule, "features": features, "run": 0, "accuracy": self._share()}
            for rule in ("error", "the best on test nodes")
            for features in scores
        ]
        return pd.DataFrame(rows).assign(e=float("nan"), p=float("nan"))

    def _describe(self, data: Mapping[str, Any], **_: Any) -> pd.DataFrame:
        rows = [
            {
                "dataset": name,
                "classes": 3,
                "instances": N,
                "features": 16,
                "smallest class": 4,
                "marks": "",
            }
            for name in data
        ]
        return pd.DataFrame(rows)

    def _share(self) -> float:
        return float(self.random.choice([0.0, 0.5, 0.9, 1.0, self.random.random()]))


@contextmanager
def stubbed(seed: int, failing: float = 0.0) -> Iterator[Stubs]:
    """Flows run with made-up scores and without Prefect while this lasts."""
    stubs = Stubs(seed, failing)
    with pytest.MonkeyPatch.context() as patch, disable_run_logger():
        patch.setattr(
            Stage, "submit", lambda stage, *args, **given: stubs.submit(stage, *args, **given)
        )
        patch.setattr(execute, "as_completed", list)
        patch.setattr(reports, "provenance", lambda *_: {"data": [], "versions": {}})
        for module in (reports, tables, running):
            patch.setattr(module, "load", stubs.load)
        yield stubs
