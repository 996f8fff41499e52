"""Any scikit-learn estimator as a method: one line names it and its axes.

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

    A classifier is fitted to the labelled rows, or, if it takes `unlabelled` rows, to all of them,
    with -1 for unknown classes. The graph is not used.
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
            raise TypeError(f"{_full_name(estimator)} is not a classifier or clusterer of sklearn")
        self.task = "clustering" if is_clusterer(made) else "classification"
        self.batched = is_clusterer(made)  # no run has a label that another may not see
        for axis, values in {"scaling": scaling, **axes}.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise TypeError(f"{name}: {axis}={values!r}; give a tuple of values")
        parameters = made.get_params()
        for axis in axes.keys() - parameters.keys():
            choices = ", ".join(parameters)
            raise TypeError(f"{name} has no parameter {axis!r}; choose from {choices}")
        self.axes = {"scaling": tuple(scaling)} | {n: tuple(v) for n, v in axes.items()}
        # Digests of code include it: results depend on it besides this class.
        self.__code_parts__ = (estimator,)

    def parameters(self) -> dict[str, Any]:
        """What distinguishes it from other estimators, besides axes."""
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
        # A setting that divides by 0 will not be picked: no warning.
        with np.errstate(divide="ignore", invalid="ignore"):
            return model.fit(X[rows], problem.labels[run][rows]).predict(X[problem.asked[run]])

    def _clusters(self, problem: Problem, X: Any, setting: Setting) -> Outputs:
        """One affinity serves all starts; an estimator without a random start is fitted once."""
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

    def _made(self, setting: Setting, seed: int, **more: Any) -> Any:
        """A new estimator at a setting, with the seed and `more` if it has such parameters."""
        model = self.estimator()
        values = {"random_state": seed % 2**32, **more}
        own = {name: value for name, value in values.items() if name in model.get_params()}
        return model.set_params(**own, **setting)


def _full_name(estimator: Callable[[], Any]) -> str:
    return f"{estimator.__module__}.{estimator.__qualname__}"
