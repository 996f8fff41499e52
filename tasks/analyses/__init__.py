"""What is made of cells: one analysis, one file."""

from importlib import import_module
from pkgutil import iter_modules

from tasks.analyses.base import Analysis

for module in iter_modules(__path__, f"{__name__}."):
    import_module(module.name)

# By name, as a suite in a file asks for them.
ANALYSES = {kind.__name__: kind for kind in Analysis.__subclasses__()}
