import numpy as np
import pytest
from scipy.special import softmax

from flgc.calibration import fit_temperature


@pytest.mark.parametrize("temperature", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_temperature_that_drew_the_labels_is_found(temperature, scale):
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((20_000, 3)) * temperature
    cumulated = softmax(scores / temperature, axis=1).cumsum(axis=1)
    codes = (rng.random((20_000, 1)) > cumulated).sum(axis=1)
    found = fit_temperature(scale * scores, codes)
    assert found == pytest.approx(scale * temperature, rel=0.05)


def test_a_few_nodes_that_are_all_right_are_no_certainty():
    for n_nodes in (3, 30):
        codes = np.arange(n_nodes) % 3
        temperature = fit_temperature(np.eye(3)[codes], codes)
        # A quarter of a node of each class is added.
        expected = (n_nodes + 1 / 4) / (n_nodes + 3 / 4)
        assert softmax(np.eye(3)[0] / temperature)[0] == pytest.approx(expected, rel=1e-3)


def test_scores_that_mislead_or_say_nothing_give_no_certainty():
    codes = np.arange(30) % 3
    wrong = np.eye(3)[(codes + 1) % 3]
    assert softmax(np.eye(3)[0] / fit_temperature(wrong, codes))[0] < 0.34
    assert fit_temperature(np.zeros((30, 3)), codes) == 1.0
    assert fit_temperature(np.zeros((0, 3)), np.zeros(0, dtype=int)) == 1.0
    broken = np.vstack([np.eye(3)[codes], [[np.nan, 0, 0]], [[np.inf, 0, 0]]])
    assert fit_temperature(broken, np.append(codes, [0, 0])) == fit_temperature(
        np.eye(3)[codes], codes
    )
