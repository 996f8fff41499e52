"""The report: every table with the published values beside ours, as Markdown and CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from flgc.datasets.fetching.atomic import write_bytes
from tasks.declared.experiments import Experiment
from tasks.document import claims, tables
from tasks.document.gaps import FAILED, Gap, counted, listed
from tasks.document.printed import left_out
from tasks.document.results import read_results
from tasks.running.stage import as_task
from tasks.stages.draw import read_files
from tasks.store.store import Artifact, Store

MODULES = ("tasks.document.tables", "tasks.document.claims")
PROTOCOLS_EXPLAINED = """\
Two protocols stand side by side. **paper**: one setting per dataset and method, the best on the
test nodes of all runs (for clusterings: against the true classes), as the paper's numbers were.
**honest**: a setting for each run, picked from what that run may see and nothing else: on its
validation nodes where there are some, else by the squared error of leave-one-out on its labelled
nodes; for clusterings by the silhouette. Methods that are trained are picked in the same way, all
their settings in all runs. *published*
is what the paper prints. FLGC* may pick teleport 0, which is FLGC: in `paper` it cannot be the
worse of the two. Accuracies are in percent, ± is the standard deviation over the runs."""


@dataclass(frozen=True)
class Section:
    """What became of one experiment: its cells in the store, and those that are not."""

    experiment: Experiment
    protocols: tuple[str, ...]
    results: tuple[Artifact, ...] = ()
    comparison: Artifact | None = None
    timings: tuple[Artifact, ...] = ()
    figures: Artifact | None = None
    gaps: tuple[Gap, ...] = ()

    @property
    def absent(self) -> dict[str, str]:
        """The datasets that could not be had, and what the table says instead of their cells."""
        return {gap.what: gap.kind for gap in self.gaps if gap.what in self.experiment.datasets}

    @property
    def artifacts(self) -> list[Artifact]:
        """All that the store has of it."""
        return [*self.results, *self.timings, *filter(None, (self.comparison, self.figures))]


def write_report(store: str, name: str, sections: Sequence[Section]) -> Artifact:
    """All sections as files (name, content), from what is in the store and nothing else."""
    opened = Store(store)

    def compute() -> pd.DataFrame:
        files = {"report.md": _opening(name, sections)}
        for section in sections:
            files |= _section_files(opened, section)
            files["report.md"] += files.pop("section")
        return pd.DataFrame({"name": list(files), "content": list(files.values())})

    return opened.get_or_compute(
        "report",
        MODULES,
        compute,
        parameters={
            "name": name,
            "sections": [
                {
                    "experiment": section.experiment.name,
                    "datasets": section.experiment.datasets,
                    "methods": section.experiment.methods,
                    "protocols": section.protocols,
                    "gaps": listed(section.gaps),
                    # Seconds are no part of a content's digest.
                    "timings": [artifact.key for artifact in section.timings],
                }
                for section in sections
            ],
        },
        inputs={
            f"{section.experiment.name}/{i:04d}": artifact
            for section in sections
            for i, artifact in enumerate(section.artifacts)
        },
    )


report = as_task(write_report, "report {name}")


def export(store: str, artifact: Artifact, folder: Path) -> Path:
    """The report's files in a folder; gives the path of the report itself."""
    for name, content in read_files(Store(store), artifact).items():
        write_bytes(folder / name, content.encode())
    return folder / "report.md"


def section_table(store: Store, section: Section) -> pd.DataFrame:
    """Ours beside the published values."""
    results = read_results(store, section.results)
    return tables.comparison(section.experiment, section.protocols, results, section.absent)


def verdict(sections: Sequence[Section]) -> str:
    """How many cells are there, and how many are not, by kind."""
    gaps = [gap for section in sections for gap in section.gaps]
    return counted(sum(len(section.results) for section in sections), gaps)


def _opening(name: str, sections: Sequence[Section]) -> str:
    return f"# Reproduction: `{name}`\n\n{verdict(sections)}.\n\n{PROTOCOLS_EXPLAINED}\n"


def _section_files(store: Store, section: Section) -> dict[str, str]:
    name = section.experiment.name
    results = read_results(store, section.results)
    table = section_table(store, section)
    drawn = read_files(store, section.figures)
    parts = [f"\n## {section.experiment.title}\n", tables.markdown(table), ""]
    parts += claims.reached(section.experiment, results)
    parts += ["", *claims.beaten(section.experiment, results)]
    parts += [f"\n![{figure.removesuffix('.svg')}]({figure})" for figure in drawn]
    files = {f"{name}.csv": table.to_csv(index=False), **drawn}
    if section.timings:
        timings = pd.concat([store.read(artifact.key).to_pandas() for artifact in section.timings])
        files[f"{name}-time.csv"] = timings.to_csv(index=False)
        parts += ["\n### Training time and over-smoothing\n"]
        parts += [*claims.fastest(timings), "", *claims.over_smoothing(timings)]
    if section.comparison is not None:
        compared = store.read(section.comparison.key).to_pandas()
        if len(compared):
            files[f"{name}-wilcoxon.csv"] = compared.to_csv(index=False)
            parts += [
                "\n### Wilcoxon signed-rank test\n",
                "Exact two-sided p, and Holm's correction over the rivals of a control. Columns "
                "marked *published* are the paper's; they were picked on test nodes.\n",
                *(f"{text}\n" for text in left_out(results)),
                tables.markdown(_readable(compared)),
            ]
    failed = [gap for gap in section.gaps if gap.kind == FAILED]
    absent = [gap for gap in section.gaps if gap.kind != FAILED]
    for title, gaps in {"Not available": absent, "Failed": failed}.items():
        if gaps:
            parts += [f"\n### {title}\n", *(f"- {line}" for line in listed(gaps))]
    parts += ["\n### Settings\n", tables.markdown(tables.settings(results))]
    parts += ["\n### Seconds by stage\n", tables.markdown(tables.cost(results)), ""]
    files["section"] = "\n".join(parts)
    return files


def _readable(compared: pd.DataFrame) -> pd.DataFrame:
    columns = ["protocol", "control", "rival", "datasets", "rank_sum_for", "rank_sum_against"]
    return compared[[*columns, "wins", "ties", "losses", "p_value", "p_holm", "verdict_holm"]]
