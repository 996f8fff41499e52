"""Known vulnerabilities of the pinned packages; says so and ends well where nobody can tell.

`pip-audit` marks a package that its source of advisories does not know as skipped, and fails when
the source cannot be reached at all. A machine behind a mirror of the package index has the first.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PINS = Path(__file__).parents[1] / "constraints.txt"
PATIENCE = 300.0


def main() -> int:
    """0 without findings or without a source, 1 with findings."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--format=json"]
    command += ["--progress-spinner=off", "--requirement", str(PINS)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        found = findings(json.loads(done.stdout)["dependencies"])
    except subprocess.TimeoutExpired:
        found = f"no answer within {PATIENCE:.0f} s"
    except ValueError:
        found = done.stderr.strip().rpartition("\n")[2]
    if isinstance(found, str):
        print(f"audit skipped: {found}")
        return 0
    print(*found, f"audit: {len(found)} known vulnerabilities", sep="\n")
    return 1 if found else 0


def findings(packages: list[dict[str, Any]]) -> list[str] | str:
    """A line for each vulnerability, or why there can be none."""
    known = [package for package in packages if "vulns" in package]
    if not known:
        return "the source of advisories knows none of the packages"
    return [
        f"{package['name']} {package['version']}: {vulnerability['id']}, mended in "
        f"{', '.join(vulnerability['fix_versions']) or 'no version yet'}"
        for package in known
        for vulnerability in package["vulns"]
    ]


if __name__ == "__main__":
    sys.exit(main())
