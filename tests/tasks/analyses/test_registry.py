"""Whoever writes an analysis enters it nowhere, and it can be asked for."""

import os
import subprocess
import sys
from pathlib import Path

from tasks.analyses.registry import ANALYSES, analyses_of
from tests.tasks.report.made import DECLARED

ORDER = "from tasks.analyses.registry import ANALYSES; print(*ANALYSES)"


def test_all_have_a_name_and_an_order_whatever_was_imported_first() -> None:
    paths = os.pathsep.join([str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")])
    run = [sys.executable, "-c", f"import tasks.analyses.noise; {ORDER}"]
    found = subprocess.run(
        run, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == list(ANALYSES)
    assert "Curve" not in ANALYSES, "it is what others have in common"
    assert all(kind.kind for kind in ANALYSES.values())


def test_the_table_stands_first_then_what_noise_costs() -> None:
    assert list(analyses_of(DECLARED["robustness-tiny"])) == ["cells", "noise", "samples"]
    bars = analyses_of(DECLARED["clustering-tiny"])
    assert [type(each).__name__ for each in bars.values()][:2] == ["Bars", "Along"]
