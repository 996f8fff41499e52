import re
import time
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from flows.parameters import Selection, Suite
from flows.plan import FLOWS, plan_of
from flows.tables import cost

MINE = """
name = "my-suite"
[[experiment]]
name = "my-table"
task = "classification"
datasets = ["iris", "wine"]
methods = ["FLGC*"]
split = "10%"
"""


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"suite": "huge"}, "unknown suite 'huge'; choose from paper, tiny"),
        (
            {"datasets": ["Cora"]},
            "unknown dataset 'Cora'.*KarateClub, iris, wine, wdbc, .*digits",
        ),
        ({"datasets": ["irsi"]}, r"'irsi' in .*; did you mean 'iris'\? choose from "),
        ({"methods": ["GNC"]}, "unknown method 'GNC'; did you mean 'SGC' or 'GCN'"),
        ({"protocols": ["best"]}, "unknown protocol 'best'; choose from paper, honest"),
        ({"runs": -1}, "runs=-1 is not possible"),
        ({"device": "tpu"}, "device='tpu' is not known: choose 'auto', 'cpu', 'cuda'"),
    ],
)
def test_wrong_parameters_name_the_choices(wrong: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan_of(FLOWS, Selection(**{"suite": "tiny", **wrong}))


def test_a_plan_is_narrowed_to_what_was_asked_for() -> None:
    plan = plan_of(FLOWS, Selection("tiny", datasets=["IRIS"], methods=["FLGC"], runs=7))
    assert {e.name: (e.datasets, e.methods, e.runs) for e in plan.experiments} == {
        "uci-tiny": (("iris",), ("FLGC",), 7),
        "clustering-tiny": (("iris",), ("FLGC",), 7),
    }
    assert [e.name for e in plan.of("uci").experiments] == ["uci-tiny"]
    assert plan.protocols == ("paper", "honest")
    assert plan_of(FLOWS, Selection("tiny", protocols=["honest"])).protocols == ("honest",)


def test_a_public_split_is_one_split_for_all_runs() -> None:
    public, random, full = plan_of(["citation"], Selection("paper", runs=5)).experiments
    assert {(e.split, e.runs, e.n_splits) for e in (public, random, full)} == {
        ("public", 5, 1),
        ("random", 5, 5),
        ("full", 5, 1),
    }


def test_installed_methods_join_the_tables_of_their_task(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = {"classification": ["kNN"], "clustering": []}
    monkeypatch.setattr("flows.plan.installed", brought.__getitem__)
    for experiment in plan_of(FLOWS, Selection("tiny")).experiments:
        assert ("kNN" in experiment.methods) == (experiment.task == "classification")


def test_a_method_from_outside_joins_the_tables_of_its_task_alone() -> None:
    plan = plan_of(FLOWS, Selection("tiny", methods=["sklearn.cluster:KMeans"]))
    assert {(e.task, e.methods) for e in plan.experiments} == {
        ("clustering", ("sklearn.cluster:KMeans",))
    }


def test_quick_is_ten_runs_at_most_and_one_seed_of_each_noise() -> None:
    whole = {e.name: e for e in plan_of(FLOWS, Selection("paper")).experiments}
    plan = plan_of(FLOWS, Selection("paper", quick=True))
    assert plan.report == "paper-quick", "a report of its own"
    for experiment in plan.experiments:
        assert experiment.runs == min(10, whole[experiment.name].runs)
        assert {noise.runs for noise in experiment.noises} <= {1}
        runs = [each.runs for each in experiment.analyses if hasattr(each, "runs")]
        assert max(runs, default=0) <= 10
    assert {e.runs for e in plan.experiments} > {10, 2}, "fewer runs stay as few"
    assert plan_of(FLOWS, Selection("paper", quick=True, runs=3)).experiments[0].runs == 3


@pytest.mark.parametrize(
    ("chosen", "options"),
    [
        ({"suite": "tiny"}, "--suite tiny"),
        ({"suite": "tiny", "runs": 3}, "--suite tiny --runs 3"),
        ({"suite": "paper", "quick": True}, "--suite paper --quick"),
        ({"suite": "mine.toml"}, "--suite mine.toml"),
    ],
)
def test_reports_tell_what_computes_a_cell_again(
    chosen: dict, options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    cell = "--dataset {dataset} --method {method} --protocol {protocol}"
    assert plan_of(FLOWS, Selection(**chosen)).command == f"flgc reproduce {options} {cell}"


def test_a_suite_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    plan = plan_of(FLOWS, Selection(str(path), datasets=["wine"]))
    assert (plan.suite, [e.datasets for e in plan.experiments]) == ("my-suite", [("wine",)])
    parameters = TypeAdapter(Suite)
    assert parameters.validate_python(str(path)) == str(path)
    with pytest.raises(ValidationError):
        parameters.validate_python("huge")


def test_work_in_other_processes_is_not_counted_as_orchestration() -> None:
    assert "orchestration" in cost(time.perf_counter() - 1)
    assert re.fullmatch(r"[\d.]+ s on dask", cost(time.perf_counter() - 1, "dask"))
