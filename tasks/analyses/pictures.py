"""Pictures that are no charts, as SVG text: the same numbers give the same bytes."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def figure_as_svg(size: tuple[float, float]) -> Iterator[tuple[Any, io.StringIO]]:
    """A figure to draw on; when the block ends, its SVG is in the text."""
    import matplotlib
    from matplotlib.figure import Figure

    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "flgc", "svg.fonttype": "none"}):
        figure = Figure(figsize=size, layout="constrained")
        yield figure, out
        figure.savefig(out, format="svg", metadata={"Date": None})
