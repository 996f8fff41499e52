from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from flgc.metrics import (
    clustering_accuracy,
    expected_calibration_error,
    normalized_mutual_information,
)
from flgc.noise import NOISES, PATTERNS, gaussian, salt_and_pepper


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_accuracy_is_the_best_of_all_matchings(pairs):
    truth, labels = np.array(pairs).T
    best = max(np.mean(truth == np.array(names)[labels]) for names in permutations(range(4)))
    assert clustering_accuracy(truth, labels) == pytest.approx(best)


def test_names_do_not_matter_and_more_clusters_than_classes_are_fine():
    assert clustering_accuracy(["a", "a", "b"], [7, 7, 1]) == 1.0
    assert clustering_accuracy([0, 0, 0, 0], [0, 1, 2, 3]) == 0.25
    assert normalized_mutual_information(["a", "a", "b"], [7, 7, 1]) == pytest.approx(1.0)


def test_calibration_error_of_known_cases():
    sure, wrong = np.eye(2)[[0, 1, 0, 1]], np.array([1, 0, 1, 0])
    assert expected_calibration_error([0, 1, 0, 1], sure) == 0.0
    assert expected_calibration_error(wrong, sure) == 1.0
    # Four of five are right at .8: calibrated. One of two is right at .9: .4 too sure.
    calibrated = np.tile([0.8, 0.2], (5, 1))
    assert expected_calibration_error([0, 0, 0, 0, 1], calibrated) == pytest.approx(0.0)
    too_sure = np.tile([0.9, 0.1], (2, 1))
    assert expected_calibration_error([0, 1], too_sure) == pytest.approx(0.4)
    # Bins do not make up for each other: shares 5/7 and 2/7.
    both = np.vstack([calibrated, too_sure])
    found = expected_calibration_error([0, 0, 0, 0, 1, 0, 1], both)
    assert found == pytest.approx(0.4 * 2 / 7)
    assert expected_calibration_error([0, 0, 0, 0, 1, 0, 1], both, n_bins=1) == pytest.approx(
        abs(5 / 7 - (5 * 0.8 + 2 * 0.9) / 7)
    )
    # A confidence on an edge lies in the bin below: .5 and .6 in bins of width .5.
    pair = np.array([[0.5, 0.5], [0.6, 0.4]])
    assert expected_calibration_error([1, 0], pair, n_bins=2) == pytest.approx((0.5 + 0.4) / 2)


def test_gaussian_has_the_variance_and_repeats():
    X = np.full((200, 300), 0.5)
    noisy, n_changed = gaussian(X, 0.04, seed=3)
    assert np.var(noisy - X) == pytest.approx(0.04, rel=0.02)
    assert n_changed == X.size
    np.testing.assert_array_equal(noisy, gaussian(X, 0.04, seed=3).X)
    assert (noisy != gaussian(X, 0.04, seed=4).X).all()
    assert gaussian(X, 0.0, seed=0).n_changed == 0
    clipped = gaussian(X, 1.0, seed=0, clip=(0, 1)).X
    assert clipped.min() == 0
    assert clipped.max() == 1


def test_salt_and_pepper_changes_the_share_and_counts_it():
    X = np.full((100, 100), 0.5)
    noisy, n_changed = salt_and_pepper(X, 0.1, seed=1)
    assert n_changed == np.count_nonzero(noisy != X) == 1000
    assert set(np.unique(noisy)) == {0.0, 0.5, 1.0}
    assert 400 < np.count_nonzero(noisy == 1) < 600
    np.testing.assert_array_equal(noisy, salt_and_pepper(X, 0.1, seed=1).X)
    assert 0 < salt_and_pepper(np.zeros((50, 50)), 1.0, seed=0).n_changed < 2500
    assert (X == 0.5).all()


INTENSE = {"gaussian": 0.3, "salt_pepper": 0.25}
PIXELS = st.tuples(st.integers(1, 6), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(0, 1, width=16))
)


@given(PIXELS, st.sampled_from(list(NOISES)), st.integers(0, 99))
def test_a_shared_pattern_is_the_noise_of_one_row_in_all_rows(X, kind, seed):
    noisy, n_changed = NOISES[kind](X, INTENSE[kind], seed=seed, pattern="shared")
    for row, before in zip(noisy, X, strict=True):
        alone = NOISES[kind](before[None], INTENSE[kind], seed=seed).X[0]
        np.testing.assert_array_equal(row, alone)
    assert n_changed == np.count_nonzero(noisy != X)
    again = NOISES[kind](X, INTENSE[kind], seed=seed, pattern="shared").X
    np.testing.assert_array_equal(noisy, again)


@pytest.mark.parametrize("kind", NOISES)
def test_independent_noise_differs_from_row_to_row_and_a_shared_one_from_seed_to_seed(kind):
    X = np.full((40, 60), 0.5)
    drawn = {name: NOISES[kind](X, INTENSE[kind], seed=1, pattern=name) for name in PATTERNS}
    assert len(np.unique(drawn["shared"].X, axis=0)) == 1
    assert len(np.unique(drawn["independent"].X, axis=0)) == 40
    np.testing.assert_array_equal(drawn["independent"].X, NOISES[kind](X, INTENSE[kind], seed=1).X)
    other = NOISES[kind](X, INTENSE[kind], seed=2, pattern="shared").X
    assert not np.array_equal(drawn["shared"].X, other)


def test_a_shared_pattern_hits_the_share_of_a_row_with_both_values():
    X = np.full((10, 200), 0.5)
    noisy, n_changed = salt_and_pepper(X, 0.25, seed=0, pattern="shared")
    assert (np.count_nonzero(noisy != 0.5, axis=1) == 50).all()
    assert n_changed == 500
    assert set(np.unique(noisy)) == {0.0, 0.5, 1.0}
    black = salt_and_pepper(np.zeros((10, 200)), 0.25, seed=0, pattern="shared")
    assert black.n_changed == np.count_nonzero(noisy == 1), "what was black stays so under pepper"


@pytest.mark.parametrize("kind", NOISES)
def test_an_unknown_pattern_is_refused(kind):
    with pytest.raises(ValueError, match=r"pattern='common'.*independent.*shared"):
        NOISES[kind](np.eye(2), 0.1, seed=0, pattern="common")


def test_integer_pixels_become_floats_and_float32_stays():
    assert gaussian(np.ones((2, 2), int), 0.1, seed=0).X.dtype == np.float64
    for noise in NOISES.values():
        assert noise(np.ones((2, 2), np.float32), 0.1, seed=0).X.dtype == np.float32


def test_bad_intensities_are_refused():
    with pytest.raises(ValueError, match="variance=-1"):
        gaussian(np.eye(2), -1, seed=0)
    with pytest.raises(ValueError, match=r"share=1\.5"):
        salt_and_pepper(np.eye(2), 1.5, seed=0)
