"""Satellites that an antenna sees, and the dilution of precision of their geometry.

The satellites are SATELLITES fixed directions, spread evenly over the sky above the elevation mask: the elevations divide the sky into parts
of equal area, the azimuths follow the golden angle. A ray to each direction meets objects and the ground, or does not; the own vehicle and
porous objects (bushes, crowns of trees) do not block it. Signals that are reflected or diffracted are not modeled.

With the rows (e, n, u, 1) of G for the visible directions, the dilution of precision follows from Q = (G^T G)^-1: HDOP = sqrt(Qee + Qnn),
VDOP = sqrt(Quu), PDOP = sqrt(Qee + Qnn + Quu) (Kaplan and Hegarty, Understanding GPS/GNSS, 3rd edition, 2017, section 11.2).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SATELLITES = 12
"""Larger: a narrow obstacle changes the error less, more rays. GPS alone has 8 to 12 above a mask."""
MIN_SATELLITES = 4
"""Minimum for a fix: three coordinates and the clock."""
WORST_PDOP = 25.0
"""Maximum for a fix, the default mask of u-blox receivers. Larger: fixes with larger errors between walls."""
REACH = 2000.0
"""m. Length of the rays. Larger: distant hills block satellites, rays take longer."""
MAX_DILUTION = 1e3
"""Dilution above which the geometry is singular, within rounding."""
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))


class Dilution(NamedTuple):
    """Dilution of precision; inf where the satellites do not determine the position."""

    horizontal: float
    vertical: float

    @property
    def position(self) -> float:
        """PDOP."""
        return math.hypot(self.horizontal, self.vertical)


NO_DILUTION = Dilution(math.inf, math.inf)


def sky(mask: float) -> NDArray[np.float64]:
    """Return unit vectors (SATELLITES, 3) to the satellites, in W, above an elevation [rad]."""
    k = np.arange(SATELLITES)
    up = math.sin(mask) + (1.0 - math.sin(mask)) * (k + 0.5) / SATELLITES
    across = np.sqrt(1.0 - up * up)
    return np.column_stack((across * np.cos(_GOLDEN * k), across * np.sin(_GOLDEN * k), up))


def dilution(directions: NDArray[np.float64]) -> Dilution:
    """Return the dilution of precision of visible satellites (n, 3)."""
    if len(directions) < MIN_SATELLITES:
        return NO_DILUTION
    G = np.column_stack((directions, np.ones(len(directions))))
    try:
        q = np.diagonal(np.linalg.inv(G.T @ G))
    except np.linalg.LinAlgError:  # all on one cone
        return NO_DILUTION
    result = Dilution(math.sqrt(max(q[0] + q[1], 0.0)), math.sqrt(max(q[2], 0.0)))
    return result if q.min() > 0.0 and result.position < MAX_DILUTION else NO_DILUTION
