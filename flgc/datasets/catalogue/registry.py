"""All datasets by name."""

import difflib

from flgc.datasets.catalogue.entry import Entry
from flgc.datasets.catalogue.graphs import GRAPHS
from flgc.datasets.catalogue.heterophilous import HETEROPHILOUS
from flgc.datasets.catalogue.images import IMAGES
from flgc.datasets.catalogue.tables import TABLES
from flgc.datasets.errors import UnknownDataset
from flgc.registry import Registry

REGISTRY: Registry[Entry] = Registry(
    "dataset", {entry.name: entry for entry in (*GRAPHS, *TABLES, *IMAGES, *HETEROPHILOUS)}
)

_NAMES = {
    alias.lower(): entry.name
    for entry in REGISTRY.values()
    for alias in (entry.name, *entry.aliases)
}


def resolve(name: str) -> str:
    """The registry's spelling of a name or alias, in any case."""
    found = _NAMES.get(name.lower())
    if found is None:
        close = difflib.get_close_matches(name.lower(), _NAMES, n=3)
        hint = f" Did you mean {', '.join(_NAMES[c] for c in close)}?" if close else ""
        raise UnknownDataset(
            f"unknown dataset {name!r}.{hint} Known: {', '.join(REGISTRY)}. "
            "Your own data becomes one with: flgc datasets add NAME FILE"
        )
    return found
