"""What cannot be ends with 2 and names the choices in one message, before anything runs."""

import shlex
from pathlib import Path

import pytest

from tests.flows.conftest import Command

pytest.importorskip("prefect")

GOOD = "a,b,y\n1,2,u\n2,9,v\n4,5,u\n9,7,v\n3,3,u\n8,8,v\n"
WRONG = {
    "reproduce": {
        "--suite huge": "choose from paper, tiny",
        "--dataset irsi": "choose from KarateClub",
        "--runs -3": "runs=-3 is not possible",
        "--runner slurm": "choose from threads, dask, ray",
        "--suite nothing.toml": "suite nothing.toml cannot be read",
        "--json": "--json is for --dry-run",
        "-m nonsense": "unknown method 'nonsense'; choose from FLGC, ",
        "-m sklearn.svm:SCV": "'sklearn.svm:SCV' cannot be used: module 'sklearn.svm' has no",
        "-m sklearn.linear_model:Ridge": "Ridge is not a classifier or clusterer",
        "-m sklearn.cluster:KMeans -d KarateClub": "KMeans stands in clustering-tiny, robustness",
        "-m sklearn.cluster:KMeans -m FLGC -d KarateClub": "is in none of the tables that were",
        "-m GCN -d iris": "(GCN stands in citation-tiny)",
    },
    "evaluate": {
        "good.csv --label kind": "no column 'kind'; it has a, b, y",
        "good.csv --labelled much": "a share such as 10%",
        "good.csv --labelled 100%": "between 0 and 1",
        "good.csv --labelled 3": "leaves no row of good to test",
        "good.csv --labelled 5": "has 3 nodes, too few to label 5",
        "good.csv --labelled public": "no public split",
        "good.csv --runs 0": "runs=0 is not possible",
        "good.csv --method nobody": "unknown method 'nobody'",
        "good.csv --task regression": "choose from classification, clustering",
        "good.csv --node a": "give an edge list too",
        "": "give a file or the name of a dataset",
        "nowhere": "unknown dataset 'nowhere'",
        "nowhere.csv": "does not exist",
        "wine --label kind": "--label is for files",
        "--nodes nodes.csv": "has no --edges",
    },
    "robustness": {
        "nowhere": "nowhere",
        "Cora": "dataset 'Cora' is a graph",
        "iris --noise uniform:1": "choose from gaussian, salt_pepper",
        "iris --noise gaussian": "give one as in gaussian:0.1",
        "iris --noise gaussian:much": "give one as in gaussian:0.1",
        "iris --noise gaussian:-1": "variance=-1.0 is not possible",
        "iris --noise salt_pepper:2": "give a number in [0, 1]",
        "iris --pattern common": "choose from independent, shared",
        "iris --protocol mine": "choose from paper, honest",
        "iris --task regression": "choose from clustering, classification",
        "iris --seeds 0": "seeds=0 is not possible",
        "iris --method nobody": "unknown method 'nobody'; choose from FLGC",
        "iris --method GCN": "is for classification, not for clustering",
        "iris --split 10%": "add --task classification",
        "iris --task classification --split some": "a share such as 10%",
    },
}


@pytest.mark.usefixtures("no_flow")
@pytest.mark.parametrize(
    ("name", "arguments"), [(name, arguments) for name, each in WRONG.items() for arguments in each]
)
def test_wrong_options_end_with_2_and_name_the_choices(
    name: str, arguments: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)
    suite = ["--suite", "tiny"] if name == "reproduce" and "--suite" not in arguments else []
    result = command(name, *suite, *shlex.split(arguments))
    assert result.exit_code == 2, result.output
    assert result.output.startswith(f"flgc {name}: ")
    assert WRONG[name][arguments] in " ".join(result.output.split())


@pytest.mark.usefixtures("no_flow")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("a,y\n", "has no rows"),
        (GOOD.replace("v", "u"), "one class only ('u')"),
        ("a,y\n1,p\n2,q\n4,r\n", "3 classes in 3 rows"),
    ],
)
def test_a_table_that_cannot_be_used_ends_with_2(
    text: str, message: str, command: Command, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(text)
    result = command("evaluate", tmp_path / "t.csv")
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.output.split())
