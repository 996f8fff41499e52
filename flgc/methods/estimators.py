"""Any scikit-learn estimator as a method, by one line that names it and its axes.

Estimator("kNN", KNeighborsClassifier, n_neighbors=(1, 3, 5))
Estimator("k-means", KMeans, n_init=(10,))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_clusterer

from flgc.methods.affinities import AffinityClustering
from flgc.methods.base import Grid, Method, Outputs, Problem, Setting, settings_of
from flgc.scaling import scaled


class Estimator(Method):
    """A classifier or clusterer that `estimator()` makes, with a grid over its parameters.

    A classifier is fitted to the labelled rows alone, or, if it takes `unlabelled` rows, to all of
    them with -1 where the class is not known. The graph is not seen.
    """

    seeded = True
    sees_graph = False

    def __init__(
        self,
        name: str,
        estimator: Callable[[], Any],
        *,
        unlabelled: bool = False,
        scaling: Sequence[str] = ("raw",),
        reference: str = "",
        **axes: Sequence[Any],
    ) -> None:
        self.name, self.estimator, self.unlabelled = name, estimator, unlabelled
        self.reference = reference or _full_name(estimator)
        made = estimator()
        if not isinstance(made, BaseEstimator) or not (is_classifier(made) or is_clusterer(made)):
            raise TypeError(f"{_full_name(estimator)} is no classifier or clusterer of sklearn")
        self.task = "clustering" if is_clusterer(made) else "classification"
        self.batched = is_clusterer(made)  # no run has a label that another may not see
        for axis, values in {"scaling": scaling, **axes}.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise TypeError(f"{name}: {axis}={values!r}; give a tuple of values")
        known = made.get_params()
        for axis in axes.keys() - known.keys():
            raise TypeError(f"{name} has no parameter {axis!r}; choose from {', '.join(known)}")
        self.axes = {"scaling": tuple(scaling)} | {n: tuple(v) for n, v in axes.items()}
        # What the results depend on besides this class: digests of code ask for it.
        self.__code_parts__ = (estimator,)

    def parameters(self) -> dict[str, Any]:
        """What tells it from other estimators, its axes aside."""
        return {"estimator": _full_name(self.estimator), "unlabelled": self.unlabelled}

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """One fit for each setting and run."""
        for setting in settings_of(grid):
            rest = {name: value for name, value in setting.items() if name != "scaling"}
            X = scaled(problem.X, setting["scaling"])
            if self.task == "clustering":
                yield setting, self._clusters(problem, X, rest)
            else:
                runs = range(problem.n_runs)
                yield setting, Outputs([self._classes(problem, run, X, rest) for run in runs])

    def _classes(self, problem: Problem, run: int, X: Any, setting: Setting) -> np.ndarray:
        rows = slice(None) if self.unlabelled else problem.labelled(run)
        model = self._made(setting, problem.seeds[run])
        # A setting that divides by 0 is one that loses, nothing to tell the user of.
        with np.errstate(divide="ignore", invalid="ignore"):
            return model.fit(X[rows], problem.labels[run][rows]).predict(X[problem.asked[run]])

    def _clusters(self, problem: Problem, X: Any, setting: Setting) -> Outputs:
        """One affinity serves all starts; what has no start at random is fitted once."""
        made = [self._made(setting, s, n_clusters=problem.n_classes) for s in problem.seeds]
        first = made[0]
        labels = first.fit_predict(X)
        if isinstance(first, AffinityClustering):
            later = [first.clusters(model.random_state) for model in made[1:]]
            extras = {"affinity": [first.affinity_matrix_] * len(made)}
            return Outputs([labels, *later], extras=extras)
        if "random_state" not in first.get_params():
            return Outputs([labels] * len(made))
        return Outputs([labels, *(model.fit_predict(X) for model in made[1:])])

    def _made(self, setting: Setting, seed: int, **known: Any) -> Any:
        """A new estimator; what it knows no parameter for is not set."""
        model = self.estimator()
        offered = {"random_state": seed % 2**32, **known}
        given = {name: value for name, value in offered.items() if name in model.get_params()}
        return model.set_params(**given, **setting)


def _full_name(estimator: Callable[[], Any]) -> str:
    return f"{estimator.__module__}.{estimator.__qualname__}"
