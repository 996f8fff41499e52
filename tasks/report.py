"""The report: every table with the published values beside ours, as Markdown and CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tasks import tables
from tasks.experiments import Experiment
from tasks.figures import figures
from tasks.results import read_results
from tasks.stage import as_task
from tasks.store import Artifact, Store

MODULES = ("tasks.tables", "tasks.figures")
PROTOCOLS_EXPLAINED = """\
Two protocols stand side by side. **paper**: one setting per dataset and method, picked on the test
nodes (for clusterings: against the true classes), as the paper's numbers were. **honest**: picked
without a look at test labels: on the validation nodes where there are some, else by the squared
error of leave-one-out on the labelled nodes, averaged over the runs; for clusterings by the
silhouette. *published* is what the paper prints. Accuracies are in percent, ± is the standard
deviation over the runs."""


@dataclass(frozen=True)
class Section:
    """What became of one experiment: its cells in the store, and those that are not."""

    experiment: Experiment
    methods: tuple[str, ...]
    protocols: tuple[str, ...]
    results: tuple[Artifact, ...]
    comparison: Artifact | None
    missing: dict[str, str]
    failed: dict[str, str]


def write_report(store: str, suite: str, sections: Sequence[Section]) -> Artifact:
    """All sections as files (name, content), from what is in the store and nothing else."""
    opened = Store(store)

    def compute() -> pd.DataFrame:
        files = {"report.md": _opening(suite, sections)}
        for section in sections:
            files |= _section_files(opened, section)
            files["report.md"] += files.pop("section")
        return pd.DataFrame({"name": list(files), "content": list(files.values())})

    return opened.get_or_compute(
        "report",
        MODULES,
        compute,
        parameters={
            "suite": suite,
            "sections": [
                {
                    "experiment": section.experiment.name,
                    "datasets": section.experiment.datasets,
                    "methods": section.methods,
                    "protocols": section.protocols,
                    "missing": section.missing,
                    "failed": section.failed,
                }
                for section in sections
            ],
        },
        inputs={
            f"{section.experiment.name}/{i:04d}": artifact
            for section in sections
            for i, artifact in enumerate(
                (*section.results, *([section.comparison] if section.comparison else []))
            )
        },
    )


report = as_task(write_report, "report {suite}")


def export(store: str, artifact: Artifact, folder: Path) -> Path:
    """The report's files in a folder; gives the path of the report itself."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in Store(store).read(artifact.key).to_pylist():
        (folder / row["name"]).write_text(row["content"], encoding="utf-8")
    return folder / "report.md"


def section_table(store: Store, section: Section) -> pd.DataFrame:
    """Ours beside the published values."""
    results = read_results(store, section.results)
    return tables.comparison(
        section.experiment, section.methods, section.protocols, results, section.missing
    )


def _opening(suite: str, sections: Sequence[Section]) -> str:
    failed = sum(len(section.failed) for section in sections)
    cells = sum(len(section.results) for section in sections)
    verdict = f"{cells} cells are there" + (f", **{failed} failed**." if failed else ".")
    return f"# Reproduction, suite `{suite}`\n\n{verdict}\n\n{PROTOCOLS_EXPLAINED}\n"


def _section_files(store: Store, section: Section) -> dict[str, str]:
    name = section.experiment.name
    results = read_results(store, section.results)
    table = section_table(store, section)
    drawn = figures(section.experiment, results)
    parts = [f"\n## {section.experiment.title}\n", tables.markdown(table)]
    parts += [f"\n![{name}]({figure})" for figure in drawn]
    files = {f"{name}.csv": table.to_csv(index=False), **drawn}
    if section.comparison is not None:
        compared = store.read(section.comparison.key).to_pandas()
        if len(compared):
            files[f"{name}-wilcoxon.csv"] = compared.to_csv(index=False)
            parts += [
                "\n### Wilcoxon signed-rank test\n",
                "Exact two-sided p, and Holm's correction over the rivals of a control. Columns "
                "marked *published* are the paper's; they were picked on test nodes.\n",
                tables.markdown(_readable(compared)),
            ]
    if section.missing:
        parts += ["\n### Not available\n"]
        parts += [f"- {dataset}: {reason}" for dataset, reason in section.missing.items()]
    if section.failed:
        parts += ["\n### Failed\n"]
        parts += [f"- {cell}: {reason}" for cell, reason in section.failed.items()]
    parts += ["\n### Settings\n", tables.markdown(tables.settings(results))]
    parts += ["\n### Seconds by stage\n", tables.markdown(tables.cost(results)), ""]
    files["section"] = "\n".join(parts)
    return files


def _readable(compared: pd.DataFrame) -> pd.DataFrame:
    columns = ["protocol", "control", "rival", "datasets", "rank_sum_for", "rank_sum_against"]
    return compared[[*columns, "wins", "ties", "losses", "p_value", "p_holm", "verdict_holm"]]
