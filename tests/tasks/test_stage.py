"""What holds for every stage."""

import pickle
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("prefect")

import tasks
from tasks.running.stage import STAGES, Stage

NAMES = sorted(
    path.stem for path in Path(tasks.__file__).parent.joinpath("stages").glob("[a-z]*.py")
)


@pytest.mark.parametrize("name", NAMES)
def test_a_stage_is_the_one_of_its_file_wherever_it_is_sent(name: str) -> None:
    """A cluster's workers get tasks pickled, and must not get copies of the registry with them."""
    stage = getattr(import_module(f"tasks.stages.{name}"), name)
    assert isinstance(stage, Stage)
    assert STAGES[name] is stage
    assert pickle.loads(pickle.dumps(stage)) is stage
    task = pickle.loads(pickle.dumps(stage.task))
    assert task.fn.__self__ is stage
    assert task.name == name
