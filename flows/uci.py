"""Accuracy on the regular tables, 10 % of each class labelled, and the Wilcoxon comparison."""

from flows.tables import table_flow

uci = table_flow("uci", __doc__)
