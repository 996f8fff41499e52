"""`paper` picks one setting on the test nodes; `honest` one for each run, from what it may see."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.picking import Method, Rival, Setting, admitted, picks, settings_of, usual, with_values

HOPS = (1, 2, 3)


def scores(**columns: list[list[float]]) -> pd.DataFrame:
    """One row per run and number of hops; each column is a list of runs."""
    n_runs = len(next(iter(columns.values())))
    axes = pd.MultiIndex.from_product(
        [range(n_runs), ["raw"], HOPS, [0.0], [1.0]],
        names=["run", "scaling", "hops", "teleport", "regularization"],
    )
    flat = {name: np.ravel(values) for name, values in columns.items()}
    return pd.DataFrame(flat, index=axes).reset_index()


NOBODY = [[np.nan] * 3] * 2
TWO_RUNS = {
    "loo_squared_error": [[0.5, 0.4, 0.3], [0.1, 0.2, 0.3]],
    "validation": [[0.9, 0.9, 0.8], [0.7, 0.8, 0.9]],
    "test": [[0.3, 0.2, 0.1], [0.1, 0.2, 0.9]],
}


def hops_of(frame: pd.DataFrame, protocol: str) -> list[int]:
    return picks(frame, protocol)["hops"].tolist()


def test_honest_picks_for_each_run_on_its_validation_nodes():
    frame = scores(**TWO_RUNS)
    assert hops_of(frame, "honest") == [2, 3], "level ones are told apart by leave-one-out"
    assert set(picks(frame, "honest")["criterion"]) == {"validation"}


def test_without_validation_nodes_leave_one_out_decides_for_each_run():
    frame = scores(**TWO_RUNS | {"validation": NOBODY})
    assert hops_of(frame, "honest") == [3, 1]
    assert set(picks(frame, "honest")["criterion"]) == {"loo_squared_error"}


def test_paper_picks_one_for_all_runs_on_the_mean_of_their_test_nodes():
    frame = scores(**TWO_RUNS)
    assert hops_of(frame, "paper") == [3, 3], "means .2, .2, .5"
    assert set(picks(frame, "paper")["criterion"]) == {"test"}


def test_paper_does_not_pick_for_one_lucky_run():
    frame = scores(validation=NOBODY, test=[[1.0, 0.6, 0.1], [0.1, 0.6, 0.2]])
    assert hops_of(frame, "paper") == [2, 2]


def test_clusterings_are_picked_without_labels_or_against_them():
    quality = {"ACC": [[0.9, 0.5, 0.1]], "NMI": [[0.9, 0.5, 0.1]]}
    frame = scores(**quality, silhouette=[[0.1, 0.2, 0.3]])
    assert hops_of(frame, "honest") == [3]
    assert hops_of(frame, "paper") == [1]


def test_without_anything_to_judge_by_the_first_is_taken():
    frame = scores(validation=NOBODY, test=TWO_RUNS["test"])
    assert hops_of(frame, "honest") == [1, 1]


shares = st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=2)


@given(shares, shares, shares, shares)
def test_honest_knows_no_test_label_and_no_other_run(error, validation, test, other):
    frame = scores(loo_squared_error=error, validation=validation, test=test)
    honest = picks(frame, "honest")
    retested = scores(loo_squared_error=error, validation=validation, test=other)
    pd.testing.assert_frame_equal(picks(retested, "honest"), honest)
    changed = frame.copy()
    changed.loc[changed["run"] == 1, ["loo_squared_error", "validation"]] = np.ravel(other[1])[0]
    pd.testing.assert_frame_equal(picks(changed, "honest").head(1), honest.head(1))


def test_values_are_looked_up_run_by_run():
    frame = scores(**TWO_RUNS)
    assert with_values(picks(frame, "honest"), frame)["test"].tolist() == [0.2, 0.9]
    assert with_values(picks(frame, "paper"), frame.iloc[::-1])["test"].tolist() == [0.1, 0.9]


@pytest.mark.parametrize(("hops", "most"), [((1, 2, 2), 2), ((3, 1), 3), ((5,), 5)])
def test_the_usual_setting_is_that_of_most_runs(hops, most):
    settings = [Setting("raw", n, 0.0, 1.0) for n in hops]
    assert usual(settings).hops == most


def test_settings_survive_the_table_of_picks():
    frame = scores(**TWO_RUNS)
    assert settings_of(picks(frame, "honest")) == [
        Setting("raw", 2, 0.0, 1.0, criterion="validation"),
        Setting("raw", 3, 0.0, 1.0, criterion="validation"),
    ]


NONE = float("nan")


def one_run(**columns: object) -> pd.DataFrame:
    """One row per hops 1, 2, 3, 4, all else equal."""
    fixed = {"run": 0, "scaling": "raw", "teleport": 0.0, "regularization": 1.0}
    return pd.DataFrame({"hops": [1, 2, 3, 4], **fixed, **columns})


CLASSIFIED = one_run(
    loo_squared_error=[0.5, 0.2, 0.9, 0.4],
    loo_accuracy=[0.9, 0.2, 0.3, 0.3],
    validation=[0.6, 0.7, 0.7, 0.8],
    test=[0.1, 0.2, 0.9, 0.3],
)
CLUSTERED = one_run(
    ACC=[0.9, 0.1, 0.2, 0.3], NMI=[0.1, 0.9, 0.2, 0.3], silhouette=[-0.2, 0.1, 0.4, 0.2]
)
TRAINED = one_run(
    learning_rate=0.1, epochs=[9, 7, 5, 3], validation=NONE, test=[0.1, 0.2, 0.9, 0.3]
)


@pytest.mark.parametrize(
    ("scores", "protocol", "hops", "criterion"),
    [
        (CLASSIFIED, "paper", 3, "test"),
        (CLASSIFIED, "honest", 4, "validation"),
        (CLASSIFIED.assign(validation=NONE), "honest", 2, "loo_squared_error"),
        (CLASSIFIED.assign(validation=NONE), "paper", 3, "test"),
        (CLUSTERED, "paper", 1, "ACC"),
        (CLUSTERED, "honest", 3, "silhouette"),
        (TRAINED, "paper", 3, "test"),
        (TRAINED, "honest", 1, "declared first"),
        (TRAINED.assign(validation=[0.1, 0.3, 0.2, 0.3]), "honest", 2, "validation"),
    ],
)
def test_each_protocol_looks_at_its_own_criterion(
    scores: pd.DataFrame, protocol: str, hops: int, criterion: str
) -> None:
    (found,) = settings_of(picks(scores, protocol))
    assert (found.hops, found.criterion) == (hops, criterion)


def test_a_method_is_picked_from_its_own_part_of_the_grid() -> None:
    grid = pd.concat([CLASSIFIED, CLASSIFIED.assign(teleport=0.1, test=0.95)])
    assert picks(admitted(grid, Method("FLGC*")), "paper")["teleport"].tolist() == [0.1]
    assert picks(admitted(grid, Method("FLGC", teleports=(0.0,))), "paper")[
        "teleport"
    ].tolist() == [0.0]
    assert set(admitted(grid, Method("two", hops=(1, 4)))["hops"]) == {1, 4}
    assert len(admitted(grid, Rival("GCN", (9,), (0.1,), (0.1,), (1,)))) == len(grid)
