import pytest
from typer.testing import CliRunner

from flows.cli.reproduce import app


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
    monkeypatch.setattr(
        "flows.cli.reproduce.run_flow", lambda *_: pytest.fail("a flow was started")
    )
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
