"""Methods of packages that the project knows nothing of, from the command line to the report."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from flgc.datasets.splits import N_FOLDS
from tests.flgc.methods.packages import install
from tests.tasks import hostile_methods

pytest.importorskip("prefect")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SOURCE = '''
import numpy as np
from sklearn.cluster import KMeans
from sklearn.neighbors import KNeighborsClassifier

from flgc.methods.base import Method, Outputs, settings_of
from flgc.methods.estimators import Estimator

near = Estimator("kNN", KNeighborsClassifier, n_neighbors=(1, 3))
means = Estimator("k-means", KMeans, n_init=(2,))


class Centroids(Method):
    """The nearest class mean, drawn towards the mean of all; its features may be propagated."""

    name = "centroids"
    axes = {"shrink": (0.0, 0.5), "walk": (0, 2)}

    def outputs(self, problem, grid):
        for setting in settings_of(grid):
            H = problem.propagated("min-max", setting["walk"], 0.1)
            found = []
            for run, asked in enumerate(problem.asked):
                nodes = problem.labelled(run)
                H_run, codes = H[nodes], problem.labels[run][nodes]
                known = np.unique(codes)
                means = np.stack([H_run[codes == code].mean(axis=0) for code in known])
                means = (1 - setting["shrink"]) * means + setting["shrink"] * H_run.mean(axis=0)
                distances = ((H[asked][:, None, :] - means) ** 2).sum(axis=2)
                found.append(known[distances.argmin(axis=1)])
            yield setting, Outputs(found)


class Peeking(Method):
    """Says what it finds where the labels of the asked nodes would be."""

    name = "peeking"

    def outputs(self, problem, grid):
        labels = [of_run[asked] for of_run, asked in zip(problem.labels, problem.asked)]
        assert all((codes == -1).all() for codes in labels), "labels are to be seen"
        yield {}, Outputs(labels)
'''
ENTRIES = {
    "my kNN": "theirs:near",
    "my k-means": "theirs:means",
    "centroids": "theirs:Centroids",
    "peeking": "theirs:Peeking",
}


def flgc(folder: Path, *arguments: str, program: str = "from flgc.cli import app; app()") -> str:
    """What a person sees who types `flgc ...` where this folder is on the path; both streams."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")},
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PREFECT_HOME": str(folder / "prefect"),
        "FLGC_REPORTS": str(folder / "reports"),
        "FLGC_STORE": str(folder / "store"),
        "COLUMNS": "200",
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        cwd=folder,
        text=True,
        capture_output=True,
        timeout=600,
    )
    return f"{done.stdout}\n{done.stderr}\nended with {done.returncode}"


def files(folder: Path) -> tuple[str, pd.DataFrame, pd.DataFrame]:
    """The report, its table of accuracies and its table of Wilcoxon tests."""
    [at] = (folder / "reports").glob("tiny-*")
    tables = (pd.read_csv(at / f"uci-tiny{name}.csv") for name in ("", "-wilcoxon"))
    return (at / "report.md").read_text(), *tables  # type: ignore[return-value]


def accuracies(table: pd.DataFrame) -> dict[str, float]:
    """The mean over iris and wine of each `<method> <protocol>` that has a value."""
    found = {}
    for row in table.to_dict("records"):
        for protocol in ("paper", "honest"):
            texts = [str(row[f"{dataset} {protocol}"]) for dataset in ("iris", "wine")]
            if all("±" in text for text in texts):
                values = [float(text.partition(" ")[0]) / 100 for text in texts]
                found[f"{row['method']} {protocol}"] = sum(values) / 2
    return found


def picked(report: str, method: str) -> pd.DataFrame:
    """The rows of the uci table's settings that are of a method."""
    section = report.partition("## Three regular tables")[2].partition("### Settings picked")[2]
    section = section.partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if "|" in line]
    end = next((i for i, line in enumerate(lines) if line[0] == "method"), len(lines))
    rows = [dict(zip(lines[0], line, strict=False)) for line in lines[2:end]]
    return pd.DataFrame([row for row in rows if row["method"] == method])


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run where a package is installed, beside one that is broken; nobody names either."""
    folder = tmp_path_factory.mktemp("installed")
    install(folder, "theirs", SOURCE, ENTRIES)
    install(folder, "broken", "import nowhere_at_all", {"thing": "broken:Thing"})
    return folder, flgc(folder, "reproduce", "--suite", "tiny", "-d", "iris", "-d", "wine")


def test_methods_of_an_installed_package_join_the_tables(installed: tuple[Path, str]) -> None:
    folder, said = installed
    assert said.endswith("ended with 0"), said
    report, table, compared = files(folder)
    assert set(table["method"]) >= {"FLGC*", "my kNN", "centroids", "peeking"}
    values = accuracies(table)
    for protocol in ("paper", "honest"):
        assert values[f"my kNN {protocol}"] > 0.8
        assert values[f"centroids {protocol}"] > 0.8
    assert "Methods from elsewhere: my kNN (theirs 1.0), centroids (theirs 1.0)" in report
    assert "Methods from elsewhere: my k-means (theirs 1.0)" in report
    pairs = set(zip(compared["control"], compared["rival"], strict=True))
    assert {("FLGC*", "my kNN"), ("FLGC*", "centroids"), ("centroids", "FLGC*")} <= pairs


def test_the_report_names_settings_by_the_methods_own_axes(installed: tuple[Path, str]) -> None:
    report, *_ = files(installed[0])
    mine = picked(report, "centroids")
    assert set(mine["shrink"]) <= {"0", "0.5"}
    assert set(mine["walk"]) <= {"0", "2"}
    assert (mine["hops"] == "").all()
    assert set(picked(report, "my kNN")["n_neighbors"]) <= {"1", "3"}
    tried = report.partition("## Three regular tables")[2].partition("### Settings tried")[2]
    folds = f"hits in {N_FOLDS} folds of the labelled nodes"
    assert f"| centroids | honest | 4 | {folds} |" in tried
    assert "| my kNN | paper | 2 | test nodes |" in tried


def test_a_method_that_looks_for_test_labels_finds_none(installed: tuple[Path, str]) -> None:
    """Anywhere in the pipeline, folds and both protocols included."""
    values = accuracies(files(installed[0])[1])
    assert values["peeking paper"] == values["peeking honest"] == 0


def test_a_broken_package_is_named_and_left_out(installed: tuple[Path, str]) -> None:
    folder, said = installed
    line = "flgc reproduce: left out of broken 1.0: method 'thing' (broken:Thing of broken 1.0)"
    assert said.count(f"{line} cannot be used: No module named 'nowhere_at_all'") == 1
    assert "LeftOut" not in said
    asked = flgc(folder, "reproduce", "--suite", "tiny", "--method", "thing")
    assert asked.endswith("ended with 2")
    assert "(broken:Thing of broken 1.0) cannot be used" in asked


def test_methods_without_entry_points_are_named(tmp_path: Path) -> None:
    install(tmp_path, "loose", SOURCE)
    chosen = ("loose:near", "loose:Centroids", "sklearn.naive_bayes:GaussianNB", "FLGC*")
    options = [text for name in chosen for text in ("--method", name)]
    said = flgc(tmp_path, "reproduce", "--suite", "tiny", "-d", "iris", "-d", "wine", *options)
    assert said.endswith("ended with 0"), said
    report, table, compared = files(tmp_path)
    assert {name for name in accuracies(table) if name.endswith(" honest")} == {
        f"{name} honest" for name in chosen
    }
    assert f"Methods from elsewhere: {', '.join(chosen[:3])}." in report
    assert set(picked(report, "loose:Centroids")["walk"]) <= {"0", "2"}
    assert set(chosen) == set(compared["control"])


def test_a_method_that_ends_its_process_ends_no_run(tmp_path: Path) -> None:
    install(tmp_path, "loose", Path(hostile_methods.__file__).read_text())
    kinds = ("Exits", "ExitsAtOnce", "Interrupts", "Wide", "Unknown")
    options = [text for kind in kinds for text in ("--method", f"loose:{kind}")]
    said = flgc(tmp_path, "reproduce", "--suite", "tiny", "-d", "iris", "-m", "FLGC", *options)
    assert said.endswith("ended with 1"), said
    reasons = {kind.__name__: reason for kind, reason in hostile_methods.ERRORS.items()}
    lines = said.splitlines()
    for kind in kinds:
        [line] = [line for line in lines if f"MethodFailed: loose:{kind}: " in line]
        assert "failed (2 cells)" in line
        assert str(reasons[kind]) in line
    [file] = (tmp_path / "reports").glob("tiny-*/uci-tiny.csv")
    table = pd.read_csv(file).set_index("method")
    assert {name for name in table.index if "±" in table.loc[name, "iris honest"]} == {"FLGC"}
    assert "4 cells complete, 10 failed:" in said


KEYS = """
import json, sys
from dataclasses import replace
from tests.tasks.chain import IRIS, iris, run_cell
names = sys.argv[2:]
given = replace(IRIS, methods=tuple(names))
print(json.dumps({n: run_cell(sys.argv[1], iris(n, "honest", given))["score"].key for n in names}))
"""


def test_an_edit_of_a_package_changes_the_keys_of_its_own_scores(tmp_path: Path) -> None:
    module = install(tmp_path, "theirs", SOURCE, ENTRIES)
    names = ("FLGC*", "my kNN", "centroids", "peeking")

    def keys() -> dict[str, str]:
        said = flgc(tmp_path, str(tmp_path / "store"), *names, program=KEYS)
        return json.loads(next(line for line in said.splitlines() if line.startswith("{")))

    before = keys()
    module.write_text("# of another day\n" + SOURCE.replace("argmin(axis=1)", "argmin(1)"))
    after = keys()
    assert {name for name in names if before[name] != after[name]} == {"centroids"}
