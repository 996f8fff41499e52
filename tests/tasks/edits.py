"""Keys as they would be if a source file were another one, while this process runs what it has."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tasks.store import code, sources

REPOSITORY = Path(__file__).parents[2]


@contextmanager
def edited(path: str | Path, old: str, new: str) -> Iterator[None]:
    """As if a process had been started with that edit, and nobody had edited a file since."""
    file = REPOSITORY / path
    source = file.read_text(encoding="utf-8")
    assert source.count(old) == 1, f"{path} has {old!r} {source.count(old)} times"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sources._snapshot, file, source.replace(old, new).encode())
        patch.setattr(code, "differs", lambda path: False)
        forget()
        try:
            yield
        finally:
            patch.undo()
            forget()


def forget() -> None:
    """As if nothing had been digested yet."""
    for function in (sources.module_of, code._definition, code._digest_and_files):
        function.cache_clear()
