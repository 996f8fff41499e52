import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread():
    """The graphs are tiny: threads within a product would only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
