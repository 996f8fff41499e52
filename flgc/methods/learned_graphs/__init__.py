"""Clusterings that learn a graph, most of them one with as many components as clusters."""
