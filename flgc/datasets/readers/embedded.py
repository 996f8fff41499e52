"""Datasets without a download: scikit-learn's, PyG's, and seeded draws."""

from collections.abc import Mapping

import numpy as np

from flgc.datasets.errors import NotAvailable
from flgc.datasets.readers.canonical import canonical_edges
from flgc.datasets.readers.reader import Parsed, Reader

X8D5K_SEED = 2002
X8D5K_DEVIATION = 0.1
SUBSPACES_SEED = 2013
SUBSPACES_DEVIATION = 0.1


def from_sklearn(function: str, scale: float = 1.0) -> Reader:
    """The reader of one `sklearn.datasets.load_*`, by name, so that it is imported when used."""

    def read(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
        import sklearn.datasets

        bunch = getattr(sklearn.datasets, function)()
        return Parsed(bunch.data.astype(np.float64) * scale, bunch.target.astype(np.int64))

    return read


def draw_x8d5k(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """Five Gaussians of 200 points in 8 dimensions, means uniform in the unit cube."""
    from scipy.special import ndtri

    n_classes, n_each, n_features = 5, 200, 8
    n_means, n_noise = n_classes * n_features, n_classes * n_each * n_features
    uniform = drawn(X8D5K_SEED, n_means + n_noise)
    means = uniform[:n_means].reshape(n_classes, 1, n_features)
    noise = ndtri(uniform[n_means:]).reshape(n_classes, n_each, n_features)
    points = np.round(means + X8D5K_DEVIATION * noise, 6)
    labels = np.repeat(np.arange(n_classes, dtype=np.int64), n_each)
    return Parsed(points.reshape(-1, n_features), labels)


def draw_subspaces(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """Five subspaces of dimension 4 in 30 dimensions, 30 points near each: N(0, 1) and noise."""
    from scipy.special import ndtri

    n_classes, n_each, n_features, dim = 5, 30, 30, 4
    sizes = np.cumsum([n_classes * dim * n_features, n_classes * n_each * dim])
    normal = ndtri(drawn(SUBSPACES_SEED, sizes[-1] + n_classes * n_each * n_features))
    bases, weights, noise = np.split(normal, sizes)
    bases = bases.reshape(n_classes, dim, n_features)
    exact = weights.reshape(n_classes, n_each, dim) @ bases / np.sqrt(dim)
    points = exact.reshape(-1, n_features) + SUBSPACES_DEVIATION * noise.reshape(-1, n_features)
    labels = np.repeat(np.arange(n_classes, dtype=np.int64), n_each)
    return Parsed(np.round(points, 6), labels)


def drawn(seed: int, n: int) -> np.ndarray:
    """Numbers uniform in (0, 1) that never change.

    From the raw bits of PCG64, whose stream numpy never changes, unlike `Generator.normal`.
    """
    bits = np.random.PCG64(seed).random_raw(n)
    return ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def read_karate_club(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """Zachary's karate club with PyG's four communities and one labelled node in each."""
    try:
        from torch_geometric.datasets import KarateClub
    except ImportError as error:
        raise NotAvailable(
            "KarateClub comes with torch-geometric, which is not installed: pip install 'flgc[gnn]'"
        ) from error

    data = KarateClub()[0]
    train = data.train_mask.numpy()
    masks = {"train": train, "val": np.zeros_like(train), "test": ~train}
    source, target = data.edge_index.numpy()
    edges = canonical_edges(source, target, data.num_nodes)
    return Parsed(data.x.numpy().astype(np.float64), data.y.numpy(), edges, masks)
