"""A stage of the pipeline: one plain function, one artifact, one Prefect task.

The plain function takes inputs that were read from the store, and returns what is stored next. The
key has its parameters and its code, and neither is listed by hand.
"""

import dataclasses
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NoReturn

from prefect import Task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.states import Completed

from flgc.datasets.errors import NotReachable
from flgc.progress import listening
from tasks.running.isolated import methods_in, outside_methods, run_isolated
from tasks.running.nested import leaves, map_leaves
from tasks.running.progress import shown_progress
from tasks.running.routing import gpu_first
from tasks.store import Artifact, Store
from tasks.store.layouts import layout_of, load

# By name, under which they travel to workers.
STAGES: dict[str, "Stage"] = {}
# When stages were at work in this process: the rest of a run's time is orchestration.
_busy: list[tuple[float, float]] = []
# What each thread of this process works on, and since when.
_at_work: dict[int, tuple[str, float]] = {}


class Stage:
    """`stage(store, about, **given)` returns the artifact; `stage.submit(...)` runs that as a task.

    Artifacts among the arguments are inputs of the key, and are read for the function. The others
    are parameters of the key, except those named in `outside`, which are only passed on. In place
    of a `method`, "task:name", the function gets the method of that name, whose code joins the key.

    Three hooks take the store and the arguments. `resolve` returns the arguments with what a caller
    does not know. `code` returns code that runs because an argument names it; None if neither that
    nor the method's code runs, so that a method from outside needs no process of its own. `extra`
    returns further arguments of the function that change no result, such as a cache.
    """

    def __init__(
        self,
        name: str,
        work: Callable[..., Any],
        *,
        outside: Sequence[str] = ("device",),
        code: Callable[..., Iterable[Any] | None] | None = None,
        extra: Callable[..., Mapping[str, Any]] | None = None,
        resolve: Callable[..., dict[str, Any]] | None = None,
        gpu: bool = False,
        retries: int = 0,
    ) -> None:
        self.name, self.work, self.outside, self.gpu = name, work, outside, gpu
        self.code, self.extra, self.resolve = code, extra, resolve
        self.layout = layout_of(name)
        STAGES[name] = self
        self.routed = gpu_first(self) if gpu else self
        self.task: Task[..., Any] = Task(
            self._as_task,
            name=name,
            task_run_name=f"{name} {{about}}",
            retries=retries,
            retry_delay_seconds=[2.0 * 4**i for i in range(retries)],
            retry_condition_fn=_may_pass,
            cache_policy=NO_CACHE,
            persist_result=False,
        )

    def submit(self, store: str, about: str, *, wait_for: Sequence[Any] = (), **given: Any) -> Any:
        """The future of the artifact; it waits for futures among the arguments.

        Prefect looks for them in every collection, so arguments without any are hidden from it.
        """
        waiting = {name: value for name, value in given.items() if _has_future(value)}
        rest = SimpleNamespace(**{n: value for n, value in given.items() if n not in waiting})
        return self.task.submit(store, about, waiting, rest, wait_for=list(wait_for))

    def __reduce__(self) -> tuple[Any, ...]:
        """By name, under which workers of a cluster find it."""
        return _stage_of, (self.name,)

    def _as_task(
        self, store: str, about: str, waiting: dict[str, Any], rest: SimpleNamespace
    ) -> Any:
        """The artifact, or the state `Cached` if the store had it."""
        started, thread = time.perf_counter(), threading.get_ident()
        _at_work[thread] = (f"{self.name} {about}", started)
        try:
            artifact = self.routed(store, about, **waiting, **vars(rest))
        finally:
            del _at_work[thread]
            _busy.append((started, time.perf_counter()))
        if artifact.cached:
            return Completed(name="Cached", message=f"in the store: {artifact.key}", data=artifact)
        return artifact

    def __call__(self, store: str, about: str = "", **given: Any) -> Artifact:
        return Store(store).get_or_compute(**self._request(store, about, given))

    def stored(self, store: str, **given: Any) -> Artifact | None:
        """The artifact if the store has it; nothing is computed."""
        request = self._request(store, "", given)
        try:
            return Store(store).get_or_compute(**{**request, "compute": _absent})
        except Absent:
            return None

    def _request(self, store: str, about: str, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments of `Store.get_or_compute`."""
        given = self.resolve(store, **given) if self.resolve else given
        provenance = {"about": about}
        inputs = {name: value for name, value in given.items() if any(artifacts_in(value))}
        unkeyed = {*inputs, *self.outside}
        parameters = {name: value for name, value in given.items() if name not in unkeyed}
        methods = methods_in(parameters)
        keyed = map_leaves(_as_data, parameters)
        keyed |= map_leaves(lambda method: method.parameters(), methods)
        further = self.code(store, **given) if self.code else ()
        stages = sorted({each.stage for each in artifacts_in(inputs)})  # in one order
        readers = [layout_of(stage).read for stage in stages]

        def compute() -> Any:
            extra = self.extra(store, **given) if self.extra else {}
            arguments = read(store, given)
            if further is not None and (names := outside_methods(parameters)):
                result = run_isolated(names, self.work, arguments, extra)
            else:
                with listening(shown_progress()):
                    result = self.work(**arguments | methods, **extra)
            provenance.update(self.layout.provenance(result))
            return self.layout.write(result)

        return {
            "stage": self.name,
            "code": [self.work, self.layout.write, *readers, *leaves(methods), *(further or ())],
            "compute": compute,
            "parameters": keyed,
            "inputs": inputs,
            "provenance": provenance,  # read after the computation
        }


class Absent(Exception):
    """The store does not have it."""


def _absent() -> NoReturn:
    raise Absent


def _stage_of(name: str) -> Stage:
    """The stage of that name, whose module may not be imported yet."""
    for module in ("cells", "products", "history", "report"):
        if name not in STAGES:
            import_module(f"tasks.stages.{module}")
    return STAGES[name]


def _has_future(value: Any) -> bool:
    return any(isinstance(leaf, PrefectFuture) for leaf in leaves(value))


def artifacts_in(value: Any) -> Iterator[Artifact]:
    """The artifacts in a value: itself, or those in its lists and mappings."""
    return (leaf for leaf in leaves(value) if isinstance(leaf, Artifact))


def read(store: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the contents of artifacts in their place."""
    load_from = partial(load, Store(store))
    return {
        name: map_leaves(load_from, value) if any(artifacts_in(value)) else value
        for name, value in given.items()
    }


def _as_data(value: Any) -> Any:
    """Declarations as dictionaries."""
    declared = dataclasses.is_dataclass(value) and not isinstance(value, type)
    return dataclasses.asdict(value) if declared else value


def _may_pass(task: Any, task_run: Any, state: Any) -> bool:
    """May a fault be gone in seconds? `NotReachable` means that every source was tried."""
    return not isinstance(state.data, NotReachable)


def at_work() -> dict[str, float]:
    """The steps that this process runs, `score iris FLGC*` for one, with their seconds so far."""
    now = time.perf_counter()
    running = sorted(_at_work.copy().values(), key=lambda step: step[1])
    return {name: now - started for name, started in running}


def about_of_this_thread() -> str:
    """What its step is about, `iris FLGC*` for one; threads of a step's own get all at work."""
    own = _at_work.get(threading.get_ident())
    steps = [own[0]] if own else list(at_work())
    return " or ".join(step.partition(" ")[2] for step in steps)


def busy_seconds(since: float = float("-inf")) -> float:
    """How long at least one stage of this process was at work, since a `time.perf_counter()`."""
    total, reached = 0.0, since
    for start, end in sorted(_busy):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
