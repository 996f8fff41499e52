"""`paper` picks one setting on the test nodes; `honest` one for each run, from what it may see."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from flgc.methods.picking import as_declared, is_pick, pick_settings, usual, weighting

HOPS = (1, 2, 3)


def scores(**columns: list[list[float]]) -> pd.DataFrame:
    """One row per run and number of hops; each column is a list of runs."""
    n_runs = len(next(iter(columns.values())))
    axes = pd.MultiIndex.from_product(
        [range(n_runs), ["raw"], HOPS, [0.0]], names=["run", "p_scaling", "p_hops", "p_teleport"]
    )
    flat = {name: np.ravel(values) for name, values in columns.items()}
    return pd.DataFrame(flat, index=axes).reset_index()


NOBODY = [[np.nan] * 3] * 2
TWO_RUNS = {
    "error": [[0.5, 0.4, 0.3], [0.1, 0.2, 0.3]],
    "validation": [[0.9, 0.9, 0.8], [0.7, 0.8, 0.9]],
    "validated": [[100.0] * 3] * 2,
    "test": [[0.3, 0.2, 0.1], [0.1, 0.2, 0.9]],
}


def hops_of(frame: pd.DataFrame, protocol: str) -> list[int]:
    return weighting(frame, protocol)["p_hops"].tolist()


def test_honest_picks_for_each_run_on_its_validation_nodes():
    frame = scores(**TWO_RUNS)
    assert hops_of(frame, "honest") == [2, 3], "level ones are told apart by leave-one-out"
    picks = weighting(frame, "honest")
    assert set(picks["criterion"]) == {"validation, then error"}
    assert picks["test"].tolist() == [0.2, 0.9]
    assert picks["tried"].tolist() == [3, 3]


@pytest.mark.parametrize(("n_nodes", "hops"), [(10_000, 3), (500, 2), (5, 1)])
def test_the_error_decides_among_the_best_up_to_half_a_standard_error(n_nodes, hops):
    frame = scores(
        validation=[[0.85, 0.895, 0.9]],
        validated=[[float(n_nodes)] * 3],
        error=[[0.1, 0.2, 0.3]],
        test=[[0.0, 0.0, 0.0]],
    )
    assert hops_of(frame, "honest") == [hops]
    for unknown in ([np.nan, 0.2, 0.3], None):  # then accuracy alone
        other = frame.drop(columns="error") if unknown is None else frame.assign(error=unknown)
        assert hops_of(other, "honest") == [3]
        assert set(weighting(other, "honest")["criterion"]) == {"validation"}


def test_paper_picks_one_for_all_runs_on_the_mean_of_their_test_nodes():
    frame = scores(**TWO_RUNS)
    assert hops_of(frame, "paper") == [3, 3], "means .2, .2, .5"
    picks = weighting(frame.iloc[::-1], "paper").sort_values("run")
    assert set(picks["criterion"]) == {"test"}
    assert picks["test"].tolist() == [0.1, 0.9]
    assert weighting(frame, "paper", part={"hops": (1, 3)})["tried"].tolist() == [2, 2]
    with pytest.raises(ValueError, match="no protocol 'paper'"):
        weighting(frame, "paper", combine="average")


def test_paper_does_not_pick_for_one_lucky_run():
    frame = scores(validation=NOBODY, test=[[1.0, 0.6, 0.1], [0.1, 0.6, 0.2]])
    assert hops_of(frame, "paper") == [2, 2]


shares = st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=2)


@given(shares, shares, shares, shares, st.sampled_from(["best", "average"]))
def test_honest_knows_no_test_label_and_no_other_run(error, validation, test, other, combine):
    seen = {"error": error, "validation": validation, "validated": [[9.0] * 3] * 2}
    frame = scores(**seen, hits=error, test=test)
    honest = weighting(frame, "honest", combine=combine)
    retested = weighting(scores(**seen, hits=error, test=other), "honest", combine=combine)
    no_test = {"columns": "test", "errors": "ignore"}  # that of an average is yet to be computed
    pd.testing.assert_frame_equal(retested.drop(**no_test), honest.drop(**no_test))
    changed = frame.copy()
    changed.loc[changed["run"] == 1, ["error", "validation", "hits"]] = np.ravel(other[1])[0]
    after = weighting(changed, "honest", combine=combine)
    before, after = (each.query("run == 0").drop(**no_test) for each in (honest, after))
    pd.testing.assert_frame_equal(after, before)


@pytest.mark.parametrize(("hops", "most"), [((1, 2, 2), 2), ((3, 1), 3), ((5,), 5)])
def test_the_usual_setting_is_that_of_most_runs(hops, most):
    picks = pd.DataFrame({"run": range(len(hops)), "p_hops": hops, "p_scaling": "raw"})
    assert usual(picks) == {"hops": most, "scaling": "raw"}


NONE = float("nan")


def one_run(**columns: object) -> pd.DataFrame:
    """One row per hops 1, 2, 3, 4, all else equal."""
    return pd.DataFrame({"run": 0, "p_hops": [1, 2, 3, 4], "p_teleport": 0.0, **columns})


CLASSIFIED = one_run(
    error=[0.5, 0.2, 0.9, 0.4],
    hits=[9.0, 2.0, 3.0, 3.0],
    validation=[0.6, 0.7, 0.7, 0.8],
    validated=100.0,
    test=[0.1, 0.2, 0.9, 0.3],
)
CLUSTERED = one_run(
    ACC=[0.9, 0.1, 0.2, 0.3],
    NMI=[0.1, 0.9, 0.2, 0.3],
    silhouette=[0.9, 0.1, 0.4, 0.2],
    n_clusters=[3.0, 3.0, 3.0, 2.0],
    rate2=[-9.0, -8.0, -7.0, -1.0],
    rate3=[-5.0, -5.5, -5.0, -1.0],
)
TRAINED = one_run(p_epochs=[9, 7, 5, 3], validation=NONE, test=[0.1, 0.2, 0.9, 0.3])


@pytest.mark.parametrize(
    ("scores", "protocol", "hops", "criterion"),
    [
        (CLASSIFIED, "paper", 3, "test"),
        (CLASSIFIED, "honest", 4, "validation, then error"),
        (CLASSIFIED.assign(validation=NONE), "honest", 2, "error"),
        (CLASSIFIED.assign(validation=NONE).drop(columns="error"), "honest", 1, "hits"),
        (CLASSIFIED.assign(validation=NONE), "paper", 3, "test"),
        (CLUSTERED, "paper", 1, "ACC"),
        (CLUSTERED, "honest", 3, "rates"),
        (CLUSTERED.assign(n_clusters=2.0), "honest", 4, "rates"),
        (TRAINED, "paper", 3, "test"),
        (TRAINED, "honest", 1, "declared first"),
        (TRAINED.assign(validation=[0.1, 0.3, 0.2, 0.3]), "honest", 2, "validation"),
        (TRAINED.assign(hits=[1.0, 2.0, 4.0, 4.0]), "honest", 3, "hits"),
    ],
)
def test_each_protocol_looks_at_its_own_criterion(
    scores: pd.DataFrame, protocol: str, hops: int, criterion: str
) -> None:
    (found,) = weighting(scores, protocol).itertuples()
    assert (found.p_hops, found.criterion, found.weight) == (hops, criterion, 1.0)


def test_a_method_is_picked_from_its_own_part_of_the_grid() -> None:
    grid = pd.concat([CLASSIFIED, CLASSIFIED.assign(p_teleport=0.1, test=0.95)])
    assert weighting(grid, "paper")["p_teleport"].tolist() == [0.1]
    assert weighting(grid, "paper", {"teleport": (0.0,)})["p_teleport"].tolist() == [0.0]
    with pytest.raises(ValueError, match="no setting of the grid"):
        weighting(grid, "paper", {"teleport": (0.3,)})


def test_several_graphs_are_one_axis_more() -> None:
    first, second = CLUSTERED, CLUSTERED.assign(rate3=[-6.0, -0.5, -6.0, -6.0])
    second["rate2"] += [0.0, 7.5, 0.0, 0.0]
    found = pick_settings([first, second], ["raw", "unit-length"], "honest")
    assert found[["p_graph", "p_hops", "ACC", "tried"]].values.tolist() == [
        ["unit-length", 2, 0.1, 8]
    ]


def test_an_average_weighs_by_hits_errors_and_sizes() -> None:
    frame = CLASSIFIED.assign(size=[1.0, 2.0, 4.0, 1.0], validated=10.0)
    found = weighting(frame, "honest", combine="average")
    hits = frame["hits"] + 10 * frame["validation"]
    shares = softmax(hits - 4 * np.log(frame["error"]))
    kept = shares > 1e-6
    np.testing.assert_allclose(found["weight"], (shares / frame["size"])[kept], rtol=1e-5)
    assert not is_pick(found)
    assert "test" not in found, "its value is yet to be computed"
    assert is_pick(weighting(frame, "honest"))


SINGLE = CLASSIFIED.assign(validation=NONE, from_usual=[3.0, 2.0, 0.0, 1.0])


@pytest.mark.parametrize("combine", ["best", "average"])
def test_where_a_class_has_a_single_label_the_usual_setting_is_picked(combine: str) -> None:
    (found,) = weighting(SINGLE, "honest", combine=combine).itertuples()
    assert (found.p_hops, found.criterion, found.weight) == (3, "from_usual", 1.0)
    assert found.test == 0.9, "a single setting was scored already"
    (part,) = weighting(SINGLE, "honest", {"hops": (1, 2, 4)}, combine).itertuples()
    assert part.p_hops == 4, "the nearest of those that it may have"
    (paper,) = weighting(SINGLE, "paper").itertuples()
    assert paper.criterion == "test"
    validated = weighting(
        SINGLE.assign(validation=CLASSIFIED["validation"], validated=10.0),
        "honest",
        combine=combine,
    )
    expected = weighting(CLASSIFIED.assign(validated=10.0), "honest", combine=combine)
    by_accuracy = {"best": "validation", "average": "all, weighted"}[combine]
    assert set(validated["criterion"]) == {by_accuracy}, "its error says nothing of such a class"
    pd.testing.assert_frame_equal(validated, expected.assign(criterion=by_accuracy))


def test_the_first_of_equally_usual_settings_is_picked_whatever_its_error() -> None:
    later = SINGLE.assign(p_scaling="min-max", error=0.0, hits=9.0)
    both = pd.concat([SINGLE.assign(p_scaling="raw"), later])
    assert weighting(both, "honest")["p_scaling"].tolist() == ["raw"]


def test_runs_with_a_single_label_stand_beside_averages() -> None:
    second = CLASSIFIED.assign(validation=NONE, run=1)
    found = weighting(pd.concat([SINGLE, second]), "honest", combine="average")
    assert found.loc[found["run"] == 0, "weight"].tolist() == [1.0]
    alone = weighting(second, "honest", combine="average")
    pd.testing.assert_frame_equal(
        found[found["run"] == 1].reset_index(drop=True), alone, check_dtype=False
    )


def test_settings_that_hardly_count_are_left_out_of_an_average() -> None:
    frame = CLASSIFIED.assign(validation=NONE, hits=[100.0, 20.0, 99.0, 0.0], error=1.0)
    found = weighting(frame, "honest", combine="average")
    assert found["p_hops"].tolist() == [1, 3]
    assert found["weight"].tolist() == [0.731059, 0.268941]


def test_scalings_are_settings_of_one_average() -> None:
    frame = CLASSIFIED.assign(validation=NONE, size=1.0)
    both = pd.concat([frame.assign(p_scaling=name) for name in ("raw", "unit-length")])
    found = weighting(both, "honest", combine="average")
    assert set(found["p_scaling"]) == {"raw", "unit-length"}
    assert found["weight"].sum() == pytest.approx(1, abs=1e-4)


def test_a_setting_has_the_values_of_its_grid_again():
    grid = {"depth": (None, 3), "gamma": (0.1, 2.0), "scaling": ("raw", "min-max")}
    picks = pd.DataFrame({"run": [0, 1], "p_depth": [None, 3], "p_gamma": 2.0, "p_scaling": "raw"})
    assert picks["p_depth"].dtype == float, "what a table makes of it"
    for run, depth in enumerate((None, 3)):
        found = as_declared(usual(picks[picks["run"] == run].assign(p_graph="given")), grid)
        assert found == {"depth": depth, "gamma": 2.0, "scaling": "raw"}
        assert type(found["depth"]) is type(depth)


@pytest.mark.parametrize("protocol", ["paper", "honest"])
def test_an_axis_whose_only_value_is_none_is_picked_with_its_values(protocol):
    frame = scores(**TWO_RUNS).assign(p_pca=None)
    picked = weighting(frame, protocol)
    assert picked["p_pca"].tolist() == [None, None]
    expected = weighting(frame.drop(columns="p_pca"), protocol)
    assert picked["test"].tolist() == expected["test"].tolist()
