"""The memory that your own files may take, checked before they are read."""

import math
import os
from pathlib import Path

from flgc.datasets.errors import DatasetError

VARIABLE = "FLGC_MAX_GB"
USUAL_GB = 1.0
WIDTH = 8  # bytes of a value in memory
GB = 1e9


def check_file(path: Path) -> None:
    """Refuse large files, and all but regular files: a pipe may never end."""
    if path.is_dir():
        raise DatasetError(f"{path} is a folder; name a CSV, Parquet or .pt file")
    if not path.exists():
        raise DatasetError(f"{path} does not exist")
    if not path.is_file():
        raise DatasetError(f"{path} is a pipe or a device; name a regular file")
    size = path.stat().st_size
    if not size:
        raise DatasetError(f"{path} cannot be read: it is empty")
    check_memory(path.name, size, "the file itself")


def check_shape(name: str, shape: tuple[int, ...]) -> None:
    """Refuse an array above the limit."""
    check_memory(name, WIDTH * math.prod(shape), " x ".join(map(str, shape)) + " values")


def check_memory(name: str, n_bytes: int, what: str) -> None:
    """Refuse what takes more than the limit; the error says which limit would do."""
    limit = limit_gb()
    if n_bytes > limit * GB:
        needed = n_bytes / GB
        raise DatasetError(
            f"{name}: {what} would take {needed:.3g} GB of memory, and the limit is {limit:g} GB; "
            f"to read it anyway, set {VARIABLE}={math.ceil(needed)}"
        )


def limit_gb() -> float:
    """FLGC_MAX_GB, or 1."""
    text = os.environ.get(VARIABLE) or USUAL_GB
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not limit > 0:
        raise DatasetError(
            f"{VARIABLE}={text!r} is not a limit: give a number of gigabytes above 0"
        )
    return limit
