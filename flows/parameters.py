"""The parameters of the flows of a suite, typed for Prefect's form, and the store in use."""

import functools
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from tasks.store import Store

# A suite by name, or a file that the process of the flow can read.
Suite = (
    Literal["paper", "tiny", "development", "heterophilous"]
    | Annotated[str, Field(pattern=r"\.toml$")]
)
Protocol = Literal["paper", "honest"]
Runs = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class Selection:
    """The part of a suite to run, and how; `flows.plan.plan_of` refuses what is not possible.

    `strict` fails a run whose data were not reachable; `quick` is 10 runs at most and one seed of
    each noise, in a report of its own.
    """

    suite: Suite = "paper"
    datasets: list[str] | None = None
    methods: list[str] | None = None
    protocols: list[Protocol] | None = None
    runs: Runs | None = None
    device: str = "auto"
    store: str | None = None
    _: KW_ONLY
    strict: bool = False
    quick: bool = False


@dataclass(frozen=True)
class Reproduction(Selection):
    """A selection of the whole paper, and where its tasks run."""

    runner: Literal["threads", "dask", "ray"] = "threads"
    address: str | None = None


def uses_store(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Have the store in use until the function ends, so that nobody prunes what it has made."""

    @functools.wraps(work)
    def run(chosen: Any) -> Any:
        with Store(chosen.store).in_use():
            return work(chosen)

    return run
