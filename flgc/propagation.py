"""Parameter-free propagation, and every setting of a grid from one pass over the graph.

    H(0) = X,   H(h+1) = (1 - teleport) P H(h) + teleport X                       (Eq. 10)

Unrolled, H(h) = p(P) X with the polynomial p of coefficients teleport (1 - teleport)^j for j < h
and (1 - teleport)^h for j = h. The powers P^j X do not depend on the teleport, so they serve all.
P is symmetric: the rows of H at labelled nodes are (p(P) E)' X with E the label indicators, and
with fewer labelled nodes than features it is cheaper to propagate E (the "label side").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import array_namespace, device

from flgc.checks import check_hops, check_teleport
from flgc.device import n_threads

# Below this many multiplications a second thread costs more than it saves.
_THREADING_PAYS = 2_000_000


def hop(P: Any, H: Any, X: Any = None, teleport: float = 0.0, spare: Any = None) -> Any:
    """(1 - teleport) P H + teleport X, a new array: the one expensive step.

    scipy's product is serial, so blocks of rows go to all cores. A large result may be written into
    `spare`, an array of its shape and type: fresh memory costs as much as the product.
    """
    if not isinstance(H, np.ndarray):
        return _blend(P @ H, X, teleport)
    threads = n_threads()
    if threads == 1 or P.nnz * H.shape[1] < _THREADING_PAYS:
        return _blend(P @ H, X, teleport)
    # More blocks than threads even out uneven degrees; blocks have equally many non-zeros.
    cuts = np.searchsorted(P.indptr, np.linspace(0, P.nnz, 4 * threads + 1))
    cuts[0], cuts[-1] = 0, P.shape[0]
    out = spare
    if out is None:
        out = np.empty((P.shape[0], H.shape[1]), dtype=np.result_type(P.dtype, H.dtype))

    def fill(block: int) -> None:
        start, stop = cuts[block], cuts[block + 1]
        first, last = P.indptr[start], P.indptr[stop]
        rows = sp.csr_array(
            (P.data[first:last], P.indices[first:last], P.indptr[start : stop + 1] - first),
            shape=(stop - start, P.shape[1]),
        )
        out[start:stop] = _blend(rows @ H, None if X is None else X[start:stop], teleport)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, range(len(cuts) - 1)))
    return out


def _blend(product: Any, X: Any, teleport: float) -> Any:
    """(1 - teleport) product + teleport X, in place: the product is a new array."""
    if teleport > 0:
        product *= 1 - teleport
        product += teleport * X
    return product


def iterate_hops(
    P: Any, X: Any, hops: int, teleport: float = 0.0, *, reuse: bool = False
) -> Iterator[Any]:
    """H(0), H(1), ... H(hops), one after the other; sparse features become dense.

    With `reuse`, H(h + 2) may overwrite H(h): for callers that do not keep them.
    """
    check_hops(hops)
    check_teleport(teleport)
    X = X.toarray() if sp.issparse(X) else X
    H, spare = X, None
    yield H
    for h in range(hops):
        if teleport < 1:
            previous, H = H, hop(P, H, X, teleport, spare)
            spare = previous if reuse and h else None  # H(0) is the caller's
        yield H


def propagate(P: Any, X: Any, hops: int, teleport: float = 0.0) -> Any:
    """The embedding H = H(hops). `teleport=0` is SGC's P^hops X, `teleport=1` is X."""
    for H in iterate_hops(P, X, hops, teleport, reuse=True):
        embedding = H
    return embedding


def coefficients(hops: int, teleport: float) -> list[float]:
    """c_0 .. c_hops of the polynomial: H(hops) = sum_h c_h P^h X."""
    return [teleport * (1 - teleport) ** h for h in range(hops)] + [(1 - teleport) ** hops]


def iterate_filter(P: Any, terms: Iterable[Any]) -> Iterator[Any]:
    """sum_h P^h T_h by Horner's scheme: the partial sums, from T_hops, ... T_1, T_0 in turn.

    Any coefficients, for the cost of one hop of T's columns per term.
    """
    total = None
    for term in terms:
        total = term if total is None else hop(P, total) + term
        yield total


def propagate_indicators(P: Any, X: Any, nodes: Any, hops: int, teleport: float = 0.0) -> Any:
    """p(P) E for the indicators E of the nodes, in the precision of X: (p(P) E)' X is H[nodes].

    The teleport adds to one entry per column, so a hop costs only its product.
    """
    check_hops(hops)
    check_teleport(teleport)
    H = indicator_columns(X, nodes)
    columns = array_namespace(nodes).arange(nodes.shape[0], device=device(nodes))
    damped = P if teleport == 0 else P * (1 - teleport)
    for _ in range(hops if teleport < 1 else 0):
        H = hop(damped, H)
        if teleport > 0:
            H[nodes, columns] += teleport
    return H


def embedding_grid(
    P: Any, X: Any, rows: Any, hops: Sequence[int], teleports: Sequence[float]
) -> Iterator[tuple[int, int, Any]]:
    """(index of hops, index of teleport, H[rows]) for every setting, feature side.

    One product with P per hop, whatever the number of teleports.
    """
    sums: list[Any] = [0.0] * len(teleports)  # sum over j < h of teleport (1 - teleport)^j P^j X
    for h, power in enumerate(powers_at(P, X, rows, max(hops))):
        for t, teleport in enumerate(teleports):
            decay = (1.0 - teleport) ** h
            if h in hops:
                H = power if teleport == 0 else sums[t] + decay * power
                yield from ((i, t, H) for i, wanted in enumerate(hops) if wanted == h)
            if teleport > 0 and h < max(hops):
                sums[t] += (teleport * decay) * power


def powers_at(P: Any, X: Any, rows: Any, hops: int) -> Iterator[Any]:
    """(P^h X)[rows] for h = 0 .. hops; by the rows' indicators if those are fewer columns."""
    if rows.shape[0] < X.shape[1]:
        for S in iterate_hops(P, indicator_columns(X, rows), hops, reuse=True):
            yield (X.T @ S).T
    else:
        for H in iterate_hops(P, X, hops, reuse=True):
            yield H[rows]


def kernel_grid(
    P: Any, X: Any, labelled: Any, rows: Any, hops: Sequence[int], teleports: Sequence[float]
) -> Iterator[tuple[int, int, Any]]:
    """(index of hops, index of teleport, H[rows] H[labelled]') for every setting, label side.

    With C_ij = (P^i X X' P^j E)[rows], the matrix of a setting is sum_ij p_i p_j C_ij. From h to
    h + 1 hops only the coefficients at h and h + 1 change, so a setting costs two C_ij-sized
    additions and one small product. Holds at most hops^2 / 4 matrices len(rows) x len(labelled).
    """
    xp = array_namespace(labelled)
    indicators = indicator_columns(X, labelled)
    right = list(iterate_hops(P, indicators, max(hops)))
    n_labelled = indicators.shape[1]
    expanded = xp.concat([X @ (X.T @ S) for S in right], axis=1)
    decays = 1.0 - xp.asarray(teleports, dtype=indicators.dtype, device=device(indicators))
    ahead: list[list[Any]] = [[] for _ in right]  # ahead[j][i] = C_ij, kept until hop j
    sums: list[Any] = [0.0] * len(teleports)  # sum over i, j < h
    for h, full in enumerate(iterate_hops(P, expanded, max(hops), reuse=True)):
        C_h = xp.reshape(full[rows], (-1, len(right), n_labelled))
        for j in range(h + 1, len(right)):
            ahead[j].append(xp.asarray(C_h[:, j], copy=True))
        corner = C_h[:, h]
        if h:
            pairs = xp.stack([before + C_h[:, i] for i, before in enumerate(ahead[h])])
            ahead[h].clear()
            weights = (1.0 - decays) * decays ** xp.arange(h, device=device(decays))[:, None]
            borders = xp.tensordot(xp.matrix_transpose(weights), pairs, axes=1)
        for t, teleport in enumerate(teleports):
            border = borders[t] if h else 0.0
            decay = (1.0 - teleport) ** h
            step = teleport * decay
            if h in hops:
                K = sums[t] + decay * border + decay**2 * corner
                yield from ((i, t, K) for i, wanted in enumerate(hops) if wanted == h)
            sums[t] = sums[t] + step * border + step**2 * corner


def indicator_columns(X: Any, nodes: Any) -> Any:
    """E: one column per node, 1 at that node, dense, in the precision of X."""
    xp, where = array_namespace(nodes), device(nodes)
    columns = xp.zeros((X.shape[0], nodes.shape[0]), dtype=X.dtype, device=where)
    columns[nodes, xp.arange(nodes.shape[0], device=where)] = 1.0
    return columns
