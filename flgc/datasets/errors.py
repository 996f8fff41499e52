"""What can go wrong with a dataset; each message names the thing, the value and what to do."""

from collections.abc import Mapping, Sequence

AGAIN = " (a moment ago)"  # ends a reason that is remembered, so that nobody waits for it twice


class DatasetError(Exception):
    """Any failure of the dataset ring."""


class UnknownDataset(DatasetError, KeyError):
    """A name that no dataset has."""

    def __str__(self) -> str:
        return str(self.args[0])


class NotAvailable(DatasetError):
    """No source could give the dataset; the message lists each source and its reason."""


class NotReachable(NotAvailable):
    """No source of the dataset can be reached from here, and none gave anything wrong.

    It says something of this machine and its network, not of the dataset: elsewhere it can be had.
    A wrong digest, or a file that does not parse, is never this. `reasons` has one per host.
    """

    def __init__(
        self, message: str, *, dataset: str = "", reasons: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.dataset, self.reasons = dataset, dict(reasons or {})


class SourceFailed(DatasetError):
    """One source could not give a file; the next source is tried.

    Who fails need not know what its `source` is called: that is filled in where sources are tried.
    """

    def __init__(self, reason: str, source: str = "") -> None:
        super().__init__(reason)
        self.reason, self.source = reason, source

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}" if self.source else self.reason


class Unreached(SourceFailed):
    """A source that gave nothing: no connection, an HTTP error, a transfer that broke off."""


class EverySourceFailed(SourceFailed):
    """No source gave a file; `failures` has them one by one."""

    def __init__(self, file: str, failures: Sequence[SourceFailed]) -> None:
        super().__init__("; ".join(map(str, failures)), file)
        self.file, self.failures = file, tuple(failures)


class WrongDigest(SourceFailed):
    """Bytes or parsed content differ from what is pinned; they are set aside, never used."""

    def __init__(self, file: str, source: str, expected: str, found: str) -> None:
        super().__init__(
            f"{file} is not the expected content: expected sha256 {expected}, found {found}. "
            "It was set aside and not used.",
            source,
        )
        self.file, self.expected, self.found = file, expected, found
