"""Where tasks run: threads of this process, or the workers of a Dask cluster."""

import importlib.util
import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prefect.task_runners import ThreadPoolTaskRunner

from flgc.device import n_threads

RUNNERS = ("threads", "dask", "ray")


@contextmanager
def shared_runner(runner: str = "threads", address: str | None = None) -> Iterator[Any]:
    """A task runner for several flows: they share a cluster, whose workers start and import once.

    A Dask runner would start a cluster for each flow; this one starts it for all of them.
    """
    if runner != "dask" or address:
        yield task_runner(runner, address)
        return
    from distributed import Client, LocalCluster

    # Each worker begins with a line for each connection, and so does each end.
    logging.getLogger("distributed").setLevel(logging.WARNING)
    with LocalCluster(
        n_workers=n_threads(),
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        # Workers import Prefect where an event loop runs, in which plugins cannot be started; what
        # plugins have set, workers inherit.
        env={"PREFECT_PLUGINS_ENABLED": "false"},
    ) as cluster:
        with Client(cluster) as client:
            client.run(name_unconverged)
        yield task_runner(runner, cluster.scheduler_address)


def name_unconverged() -> None:
    """In a worker: one line for each step with a solver that did not converge, not for each fit.

    Threads of the run's own process have a line for each solver instead (`flows/terminal.py`).
    """
    from sklearn.exceptions import ConvergenceWarning

    from tasks.running.stage import about_of_this_thread

    shown, named = warnings.showwarning, set()

    def note(message: Any, category: Any, filename: str, *rest: Any, **more: Any) -> None:
        whose = about_of_this_thread() or Path(filename).stem
        if not issubclass(category, ConvergenceWarning):
            shown(message, category, filename, *rest, **more)
        elif whose not in named:
            named.add(whose)
            print(f"{whose}: not converged, at first: {message}", file=sys.stderr, flush=True)

    warnings.simplefilter("always", ConvergenceWarning)
    warnings.showwarning = note


def task_runner(runner: str = "threads", address: str | None = None) -> Any:
    """A task runner by name; `address` is that of a running cluster.

    One thread per core, where Prefect's own choice would start all tasks at once: tasks are
    submitted stage by stage, so few of them wait for others.
    """
    if runner not in RUNNERS:
        raise ValueError(f"unknown runner {runner!r}; choose from {', '.join(RUNNERS)}")
    if runner == "threads":
        return ThreadPoolTaskRunner(max_workers=n_threads())
    package = f"prefect_{runner}"
    if importlib.util.find_spec(package) is None:
        name = package.replace("_", "-")
        raise ValueError(f"runner {runner!r} needs {name}: pip install {name}, or choose threads")
    if runner == "dask":
        from prefect_dask import DaskTaskRunner

        return DaskTaskRunner(address=address)
    from prefect_ray import RayTaskRunner  # type: ignore[import-not-found,unused-ignore]

    return RayTaskRunner(address=address)
