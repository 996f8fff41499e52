"""`flgc robustness`, from the command line to its table."""

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import add, from_table
from tasks.declared import robustness as declared
from tasks.declared.paper import closed_form
from tests.flows.conftest import Command
from tests.tasks.report.made import EMPTY

pytest.importorskip("prefect")

BROKEN = """
from flgc.methods.base import Method

class Broken(Method):
    name = "broken"
    task = "clustering"

    def outputs(self, problem, grid):
        raise RuntimeError("out of order")
"""


@pytest.fixture(autouse=True)
def _small_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    for task, regularization in {"clustering": 100.0, "classification": 0.01}.items():
        small = closed_form((2,), (0.0, 0.2), (regularization,))
        like = dataclasses.replace(declared.LIKE[task], grids=small)
        monkeypatch.setitem(declared.LIKE, task, like)


def test_without_options_the_plan_is_the_papers_eight_noises_in_both_patterns() -> None:
    from flows.robustness_of import UnderNoise, plan_under_noise

    plan = plan_under_noise(UnderNoise("DIGITS"))
    [experiment] = plan.experiments
    assert experiment.datasets == ("digits",)
    assert (len(experiment.noises), len(experiment.subjects)) == (16, 48)
    assert plan.protocols == ("paper", "honest")
    cell = "--pattern {noise_pattern} --method {method} --protocol {protocol}"
    assert plan.command == f"flgc robustness {{dataset}} --seeds 3 --noise {{noise}} {cell}"
    assert {noise.pattern for noise in experiment.noises[:8]} == {"shared"}
    chosen = plan_under_noise(UnderNoise("iris", noises=["gaussian:0.1", "gaussian:.1"], seeds=1))
    assert len(chosen.experiments[0].subjects) == 2, "the same noise once"


def test_a_row_of_json_is_over_the_seeds_of_a_cell() -> None:
    from flows.cli.robustness import summarize

    cell = {**EMPTY, "dataset": "iris", "noise": "gaussian", "metric": "ACC"}
    seeds = [
        cell | {"run": run, "value": value, "changed_share": share}
        for run, value, share in ((0, 0.5, 0.1), (1, 0.9, 0.3))
    ]
    [found] = summarize(pd.DataFrame(seeds))
    assert (found["mean"], found["std"], found["seeds"]) == pytest.approx((0.7, 0.2, 2))
    assert found["changed_share"] == pytest.approx(0.2)


@pytest.mark.slow
def test_digits_are_clustered_under_noise(
    prefect_server: str, command: Command, tmp_path: Path
) -> None:
    chosen = ["digits", "-m", "FLGC*", "--noise", "salt_pepper:0.2", "--seeds", "1"]
    result = command("robustness", *chosen)
    assert result.exit_code == 0, result.output
    shown = [line for line in result.stdout.splitlines() if line.startswith("digits  ")]
    lines = [re.split(r"\s{2,}", line) for line in shown]
    rows = {(line[2], line[4]): line for line in lines}
    assert set(rows) == {(p, m) for p in ("shared", "independent") for m in ("ACC", "NMI")}
    shared, independent = (float(rows[p, "ACC"][5]) for p in ("shared", "independent"))
    assert shared > independent, "standardised, what is the same in all images does little"
    report = (tmp_path / "reports" / "digits-robustness" / "report.md").read_text()
    assert "its robustness **rests on the shared pattern**" in report
    assert "robustness-digits: " in result.stderr
    again = command("robustness", *chosen, "--json")
    assert again.exit_code == 0, again.output
    found = pd.DataFrame(json.loads(again.stdout))
    assert len(found) == 8, "two patterns, protocols and metrics"
    at = found[(found["noise_pattern"] == "shared") & (found["metric"] == "ACC")]
    assert at[at["protocol"] == "paper"]["mean"].item() == pytest.approx(shared, abs=5e-4)
    assert found["changed_share"].between(0.1, 0.2).all()


@pytest.mark.slow
def test_a_table_of_ones_own_is_classified_under_noise(
    prefect_server: str, command: Command
) -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 20)
    features = 100 * rng.normal(size=(60, 5)) + 300 * labels[:, None]
    add(from_table(pd.DataFrame(features, columns=[*"abcde"]).assign(kind=labels)), "My_set")
    result = command(
        *("robustness", "My_set", "--task", "classification", "--split", "3-per-class", "--json"),
        *("-m", "FLGC*", "-m", "sklearn.neighbors:KNeighborsClassifier"),
        *("--noise", "gaussian:0", "--noise", "gaussian:0.5", "--seeds", "2"),
        *("--pattern", "independent", "--protocol", "honest"),
    )
    assert result.exit_code == 0, result.output
    found = pd.DataFrame(json.loads(result.stdout))
    assert len(found) == 4
    assert set(found["seeds"]) == {2}
    assert set(found["metric"]) == {"accuracy"}
    means = found[found["method"] == "FLGC*"].set_index("intensity")["mean"]
    assert means[0.0] > means[0.5] + 0.1
    assert set(found[found["intensity"] == 0]["changed_share"]) == {0.0}


@pytest.mark.slow
def test_a_method_that_breaks_ends_with_1_and_says_why(
    prefect_server: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_method.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(tmp_path)
    result = command(
        *("robustness", "iris", "-m", "FLGC*", "-m", "broken_method:Broken"),
        *("--noise", "gaussian:0.1", "--seeds", "1", "--pattern", "shared", "--json"),
    )
    assert result.exit_code == 1, result.output
    assert "out of order" in result.stderr
    assert {row["method"] for row in json.loads(result.stdout)} == {"FLGC*"}
