"""The report of a run: files in a folder, and in Prefect's UI with a link to them."""

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_link_artifact, create_markdown_artifact

from flows.section import Section
from tasks.document.files import from_table
from tasks.stages.report import export, report
from tasks.store import Artifact, Store
from tasks.store.layouts import load

REPORTS = "FLGC_REPORTS"


def write(store: str, name: str, sections: Sequence[Section]) -> Path:
    """The report in the store and as files; gives the path of the report itself."""
    artifact: Any = report.submit(store, name, **contents(store, name, sections)).result()
    path = export(load(Store(store), artifact), report_folder(name))
    get_run_logger().info("report: %s", path)
    return path


def files(store: str, artifact: Artifact | None) -> dict[str, str]:
    """File name to content, of figures and reports."""
    return from_table(None if artifact is None else load(Store(store), artifact))


def show(path: Path, name: str) -> None:
    """The report in Prefect's UI, with its pictures, and a link to the files."""
    text = path.read_text(encoding="utf-8")
    for picture in path.parent.glob("*.svg"):
        text = text.replace(f"({picture.name})", f"({as_url(picture.read_text(encoding='utf-8'))})")
    create_markdown_artifact(text, key=f"report-{name}", description=f"Report {name}")
    said = f"Report {name} on the disk of the machine that ran it"
    key = f"report-{name}-file"
    create_link_artifact(path.as_uri(), key=key, link_text=path.name, description=said)


def report_folder(name: str) -> Path:
    """Where the report's files are written: below FLGC_REPORTS, or artifacts/report."""
    return (Path(os.environ.get(REPORTS) or "artifacts/report") / name).absolute()


def as_url(svg: str) -> str:
    """A picture that needs no file: the UI cannot read those of a worker."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def contents(store: str, name: str, sections: Sequence[Section]) -> dict[str, Any]:
    """What the report is made from."""
    by_name = {section.experiment.name: section for section in sections}
    return {
        "name": name,
        "tables": [section.table for section in sections],
        "protocols": sections[0].protocols,
        "sizes": {key: section.sizes for key, section in by_name.items() if section.sizes},
        "results": {key: section.results for key, section in by_name.items()},
        "pairs": {k: s.comparison for k, s in by_name.items() if s.comparison},
        "timings": {key: section.timings for key, section in by_name.items() if section.timings},
        "curves": {key: section.curves for key, section in by_name.items() if section.curves},
        "affinities": {k: s.affinities for k, s in by_name.items() if s.affinities},
        "criteria": {k: s.criteria for k, s in by_name.items() if s.criteria},
        "figures": {key: section.figures for key, section in by_name.items() if section.figures},
        "gaps": {key: section.gaps for key, section in by_name.items()},
        "costs": {key: section.costs for key, section in by_name.items()},
    }
