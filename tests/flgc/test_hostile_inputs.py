from collections import Counter
from importlib.util import find_spec

from tests.flgc.hostile import ROWS
from tests.flgc.watched import Worker

KINDS = ("works", "clear", "cryptic", "silent", "hang", "crash")


def test_every_hostile_input_works_or_is_refused_in_clear_words(capsys):
    assert len(ROWS) >= 400
    assert len({row.name for row in ROWS}) == len(ROWS)
    absent = {row.needs for row in ROWS if row.needs and find_spec(row.needs) is None}
    tried = [number for number, row in enumerate(ROWS) if row.needs not in absent]
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
