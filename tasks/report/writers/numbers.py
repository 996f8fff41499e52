"""Which columns of a table have numbers: writers set them to the right."""

import re
from collections.abc import Sequence

# `96.30`, `96.30 ± 0.66 (+0.12)`, `19.8 %`, `1e-05`, `126.0↑`.
NUMBER = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?[↑↓]?( ± [\d.]+)?( %)?( \([-+.\d]+\))?")


def is_number(texts: Sequence[str]) -> bool:
    """Whether most cells of a column, of those that are not empty, are numbers."""
    there = [text.replace("**", "") for text in texts if text]
    return bool(there) and 2 * sum(bool(NUMBER.fullmatch(text)) for text in there) > len(there)
