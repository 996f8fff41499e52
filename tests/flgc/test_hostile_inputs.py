from collections import Counter
from importlib.util import find_spec

import pytest

from tests.flgc.hostile import ROWS
from tests.flgc.watched import Worker
from tests.speeds import slow

KINDS = ("works", "clear", "cryptic", "silent", "hang", "crash")


@pytest.mark.parametrize("step", [11, slow(1)])
def test_every_hostile_input_works_or_is_refused_in_clear_words(step, capsys):
    assert len(ROWS) >= 2000
    assert len({row.name for row in ROWS}) == len(ROWS)
    absent = {row.needs for row in ROWS if row.needs and find_spec(row.needs) is None}
    tried = [i for i, row in enumerate(ROWS) if i % step == 0 and row.needs not in absent]
    with Worker("tests.flgc.hostile") as worker:
        outcomes = {ROWS[number].name: worker.outcome(number) for number in tried}
    counts = Counter(kind for kind, _ in outcomes.values())
    with capsys.disabled():
        print("\n" + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS), "hostile inputs")
        for name in (row.name for row in ROWS if row.needs in absent):
            print("skipped for want of a package:", name)
    bad = [
        f"{name}: {kind}: {seen}"
        for name, (kind, seen) in outcomes.items()
        if kind not in ("works", "clear")
    ]
    assert not bad, "\n".join([f"{len(bad)} of {len(outcomes)}:", *bad])
