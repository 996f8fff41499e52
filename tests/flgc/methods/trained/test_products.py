"""One matrix times what every run holds, and its gradient: however cut, they are A H and A' G."""

from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from flgc.methods.trained import products
from flgc.methods.trained.products import Product
from tests.plain import seeds


@given(
    shape=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    runs=st.integers(1, 5),
    columns=st.integers(1, 5),
    density=st.sampled_from([0.0, 0.1, 0.9]),
    most_rows=st.sampled_from([1, 3, 100]),
    most_columns=st.sampled_from([1, 6, 100]),
    seed=seeds,
)
def test_products_and_gradients_are_the_plain_ones(
    shape, runs, columns, density, most_rows, most_columns, seed
):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal(shape) * (rng.random(shape) < density)
    H = torch.tensor(rng.standard_normal((runs, shape[1], columns)), requires_grad=True)
    G = torch.tensor(rng.standard_normal((runs, shape[0], columns)))
    with (
        patch.object(products, "_MOST_ROWS", most_rows),
        patch.object(products, "_MOST_COLUMNS", most_columns),
    ):
        result = Product(sp.csr_array(A), torch.device("cpu"))(H)
        result.backward(G)
    np.testing.assert_allclose(result.detach(), A @ H.detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(H.grad, A.T @ G.numpy(), atol=1e-12)
