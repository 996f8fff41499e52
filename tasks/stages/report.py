"""The report: every table with the published values beside ours, as HTML, Markdown and files."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from flgc.datasets.fetching.atomic import write_bytes
from tasks.report.evidence import Declaration
from tasks.report.files import from_table
from tasks.report.report import whole_report, write_report
from tasks.running.stage import Stage, read

# Lists the files of the report in a folder.
WRITTEN = ".files.json"


def classes(store: str, tables: Sequence[Declaration], **given: Any) -> list[type]:
    """The code of the analyses that the report walks over."""
    return [type(each) for table in tables for each in table.analyses.values()]


# A report that is computed again is the same, though it took other seconds, perhaps elsewhere.
report = Stage("report", whole_report, outside=("costs", "provenance"), code=classes)


def report_now(store: str, **given: Any) -> pd.DataFrame:
    """The report without the parts that cannot be made, computed here and not stored."""
    return write_report(**read(store, given))


def export(files: pd.DataFrame, folder: Path) -> Path:
    """Write the report's files into a folder; returns the path of the report itself.

    Files of an earlier report there are removed, and no others: a list of them is kept there.
    """
    written, listed = from_table(files), folder / WRITTEN
    earlier = json.loads(listed.read_text()) if listed.exists() else []
    for name, content in written.items():
        write_bytes(folder / name, content.encode())
    for name in set(earlier) - set(written):
        (folder / name).unlink(missing_ok=True)
    write_bytes(listed, json.dumps(sorted(written)).encode())
    return folder / "report.md"
