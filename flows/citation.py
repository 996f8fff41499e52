"""Accuracy on the citation graphs: public, random and full splits."""

from typing import Any

from prefect import flow

from flows.parameters import Protocol, Runs, Suite, planned
from flows.runners import task_runner
from flows.tables import run_tables


@flow(name="citation", flow_run_name="citation {suite}", task_runner=task_runner())
def citation(
    suite: Suite = "paper",
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    protocols: list[Protocol] | None = None,
    runs: Runs | None = None,
    device: str = "auto",
    store: str | None = None,
) -> Any:
    """Accuracy on the citation graphs: public, random and full splits."""
    return run_tables(
        planned(("citation",), suite, datasets, methods, protocols, runs, device, store)
    )
