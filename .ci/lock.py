"""Write `hashes.txt`: each pin of `constraints.txt` with the sha256 of its wheels.

`make setup` installs these first, in pip's hash-checking mode. What torch brings depends on the
machine (a CPU or a CUDA build, and its libraries), so torch itself is pinned by version alone.
Run it after a change of the pins: python .ci/lock.py
"""

import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pip._internal.models.index import PyPI

ROOT = Path(__file__).parents[1]
WITHOUT_HASH = {"torch"}
# Pythons and machines on which nobody has tried the pipeline would triple the file.
ELSEWHERE = re.compile(
    r"musllinux|win32|win_arm|i686|ppc64|s390x|armv7|riscv|-pp|-graal|-cp3(8|9|10|15)-cp|t-(many|mac|win)"
)
WHEEL = re.compile(r'href="[^"]*/([^"/#]+\.whl)#sha256=([0-9a-f]{64})"')


def normalised(name: str) -> str:
    """A package's name as the index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def hashed(pin: str) -> str:
    """The pin with a line for each distinct wheel of that version."""
    name, version = pin.split("==")
    with urllib.request.urlopen(f"{PyPI.simple_url}/{normalised(name)}/", timeout=60) as page:
        links = WHEEL.findall(page.read().decode())
    found = sorted(
        sha256
        for wheel, sha256 in links
        if normalised(wheel.split("-")[0]) == normalised(name)
        and wheel.split("-")[1] == version
        and not ELSEWHERE.search(wheel)
    )
    if not found:
        raise SystemExit(f"the index has no wheel of {pin}")
    return " \\\n    ".join([pin, *(f"--hash=sha256:{sha256}" for sha256 in found)])


def main() -> None:
    """All of them, in the order of the pins."""
    pins = (ROOT / "constraints.txt").read_text().split()
    wanted = [pin for pin in pins if pin.split("==")[0] not in WITHOUT_HASH]
    with ThreadPoolExecutor(8) as pool:
        text = "\n".join(pool.map(hashed, wanted))
    (ROOT / "hashes.txt").write_text(text + "\n")


if __name__ == "__main__":
    main()
