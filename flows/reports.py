"""The report of a run: files in a folder, and in Prefect's UI with a link to them."""

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_link_artifact, create_markdown_artifact

from tasks.stages.report import Section, export, report

REPORTS = "FLGC_REPORTS"


def write(store: str, name: str, sections: Sequence[Section]) -> Path:
    """The report in the store and as files; gives the path of the report itself."""
    artifact: Any = report.submit(store, name, sections).result()
    path = export(store, artifact, report_folder(name))
    get_run_logger().info("report: %s", path)
    return path


def show(path: Path, name: str) -> None:
    """The report in Prefect's UI, with its pictures, and a link to the files."""
    text = path.read_text(encoding="utf-8")
    for picture in path.parent.glob("*.svg"):
        text = text.replace(f"({picture.name})", f"({as_url(picture.read_text(encoding='utf-8'))})")
    create_markdown_artifact(text, key=f"report-{name}", description=f"Report {name}")
    create_link_artifact(path.as_uri(), key=f"report-{name}-file", link_text=path.name)


def report_folder(name: str) -> Path:
    """Where the report's files are written: below FLGC_REPORTS, or artifacts/report."""
    return (Path(os.environ.get(REPORTS) or "artifacts/report") / name).absolute()


def as_url(svg: str) -> str:
    """A picture that needs no file: the UI cannot read those of a worker."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
