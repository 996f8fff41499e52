"""The same tables in small, on embedded data: the whole DAG in about a minute.

Grids and runs are cut, so the paper's accuracies would say nothing of it: none are declared.
"""

from flgc.noise import INDEPENDENT, SHARED
from tasks.analyses.affinity import Affinities
from tasks.analyses.along import Along
from tasks.analyses.cells import Bars
from tasks.analyses.comparison import Compare
from tasks.analyses.criteria import Criteria
from tasks.analyses.labels import LabelCounts
from tasks.analyses.neighbours import Neighbours
from tasks.analyses.samples import Samples
from tasks.analyses.sensitivity import Sensitivity
from tasks.analyses.sizes import Sizes
from tasks.analyses.timing import TimedHops
from tasks.declared.paper import (
    CITATION_METHODS,
    CLUSTERINGS,
    FLGC_ROWS,
    GRAPH,
    IMAGE_RIVALS,
    MIN_MAX,
    SMALL_METHODS,
    SMALL_RIVALS,
    SMALL_SETS,
    closed_form,
    noises,
    powers_of_two,
    prepared,
)
from tasks.declared.rivals import own_grids
from tasks.declared.types import Experiment

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
        preparations=(GRAPH,),
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
        preparations=(MIN_MAX,),
        split="10%",
        runs=3,
        analyses=(
            Sizes("uci_datasets"),
            Compare(control="FLGC*"),
            LabelCounts(counts=(1, 3), datasets=("iris",), runs=3),
            Along("hops", (1, 3), datasets=("iris",), runs=3, figure="depths"),
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
        title="Clustering of small sets and of drawn subspaces",
        datasets=("iris", "wine", "union-of-subspaces"),
        methods=(*SMALL_METHODS, *IMAGE_RIVALS, "EDSC"),
        grids={
            **closed_form((5, 20), (0.0, 0.001), (10.0, 100.0)),
            **own_grids((*SMALL_RIVALS, *IMAGE_RIVALS), most=1),
        },
        preparations=SMALL_SETS[:2],
        tuned={"iris": (prepared("unit-length", "standardised", 5),)},
        analyses=(
            Bars(),
            Along("hops", (1, 5, 20), ("iris", "wine"), runs=2, methods=CLUSTERINGS),
            Along("teleport", (0.0, 0.5, 1.0), ("iris", "wine"), runs=2, methods=("FLGC*",)),
            Affinities(("iris",), "FLGC*"),
            Criteria(("iris",), "FLGC*"),
        ),
    ),
    Experiment(
        name="robustness-tiny",
        flow="robustness",
        task="clustering",
        title="Digits under noise",
        datasets=("digits",),
        methods=CLUSTERINGS,
        grids=closed_form((3,), (0.0, 0.2), (100.0,)),
        preparations=(prepared("unit-length", "standardised", 12),),
        noises=noises((0.1,), runs={SHARED: 2, INDEPENDENT: 1}),
        analyses=(Samples(("digits",)),),
    ),
)
