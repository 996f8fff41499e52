"""Subspace clustering: each sample as a combination of the others."""
