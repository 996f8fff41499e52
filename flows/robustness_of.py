"""Any image or table dataset under noise, with any methods."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from prefect import flow

from flgc.datasets.fetching.settings import Settings
from flgc.datasets.library import describe
from flgc.device import resolve_device
from flgc.methods.picking import PROTOCOLS
from flgc.noise import NOISES, PATTERNS
from flows.parameters import Protocol, Runs, uses_store
from flows.plan import Plan, check, check_positive, methods_for
from flows.runners import task_runner
from flows.signatures import takes
from flows.tables import run_tables
from tasks.declared.robustness import DEFAULT_NOISES, LIKE, named, under_noise
from tasks.declared.types import DRAWN_SPLIT
from tasks.store import Store


@dataclass(frozen=True)
class UnderNoise:
    """What to try on a dataset: which methods, and under which noise."""

    dataset: str
    methods: list[str] | None = None
    noises: list[str] | None = None
    patterns: list[Literal["shared", "independent"]] | None = None
    seeds: Runs = 3
    protocols: list[Protocol] | None = None
    task: Literal["clustering", "classification"] = "clustering"
    split: str | None = None
    device: str = "auto"
    store: str | None = None


@flow(name="robustness-of", flow_run_name="robustness of {dataset}", task_runner=task_runner())
@takes(UnderNoise)
@uses_store
def robustness_of(chosen: UnderNoise) -> Any:
    """The table and a report of its own, as those of the paper's tables."""
    return run_tables(plan_under_noise(chosen), strict=False)


def plan_under_noise(chosen: UnderNoise) -> Plan:
    """The plan for these parameters, or an error that lists what can be chosen."""
    check("task", [chosen.task], LIKE)
    check("pattern", chosen.patterns or (), PATTERNS)
    check("protocol", chosen.protocols or (), PROTOCOLS)
    check_positive("seeds", chosen.seeds)
    methods = methods_for(chosen.task, chosen.methods)
    resolve_device(chosen.device)
    about = describe(chosen.dataset, Settings.of())
    if about["kind"] == "graph":
        raise ValueError(
            f"dataset {about['name']!r} is a graph, whose edges no noise of features touches: give "
            "one of images or a table"
        )
    experiment = under_noise(
        about["name"],
        about["kind"],
        chosen.task,
        methods,
        tuple(dict.fromkeys(map(noise_of, chosen.noises or ()))) or DEFAULT_NOISES,
        tuple(dict.fromkeys(chosen.patterns or reversed(PATTERNS))),
        chosen.seeds,
        split_of(chosen.task, chosen.split),
    )
    command = f"flgc robustness {{dataset}} --seeds {chosen.seeds} --noise {{noise}}"
    command += " --pattern {noise_pattern} --method {method} --protocol {protocol}"
    command += f" --task {chosen.task} --split {experiment.split}" if experiment.split else ""
    return Plan(
        named(about["name"]),
        (experiment,),
        tuple(chosen.protocols or PROTOCOLS),
        chosen.device,
        Store(chosen.store).url,
        title=f"Noise: `{about['name']}`",
        command=command,
    )


def noise_of(text: str) -> tuple[str, float]:
    """`gaussian:0.1` in its two parts; the noise itself says which intensities there are."""
    kind, _, intensity = text.partition(":")
    check("noise", [kind], NOISES)
    try:
        number = float(intensity)
    except ValueError:
        raise ValueError(f"noise {text!r} has no intensity: give one as in {kind}:0.1") from None
    NOISES[kind](np.zeros((1, 1)), number, seed=0)
    return kind, number


def split_of(task: str, split: str | None) -> str:
    """Who is labelled: nobody in clustering, else a tenth of each class by default."""
    if task == "clustering":
        if split:
            raise ValueError(f"split {split!r} is for classification: add --task classification")
        return ""
    split = split or LIKE[task].split
    if not DRAWN_SPLIT.fullmatch(split):
        raise ValueError(
            f"unknown split {split!r}; choose a share such as 10%, or a number such as 5-per-class"
        )
    return split
