"""The report of a run: files in a folder, and in Prefect's UI with a link to them."""

import base64
import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_link_artifact, create_markdown_artifact

from flows.plan import Plan
from flows.section import Section
from tasks.document.contradictions import contradictions
from tasks.document.files import FAULTS, from_table
from tasks.document.gaps import FAILED, Gap
from tasks.document.writers.html import page_files
from tasks.stages.history import past
from tasks.stages.report import export, report
from tasks.store import Artifact, Store
from tasks.store.layouts import load

REPORTS = "FLGC_REPORTS"


def write(plan: Plan, name: str, sections: Sequence[Section]) -> tuple[Path, list[Gap]]:
    """The report in the store and as files: its path, and a gap for each part that failed.

    One with a part that fails is not stored: it is made once more without that part, as files.
    """
    given = contents(plan, name, sections)
    made = report.submit(plan.store, name, **given).result(raise_on_failure=False)
    if isinstance(made, Artifact):
        written = load(Store(plan.store), made)
    else:
        written = report.result(plan.store, forgiving=True, **given)
    path = export(written, report_folder(name))
    get_run_logger().info("report: %s", path)
    faults = json.loads(from_table(written).get(FAULTS, "{}"))
    return path, [Gap(FAILED, f"report: {part}", reason) for part, reason in faults.items()]


def files(store: str, artifact: Artifact | None) -> dict[str, str]:
    """File name to content, of figures and reports."""
    return from_table(None if artifact is None else load(Store(store), artifact))


def show(path: Path, name: str) -> None:
    """The report in Prefect's UI, with its pictures, and a link to the files."""
    text = path.read_text(encoding="utf-8")
    for picture in path.parent.glob("*.svg"):
        text = text.replace(f"({picture.name})", f"({as_url(picture.read_text(encoding='utf-8'))})")
    create_markdown_artifact(text, key=f"report-{name}", description=f"Report {name}")
    page = path.with_name("report.html")
    said = f"Report {name} on the disk of the machine that ran it"
    key = f"report-{name}-file"
    create_link_artifact(page.as_uri(), key=key, link_text=page.name, description=said)


def report_folder(name: str) -> Path:
    """Where the report's files are written: below FLGC_REPORTS, or artifacts/report."""
    return (Path(os.environ.get(REPORTS) or "artifacts/report") / name).absolute()


def as_url(svg: str) -> str:
    """A picture that needs no file: the UI cannot read those of a worker."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def contents(plan: Plan, name: str, sections: Sequence[Section]) -> dict[str, Any]:
    """What the report is made from."""
    by_name = {section.experiment.name: section for section in sections}
    return {
        "title": plan.title.format(name=name),
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
        "digests": {k: [each.digest for each in s.results] for k, s in by_name.items()},
        "command": plan.command,
        "page": page_files(),
        "provenance": provenance(plan.store, sections),
        "contradictions": contradictions(),
        "history": history(plan.store, plan.suite),
    }


def history(store: str, suite: str) -> list[dict[str, Any]]:
    """What the flow `track` has measured of a suite so far."""
    rows = past(store)
    found: list[Any] = rows[rows["suite"] == suite].to_dict("records")
    return found


def provenance(store: str, sections: Sequence[Section]) -> dict[str, Any]:
    """What the records of the results and of their data say: sources, digests and versions."""
    data: dict[str, dict[str, str]] = {}
    versions: dict[str, dict[str, None]] = {}
    for artifact in (artifact for section in sections for artifact in section.results):
        written = record(store, artifact.key)
        for package, version in written["versions"].items():
            versions.setdefault(package, {})[version] = None
        key = written["made_from"]["data"]
        if not key.startswith("dataset-"):  # with noise, of which the dataset is the data
            key = record(store, key)["made_from"]["data"]
        if key not in data:
            data[key] = _source(record(store, key))
    rows = sorted(data.values(), key=lambda row: row["dataset"])
    return {"data": rows, "versions": {name: ", ".join(found) for name, found in versions.items()}}


@cache
def record(store: str, key: str) -> dict[str, Any]:
    """What is written down with an artifact; a report is written again and again."""
    return Store(store).record(key)


def _source(written: dict[str, Any]) -> dict[str, str]:
    """A dataset in the table of sources."""
    noted, name = written["provenance"], written["parameters"]["dataset"]
    places = map(place_of, noted["sources"].values())
    return {
        "dataset": name,
        "digest of its content": f"`{noted['digest']}`",
        "from": ", ".join(dict.fromkeys(places)) or "embedded",
        # One's own data have neither.
        "licence": noted.get("licence", ""),
        "cite": noted.get("citation", ""),
        "marks": ", ".join(noted["marks"]),
    }


def place_of(source: str) -> str:
    """Where a file is from; where it lies on this machine is nobody's business."""
    kind, _, path = source.partition(" ")
    if Path(path).is_absolute():
        return kind
    return Path(source).name if Path(source).is_absolute() else source
