"""The paper's tables and figures."""

from collections.abc import Mapping
from itertools import product
from typing import Any

from flgc.noise import INDEPENDENT, NOISES, SHARED
from tasks.analyses.affinity import Affinities
from tasks.analyses.along import Along
from tasks.analyses.cells import Bars
from tasks.analyses.comparison import Compare
from tasks.analyses.criteria import Criteria
from tasks.analyses.labels import LabelCounts
from tasks.analyses.neighbours import Neighbours
from tasks.analyses.samples import Samples
from tasks.analyses.sensitivity import Sensitivity
from tasks.analyses.shares import LabelShares
from tasks.analyses.sizes import Sizes
from tasks.analyses.timing import TimedHops
from tasks.declared.rivals import TABLE_GRIDS, own_grids
from tasks.declared.types import Experiment, Noise, Preparation, values

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
    *("FLGC*, kernel", "FLGC*, kernel, averaged", "LapRLS, linear"),
    *("LabelSpreading", "SVM"),
    *(f"{name}, authors' setting" for name in TRAINED_RIVALS),
)
CLUSTERINGS = ("FLGC", "FLGC*")
# In the order of the paper's tables and bars, then what it does not have.
SMALL_RIVALS = ("K-Means", "NMF", "NCut", "CAN", "CLR", "SSR", "KMM", "RRCSL")
SMALL_METHODS = (*SMALL_RIVALS, "EGCSC", *FLGC_ROWS, "FLGC*, l1", "FLGC*, nuclear")
IMAGE_RIVALS = ("LRR", "LRSC", "SSC", "KSSC", "SSC-OMP")
IMAGE_METHODS = (*IMAGE_RIVALS, "EDSC", "EGCSC", *FLGC_ROWS)
IMAGE_SETS = ("COIL20", "ORL", "ExtendedYaleB")
NOISE_METHODS = ("EDSC", "EGCSC", *CLUSTERINGS)
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


def prepared(graph: str, scaling: str, n_neighbors: int | None, **axes: Any) -> Preparation:
    """Neighbours in one scaling, features in another."""
    return Preparation(graph, n_neighbors, values(scaling=scaling, **axes))


# Within the paper's own grid for clusterings.
WITHIN = {
    "hops": (1, 2, 5, 10, 20),
    "teleport": (0.0, 0.1, 0.2, 0.5, 0.8),
    "regularization": (1.0, 10.0, 100.0, 1e3, 1e4),
}
# What the published values need: values that the paper's grid does not have.
BEYOND = {
    "hops": (1, 2, 5, 10, 20),
    "teleport": (0.0, 0.001, 0.01, 0.1, 0.2),
    "regularization": (0.01, 0.1, 1.0, 10.0, 100.0, 1e3),
}
BEYOND_REMARK = (
    "`paper` has, beyond the paper's grid, what its values need: regularizations of .01 and .1, "
    "teleports of .001 and .01, and 3 or 10 neighbours besides floor(N / 5C)."
)
# What a small set may be clustered with, the same for all of them: graph and features.
SMALL_SETS = tuple(
    prepared(graph, scaling, None, **WITHIN)
    for graph, scaling in (
        ("standardised", "standardised"),
        ("unit-length", "standardised"),
        ("unit-length", "unit-length"),
    )
)
# The same for images, on fewer hops; then, on the paper's neighbours and on three, constants of the
# block heuristic for each set: the dimensions and powers of their authors, whose threshold is .8
# throughout, and a threshold for ExtendedYaleB that was tuned with labels.
IMAGES = prepared("unit-length", "standardised", None, **WITHIN | {"hops": (1, 3, 10)})
BLOCKS = {
    "COIL20": values(threshold=0.8, subspace_dim=8, power=10, regularization=(10.0, 100.0, 1e3)),
    "ORL": values(threshold=0.8, subspace_dim=3, power=1, regularization=(100.0, 1e3, 1e4)),
    "ExtendedYaleB": values(threshold=0.25, subspace_dim=4, power=4, regularization=(100.0, 1e3)),
}
TUNED_IMAGES = {
    name: tuple(
        prepared(
            "unit-length", "standardised", k, **blocks, hops=(1, 3, 10), teleport=(0.0, 0.2, 0.5)
        )
        for k in (None, 3)
    )
    for name, blocks in BLOCKS.items()
}
# Under noise every table is clustered many times: every other value, about, of those above.
NOISY = {"hops": (1, 5), "teleport": (0.0, 0.5), "regularization": (10.0, 1e3)}
# What was tuned with labels for ExtendedYaleB: three hops among twelve neighbours, one among three.
TUNED_NOISY = tuple(
    prepared(
        "unit-length",
        "standardised",
        n_neighbors,
        threshold=(0.25,),
        hops=(hops,),
        teleport=(0.0, 0.5),
        regularization=(100.0, 1e3),
    )
    for n_neighbors, hops in ((12, 3), (3, 1))
)
INTENSITIES = (0.01, 0.05, 0.1, 0.2)


def noises(intensities: tuple[float, ...], runs: Mapping[str, int]) -> tuple[Noise, ...]:
    """Both kinds at these intensities, with so many seeds in each pattern."""
    return tuple(
        Noise(kind, intensity, pattern, runs=of_pattern)
        for pattern, of_pattern in runs.items()
        for kind, intensity in product(NOISES, intensities)
    )


# The paper's Figures 4, 5 and 6.
CURVES_ON = ("iris", "wine", "wdbc")
UCI_CURVES = (
    LabelCounts(counts=tuple(range(1, 21)), datasets=CURVES_ON, runs=30),
    Along("hops", (1, 2, 3, 5, 8, 12, 16, 20), datasets=CURVES_ON, runs=10, figure="depths"),
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
        preparations=(GRAPH,),
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
        preparations=(GRAPH,),
        split="random",
        runs=20,
        published="citation_accuracy",
        analyses=(LabelShares((1, 2, 5, 10, 20), ("Cora",), runs=5),),
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
        preparations=(GRAPH,),
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
        preparations=(MIN_MAX,),
        split="10%",
        runs=30,
        published="uci_accuracy",
        analyses=(Sizes("uci_datasets"), Compare("wilcoxon_ranks", "FLGC*"), *UCI_CURVES),
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
        methods=SMALL_METHODS,
        grids=own_grids(SMALL_RIVALS),
        preparations=SMALL_SETS,
        tuned={
            "iris": (prepared("unit-length", "standardised", 10, **BEYOND),),
            "wine": (prepared("standardised", "standardised", 10, **BEYOND),),
            "Yale": (
                prepared("unit-length", "unit-length", 10, subspace_dim=8, power=2, **BEYOND),
            ),
        },
        runs=20,
        published="clustering_small",
        analyses=(
            Affinities(("iris",), "FLGC*"),
            Criteria(("iris", "wine", "Yale"), "FLGC*", ("EGCSC",)),
        ),
        remarks=(
            BEYOND_REMARK,
            "`honest` knows no classes: what clusters look like best need not be them.",
            "FLGC* on Yale has means of 20 starts, where the paper may show one: the best start "
            "reaches its ACC and its NMI.",
        ),
    ),
    Experiment(
        name="clustering-images",
        flow="clustering",
        task="clustering",
        title="Clustering of image sets",
        datasets=IMAGE_SETS,
        methods=IMAGE_METHODS,
        grids=own_grids(IMAGE_RIVALS),
        preparations=(IMAGES,),
        tuned=TUNED_IMAGES,
        runs=5,
        analyses=(
            Bars(),
            Samples(IMAGE_SETS),
            Along("hops", tuple(range(1, 21)), IMAGE_SETS, runs=5, methods=CLUSTERINGS),
            Along(
                "teleport",
                tuple(step / 10 for step in range(11)),
                IMAGE_SETS,
                runs=5,
                methods=("FLGC*",),
            ),
            Affinities(("ExtendedYaleB",), "FLGC*"),
            Criteria(IMAGE_SETS, "FLGC*", ("EDSC", "EGCSC")),
        ),
        remarks=(
            "`paper` has, for each set, the dimension and the power of the block heuristic that "
            "its authors use, for Extended Yale B a threshold that was tuned with labels (.25; the "
            "authors' code has .8 throughout), and 3 neighbours besides floor(N / 5C), which is "
            "beyond the paper's grid. SSC, "
            "KSSC, LRR and LRSC cluster 6 or 12 principal components for each cluster (`pca`, "
            "`kernel_pca`), LRSC all pixels, too.",
        ),
    ),
    Experiment(
        name="clustering-graphs",
        flow="clustering",
        task="clustering",
        title="Clustering of graphs with features, beyond the paper",
        datasets=CITATION_GRAPHS,
        methods=("K-Means", "FLGC, low-rank", "FLGC*, low-rank"),
        grids={
            "K-Means": {"scaling": ("raw", "unit-length"), "n_init": (10,)},
            "FLGC*, low-rank": {
                "scaling": ("raw", "unit-length"),
                "hops": (10, 20, 40),
                "teleport": (0.0, 0.05),
                "regularization": (10.0, 100.0),
            },
        },
        runs=5,
        remarks=(
            "S2GC (Zhu, Koniusz: Simple Spectral Graph Convolution, ICLR 2021) publishes ACC and "
            "NMI of .696 and .547 on Cora, .688 and .428 on CiteSeer.",
        ),
    ),
    Experiment(
        name="robustness",
        flow="robustness",
        task="clustering",
        title="Extended Yale B under noise",
        datasets=("ExtendedYaleB",),
        methods=NOISE_METHODS,
        preparations=(prepared("unit-length", "standardised", None, **NOISY),),
        tuned={"ExtendedYaleB": TUNED_NOISY},
        noises=noises(INTENSITIES, runs={SHARED: 3, INDEPENDENT: 1}),
        published="robustness_extended_yale_b",
        remarks=(
            "The text of the paper describes noise in every image of ExtendedYaleB; only where one "
            "and the same pattern corrupts all images (*shared*) do values come near its own. Both "
            "are here, on pixels in [0, 1], clipped, each pixel standardised afterwards. `paper` "
            "has, besides the settings of `honest`, a threshold of the block heuristic that was "
            "tuned with labels, .25 (the authors' code has .8), and three neighbours, which are "
            "beyond the paper's grid.",
            "FLGC* stays below the paper under strong gaussian noise. Tried besides: a teleport of "
            ".8; noise on standardised pixels, which hardly corrupts; pixels that are not "
            "standardised afterwards, where all methods fall to half. The images are rebuilt from "
            "the original crops and are not the paper's file.",
        ),
    ),
)
