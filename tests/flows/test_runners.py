"""Where tasks run."""

import warnings

import pytest

from flows.runners import shared_runner, task_runner


def test_unknown_runner_names_the_choices() -> None:
    with pytest.raises(ValueError, match="unknown runner 'slurm'; choose from threads, dask, ray"):
        task_runner("slurm")


@pytest.mark.slow
def test_flows_share_a_dask_cluster_whose_workers_start_without_a_word(
    capfd: pytest.CaptureFixture[str],
) -> None:
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("prefect_dask")
    from tasks.stages.cells import pick

    with shared_runner("dask") as shared:
        of_flows = [shared.duplicate() for _ in range(2)]  # as Prefect does for each flow
        assert len({runner.address for runner in of_flows} - {None}) == 1
        with distributed.Client(shared.address) as client:
            assert client.submit(type, pick.task).result().__name__ == "Task"
            client.submit(_warn).result()
    said = capfd.readouterr().err  # under load also: that a worker is slow to end
    assert "Traceback" not in said
    assert "INFO" not in said
    lines = [line for line in said.splitlines() if "not converged" in line]
    assert lines == ["test_runners: not converged, at first: residual 0"], said
    assert "ConvergenceWarning" not in said


def _warn() -> None:
    from sklearn.exceptions import ConvergenceWarning

    for i in range(3):
        warnings.warn(f"residual {i}", ConvergenceWarning, stacklevel=1)
