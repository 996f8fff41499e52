"""Break promises on purpose and see that the tests notice: `make promises`.

`tests/mutants.toml` lists changes after which a promise would be broken, each with the tests that
must notice it. Each is made in a copy of the checkout, never in the checkout itself. Exits with 1
unless every mutant is killed.
"""

import argparse
import contextlib
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

LIST = "tests/mutants.toml"
SIDE_BY_SIDE = 2
SECONDS = 120.0  # for the tests of one mutant
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "artifacts", "mutants")
KILLED, SURVIVED, LATE = "killed", "survived", "no answer"
NO_LONGER_APPLIES, FAILS_ANYWAY = "no longer applies", "fails unmutated"
# What `_pytest` ends with: all tests passed, or some failed. A mutant on which no test could even
# be collected is not one that a test has noticed.
PASSED, FAILED = 100, 101
ENDS = {PASSED: SURVIVED, FAILED: KILLED, None: LATE}
CANNOT_RUN = "tests cannot run"
forks = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Mutant:
    """In `file`, `old`, which stands there once, becomes `new`; one of the `tests` must fail."""

    file: str
    old: str
    new: str
    why: str
    tests: tuple[str, ...]

    def applies(self, root: Path) -> bool:
        path = root / self.file
        return path.is_file() and path.read_text().count(self.old) == 1


def main(arguments: list[str]) -> int:
    """0 if all are killed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    root = parser.parse_args(arguments).root.resolve()
    started = time.perf_counter()
    declared = tomllib.loads((root / LIST).read_text())
    mutants = [Mutant(**each | {"tests": tuple(each["tests"])}) for each in declared["mutant"]]
    tests = sorted({test for each in mutants for test in each.tests})
    share = -(-len(tests) // SIDE_BY_SIDE)
    lived = 0
    forks.set_forkserver_preload(declared.get("warm", []))
    # Not in the checkout, where importing Prefect would import our plugin with it.
    with (
        tempfile.TemporaryDirectory() as elsewhere,
        contextlib.chdir(elsewhere),
        ThreadPoolExecutor(SIDE_BY_SIDE) as pool,
    ):
        groups = [tests[i : i + share] for i in range(0, len(tests), share or 1)]
        of_groups = pool.map(lambda group: failing_unmutated(root, group), groups)
        failing = [line for lines in of_groups for line in lines]
        verdicts = pool.map(lambda mutant: judged(root, mutant, failing), mutants)
        for mutant, verdict in zip(mutants, verdicts, strict=True):
            print(f"{verdict:<18} {mutant.file}: {mutant.why}", flush=True)
            lived += verdict != KILLED
    seconds = time.perf_counter() - started
    print(f"{len(mutants) - lived} of {len(mutants)} killed, {seconds:.0f} s")
    return 1 if lived else 0


def judged(root: Path, mutant: Mutant, failing: Iterable[str]) -> str:
    """What became of the mutant."""
    if not mutant.applies(root):
        return NO_LONGER_APPLIES
    if any(line.startswith(test) for test in mutant.tests for line in failing):
        return FAILS_ANYWAY
    code, _ = run_tests(root, mutant.tests, mutant)
    return ENDS.get(code, CANNOT_RUN)


def failing_unmutated(root: Path, tests: list[str]) -> list[str]:
    """Of the named tests, those that fail as the code is: they would notice anything."""
    code, output = run_tests(root, tests, None)
    if code not in (PASSED, FAILED):
        raise SystemExit(f"{output}\nthe tests that {LIST} names cannot be run")
    ends = ("FAILED ", "ERROR ")
    lines = [line for line in output.splitlines() if line.startswith(ends)]
    print(*lines, sep="\n", end="\n" if lines else "")
    return [line.partition(" ")[2] for line in lines]


def run_tests(root: Path, tests: Iterable[str], mutant: Mutant | None) -> tuple[int | None, str]:
    """What pytest ends with in a copy of the checkout, None without an end, and what it says."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy, log = Path(folder) / "checkout", Path(folder) / "log"
        shutil.copytree(root, copy, ignore=LEFT_OUT)
        # The same examples each time: a mutant must not live by luck.
        options = ["-q", "-rfE", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        if mutant is not None:
            path = copy / mutant.file
            path.write_text(path.read_text().replace(mutant.old, mutant.new))
            options.append("-x")
        process = forks.Process(target=_pytest, args=(copy, log, [*options, *tests]))
        process.start()
        process.join(None if mutant is None else SECONDS)
        if process.exitcode is None:
            process.kill()
            process.join()
            return None, ""
        return process.exitcode, log.read_text()


def _pytest(copy: Path, log: Path, arguments: list[str]) -> None:
    """Runs in a fork of a process that has imported what is `warm`, and nothing of the project."""
    with log.open("w") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    known = {path.stem for path in copy.iterdir()} & set(sys.modules)
    if known:
        sys.exit(f"not from the copy: {known}")
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    import pytest

    sys.exit(100 + pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
