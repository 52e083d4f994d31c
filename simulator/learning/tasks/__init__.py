"""Tasks of the shipped environments."""
