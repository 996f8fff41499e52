"""From sources to checked files in the cache."""
