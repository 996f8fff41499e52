"""Which models are as good as the best on the nodes that validate, up to the noise of these.

The best of thousands of models on a few hundred nodes is lucky: it fits these nodes. Among all that
are within half a standard error of it, the leave-one-out error on the labelled nodes decides, which
these nodes have no part in (docs/rules.md).
"""

import numpy as np

STANDARD_ERRORS = 0.5
# Shares of equal counts differ by rounding.
ROUNDING = 1e-12


def near_best(
    accuracies: np.ndarray, n_nodes: float, standard_errors: float = STANDARD_ERRORS
) -> np.ndarray:
    """True where a model is within that many sqrt(v (1 - v) / n) of the best accuracy v."""
    best = float(np.max(accuracies))
    reach = standard_errors * np.sqrt(best * (1 - best) / n_nodes)
    return np.asarray(accuracies) >= best - reach - ROUNDING
