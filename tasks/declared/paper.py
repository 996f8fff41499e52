"""The paper's tables and figures."""

from tasks.declared.rivals import TABLE_GRIDS
from tasks.declared.types import (
    Compare,
    Depths,
    Experiment,
    LabelCounts,
    Neighbours,
    Noise,
    Preparation,
    Sensitivity,
    TimedHops,
)

CITATION_GRAPHS = ("Cora", "CiteSeer", "PubMed")
# In the order of the paper's table of accuracies.
# fmt: off
UCI_TABLES = (
    "air", "ecoli", "iris", "fertility", "wine", "wdbc", "haberman", "spectf",
    "CAR", "cotton", "seeds", "glass", "zoo", "appendicitis", "heart", "cleve",
    "segmentation", "x8d5k", "vote", "WBC", "breast", "australian", "diabetes", "dnatest",
)
# fmt: on
AVERAGED = "FLGC* averaged"
FLGC_ROWS = ("FLGC", "FLGC*", AVERAGED)
CITATION_METHODS = (
    *("GCN", "GCN-Linear", "SGC", "APPNP"),
    *("FLGC", "FLGC*, teleport .1", "FLGC*", AVERAGED),
)
TRAINED_RIVALS = ("GCN-Linear", "GCN", "DropEdge", "SGC", "GCNII", "APPNP")
# In the order of the paper's table, then what it does not have.
UCI_METHODS = (
    *("SS-ELM", "TSVM", "LapRLS", *TRAINED_RIVALS),
    *FLGC_ROWS,
    *("LabelSpreading", "SVM"),
    *(f"{name}, authors' setting" for name in TRAINED_RIVALS),
)
CLUSTERINGS = ("FLGC", "FLGC*")
GRAPH = Preparation(axes={"scaling": ("raw", "row-normalised")})
MIN_MAX = Preparation("min-max", axes={"scaling": ("min-max",)})


def powers_of_two(first: int, last: int, step: int = 1) -> tuple[float, ...]:
    """2^first, 2^(first + step), ..., 2^last."""
    return tuple(2.0**exponent for exponent in range(first, last + 1, step))


def closed_form(
    hops: tuple[int, ...], teleports: tuple[float, ...], regularizations: tuple[float, ...]
) -> dict[str, dict[str, tuple]]:
    """The grid of FLGC, in both of its tasks."""
    return {"FLGC*": {"hops": hops, "teleport": teleports, "regularization": regularizations}}


def prepared(graph: str, scaling: str, n_neighbors: int, **axes: tuple) -> Preparation:
    """Neighbours in one scaling, features in another."""
    return Preparation(graph, n_neighbors, {"scaling": (scaling,), **axes})


# What a small set may be clustered with, the same for all of them.
SMALL_SETS = (
    prepared("standardised", "standardised", 10),
    prepared("unit-length", "standardised", 10),
    prepared("unit-length", "unit-length", 10),
)
# The paper's Figures 4, 5 and 6.
CURVES_ON = ("iris", "wine", "wdbc")
UCI_CURVES = (
    LabelCounts(counts=tuple(range(1, 21)), datasets=CURVES_ON, runs=30),
    Depths(hops=(1, 2, 3, 5, 8, 12, 16, 20), datasets=CURVES_ON, runs=10),
    Neighbours(
        n_neighbors=(0, 5, 10, 15, 20, 25, 30),
        datasets=CURVES_ON,
        runs=50,
        method="FLGC*",
        setting={"hops": 5, "teleport": 0.1, "regularization": 1e-4},
    ),
)

PAPER = (
    Experiment(
        name="citation-public",
        flow="citation",
        task="classification",
        title="Citation graphs, public split",
        datasets=CITATION_GRAPHS,
        methods=CITATION_METHODS,
        # The paper's grid, and .05, which its best value on PubMed needs.
        grids=closed_form(
            tuple(range(21)),
            tuple(sorted({*(step / 10 for step in range(11)), 0.05})),
            powers_of_two(-8, 8),
        ),
        preparation=GRAPH,
        split="public",
        runs=20,
        published="citation_accuracy",
        analyses=(TimedHops(tuple(range(1, 16))), Sensitivity()),
        remarks=(
            "Rivals above the paper were picked better than the paper's. SGC on PubMed with the "
            "learning rate .01 and hardly any weight decay, on raw features, lands at the paper's "
            "value; GCN-Linear on CiteSeer is above it on row-normalised features and below it on "
            "raw ones.",
        ),
    ),
    Experiment(
        name="citation-random",
        flow="citation",
        task="classification",
        title="Citation graphs, random splits",
        datasets=CITATION_GRAPHS,
        methods=CITATION_METHODS,
        grids=closed_form((2, 5, 10, 20), (0.0, 0.05, 0.1, 0.2), powers_of_two(-8, 8, 2)),
        preparation=GRAPH,
        split="random",
        runs=20,
        published="citation_accuracy",
        remarks=(
            "Tried for FLGC* on CiteSeer: 13 hops, 12 teleports, 17 regularizations and features "
            "of unit length besides; the best mean over the 20 splits stays where it is. The "
            "paper prints ± 0.0 over its runs, where splits differ by more than the gap.",
        ),
    ),
    Experiment(
        name="citation-full",
        flow="citation",
        task="classification",
        title="Citation graphs, full split",
        datasets=CITATION_GRAPHS,
        methods=CITATION_METHODS,
        grids=closed_form((1, 2, 5, 10), (0.0, 0.1, 0.2), powers_of_two(-8, 8, 2)),
        preparation=GRAPH,
        split="full",
        runs=2,
        published="citation_accuracy",
    ),
    Experiment(
        name="uci",
        flow="uci",
        task="classification",
        title="Regular tables, 10 % of each class labelled",
        datasets=UCI_TABLES,
        methods=UCI_METHODS,
        grids={
            **TABLE_GRIDS,
            **closed_form(
                tuple(range(21)),
                (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
                powers_of_two(-10, 10, 2),
            ),
        },
        preparation=MIN_MAX,
        split="10%",
        runs=30,
        published="uci_accuracy",
        sizes="uci_datasets",
        analyses=(Compare("wilcoxon_ranks"), *UCI_CURVES),
        remarks=(
            "glass is far below in `honest`: its rows are sorted by class, so the Id gives the "
            "class away. `paper` keeps it among the features, and only so is the published value "
            "reached; `honest` leaves it out.",
            "FLGC and FLGC* more than 1.5 points from the paper in `paper`, and what was tried (30 "
            "runs): iris is short on min-max scaled features and reached on raw ones (97.0). "
            "appendicitis is above, and at the published value with 1 to 5 hops and four "
            "regularizations: the paper may have searched less. cleve, vote and wine stay above "
            "with that grid and with 5 or 20 neighbours; cleve comes down with rows of unit "
            "length (77.1), wine with neighbours of such rows (93.0), vote not even with missing "
            "votes taken for no or for yes (93.8 and more).",
            "TSVM is short on zoo: of its 13 labels four classes have one each, and as many rows "
            "are taken for a class as its share of the labels says. Rivals are far above the paper "
            "nearly everywhere else, most of all SS-ELM and DropEdge, so its claims of rank rest "
            "on weaker rivals than these.",
        ),
    ),
    Experiment(
        name="clustering",
        flow="clustering",
        task="clustering",
        title="Clustering of small sets",
        datasets=("iris", "wine", "Yale"),
        methods=CLUSTERINGS,
        grids=closed_form(
            (1, 2, 5, 10, 20), (0.0, 0.001, 0.01, 0.1, 0.2), (0.01, 0.1, 1.0, 10.0, 100.0, 1e3)
        ),
        preparation=SMALL_SETS[0],
        exceptions={
            "iris": prepared("unit-length", "standardised", 10),
            "Yale": prepared("unit-length", "unit-length", 10, subspace_dim=(8,), power=(2,)),
        },
        honest=SMALL_SETS,
        published="clustering_small",
        remarks=(
            "iris and Yale are far below in `honest`: it picks by the silhouette, and clusters "
            "that are compact need not be the classes.",
        ),
    ),
    Experiment(
        name="robustness",
        flow="robustness",
        task="clustering",
        title="Extended Yale B under noise",
        datasets=("ExtendedYaleB",),
        methods=CLUSTERINGS,
        grids=closed_form((1, 3), (0.0, 0.2, 0.5), (100.0,)),
        preparation=prepared("raw", "raw", 12, threshold=(0.25,)),
        noises=(
            *(Noise("gaussian", share, "standardised") for share in (0.01, 0.05, 0.1, 0.2)),
            *(Noise("salt_pepper", share, "raw") for share in (0.01, 0.05, 0.1, 0.2)),
        ),
        published="robustness_extended_yale_b",
        remarks=(
            "The paper does not say in which scale ExtendedYaleB is corrupted, nor whether all "
            "images share one pattern of noise; here each has its own. In `paper` gaussian noise "
            "is added to standardised pixels, in `honest` all noise to pixels in [0, 1]. `honest` "
            "picks by the silhouette, which knows no labels.",
        ),
    ),
)
