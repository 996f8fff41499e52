"""Credentials of a store's address come from FLGC_STORE alone and go nowhere."""

import logging
import pickle
import socket
import traceback
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from flows.cli.store import app
from tasks.store.store import DamagedArtifact, Store, StoreError, artifact_key, file_name
from tests.tasks.store.vault import SECRETS, Vault, address


def assert_silent(text: str) -> None:
    assert text
    assert [secret for secret in SECRETS if secret in text] == []


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("FLGC_STORE", address(tmp_path))
    return address(tmp_path)


def table() -> pa.Table:
    return pa.table({"x": [1]})


def test_what_travels_has_no_secrets_and_finds_the_store_again(url: str, tmp_path: Path) -> None:
    store = Store()
    artifact = store.get_or_compute("fit", (), table)
    assert store.url == f"vault://***@{tmp_path}?***"
    assert_silent(repr(store))
    assert_silent(str(pickle.dumps(store)))
    for again in (Store(store.url), Store(url), pickle.loads(pickle.dumps(store))):
        assert again.url == store.url
        assert again.read(artifact.key).num_rows == 1


def test_an_address_with_secrets_is_taken_from_the_environment_only(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = Store().url
    monkeypatch.setenv("FLGC_STORE", "memory://elsewhere")
    with pytest.raises(StoreError, match="taken from FLGC_STORE only") as refused:
        Store(url)
    assert_silent(str(refused.value))
    with pytest.raises(StoreError, match="is not known here; set FLGC_STORE"):
        Store(public)
    monkeypatch.delenv("FLGC_STORE")
    with pytest.raises(StoreError, match="is not known here; set FLGC_STORE"):
        Store(public)
    result = CliRunner().invoke(app, ["ls", "--store", url])
    assert result.exit_code == 2
    assert "FLGC_STORE" in result.stderr
    assert_silent(result.output)


def test_an_endpoint_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as nobody:  # bound, and never listening
        nobody.bind(("127.0.0.1", 0))
        endpoint = f"127.0.0.1:{nobody.getsockname()[1]}"
        where = f"endpoint_override={endpoint}&scheme=http&region=eu"
        monkeypatch.setenv("FLGC_STORE", f"s3://AKIAKEYID:sig0123456@bucket/x?{where}")
        with pytest.raises(StoreError) as raised:
            Store().record(artifact_key("fit", {}, {}, ""))
    message = str(raised.value)
    assert message.startswith(f"store s3://***@bucket/x?{where}: cannot read it")
    assert f"connect to {endpoint}" in message or "connect to 127.0.0.1 port" in message
    assert_silent(message)


def missing(store: Store) -> object:
    return store.read(artifact_key("fit", {"gone": 1}, {}, ""))


def damaged(store: Store) -> object:
    artifact = store.get_or_compute("fit", (), table)
    store.files.note(file_name(artifact.key), "rubbish")
    return store.read(artifact.key)


def closed(store: Store) -> object:
    Vault.closed = True
    return store.get_or_compute("fit", (), table)


def unlisted(store: Store) -> object:
    Vault.closed = True
    return list(store.files.entries())


@pytest.mark.parametrize("fault", [missing, damaged, closed, unlisted])
def test_errors_are_silent_with_all_that_lies_beneath_them(
    url: str, fault: Callable[[Store], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Vault, "closed", False)
    with pytest.raises((StoreError, DamagedArtifact, KeyError)) as raised:
        fault(Store())
    assert_silent("".join(traceback.format_exception(raised.value)))


@pytest.mark.parametrize("broken", ["vault://AKIAKEYID:hunter/22@/tmp/x", "nosuch://u:hunter@x"])
def test_an_address_that_cannot_be_opened_is_not_shown(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLGC_STORE", broken)
    with pytest.raises(StoreError, match="no filesystem for this address") as raised:
        Store()
    assert_silent("".join(traceback.format_exception(raised.value)))


def test_commands_and_logs_are_silent(
    url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Vault, "closed", False)
    with caplog.at_level(logging.DEBUG):
        store = Store()
        artifact = store.get_or_compute("fit", (), table)
        store.files.note(file_name(artifact.key), "rubbish")
        commands = (["ls"], ["verify"], ["prune"], ["show", "fit"], ["show", "graph"])
        outputs = [CliRunner().invoke(app, command).output for command in commands]
        store.get_or_compute("fit", (), table)
        outputs += [CliRunner().invoke(app, command).output for command in commands]
        Vault.closed = True
        outputs += [CliRunner().invoke(app, command).output for command in commands]
        with store.in_use():
            pass
    for output in (*outputs, caplog.text):
        assert_silent(output)
    assert "is damaged" in caplog.text
    assert "cannot see that a run uses the store" in caplog.text
