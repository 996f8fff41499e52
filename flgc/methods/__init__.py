"""Methods that can be compared: one file per method or family, with one interface."""
