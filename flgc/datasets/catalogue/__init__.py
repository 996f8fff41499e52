"""What datasets there are, and where each can be had."""
