"""Data that are drawn by a recipe, the same for ever: subspaces, lit faces, graphs of communities.

Rules are chosen on them (docs/rules.md); no table of the paper has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flgc.datasets.readers.canonical import canonical_edges
from flgc.datasets.readers.embedded import drawn
from flgc.datasets.readers.reader import Parsed


class Stream:
    """Numbers of one seed, taken one after the other."""

    def __init__(self, seed: int):
        self.seed, self.n_taken = seed, 0

    def uniform(self, *shape: int) -> np.ndarray:
        """Uniform in (0, 1)."""
        n = int(np.prod(shape))
        self.n_taken += n
        return drawn(self.seed, self.n_taken)[-n:].reshape(shape)

    def normal(self, *shape: int) -> np.ndarray:
        """N(0, 1)."""
        from scipy.special import ndtri

        return ndtri(self.uniform(*shape))


@dataclass(frozen=True)
class Subspaces:
    """Points near linear subspaces: `sizes` points near one of dimension `dims` each.

    Points are N(0, 1) along a subspace, divided by the root of its dimension, and noise.
    """

    seed: int
    sizes: tuple[int, ...]
    dims: tuple[int, ...]
    n_features: int
    deviation: float

    def __call__(self, files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
        stream, points = Stream(self.seed), []
        for size, dim in zip(self.sizes, self.dims, strict=True):
            basis = stream.normal(dim, self.n_features)
            exact = stream.normal(size, dim) @ basis / np.sqrt(dim)
            points.append(exact + self.deviation * stream.normal(size, self.n_features))
        return Parsed(np.round(np.concatenate(points), 6), _labels(self.sizes))


@dataclass(frozen=True)
class LitFaces:
    """Images of `n_classes` smooth faces, `n_each` of each, of `side` x `side` pixels.

    A face is a relief and what its skin reflects, both the sum of one that all faces share and one
    of its own. A pixel of an image is what the skin there reflects of a light from a direction of
    the image's own, nothing in the shade, and noise, clipped to [0, 1].
    """

    seed: int
    n_classes: int
    n_each: int
    side: int
    deviation: float

    def __call__(self, files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
        stream, images = Stream(self.seed), []
        relief, skin = self._smooth(stream), self._smooth(stream)
        for _ in range(self.n_classes):
            heights = relief + 0.7 * self._smooth(stream)
            reflected = np.clip(0.6 + 0.15 * (skin + self._smooth(stream)), 0.05, 1.0)
            slopes = np.gradient(heights)
            normals = np.stack([-slopes[0], -slopes[1], np.ones_like(heights)])
            normals /= np.linalg.norm(normals, axis=0)
            # From within 70 degrees of the line of sight.
            angles = np.deg2rad(70) * np.sqrt(stream.uniform(self.n_each))
            around = 2 * np.pi * stream.uniform(self.n_each)
            light = np.stack(
                [np.sin(angles) * np.cos(around), np.sin(angles) * np.sin(around), np.cos(angles)]
            )
            lit = np.maximum(np.einsum("ai,axy->ixy", light, normals), 0) * reflected
            images.append(lit + self.deviation * stream.normal(*lit.shape))
        pixels = np.concatenate(images).reshape(-1, self.side**2)
        labels = _labels((self.n_each,) * self.n_classes)
        return Parsed(np.round(np.clip(pixels, 0, 1), 6), labels)

    def _smooth(self, stream: Stream) -> np.ndarray:
        """A sum of slow waves over the image, of deviation 1."""
        places = (np.arange(self.side) + 0.5) / self.side
        waves = np.cos(np.pi * np.outer(np.arange(5), places))
        slow = 1 / (1 + np.add.outer(np.arange(5), np.arange(5)))
        image = waves.T @ (stream.normal(5, 5) * slow) @ waves
        return (image - image.mean()) / image.std()


@dataclass(frozen=True)
class Communities:
    """A graph of classes whose nodes are next to their own class, with words as features.

    Of `n_edges` edges each has a node drawn at random and, in a share `homophily` of them, another
    of its class, else any. A node has about `n_words` words; each is in a share `topical` of cases
    one of its class, else any.
    """

    seed: int
    sizes: tuple[int, ...]
    n_edges: int
    homophily: float
    n_features: int
    n_words: int
    topical: float

    def __call__(self, files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
        stream, labels = Stream(self.seed), _labels(self.sizes)
        n, sizes = len(labels), np.array(self.sizes)
        first = np.cumsum(sizes) - sizes
        source = _whole(stream.uniform(self.n_edges), n)
        own = labels[source]
        alike = first[own] + _whole(stream.uniform(self.n_edges), sizes[own])
        any_node = _whole(stream.uniform(self.n_edges), n)
        target = np.where(stream.uniform(self.n_edges) < self.homophily, alike, any_node)
        edges = canonical_edges(source, target, n)
        # Each class has as many words of its own, the others are shared.
        each = self.n_features // (len(sizes) + 1)
        topic = labels[:, None] * each + _whole(stream.uniform(n, self.n_words), each)
        any_word = _whole(stream.uniform(n, self.n_words), self.n_features)
        words = np.where(stream.uniform(n, self.n_words) < self.topical, topic, any_word)
        features = np.zeros((n, self.n_features))
        features[np.arange(n)[:, None], words] = 1.0
        return Parsed(features, labels, edges)


def _labels(sizes: tuple[int, ...]) -> np.ndarray:
    return np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)


def _whole(uniform: np.ndarray, below: int | np.ndarray) -> np.ndarray:
    """Whole numbers from 0, uniform below a bound."""
    return np.floor(uniform * below).astype(np.int64)
