"""A filesystem that wants credentials in its address, and shows them in every error."""

from typing import Any

import fsspec  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

USER, PASSWORD, TOKEN = "AKIAKEYID", "hunter%2F22", "sig0123456"
SECRETS = (USER, PASSWORD, "hunter/22", "hunter", TOKEN)


class Vault(LocalFileSystem):
    protocol = ("vault",)
    closed = False

    def __init__(self, address: str = "", **kwargs: Any) -> None:
        if f"{USER}:{PASSWORD}@" not in address or f"?token={TOKEN}" not in address:
            raise PermissionError(f"403 for {address}")
        self.address = address
        super().__init__(**kwargs)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return super()._strip_protocol(path.rpartition("@")[2].partition("?")[0])

    @staticmethod
    def _get_kwargs_from_urls(path: str) -> dict[str, str]:
        return {"address": path}

    def info(self, path: str, **kwargs: Any) -> Any:
        self.refuse_if_closed()
        return super().info(path, **kwargs)

    def _open(self, path: str, *args: Any, **kwargs: Any) -> Any:
        self.refuse_if_closed()
        return super()._open(path, *args, **kwargs)

    def refuse_if_closed(self) -> None:
        if Vault.closed:
            raise ConnectionError(f"{self.address}: denied to {USER} with hunter/22 and {TOKEN}")


fsspec.register_implementation("vault", Vault, clobber=True)


def address(folder: object) -> str:
    return f"vault://{USER}:{PASSWORD}@{folder}?token={TOKEN}"
