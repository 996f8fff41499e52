"""What can be compared: one file per method or family, on one interface."""
