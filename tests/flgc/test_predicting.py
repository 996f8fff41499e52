"""`flgc predict`: from a file with holes in its labels to a file with predictions."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from flgc.cli import app
from flgc.datasets import from_table
from flgc.predicting import predictions
from tests.flgc.processes import naming, python

CALL = "from flgc.cli import app; app(sys.argv[1:])"


def predict(*arguments):
    return CliRunner().invoke(app, ["predict", *map(str, arguments)])


def read(path):
    return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)


@pytest.fixture
def people(tmp_path):
    """Two kinds that their height tells apart; every third has no label."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["tall", "small"], 30)
    height = np.where(kind == "tall", 190, 150) + rng.normal(0, 4, 60)
    who, pace = [f"p{i}" for i in range(60)], -height + rng.normal(0, 4, 60)
    frame = pd.DataFrame({"who": who, "height": height, "pace": pace, "kind": kind})
    frame = frame.sample(frac=1, random_state=0, ignore_index=True)
    truth = frame["kind"].copy()
    frame.loc[::3, "kind"] = None
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    return path, truth, frame


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("combine", ["average", "best"])
def test_rows_without_a_label_get_one_with_probabilities(people, tmp_path, ending, combine):
    path, truth, frame = people
    out = tmp_path / f"found.{ending}"
    result = predict(path, "--label", "kind", "--id", "who", "--out", out, "--combine", combine)
    assert result.exit_code == 0, result.output
    found = read(out)
    assert list(found) == ["row", "who", "predicted", "p_small", "p_tall"]
    assert found["row"].tolist() == list(range(0, 60, 3))
    assert found["who"].tolist() == frame["who"][::3].tolist()
    assert (found["predicted"] == truth[::3].to_numpy()).mean() > 0.9
    shares = found[["p_small", "p_tall"]]
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares.idxmax(axis=1) == "p_" + found["predicted"]).all()
    assert "40 rows labelled, 20 predicted" in result.output
    assert "leave-one-out accuracy" in result.output
    assert "poor fit" not in result.output


def test_all_rows_have_the_given_label_beside(people, tmp_path):
    path, _, frame = people
    result = predict(path, "--out", tmp_path / "all.csv", "--all", "--json")
    assert result.exit_code == 0, result.output
    about = json.loads(result.stdout)
    assert (about["labelled"], about["predicted"], about["combine"]) == (40, 60, "average")
    assert 0.9 < about["loo_accuracy"] <= 1
    found = pd.read_csv(tmp_path / "all.csv")
    assert found["label"].isna().equals(frame["kind"].isna())
    assert found["label"].dropna().tolist() == frame["kind"].dropna().tolist()


def test_what_was_there_is_replaced_only_if_asked_to(people, tmp_path):
    path, out = people[0], tmp_path / "found.csv"
    out.write_text("precious")
    refused = predict(path, "--out", out)
    assert (refused.exit_code, out.read_text()) == (2, "precious")
    assert "--force" in refused.output
    assert predict(path, "--out", out, "--force").exit_code == 0
    assert out.read_text().startswith("row,predicted")


def test_a_graph_is_seen(tmp_path):
    """Features say nothing here: only neighbours tell the two groups apart."""
    rng = np.random.default_rng(0)
    ids = [f"n{i}" for i in range(40)]
    ring = [(i, (i + step) % 20) for step in (1, 2, 3) for i in range(20)]
    edges = [(a + half, b + half) for half in (0, 20) for a, b in ring]
    pd.DataFrame([(ids[a], ids[b]) for a, b in edges], columns=["s", "t"]).to_csv(
        tmp_path / "edges.csv", index=False
    )
    group = np.repeat(["left", "right"], 20).astype(object)
    group[np.arange(40) % 4 != 0] = None
    nodes = pd.DataFrame({"id": ids, "y": group})
    for i in range(40):
        nodes[f"f{i}"] = np.eye(40)[i] + rng.normal(0, 0.01, 40)
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    out = tmp_path / "found.csv"
    options = ["--edges", tmp_path / "edges.csv", "--node", "id", "--label", "y", "--out", out]
    result = predict(tmp_path / "nodes.csv", *options)
    assert result.exit_code == 0, result.output
    found = pd.read_csv(out)
    truth = np.repeat(["left", "right"], 20)[found["row"]]
    assert (found["predicted"] == truth).all()
    assert found["id"].tolist() == [ids[row] for row in found["row"]]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,y\n1,u\n2,v\n4,u\n9,v\n", [], "predict every row with --all"),
        ("a,y\n1,u\n2,\n4,u\n", [], "one class only ('u')"),
        ("a,y\n1,u\n2,v\n4,\n", [], "2 classes in 3 rows"),
        ("a,y\n1,u\n2,v\n4,\n9,\n", ["--label", "z"], "no column 'z'; it has a, y"),
        ("", [], "it is empty"),
        ("a,y\n1,u\n2,v\n4,\n9,\n", ["--combine", "worst"], "combine"),
        ("a,predicted,y\n1,p,u\n2,q,v\n4,r,\n9,s,\n", ["--id", "predicted"], "column of that name"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(tmp_path, text, options, message):
    (tmp_path / "t.csv").write_text(text)
    result = predict(tmp_path / "t.csv", "--out", tmp_path / "o.csv", *options)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert message in result.output
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize("out", ["found.txt", "found", "."])
def test_files_that_cannot_be_written_are_refused_before_any_work(people, tmp_path, out):
    result = predict(people[0], "--out", tmp_path / out)
    assert result.exit_code == 2, result.output


def test_one_label_of_a_class_is_told_by_its_name():
    frame = pd.DataFrame({"x": np.arange(20.0) ** 2, "y": [*["u"] * 5, "v", *[None] * 14]})
    found = predictions(from_table(frame))
    assert any("['v']" in text for text in found.warnings)


def test_it_needs_neither_torch_nor_prefect(people, tmp_path):
    code = naming("torch", "prefect", "tasks", "flows") + CALL
    done = python(code, "predict", people[0], "--out", tmp_path / "found.csv")
    assert (done.returncode, done.stderr.strip()) == (0, "")


def test_a_missing_file_is_told_before_heavy_imports(tmp_path):
    code = naming("sklearn", "scipy", "pandas", "torch") + CALL
    done = python(code, "predict", tmp_path / "nosuch.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == ""
    assert "nosuch.csv does not exist" in " ".join(done.stderr.split())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_texts_that_a_spreadsheet_would_run_are_told_and_kept(people, tmp_path, ending):
    path, _, frame = people
    who = ["=1+1", "-1.5", "@x", "+3", "a=b", "-1-2", "-2", *frame["who"][7:]]
    frame.assign(who=who).to_csv(path, index=False)
    out = tmp_path / f"found.{ending}"
    result = predict(path, "--label", "kind", "--id", "who", "--out", out, "--all")
    assert result.exit_code == 0, result.output
    found = read(out)
    assert found["who"][:7].tolist() == who[:7], "as they were, so that rows are found"
    told = "3 texts begin with =, +, - or @, as '=1+1'" in result.stderr
    assert told == (ending == "csv")


def test_a_poor_fit_is_told_with_what_to_try():
    """Nine classes on a line: no linear model can tell those in the middle apart."""
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(9), 10)
    frame = pd.DataFrame({"x": kind + rng.normal(0, 0.1, 90), "y": [f"k{i}" for i in kind]})
    frame.loc[::10, "y"] = None
    found = predictions(from_table(frame))
    about = found.about
    assert about["majority"] == 1 / 9
    assert about["nearest_neighbours"] > 0.9
    assert about["loo_accuracy"] < 0.8
    [text] = [text for text in found.warnings if "poor fit" in text]
    assert f"{100 * about['nearest_neighbours']:.1f} %" in text
    assert "(11.1 % by the largest class alone)" in found.summary
