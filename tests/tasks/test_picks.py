"""Which setting a protocol picks, on tables where every criterion has a favourite of its own."""

import pandas as pd
import pytest

from tasks.picking import Method, Rival, admitted, pick

NOBODY = float("nan")


def settings(**columns: object) -> pd.DataFrame:
    """One row per hops 1, 2, 3, 4, all else equal."""
    fixed = {"run": 0, "scaling": "raw", "teleport": 0.0, "regularization": 1.0}
    return pd.DataFrame({"hops": [1, 2, 3, 4], **fixed, **columns})


CLASSIFIED = settings(
    loo_squared_error=[0.5, 0.2, 0.9, 0.4],
    loo_accuracy=[0.9, 0.2, 0.3, 0.3],
    validation=[0.6, 0.7, 0.7, 0.8],
    test=[0.1, 0.2, 0.9, 0.3],
)
CLUSTERED = settings(
    ACC=[0.9, 0.1, 0.2, 0.3], NMI=[0.1, 0.9, 0.2, 0.3], silhouette=[-0.2, 0.1, 0.4, 0.2]
)
TRAINED = settings(
    learning_rate=0.1, epochs=[9, 7, 5, 3], validation=NOBODY, test=[0.1, 0.2, 0.9, 0.3]
)


@pytest.mark.parametrize(
    ("scores", "protocol", "hops", "criterion"),
    [
        (CLASSIFIED, "paper", 3, "test"),
        (CLASSIFIED, "honest", 4, "validation"),
        (CLASSIFIED.assign(validation=NOBODY), "honest", 2, "loo_squared_error"),
        (CLASSIFIED.assign(validation=NOBODY), "paper", 3, "test"),
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
    found = pick(scores, protocol)
    assert (found.hops, found.criterion) == (hops, criterion)


@pytest.mark.parametrize("column", ["loo_squared_error", "validation", "test"])
def test_honest_never_looks_at_test_nodes(column: str) -> None:
    """Whatever stands in the column `test`, the pick stays; in the other columns it may move."""
    nobody_validates = {} if column == "validation" else {"validation": NOBODY}
    scores = CLASSIFIED.assign(**nobody_validates)
    turned = scores.assign(**{column: scores[column].to_numpy()[::-1]})
    moved = pick(scores, "honest") != pick(turned, "honest")
    assert moved is (column != "test")


def test_runs_count_by_their_average() -> None:
    """One lucky run is not enough, and neither is the first."""
    first = settings(validation=[1.0, 0.6, 0.1, 0.1], test=0.0)
    second = settings(validation=[0.1, 0.6, 0.9, 0.1], test=0.0).assign(run=1)
    assert pick(pd.concat([first, second]), "honest").hops == 2


def test_a_method_is_picked_from_its_own_part_of_the_grid() -> None:
    grid = pd.concat([CLASSIFIED, CLASSIFIED.assign(teleport=0.1, test=0.95)])
    assert pick(admitted(grid, Method("FLGC*")), "paper").teleport == 0.1
    assert pick(admitted(grid, Method("FLGC", teleports=(0.0,))), "paper").teleport == 0.0
    assert set(admitted(grid, Method("two", hops=(1, 4)))["hops"]) == {1, 4}
    assert len(admitted(grid, Rival("GCN", (9,), (0.1,), (0.1,), (1,)))) == len(grid)
