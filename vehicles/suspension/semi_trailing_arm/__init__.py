"""Semi-trailing arms: one body per side on a hinge of any direction."""
