from collections import Counter

import pytest

from tests.flgc.hostile import ROWS
from tests.flgc.watched import Worker
from tests.speeds import slow

KINDS = ("works", "clear", "cryptic", "silent", "hang", "crash")


@pytest.mark.parametrize("step", [11, slow(1)])
def test_every_hostile_input_works_or_is_refused_in_clear_words(step, capsys):
    assert len(ROWS) >= 2000
    assert len({row.name for row in ROWS}) == len(ROWS)
    with Worker("tests.flgc.hostile") as worker:
        outcomes = {ROWS[i].name: worker.outcome(i) for i in range(0, len(ROWS), step)}
    counts = Counter(kind for kind, _ in outcomes.values())
    with capsys.disabled():
        print("\n" + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS), "hostile inputs")
    bad = [
        f"{name}: {kind}: {seen}"
        for name, (kind, seen) in outcomes.items()
        if kind not in ("works", "clear")
    ]
    assert not bad, "\n".join([f"{len(bad)} of {len(outcomes)}:", *bad])
