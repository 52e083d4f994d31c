"""Display units and axis labels."""

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


def axis_words(name: str, unit: str) -> str:
    """Return the label of an axis: name in words, with the display unit."""
    shown = unit_shown(unit)
    return name.replace("_", " ") + (f" [{shown}]" if shown else "")
