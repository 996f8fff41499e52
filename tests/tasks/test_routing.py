"""Where a fit goes, decided against a scripted server; the real one is in tests/deployments."""

import dataclasses
import json
import logging
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("prefect")

from prefect.exceptions import ObjectNotFound
from prefect.states import Completed, Crashed, Failed, Paused, Pending, Running, Scheduled
from pydantic_core import to_jsonable_python

from flows.dag import dag_of
from flows.fit_on_gpu import GPU_STAGES, fit_on_gpu
from flows.plan import Plan
from tasks.declared.suites import SUITES
from tasks.declared.types import Cell
from tasks.running import routing
from tasks.running.nested import map_leaves
from tasks.running.pools import GPU_POOL
from tasks.running.stage import STAGES
from tasks.running.steps import Step, chain_of, with_results
from tasks.store import Artifact
from tasks.store.digests import canonical_json
from tests.tasks.chain import dag_of_cell


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
    ("workers", "online"), [(None, 0), ([], 0), (["OFFLINE"], 0), (["OFFLINE", "ONLINE"], 1)]
)
def test_workers_count_that_live(workers: list[str] | None, online: int) -> None:
    assert routing.gpu_workers_online(ScriptedServer([workers])) == online


@pytest.mark.parametrize(
    ("workers", "flow", "sent"),
    [("OFFLINE", "uci", False), ("ONLINE", "uci", True), ("ONLINE", "fit-on-gpu", False)],
)
def test_a_fit_is_sent_to_a_worker_that_lives_but_not_from_there(
    monkeypatch: pytest.MonkeyPatch, workers: str, flow: str, sent: bool
) -> None:
    """It would wait for the worker that waits for it."""
    server = ScriptedServer([[workers]], [Completed()])
    runtime = SimpleNamespace(
        flow_run=SimpleNamespace(flow_name=flow), task_run=SimpleNamespace(name="fit iris")
    )
    monkeypatch.setattr(routing, "runtime", runtime)
    monkeypatch.setattr(routing, "get_client", lambda sync_client: nullcontext(server))
    assert routing._send("fit", "here", "iris", {"grid": {"hops": (1, 2)}}) is sent
    if sent:
        given = {"grid": {"hops": [1, 2]}}
        expected = {"stage": "fit", "store": "here", "about": "iris", "given": given}
        assert (server.sent["parameters"], server.sent["name"]) == (expected, "fit iris")


def send(server: ScriptedServer) -> bool:
    return routing.fit_on_gpu_pool(server, "fit", {}, label="fit", sleep=lambda _: None)


@pytest.mark.parametrize(
    ("workers", "states", "done", "withdrawn"),
    [
        (["ONLINE"], [Scheduled(), Pending(), Running(), Completed()], True, False),
        (["OFFLINE"], [Running(), Running(), Completed()], True, False),
        (["ONLINE"], [Running(), Failed(message="out of memory")], False, False),
        (["ONLINE"], [Running(), Crashed()], False, False),
        (["ONLINE", "ONLINE", "OFFLINE"], [Scheduled()], False, True),
    ],
    ids=["done", "begun, whatever workers say", "failed", "crashed", "taken by nobody"],
)
def test_a_fit_is_waited_for_and_left_to_the_caller_where_no_worker_does_it(
    workers: list[str], states: list[Any], done: bool, withdrawn: bool
) -> None:
    server = ScriptedServer([[status] for status in workers], states)
    assert send(server) is done
    assert server.cancelled is withdrawn


@pytest.mark.parametrize("paused", ["pool", "queue"])
def test_nothing_waits_for_a_paused_pool(paused: str) -> None:
    server = ScriptedServer([["ONLINE"]], [Scheduled()], paused=paused)
    assert routing.gpu_workers_online(server) == 0
    assert not send(server)
    assert server.cancelled


@pytest.mark.parametrize("state", [Scheduled(), Pending(), Paused()])
def test_a_fit_that_nobody_begins_is_withdrawn_in_the_end(state: Any) -> None:
    """Workers that are online may be of another network, or stand still."""
    server = ScriptedServer([["ONLINE"]], [state])
    slept: list[float] = []
    assert not routing.fit_on_gpu_pool(server, "fit", {}, label="fit", sleep=slept.append)
    assert sum(slept) == routing.START_SECONDS
    assert server.cancelled


def test_without_a_deployment_the_caller_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Any, name: str) -> Any:
        raise ObjectNotFound(LookupError(name))

    monkeypatch.setattr(ScriptedServer, "read_deployment_by_name", missing)
    assert not send(ScriptedServer([["ONLINE"]]))


@pytest.mark.parametrize("suite", ["tiny", pytest.param("paper", marks=pytest.mark.slow)])
def test_what_a_stage_is_given_survives_the_way_to_a_worker(suite: str) -> None:
    """Equal in type too: a 4 that comes back as 4.0 has another key in the store."""
    artifact = Artifact("dataset-0", "d", "dataset", 150, 0.5, cached=True)
    assert arrived({"data": artifact, "picks": {"a": [artifact]}}) == {
        "data": artifact,
        "picks": {"a": [artifact]},
    }
    for experiment in SUITES[suite]:
        plan = Plan("", (experiment,), ("paper", "honest"), "cpu", "")
        steps = [step for step in dag_of(plan, experiment).table.steps if step.stage.gpu]
        assert steps
        for step in steps:
            given = map_leaves(lambda leaf: None if isinstance(leaf, Step) else leaf, step.given)
            assert canonical_json(arrived(given)) == canonical_json(given)


def arrived(given: Any) -> Any:
    return routing.unpacked(json.loads(json.dumps(to_jsonable_python(given))))


@pytest.mark.parametrize("name", ["uci-tiny", "clustering-tiny"])
def test_a_worker_stores_under_the_key_that_the_sender_looks_up(name: str, tmp_path: Path) -> None:
    (experiment,) = (each for each in SUITES["tiny"] if each.name == name)
    experiment = dataclasses.replace(experiment, runs=1)
    cell = Cell(experiment, experiment.subjects[0], "FLGC*", "paper")
    done: list[str] = []

    made: dict[Step, Artifact] = {}
    for step in chain_of(dag_of_cell(cell).cells[0].result):
        given = with_results(step.given, made)
        if step.stage.gpu:
            sent = json.loads(json.dumps(to_jsonable_python(given)))
            fit_on_gpu.fn(step.stage.name, str(tmp_path), step.about, sent)
            done.append(step.stage.name)
        made[step] = step.stage(str(tmp_path), step.about, **given)
        assert made[step].cached is step.stage.gpu
    prepared = experiment.prepared(cell.subject.dataset, "paper")
    assert done == [*["score"] * len(prepared), "fit"]


@pytest.fixture
def in_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    task = SimpleNamespace(task_run=SimpleNamespace(name="fit iris"))
    monkeypatch.setattr(routing.TaskRunContext, "get", lambda: task)


class Toy:
    """A stage that computes what is not stored, and says where."""

    name = "fit"

    def __init__(self) -> None:
        self.places: list[str] = []

    def __call__(self, store: str, about: str, device: str) -> Artifact:
        cached = bool(self.places)
        if not cached:
            self.places.append("in process")
        return Artifact("key", "digest", "fit", 1, 0.0, cached)

    def stored(self, store: str, device: str) -> Artifact | None:
        return self(store, "", device) if self.places else None


@pytest.mark.usefixtures("in_a_task")
@pytest.mark.parametrize(
    ("device", "worker_does_it", "place"),
    [("auto", True, "worker"), ("auto", False, "in process"), ("cpu", True, "in process")],
)
def test_a_stage_computes_what_no_worker_did(
    monkeypatch: pytest.MonkeyPatch, device: str, worker_does_it: bool, place: str
) -> None:
    toy = Toy()

    def send(stage: str, store: str, about: str, given: dict[str, Any]) -> bool:
        assert (stage, store, about, given) == ("fit", "here", "iris", {"device": device})
        if worker_does_it:
            toy.places.append("worker")
        return worker_does_it

    monkeypatch.setattr(routing, "_send", send)
    routed = routing.gpu_first(toy)
    assert not routed("here", "iris", device=device).cached
    assert toy.places == [place]
    monkeypatch.delattr(routing, "_send")
    assert routed("here", "iris", device=device).cached, "nothing is sent for what is stored"


@pytest.mark.usefixtures("in_a_task")
def test_a_result_that_went_elsewhere_is_computed_here_and_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The worker has another store, or other code."""
    toy = Toy()
    monkeypatch.setattr(routing, "_send", lambda *request: True)
    monkeypatch.setattr(routing, "get_logger", logging.getLogger)
    assert not routing.gpu_first(toy)("here", "iris", device="auto").cached
    assert toy.places == ["in process"]
    assert "its result is not in this store" in caplog.text


def test_outside_of_a_task_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(routing, "_send")
    assert not routing.gpu_first(Toy())("here", "iris", device="auto").cached


@pytest.mark.parametrize("name", ["dataset", "report", "os:system", "tasks.stages.fit:fit", ""])
def test_only_scores_and_fits_can_be_asked_for(name: str, tmp_path: Path) -> None:
    assert set(GPU_STAGES) == {"score", "fit"} == {s.name for s in STAGES.values() if s.gpu}
    with pytest.raises(ValueError, match="is not one of score, fit"):
        fit_on_gpu.fn(name, str(tmp_path), "iris", {})
    assert not list(tmp_path.iterdir())
