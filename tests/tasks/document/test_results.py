import pandas as pd
from tasks.document.results import COLUMNS, joined, timed

from tests.tasks.document.shown import UCI, results


def test_settings_of_all_methods_stand_beside_each_other():
    flgc = results(("iris", "FLGC", "paper", 0.9), of=UCI).assign(p_hops=2)
    other = results(("iris", "SVC", "paper", 0.8), of=UCI).assign(p_C=1.5, changed=None)
    found = joined([flgc, other])
    assert list(found.columns) == [*COLUMNS, "p_hops", "p_C"]
    assert found["p_hops"].tolist()[0] == 2
    assert found["p_C"].isna().tolist() == [True, False]
    assert str(found["changed"].dtype) == "Int64"


def test_no_cells_are_a_table_with_the_columns_of_all():
    found = joined([])
    assert found.empty
    assert {name: str(kind) for name, kind in found.dtypes.items()} == COLUMNS


def test_timings_say_of_which_dataset_they_are():
    frame = pd.DataFrame({"method": ["FLGC"], "hops": [1], "training_time": [0.1]})
    found = timed({"Cora": frame, "PubMed": frame})
    assert found["dataset"].tolist() == ["Cora", "PubMed"]
