"""Copy the tables of candidates into docs/rules.md: after a run of the development suite.

    python docs/take_rules.py artifacts/report/development-honest-...

A table of the report stands below its own heading; means over several tables are made of its files.
"""

import re
import sys
from pathlib import Path

import pandas as pd

PAGE = Path(__file__).with_name("rules.md")
CHOSEN_FEATURES = "with a constant"


def table_below(report: str, title: str, heading: str) -> str:
    """The Markdown tables below a heading of a section."""
    section = report.split(f"\n## {title}", 1)[1].split("\n## ", 1)[0]
    part = section.split(f"\n### {heading}", 1)[1].split("\n### ", 1)[0]
    tables = re.findall(r"(?:^\|.*\n)+", part, re.M)
    return "\n".join(tables)


def averages(folder: Path) -> str:
    """Mean accuracy of the averages over the sets of all three tables: e down, p across."""
    names = ("tables", "graphs", "validated")
    files = {name: pd.read_csv(folder / f"development-{name}-rules.csv") for name in names}
    rows = pd.concat([table.assign(of=name) for name, table in files.items()])
    own = rows[(rows["rule"] == "average") & (rows["features"] == CHOSEN_FEATURES)]
    of_sets = own.groupby(["e", "p", "of", "dataset"])["accuracy"].mean()
    means = 100 * of_sets.groupby(["e", "p"]).mean().unstack()
    lines = [["e", *(f"p = {p:g}" for p in means)]]
    lines += [[f"{e:g}", *(f"{value:.2f}" for value in row)] for e, row in means.iterrows()]
    return as_markdown(lines)


def clusterings(folder: Path) -> str:
    """ACC of the picks, over the sets of both tables."""
    names = ("clustering", "images")
    rows = pd.concat(pd.read_csv(folder / f"development-{name}-criteria.csv") for name in names)
    picked = rows.pivot_table("ACC", "criterion", ["dataset", "row"], sort=False)
    regret = (picked.loc["ACC"] - picked).max(axis=1)
    by_row = picked.T.groupby(level="row", sort=False).mean().T
    lines = [["picked by", "mean", "largest regret", *by_row]]
    lines += [
        [name, f"{picked.loc[name].mean():.3f}", f"{regret[name]:.3f}"]
        + [f"{value:.3f}" for value in by_row.loc[name]]
        for name in picked.index
    ]
    return as_markdown(lines)


def as_markdown(lines: list[list[str]]) -> str:
    head, *rest = ["| " + " | ".join(line).replace("*", "\\*") + " |\n" for line in lines]
    return head + "|---" * len(lines[0]) + "|\n" + "".join(rest)


def filled(page: str, name: str, tables: str) -> str:
    """The page with the tables between their marks."""
    marks = re.compile(rf"(?<=<!--{name}-->\n).*?(?=<!--/{name}-->)", re.DOTALL)
    return marks.sub(lambda _: f"\n{tables}\n", page)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    report, page = (folder / "report.md").read_text(), PAGE.read_text()
    rules, criteria = "Rules for picking and averaging", "Picking without classes"
    titles = {
        "tables": "Development: tables, 10 % of each class labelled",
        "graphs": "Development: graphs of communities",
        "validated": "Development: tables, random splits",
    }
    for name, title in titles.items():
        page = filled(page, f"development-{name}", table_below(report, title, rules))
    of_clusterings = [
        table_below(report, title, criteria)
        for title in ("Development: clustering of tables", "Development: clustering of images")
    ]
    page = filled(page, "clusterings", "\n".join(of_clusterings))
    page = filled(page, "all-clusterings", clusterings(folder))
    PAGE.write_text(filled(page, "averages", averages(folder)))
