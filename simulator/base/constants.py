"""Physical constants."""

STANDARD_GRAVITY = 9.80665
"""Standard acceleration of free fall [m/s2] (3rd CGPM, 1901), the default of a terrain file."""
