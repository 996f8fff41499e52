"""Any dataset, your own included: methods on repeated random splits of it, none of them tuned on
rows that are tested.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from prefect import flow

from flgc.datasets import Dataset, load, state
from flgc.datasets.own import check_classes
from flgc.datasets.splits import make
from flgc.device import resolve_device
from flows.parameters import Runs, uses_store
from flows.plan import Plan, check, check_positive, methods_for
from flows.runners import task_runner
from flows.section import Section
from flows.signatures import takes
from flows.tables import results_of, run_tables
from tasks.analyses.paired import Paired
from tasks.declared.evaluate import LABELLED, METHODS, PROTOCOL, RUNS, evaluated, usual_methods
from tasks.declared.robustness import named
from tasks.declared.types import DRAWN_SPLIT
from tasks.store import Store

PUBLIC = "public"
MOST_CLASSES = 12  # that are named one by one


@dataclass(frozen=True)
class Evaluation:
    """What to try on a dataset: which methods, and who is labelled how often."""

    dataset: str
    methods: list[str] | None = None
    labelled: str = LABELLED
    runs: Runs = RUNS
    task: Literal["classification", "clustering"] = "classification"
    device: str = "auto"
    store: str | None = None


@flow(name="evaluate", flow_run_name="evaluate {dataset}", task_runner=task_runner())
@takes(Evaluation)
@uses_store
def evaluate(chosen: Evaluation) -> Any:
    """The table, how methods differ on the same splits, and a report as those of the paper."""
    plan = plan_evaluation(chosen)
    return run_tables(plan, strict=False, name=plan.report)


def pairs_of(store: str, section: Section) -> Any:
    """How its methods differ on the same splits."""
    experiment = section.experiment
    [analysis] = [each for each in experiment.analyses if isinstance(each, Paired)]
    rows = results_of(store, section)
    return analysis.differences(rows, experiment.methods, experiment.metrics[0])


def plan_evaluation(chosen: Evaluation) -> Plan:
    """The plan of an evaluation, or an error that says what to do."""
    check("task", [chosen.task], METHODS)
    check_positive("runs", chosen.runs)
    methods = methods_for(chosen.task, chosen.methods)
    resolve_device(chosen.device)
    name = state(chosen.dataset).name
    data = load(name)
    check_classes(data, int((data.labels >= 0).sum()))
    split = "" if chosen.task == "clustering" else split_of(chosen.labelled)
    remarks = [*notes_of(data), *_describe_rows(data)]
    if split:
        remarks += _try_split(data, split)
    if not methods:
        usual = usual_methods(chosen.task, data.n_nodes)
        left_out = ", ".join(each for each in METHODS[chosen.task] if each not in usual)
        if left_out:
            text = f"Left out, because they take long on {data.n_nodes} rows: {left_out}."
            remarks.append(text)
    experiment = evaluated(data, chosen.task, methods, split, chosen.runs, remarks)
    command = f"flgc evaluate {{dataset}} --runs {chosen.runs} --method {{method}}"
    command += f" --labelled {chosen.labelled}" if split else f" --task {chosen.task}"
    return Plan(
        f"evaluate-{named(name)}",
        (experiment,),
        (PROTOCOL,),
        chosen.device,
        Store(chosen.store).url,
        title=f"Evaluation: `{name}`",
        command=command,
    )


def split_of(labelled: str) -> str:
    """`10%`, `5` of each class, or the split that comes with the data."""
    split = f"{labelled}-per-class" if labelled.isdigit() else labelled
    if split == PUBLIC or DRAWN_SPLIT.fullmatch(split):
        return split
    raise ValueError(
        f"labelled={labelled!r} is not possible: give a share such as 10%, a number of each class "
        f"such as 5, or {PUBLIC} for the split that comes with the data"
    )


def notes_of(data: Dataset) -> list[str]:
    """What was done with the columns of one's own table when it was read."""
    notes = data.provenance.get("notes", ())
    return list(notes[1:]) if data.provenance.get("licence") == "yours" else []


def _describe_rows(data: Dataset) -> list[str]:
    """Who is labelled, how evenly, and whether rows are repeated."""
    counts, n_labelled = data.class_counts, int((data.labels >= 0).sum())
    sizes = ", ".join(f"{n} of {name}" for name, n in zip(data.class_names, counts, strict=True))
    if len(counts) > MOST_CLASSES:
        sizes = f"{len(counts)} classes of {min(counts)} to {max(counts)} rows"
    notes = [f"{data.n_nodes} rows, {data.n_features} features: {sizes}."]
    unlabelled = data.n_nodes - n_labelled
    if unlabelled:
        they = "it is" if unlabelled == 1 else "they are"
        notes.append(f"{_rows_have(unlabelled)} no label: {they} never scored.")
    notes.append(
        f"Who always says {data.class_names[int(np.argmax(counts))]!r} is right in "
        f"{100 * max(counts) / n_labelled:.1f} % of the labelled rows."
    )
    if not sp.issparse(data.features) and data.edges is None:
        twice = data.n_nodes - len(np.unique(data.features, axis=0))
        if twice:
            notes.append(
                f"{_rows_have(twice)} the features of another one: a copy of what is tested may be "
                "labelled, which flatters all methods."
            )
    return notes


def _rows_have(n: int) -> str:
    return "1 row has" if n == 1 else f"{n} rows have"


def _try_split(data: Dataset, split: str) -> list[str]:
    """Draw a split once, so that one that is not possible is refused before anything runs."""
    drawn = make(data, split, seed=0)
    if not len(drawn.test):
        raise ValueError(
            f"labelled={split!r} leaves no row of {data.name} to test: label fewer of each class"
        )
    tested = set(data.labels[drawn.test].tolist())
    classes = enumerate(zip(data.class_names, data.class_counts, strict=True))
    never = [name for code, (name, count) in classes if count and code not in tested]
    notes = [
        f"In each run {len(drawn.train)} rows are labelled and {len(drawn.test)} tested; settings "
        "are picked on the labelled ones alone."
    ]
    if never:
        notes.append(
            f"Too small to be tested, so always labelled: {', '.join(map(repr, never[:10]))}."
        )
    return notes
