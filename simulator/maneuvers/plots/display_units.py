"""Units that people read, and names as words on an axis."""

from __future__ import annotations

from simulator.base.constants import STANDARD_GRAVITY
from simulator.report.plot_style import SHOWN_AS

SHOWN = {
    **SHOWN_AS,
    "m/s": ("km/h", 3.6),
    "rad s2/m": ("deg/g", SHOWN_AS["rad"][1] * STANDARD_GRAVITY),
    "m/s2/rad": ("m/s²/deg", 1.0 / SHOWN_AS["rad"][1]),
    "N m/rad": ("N m/deg", 1.0 / SHOWN_AS["rad"][1]),
}
"""Unit and factor with which people read a unit."""

NICE = {"m/s2": "m/s²", "deg/s2": "deg/s²", "m2": "m²", "1": ""}
"""How a unit is written where that differs."""


def factor_shown(unit: str) -> float:
    """With which a number in an SI unit is multiplied to be shown."""
    return SHOWN.get(unit, (unit, 1.0))[1]


def unit_shown(unit: str) -> str:
    """The unit in which a number in an SI unit is shown."""
    shown = SHOWN.get(unit, (unit, 1.0))[0]
    return NICE.get(shown, shown)


def axis_words(name: str, unit: str) -> str:
    """Label of an axis: a name in words, with the unit in which it is shown."""
    shown = unit_shown(unit)
    return name.replace("_", " ") + (f" [{shown}]" if shown else "")
