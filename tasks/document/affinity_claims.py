"""Whether affinity matrices are "distinctly block-diagonal", as the paper says of its Figure 9."""

from collections.abc import Mapping

import pandas as pd

from flgc.methods.sorted_affinity import SortedAffinity
from tasks.document.blocks import Block, Heading, text
from tasks.document.tables import titled_as


def told(
    affinities: Mapping[str, Mapping[str, SortedAffinity]], results: pd.DataFrame
) -> list[Block]:
    """The share of affinity within the classes, beside that of a matrix without any structure."""
    lines = [
        f"- {titled_as(dataset, results)}, {method}: {affinity.inside:.1%} of the affinity between "
        f"different samples is within classes; {affinity.by_chance:.1%} if it were even"
        for dataset, of_methods in affinities.items()
        for method, affinity in of_methods.items()
    ]
    return [Heading(3, "Affinity matrices"), *text(lines)]
