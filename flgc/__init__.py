"""Fully linear graph convolution: exact, closed-form graph classification and clustering.

What `__init__.pyi` names is imported on first use: `flgc --help` need not wait for scikit-learn.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
