"""Rows of FLGC that the paper does not have: with a kernel, and with a filter that is learnt."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from flgc.averaging import average_grid, filtered, with_constant
from flgc.device import resolve_device, to_device, to_numpy
from flgc.graph import without_self_loops
from flgc.kernels import MOST_EXACT, KernelFeatures, median_distance
from flgc.learnt_filter import NO_TELEPORT, PER_HOP, stacked_grid
from flgc.methods.base import Grid, Outputs, Problem, Setting, settings_of
from flgc.methods.flgc import FLGC
from flgc.scaling import dense, scaled, standardised

# Of a kernel of hops, where rows are too many for an exact one.
N_LANDMARKS = 500


class KernelFLGC(FLGC):
    """p(P) K p(P)' in the place of H H', with the Gaussian kernel of LapRLS.

    `width` is that of the kernel, in median distances between rows.
    """

    name = "FLGC*, kernel"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "constant": (True,),
            "width": (0.25, 0.5, 1.0, 2.0, 4.0),
            "hops": (0, 1, 2, 5, 10, 20),
            "teleport": (0.0, 0.1, 0.3, 0.6),
            "regularization": tuple(2.0**exponent for exponent in range(-14, 5, 2)),
        }
    )
    closed_form = False  # its features are not those that are kept

    def features(self, problem: Problem, view: Setting, where: Any) -> Any:
        """Phi with Phi Phi' = K."""
        X = dense(scaled(problem.X, view["scaling"])).astype(np.float64, copy=False)
        gamma = 0.5 / (view["width"] * median_distance(X)) ** 2
        # Its entries are below 1, and the ridge is solved in float64.
        Phi = KernelFeatures("rbf", gamma).fit_transform(X).astype(np.float32)
        return to_device(with_constant(Phi) if view["constant"] else Phi, where)


class LooplessFLGC(FLGC):
    """With P = D^-1/2 A D^-1/2 where `self_loops` is False."""

    name = "FLGC*, no self loops"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "constant": (False,),
            "self_loops": (False,),
            **{name: FLGC.axes[name] for name in ("hops", "teleport", "regularization")},
        }
    )
    closed_form = False  # its graph is not that of kept features

    def graph(self, problem: Problem, view: Setting) -> sp.csr_array:
        """P of the problem, or the same without loops."""
        return problem.P if view["self_loops"] else without_self_loops(problem.P)


class PerHopFLGC(LooplessFLGC):
    """A weight matrix for each hop, from one ridge (`flgc.learnt_filter`)."""

    name = "FLGC*, per hop"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "constant": (True,),
            "self_loops": (True,),
            "hops": (1, 2, 4),
            "regularization": tuple(2.0**exponent for exponent in range(-12, 21, 2)),
        }
    )
    filter = PER_HOP

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """Setting by setting: to time one, not to search many."""
        where = resolve_device(problem.device)
        for setting in settings_of(grid):
            P = to_device(self.graph(problem, setting), where)
            X = self.features(problem, setting, where)
            scores = []
            for run, asked in enumerate(problem.asked):
                average = average_grid(
                    P,
                    X,
                    to_device(problem.labels[run], where),
                    to_device(problem.labelled(run), where),
                    np.ones(1),
                    n_classes=problem.n_classes,
                    hops=[setting["hops"]],
                    teleports=NO_TELEPORT,
                    regularizations=[setting["regularization"]],
                    leave_one_out=False,
                    filter=self.filter,
                )
                scores.append(to_numpy(filtered(P, X, average.filters))[asked])
            yield setting, Outputs([of_run.argmax(axis=1) for of_run in scores], scores)


class HopKernelFLGC(LooplessFLGC):
    """A Gaussian kernel on all hops side by side, standardised: one ridge, no longer linear in X.

    `depth` is how many hops there are besides X; nothing is propagated after the kernel.
    """

    name = "FLGC*, kernel of hops"
    axes = MappingProxyType(
        {
            "scaling": ("raw",),
            "constant": (True,),
            "self_loops": (True,),
            "width": (0.5, 1.0, 2.0, 4.0),
            "depth": (1, 2, 4),
            "hops": (0,),
            "regularization": tuple(2.0**exponent for exponent in range(-12, 9, 2)),
        }
    )

    def features(self, problem: Problem, view: Setting, where: Any) -> Any:
        """Phi of [X, 1], P [X, 1], ... P^depth [X, 1]."""
        X = with_constant(scaled(problem.X, view["scaling"]))
        P, rows = self.graph(problem, view), np.arange(problem.n_nodes)
        ((_, _, stacked),) = stacked_grid(P, X, rows, [int(view["depth"])])
        H = standardised(stacked)
        gamma = 0.5 / (view["width"] * median_distance(H)) ** 2
        most = None if len(H) <= MOST_EXACT else N_LANDMARKS
        Phi = KernelFeatures("rbf", gamma, n_landmarks=most).fit_transform(H).astype(np.float32)
        return to_device(with_constant(Phi) if view["constant"] else Phi, where)

    def outputs(self, problem: Problem, grid: Grid) -> Iterator[tuple[Setting, Outputs]]:
        """Setting by setting, as those of a polynomial of no hops."""
        for setting in settings_of(grid):
            whole = {name: (value,) for name, value in setting.items()} | {"teleport": NO_TELEPORT}
            for _, outputs in super().outputs(problem, whole):
                yield setting, outputs
