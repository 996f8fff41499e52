"""The report: every table with the published values beside ours, as HTML, Markdown and files."""

from pathlib import Path

import pandas as pd

from flgc.datasets.fetching.atomic import write_bytes
from tasks.document.files import from_table
from tasks.document.report import write_report
from tasks.running.stage import Stage

# What was computed again took other seconds, maybe elsewhere, and is the same report.
report = Stage("report", write_report, outside=("costs", "provenance"))


def export(files: pd.DataFrame, folder: Path) -> Path:
    """The report's files in a folder; gives the path of the report itself."""
    for name, content in from_table(files).items():
        write_bytes(folder / name, content.encode())
    return folder / "report.md"
