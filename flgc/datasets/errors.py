"""Errors of datasets; each message names the thing, the value and what to do."""

from collections.abc import Mapping, Sequence

AGAIN = " (a moment ago)"  # ends a remembered reason, so that nobody waits for it twice


class DatasetError(Exception):
    """Any failure of the dataset ring."""


class UnknownDataset(DatasetError, KeyError):
    """No dataset has that name."""

    def __str__(self) -> str:
        return str(self.args[0])


class NotAvailable(DatasetError):
    """No source could give the dataset; the message lists each source and its reason."""


class NotReachable(NotAvailable):
    """No source of the dataset can be reached from here, and none gave wrong content.

    It is about this machine and its network: other machines can fetch the dataset. A wrong digest,
    or a file that does not parse, is never this. `reasons` has one per host.
    """

    def __init__(
        self, message: str, *, dataset: str = "", reasons: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.dataset, self.reasons = dataset, dict(reasons or {})


class SourceFailed(DatasetError):
    """One source could not give a file; the next source is tried.

    The name of the `source` may be filled in later, where sources are tried.
    """

    def __init__(self, reason: str, source: str = "") -> None:
        super().__init__(reason)
        self.reason, self.source = reason, source

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}" if self.source else self.reason


class Unreached(SourceFailed):
    """A source that gave nothing: no connection, an HTTP error, a transfer that broke off."""


class EverySourceFailed(SourceFailed):
    """No source gave a file; `failures` has one error per source."""

    def __init__(self, file: str, failures: Sequence[SourceFailed]) -> None:
        super().__init__("; ".join(map(str, failures)), file)
        self.file, self.failures = file, tuple(failures)


class WrongDigest(SourceFailed):
    """Bytes or parsed content have another digest than the pinned one; they are never used."""

    def __init__(self, file: str, source: str, expected: str, found: str) -> None:
        super().__init__(
            f"{file} is not the expected content: expected sha256 {expected}, found {found}. "
            "It was set aside and not used.",
            source,
        )
        self.file, self.expected, self.found = file, expected, found
