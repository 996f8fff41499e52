"""The torch path: equal to the numpy path, and without a tensor on any other device."""

import builtins

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from torch_geometric.data import Data

from flgc import FLGCClassifier, FLGCClassifierCV, FLGCClustering
from flgc.classifier import fit_weights
from flgc.device import resolve_device, to_device, to_numpy
from flgc.graph import as_adjacency, propagation_matrix
from flgc.grid import accuracies, score_grid
from flgc.propagation import kernel_grid, propagate
from flgc.ridge import one_hot
from flgc.transforms import Propagate
from tests import plain
from tests.flgc.drawn import random_graph

GRID = {"hops": [0, 2, 5], "teleports": [0.0, 0.3, 1.0], "regularizations": [0.1, 1.0, 30.0]}


@given(plain.problems(), plain.hop_counts, plain.teleports, plain.regularizations)
def test_torch_equals_numpy(problem, hops, teleport, regularization):
    A, X, labels, labelled, _ = problem
    y = plain.partly(labels, labelled)
    setting = {"hops": hops, "teleport": teleport, "regularization": regularization}
    for features in (X, sp.csr_array(X)):
        for solver in ("primal", "dual", "labels"):
            fits = [
                FLGCClassifier(solver=solver, device=device, **setting).fit(features, y, A)
                for device in ("cpu", "torch:cpu")
            ]
            np.testing.assert_allclose(fits[0].label_scores_, fits[1].label_scores_, atol=1e-8)
        grids = [
            FLGCClassifierCV(device=device, **GRID).fit(features, y, A).cv_results_
            for device in ("cpu", "torch:cpu")
        ]
        np.testing.assert_allclose(
            grids[0]["loo_squared_error"], grids[1]["loo_squared_error"], atol=1e-8
        )


def test_clusters_on_torch_are_those_of_numpy():
    X = np.random.default_rng(0).standard_normal((40, 6)).astype(np.float32)
    models = [FLGCClustering(3, device=device, random_state=0) for device in ("cpu", "torch:cpu")]
    np.testing.assert_array_equal(*(model.fit_predict(X) for model in models))


@pytest.fixture
def _sparse_product_on_meta():
    """torch has no shape rule for CSR x dense; with one, all other work can be followed there."""
    library = torch.library.Library("aten", "IMPL")

    def addmm_out(bias, P, H, *, beta=1, alpha=1, out):
        assert {t.device.type for t in (P, H, out)} == {"meta"}
        return out.resize_(P.shape[0], H.shape[1])

    library.impl("addmm.out", addmm_out, "SparseCsrMeta")
    yield
    library._destroy()


@pytest.mark.usefixtures("_sparse_product_on_meta")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_tensor_is_made_on_another_device(dtype, monkeypatch):
    """On `meta` a tensor has a shape but no data, and mixing in one of another device fails."""
    # Without data nobody can tell whether its digits suffice.
    monkeypatch.setattr("flgc.device.is_conditioned", lambda *_: True)
    monkeypatch.setattr("flgc.classifier.is_within", lambda *_: True)
    meta = torch.device("meta")
    rng = np.random.default_rng(0)
    P = to_device(propagation_matrix(as_adjacency(np.ones((30, 30))), dtype), meta)
    X = to_device(rng.standard_normal((30, 12)).astype(dtype), meta)
    labelled = to_device(np.arange(9), meta)
    Y = one_hot(to_device(np.arange(9) % 3, meta), 3, X.dtype)
    made = []
    with _Recorder(made):
        for solver in ("primal", "dual", "labels"):
            W, scores = fit_weights(
                P, X, labelled, Y, hops=3, teleport=0.2, regularization=1.0, solver=solver
            )
            assert W.shape == (12, 3)
            assert scores.shape == (30, 3)
            made += [W, scores]
        for _, _, K in kernel_grid(P, X, labelled, labelled, GRID["hops"], GRID["teleports"]):
            assert K.shape == (9, 9)
            made.append(K)
        made.append(propagate(P, X, 2, 0.1))
    assert {tensor.device.type for tensor in made} == {"meta"}
    assert {tensor.dtype for tensor in made if tensor.is_floating_point()} == {
        getattr(torch, dtype)
    }


class _Recorder(torch.overrides.TorchFunctionMode):
    """Notes every tensor that any torch function returns."""

    def __init__(self, made):
        super().__init__()
        self.made = made

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor):
            self.made.append(result)
        return result


def test_score_grid_on_torch_keeps_the_device():
    P, X, labels = random_graph(30, 12, density=0.2)
    run = {"n_classes": 3, **GRID}
    found = []
    for device in (None, torch.device("cpu")):
        P_, X_, labels_, labelled = (to_device(a, device) for a in (P, X, labels, np.arange(9)))
        for side in ("labels", "features"):
            judged = accuracies(labels, {"test": np.arange(9, 30)})
            found.append(score_grid(P_, X_, labels_, labelled, **judged, side=side, **run))
    for other in found[1:]:
        np.testing.assert_allclose(other.loo_squared_error, found[0].loo_squared_error, atol=1e-8)
        np.testing.assert_allclose(other.judged["test"], found[0].judged["test"], atol=1e-12)


def test_pyg_transform_is_the_propagation():
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 3]])
    data = Data(x=torch.randn(5, 3), edge_index=edge_index, num_nodes=5)
    P = propagation_matrix(as_adjacency(data))
    expected = propagate(P, data.x.numpy().astype(float), 4, 0.2)
    out = Propagate(hops=4, teleport=0.2)(data)
    np.testing.assert_allclose(to_numpy(out.x), expected, atol=1e-5)
    assert out.x.dtype == torch.float32
    assert repr(Propagate(4, 0.2)) == "Propagate(hops=4, teleport=0.2)"


def test_devices_are_resolved_or_refused():
    assert resolve_device("cpu") is None
    assert resolve_device("torch:cpu") == torch.device("cpu")
    if not torch.cuda.is_available():
        assert resolve_device("auto") is None
        with pytest.raises(ValueError, match="device='cuda:0', but torch sees no CUDA device"):
            resolve_device("cuda:0")


def test_without_torch_the_cpu_path_stands_alone(monkeypatch):
    real_import = builtins.__import__

    def no_torch(name, *args, **kwargs):
        if name == "torch":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_torch)
    assert resolve_device("auto") is None
    with pytest.raises(ImportError, match=r"pip install 'flgc\[gnn\]'"):
        resolve_device("cuda")
