"""Where tasks run: threads of this process, or the workers of a Dask cluster."""

import importlib.util
from typing import Any

from prefect.task_runners import ThreadPoolTaskRunner

from flgc.device import n_threads

RUNNERS = ("threads", "dask", "ray")


def task_runner(runner: str = "threads", address: str | None = None) -> Any:
    """A task runner by name; `address` is that of a running cluster, else a local one is started.

    One thread per core, where Prefect's own choice would start all tasks at once: tasks are
    submitted stage by stage, so few of them wait for others.
    """
    if runner not in RUNNERS:
        raise ValueError(f"unknown runner {runner!r}; choose from {', '.join(RUNNERS)}")
    if runner == "threads":
        return ThreadPoolTaskRunner(max_workers=n_threads())
    package = f"prefect_{runner}"
    if importlib.util.find_spec(package) is None:
        raise ValueError(
            f"runner {runner!r} needs the package {package.replace('_', '-')}: "
            f"pip install {package.replace('_', '-')}, or choose threads"
        )
    if runner == "dask":
        from prefect_dask import DaskTaskRunner

        if address:
            return DaskTaskRunner(address=address)
        local = {"n_workers": n_threads(), "threads_per_worker": 1, "dashboard_address": None}
        return DaskTaskRunner(cluster_kwargs=local)
    from prefect_ray import RayTaskRunner  # type: ignore[import-not-found,unused-ignore]

    return RayTaskRunner(address=address)
