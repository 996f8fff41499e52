"""The numbers of README and docs: taken from stored results, filled into the pages, and checked.

    python docs/fill_numbers.py --store artifacts/store   # numbers.json, pages and picture anew
    python docs/fill_numbers.py --check                   # do pages and picture say what it says?

A page has one number between `<!--n:EXPERIMENT/DATASET/METHOD/PROTOCOL-->` and `<!--/n-->`, where
the protocol may be `published`, and a whole table between `<!--table:KIND EXPERIMENT-->` and
`<!--/table-->`. Values are percent, rounded as the paper prints them; what is not stored yet has no
row.
"""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from tasks.document.claims import TOLERANCE
from tasks.document.figures.dots import dots
from tasks.document.printed import REDRAWN

from tasks.declared.paper import PAPER
from tasks.declared.published import DECIMALS, published_cells
from tasks.declared.types import Experiment
from tasks.store.store import Store
from tasks.store.upkeep import list_artifacts

ROOT = Path(__file__).parents[1]
STORED = ROOT / "docs" / "numbers.json"
PICTURE = ROOT / "docs" / "images" / "result.svg"
EXPERIMENTS = {experiment.name: experiment for experiment in PAPER}
PUBLISHED, PROTOCOLS = "published", ("paper", "honest")
OWN = ("FLGC", "FLGC*")
VARIANT = "authors' setting"  # a rival once more: in no mean and no rank
MARK = re.compile(r"(<!--n:(.+?)-->).*?(<!--/n-->)")
TABLE = re.compile(r"(<!--table:(\w+)(?: (\S+))?-->\n).*?(<!--/table-->)", re.DOTALL)
NONE = "–"  # noqa: RUF001
NOTHING = "*Not set here yet: `make reproduce` computes this table.*"
DIGITS = 12

Cells = dict[str, dict[str, Any]]


def pages() -> list[Path]:
    """All pages that may have numbers."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def case_of(row: Mapping[str, Any]) -> str:
    """`Cora`, or `ExtendedYaleB gaussian 0.1 shared`."""
    noise = (row["noise"], f"{row['intensity']:g}", row["noise_pattern"]) if row["noise"] else ()
    return " ".join((row["dataset"], *noise))


def shown(method: str) -> str:
    """Its name in Markdown, where the star of FLGC* would begin emphasis."""
    return method.replace("*", r"\*")


def decimals(experiment: Experiment) -> int:
    """As many as the paper has for this table."""
    return DECIMALS.get(experiment.published, 1)


def taken(store: Store) -> Cells:
    """Every cell of the paper's tables that a store has, by its name.

    Where a cell is there more than once, that of most runs counts, then the newest.
    """
    found: dict[tuple[str, int], Any] = {}
    for item in list_artifacts(store):
        if item.stage != "fit" or item.record is None:
            continue
        cell = item.record["parameters"]["cell"]
        experiment = EXPERIMENTS.get(cell["experiment"])
        if experiment is None or cell["method"] not in experiment.methods:
            continue
        name = f"{experiment.name}/{case_of(cell)}/{cell['method']}/{cell['protocol']}"
        place = name, cell["first_run"]
        if place not in found or _rank(item) > _rank(found[place]):
            found[place] = item
    parts: dict[str, list[Any]] = {}
    for name, first_run in sorted(found):
        parts.setdefault(name, []).append(found[name, first_run])
    return {name: _summed(store, name, items) for name, items in parts.items()}


def _rank(item: Any) -> tuple[int, float]:
    return item.record["rows"], item.created


def _summed(store: Store, name: str, items: list[Any]) -> dict[str, Any]:
    """Mean and spread over the runs of a cell; seeds of a noise are artifacts of their own."""
    rows = pd.concat([store.read(item.key).to_pandas() for item in items])
    experiment = EXPERIMENTS[name.partition("/")[0]]
    metric, digits = experiment.metrics[0], decimals(experiment)
    values = 100 * rows.loc[rows["metric"] == metric, "value"]
    cell = {
        "metric": metric,
        "value": round(float(values.mean()), digits),
        "spread": round(float(values.std(ddof=0)), digits),
        "runs": len(values),
        "digest": " ".join(item.record["digest"][:DIGITS] for item in items),
    }
    return {**cell, "redrawn": True} if REDRAWN in rows["marks"].iloc[0] else cell


def with_published(cells: Cells) -> Cells:
    """The same, and what the paper prints, as a protocol of its own; nothing of re-drawn data."""
    redrawn = {tuple(name.split("/")[:2]) for name, cell in cells.items() if "redrawn" in cell}
    printed: Cells = {}
    for experiment in PAPER:
        for row in published_cells(experiment).to_dict("records"):
            case = case_of(row)
            if row["metric"] != experiment.metrics[0] or (experiment.name, case) in redrawn:
                continue
            value = round(100 * row["value"], decimals(experiment))
            printed[f"{experiment.name}/{case}/{row['method']}/{PUBLISHED}"] = {"value": value}
    return printed | cells


class Table:
    """One experiment's cells, by method, case and protocol."""

    def __init__(self, cells: Cells, name: str) -> None:
        self.experiment = EXPERIMENTS[name]
        self.digits = decimals(self.experiment)
        self.cells = {
            tuple(key.split("/")[1:]): cell
            for key, cell in cells.items()
            if key.startswith(f"{name}/")
        }
        stored = [(case, method) for case, method, protocol in self.cells if protocol != PUBLISHED]
        cases, methods = {case for case, _ in stored}, {method for _, method in stored}
        known = dict.fromkeys(case_of(_as_row(each)) for each in self.experiment.subjects)
        self.cases = [case for case in known if case in cases]
        self.methods = [method for method in self.experiment.methods if method in methods]

    def value(self, case: str, method: str, protocol: str) -> float | None:
        cell = self.cells.get((case, method, protocol))
        return None if cell is None else cell["value"]

    def text(self, case: str, method: str, protocol: str) -> str:
        """`82.9 ± 0.2`; a dash where there is nothing."""
        cell = self.cells.get((case, method, protocol))
        if cell is None:
            return NONE
        spread = cell.get("spread", 0.0)
        return self.printed(cell["value"]) + (f" ± {self.printed(spread)}" if spread else "")

    def printed(self, value: float) -> str:
        return f"{value:.{self.digits}f}"

    def rivals(self) -> list[str]:
        return [m for m in self.methods if not m.startswith(OWN) and VARIANT not in m]

    def reached(self, protocol: str) -> str:
        """`5 of 6`: FLGC's and FLGC*'s published values, to the tolerance of the report."""
        gaps = [
            ours - theirs
            for method in OWN
            for case in self.cases
            if (ours := self.value(case, method, protocol)) is not None
            and (theirs := self.value(case, method, PUBLISHED)) is not None
        ]
        reached = sum(round(gap, self.digits) >= -TOLERANCE for gap in gaps)
        return f"{reached} of {len(gaps)}" if gaps else NONE

    def shared_cases(self, protocol: str) -> list[str]:
        """Those of which every method that is in the protocol has a cell."""
        there = [m for m in self.methods if any((c, m, protocol) in self.cells for c in self.cases)]
        return [c for c in self.cases if all((c, m, protocol) in self.cells for m in there)]

    def means(self, protocol: str, cases: Iterable[str]) -> dict[str, float]:
        """By method, where it has all these cases."""
        found, cases = {}, list(cases)
        for method in self.methods:
            values = [self.value(case, method, protocol) for case in cases]
            if cases and None not in values:
                found[method] = round(sum(values) / len(cases), self.digits)  # type: ignore[arg-type]
        return found

    def leaders(self, protocol: str) -> str:
        """The best row of ours, and the best rival, by their means."""
        means = self.means(protocol, self.shared_cases(protocol))
        own = {m: mean for m, mean in means.items() if m.startswith(OWN)}
        others = {m: mean for m, mean in means.items() if m in self.rivals()}
        if not own or not others:
            return NONE
        ours, theirs = max(own, key=own.__getitem__), max(others, key=others.__getitem__)
        first = f"{shown(ours)} {self.printed(own[ours])}"
        second = f"{shown(theirs)} {self.printed(others[theirs])}"
        return f"**{first}**, {second}" if own[ours] > others[theirs] else f"{first}, **{second}**"


def _as_row(subject: Any) -> dict[str, Any]:
    noise = subject.noise
    return {
        "dataset": subject.dataset,
        "noise": noise.kind if noise else "",
        "intensity": noise.intensity if noise else 0.0,
        "noise_pattern": noise.pattern if noise else "",
    }


def summary(cells: Cells) -> list[list[str]]:
    """A row for each experiment: what is reached, and who leads."""
    rows = [
        ["table", *(f"reached, `{p}`" for p in PROTOCOLS), *(f"leads, `{p}`" for p in PROTOCOLS)]
    ]
    for name, experiment in EXPERIMENTS.items():
        table = Table(cells, name)
        told = [table.reached(p) for p in PROTOCOLS] + [table.leaders(p) for p in PROTOCOLS]
        if set(told) != {NONE}:
            rows.append([experiment.title, *told])
    return rows


def by_method(table: Table) -> list[list[str]]:
    """A row for each method, three columns for each dataset."""
    protocols = {protocol for _, _, protocol in table.cells}
    columns = [
        (case, column)
        for case in table.cases
        for column in (PUBLISHED, *PROTOCOLS)
        if column in protocols
    ]
    rows = [["method", *(" ".join(column) for column in columns)]]
    for method in table.methods:
        texts = (table.text(case, method, protocol) for case, protocol in columns)
        rows.append([shown(method), *texts])
    return rows


def by_case(table: Table) -> list[list[str]]:
    """A row for each dataset or noise: ours, and the best rival."""
    own = [
        (method, column)
        for method in (*OWN, "FLGC* averaged")
        for column in (PUBLISHED, *PROTOCOLS)
        if any((case, method, column) in table.cells for case in table.cases)
    ]
    head = [f"{shown(method)} {column}" for method, column in own]
    # Where all noise is on one dataset, the title has said its name.
    only = table.experiment.datasets[0]
    rows = [["data", *head, *(f"best rival, {protocol}" for protocol in PROTOCOLS)]]
    for case in table.cases:
        rows.append(
            [
                case.removeprefix(f"{only} "),
                *(table.text(case, *place) for place in own),
                *(_best(table, case, protocol) for protocol in PROTOCOLS),
            ]
        )
    return rows


def _best(table: Table, case: str, protocol: str) -> str:
    values = {m: table.value(case, m, protocol) for m in table.rivals()}
    there = {method: value for method, value in values.items() if value is not None}
    if not there:
        return NONE
    best = max(there, key=there.__getitem__)
    return f"{shown(best)} {table.printed(there[best])}"


def means(table: Table) -> list[list[str]]:
    """A row for each method: its means over the datasets that all methods share."""
    shared = [c for c in table.shared_cases("honest") if c in table.shared_cases("paper")]
    compared = [c for c in shared if table.value(c, OWN[0], PUBLISHED) is not None]
    columns = {p: table.means(p, compared) for p in (PUBLISHED, *PROTOCOLS)}
    rows = [[f"mean over {len(compared)}", *columns]]
    for method in table.methods:
        told = [column.get(method) for column in columns.values()]
        if any(value is not None for value in told):
            texts = [NONE if value is None else table.printed(value) for value in told]
            rows.append([shown(method), *texts])
    return rows


KINDS = {"methods": by_method, "cases": by_case, "means": means}


def made(kind: str, name: str | None, cells: Cells) -> str:
    """A generated table as Markdown."""
    if kind == "summary":
        rows = summary(cells)
    elif kind in KINDS and name in EXPERIMENTS:
        rows = KINDS[kind](Table(cells, str(name)))
    else:
        raise ValueError(f"table:{kind} {name}: kinds are summary, {', '.join(KINDS)}")
    if len(rows) == 1:
        return NOTHING
    lines = [rows[0], ["---", *("---:" for _ in rows[0][1:])], *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(name: str, cells: Cells) -> str:
    """One cell's value as it is printed."""
    if name not in cells:
        raise ValueError(f"{name} is neither stored nor published")
    experiment = EXPERIMENTS[name.partition("/")[0]]
    return f"{cells[name]['value']:.{decimals(experiment)}f}"


def filled(text: str, cells: Cells) -> str:
    """A page with the numbers that its marks ask for; `cells` with what is published."""
    text = MARK.sub(lambda m: m[1] + number(m[2], cells) + m[3], text)
    return TABLE.sub(lambda m: f"{m[1]}\n{made(m[2], m[3], cells)}\n\n{m[4]}", text)


def headline(cells: Cells) -> Table:
    """The table of the picture: the first of the paper's of which something is stored."""
    return next(table for name in EXPERIMENTS if (table := Table(cells, name)).methods)


def picture_digest(table: Table) -> str:
    """Of all that the picture shows; it is written into the file."""
    shown = {"/".join(place): cell["value"] for place, cell in sorted(table.cells.items())}
    return hashlib.sha256(json.dumps([table.experiment.name, shown]).encode()).hexdigest()


def draw(table: Table, path: Path) -> None:
    """Ours beside the published values, a panel for each dataset, as the report draws them."""
    found = [
        {
            "subject": case,
            "method": method,
            "protocol": protocol,
            "value": cell["value"],
            "spread": cell.get("spread", 0.0),
        }
        for (case, method, protocol), cell in table.cells.items()
    ]
    axes = ("subject", table.cases), ("method", table.methods)
    label = f"{table.experiment.metrics[0]} in %"
    svg = dots(pd.DataFrame(found), *axes, label)
    path.write_text(f"{svg}<!-- numbers {picture_digest(table)} -->\n", encoding="utf-8")


def stale(cells: Cells) -> list[str]:
    """What does not say what numbers.json says."""
    known = with_published(cells)
    found = []
    for page in pages():
        text = page.read_text()
        if filled(text, known) != text:
            found.append(f"{page.relative_to(ROOT)} has other numbers than docs/numbers.json")
    if picture_digest(headline(known)) not in PICTURE.read_text():
        found.append(f"{PICTURE.relative_to(ROOT)} was drawn from other numbers")
    return found


def refresh(cells: Cells) -> None:
    """Write numbers.json, the pages and the picture."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(cell)}" for name, cell in cells.items())
    STORED.write_text(f"{{\n{lines}\n}}\n")
    known = with_published(cells)
    for page in pages():
        page.write_text(filled(page.read_text(), known))
    draw(headline(known), PICTURE)


def main() -> int:
    """0 if all is as it should be."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--store", help="take the numbers from this store, and fill them in")
    what.add_argument("--check", action="store_true", help="only say what is stale; no store")
    asked = parser.parse_args()
    if asked.store:
        cells = taken(Store(asked.store))
        if not cells:
            sys.exit(f"{asked.store} has no cell of the paper's tables; run `flgc reproduce` first")
        refresh(cells)
        print(f"{len(cells)} cells of {asked.store} in {STORED.relative_to(ROOT)} and the pages")
        return 0
    found = stale(json.loads(STORED.read_text()))
    if found:
        print(*found, "Run `python docs/fill_numbers.py --store STORE`.", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
