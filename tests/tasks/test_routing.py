"""Where a fit goes, decided against a scripted server; the real one is in tests/deployments."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("prefect")

from prefect.exceptions import ObjectNotFound
from prefect.states import Completed, Crashed, Failed, Paused, Pending, Running, Scheduled
from pydantic_core import to_jsonable_python

from flows.dag import subjects_of
from flows.fit_on_gpu import fit_on_gpu, resolve, typed
from tasks.declared.experiments import SUITES, Cell
from tasks.running import routing
from tasks.running.pools import GPU_POOL
from tasks.select import score_settings
from tasks.stages.dataset import fetch_dataset
from tasks.stages.graph import build_graph
from tasks.stages.splits import draw_splits
from tasks.store.store import Artifact


@dataclass
class ScriptedServer:
    """Answers in turn; the last answer stays."""

    workers: list[list[str] | None]
    states: list[Any] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)
    cancelled: bool = False
    paused: str | None = None

    def read_work_pool(self, pool: str) -> Any:
        assert pool == GPU_POOL
        if self.workers[0] is None:
            raise ObjectNotFound(LookupError(pool))
        return SimpleNamespace(is_paused=self.paused == "pool", default_queue_id="default")

    def read_work_queue(self, queue: str) -> Any:
        assert queue == "default"
        return SimpleNamespace(is_paused=self.paused == "queue")

    def read_workers_for_work_pool(self, pool: str) -> list[Any]:
        now = self.workers.pop(0) if len(self.workers) > 1 else self.workers[0]
        assert now is not None
        return [SimpleNamespace(status=status) for status in now]

    def read_deployment_by_name(self, name: str) -> Any:
        return SimpleNamespace(id=name)

    def create_flow_run_from_deployment(self, deployment_id: str, **request: Any) -> Any:
        self.sent = request
        return SimpleNamespace(id="run")

    def read_flow_run(self, _: str) -> Any:
        return SimpleNamespace(state=self.states.pop(0) if len(self.states) > 1 else self.states[0])

    def set_flow_run_state(self, _: str, state: Any) -> None:
        self.cancelled = state.is_cancelled()


@pytest.mark.parametrize(
    ("workers", "place"),
    [
        (None, "in process"),
        ([], "in process"),
        (["OFFLINE"], "in process"),
        (["OFFLINE", "ONLINE"], "flgc-gpu"),
    ],
)
def test_a_fit_goes_to_the_pool_only_when_a_worker_of_it_lives(
    workers: list[str] | None, place: str
) -> None:
    assert routing.fit_where(ScriptedServer([workers])) == place


def test_a_fit_on_the_pool_is_not_sent_there_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would wait for the worker that waits for it."""
    monkeypatch.setattr(routing.runtime, "flow_run", SimpleNamespace(flow_name="fit-on-gpu"))
    assert routing.fit_where(ScriptedServer([["ONLINE"]])) == "in process"


def send(server: ScriptedServer) -> bool:
    return routing.fit_on_gpu_pool(
        server, "tasks.stages.fit:fit", {"key": "k"}, label="fit iris", sleep=lambda _: None
    )


def test_a_fit_is_sent_with_its_arguments_and_waited_for() -> None:
    states = [Scheduled(), Pending(), Running(), Completed()]
    server = ScriptedServer([["ONLINE"]], states)
    assert send(server)
    assert server.sent["parameters"] == {
        "function": "tasks.stages.fit:fit",
        "arguments": {"key": "k"},
    }
    assert server.sent["name"] == "fit iris"


@pytest.mark.parametrize("end", [Failed(message="out of memory"), Crashed()])
def test_a_fit_that_ends_badly_there_is_left_to_the_caller(end: Any) -> None:
    assert not send(ScriptedServer([["ONLINE"]], [Running(), end]))


def test_a_fit_that_nobody_takes_is_withdrawn() -> None:
    server = ScriptedServer([["ONLINE"], ["ONLINE"], ["OFFLINE"]], [Scheduled()])
    assert not send(server)
    assert server.cancelled


@pytest.mark.parametrize("paused", ["pool", "queue"])
def test_nothing_waits_for_a_paused_pool(paused: str) -> None:
    server = ScriptedServer([["ONLINE"]], [Scheduled()], paused=paused)
    assert routing.fit_where(server) == "in process"
    assert not send(server)
    assert server.cancelled


@pytest.mark.parametrize("state", [Scheduled(), Pending(), Paused()])
def test_a_fit_that_nobody_begins_is_withdrawn_in_the_end(state: Any) -> None:
    """Workers that are online may be of another network, or stand still."""
    server = ScriptedServer([["ONLINE"]], [state])
    slept: list[float] = []
    assert not routing.fit_on_gpu_pool(
        server, "tasks.stages.fit:fit", {}, label="fit", sleep=slept.append
    )
    assert sum(slept) == routing.START_SECONDS
    assert server.cancelled


def test_a_fit_that_has_begun_is_waited_for_whatever_the_workers_say() -> None:
    assert send(ScriptedServer([["OFFLINE"]], [Running(), Running(), Completed()]))


def test_without_a_deployment_the_caller_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Any, name: str) -> Any:
        raise ObjectNotFound(LookupError(name))

    monkeypatch.setattr(ScriptedServer, "read_deployment_by_name", missing)
    assert not send(ScriptedServer([["ONLINE"]]))


def test_every_cell_survives_the_way_to_a_worker() -> None:
    """Equal in type too: a 4 that comes back as 4.0 has another key in the store."""
    for experiment in (each for suite in SUITES.values() for each in suite):
        for subject in subjects_of(experiment):
            cell = Cell(experiment, subject, experiment.methods[0], "honest")
            sent = json.loads(json.dumps(to_jsonable_python({"cell": cell})))
            assert repr(typed(score_settings, sent)["cell"]) == repr(cell)


@pytest.mark.parametrize("name", ["uci-tiny", "clustering-tiny"])
def test_a_worker_stores_under_the_key_that_the_sender_looks_up(name: str, tmp_path: Path) -> None:
    store = str(tmp_path)
    (experiment,) = (each for each in SUITES["tiny"] if each.name == name)
    cell = Cell(experiment, subjects_of(experiment)[0], "FLGC*", "paper")
    dataset = cell.subject.dataset
    data = fetch_dataset(store, dataset)
    drawn = None
    if experiment.split:
        drawn = draw_splits(store, data, dataset, name, experiment.split, experiment.runs)
    graph = build_graph(store, data, dataset, cell.preparation, "paper")
    given = {"store": store, "cell": cell, "data": data, "graph": graph, "splits": drawn}
    fit_on_gpu.fn("tasks.select:score_settings", json.loads(json.dumps(to_jsonable_python(given))))
    assert score_settings(**given).cached


@pytest.fixture
def in_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routing.TaskRunContext, "get", lambda: "a task")


stored: list[str] = []


def stage(store: str, device: str = "cpu") -> Artifact:
    """A stage that computes what is not stored, and says where."""
    cached = bool(stored)
    if not cached:
        routing.hand_over()
        stored.append("in process")
    return Artifact("key", "digest", "fit", 1, 0.0, cached)


@pytest.mark.usefixtures("in_a_task")
@pytest.mark.parametrize(
    ("device", "worker_does_it", "computed"),
    [("auto", True, "worker"), ("auto", False, "in process"), ("cpu", True, "in process")],
)
def test_a_stage_computes_what_no_worker_did(
    monkeypatch: pytest.MonkeyPatch, device: str, worker_does_it: bool, computed: str
) -> None:
    stored.clear()

    def send(work: Any, given: dict[str, Any]) -> bool:
        assert given == {"store": "here", "device": device}
        if worker_does_it:
            stored.append("worker")
        return worker_does_it

    monkeypatch.setattr(routing, "_send", send)
    routed = routing.gpu_first(stage)
    assert not routed("here", device=device).cached
    assert stored == [computed]
    assert routed("here", device=device).cached, "nothing is sent for what is stored"


def test_outside_of_a_task_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    stored.clear()
    monkeypatch.delattr(routing, "_send")
    assert not routing.gpu_first(stage)("here", device="auto").cached


def test_only_functions_of_the_tasks_can_be_asked_for() -> None:
    assert resolve("tasks.running.routing:fit_where") is routing.fit_where
    for function in ("os:system", "tasks:x", "tasks.running.routing", "tasks.running.routing:a.b"):
        with pytest.raises(ValueError, match="must read"):
            resolve(function)
    with pytest.raises(ValueError, match="has no function 'nothing'"):
        resolve("tasks.running.routing:nothing")
