"""Motion of a mechanism: over time, along a coordinate, and projection on its loop closures."""
