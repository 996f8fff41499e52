"""What the names of scalings promise."""

import numpy as np
import pytest
import scipy.sparse as sp

from flgc.scaling import SCALINGS, scaled

X = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 2.0], [0.0, 8.0, 0.0]])


@pytest.mark.parametrize("given", [X, sp.csr_array(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_every_scaling_is_what_it_is_called(scaling: str, given: object) -> None:
    found = scaled(given, scaling)
    found = found.toarray() if sp.issparse(found) else found
    expected = {
        "raw": X,
        "row-normalised": X / np.array([[7.0], [1.0], [4.0], [8.0]]),
        "unit-length": X / np.array([[5.0], [1.0], [np.sqrt(6)], [8.0]]),
        "min-max": X / np.array([3.0, 8.0, 2.0]),
        "standardised": (X - X.mean(axis=0)) / X.std(axis=0),
    }
    np.testing.assert_allclose(found, expected[scaling], atol=1e-12)


def test_constant_columns_stay_finite() -> None:
    for scaling in SCALINGS:
        assert np.isfinite(scaled(np.ones((3, 2)), scaling)).all()


def test_an_unknown_scaling_names_the_choices() -> None:
    with pytest.raises(ValueError, match="unknown scaling 'l2'; choose from raw, row-normalised"):
        scaled(X, "l2")
