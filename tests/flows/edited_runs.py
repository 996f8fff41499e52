"""What a run computes after an edit: for each line of input, a process that starts with the edits.

    [{"path": ..., "old": ..., "new": ...}, ...]

They are made in the checkout that is the working directory, and undone after the run. Prints the
steps that were computed as a JSON list. Processes are forked from one that has imported what is not
the project's, so that each costs little.
"""

import json
import os
import sys
from pathlib import Path

import matplotlib.figure  # noqa: F401
import pandas  # noqa: F401
import prefect  # noqa: F401
import sklearn.cluster  # noqa: F401
import torch  # noqa: F401


def run(store: str, methods: list[str]) -> list[str]:
    from tests.flows.plainly import computed, run_plainly

    return computed(run_plainly(store, ("citation", "uci"), methods=methods, runs=2))


def main(store: str, *methods: str) -> None:
    for line in sys.stdin:
        originals: dict[Path, str] = {}
        for edit in json.loads(line):
            path = Path(edit["path"])
            text = path.read_text(encoding="utf-8")
            originals.setdefault(path, text)
            assert text.count(edit["old"]) == 1, (edit, text.count(edit["old"]))
            path.write_text(text.replace(edit["old"], edit["new"]), encoding="utf-8")
        pid = os.fork()
        if not pid:
            try:
                found = run(store, list(methods))
            except Exception as error:
                found = [f"{type(error).__name__}: {error}"]
            print(json.dumps(found), flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
        for path, text in originals.items():
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
