"""A filter that is learnt: a weight matrix for each hop, all from one ridge.

    scores = sum_h P^h X B_h,   H(K) = [X / s_0, P X / s_1, ... P^K X / s_K],   B_h = W_h / s_h

with s_h the root mean square of the entries of P^h X, so that all hops have a part of one size in
the kernel HH' (a mean size would favour sparse features over what neighbours make of them). FLGC's
own filters have one matrix W and given coefficients, B_h = c_h W: low-pass ones. The learnt filter
can be high-pass as well, which graphs need where neighbours differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from array_api_compat import array_namespace

from flgc.propagation import iterate_hops, powers_at

POLYNOMIAL, PER_HOP = "polynomial", "per-hop"
FILTERS = (POLYNOMIAL, PER_HOP)
# The learnt filter knows no teleport: the one value of that axis of its grid.
NO_TELEPORT = (0.0,)


def hop_sizes(P: Any, X: Any, hops: int) -> list[float]:
    """s_0 .. s_hops, over all nodes: no label is in them; 1 where all is 0."""
    sizes = []
    for H in iterate_hops(P, X, hops, reuse=True):
        xp = array_namespace(H)
        sizes.append(math.sqrt(float(xp.mean(H**2))) or 1.0)
    return sizes


def stacked_grid(P: Any, X: Any, rows: Any, hops: Sequence[int]) -> Iterator[tuple[int, int, Any]]:
    """(index of hops, 0, H(hops)[rows]), as `embedding_grid` gives those of given filters."""
    sizes, blocks = hop_sizes(P, X, max(hops)), []
    for h, power in enumerate(powers_at(P, X, rows, max(hops))):
        blocks.append(power / sizes[h])
        if h in hops:
            H = array_namespace(power).concat(blocks, axis=1)
            yield from ((i, 0, H) for i, wanted in enumerate(hops) if wanted == h)


def unstacked(W: Any, sizes: Sequence[float], d: int) -> list[Any]:
    """B_0 .. B_K of one ridge with d features, from W of shape (..., (K + 1) d, C)."""
    terms = range(W.shape[-2] // d)
    return [W[..., h * d : (h + 1) * d, :] / sizes[h] for h in terms]
