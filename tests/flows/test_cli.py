import re
import time

import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.terminal import progress_lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--suite", "huge"], "choose from paper, tiny"),
        (["--suite", "tiny", "--dataset", "irsi"], "choose from KarateClub"),
        (["--suite", "tiny", "--runs", "-3"], "runs=-3 is not possible"),
        (["--suite", "tiny", "--runner", "slurm"], "choose from threads, dask, ray"),
        (["--suite", "nothing.toml"], "suite nothing.toml cannot be read"),
        (["--suite", "tiny", "--json"], "--json is for --dry-run"),
    ],
)
def test_wrong_options_end_with_2_before_prefect_starts(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PREFECT_LOGGING_LEVEL", "PREFECT_LOGGING_SERVER_LEVEL", "DO_NOT_TRACK"):
        monkeypatch.setenv(name, "CRITICAL")
    monkeypatch.setattr("flows.cli._run", lambda chosen: pytest.fail("a flow was started"))
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_without_a_terminal_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from flows.dag import listeners, tell

    monkeypatch.setattr("flows.terminal.EVERY_SECONDS", 0.2)
    with progress_lines():
        tell("uci", 0, 2)
        tell("uci", 1, 2, "wine")
        time.sleep(0.5)
        tell("uci", 2, 2, "iris")
        tell("robustness", 0, 1)
    assert not listeners
    first, start, *waiting, end, following = capsys.readouterr().err.splitlines()
    assert (first, start) == ("starting Prefect ...", "uci: 2 tasks ...")
    assert waiting
    assert all(re.fullmatch(r"uci: 1 of 2 tasks, [01] s, about [01] s left", w) for w in waiting)
    assert end.startswith("uci: 2 of 2 tasks, ")
    assert following == "robustness: 1 task ..."
