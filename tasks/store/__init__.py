"""Artifacts by key: written whole, read checked, computed once."""

from tasks.store.code import CodeChanged, changed_files, code_digest
from tasks.store.digests import content_digest
from tasks.store.files import StoreError
from tasks.store.parquet import DamagedArtifact
from tasks.store.store import Artifact, Store, artifact_key

__all__ = [
    "Artifact",
    "CodeChanged",
    "DamagedArtifact",
    "Store",
    "StoreError",
    "artifact_key",
    "changed_files",
    "code_digest",
    "content_digest",
]
