import pytest

from tests.flgc.datasets.crafted import ROWS
from tests.flgc.watched import Worker
from tests.speeds import slow


@pytest.mark.parametrize("step", [7, slow(1)])
def test_no_crafted_file_ends_the_process(step):
    assert len(ROWS) >= 36
    with Worker("tests.flgc.datasets.crafted") as worker:
        outcomes = {ROWS[i].name: worker.outcome(i) for i in range(0, len(ROWS), step)}
    bad = {name: seen for name, seen in outcomes.items() if seen[0] not in ("works", "clear")}
    assert not bad
