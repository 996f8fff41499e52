"""Every Python block of the README runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_block_runs(block, monkeypatch, request, shared_cache):
    if "Cora" in block:
        request.getfixturevalue("real_data")("Cora")
        monkeypatch.setenv("FLGC_CACHE", str(shared_cache))
    exec(compile(block, "README.md", "exec"), {})


def test_there_are_blocks():
    assert len(BLOCKS) >= 3
