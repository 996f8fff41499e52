"""Fully linear graph convolution: exact, closed-form graph classification and clustering."""
