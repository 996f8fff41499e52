import os
from pathlib import Path

import pytest
from hypothesis import settings

# Examples are small; what is slow now and then is the machine, not the code.
settings.register_profile("flgc", deadline=None, max_examples=60)
settings.load_profile("flgc")

BESIDE = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def mirror() -> str:
    """FLGC_MIRROR, or the folder of raw files beside the checkout."""
    place = os.environ.get("FLGC_MIRROR") or (str(BESIDE) if BESIDE.is_dir() else None)
    if place is None:
        pytest.skip("no mirror: set FLGC_MIRROR to a folder with the raw files")
    return place
