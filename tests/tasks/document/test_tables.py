import dataclasses

import pandas as pd
import pytest

from tasks.declared.experiments import TINY
from tasks.declared.published import published_cells
from tasks.document.gaps import NOT_REACHABLE
from tasks.document.results import COLUMNS
from tasks.document.tables import comparison, settings

UCI = next(experiment for experiment in TINY if experiment.name == "uci-tiny")
FLGC_ALONE = dataclasses.replace(UCI, methods=("FLGC",))


def accuracies(**by_dataset: float) -> pd.DataFrame:
    empty = {name: "" if kind == "str" else 0 for name, kind in COLUMNS.items()}
    about = {"experiment": UCI.name, "metric": "accuracy", "method": "FLGC", "protocol": "paper"}
    rows = [{**empty, **about, "dataset": d, "value": v} for d, v in by_dataset.items()]
    return pd.DataFrame(rows).astype(COLUMNS)


def table(cells: pd.DataFrame, **absent: str) -> pd.DataFrame:
    return comparison(FLGC_ALONE, ("paper",), cells, absent).set_index("dataset")


def test_an_average_says_over_which_datasets_it_goes_the_published_one_too() -> None:
    everything = table(accuracies(iris=0.9, wine=0.8, wdbc=0.7))
    assert everything.loc["average over 3 of 3 datasets", "FLGC paper"] == "80.00"
    found = table(accuracies(iris=0.9, wdbc=0.7), wine=NOT_REACHABLE)
    assert found.loc["wine", "FLGC paper"] == "not reachable"
    average = found.loc["average over 2 of 3 datasets (all but wine)"]
    assert average["FLGC paper"] == "80.00"
    printed = found.loc[["iris", "wdbc"], "FLGC published"].str.split(" ").str[0].astype(float)
    assert float(average["FLGC published"]) == pytest.approx(printed.mean(), abs=0.05)
    alone = table(accuracies(iris=0.9), wine=NOT_REACHABLE, wdbc=NOT_REACHABLE)
    assert alone.loc["average over 1 of 3 datasets (iris)", "FLGC paper"] == "90.00"


def test_the_setting_of_most_runs_stands_for_a_cell_that_has_several() -> None:
    rows = accuracies(iris=0.9, wine=0.8)
    honest = [
        rows.assign(protocol="honest", run=run, hops=[hops, 5])
        for run, hops in enumerate((2, 3, 2))
    ]
    found = settings(pd.concat(honest, ignore_index=True)).set_index("dataset")
    assert found["hops"].to_dict() == {"iris": 2, "wine": 5}
    assert found["runs"].to_dict() == {"iris": "2 of 3", "wine": "3 of 3"}
    assert found["different settings"].to_dict() == {"iris": 2, "wine": 1}


@pytest.mark.parametrize("missing", ["iris", "wine", "wdbc"])
def test_the_published_average_is_over_the_datasets_that_are_there(missing: str) -> None:
    ours = accuracies(**{name: 0.9 for name in UCI.datasets if name != missing})
    average = table(ours, **{missing: NOT_REACHABLE}).iloc[-1]
    assert missing in str(average.name)
    theirs = published_cells(UCI).query("method == 'FLGC' and dataset != @missing")
    assert average["FLGC published"] == f"{100 * theirs['value'].mean():.2f}"


def test_a_dataset_that_lacks_a_cell_is_in_no_average() -> None:
    both = dataclasses.replace(UCI, methods=("FLGC", "FLGC*"))
    star = accuracies(iris=0.5, wine=0.7).assign(method="FLGC*")
    cells = pd.concat([accuracies(iris=0.9, wine=0.8, wdbc=0.1), star])
    average = comparison(both, ("paper",), cells, {}).iloc[-1]
    assert average["dataset"] == "average over 2 of 3 datasets (all but wdbc)"
    assert (average["FLGC paper"], average["FLGC* paper"]) == ("85.00", "60.00")


def test_a_cell_is_the_mean_and_deviation_of_its_own_runs() -> None:
    runs = pd.concat([accuracies(iris=value) for value in (0.7, 0.8, 0.96)])
    other = accuracies(iris=0.1).assign(protocol="honest")
    found = table(pd.concat([runs, other]), wine=NOT_REACHABLE, wdbc=NOT_REACHABLE)
    assert found.loc["iris", "FLGC paper"] == "82.00 ± 10.71"
