"""Figures, as SVG text."""
