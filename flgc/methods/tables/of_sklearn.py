"""Methods that scikit-learn has: one line each."""

from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from flgc.methods.estimators import Estimator

label_spreading = Estimator(
    "LabelSpreading",
    LabelSpreading,
    unlabelled=True,
    gamma=(1.0, 10.0, 100.0),
    alpha=(0.2, 0.8),
    reference="Zhou, Bousquet, Lal, Weston, Schoelkopf: Learning with Local and Global "
    "Consistency, NIPS 2003 (scikit-learn)",
)
svm = Estimator(
    "SVM",
    SVC,
    C=(1.0, 10.0, 100.0, 1000.0),
    gamma=(0.01, 0.1, 1.0, 10.0),
    reference="Cortes, Vapnik: Support-Vector Networks, Machine Learning 20 (1995) (scikit-learn)",
)
