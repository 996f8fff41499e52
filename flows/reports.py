"""The report of a run: files in a folder, and in Prefect's UI with a link to them."""

import base64
import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import (
    create_image_artifact,
    create_link_artifact,
    create_markdown_artifact,
)

from flows.plan import Plan
from flows.section import Section
from tasks.analyses.registry import analyses_of
from tasks.report.evidence import Declaration
from tasks.report.files import FAULTS, RESULT, from_table
from tasks.report.gaps import FAILED, Gap
from tasks.report.writers.html import page_files
from tasks.stages.history import past
from tasks.stages.report import export, report, report_now
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
        written = report_now(plan.store, **given)
    path = export(written, report_folder(name))
    get_run_logger().info("report: %s", path)
    faults = json.loads(from_table(written).get(FAULTS, "{}"))
    return path, [Gap(FAILED, f"report: {part}", reason) for part, reason in faults.items()]


def show(path: Path, name: str, part: str = "") -> None:
    """The report in Prefect's UI, with its pictures, and a link to the files."""
    text = path.read_text(encoding="utf-8")
    for picture in sorted(path.parent.glob("*.svg")):
        url = as_url(picture.read_text(encoding="utf-8"))
        text = text.replace(f"({picture.name})", f"({url})")
        if picture.stem != RESULT:  # which is the first of the others once more
            key = f"{picture.stem}{part}-figure"
            create_image_artifact(url, key=key, description=picture.stem)
    create_markdown_artifact(text, key=f"report-{name}", description=f"Report {name}")
    page = path.with_name("report.html")
    where = f"Report {name} on the disk of the machine that ran it"
    key = f"report-{name}-file"
    create_link_artifact(page.as_uri(), key=key, link_text=page.name, description=where)


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
        "tables": [declared(plan, section) for section in sections],
        "cells": {key: list(section.cells) for key, section in by_name.items()},
        "products": {key: each.products for key, each in by_name.items() if each.products},
        "files": page_files(),
        "history": history(plan.store, plan.suite),
        "costs": {key: section.costs for key, section in by_name.items()},
        "provenance": provenance(plan.store, sections),
    }


def declared(plan: Plan, section: Section) -> Declaration:
    """What the report has of a table besides its artifacts."""
    return Declaration(
        table=section.table,
        analyses=analyses_of(section.experiment),
        protocols=section.protocols,
        gaps=section.gaps,
        digests=tuple(artifact.digest for artifact in section.cells),
        command=plan.command,
    )


def history(store: str, suite: str) -> list[dict[str, Any]]:
    """What the flow `track` has measured of a suite so far."""
    rows = past(store)
    points: list[Any] = rows[rows["suite"] == suite].to_dict("records")
    return points


def provenance(store: str, sections: Sequence[Section]) -> dict[str, Any]:
    """What the records of the results and of their data say: sources, digests and versions."""
    data: dict[str, dict[str, str]] = {}
    versions: dict[str, dict[str, None]] = {}
    for key in (artifact.key for section in sections for artifact in section.cells):
        for package, version in record(store, key)["versions"].items():
            versions.setdefault(package, {})[version] = None
        while not key.startswith("dataset-"):  # data with noise are made from a dataset, too
            key = record(store, key)["made_from"]["data"]
        data[key] = _source(record(store, key))
    rows = sorted(data.values(), key=lambda row: row["dataset"])
    return {"data": rows, "versions": {name: ", ".join(found) for name, found in versions.items()}}


@cache
def record(store: str, key: str) -> dict[str, Any]:
    """What is noted with an artifact; kept, since a report is written again and again."""
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
    """Where a file is from, without its place on this machine."""
    kind, _, path = source.partition(" ")
    if Path(path).is_absolute():
        return kind
    return Path(source).name if Path(source).is_absolute() else source
