"""A mechanism moved: over time, along a coordinate, and back onto its loops."""
