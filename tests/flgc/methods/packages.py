"""Packages of others, as they lie in site-packages after an install."""

from collections.abc import Mapping
from pathlib import Path


def install(folder: Path, name: str, source: str, entries: Mapping[str, str] | None = None) -> Path:
    """A package of one file; `entries` are its entry points of the group `flgc.methods`.

    Without any it is a file that lies there, which nobody installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    module = folder / f"{name}.py"
    module.write_text(source)
    if entries is not None:
        about = folder / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"{entry} = {value}" for entry, value in entries.items()]
        (about / "entry_points.txt").write_text("\n".join(["[flgc.methods]", *lines, ""]))
        files = [f"{name}.py", *(f"{about.name}/{each.name}" for each in about.iterdir())]
        (about / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    return module
