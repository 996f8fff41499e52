"""What the rules of `honest` are chosen on: data that no table of the paper has.

`flgc reproduce --suite development` shows every candidate beside the others (docs/rules.md).
"""

from tasks.analyses.criteria import Criteria
from tasks.analyses.rules import Rules
from tasks.declared.paper import (
    AVERAGED,
    FLGC_ROWS,
    GRAPH,
    MIN_MAX,
    SMALL_SETS,
    closed_form,
    powers_of_two,
    prepared,
)
from tasks.declared.types import Experiment

# fmt: off
TABLES = (
    "balance", "bands", "bupa", "contraceptive", "dermatology", "german", "hayes-roth",
    "ionosphere", "led7digit", "mammographic", "monk-2", "movement_libras", "newthyroid",
    "saheart", "sonar", "tae", "tic-tac-toe", "titanic", "vehicle", "vowel",
)
# fmt: on
COMMUNITIES = (
    *("communities-words", "communities-edges"),
    *("communities-sparse", "communities-loose"),
)
# Classes of equal and of unequal sizes, subspaces of several dimensions and noise levels.
CLUSTERED = (
    *("dermatology", "newthyroid", "balance", "hayes-roth", "ionosphere", "led7digit"),
    *("movement_libras", "vehicle", "vowel"),
    *("union-of-subspaces", "subspaces-unequal", "subspaces-noisy", "subspaces-crowded"),
)
IMAGES = ("digits", "faces-lit", "faces-dark")
CLUSTERINGS = ("EDSC", "EGCSC", "FLGC", "FLGC*")
# Every second hop of the paper's grid for tables, and less where they hardly differ.
HOPS = (0, 1, 2, 3, 5, 8, 12, 16, 20)
TELEPORTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
VALIDATED = closed_form(tuple(range(0, 21, 2)), TELEPORTS, powers_of_two(-8, 8))
SINGLE_AND_AVERAGED = ("FLGC*", AVERAGED)

DEVELOPMENT = (
    Experiment(
        name="development-tables",
        flow="uci",
        task="classification",
        title="Development: tables, 10 % of each class labelled",
        datasets=TABLES,
        methods=FLGC_ROWS,
        grids=closed_form(HOPS, TELEPORTS, powers_of_two(-10, 10, 2)),
        preparations=(MIN_MAX,),
        split="10%",
        runs=10,
        analyses=(Rules(*SINGLE_AND_AVERAGED),),
    ),
    Experiment(
        name="development-graphs",
        flow="citation",
        task="classification",
        title="Development: graphs of communities, random splits with validation nodes",
        datasets=COMMUNITIES,
        methods=SINGLE_AND_AVERAGED,
        grids=VALIDATED,
        preparations=(GRAPH,),
        split="random",
        runs=10,
        analyses=(Rules(*SINGLE_AND_AVERAGED),),
    ),
    Experiment(
        name="development-validated",
        flow="uci",
        task="classification",
        title="Development: tables, random splits with validation nodes",
        datasets=("digits", "titanic"),
        methods=SINGLE_AND_AVERAGED,
        grids=VALIDATED,
        preparations=(MIN_MAX,),
        split="random",
        runs=10,
        analyses=(Rules(*SINGLE_AND_AVERAGED),),
    ),
    Experiment(
        name="development-clustering",
        flow="clustering",
        task="clustering",
        title="Development: clustering of tables and of drawn subspaces",
        datasets=CLUSTERED,
        methods=CLUSTERINGS,
        preparations=SMALL_SETS,
        runs=2,
        analyses=(Criteria(CLUSTERED, "FLGC*", ("EDSC", "EGCSC")),),
    ),
    Experiment(
        name="development-images",
        flow="clustering",
        task="clustering",
        title="Development: clustering of images",
        datasets=IMAGES,
        methods=CLUSTERINGS,
        preparations=(
            prepared(
                "unit-length",
                "standardised",
                None,
                hops=(1, 3, 10),
                teleport=(0.0, 0.1, 0.2, 0.5, 0.8),
                regularization=(1.0, 10.0, 100.0, 1e3, 1e4),
            ),
        ),
        runs=2,
        analyses=(Criteria(IMAGES, "FLGC*", ("EDSC", "EGCSC")),),
    ),
)
