"""Prefect tasks: read artifacts, call `flgc`, write artifacts."""
