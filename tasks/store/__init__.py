"""Artifacts by key: written whole, read checked, computed once."""

from tasks.store.code import CodeChanged, code_digest
from tasks.store.files import StoreError
from tasks.store.parquet import DamagedArtifact
from tasks.store.store import Artifact, Store

__all__ = ["Artifact", "CodeChanged", "DamagedArtifact", "Store", "StoreError", "code_digest"]
