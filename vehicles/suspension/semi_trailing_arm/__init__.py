"""Semi-trailing arms: one body a side on a hinge of any direction."""
