"""Accuracy on the citation graphs: public, random and full splits."""

from flows.tables import table_flow

citation = table_flow("citation", __doc__)
