"""Copy the tables of a report into the docs and the README: after a run of the whole paper.

    python docs/take_fragments.py artifacts/report/paper

Say in docs/findings.md which version was run.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FRAGMENTS, PICTURE = ROOT / "docs" / "fragments", ROOT / "docs" / "images" / "result.svg"
SUMMARY = re.compile(r"(?<=<!--summary-->\n\n).*?(?=\n<!--/summary-->)", re.DOTALL)


def with_summary(page: str) -> str:
    """The README with the summary of docs/fragments between its marks."""
    return SUMMARY.sub(lambda _: (FRAGMENTS / "summary.md").read_text(), page)


if __name__ == "__main__":
    report = Path(sys.argv[1])
    shutil.copytree(report / "fragments", FRAGMENTS, dirs_exist_ok=True)
    shutil.copy(report / "result.svg", PICTURE)
    readme = ROOT / "README.md"
    readme.write_text(with_summary(readme.read_text()))
