"""Graphs in which neighbours differ, with ten splits each; none of them is in the paper."""

from flgc.datasets.catalogue.entry import Entry, RawFile, Route, Url
from flgc.datasets.readers.npz import read_npz

UPSTREAM = "https://raw.githubusercontent.com/yandex-research/heterophilous-graphs/main/data"
FOLDER = "heterophilous"
PLATONOV = "Platonov et al. (2023), A critical look at the evaluation of GNNs under heterophily"
ROZEMBERCZKI = "Rozemberczki et al. (2021), Multi-scale attributed node embedding"
PEI = "Pei et al. (2020), Geom-GCN"
FILTERED = "without the nodes that upstream has twice, some of them among training and test nodes"


def graph(
    name: str, classes: int, instances: int, features: int, citation: str, note: str = ""
) -> Entry:
    """A row of the registry: one file of the same name."""
    file = RawFile(f"{name}.npz", (Url(f"{UPSTREAM}/{name}.npz"),), exact=True)
    return Entry(
        name=name,
        kind="graph",
        classes=classes,
        instances=instances,
        features=features,
        class_names=tuple(str(label) for label in range(classes)),
        routes=(Route(read_npz, (file,)),),
        licence="MIT",
        citation=citation,
        notes=(note,) if note else (),
        in_paper=False,
        folder=FOLDER,
    )


HETEROPHILOUS = (
    graph("minesweeper", 2, 10000, 7, PLATONOV, "a fifth of the nodes are mines: see the AUC"),
    graph("tolokers", 2, 11758, 10, PLATONOV, "a fifth of the nodes were banned: see the AUC"),
    graph("chameleon_filtered", 5, 890, 2325, f"{ROZEMBERCZKI}; {PLATONOV}", FILTERED),
    graph("squirrel_filtered", 5, 2223, 2089, f"{ROZEMBERCZKI}; {PLATONOV}", FILTERED),
    graph("actor", 5, 7600, 932, f"Tang et al. (2009), Social influence analysis; {PEI}"),
    graph("texas", 5, 183, 1703, f"WebKB; {PEI}", "one class has a single node"),
    graph("wisconsin", 5, 251, 1703, f"WebKB; {PEI}"),
    graph("cornell", 5, 183, 1703, f"WebKB; {PEI}"),
)
