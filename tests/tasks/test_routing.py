"""Where a fit goes, decided against a scripted server; the real one is in tests/deployments."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("prefect")

from prefect.exceptions import ObjectNotFound
from prefect.states import Completed, Crashed, Failed, Pending, Running, Scheduled

from flows.fit_on_gpu import resolve
from tasks import routing
from tasks.pools import GPU_POOL


@dataclass
class ScriptedServer:
    """Answers in turn; the last answer stays."""

    workers: list[list[str] | None]
    states: list[Any] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)
    cancelled: bool = False

    def read_workers_for_work_pool(self, pool: str) -> list[Any]:
        assert pool == GPU_POOL
        now = self.workers.pop(0) if len(self.workers) > 1 else self.workers[0]
        if now is None:
            raise ObjectNotFound(LookupError(pool))
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
        server, "tasks.fit:fit", {"key": "k"}, label="fit iris", sleep=lambda _: None
    )


def test_a_fit_is_sent_with_its_arguments_and_waited_for() -> None:
    states = [Scheduled(), Pending(), Running(), Completed()]
    server = ScriptedServer([["ONLINE"]], states)
    assert send(server)
    assert server.sent["parameters"] == {"function": "tasks.fit:fit", "arguments": {"key": "k"}}
    assert server.sent["name"] == "fit iris"


@pytest.mark.parametrize("end", [Failed(message="out of memory"), Crashed()])
def test_a_fit_that_ends_badly_there_is_left_to_the_caller(end: Any) -> None:
    assert not send(ScriptedServer([["ONLINE"]], [Running(), end]))


def test_a_fit_that_nobody_takes_is_withdrawn() -> None:
    server = ScriptedServer([["ONLINE"], ["ONLINE"], ["OFFLINE"]], [Scheduled()])
    assert not send(server)
    assert server.cancelled


def test_a_fit_that_has_begun_is_waited_for_whatever_the_workers_say() -> None:
    assert send(ScriptedServer([["OFFLINE"]], [Running(), Running(), Completed()]))


def test_without_a_deployment_the_caller_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Any, name: str) -> Any:
        raise ObjectNotFound(LookupError(name))

    monkeypatch.setattr(ScriptedServer, "read_deployment_by_name", missing)
    assert not send(ScriptedServer([["ONLINE"]]))


def test_only_functions_of_the_tasks_can_be_asked_for() -> None:
    assert resolve("tasks.routing:fit_where") is routing.fit_where
    for function in ("os:system", "tasks:x", "tasks.routing", "tasks.routing:a.b"):
        with pytest.raises(ValueError, match="must read"):
            resolve(function)
    with pytest.raises(ValueError, match="has no function 'nothing'"):
        resolve("tasks.routing:nothing")
