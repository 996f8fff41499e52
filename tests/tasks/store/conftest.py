"""Stores: `store` is here and on a filesystem of fsspec, `local` in a directory alone."""

import uuid
from pathlib import Path

import pytest

from tasks.store.store import Store


@pytest.fixture
def local(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(params=["directory", "fsspec"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    remote = f"memory://{uuid.uuid4().hex}/store"
    return Store(remote if request.param == "fsspec" else tmp_path / "store")
