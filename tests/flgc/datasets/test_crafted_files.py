from tests.flgc.datasets.crafted import ROWS
from tests.flgc.watched import Worker


def test_no_crafted_file_ends_the_process():
    assert len(ROWS) >= 36
    with Worker("tests.flgc.datasets.crafted") as worker:
        outcomes = {row.name: worker.outcome(number) for number, row in enumerate(ROWS)}
    bad = {name: seen for name, seen in outcomes.items() if seen[0] not in ("works", "clear")}
    assert not bad
