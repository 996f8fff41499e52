"""What can go wrong with a dataset; each message names the thing, the value and what to do."""


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
    A wrong digest, or a file that does not parse, is never this.
    """


class SourceFailed(DatasetError):
    """One source could not give a file; the next source is tried."""


class WrongDigest(SourceFailed):
    """Bytes or parsed content differ from what is pinned; they are set aside, never used."""

    def __init__(self, file: str, source: str, expected: str, found: str) -> None:
        super().__init__(
            f"{file} from {source} is not the expected content: expected sha256 {expected}, "
            f"found {found}. It was set aside and not used."
        )
        self.file, self.source, self.expected, self.found = file, source, expected, found
