"""The claims of the paper's text, in our own words, with the places where they stand."""

from dataclasses import dataclass

from flgc.noise import INDEPENDENT, SHARED
from tasks.declared.paper import CURVES_ON, IMAGE_RIVALS
from tasks.paper import of_figures, of_tables
from tasks.paper.judging import OURS, WITH, WITHOUT, Judge, each_protocol
from tasks.report.values import Case

CLASSIC = ("SS-ELM", "TSVM", "LapRLS")
GCN_VARIANTS = ("GCN-Linear", "GCN", "DropEdge", "SGC", "GCNII", "APPNP")
SMOOTHED = ("GCN", "GCN-Linear", "SGC")


@dataclass(frozen=True)
class Claim:
    """What the paper says, where, and how stored results are asked about it.

    It needs the `methods` and `datasets` that it speaks of; without names, every method with
    published values, and every dataset of the table; and, if it names one, the rows of an
    `analysis`.
    """

    text: str
    where: str
    judge: Judge
    methods: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    analysis: str = ""


def _shared(case: Case) -> bool:
    return case[3] == SHARED


def _independent(case: Case) -> bool:
    return case[3] == INDEPENDENT


REACHED = each_protocol(of_tables.reached)
RESIDUAL = of_tables.ahead((WITH,), (WITHOUT,), level=True)

# By experiment, in the order of the paper.
CLAIMS: dict[str, tuple[Claim, ...]] = {
    "citation-public": (
        Claim(
            "FLGC and FLGC* reach the printed accuracies on the public split",
            "Table II",
            REACHED,
            OURS,
        ),
        Claim(
            "FLGC and FLGC* are more accurate than GCN, GCN-Linear, SGC and APPNP on every graph",
            "Section IV-A, Table II",
            of_tables.ahead(),
        ),
        Claim("FLGC* is at least as accurate as FLGC", "Section IV-A, Table II", RESIDUAL, OURS),
        Claim(
            "FLGC and FLGC* train faster than their rivals",
            "Section IV-A, Figure 2",
            of_figures.faster,
            analysis="time",
        ),
        Claim(
            "Their training time hardly grows with the number of hops",
            "Section IV-A, Figure 2",
            of_figures.hardly_longer,
            OURS,
            analysis="time",
        ),
        Claim(
            "FLGC* does not over-smooth with many hops",
            "Section IV-A, Figure 2",
            of_figures.not_smoothed,
            (WITH,),
            analysis="time",
        ),
        Claim(
            "GCN, GCN-Linear and SGC do over-smooth",
            "Section IV-A, Figure 2",
            of_figures.smoothed(SMOOTHED),
            SMOOTHED,
            analysis="time",
        ),
        Claim(
            "The best teleport of FLGC* lies between .01 and .2",
            "Section IV-A, Figure 3",
            each_protocol(of_tables.small_teleports),
            (WITH,),
        ),
        Claim(
            "Cora and CiteSeer want a stronger regularization than PubMed",
            "Section IV-A, Figure 3",
            of_tables.stronger_on(("Cora", "CiteSeer"), "PubMed"),
            (WITH,),
        ),
    ),
    "citation-random": (
        Claim(
            "FLGC and FLGC* reach the printed accuracies on random splits",
            "Table III",
            REACHED,
            OURS,
        ),
        Claim(
            "FLGC and FLGC* are more accurate than their rivals on random splits",
            "Section IV-A, Table III",
            of_tables.ahead(),
        ),
        Claim(
            "FLGC and FLGC* vary less from run to run than their rivals",
            "Section IV-A, Table III",
            each_protocol(of_tables.steadier),
        ),
    ),
    "citation-full": (
        Claim(
            "FLGC and FLGC* reach the printed accuracies on the full split",
            "Table III",
            REACHED,
            OURS,
        ),
        Claim(
            "FLGC and FLGC* are more accurate than their rivals on the full split",
            "Section IV-A, Table III",
            of_tables.ahead(),
        ),
    ),
    "uci": (
        Claim(
            "FLGC and FLGC* reach the printed accuracies on regular tables",
            "Table V",
            REACHED,
            OURS,
        ),
        Claim(
            "FLGC and FLGC* have a higher mean accuracy than every rival",
            "Section IV-B, Table V",
            of_tables.averages((WITHOUT, WITH)),
        ),
        Claim(
            "FLGC* is the most accurate on 16 of 24 tables",
            "Section IV-B, Table V",
            each_protocol(of_tables.best_on_most),
        ),
        Claim("FLGC* is at least as accurate as FLGC", "Table V", RESIDUAL, OURS),
        Claim(
            "FLGC* is significantly better than every other method",
            "Section IV-B, Table VI",
            of_tables.significant(WITH),
            analysis="wilcoxon",
        ),
        Claim(
            "FLGC is significantly better than every rival but GCN and GCNII",
            "Section IV-B, Table VI",
            of_tables.significant(WITHOUT, level_with=("GCN", "GCNII")),
            analysis="wilcoxon",
        ),
        Claim(
            "Graph networks have higher means than classic semi-supervised methods",
            "Section IV-B, Table V",
            of_tables.averages(GCN_VARIANTS, CLASSIC),
            (*GCN_VARIANTS, *CLASSIC),
        ),
        Claim(
            "With one label per class FLGC and FLGC* are far above SS-ELM, TSVM and LapRLS",
            "Section IV-B, Figure 4",
            of_figures.few_labels,
            (*CLASSIC, *OURS),
            CURVES_ON,
            analysis="labels",
        ),
        Claim(
            "GCNII, APPNP, FLGC and FLGC* over-smooth less than the others",
            "Section IV-B, Figure 5",
            of_figures.steady_in_depth,
            (*GCN_VARIANTS, *OURS),
            CURVES_ON,
            analysis="depths",
        ),
        Claim(
            "GCN-Linear tends to be more accurate than GCN",
            "Section IV-B, Figure 5",
            of_figures.linear_over_relu,
            ("GCN-Linear", "GCN"),
            CURVES_ON,
            analysis="depths",
        ),
        Claim(
            "The initial residual makes FLGC* more accurate than FLGC over many steps",
            "Section IV-B, Figure 5",
            of_figures.residual_in_depth,
            OURS,
            CURVES_ON,
            analysis="depths",
        ),
        Claim(
            "Without edges accuracy is lower and less stable than with any number of neighbours",
            "Section IV-B, Figure 6",
            of_figures.worse_without_edges,
            (WITH,),
            CURVES_ON,
            analysis="neighbours",
        ),
    ),
    "clustering": (
        Claim(
            "FLGC and FLGC* reach the printed ACC and NMI on small sets", "Table VII", REACHED, OURS
        ),
        Claim(
            "FLGC* has the best ACC and NMI on Iris, Wine and Yale",
            "Section V-C, Table VII",
            of_tables.ahead((WITH,)),
        ),
        Claim(
            "FLGC, too, has better ACC and NMI than every rival there",
            "Section V-C, Table VII",
            of_tables.ahead((WITHOUT,)),
        ),
        Claim("FLGC* is at least as good as FLGC", "Table VII", RESIDUAL, OURS),
        Claim(
            "The affinity of Iris is distinctly block-diagonal",
            "Section V-C, Figure 9",
            of_figures.in_blocks("iris"),
            (WITH,),
            ("iris",),
            analysis="affinity",
        ),
    ),
    "clustering-images": (
        Claim(
            "FLGC and FLGC* cluster COIL20, ORL and Extended Yale B better than every rival",
            "Section V-C, Figure 8",
            of_tables.ahead(only=lambda case: case[-1] == "ACC"),
            (*IMAGE_RIVALS, *OURS),
        ),
        Claim(
            "The affinity of Extended Yale B is distinctly block-diagonal",
            "Section V-C, Figure 9",
            of_figures.in_blocks("ExtendedYaleB"),
            (WITH,),
            ("ExtendedYaleB",),
            analysis="affinity",
        ),
        Claim(
            "Many steps hardly touch FLGC* on Extended Yale B",
            "Section V-E, Figure 10",
            of_figures.along("hops", WITH, {of_figures.STEADY_ON: of_figures.unaffected}),
            (WITH,),
            (of_figures.STEADY_ON,),
            analysis="hops",
        ),
        Claim(
            "FLGC loses about .70 ACC there with 20 steps",
            "Section V-E, Figure 10",
            of_figures.along("hops", WITHOUT, {of_figures.STEADY_ON: of_figures.dropped}),
            (WITHOUT,),
            (of_figures.STEADY_ON,),
            analysis="hops",
        ),
        Claim(
            "A larger teleport tends to be better on ORL and Extended Yale B",
            "Section V-E, Figure 10",
            of_figures.along(
                "teleport", WITH, dict.fromkeys(of_figures.FEATURES_ON, of_figures.grows)
            ),
            (WITH,),
            of_figures.FEATURES_ON,
            analysis="teleport",
        ),
        Claim(
            "On COIL20 structure counts more than features",
            "Section V-E, Figure 10",
            of_figures.along("teleport", WITH, {of_figures.STRUCTURE_ON: of_figures.falls}),
            (WITH,),
            (of_figures.STRUCTURE_ON,),
            analysis="teleport",
        ),
    ),
    "robustness": (
        Claim(
            "FLGC and FLGC* reach the printed ACC and NMI under noise", "Table VIII", REACHED, OURS
        ),
        Claim(
            "Under noise FLGC* is better than EDSC, EGCSC and FLGC (one pattern in all images)",
            "Section V-D, Table VIII",
            of_tables.ahead((WITH,), ("EDSC", "EGCSC", WITHOUT), only=_shared),
        ),
        Claim(
            "The same where each image has noise of its own, which is what the text describes",
            "Section V-D",
            of_tables.ahead((WITH,), ("EDSC", "EGCSC", WITHOUT), only=_independent),
        ),
        Claim(
            "EGCSC, FLGC and FLGC* lose less to noise than EDSC",
            "Section V-D, Table VIII",
            of_tables.less_sensitive("EDSC", SHARED),
        ),
        Claim(
            "FLGC and EGCSC have the same values under noise",
            "Section V-D, Table VIII",
            of_tables.alike(WITHOUT, "EGCSC", _shared),
            (WITHOUT, "EGCSC"),
        ),
    ),
}
