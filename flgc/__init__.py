"""Fully linear graph convolution: exact, closed-form graph classification and clustering.

The names in `__init__.pyi` are imported on first use, so `flgc --help` does not wait for
scikit-learn.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
