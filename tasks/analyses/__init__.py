"""What is made of cells: one analysis, one file; `registry` finds them all."""
