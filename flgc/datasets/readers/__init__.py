"""From the formats in which data come to arrays."""
