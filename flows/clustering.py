"""Clustering accuracy and NMI on the small sets."""

from typing import Any

from prefect import flow

from flows.parameters import Protocol, Runs, Suite, planned
from flows.runners import task_runner
from flows.tables import run_tables


@flow(name="clustering", flow_run_name="clustering {suite}", task_runner=task_runner())
def clustering(
    suite: Suite = "paper",
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    protocols: list[Protocol] | None = None,
    runs: Runs | None = None,
    device: str = "auto",
    store: str | None = None,
) -> Any:
    """Clustering accuracy and NMI on the small sets."""
    return run_tables(
        planned(("clustering",), suite, datasets, methods, protocols, runs, device, store)
    )
