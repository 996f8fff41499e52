"""Methods of scikit-learn, one line each. The paper has neither; they show what is easy.

Each iteration of label spreading shrinks the remaining change by alpha, so `max_iter` is never
reached, and there is no warning. Rows far from all others (with a large gamma) get the first class.
"""

from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from flgc.methods.estimators import Estimator

label_spreading = Estimator(
    "LabelSpreading",
    LabelSpreading,
    unlabelled=True,
    gamma=(1.0, 10.0, 100.0),
    alpha=(0.2, 0.5),
    max_iter=(1000,),
    reference="Zhou, Bousquet, Lal, Weston, Schoelkopf: Learning with Local and Global "
    "Consistency, NIPS 2003; of scikit-learn",
)
svm = Estimator(
    "SVM",
    SVC,
    C=(1.0, 10.0, 100.0, 1000.0),
    gamma=(0.01, 0.1, 1.0, 10.0),
    reference="Cortes, Vapnik: Support-Vector Networks, Machine Learning 20 (1995); of "
    "scikit-learn, on labelled rows alone",
)
