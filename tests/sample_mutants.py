"""A sample of mutmut's mutants, for people to read: `make mutants SEED=7 SIZE=500`.

`[tool.mutmut]` of pyproject.toml says which modules are mutated and which tests should notice.
Some survivors change nothing that matters, so what survives is shown and fails nothing. mutmut
keeps what it made in `mutants/`, and `mutmut browse` shows it. It mutates no function that has a
decorator.
"""

import argparse
import ast
import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
NONE = "no such mutant"
KILLED, SURVIVED, UNREACHED = "killed", "survived", "no test reaches it"
# What mutmut writes down: the end of pytest, or a number of its own.
ENDS = {0: SURVIVED, 1: KILLED, 3: KILLED, 33: UNREACHED}


def main() -> None:
    """Print how many of the sample were killed, and the changes that were not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=120)
    chosen = parser.parse_args()
    # Makes all mutants and learns which tests reach which function; names are known only then.
    said = mutmut("run", NONE)
    names = sorted(set(ends()) - too_early())
    if NONE not in said or not names:
        raise SystemExit(said)
    sample = random.Random(chosen.seed).sample(names, min(chosen.size, len(names)))
    said = mutmut("run", *sample)
    ended = ends()
    fates = {name: ENDS.get(ended[name], f"ended with {ended[name]}") for name in sample}
    if None in map(ended.get, sample):
        raise SystemExit(said)
    for name in sorted(sample):
        if fates[name] != KILLED:
            print(f"{fates[name]}: {mutmut('show', name)}")
    counts = ", ".join(f"{n} {fate}" for fate, n in Counter(fates.values()).most_common())
    print(f"{len(sample)} of {len(names)} mutants, seed {chosen.seed}: {counts}")


def mutmut(*arguments: str) -> str:
    """What the command says."""
    # Not what an edited checkout would import from elsewhere: mutmut sets its own path.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


def too_early() -> set[str]:
    """Mutants that no test can notice: they make a judge when their module is imported.

    By then mutmut has not chosen a mutant yet.
    """
    makers = {
        f"{'.'.join(path.relative_to(ROOT).with_suffix('').parts)}.x_{node.name}"
        for path in (ROOT / "tasks" / "paper").glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
        and node.returns is not None
        and ast.unparse(node.returns) == "Judge"
    }
    return {name for name in ends() if name.partition("__mutmut_")[0] in makers}


def ends() -> dict[str, int | None]:
    """What each mutant ended with, None if it was not run."""
    found: dict[str, int | None] = {}
    for path in (ROOT / "mutants").rglob("*.meta"):
        found |= json.loads(path.read_text())["exit_code_by_key"]
    return found


if __name__ == "__main__":
    main()
