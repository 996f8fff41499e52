"""What a clustering could be picked by without classes: each criterion's pick, side by side."""

from collections.abc import Mapping

import pandas as pd

from flgc.methods.criteria import CRITERIA
from tasks.document.blocks import Block, Heading, Table, Text
from tasks.document.tables import titled_as

WORDS = {
    "silhouette": "silhouette in standardised features (what `honest` picks by)",
    "embedding": "silhouette in the setting's own spectral embedding",
    "eigengap": "eigengap of the setting's own affinity",
    "modularity": "modularity of the setting's own affinity",
    "common": "modularity on one graph for all: 10 neighbours in standardised features",
    "stability": "stability: agreement with the clusters of four samples in five",
    "ACC": "the best of all on the true classes",
}
CHOSEN = CRITERIA[0]


def told(
    name: str, criteria: Mapping[str, Mapping[str, pd.DataFrame]], results: pd.DataFrame
) -> list[Block]:
    """ACC of what each picks, the mean over datasets and rows, and who is best without classes."""
    columns, ranks = {}, {}
    for dataset, of_methods in criteria.items():
        for found in of_methods.values():
            for row, own in found.groupby("row", sort=False):
                title = f"{titled_as(dataset, results)} {row}"
                of_row = own.set_index("criterion")
                columns[title], ranks[title] = of_row["ACC"], of_row["correlation"]
    picked = pd.DataFrame(columns).loc[[*WORDS]]
    shown = picked.assign(mean=picked.mean(axis=1)).map("{:.3f}".format)
    shown["correlation with ACC"] = pd.DataFrame(ranks).mean(axis=1).map("{:.2f}".format)
    shown.insert(0, "picked by", [WORDS[criterion] for criterion in shown.index])
    means = picked.loc[[*CRITERIA]].mean(axis=1)
    first, chosen = str(means.idxmax()), means[CHOSEN]
    verdict = "it is the best of these on the average"
    if first != CHOSEN:
        verdict = (
            f"on the average {WORDS[first]} is better here, {means[first]:.3f} against {chosen:.3f}"
        )
    said = "ACC of what each criterion picks among the settings of `honest`"
    return [
        Heading(3, "Picking without classes"),
        Text(f"{said}:"),
        Table(f"{name}-criteria", shown.reset_index(drop=True), said),
        Text(
            "`honest` picks by the silhouette in standardised features: it needs no affinity, so "
            "it is there for every method, and its space is one for all settings; "
            f"{verdict}."
        ),
    ]
