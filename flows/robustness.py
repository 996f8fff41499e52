"""Clustering under noise: the corruption is a task of its own."""

from flows.tables import table_flow

robustness = table_flow("robustness", __doc__)
