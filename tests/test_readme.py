"""Every Python block of the README runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_block_runs(block, monkeypatch, request, tmp_path):
    if "Cora" in block:
        monkeypatch.setenv("FLGC_MIRROR", request.getfixturevalue("mirror"))
        monkeypatch.setenv("FLGC_CACHE", str(tmp_path))
    exec(compile(block, "README.md", "exec"), {})


def test_there_are_blocks():
    assert len(BLOCKS) >= 3
