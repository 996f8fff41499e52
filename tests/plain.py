"""The formulas as they stand in the paper: dense, slow, and what every fast path must equal."""

import numpy as np
from hypothesis import strategies as st


def propagation_matrix(A):
    looped = A + np.eye(len(A))
    root = np.diag(1 / np.sqrt(looped.sum(axis=1)))
    return root @ looped @ root


def propagate(P, X, hops, teleport):
    H = X
    for _ in range(hops):
        H = (1 - teleport) * P @ H + teleport * X
    return H


def ridge_weights(H, Y, labelled, regularization):
    M = np.zeros(len(H))
    M[labelled] = 1
    augmented = np.zeros((len(H), Y.shape[1]))
    augmented[labelled] = Y
    gram = H.T @ np.diag(M) @ H + regularization * np.eye(H.shape[1])
    return np.linalg.inv(gram) @ H.T @ np.diag(M) @ augmented


def precise_ridge_weights(H, Y, regularization):
    """The same as least squares with rows sqrt(r) I below H: nothing is squared; 0 is lstsq."""
    d = H.shape[1]
    rows = np.vstack([H, np.sqrt(regularization) * np.eye(d)])
    targets = np.vstack([Y, np.zeros((d, Y.shape[1]))])
    return np.linalg.lstsq(rows, targets, rcond=None)[0]


def leave_one_out_residuals(H, Y, regularization):
    """One refit per row."""
    rows = np.arange(len(H))
    return np.array(
        [
            Y[i] - H[i] @ precise_ridge_weights(H[rows != i], Y[rows != i], regularization)
            for i in rows
        ]
    )


def averaged(P, X, Y, labelled, weights, hops, teleports, regularizations):
    """Weighted sums of all models' scores and left-out scores, each model fitted by itself."""
    scores, left_out = np.zeros((len(X), Y.shape[1])), np.zeros(Y.shape)
    for i, h in enumerate(hops):
        for t, teleport in enumerate(teleports):
            H = propagate(P, X, h, teleport)
            for r, regularization in enumerate(regularizations):
                W = precise_ridge_weights(H[labelled], Y, regularization)
                residuals = leave_one_out_residuals(H[labelled], Y, regularization)
                scores += weights[i, t, r] * H @ W
                left_out += weights[i, t, r] * (Y - residuals)
    return scores, left_out


def unfitted_scores(P, X, Y, labelled, validation, hops, teleport, regularization):
    """One model's scores of labelled nodes, each left out, and of validation nodes."""
    H = propagate(P, X, hops, teleport)
    left_out = Y - leave_one_out_residuals(H[labelled], Y, regularization)
    return left_out, H[validation] @ precise_ridge_weights(H[labelled], Y, regularization)


def self_expression(H, X, regularization):
    return np.linalg.inv(H @ H.T + regularization * np.eye(len(H))) @ H @ X.T


def partly(labels, labelled):
    """The labels of some nodes; the others have none."""
    y = np.full(len(labels), -1)
    y[labelled] = labels[labelled]
    return y


seeds = st.integers(0, 2**32 - 1)


@st.composite
def problems(draw):
    """A random graph with features and labels; disconnected and empty graphs are among them."""
    n_classes = draw(st.integers(2, 4))
    per_class = draw(st.integers(1, 6))
    n_nodes = n_classes * per_class + draw(st.integers(0, 15))
    n_features = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(seeds))
    A = np.triu(rng.random((n_nodes, n_nodes)) < draw(st.sampled_from([0.0, 0.05, 0.3])), 1)
    A = (A + A.T) * 1.0
    X = rng.standard_normal((n_nodes, n_features))
    labels = rng.integers(n_classes, size=n_nodes)
    labelled = rng.permutation(n_nodes)[: n_classes * per_class]
    labels[labelled] = np.arange(len(labelled)) % n_classes
    return A, X, labels, labelled, n_classes


hop_counts = st.integers(0, 8)
teleports = st.sampled_from([0.0, 0.1, 0.5, 1.0])
regularizations = st.sampled_from([1e-2, 0.5, 4.0, 100.0])
