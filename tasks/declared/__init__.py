"""What is run, declared."""
