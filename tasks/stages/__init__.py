"""What is stored: a stage names a plain function, and runs as one task that makes one artifact."""
