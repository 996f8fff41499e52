"""The version: of the checkout, which may be newer than what was installed, or of the package."""

from importlib.metadata import version
from pathlib import Path


def _version(root: Path) -> str:
    if (root / ".git").exists():
        try:
            from hatchling.metadata.core import ProjectMetadata
            from hatchling.plugin.manager import PluginManager

            return ProjectMetadata(str(root), PluginManager()).version
        except Exception:  # no hatchling, or no git: the installed version is near enough
            pass
    return version("flgc")


__version__ = _version(Path(__file__).parents[1])
