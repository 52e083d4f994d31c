"""Plausibility limits of the numbers of an axle in a vehicle file, and the mirror image of its left side."""

from __future__ import annotations

import numpy as np

MIRROR = np.array([1.0, -1.0, 1.0])
"""Factors of the coordinates of a point or vector that lead to its mirror image on the right side."""
FAR = 100.0
"""m. Largest distance of a point of a vehicle from its reference point; larger numbers have a wrong decimal point or unit."""
LIGHT = 1e-3
"""kg. Smallest plausible mass."""
HEAVY = 1e6
"""kg, kg m2. Largest plausible mass and moment of inertia."""
SLENDER = 1e-7
"""kg m2. Axial moment of the thinnest rod."""
STIFF = 1e9
"""N/m, N s/m, N. Plausibility limit of springs, dampers and stops."""
SOFT = 1.0
"""N/m. Smallest rate of a spring."""
SHORT = 1e-3
"""m. Smallest length of a spring."""
