"""What a clustering could be picked by without classes: each criterion's pick, side by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flgc.methods.criteria import compare_criteria
from flgc.scaling import SCALINGS
from tasks.running.stage import Stage


def scalings(store: str, grids: Sequence[Mapping[str, Any]], **given: Any) -> list[Callable]:
    """The code of all scalings of the grids."""
    return [SCALINGS[name] for name in sorted({s for g in grids for s in g["scaling"]})]


criteria = Stage("criteria", compare_criteria, code=scalings)
