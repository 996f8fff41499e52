"""Which edits of a checkout recompute what, through the whole DAG. Each edit is a real one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("prefect")
pytest.importorskip("torch")

from tests.tasks.edits import REPOSITORY

pytestmark = pytest.mark.slow

METHODS = ["GCN", "SGC", "FLGC", "FLGC*", "FLGC* averaged"]
ONE_LESS = ('("iris", "wine", "wdbc")', '("wine", "iris")')
REPORT = ": report tiny"


def edit(path: str, old: str, new: str) -> list[dict[str, str]]:
    return [{"path": path, "old": old, "new": new}]


PROGRESS = {
    "progress in the UI": edit(
        "tasks/running/progress.py", "EVERY_SECONDS = 2.0", "EVERY_SECONDS = 3.0"
    ),
    "who listens to progress": edit("flgc/progress.py", "report(total, total)", "report(1, 1)"),
    "progress of a download": edit(
        "flgc/datasets/fetching/progress.py", "transient=True", "transient=False"
    ),
    "progress of a flow": edit(
        "flows/execute.py", "StepEnded(self.experiment, step.name,", "StepEnded('', step.name,"
    ),
}
DOCSTRINGS = [
    *edit("flgc/ridge.py", '"""Targets Y of shape', '"""Y, the targets, of shape'),
    *edit("flgc/methods/flgc.py", '"""All settings of a view', '"""Each setting of a view'),
    *edit("flgc/datasets/dataset.py", '"""sha256 of all that', '"""The sha256 of all that'),
    *edit("tasks/store/layouts.py", '"""Rows as they were written', '"""As they were'),
    *edit("tasks/report/report.py", '"""The text of one table', '"""A table in words'),
    *edit("flgc/methods/scoring.py", '"""Scores of every', '"""The scores of every'),
]
EXPECTED = {
    "nothing": [],
    "a sentence of the report": [REPORT],
    "the style of the report": [REPORT],
    **{name: [] for name in PROGRESS},
    "a published value": ["uci-tiny: compare uci-tiny", REPORT],
    "a published value that no table shows": [],
    "a remark": [REPORT],
    "docstrings": [],
    "a further point of a curve": [
        "uci-tiny: splits iris for labels",
        "uci-tiny: vary iris FLGC for labels",  # FLGC* has the same setting, so the same curve
        REPORT,
    ],
    "a sentence below a curve": [REPORT],
    "a further method": [REPORT],  # it knows which methods the paper's tables should have
    "a further dataset": [],
    "a rival's file": [
        "citation-tiny: score KarateClub SGC",
        "citation-tiny: fit KarateClub SGC paper",
        "citation-tiny: fit KarateClub SGC honest",
        # Cells are what they were; times are new, and so is what shows them.
        "citation-tiny: time KarateClub",
        REPORT,
    ],
}
EDITS = {
    "nothing": [],
    "a sentence of the report": edit(
        "tasks/report/report.py", "Accuracies are in percent", "Accuracies are in per cent"
    ),
    "the style of the report": edit(
        "tasks/report/writers/page/page.css", "--ground: #fdfdfb", "--ground: #fffffb"
    ),
    **PROGRESS,
    "a published value": edit(
        "tasks/declared/printed/uci_accuracy.csv", "iris,TSVM,92.56", "iris,TSVM,92.57"
    ),
    "a published value that no table shows": edit(
        "tasks/declared/printed/uci_accuracy.csv", "air,TSVM,80.19", "air,TSVM,80.20"
    ),
    "a remark": edit(
        "tasks/declared/tiny.py",
        '        analyses=(\n            Sizes("uci_datasets"),\n',
        '        remarks=("wine is a remark.",),\n        analyses=(\n'
        '            Sizes("uci_datasets"),\n',
    ),
    "docstrings": DOCSTRINGS,
    "a further point of a curve": edit(
        "tasks/declared/tiny.py", "counts=(1, 3)", "counts=(1, 2, 3)"
    ),
    "a sentence below a curve": edit(
        "tasks/analyses/labels.py", "best, alone or level", "the best, alone or level"
    ),
    "a further method": edit(
        "flgc/methods/registry.py",
        '    Contender("FLGC*", _FLGC),\n',
        '    Contender("FLGC*", _FLGC),\n    Contender("further", _FLGC),\n',
    ),
    "a further dataset": edit(
        "flgc/datasets/catalogue/tables.py",
        "TABLES = (\n",
        'TABLES = (\n    Entry("further", "table", 3, 9, 4, (), (), NOT_STATED, "nowhere"),\n',
    ),
    # The last one: the content of its cells stays.
    "a rival's file": edit(
        "flgc/methods/trained/sgc.py", "weights[1][:, None]", "1 * weights[1][:, None]"
    ),
    "min-max": edit("flgc/scaling.py", "high - low, 1.0)", "high - low, 2.0)"),
    "a dataset more in a table": edit("tasks/declared/tiny.py", *reversed(ONE_LESS)),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this one, with a dataset less in a table."""
    copy = tmp_path_factory.mktemp("edited") / "checkout"
    for name in ("flgc", "tasks", "flows", "tests"):
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, copy / name, ignore=without)
    tiny = copy / "tasks" / "declared" / "tiny.py"
    tiny.write_text(tiny.read_text().replace(*ONE_LESS))
    return copy


def python(checkout: Path, *arguments: str, **options: Any) -> str:
    """What a process prints that imports the project from there."""
    # Compiled files are told from their source by seconds, and two edits may have the same.
    more = {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    more |= {"FLGC_REPORTS": str(checkout / "reports"), "PREFECT_LOGGING_LEVEL": "CRITICAL"}
    command, env = [sys.executable, *arguments], os.environ | more
    done = subprocess.run(
        command, cwd=checkout, env=env, capture_output=True, text=True, timeout=400, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_edit_recomputes_what_it_touches_and_nothing_else(
    checkout: Path, tmp_path: Path
) -> None:
    for change in (change for edits in EDITS.values() for change in edits):
        text = (checkout / change["path"]).read_text()
        assert text.count(change["old"]) == 1, f"{change} is no edit any more"
    tiny = checkout / "tasks/declared/tiny.py"  # which shows no published values by itself
    text = tiny.read_text().replace('split="10%",', 'split="10%", published="uci_accuracy",')
    tiny.write_text(text)
    lines = "".join(f"{json.dumps(edits)}\n" for edits in [[], *EDITS.values()])
    module = ("-m", "tests.flows.edited_runs")
    printed = python(checkout, *module, str(tmp_path), *METHODS, input=lines)
    cold, *after = [
        [REPORT if step.startswith(REPORT) else step for step in json.loads(line)]
        for line in printed.splitlines()
    ]
    found = dict(zip(EDITS, after, strict=True))
    assert len(cold) > 50, cold
    min_max, more = found.pop("min-max"), found.pop("a dataset more in a table")
    assert found == EXPECTED

    assert {step.split(":")[0] for step in min_max} == {"uci-tiny"}, "KarateClub is not scaled so"
    # Scores may differ in their last digits, for which there are picks: all cells are the same.
    touched = {"graph", "score", "propagate", "fit", "vary"}
    assert {step.split()[1] for step in min_max} - {"pick"} == touched
    # Two are fitted again on each of two datasets, and one averaged; the others are read off.
    assert len([step for step in min_max if " fit " in step]) == 6

    assert {step for step in more if "wdbc" not in step} == {
        "uci-tiny: describe uci-tiny",
        "uci-tiny: compare uci-tiny",
        REPORT,
    }
    assert len([step for step in more if " fit wdbc" in step]) == 5


EDITED_MEANWHILE = """
import sys
from pathlib import Path
from typing import Any
from flgc.preparing import build_graph
from tasks.running.stage import Stage
from tasks.stages.cells import dataset
from tasks.stages.cells import graph
from tasks.store import CodeChanged

store, source = sys.argv[1], Path("flgc/graph.py")
text, iris = source.read_text(), dataset(store, "iris", dataset="iris")

def somebody_edits(store, **given):
    source.write_text(text.replace("(5 * n_classes)", "(4 * n_classes)"))
    return {}

def filed():
    return sorted(path.stem for path in Path(store).glob("graph/*.parquet"))

during = Stage("graph", build_graph, extra=somebody_edits)
for stage in (during, graph):  # and who comes later in this process
    try:
        stage(store, "iris", data=iris, graph="min-max")
    except CodeChanged as error:
        assert "flgc/graph.py" in str(error), error
    else:
        sys.exit("filed what may be of either code")
    assert not filed()
source.write_text(text)
print(graph(store, "iris", data=iris, graph="min-max").key, *filed())
"""


def test_an_edit_during_a_run_files_nothing(checkout: Path, tmp_path: Path) -> None:
    first, *filed = python(checkout, "-c", EDITED_MEANWHILE, str(tmp_path)).split()
    assert filed == [first]
