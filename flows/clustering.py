"""Clustering accuracy and NMI on the small sets."""

from flows.tables import table_flow

clustering = table_flow("clustering", __doc__)
