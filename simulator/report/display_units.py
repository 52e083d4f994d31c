"""Display units."""

from __future__ import annotations

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY

DEGREE = np.rad2deg(1.0)
IN_DEGREES = {"rad": ("deg", DEGREE), "rad/s": ("deg/s", DEGREE), "rad/s2": ("deg/s2", DEGREE)}
"""Display unit and factor of an angle."""
SHOWN = {
    **IN_DEGREES,
    "m/s": ("km/h", 3.6),
    "rad s2/m": ("deg/g", DEGREE * STANDARD_GRAVITY),
    "m/s2/rad": ("m/s²/deg", 1.0 / DEGREE),
    "N m/rad": ("N m/deg", 1.0 / DEGREE),
}
"""Display unit and factor of a unit."""

TYPESET = {"m/s2": "m/s²", "deg/s2": "deg/s²", "m2": "m²", "1": ""}
"""Typeset form of a unit."""


def factor_shown(unit: str) -> float:
    """Return the factor from an SI unit to its display unit."""
    return SHOWN.get(unit, (unit, 1.0))[1]


def unit_shown(unit: str) -> str:
    """Return the display unit of an SI unit."""
    shown = SHOWN.get(unit, (unit, 1.0))[0]
    return TYPESET.get(shown, shown)
