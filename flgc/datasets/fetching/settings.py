"""Where datasets are kept, and where they are fetched from first."""

import dataclasses
import os
from pathlib import Path
from urllib.parse import unquote

import platformdirs

from flgc.addresses import without_secrets
from flgc.datasets.errors import DatasetError


@dataclasses.dataclass(frozen=True)
class Settings:
    """The cache folder, the mirror (a folder or a URL) and whether the network may be used."""

    cache: Path
    mirror: str | None = dataclasses.field(default=None, repr=False)  # may carry a password
    offline: bool = False

    @classmethod
    def of(
        cls,
        mirror: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
        offline: bool = False,
    ) -> "Settings":
        """Arguments first, then FLGC_CACHE and FLGC_MIRROR, then the user's cache folder."""
        folder = cache or os.environ.get("FLGC_CACHE")
        if folder is None:
            folder = platformdirs.user_cache_path("flgc") / "datasets"
        place = os.fspath(mirror or "") or os.environ.get("FLGC_MIRROR") or None
        return cls(Path(folder).expanduser(), place, offline)

    @property
    def mirror_folder(self) -> Path | None:
        """The mirror as a folder of this machine, if it is one."""
        if self.mirror is None or self.mirror.startswith(("http://", "https://")):
            return None
        if self.mirror.startswith("file://"):
            path = self.mirror.removeprefix("file://").removeprefix("localhost")
            return Path(unquote(path))
        folder = Path(self.mirror).expanduser()
        if not folder.is_dir():
            raise DatasetError(
                f"the mirror {without_secrets(self.mirror)!r} is not a folder; set FLGC_MIRROR "
                "(or --mirror) to a folder or an http(s) address, or unset it"
            )
        return folder

    def mirror_address(self, *parts: str) -> str | None:
        """The URL of a dataset's folder or file on a mirror; a query stays last."""
        if self.mirror is None or self.mirror_folder is not None:
            return None
        base, mark, query = self.mirror.partition("?")
        return "/".join([base.rstrip("/"), *parts]) + mark + query

    def raw(self, dataset: str, file: str) -> Path:
        return self.cache / "raw" / dataset / file

    def parsed(self, dataset: str) -> Path:
        return self.cache / "parsed" / f"{dataset}.parquet"

    def own(self, dataset: str) -> Path:
        """The file of a dataset that the user added."""
        return self.cache / "own" / f"{dataset}.parquet"
