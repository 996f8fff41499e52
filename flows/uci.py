"""Accuracy on the regular tables, 10 % of each class labelled, and the Wilcoxon comparison."""

from typing import Any

from prefect import flow

from flows.parameters import Protocol, Runs, Suite, planned
from flows.runners import task_runner
from flows.tables import run_tables


@flow(name="uci", flow_run_name="uci {suite}", task_runner=task_runner())
def uci(
    suite: Suite = "paper",
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    protocols: list[Protocol] | None = None,
    runs: Runs | None = None,
    device: str = "auto",
    store: str | None = None,
) -> Any:
    """Accuracy on the regular tables, 10 % of each class labelled, and the Wilcoxon comparison."""
    return run_tables(planned(("uci",), suite, datasets, methods, protocols, runs, device, store))
