"""The same tables in small, on embedded data: the whole DAG in about a minute."""

from tasks.declared.paper import (
    CITATION_METHODS,
    CLUSTERINGS,
    FLGC_ROWS,
    GRAPH,
    MIN_MAX,
    SMALL_SETS,
    closed_form,
    powers_of_two,
    prepared,
)
from tasks.declared.types import (
    Compare,
    Depths,
    Experiment,
    LabelCounts,
    Neighbours,
    Noise,
    Sensitivity,
    TimedHops,
)

GRIDS = closed_form((0, 2, 5, 10), (0.0, 0.1, 0.5), powers_of_two(-6, 6, 3))

TINY = (
    Experiment(
        name="citation-tiny",
        flow="citation",
        task="classification",
        title="Zachary's karate club, three labelled members of each community",
        datasets=("KarateClub",),
        methods=CITATION_METHODS,
        grids=GRIDS,
        preparation=GRAPH,
        split="3-per-class",
        runs=3,
        analyses=(TimedHops((1, 2, 3)), Sensitivity()),
    ),
    Experiment(
        name="uci-tiny",
        flow="uci",
        task="classification",
        title="Three regular tables, 10 % of each class labelled",
        datasets=("iris", "wine", "wdbc"),
        methods=FLGC_ROWS,
        grids=GRIDS,
        preparation=MIN_MAX,
        split="10%",
        runs=3,
        published="uci_accuracy",
        sizes="uci_datasets",
        analyses=(
            Compare(),
            LabelCounts(counts=(1, 3), datasets=("iris",), runs=3),
            Depths(hops=(1, 3), datasets=("iris",), runs=3),
            Neighbours(
                n_neighbors=(0, 5),
                datasets=("iris",),
                runs=3,
                method="FLGC*",
                setting={"hops": 5, "teleport": 0.1, "regularization": 1e-4},
            ),
        ),
    ),
    Experiment(
        name="clustering-tiny",
        flow="clustering",
        task="clustering",
        title="Clustering of two small sets",
        datasets=("iris", "wine"),
        methods=CLUSTERINGS,
        grids=closed_form((5, 20), (0.0, 0.001), (10.0, 100.0)),
        preparation=SMALL_SETS[0],
        exceptions={"iris": SMALL_SETS[1]},
        honest=SMALL_SETS[:2],
        published="clustering_small",
    ),
    Experiment(
        name="robustness-tiny",
        flow="robustness",
        task="clustering",
        title="Digits under noise",
        datasets=("digits",),
        methods=CLUSTERINGS,
        grids=closed_form((1, 3), (0.0, 0.2), (100.0,)),
        preparation=prepared("raw", "raw", 10),
        noises=(
            Noise("gaussian", 0.05, "raw", clip=True),
            Noise("salt_pepper", 0.1, "raw"),
        ),
    ),
)
