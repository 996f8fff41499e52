"""Time and memory on generated data; each size in its own process, for its own peak.

python -m flgc.benchmark.scale fit 1000000
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from flgc import FLGCClassifier, FLGCClustering
from flgc.metrics import clustering_accuracy

EDGES_PER_NODE, FEATURES, CLASSES = 20, 100, 10
CLUSTERING_FEATURES, SUBSPACE_DIM = 128, 4


def generated_graph(n_nodes: int) -> tuple[np.ndarray, np.ndarray, sp.csr_array]:
    """Features, labels (10 % known) and a random graph of 20 edges per node."""
    rng = np.random.default_rng(0)
    ends = rng.integers(n_nodes, size=(2, EDGES_PER_NODE * n_nodes), dtype=np.int32)
    half = sp.csr_array(
        (np.ones(ends.shape[1], dtype=np.float32), (ends[0], ends[1])), shape=(n_nodes, n_nodes)
    )
    adjacency = sp.csr_array(half + half.T)
    adjacency.data[:] = 1
    labels = rng.integers(CLASSES, size=n_nodes)
    X = rng.standard_normal((n_nodes, FEATURES), dtype=np.float32)
    X[np.arange(n_nodes), labels] += 1
    return X, np.where(rng.random(n_nodes) < 0.1, labels, -1), adjacency


def fit(n_nodes: int) -> dict:
    """Seconds and peak memory of `FLGCClassifier.fit` with two hops."""
    FLGCClassifier(hops=2).fit(*generated_graph(1000))  # warms up: imports and caches
    at_start = _peak_gigabytes()
    X, y, adjacency = generated_graph(n_nodes)
    start = time.perf_counter()
    FLGCClassifier(hops=2).fit(X, y, adjacency)
    return _measured(n_nodes, time.perf_counter() - start, at_start)


def cluster(n_nodes: int) -> dict:
    """Seconds and peak memory of the low-rank solver on a union of subspaces."""
    at_start = _peak_gigabytes()
    rng = np.random.default_rng(0)
    bases = rng.standard_normal((CLASSES, SUBSPACE_DIM, CLUSTERING_FEATURES), dtype=np.float32)
    truth = rng.integers(CLASSES, size=n_nodes)
    points = rng.standard_normal((n_nodes, SUBSPACE_DIM), dtype=np.float32)
    X = np.einsum("nk,nkd->nd", points, bases[truth])
    start = time.perf_counter()
    model = FLGCClustering(CLASSES, solver="lowrank", random_state=0).fit(X)
    row = _measured(n_nodes, time.perf_counter() - start, at_start)
    return row | {"accuracy": clustering_accuracy(truth, model.labels_)}


def measure(task: str, n_nodes: int) -> dict:
    """Run `fit` or `cluster` in a new process and return what it measured."""
    command = [sys.executable, "-m", "flgc.benchmark.scale", task, str(n_nodes)]
    # In its own session: Ctrl-C ends it through this process, without a traceback.
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    return json.loads(done.stdout)


def exponent(sizes: list[int], values: list[float]) -> float:
    """Slope of log value over log size: 1 is linear growth."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def _measured(n_nodes: int, seconds: float, at_start: float) -> dict:
    peak = _peak_gigabytes()
    return {
        "nodes": n_nodes,
        "seconds": seconds,
        "peak_gigabytes": peak,
        "own_gigabytes": max(peak - at_start, 1e-3),  # below a megabyte it is noise
    }


def _peak_gigabytes() -> float:
    """Largest resident size of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count the parent's size before the new program began
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e9
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e9 if sys.platform == "darwin" else 1e6)


if __name__ == "__main__":
    print(json.dumps({"fit": fit, "cluster": cluster}[sys.argv[1]](int(sys.argv[2]))))
