"""All datasets by name."""

import difflib

from flgc.datasets.catalogue.development import DEVELOPMENT
from flgc.datasets.catalogue.entry import Entry
from flgc.datasets.catalogue.graphs import GRAPHS
from flgc.datasets.catalogue.heterophilous import HETEROPHILOUS
from flgc.datasets.catalogue.images import IMAGES
from flgc.datasets.catalogue.tables import TABLES
from flgc.datasets.errors import UnknownDataset
from flgc.registry import Registry

REGISTRY: Registry[Entry] = Registry(
    "dataset",
    {entry.name: entry for entry in (*GRAPHS, *TABLES, *IMAGES, *DEVELOPMENT, *HETEROPHILOUS)},
)

# The spelling of each name and alias, by its lower case.
SPELLINGS = {
    alias.lower(): entry.name
    for entry in REGISTRY.values()
    for alias in (entry.name, *entry.aliases)
}


def resolve(name: str) -> str:
    """The registry's spelling of a name or alias, in any case."""
    spelling = SPELLINGS.get(name.lower())
    if spelling is None:
        close = difflib.get_close_matches(name.lower(), SPELLINGS, n=3)
        hint = f" Did you mean {', '.join(SPELLINGS[c] for c in close)}?" if close else ""
        raise UnknownDataset(
            f"unknown dataset {name!r}.{hint} Known: {', '.join(REGISTRY)}. "
            "Your own data becomes one with: flgc datasets add NAME FILE"
        )
    return spelling
