"""Tables that nobody draws by chance: each has a whole report, and every chart of it is drawn."""

import re
from dataclasses import replace

import pytest

from flgc.methods.picking import PROTOCOLS
from flgc.noise import INDEPENDENT
from tasks.analyses.cells import Bars
from tasks.analyses.registry import analyses_of
from tasks.declared.described import described
from tasks.declared.types import Experiment, Noise
from tasks.report.evidence import Evidence
from tasks.report.files import FAULTS
from tests.tasks.report.made import DECLARED, evidence, results
from tests.tasks.report.test_report import written


def known(
    experiment: Experiment, *, failed: tuple[str, ...] = (), protocols: tuple = PROTOCOLS
) -> Evidence:
    """Every cell of an experiment, but those of the methods that failed everywhere."""
    of = described(experiment)
    cells = [
        results((dataset, row.name, protocol, 0.5 + i / 100), of=of, metric=metric).assign(
            noise=noise, intensity=intensity, noise_pattern=pattern
        )
        for dataset in of.datasets
        for noise, intensity, pattern in of.noises or (("", 0.0, ""),)
        for i, row in enumerate(of.rows)
        for protocol in protocols
        for metric in of.metrics
        if protocol in row.protocols and row.name not in failed
    ]
    return evidence(of, cells, protocols=protocols, analyses=analyses_of(experiment))


UCI, NOISY = (replace(DECLARED[name], analyses=()) for name in ("uci-tiny", "robustness-tiny"))
ALONE = replace(UCI, datasets=("iris",), methods=("FLGC*",))
IMAGES = replace(DECLARED["clustering-images"], analyses=(Bars(),))
GAUSSIAN = Noise("gaussian", 0.1, INDEPENDENT)
ODD: dict[str, Evidence] = {
    "a single cell": known(ALONE, protocols=("honest",)),
    "a single cell of a method that has none in a protocol": known(
        replace(ALONE, methods=("FLGC* averaged",)), protocols=("paper",)
    ),
    "a method that failed everywhere": known(UCI, failed=("FLGC",)),
    "all methods failed": known(UCI, failed=UCI.methods),
    "only paper": known(replace(DECLARED["uci"], methods=("FLGC", "SVM")), protocols=("paper",)),
    "only honest": known(replace(DECLARED["clustering"], analyses=()), protocols=("honest",)),
    "only honest, bars": known(IMAGES, protocols=("honest",)),
    "noise without a shared pattern": known(replace(NOISY, noises=(GAUSSIAN,))),
    "noise, and ours are missing": known(replace(NOISY, methods=("EDSC",))),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_table_has_a_whole_report(name: str) -> None:
    files = written(ODD[name])
    assert FAULTS not in files, files[FAULTS]
    assert f"## {ODD[name].table.title}" in files["report.md"]
    assert not re.search(r"\bnan\b", files["report.md"], re.IGNORECASE)
    there = any(len(cell) for cell in ODD[name].cells)
    assert any(file.endswith(".svg") for file in files) == there


def test_one_protocol_alone_has_the_bars() -> None:
    """In the colours of methods, which marks on bars do not have."""
    [spec] = Bars().charts(ODD["only honest, bars"], ODD["only honest, bars"].results).values()
    bars, marks = spec["layer"]
    assert bars["transform"] == [{"filter": "datum.protocol == 'honest'"}]
    assert bars["encoding"]["x"]["title"] == "ACC; bars: honest"
    assert marks["transform"] == [{"filter": "datum.protocol != 'honest'"}]
