"""The GPU pool of a stack without a GPU, on a real server."""

from urllib.parse import urlsplit

import pytest

pytest.importorskip("prefect")

from deployments.registration import create_pools
from deployments.settings import StackSettings
from deployments.stack import LocalStack
from tasks.running.pools import GPU_POOL


@pytest.mark.slow
def test_it_is_paused_until_a_worker_comes_and_then_left_to_people(prefect_server: str) -> None:
    from prefect import get_client
    from prefect.client.schemas.actions import WorkPoolUpdate

    said: list[str] = []
    address = urlsplit(prefect_server)
    settings = StackSettings(host=address.hostname or "", port=address.port or 0)
    stack = LocalStack(settings, said.append)
    with get_client(sync_client=True) as client:

        def status() -> str:
            return str(client.read_work_pool(GPU_POOL).status.value)

        for _ in range(2):
            create_pools(client, gpu=False)
            assert status() == "PAUSED"
        stack.open_gpu_pool()
        assert (status(), said) == ("PAUSED", [])
        client.send_worker_heartbeat(GPU_POOL, "by-hand", heartbeat_interval_seconds=30)
        stack.open_gpu_pool()
        assert (status(), len(said)) == ("READY", 1)
        client.update_work_pool(GPU_POOL, WorkPoolUpdate(is_paused=True))
        stack.open_gpu_pool()
        assert status() == "PAUSED"
        create_pools(client, gpu=True)
        assert not client.read_work_pool(GPU_POOL).is_paused
