"""The settings of a local stack, and the environment of its processes."""

import os
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from deployments.addresses import url_of
from flgc.addresses import HIDDEN, without_secrets
from tasks.running.pools import CPU_POOL, GPU_POOL

CHECKOUT = Path(__file__).parents[1]
DEFAULT_PORT = 4200
STACK_VARIABLE = "FLGC_STACK"
"""Set for every process of a stack and inherited by what it starts: they are found by it."""

SILENT = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}
"""Nothing is sent to anyone."""

HEARTBEAT_SECONDS = 30
"""The shortest that Prefect allows; `prefect.yaml` sets it for every run of a deployment."""
SILENT_SECONDS = 90
"""A run without a heartbeat for so long counts as dead: three are missing."""


@dataclass(frozen=True)
class StackSettings:
    """One server and its workers; checked when made."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    cpu_workers: int = 1
    gpu_workers: int = 0
    database_url: str | None = field(default=None, repr=False)
    auth: str | None = field(default=None, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    schedules: bool = True
    silent_seconds: int = SILENT_SECONDS
    stack_id: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        if not 1 <= self.port <= 65535:
            raise ValueError(f"port {self.port} does not exist: choose 1 to 65535")
        if self.cpu_workers < 1 or self.gpu_workers < 0:
            raise ValueError(
                f"{self.cpu_workers} CPU and {self.gpu_workers} GPU workers: at least one CPU "
                "worker must run the flows"
            )
        if self.auth is not None and not all(self.auth.partition(":")):
            raise ValueError("the authentication string must have the form user:password")
        if self.database_url is not None:
            _check_database(self.database_url)
        if self.silent_seconds <= HEARTBEAT_SECONDS:
            raise ValueError(
                f"silent_seconds={self.silent_seconds}: runs send a heartbeat every "
                f"{HEARTBEAT_SECONDS} s, so choose more"
            )

    @property
    def ui_url(self) -> str:
        return url_of(self.host, self.port)

    @property
    def api_url(self) -> str:
        return f"{self.ui_url}/api"

    @property
    def log_folder(self) -> Path:
        return prefect_home() / "flgc-logs"

    def without_secrets(self, text: str) -> str:
        """What a process of the stack has printed, without the secrets of its settings."""
        for secret in filter(None, (self.auth, self.database_url, _password(self.database_url))):
            text = text.replace(secret, HIDDEN)
        return without_secrets(text)

    def environment(self) -> dict[str, str]:
        """The caller's environment, and what makes a process part of this stack."""
        environment = os.environ | {
            STACK_VARIABLE: self.stack_id,
            "PYTHONPATH": python_path(),
            "PREFECT_API_URL": self.api_url,
            **SILENT,
            "PREFECT_WORKER_QUERY_SECONDS": "2",
        }
        if self.database_url:
            environment["PREFECT_SERVER_DATABASE_CONNECTION_URL"] = self.database_url
        if self.auth:
            environment["PREFECT_SERVER_API_AUTH_STRING"] = self.auth
            environment["PREFECT_API_AUTH_STRING"] = self.auth
        return environment

    def workers(self) -> list[tuple[str, str, dict[str, str]]]:
        """(name, pool, more environment) of each worker; a GPU worker sees one GPU."""
        gpus = [{"CUDA_VISIBLE_DEVICES": str(number)} for number in range(self.gpu_workers)]
        return [
            *((f"cpu-{number}", CPU_POOL, {}) for number in range(self.cpu_workers)),
            *((f"gpu-{number}", GPU_POOL, gpu) for number, gpu in enumerate(gpus)),
        ]


def python_path() -> str:
    """Where processes of ours find modules: in the checkout first."""
    return os.pathsep.join(filter(None, [str(CHECKOUT), os.environ.get("PYTHONPATH")]))


def prefect_home() -> Path:
    """Where Prefect keeps its database and profiles, without the seconds of importing it."""
    return Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()


def _password(url: str | None) -> str:
    """The password in a database URL; empty without one."""
    user_info, _, _ = (url or "").partition("://")[2].rpartition("@")
    return unquote(user_info.partition(":")[2])


def _check_database(url: str) -> None:
    if not url.startswith(("postgresql+asyncpg://", "sqlite+aiosqlite:///")):
        # Without `://` it is not quoted: it may have a password in it.
        scheme = url.partition("://")[0] if "://" in url else ""
        raise ValueError(
            f"the database URL starts with {scheme!r}; Prefect needs "
            "postgresql+asyncpg://user:password@host/name or sqlite+aiosqlite:///path"
        )
