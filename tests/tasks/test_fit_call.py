import json
from pathlib import Path

from tasks.fit_call import FitCall, fit_from_json, to_json
from tests.tasks.chain import iris, run_cell


def test_a_fit_that_came_as_json_has_the_same_key(tmp_path: Path) -> None:
    cell = iris()
    found = run_cell(tmp_path, cell)
    call = FitCall(
        str(tmp_path),
        cell,
        found["dataset"],
        found["graph"],
        found["select"],
        found["propagate"],
        found["splits"],
    )
    sent = fit_from_json(json.loads(json.dumps(to_json(call))))
    assert sent.cached
    assert sent.key == found["fit"].key
