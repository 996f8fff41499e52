"""Command lines: what a person types, the progress shown, and what is printed at the end."""
