"""Connect Four: four stones in a line win."""
