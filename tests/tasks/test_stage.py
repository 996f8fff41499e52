"""What holds for every stage."""

import gc
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("prefect")

import tasks
from tasks.running.stage import STAGES, Stage
from tasks.store import code_digest
from tests.tasks.edits import forget

MODULES = [
    import_module(f"tasks.stages.{path.stem}")
    for path in Path(tasks.__file__).parent.joinpath("stages").glob("[a-z]*.py")
]
DECLARED = {
    name: each for m in MODULES for name, each in vars(m).items() if isinstance(each, Stage)
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_stage_is_the_one_of_its_name_wherever_it_is_sent(name: str) -> None:
    """A cluster's workers get tasks pickled, and must not get copies of the registry with them."""
    stage = DECLARED[name]
    assert STAGES[name] is stage
    assert pickle.loads(pickle.dumps(stage)) is stage
    task = pickle.loads(pickle.dumps(stage.task))
    assert task.fn.__self__ is stage
    assert task.name == name


def test_threads_that_start_at_once_get_one_digest() -> None:
    """Python 3.11 mixes up trees that threads parse in turns, as when one collects garbage."""
    objects = [[stage.work] for stage in DECLARED.values()]
    alone = [code_digest(*each) for each in objects]

    def let_others(phase: str, info: dict) -> None:
        time.sleep(1e-5)

    before = gc.get_threshold()
    gc.set_threshold(500)
    gc.callbacks.append(let_others)
    try:
        forget()
        with ThreadPoolExecutor(len(objects)) as pool:
            assert list(pool.map(lambda each: code_digest(*each), objects)) == alone
    finally:
        gc.callbacks.remove(let_others)
        gc.set_threshold(*before)
