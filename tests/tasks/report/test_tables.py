import dataclasses

import pandas as pd

from tasks.declared.published import LITERATURE
from tasks.report.gaps import NOT_REACHABLE
from tasks.report.tables import NONE, laid_out, settings, tried, unjudged
from tasks.report.values import Values
from tests.tasks.report.made import FLGC, PUBLIC, PUBLISHED, ROBUSTNESS, TINY, results
from tests.tasks.report.made import table as declared

FLGC_ALONE = declared("uci-tiny", ("FLGC",), **PUBLISHED)
WITH_AVERAGE = declared("uci-tiny", (*FLGC, "FLGC* averaged"), **PUBLISHED)


def accuracies(**by_dataset: float) -> pd.DataFrame:
    cells = ((dataset, "FLGC", "paper", value) for dataset, value in by_dataset.items())
    return results(*cells, of=FLGC_ALONE)


def table(cells: pd.DataFrame, **absent: str) -> pd.DataFrame:
    return laid_out(Values(FLGC_ALONE, cells), ("paper",), absent).frame.set_index("dataset")


def test_an_average_says_over_which_datasets_it_goes_the_published_one_too():
    everything = table(accuracies(iris=0.9, wine=0.8, wdbc=0.7))
    assert everything.loc["average over 3 of 3 datasets", "FLGC paper"] == "80.00"
    found = table(accuracies(iris=0.9, wdbc=0.7), wine=NOT_REACHABLE)
    assert found.loc["wine", "FLGC paper"] == "not reachable"
    average = found.loc["average over 2 of 3 datasets (all but wine)"]
    assert average["FLGC paper"] == "80.00"
    printed = pd.DataFrame(FLGC_ALONE.published).query("method == 'FLGC' and dataset != 'wine'")
    assert average["FLGC published"] == f"{100 * printed['value'].mean():.2f}"
    alone = table(accuracies(iris=0.9), wine=NOT_REACHABLE, wdbc=NOT_REACHABLE)
    assert alone.loc["average over 1 of 3 datasets (iris)", "FLGC paper"] == "90.00"


def test_the_setting_of_most_runs_stands_for_a_cell_that_has_several():
    rows = accuracies(iris=0.9, wine=0.8)
    honest = [
        rows.assign(protocol="honest", run=run, p_hops=[hops, 5])
        for run, hops in enumerate((2, 3, 2))
    ]
    found = settings(pd.concat(honest, ignore_index=True)).set_index("dataset")
    assert found["hops"].to_dict() == {"iris": 2, "wine": 5}
    assert found["runs"].to_dict() == {"iris": "2 of 3", "wine": "3 of 3"}
    assert found["different settings"].to_dict() == {"iris": 2, "wine": 1}


def test_a_dataset_that_lacks_a_cell_is_in_no_average():
    star = accuracies(iris=0.5, wine=0.7).assign(method="FLGC*")
    cells = pd.concat([accuracies(iris=0.9, wine=0.8, wdbc=0.1), star])
    average = laid_out(Values(TINY, cells), ("paper",), {}).frame.iloc[-1]
    assert average["dataset"] == "average over 2 of 3 datasets (all but wdbc)"
    assert (average["FLGC paper"], average["FLGC* paper"]) == ("85.00", "60.00")


def test_a_cell_is_the_mean_and_deviation_of_its_own_runs():
    runs = pd.concat([accuracies(iris=value) for value in (0.7, 0.8, 0.96)])
    other = accuracies(iris=0.1).assign(protocol="honest")
    found = table(pd.concat([runs, other]), wine=NOT_REACHABLE, wdbc=NOT_REACHABLE)
    assert found.loc["iris", "FLGC paper"] == "82.00 ± 10.71"


def test_where_a_method_is_not_in_a_protocol_nothing_failed():
    cells = [
        (dataset, method, protocol, 0.8)
        for dataset in ("iris", "wine", "wdbc")
        for method in (*FLGC, "FLGC* averaged")
        for protocol in ("paper", "honest")
        if (method, protocol) != ("FLGC* averaged", "paper")
        and (dataset, method) != ("wdbc", "FLGC* averaged")
    ]
    shown = results(*cells, of=WITH_AVERAGE)
    found = laid_out(Values(WITH_AVERAGE, shown), ("paper", "honest"), {}).frame.set_index(
        "dataset"
    )
    assert "FLGC* averaged paper" not in found, "nobody has a cell there"
    assert found.loc["wdbc", "FLGC* averaged honest"] == "failed"
    assert found.loc["average over 2 of 3 datasets (all but wdbc)", "FLGC* paper"] == "80.00"
    by_method = dataclasses.replace(WITH_AVERAGE, datasets=("iris",))
    shown = shown[shown["dataset"] == "iris"]
    found = laid_out(Values(by_method, shown), ("paper", "honest"), {}).frame.set_index("method")
    assert found.loc["FLGC* averaged", "iris paper"] == NONE


def test_noise_is_named_by_kind_intensity_and_pattern_and_published_values_are_of_the_shared_one():
    cells = results(("ExtendedYaleB", "FLGC", "paper", 0.9), of=ROBUSTNESS, metric="ACC")
    noisy = cells.assign(noise="gaussian", intensity=0.05, noise_pattern="shared")
    seeds = [
        noisy.assign(run=run, changed_share=share, value=0.9 + change)
        for run, share, change in ((0, 0.5, -0.02), (1, 0.7, 0.02))
    ]
    alone = noisy.assign(noise_pattern="independent", changed_share=0.25, value=0.3)
    rows = pd.concat([*seeds, alone])
    found = laid_out(Values(ROBUSTNESS, rows), ("paper",), {}).frame
    found = found.set_index(["noise", "pattern", "metric"])
    row = found.loc[("gaussian 0.05", "shared", "ACC")]
    printed = [
        each["value"]
        for each in ROBUSTNESS.published
        if (each["method"], each["noise"], each["intensity"]) == ("FLGC", "gaussian", 0.05)
        and each["metric"] == "ACC"
    ]
    assert row["FLGC paper"] == "0.900 ± 0.020"
    assert row["FLGC published"] == f"{printed[0]:.3f}"
    assert row["changed"] == "60.0 %"
    own = found.loc[("gaussian 0.05", "independent", "ACC")]
    assert own[["FLGC paper", "FLGC published", "changed"]].tolist() == ["0.300", "", "25.0 %"]
    failed = found.loc[("gaussian 0.1", "shared", "ACC")]
    assert failed[["FLGC paper", "changed"]].tolist() == ["failed", ""]
    assert len(found) == 2 * 2 * 8


def test_how_many_settings_were_tried_on_what_and_in_how_many_runs():
    one = accuracies(iris=0.9, wine=0.8).assign(criterion="test", tried=12)
    runs = [one.assign(run=run) for run in range(3)]
    honest = one[:1].assign(protocol="honest", criterion="error", tried=12)
    further = one[:1].assign(method="SVC", protocol="honest", criterion="hits", tried=4, run=1)
    average = honest.assign(method="FLGC* averaged", criterion="all, weighted", tried=24)
    cells = [*runs[:2], runs[2][:1], honest, further, average]
    found = tried(pd.concat(cells)).set_index(["method", "protocol"])
    assert found.loc[("FLGC", "paper")].tolist() == [12, "test nodes", "2 to 3", 2]
    assert found.loc[("FLGC", "honest")].tolist() == [12, "squared error of leave-one-out", "1", 1]
    assert found.loc[("SVC", "honest"), "judged on"] == "hits in 3 folds of the labelled nodes"
    assert found.loc[("FLGC* averaged", "honest"), "settings tried"] == 24
    assert "all, weighted by hits" in found.loc[("FLGC* averaged", "honest"), "judged on"]


def test_other_budgets_on_some_datasets_are_told_apart_and_metrics_are_not():
    cells = accuracies(iris=0.9, wine=0.8).assign(criterion="ACC", tried=[30, 90], metric="ACC")
    found = tried(pd.concat([cells, cells.assign(metric="NMI")]))
    assert found["settings tried"].tolist() == [30, 90]
    assert found["runs"].tolist() == ["1", "1"]


def test_where_nothing_could_be_picked_that_is_a_line_below_the_table() -> None:
    cells = results(
        ("zoo", "FLGC*", "honest", 0.9),
        ("glass", "FLGC*", "honest", 0.5),
        ("iris", "FLGC*", "honest", 0.9),
        of=FLGC_ALONE,
    )
    judged = cells.assign(criterion=["from_usual", "from_usual", "error"])
    [line] = unjudged(judged)
    assert line.startswith("FLGC* on zoo, glass: a class has a single label")
    assert "10 hops, teleport 0.1" in line
    assert unjudged(judged[judged["dataset"] == "iris"]) == []


def test_settings_have_the_axes_of_all_methods_and_an_average_has_none():
    flgc = accuracies(iris=0.9).assign(p_hops=3, p_graph="given")
    other = accuracies(iris=0.8).assign(method="SVC", p_C=2.5, p_graph="given")
    average = accuracies(iris=0.8).assign(method="FLGC* averaged")
    found = settings(pd.concat([flgc, other, average])).set_index("method")
    assert list(found.columns) == [
        *("dataset", "protocol", "hops", "graph", "C", "runs", "different settings")
    ]
    assert list(found.index) == ["FLGC", "SVC"]
    assert found.loc["SVC", "C"] == 2.5
    assert pd.isna(found.loc["SVC", "hops"])
    assert settings(average).empty


def test_many_methods_are_rows_and_the_literature_is_marked():
    cells = results(("Cora", "GCN", "paper", 0.8), of=PUBLIC)
    absent = {"PubMed": "not available"}
    found = laid_out(Values(PUBLIC, cells), ("paper", "honest"), absent).frame.set_index("method")
    assert list(found.columns) == [
        f"{dataset} {kind}"
        for dataset in ("Cora", "CiteSeer", "PubMed")
        for kind in ("published", "paper", "honest")
    ]
    assert found.loc["GCN"].tolist() == [
        *("81.1 ± 0.2", "80.0", "failed"),
        *("69.8 ± 0.2", "failed", "failed"),
        *("79.4 ± 0.1", "not available", "not available"),
    ]
    assert found.loc["FLGC*, teleport .1", "Cora published"] == "84.0 ± 0.0"
    assert found.loc["GAT (literature)", "Cora published"] == "83.3 ± 0.7"
    assert sum(f"({LITERATURE})" in method for method in found.index) == 11
