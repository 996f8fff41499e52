"""The DAGs: wiring and typed parameters, no arithmetic."""
