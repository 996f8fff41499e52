import ctypes
import threading

from tests.flgc.watched import Row, Worker


def _crash() -> None:
    ctypes.string_at(0)


def _hang() -> None:
    threading.Event().wait()


def _cryptic() -> None:
    raise KeyError("teleport=")


def _no_advice() -> None:
    raise ValueError("teleport=2 is wrong")


INSTRUMENT = [
    (Row("works", lambda: [1.0]), "works"),
    (Row("crash", _crash), "crash"),
    (Row("after a crash", lambda: [1.0]), "works"),
    (Row("hang", _hang), "hang"),
    (Row("after a hang", lambda: [1.0]), "works"),
    (Row("another type", _cryptic, "teleport="), "cryptic"),
    (Row("no advice", _no_advice, "teleport="), "cryptic"),
    (Row("an error where it should work", _no_advice), "cryptic"),
    (Row("an answer where it should not", lambda: [1.0], "teleport="), "silent"),
    (Row("not finite", lambda: [float("nan")]), "silent"),
    (Row("another answer", lambda: [1.0], same_as=lambda: [2.0]), "silent"),
]
ROWS = [row for row, _ in INSTRUMENT]


def test_the_watch_sees_crashes_hangs_and_bad_words():
    with Worker("tests.flgc.test_watched", per_row=2) as worker:
        for number, (row, kind) in enumerate(INSTRUMENT):
            found, _ = worker.outcome(number)
            assert (row.name, found) == (row.name, kind)
