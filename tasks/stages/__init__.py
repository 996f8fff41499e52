"""One file, one task, one artifact."""
