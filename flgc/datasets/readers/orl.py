"""The 32 x 32 faces of ORL, rebuilt from the 400 original photographs.

The well-known 32 x 32 version is the photographs aligned by the eyes. The recipe was fitted to that
version, so the result has its digest, and the mark `rebuilt`.
"""

import base64
import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from flgc.datasets.readers.reader import Parsed

PEOPLE, PHOTOS_OF_EACH = 40, 10
HEIGHT, WIDTH, SIDE = 112, 92, 32
HEADER = len(b"P5\n92 112\n255\n")
UNIT = 126  # the grid of the small image falls on 126ths of a pixel of the photograph


def read_orl_photographs(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
    """The photographs are one file, in the order of their names; the recipe has the constants.

    For each image `eyes` has x, y of the left eye and dx, dy from it to the right one.
    """
    recipe = json.loads(files["orl_recipe.json"])
    photos = _photographs(files["ORL_faces.pgm"], recipe)
    eyes = np.frombuffer(zlib.decompress(base64.b64decode(recipe["eyes"])), dtype=np.int8)
    x, y, dx, dy = eyes.astype(np.int64).reshape(4, len(photos), 1, 1)
    row, column = np.arange(SIDE)[:, None], np.arange(SIDE)
    down = UNIT * y - 63 * (dx + dy) + 8 * (dx * row + dy * column)
    across = UNIT * x - 63 * (dx - dy) + 8 * (dx * column - dy * row)
    pixels = _bilinear(photos, down, across)
    pixels.flat[recipe["down"]] -= 1  # ties, which the published file rounded down
    labels = np.repeat(np.arange(PEOPLE, dtype=np.int64), PHOTOS_OF_EACH)
    return Parsed(pixels.reshape(len(photos), -1) / 255, labels)


def _photographs(content: bytes, recipe: Mapping[str, Any]) -> np.ndarray:
    """Images x rows x columns, ten of the first person, then ten of the second, and so on."""
    numbers = range(PEOPLE * PHOTOS_OF_EACH)
    # As names are sorted: the tenth photograph of a person comes before the second.
    order = sorted(
        numbers, key=lambda n: f"s{n // PHOTOS_OF_EACH + 1}/{n % PHOTOS_OF_EACH + 1}.pgm"
    )
    photos = np.empty((len(numbers), HEIGHT, WIDTH), dtype=np.int64)
    parts = re.split(rb"(?=P5\r?\n)", content)[1:]
    for number, photo in zip(order, parts, strict=True):
        if photo.startswith(b"P5\r\n"):
            photo = _as_binary(photo, recipe["pair"].get(str(number)))
        photos[number] = np.frombuffer(photo, np.uint8, offset=HEADER).reshape(HEIGHT, WIDTH)
    photos.flat[recipe["thirteen"]] = 13
    return photos


def _as_binary(photo: bytes, pair: int | None) -> bytes:
    r"""Undo a text-mode conversion: \r\n is \n again, but the one numbered `pair` is two pixels."""
    parts = photo.split(b"\r\n")
    halves = (parts[:pair], parts[pair:]) if pair else (parts,)
    return b"\r\n".join(b"\n".join(half) for half in halves)


def _bilinear(images: np.ndarray, down: np.ndarray, across: np.ndarray) -> np.ndarray:
    """Each image interpolated at its own places, in UNITs; edges repeat, halves round up."""
    (top, below), (left, right) = np.divmod(down, UNIT), np.divmod(across, UNIT)
    which = np.arange(len(images))[:, None, None]

    def at(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return images[which, rows.clip(0, HEIGHT - 1), columns.clip(0, WIDTH - 1)]

    upper = (UNIT - right) * at(top, left) + right * at(top, left + 1)
    lower = (UNIT - right) * at(top + 1, left) + right * at(top + 1, left + 1)
    return (2 * ((UNIT - below) * upper + below * lower) + UNIT**2) // (2 * UNIT**2)
