"""The stages: each names a plain function, and runs as one task that makes one artifact."""
