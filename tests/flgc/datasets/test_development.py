"""What rules are chosen on: tables that the paper does not have, and data that are drawn."""

import numpy as np
import pytest

from flgc.datasets import REGISTRY, load
from flgc.datasets.catalogue.development import DEVELOPMENT, DEVELOPMENT_TABLES, GENERATED
from flgc.datasets.readers.embedded import drawn
from flgc.datasets.readers.generated import Communities, LitFaces, Stream
from tests.speeds import slow

NAMES = [entry.name for entry in DEVELOPMENT_TABLES]


def test_none_of_them_is_in_the_paper():
    assert len(DEVELOPMENT_TABLES) == 20
    assert not any(entry.in_paper for entry in DEVELOPMENT)
    contents = [entry.digest for entry in REGISTRY.values() if entry.digest]
    assert len(contents) == len(set(contents)), "not even under another name"


@pytest.mark.data
@pytest.mark.parametrize(
    "name", [name if name in ("german", "newthyroid") else slow(name) for name in NAMES]
)
def test_tables_arrive_as_they_are_declared(name, real_data):
    dataset, entry = real_data(name), REGISTRY[name]
    shape = (dataset.n_classes, dataset.n_nodes, dataset.n_features)
    assert shape == (entry.classes, entry.instances, entry.features)
    assert dataset.digest == entry.digest


@pytest.mark.parametrize("entry", GENERATED, ids=lambda entry: entry.name)
def test_what_is_drawn_needs_neither_network_nor_cache(entry, cache):
    dataset = load(entry.name, cache=cache, offline=True)
    shape = (dataset.n_classes, dataset.n_nodes, dataset.n_features)
    assert shape == (entry.classes, entry.instances, entry.features)
    assert dataset.class_counts == tuple(np.bincount(dataset.labels))
    assert dataset.digest == entry.digest
    assert not cache.exists()


def test_a_stream_takes_each_number_once():
    stream = Stream(7)
    taken = [stream.uniform(2, 3).ravel(), stream.uniform(4)]
    np.testing.assert_array_equal(np.concatenate(taken), drawn(7, 10))


def test_unequal_subspaces_have_the_dimensions_that_they_say():
    dataset = load("subspaces-unequal")
    assert dataset.class_counts == (70, 50, 35, 25, 15)
    for label, dim in enumerate((2, 3, 4, 5, 6)):
        values = np.linalg.svd(dataset.features[dataset.labels == label], compute_uv=False)
        assert values[dim - 1] > 1.4 * values[dim]


def test_images_of_a_lit_face_are_near_few_dimensions_and_differ_by_their_light():
    """Without shade they would lie in three: those of its normals times what its skin reflects."""
    within, between = [], []
    dataset = load("faces-lit")
    assert dataset.image_shape == (16, 16)
    assert dataset.features.min() == 0
    assert dataset.features.max() <= 1
    for label in range(20):
        images = dataset.features[dataset.labels == label]
        energy = np.linalg.svd(images, compute_uv=False) ** 2
        assert energy[:5].sum() > 0.95 * energy.sum()
        within.append(images.var(axis=0).sum())
        between.append(((images.mean(axis=0) - dataset.features.mean(axis=0)) ** 2).sum())
    assert np.mean(within) > np.mean(between)


def test_without_noise_a_face_is_what_light_and_normals_say():
    face = LitFaces(seed=1, n_classes=1, n_each=30, side=8, deviation=0.0)({}, ()).features
    lit = face[:, (face > 0).all(axis=0)]  # pixels that are never in the shade
    values = np.linalg.svd(lit, compute_uv=False)
    assert lit.shape[1] > 10
    assert values[3] < 1e-4 * values[0]


@pytest.mark.parametrize(("homophily", "expected"), [(0.0, 0.25), (0.8, 0.85), (1.0, 1.0)])
def test_as_many_edges_stay_in_their_community_as_asked_for(homophily, expected):
    read = Communities(3, (500,) * 4, 6000, homophily, n_features=50, n_words=3, topical=0.5)
    found = read({}, ())
    inside = np.mean(found.labels[found.edges[0]] == found.labels[found.edges[1]])
    assert inside == pytest.approx(expected, abs=0.02)
    assert set(np.unique(found.features)) == {0.0, 1.0}
    own = [found.features[found.labels == c, 10 * c : 10 * c + 10].sum() for c in range(4)]
    assert sum(own) / found.features.sum() == pytest.approx(0.5 + 0.5 / 5, abs=0.04)
