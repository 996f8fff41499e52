"""A fit as plain JSON, for a worker that shares nothing with the sender but the store."""

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from tasks.experiments import Cell
from tasks.fit import fit_runs
from tasks.store import Artifact


@dataclass(frozen=True)
class FitCall:
    """The arguments of `tasks.fit.fit_runs`."""

    store: str
    cell: Cell
    data: Artifact
    graph: Artifact
    scores: Artifact
    embedding: Artifact
    splits: Artifact
    device: str = "cpu"


CALL = TypeAdapter(FitCall)


def to_json(call: FitCall) -> dict[str, Any]:
    """The call in the types of JSON."""
    return CALL.dump_python(call, mode="json")


def fit_from_json(call: dict[str, Any]) -> Artifact:
    """Do the fit; its result is in the store, under the key that the sender would have made."""
    return fit_runs(**vars(CALL.validate_python(call)))
