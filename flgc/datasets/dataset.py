"""A dataset in memory, as readers return it and methods take it."""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse as sp

Kind = Literal["graph", "table", "images"]


def titled(name: str, marks: Iterable[str]) -> str:
    """`x8d5k (re-drawn)`: a name with its marks, which stand wherever it is printed."""
    text = ", ".join(marks)
    return f"{name} ({text})" if text else name


@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """Features, labels and, for a graph, edges and the public split.

    `labels` are 0..C-1, or -1 if unknown. `edges` is 2 x E, both directions, sorted by target then
    source, without self loops or duplicates (PyG's `edge_index` of Planetoid); `edge_weight`, if
    weights differ, has a number above 0 for each of them.
    Images are rows of `features` in [0, 1]; `features[i].reshape(image_shape)` is upright.
    """

    name: str
    kind: Kind
    features: "np.ndarray | sp.csr_array"
    labels: np.ndarray
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    edges: np.ndarray | None = None
    masks: Mapping[str, np.ndarray] | None = None
    image_shape: tuple[int, int] | None = None
    leaking: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    edge_weight: np.ndarray | None = None

    @property
    def n_nodes(self) -> int:
        return int(self.features.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    @property
    def class_counts(self) -> tuple[int, ...]:
        labels = self.labels[self.labels >= 0]
        return tuple(int(n) for n in np.bincount(labels, minlength=self.n_classes))

    @property
    def title(self) -> str:
        """The name as tables print it, with marks of a dataset that is not the original."""
        return titled(self.name, self.provenance.get("marks", ()))

    @functools.cached_property
    def digest(self) -> str:
        """sha256 of all that results can depend on: features, labels, classes, edges, masks."""
        sha = hashlib.sha256()
        masks = self.masks or {}
        header = {
            "kind": self.kind,
            "shape": list(self.features.shape),
            "classes": list(self.class_names),
            "image_shape": self.image_shape,
            "masks": sorted(masks),
        }
        sha.update(json.dumps(header, sort_keys=True).encode())
        arrays = [self.labels.astype("<i8")]
        features = self.features
        if isinstance(features, np.ndarray):
            arrays.append(features.astype("<f8", copy=False))
        else:
            arrays += [
                features.indptr.astype("<i8"),
                features.indices.astype("<i8"),
                features.data.astype("<f8"),
            ]
        if self.edges is not None:
            arrays.append(self.edges.astype("<i8"))
        if self.edge_weight is not None:
            arrays.append(self.edge_weight.astype("<f8"))
        arrays += [masks[name].astype("u1") for name in sorted(masks)]
        for array in arrays:
            sha.update(f"|{array.dtype.str}{array.shape}|".encode())
            sha.update(np.ascontiguousarray(array).data)
        return sha.hexdigest()

    def without(self, names: Sequence[str]) -> "Dataset":
        """The dataset without some features, such as those that leak the label.

        Rows keep their order, so splits stay the same.
        """
        unknown = set(names) - set(self.feature_names)
        if unknown:
            raise ValueError(f"{self.name} has no features {', '.join(sorted(unknown))}")
        if not names:
            return self
        kept = [i for i, name in enumerate(self.feature_names) if name not in names]
        return dataclasses.replace(
            self,
            features=self.features[:, kept],
            feature_names=tuple(self.feature_names[i] for i in kept),
            leaking=tuple(name for name in self.leaking if name not in names),
        )

    def __repr__(self) -> str:
        edges = "" if self.edges is None else f", {self.edges.shape[1]} edges"
        return (
            f"<Dataset {self.title}: {self.kind}, {self.n_classes} classes, "
            f"{self.n_nodes} x {self.n_features}{edges}>"
        )
