"""Clusterings that learn a graph, mostly one with as many components as clusters."""
