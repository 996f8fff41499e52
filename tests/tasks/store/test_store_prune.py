"""What `flgc store prune` takes away, and what it never does."""

import json
import os
import random
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from tasks.store import leases as store_leases
from tasks.store.parquet import to_bytes
from tasks.store.store import Store, file_name
from tasks.store.upkeep import (
    IRREPLACEABLE,
    carry_out,
    find_key,
    list_artifacts,
    plan_pruning,
    verify,
)
from tests.tasks.store.kit import (
    chain_in,
    cut,
    flip,
    in_fork,
    keys,
    keys_in,
    one,
    ordinary_user,
    overwrite,
    path_of,
    prune,
    run,
    run_json,
)

DAY = 86400


def names(files: list[dict[str, str]]) -> set[str]:
    return {Path(file["name"]).stem for file in files}


def test_what_cannot_be_opened_is_kept_and_listed() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store")
        artifact = store.get_or_compute("fit", (), lambda: one(1))
        path = path_of(store, artifact)
        for place in (Path(folder), Path(store.url), path.parent):
            place.chmod(0o777)
        path.chmod(0)
        with ordinary_user():
            result = run(store, "prune", "--delete", "--stage", "fit")
            listed, checked = run_json(store, "ls"), run(store, "verify")
        assert result.exit_code == 0
        assert "kept: could not be read" in result.stdout
        assert "Permission denied" in result.stdout
        assert (listed[0]["readable"], listed[0]["damaged"]) == (False, False)
        assert checked.exit_code == 1
        assert "0 damaged, 1 could not be read" in checked.stdout
        path.chmod(0o644)
        assert store.read(artifact.key).num_rows == 1


def test_a_flipped_bit_of_a_record_is_listed_and_never_raises(local: Store) -> None:
    """A flip that leaves the record readable is for `verify`; one that does not is damage."""
    artifact = local.get_or_compute("fit", (), lambda: one(1), parameters={"k": 5})
    good = local.get_or_compute("graph", (), lambda: one(2))
    path = path_of(local, artifact)
    original, chance, damaged = path.read_bytes(), random.Random(3), 0
    start = original.index(b"ARROW:schema")  # where Arrow takes the record from
    for position in chance.sample(range(start, len(original)), 500):
        broken = bytearray(original)
        broken[position] ^= 1 << chance.randrange(8)
        path.write_bytes(broken)
        listed = {item.key: item for item in list_artifacts(local)}
        assert set(listed) == keys(artifact, good)
        assert listed[good.key].record is not None
        assert [item.reason for item in prune(local)] == ["damaged"] * listed[artifact.key].damaged
        assert find_key(local, "fit") == artifact.key
        damaged += listed[artifact.key].damaged
    assert 100 < damaged < 500


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": "1"},
        {"rows": True},
        {"seconds": None},
        {"created": "yesterday"},
        {"created": "2026-01-01T00:00:00"},
        {"created": "0001-01-01T00:00:00+09:00"},
        {"inputs": []},
        {"inputs": {"graph": 3}},
        {"made_from": "graph"},
        {"made_from": {"graph": 3}},
        {"parameters": None},
        {"stage": 7},
        {"digest": 1.5},
    ],
)
def test_a_record_of_wrong_types_is_damage_everywhere(local: Store, wrong: dict[str, Any]) -> None:
    artifact = local.get_or_compute("fit", (), lambda: one(1))
    record = local.record(artifact.key) | wrong
    data = to_bytes(local.read(artifact.key), record)
    overwrite(local, file_name(artifact.key), data.to_pybytes())
    assert run_json(local, "ls")[0]["damaged"] is True
    result = run(local, "ls")
    assert (result.exit_code, result.exception) == (0, None)
    assert "damaged" in result.stdout
    detail = run(local, "show", artifact.key[:12])
    assert detail.exit_code == 1
    assert "is damaged" in detail.stderr
    assert names(run_json(local, "prune", "--delete")["files"]) == keys(artifact)
    assert keys_in(local) == set()


def test_a_replaced_artifact_is_not_deleted_for_the_damage_of_the_old(local: Store) -> None:
    artifact = local.get_or_compute("fit", (), lambda: one(1))
    cut(local, artifact)
    pruning = plan_pruning(local)
    assert [removal.reason for removal in pruning.removals] == ["damaged"]
    local.get_or_compute("fit", (), lambda: one(1))
    assert carry_out(local, pruning) == []
    assert local.read(artifact.key).num_rows == 1


@pytest.mark.parametrize("of", ["fit", "graph", "raw"])
@pytest.mark.parametrize("fault", ["cut", "flip", "gone"])
def test_keep_refuses_when_its_chain_is_not_whole(store: Store, of: str, fault: str) -> None:
    chain = chain_in(store)
    if fault == "cut":
        cut(store, chain[of])
    elif fault == "flip":  # in the data: the record can still be read
        flip(store, chain[of], 8)
    else:
        store.files.delete(file_name(chain[of].key))
    before = keys_in(store)
    result = run(store, "prune", "--keep", chain["fit"].key, "--delete")
    unknown = (fault, of) == ("gone", "fit")
    assert result.exit_code == (2 if unknown else 1)
    if not unknown:
        assert "Nothing was deleted" in result.stderr
        assert chain[of].key in result.stderr
    assert keys_in(store) == before


def test_keep_does_not_mind_damage_elsewhere(store: Store) -> None:
    chain = chain_in(store)
    cut(store, chain["other"])
    files = run_json(store, "prune", "--keep", chain["fit"].key, "--delete")["files"]
    assert [file["reason"] for file in files] == ["damaged"]
    assert keys_in(store) == keys(*chain.values()) - keys(chain["other"])


def test_keep_goes_before_age_and_stage(store: Store) -> None:
    chain = chain_in(store)
    report = store.get_or_compute("report", (), lambda: one(8), inputs={"fits": [chain["fit"]]})
    plan = plan_pruning(
        store,
        older_than_days=1,
        stages=["graph"],
        keep_reachable_from=[report.key],
        now=time.time() + 7 * DAY,
    )
    assert {Path(removal.name).stem for removal in plan.removals} == keys(chain["other"])


def test_keep_follows_an_input_that_was_computed_again_with_other_content(store: Store) -> None:
    chain = chain_in(store)
    raw = chain["raw"]
    cut(store, raw)
    store.get_or_compute("dataset", (), lambda: one(2), inputs={"source": "f" * 64})
    gone = prune(store, keep_reachable_from=[chain["fit"].key])
    assert {Path(removal.name).stem for removal in gone} == keys(chain["other"])


def test_history_goes_only_by_name(store: Store) -> None:
    assert IRREPLACEABLE == ("history",)
    chain = chain_in(store)
    history, fit = chain["history"], chain["fit"]
    in_a_week = time.time() + 7 * DAY
    plan = plan_pruning(store, older_than_days=5, now=in_a_week)
    assert len(plan.removals) == 4
    assert [Path(kept.name).stem for kept in plan.kept] == [history.key]
    kept = run_json(store, "prune", "--keep", fit.key, "--stage", "fit", "--delete")["kept"]
    assert "--stage history" in kept[0]["reason"]
    cut(store, history)
    assert run_json(store, "prune", "--delete")["files"] == []
    assert history.key in keys_in(store)
    run_json(store, "prune", "--stage", "history", "--delete")
    assert history.key not in keys_in(store)


def test_nothing_that_a_run_has_made_is_taken_from_it(store: Store) -> None:
    with store.in_use():
        artifact = store.get_or_compute("fit", (), lambda: one(1))
        pruning = run_json(store, "prune", "--stage", "fit", "--delete")
        assert pruning["files"] == []
        assert "still using the store" in pruning["kept"][0]["reason"]
        assert keys_in(store) == keys(artifact)
    assert [entry.name for entry in store.files.entries()] == [file_name(artifact.key)]
    run_json(store, "prune", "--stage", "fit", "--delete")
    assert keys_in(store) == set()


def test_what_is_older_than_the_run_can_go(local: Store) -> None:
    artifact = local.get_or_compute("fit", (), lambda: one(1))
    os.utime(path_of(local, artifact), (time.time() - DAY,) * 2)
    with local.in_use():
        run_json(local, "prune", "--stage", "fit", "--delete")
    assert keys_in(local) == set()


def test_the_lease_of_a_killed_run_runs_out(local: Store) -> None:
    made = []

    def run_for_long() -> None:
        with local.in_use():
            time.sleep(600)

    def see_it() -> None:
        while not [entry for entry in local.files.entries() if entry.size]:
            time.sleep(0.005)
        made.append(local.get_or_compute("fit", (), lambda: one(1)))
        assert prune(local, stages=["fit"], delete=True) == []

    in_fork(run_for_long, see_it)
    assert prune(local, stages=["fit"], delete=True) == []
    later = time.time() + store_leases.LEASE_SECONDS + 60
    gone = prune(local, stages=["fit"], delete=True, now=later)
    assert [removal.reason for removal in gone] == ["lease of a run that was stopped", "stage fit"]
    assert list(local.files.entries()) == []
    assert not path_of(local, made[0]).exists()


def test_a_lease_is_written_anew_while_the_run_lives(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_leases, "REFRESH_SECONDS", 0.02)
    seen = set()
    with store.in_use():
        for _ in range(500):
            for entry in store.files.entries(store_leases.RUNNING):
                seen.add(bytes(store.files.read(entry.name) or b""))
            if len(seen - {b""}) > 2:
                break
            time.sleep(0.02)
    written = [json.loads(text) for text in seen if text]
    assert len({noted["refreshed"] for noted in written}) > 1
    assert len({noted["started"] for noted in written}) == 1


@pytest.mark.parametrize("text", ["", "{", '{"started": "?"}', "[]"])
def test_a_lease_that_says_nothing_keeps_everything(store: Store, text: str) -> None:
    chain = chain_in(store)
    store.files.note(f"{store_leases.RUNNING}/0123", text)
    assert prune(store, stages=["fit", "graph"], delete=True) == []
    assert keys_in(store) == keys(*chain.values())


def test_temporaries_without_a_time_go_only_when_they_are_old_for_sure() -> None:
    store = Store(f"memory://{uuid.uuid4().hex}/store")
    moment = time.time()
    young, old = (f"fit/.tmp-{moment - age:.0f}-{'0' * 32}" for age in (3 * 3600, 3 * DAY))
    for name in (young, old, "fit/.tmp-0123"):
        store.files.note(name, "half an artif")
    plan = plan_pruning(store)
    assert [removal.name for removal in plan.removals] == [old]
    assert [(k.name, k.reason) for k in plan.kept] == [
        ("fit/.tmp-0123", "temporary file of unknown age")
    ]
    with store.in_use():
        begun_in_the_run = plan_pruning(store, now=moment + 60)
    assert [removal.name for removal in begun_in_the_run.removals] == [old]


def test_age_without_a_time_of_the_file_is_that_of_the_record() -> None:
    store = Store(f"memory://{uuid.uuid4().hex}/store")
    artifact = store.get_or_compute("fit", (), lambda: one(1))
    assert list_artifacts(store)[0].modified is None
    assert prune(store, older_than_days=1) == []
    gone = prune(store, older_than_days=1, now=time.time() + 3 * DAY, delete=True)
    assert [removal.name for removal in gone] == [file_name(artifact.key)]


def test_a_store_that_cannot_be_listed_is_no_empty_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for command in ("ls", "verify", "prune"):
        result = run(Store(tmp_path / "file"), command)
        assert result.exit_code == 1
        assert "cannot list it" in result.stderr


def test_files_of_others_are_left_alone(local: Store) -> None:
    artifact = local.get_or_compute("fit", (), lambda: one(1))
    backup = Path(local.url) / "backup" / f"{artifact.key}.parquet"
    backup.parent.mkdir()
    backup.write_bytes(b"not ours")
    assert dict(verify(local)) == {artifact.key: None}
    assert prune(local, delete=True) == []
    assert backup.exists()
