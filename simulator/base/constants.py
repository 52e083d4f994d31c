"""Numbers of nature and convention."""

STANDARD_GRAVITY = 9.80665
"""m/s2. Standard acceleration of free fall (3rd CGPM, 1901): that of a ground whose file does not say another."""
