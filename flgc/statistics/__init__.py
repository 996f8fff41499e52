"""Is one method better than another over many datasets?"""

from flgc.statistics.many_methods import (
    compare_with_control,
    friedman,
    holm,
    rank_sum_matrix,
    verdict_matrix,
)
from flgc.statistics.signed_ranks import signed_ranks

__all__ = [
    "compare_with_control",
    "friedman",
    "holm",
    "rank_sum_matrix",
    "signed_ranks",
    "verdict_matrix",
]
