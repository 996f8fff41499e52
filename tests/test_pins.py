"""What `make setup` installs is pinned once: by version, and by the sha256 of its files."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def normalised(pin: str) -> str:
    """As uv spells a package's name."""
    return re.sub(r"[-_.]+(?=.*==)", "-", pin).lower()


def test_every_pin_has_hashes_but_that_of_torch():
    pins = {normalised(pin) for pin in (ROOT / "constraints.txt").read_text().split()}
    blocks = re.split(r"\n(?=\S)", (ROOT / "hashes.txt").read_text())
    hashed = {
        normalised(block.split()[0]): re.findall(r"--hash=sha256:[0-9a-f]{64}", block)
        for block in blocks
    }
    assert all(hashed.values())
    assert pins - set(hashed) == {pin for pin in pins if pin.startswith("torch==")}
    assert set(hashed) <= pins, "run: make hashes"
