"""Units that people read, and names as words on an axis."""

from __future__ import annotations

from simulator.record.style import SHOWN_AS

NICE = {"m/s2": "m/s²", "deg/s2": "deg/s²", "m2": "m²", "m/s2/rad": "m/s²/rad", "1": ""}
"""How a unit is written where that differs."""


def factor_shown(unit: str) -> float:
    """With which a number in an SI unit is multiplied to be shown."""
    return SHOWN_AS.get(unit, (unit, 1.0))[1]


def unit_shown(unit: str) -> str:
    """The unit in which a number in an SI unit is shown."""
    shown = SHOWN_AS.get(unit, (unit, 1.0))[0]
    return NICE.get(shown, shown)


def axis_words(name: str, unit: str) -> str:
    """Label of an axis: a name in words, with the unit in which it is shown."""
    shown = unit_shown(unit)
    return name.replace("_", " ") + (f" [{shown}]" if shown else "")
