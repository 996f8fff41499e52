"""Datasets that need no download: scikit-learn's, PyG's, and the one that is drawn."""

from collections.abc import Mapping

import numpy as np

from flgc.datasets.errors import NotAvailable
from flgc.datasets.readers.canonical import canonical_edges
from flgc.datasets.readers.reader import Parsed, Reader

X8D5K_SEED = 2002
X8D5K_DEVIATION = 0.1


def from_sklearn(function: str, scale: float = 1.0) -> Reader:
    """The reader of one `sklearn.datasets.load_*`, named so that nothing is imported before."""

    def read(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
        import sklearn.datasets

        bunch = getattr(sklearn.datasets, function)()
        return Parsed(bunch.data.astype(np.float64) * scale, bunch.target.astype(np.int64))

    return read


def draw_x8d5k(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """Five Gaussians of 200 points in 8 dimensions, means uniform in the unit cube.

    Drawn from the raw bits of PCG64, whose stream numpy never changes, unlike `Generator.normal`.
    """
    from scipy.special import ndtri

    n_classes, n_each, n_features = 5, 200, 8
    n_means, n_noise = n_classes * n_features, n_classes * n_each * n_features
    bits = np.random.PCG64(X8D5K_SEED).random_raw(n_means + n_noise)
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    means = uniform[:n_means].reshape(n_classes, 1, n_features)
    noise = ndtri(uniform[n_means:]).reshape(n_classes, n_each, n_features)
    points = np.round(means + X8D5K_DEVIATION * noise, 6)
    labels = np.repeat(np.arange(n_classes, dtype=np.int64), n_each)
    return Parsed(points.reshape(-1, n_features), labels)


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
