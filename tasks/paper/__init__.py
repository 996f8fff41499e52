"""What the paper says, and whether it holds: the room that knows the paper's names."""
