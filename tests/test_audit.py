"""`.ci/audit.py` tells findings from silence."""

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / ".ci" / "audit.py"


def findings(*packages):
    spec = importlib.util.spec_from_file_location("audit", SCRIPT)
    audit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(audit)
    return audit.findings(list(packages))


CLEAN = {"name": "numpy", "version": "2.4.6", "vulns": []}
UNKNOWN = {"name": "pandas", "skip_reason": "not found"}
HURT = {
    "name": "torch",
    "version": "2.5",
    "vulns": [{"id": "CVE-2026-24747", "fix_versions": ["2.10"], "aliases": []}],
}


def test_a_vulnerability_is_a_line_with_its_cure():
    assert findings(CLEAN, HURT) == ["torch 2.5: CVE-2026-24747, mended in 2.10"]


def test_nothing_known_is_said_and_is_no_finding():
    assert findings(CLEAN, UNKNOWN) == []
    assert "knows none" in findings(UNKNOWN)
