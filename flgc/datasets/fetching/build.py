"""From raw files to a checked dataset: routes are tried in order until one passes."""

from typing import Any

import numpy as np

from flgc.datasets.catalogue.entry import Entry, Route
from flgc.datasets.dataset import Dataset
from flgc.datasets.errors import (
    AGAIN,
    DatasetError,
    EverySourceFailed,
    NotAvailable,
    NotReachable,
    SourceFailed,
    Unreached,
    WrongDigest,
)
from flgc.datasets.fetching.download import host_of
from flgc.datasets.fetching.settings import Settings
from flgc.datasets.fetching.sources import Raw, obtain, set_aside
from flgc.datasets.readers.canonical import canonical_rows


def build(entry: Entry, settings: Settings) -> Dataset:
    """The dataset from its first route with the pinned content."""
    failed: list[SourceFailed] = []
    for route in entry.routes:
        try:
            return _by_route(entry, route, settings)
        except SourceFailed as error:
            failed.append(error)
    each = [failure for error in failed for failure in getattr(error, "failures", (error,))]
    if all(isinstance(failure, Unreached) for failure in each):
        raise _not_reachable(entry, each)
    tried = "\n  - ".join(map(str, failed))
    raise NotAvailable(
        f"{entry.name} could not be fetched from any source:\n  - {tried}\n"
        "Set FLGC_MIRROR (or --mirror) to a folder or address that has its files, or try again "
        "with a network."
    )


def _not_reachable(entry: Entry, failures: list[SourceFailed]) -> NotReachable:
    """The error with the first reason of each host; later ones say that it was not tried again."""
    reasons: dict[str, SourceFailed] = {}
    for failure in failures:
        reasons.setdefault(host_of(failure.source) or failure.source, failure)
    return NotReachable(
        f"{entry.name}: no source could be reached: {'; '.join(map(str, reasons.values()))} "
        "(FLGC_MIRROR can name a mirror)",
        dataset=entry.name,
        reasons={place: failure.reason.removesuffix(AGAIN) for place, failure in reasons.items()},
    )


def _by_route(entry: Entry, route: Route, settings: Settings) -> Dataset:
    """The dataset of one route. Bytes without a pinned sha256 are suspects.

    While the parsed content is wrong, suspects are set aside and their next sources are tried.
    """
    refused: set[tuple[str, str]] = set()
    wrong: list[SourceFailed] = []
    while True:
        try:
            raws = [obtain(entry, file, settings, refused) for file in route.files]
        except EverySourceFailed as error:
            raise EverySourceFailed(error.file, [*wrong, *error.failures]) from error
        try:
            dataset = _assemble(entry, route, raws)
            found = dataset.digest
            if found == entry.digest:
                return dataset
            if entry.accepts_unknown and _right_shape(entry, dataset):
                dataset.provenance["marks"].append("unverified")
                return dataset
        except DatasetError:
            raise
        except (
            Exception
        ) as error:  # a reader of wrong bytes, and what it reads with, raise anything
            found = f"unreadable ({type(error).__name__}: {error})"
        suspects = [raw for raw in raws if not raw.pinned]
        if not suspects:
            sources = ", ".join(raw.source for raw in raws) or "this installation"
            raise WrongDigest(entry.name, sources, entry.digest or "none pinned", found)
        for raw in suspects:
            set_aside(entry, raw.file, raw.content, settings)
            refused.add((raw.file.name, raw.source))
            expected = f"{entry.sha256(raw.file)}, or parsed content {entry.digest}"
            both = f"{raw.sha256}, parsed content {found}"
            wrong.append(WrongDigest(f"{entry.name}/{raw.file.name}", raw.source, expected, both))


def _assemble(entry: Entry, route: Route, raws: list[Raw]) -> Dataset:
    content = route.read({raw.file.name: raw.content for raw in raws}, entry.class_names)
    features, labels = content.features, content.labels
    if isinstance(features, np.ndarray) and entry.kind == "table":
        features, labels = canonical_rows(features, labels)
    marks = [entry.marks_of_bytes[r.sha256] for r in raws if r.sha256 in entry.marks_of_bytes]
    provenance: dict[str, Any] = {
        "sources": {raw.file.name: raw.source for raw in raws},
        "raw_sha256": {raw.file.name: raw.sha256 for raw in raws},
        "licence": entry.licence,
        "citation": entry.citation,
        "marks": [*entry.marks, *marks],
        "notes": list(entry.notes),
    }
    dataset = Dataset(
        name=entry.name,
        kind=entry.kind,
        features=features,
        labels=labels,
        class_names=entry.class_names,
        feature_names=entry.feature_names,
        edges=content.edges,
        masks=content.masks,
        image_shape=entry.image_shape,
        leaking=entry.leaking,
        provenance=provenance,
    )
    provenance["digest"] = dataset.digest
    return dataset


def _right_shape(entry: Entry, dataset: Dataset) -> bool:
    """Whether sizes are right and all classes equally large, as in the sets that need this."""
    shape = (dataset.n_classes, dataset.n_nodes, dataset.n_features)
    even = len(set(dataset.class_counts)) == 1
    return shape == (entry.classes, entry.instances, entry.features) and even
