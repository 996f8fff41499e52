import pandas as pd

from tasks.report.rows import COLUMNS, joined, stack
from tests.tasks.report.made import UCI, results


def test_settings_of_all_methods_stand_beside_each_other():
    flgc = results(("iris", "FLGC", "paper", 0.9), of=UCI).assign(p_hops=2)
    other = results(("iris", "SVC", "paper", 0.8), of=UCI).assign(p_C=1.5, changed=None)
    found = joined([flgc, other])
    assert list(found.columns) == [*COLUMNS, "p_hops", "p_C"]
    assert found["p_hops"].tolist()[0] == 2
    assert found["p_C"].isna().tolist() == [True, False]
    assert {name: str(kind) for name, kind in joined([]).dtypes.items()} == COLUMNS
    assert str(found["changed"].dtype) == COLUMNS["changed"]


def test_each_level_of_names_is_a_column():
    frame = pd.DataFrame({"hops": [1], "seconds": [0.1]})
    products = {"Cora": {"FLGC": frame, "GCN": frame}, "PubMed": {"FLGC": frame}}
    found = stack(products, ("dataset", "method"))
    assert found[["dataset", "method"]].to_numpy().tolist() == [
        *(["Cora", "FLGC"], ["Cora", "GCN"], ["PubMed", "FLGC"])
    ]
    assert list(found) == ["dataset", "method", "hops", "seconds"]
    assert stack({}, ("dataset",)).empty
