"""The report: every table with the published values beside ours, as HTML, Markdown and files."""

import json
from pathlib import Path

import pandas as pd

from flgc.datasets.fetching.atomic import write_bytes
from tasks.document.files import from_table
from tasks.document.report import write_report
from tasks.running.stage import Stage

# Lists the files of the report in a folder.
WRITTEN = ".files.json"
# What was computed again took other seconds, maybe elsewhere, and is the same report.
report = Stage("report", write_report, outside=("costs", "provenance"))


def export(files: pd.DataFrame, folder: Path) -> Path:
    """The report's files in a folder; gives the path of the report itself.

    Files of an earlier report there are removed, and no others: a list of them stands beside.
    """
    written, listed = from_table(files), folder / WRITTEN
    earlier = json.loads(listed.read_text()) if listed.exists() else []
    for name, content in written.items():
        write_bytes(folder / name, content.encode())
    for name in set(earlier) - set(written):
        (folder / name).unlink(missing_ok=True)
    write_bytes(listed, json.dumps(sorted(written)).encode())
    return folder / "report.md"
