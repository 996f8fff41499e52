import dataclasses

import pandas as pd
import pytest

from tasks.report.blocks import ABOVE, BELOW, WITHIN
from tasks.report.by_protocol import laid_tables
from tasks.report.notes import digests_of, notes
from tasks.report.tables import laid_out
from tasks.report.values import Place, Values
from tests.tasks.report.made import CLUSTERING, COMMAND, ROBUSTNESS, TINY, UCI, results

IRIS = Place("iris", "", 0.0, "", "accuracy", "FLGC", "paper")
PRINTED = next(
    cell for cell in TINY.published if (cell["dataset"], cell["method"]) == ("iris", "FLGC")
)


def runs(*values: float, method: str = "FLGC", **more: object) -> pd.DataFrame:
    """Runs of iris, with so much more in each row."""
    rows = results(*(("iris", method, "paper", value) for value in values), of=TINY)
    about = {"run": range(len(values)), "seed": [str(i) for i in range(len(values))]}
    return rows.assign(**about, **more)


def noted(rows: pd.DataFrame, **given) -> dict[Place, object]:
    values = Values(given.pop("table", TINY), rows)
    return notes(values, **{"digests": {}, "command": COMMAND, **given})


@pytest.mark.parametrize(
    ("shift", "spread", "expected"),
    [
        (0.0, 0.0, WITHIN),
        (0.005, 0.0, WITHIN),  # their deviation alone covers it
        (0.02, 0.0, ABOVE),
        (-0.02, 0.0, BELOW),
        (0.02, 0.03, WITHIN),  # and so does ours
        (-0.02, 0.03, WITHIN),
        (0.04, 0.03, ABOVE),
    ],
)
def test_a_difference_is_held_against_the_spread_of_both(shift, spread, expected):
    assert 0.005 < PRINTED["std"] < 0.01
    middle = PRINTED["value"] + shift
    note = noted(runs(middle - spread, middle + spread))[IRIS]
    assert note.standing == expected
    assert note.difference == f"{100 * shift:+.2f}"
    assert note.published == f"{100 * PRINTED['value']:.2f} ± {100 * PRINTED['std']:.2f}"


def test_where_nothing_is_printed_or_the_data_are_others_nothing_is_compared():
    others = runs(0.9, marks="re-drawn")
    bare = dataclasses.replace(TINY, published=())
    for note in (noted(others)[IRIS], noted(runs(0.9), table=bare)[IRIS]):
        assert (note.published, note.difference, note.standing) == ("", "", "")
        assert dict(note.details)["Runs"] == "1"


def test_a_cell_tells_how_it_came_about():
    rows = runs(0.5, 0.6, 0.7, p_hops=[2, 5, 5], p_teleport=0.1, p_other=None)
    rows = rows.assign(criterion="test", tried=12)
    digests = {("iris", "", 0.0, "", "FLGC", "paper"): ["abc"]}
    note = noted(rows, digests=digests)[IRIS]
    assert dict(note.details) == {
        "Protocol": "paper",
        "Setting": "hops 5, teleport 0.1 (in 2 of 3 runs)",
        "Settings tried": "12, judged on test nodes",
        "Runs": "3, from 50.00 to 70.00",
        "Seeds": "0, 1, 2",
        "Digest": "abc",
        "Recompute": "flgc reproduce --dataset iris --method FLGC --protocol paper",
    }


def test_many_seeds_are_counted_and_a_name_is_quoted():
    rows = runs(*[0.9] * 5, method="FLGC*")
    [note] = noted(rows).values()
    told = dict(note.details)
    assert told["Seeds"] == "0, 1, 2 and 2 more"
    assert told["Setting"] == "none picked"
    assert "--method 'FLGC*' --protocol paper" in told["Recompute"]


def test_under_noise_a_cell_has_the_digests_of_its_seeds():
    cells = [
        runs(0.9, noise=noise, intensity=0.1, noise_pattern="shared")
        for noise in ("gaussian", "gaussian", "salt_pepper")
    ]
    found = digests_of(cells, ["a", "b", "c"])
    assert found["iris", "gaussian", 0.1, "shared", "FLGC", "paper"] == ["a", "b"]
    assert found["iris", "salt_pepper", 0.1, "shared", "FLGC", "paper"] == ["c"]


@pytest.mark.parametrize("shown", [TINY, UCI, ROBUSTNESS, CLUSTERING])
def test_each_place_is_the_cell_that_has_its_value(shown):
    """Values that differ in every cell are found where the places say."""
    subjects = [(dataset, *noise) for dataset in shown.datasets for noise in shown.noises or [()]]
    cells, expected = [], {}
    for i, (dataset, *noise) in enumerate(subjects):
        for j, row in enumerate(shown.rows):
            for k, metric in enumerate(shown.metrics):
                value = round(0.1 + 0.003 * i + 0.02 * j + 0.001 * k, 4)
                [cell] = [results((dataset, row.name, "honest", value), of=shown, metric=metric)]
                named = dict(zip(("noise", "intensity", "noise_pattern"), noise, strict=False))
                cells.append(cell.assign(**named))
                at = (dataset, *(noise or ("", 0.0, "")), metric, row.name, "honest")
                expected[Place(*at)] = value
    rows = pd.concat(cells, ignore_index=True)
    found = {}
    for laid in [*laid_tables(Values(shown, rows), ("honest",), {}).values()]:
        for (i, column), place in laid.places.items():
            text = laid.frame[column][i].split()[0].replace("**", "")
            unit = 100 if place.metric == "accuracy" else 1
            found[place] = (text, expected[place] * unit)
    assert len(found) == len(expected)
    for text, value in found.values():
        assert float(text) == pytest.approx(value, abs=10.0 ** -len(text.partition(".")[2]))


def test_averages_close_a_table():
    rows = pd.concat([runs(0.9).assign(dataset=name) for name in TINY.datasets])
    laid = laid_out(Values(TINY, pd.concat([rows, rows.assign(method="FLGC*")])), ("paper",), {})
    assert laid.frame["dataset"].iloc[-laid.closing].startswith("average")
    assert laid.closing == len(laid.frame) - len(TINY.datasets)
