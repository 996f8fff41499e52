"""Text tables: a reader declares the columns and codes of a file."""

import dataclasses
import io
from collections.abc import Mapping

import numpy as np

from flgc.datasets.readers.reader import Parsed, Reader

MISSING = ("?", "")
HEADER_MARKS = ("@", "%")  # KEEL's header; the comments of cleve.mod


def ordinal(*values: str) -> dict[str, float]:
    """Codes 0, 1, 2, ... for values in their natural order."""
    return {value: float(i) for i, value in enumerate(values)}


@dataclasses.dataclass(frozen=True)
class TextTable:
    """The format of a text table. Columns are counted in the raw file, from 0."""

    separator: str | None = ","  # None: any run of blanks
    label: int = -1
    drop: tuple[int, ...] = ()
    skip: int = 0  # lines before the data
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)  # raw label -> class name
    codes: Mapping[int, Mapping[str, float]] = dataclasses.field(default_factory=dict)
    missing: float | None = None  # the value of "?"; None: rows with one are dropped
    omit: Mapping[int, str] = dataclasses.field(default_factory=dict)  # rows to leave out

    def __call__(self, files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
        rows, labels = [], []
        for name, content in files.items():
            for number, fields in self._lines(content):
                label = self.label % len(fields)
                try:
                    row = self._row(fields, label)
                except ValueError as error:
                    raise ValueError(f"{name}, line {number}: {error}") from error
                if row is None:
                    continue
                class_name = self.names.get(fields[label], fields[label])
                if class_name not in class_names:
                    raise ValueError(
                        f"{name}, line {number}: unknown class {class_name!r}; "
                        f"expected one of {', '.join(class_names)}"
                    )
                rows.append(row)
                labels.append(class_names.index(class_name))
        if len({len(row) for row in rows}) > 1:
            raise ValueError(f"{', '.join(files)}: rows of different lengths")
        return Parsed(np.array(rows, dtype=np.float64), np.array(labels, dtype=np.int64))

    def _lines(self, content: bytes) -> list[tuple[int, list[str]]]:
        lines = enumerate(content.decode("utf-8").splitlines(), start=1)
        return [
            (number, [field.strip() for field in line.split(self.separator)])
            for number, line in lines
            if number > self.skip and line.strip() and not line.startswith(HEADER_MARKS)
        ]

    def _row(self, fields: list[str], label: int) -> list[float] | None:
        row = []
        for column, field in enumerate(fields):
            if column == label or column in self.drop:
                continue
            if field in MISSING:
                if self.missing is None:
                    return None
                row.append(self.missing)
            elif column in self.codes:
                if field not in self.codes[column]:
                    raise ValueError(f"unknown value {field!r} in column {column}")
                row.append(self.codes[column][field])
            else:
                row.append(float(field))
        if self.omit and all(float(fields[i]) == float(v) for i, v in self.omit.items()):
            return None
        return row


def read_svmlight(n_features: int) -> Reader:
    """LIBSVM's sparse text; its label is the class name."""

    def read(files: Mapping[str, bytes], class_names: tuple[str, ...]) -> Parsed:
        from sklearn.datasets import load_svmlight_file

        (content,) = files.values()
        features, raw = load_svmlight_file(io.BytesIO(content), n_features=n_features)
        labels = [class_names.index(f"{value:g}") for value in raw]
        return Parsed(features.toarray(), np.array(labels, dtype=np.int64))

    return read
