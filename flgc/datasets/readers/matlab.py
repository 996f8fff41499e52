"""Image sets in MATLAB files: pixels scaled to [0, 1], images upright."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from flgc.datasets.readers.reader import Parsed


def read_fea_gnd(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """`fea` (one square image per row, column by column) and `gnd` (1..C)."""
    content = _load(files)
    pixels = _scaled(content["fea"])
    side = int(np.sqrt(pixels.shape[1]))
    labels = content["gnd"].ravel().astype(np.int64) - 1
    return Parsed(_upright(pixels, (side, side)), labels)


def read_yale_b(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """`Y`: pixels x images x people, each image 48 x 42, column by column."""
    pixels = _scaled(_load(files)["Y"])
    n_pixels, n_images, n_people = pixels.shape
    rows = pixels.transpose(2, 1, 0).reshape(n_people * n_images, n_pixels)
    labels = np.repeat(np.arange(n_people, dtype=np.int64), n_images)
    return Parsed(_upright(rows, (48, 42)), labels)


def _load(files: Mapping[str, bytes]) -> dict[str, Any]:
    import scipy.io

    (content,) = files.values()
    file: Any = io.BytesIO(content)  # the stubs know paths only
    try:
        return scipy.io.loadmat(file)
    except Exception as error:  # bytes that are no MATLAB file fail in many ways
        raise ValueError(f"not a MATLAB file: {error}") from error


def _scaled(pixels: np.ndarray) -> np.ndarray:
    scaled = pixels.astype(np.float64)
    return scaled / 255 if np.issubdtype(pixels.dtype, np.integer) else scaled


def _upright(rows: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    images = rows.reshape(len(rows), shape[1], shape[0]).transpose(0, 2, 1)
    return np.ascontiguousarray(images).reshape(len(rows), -1)
