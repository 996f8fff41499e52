"""SSC, KSSC and SSC-OMP: known answers and plain twins."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import orthogonal_mp
from sklearn.metrics.pairwise import polynomial_kernel

from flgc.methods.subspace.coefficients import affinity_of
from flgc.methods.subspace.kssc import KSSC, kernel_features
from flgc.methods.subspace.ssc import SSC, least_best
from flgc.methods.subspace.ssc_omp import SSCOMP, matching_pursuit
from flgc.metrics import clustering_accuracy
from flgc.scaling import unit_length
from tests.flgc.drawn import union_of_subspaces

ALL = [SSC, KSSC, SSCOMP]


X, TRUTH = union_of_subspaces(25, dim=3, ambient=30)


@pytest.mark.parametrize("kind", ALL)
def test_lengths_of_samples_are_no_matter(kind: type):
    scale = np.random.default_rng(1).uniform(0.1, 10, size=(len(X), 1))
    first, second = kind(3).fit(X), kind(3).fit(scale * X)
    first, second = np.asarray(first.affinity_matrix_), np.asarray(second.affinity_matrix_)
    np.testing.assert_allclose(first, second, atol=1e-3)


def test_affinity_is_of_columns_at_their_largest_entry():
    C = np.array([[0, -2, 0], [1, 0, 0], [4, 1, 0.0]])
    wanted = np.array([[0, 1.25, 1], [1.25, 0, 0.5], [1, 0.5, 0]])
    np.testing.assert_allclose(affinity_of(C, 1.0), wanted)
    # 4 of 5 are 80 %: the 1 of the first column goes; 2 of 3 are 67 %: that of the second stays
    np.testing.assert_allclose(affinity_of(C, 0.7), [[0, 1, 1], [1, 0, 0.5], [1, 0.5, 0]])


def test_the_weight_is_that_of_the_paper_and_skips_black_images():
    sizes = np.array([[9, 2, 3, 0], [2, 9, 1, 0], [3, 1, 9, 0], [0, 0, 0, 0.0]])
    assert least_best(sizes) == 2
    assert least_best(np.where(sizes == 0, 1e-39, sizes)) == 2
    assert least_best(np.zeros((3, 3))) == 1
    # At alpha = 1 the sample that the others help least is not expressed, the others are.
    C = SSC(3, alpha=1.0, tolerance=1e-4).fit(X).coefficients_
    products = np.abs(unit_length(X) @ unit_length(X).T)
    np.fill_diagonal(products, 0)
    assert np.flatnonzero(~C.any(axis=0)).tolist() == [products.max(axis=0).argmin()]


def test_affine_coefficients_sum_to_one_and_find_parallel_lines():
    """Two lines that span one plane with the origin: subspaces cannot tell them apart."""
    place = np.linspace(-3, 3, 40)
    lines = np.vstack([np.column_stack([place, np.full(40, height)]) for height in (1.0, -1.0)])
    truth = np.repeat([0, 1], 40)
    model = SSC(2, affine=True, alpha=100.0, tolerance=1e-3, random_state=0).fit(lines)
    assert clustering_accuracy(truth, model.labels_) == 1
    np.testing.assert_allclose(model.coefficients_.sum(axis=0), 1, atol=0.02)
    plain = SSC(2, alpha=100.0, random_state=0).fit(lines)
    assert clustering_accuracy(truth, plain.labels_) < 0.9


def test_outliers_take_up_wrong_features():
    """One feature of each sample is wrong, and E has found which."""
    rng = np.random.default_rng(3)
    wrong, rows = rng.integers(0, 30, len(X)), np.arange(len(X))
    broken = unit_length(X)
    broken[rows, wrong] += 1
    model = SSC(3, outliers=2.0, random_state=0).fit(broken)
    assert model.outliers_.shape == (30, len(X))
    found = np.abs(model.outliers_).argmax(axis=0)
    assert np.mean(found == wrong) > 0.9
    without = SSC(3, random_state=0).fit(broken)
    assert clustering_accuracy(TRUTH, model.labels_) > clustering_accuracy(TRUTH, without.labels_)
    assert without.outliers_.shape == (0, len(X))


def test_outliers_minimise_the_objective_of_the_paper():
    """No small step of C or E lowers it."""
    model = SSC(3, outliers=1.5, tolerance=1e-4, max_iter=20_000).fit(X)
    unit = unit_length(X)
    products = np.abs(unit @ unit.T)
    lengths = np.sort(np.abs(unit).sum(axis=1))
    fit, gross = 20 / least_best(products), 1.5 / lengths[-2]

    def objective(C: np.ndarray, E: np.ndarray) -> float:
        rest = np.linalg.norm(unit.T - unit.T @ C - E) ** 2
        return np.abs(C).sum() + gross * np.abs(E).sum() + fit / 2 * rest

    C, E = model.coefficients_.astype(np.float64), model.outliers_ / gross
    best, rng = objective(C, E), np.random.default_rng(0)
    for part, other in ((C, 0), (E, 1)):
        for size in (1e-2, 1e-3):
            step = size * rng.normal(size=part.shape) * (rng.random(part.shape) < 0.1)
            if other == 0:
                np.fill_diagonal(step, 0)
            for sign in (-1, 1):
                near = (
                    objective(C + sign * step, E) if other == 0 else objective(C, E + sign * step)
                )
                assert near > best
    for factor in (0.98, 1.02):
        assert objective(factor * C, E) > best
        assert objective(C, factor * E) > best


def test_kernel_of_degree_one_is_ssc():
    plain, kernel = SSC(3, tolerance=1e-4).fit(X), KSSC(3, degree=1, tolerance=1e-4).fit(X)
    np.testing.assert_allclose(plain.coefficients_, kernel.coefficients_, atol=1e-3)


def test_kernel_equals_ssc_on_the_features_that_the_kernel_stands_for():
    """(x'z)^2 is the product of all pairs of features."""
    few = X[:, :6]
    pairs = np.einsum("ni,nj->nij", few, few).reshape(len(few), -1)
    exact = {"tolerance": 1e-4, "max_iter": 10_000}
    plain, kernel = SSC(3, **exact).fit(pairs), KSSC(3, **exact).fit(few)
    np.testing.assert_allclose(plain.coefficients_, kernel.coefficients_, atol=1e-3)


def test_kernel_features_have_the_kernel_as_products():
    K = polynomial_kernel(X, degree=3)
    F = kernel_features(K)
    np.testing.assert_allclose(F @ F.T, K, atol=1e-9 * np.abs(K).max())
    s = np.linalg.eigvalsh(K)
    few = kernel_features(K, 4)
    assert few.shape == (len(X), 4)
    np.testing.assert_allclose(np.linalg.norm(K - few @ few.T), np.linalg.norm(s[:-4]), rtol=1e-6)


def test_circles_need_the_kernel():
    rng = np.random.default_rng(4)
    angle = rng.uniform(0, 2 * np.pi, 80)
    radius = np.repeat([1.0, 4.0], 40)
    circles = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    model = KSSC(2, kernel="gaussian", width=0.3, random_state=0).fit(circles)
    assert clustering_accuracy(np.repeat([0, 1], 40), model.labels_) == 1
    assert (
        clustering_accuracy(np.repeat([0, 1], 40), SSC(2, random_state=0).fit_predict(circles))
        < 0.8
    )


@pytest.mark.parametrize("n_nonzero", [1, 2, 5])
def test_pursuit_equals_scikit_learn_sample_by_sample(n_nonzero: int):
    samples = np.random.default_rng(5).normal(size=(40, 12))
    samples[7] *= 50  # lengths that differ, too
    for given in (samples, unit_length(samples)):
        found = matching_pursuit(given @ given.T, n_nonzero, 0.0).toarray()
        # scikit-learn chooses by products with atoms as they are, so do we
        for own, row in enumerate(given):
            others = np.delete(np.arange(len(given)), own)
            wanted = orthogonal_mp(given[others].T, row, n_nonzero_coefs=n_nonzero)
            np.testing.assert_allclose(found[own, others], wanted, atol=1e-8)
            assert found[own, own] == 0


def test_pursuit_ends_at_the_tolerance():
    samples = unit_length(np.random.default_rng(6).normal(size=(40, 12)))
    found = matching_pursuit(samples @ samples.T, 12, 0.4).toarray()
    left = np.linalg.norm(samples - found @ samples, axis=1)
    assert left.max() <= 0.4
    counts = np.count_nonzero(found, axis=1)
    for own, row in enumerate(samples):
        others = np.delete(np.arange(len(samples)), own)
        wanted = orthogonal_mp(samples[others].T, row, tol=0.4**2)
        assert counts[own] == np.count_nonzero(wanted)
    assert len(set(counts)) > 1


def test_pursuit_stops_where_the_subspace_ends():
    """Three samples span it; what they leave is rounding, and nothing is added to fit that."""
    found = matching_pursuit(unit_length(X) @ unit_length(X).T, 10, 1e-3).toarray()
    assert (np.count_nonzero(found, axis=1) == 3).all()
    doubled = np.repeat(np.eye(4), 2, axis=0)
    found = matching_pursuit(doubled @ doubled.T, 5, 0.0).toarray()
    np.testing.assert_array_equal(found, np.kron(np.eye(4), [[0, 1], [1, 0]]))


@pytest.mark.parametrize("kind", ALL)
def test_few_samples(kind: type):
    assert np.unique(kind(2, random_state=0).fit_predict(np.eye(4))).size <= 2
    assert len(kind(2, random_state=0).fit_predict(X[:2])) == 2


def test_what_does_not_converge_is_said_and_seen():
    with pytest.warns(ConvergenceWarning, match="max_iter=10"):
        model = SSC(3, max_iter=10, tolerance=1e-4).fit(X)
    assert model.n_unfinished_ > 0
    assert max(model.residuals_) > 1e-4
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = SSC(3).fit(X)
    assert model.n_unfinished_ == 0
    assert model.n_iter_ <= model.max_iter
    assert max(model.residuals_) <= model.tolerance
