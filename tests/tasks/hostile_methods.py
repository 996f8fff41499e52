"""Methods of others that do what no method should, and the error that each one gets."""

import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flgc.methods.base import Method, Outputs

SOME = 135  # nodes of iris that are asked for


def call(function: Any, given: Any) -> Any:
    return function(*given)


def call_back(n: int, f: Any) -> Any:
    return (*f(n), os.getpid())


class Hostile(Method):
    """Gives the first class everywhere, once it has done its mischief."""

    name = "hostile"

    def outputs(self, problem: Any, grid: Any) -> Any:
        self.spoil(problem)
        return self.given(problem)

    def spoil(self, problem: Any) -> None:
        pass

    def given(self, problem: Any) -> Any:
        return iter([({}, Outputs([self.classes(len(asked)) for asked in problem.asked]))])

    def classes(self, n: int) -> Any:
        return np.zeros(n, int)


class Exits(Hostile):
    def spoil(self, problem: Any) -> None:
        sys.exit(0)


class ExitsAtOnce(Hostile):
    def spoil(self, problem: Any) -> None:
        os._exit(0)


class Raises(Hostile):
    def spoil(self, problem: Any) -> None:
        raise ValueError("not today")


class Interrupts(Hostile):
    def spoil(self, problem: Any) -> None:
        raise KeyboardInterrupt


class Unspeakable(Hostile):
    def spoil(self, problem: Any) -> None:
        class Mute(BaseException):
            def __str__(self) -> str:
                raise SystemExit(0)

        raise Mute


class Dies(Hostile):
    def spoil(self, problem: Any) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)


class Hangs(Hostile):
    def spoil(self, problem: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1e6)


class Eats(Hostile):
    def spoil(self, problem: Any) -> None:
        pieces: list[Any] = []
        while True:
            pieces.append(np.ones(5 * 10**7))


class Forks(Hostile):
    """Both go on, and the second does not end."""

    def spoil(self, problem: Any) -> None:
        if os.fork() == 0:
            time.sleep(1e6)


class ForksTwice(Hostile):
    """Both give an answer."""

    forked = False

    def spoil(self, problem: Any) -> None:
        if not ForksTwice.forked:
            ForksTwice.forked = True
            os.fork()


class LeavesThreads(Hostile):
    def spoil(self, problem: Any) -> None:
        threading.Thread(target=time.sleep, args=(1e6,)).start()


class Prints(Hostile):
    def spoil(self, problem: Any) -> None:
        for _ in range(64):
            print("x" * 10**6)
            sys.stderr.write("y" * 10**6)
            os.write(1, b"z" * 10**6)


class Closes(Hostile):
    """Closes what it can: the way on which its answer goes, too."""

    def spoil(self, problem: Any) -> None:
        os.closerange(0, 1000)


class ChangesData(Hostile):
    def spoil(self, problem: Any) -> None:
        problem.X[:] = 0
        problem.labels[:] = 0
        problem.P.data[:] = 0
        for asked in problem.asked:
            asked[:] = 0


class ChangesProcess(Hostile):
    def spoil(self, problem: Any) -> None:
        np.random.seed(0)  # noqa: NPY002
        random.seed(0)
        np.seterr(all="raise")
        warnings.simplefilter("error")
        os.environ.clear()
        os.chdir("/")
        sys.path.clear()
        np.linalg.solve = np.dot = None  # type: ignore[assignment]


def answering(name: str, classes: Callable[[int], Any]) -> type[Hostile]:
    """A method that gives these classes for so many nodes."""
    return type(name, (Hostile,), {"classes": staticmethod(classes), "__module__": __name__})


Wide = answering("Wide", lambda n: np.zeros((n, 2), int))
Few = answering("Few", lambda n: np.zeros(3, int))
Gaps = answering("Gaps", lambda n: np.where(np.arange(n) == 7, np.nan, 0))
Halves = answering("Halves", lambda n: np.full(n, 0.5))
Letters = answering("Letters", lambda n: np.full(n, "a"))
Unknown = answering("Unknown", lambda n: np.full(n, 99))
Ragged = answering("Ragged", lambda n: [[0, 1]] * (n - 1) + [[0]])
Lists = answering("Lists", lambda n: [0] * n)
Lazy = answering("Lazy", lambda n: (0 for _ in range(n)))


class Nothing(Hostile):
    def given(self, problem: Any) -> Any:
        return None


class Silent(Hostile):
    def given(self, problem: Any) -> Iterator[Any]:
        return iter([])


class Bare(Hostile):
    def given(self, problem: Any) -> Any:
        return np.zeros(SOME)


# The end of the step's error; None where it has a result.
ERRORS: dict[type[Hostile], str | None] = {
    Exits: "SystemExit: 0",
    ExitsAtOnce: "ended its process with code 0",
    Raises: "ValueError: not today",
    Interrupts: "KeyboardInterrupt",
    Unspeakable: "Mute",
    Dies: "its process was killed by SIGSEGV",
    Hangs: "was stopped after 20 s; set FLGC_METHOD_SECONDS to allow more",
    Eats: "set FLGC_METHOD_GB to allow more than 1 GB",
    Forks: None,
    ForksTwice: None,
    LeavesThreads: None,
    Prints: None,
    Closes: "ended its process with code 0",
    ChangesData: None,
    ChangesProcess: None,
    Wide: f"classes of a run have shape ({SOME}, 2); give ({SOME},)",
    Few: f"classes of a run have shape (3,); give ({SOME},)",
    Gaps: "nan is among the classes; give 0 to 2",
    Halves: "0.5 is among the classes; give 0 to 2",
    Letters: "'a' is among the classes; give codes",
    Unknown: "99 is among the classes; give 0 to 2",
    Ragged: "inhomogeneous shape",
    Lists: None,
    Nothing: "outputs gave None; yield (setting, Outputs)",
    Lazy: "classes of a run have type generator; give an array",
    Silent: "no outputs for {}; yield each",
    Bare: "gave np.float64(0.0); yield (setting, Outputs)",
}
