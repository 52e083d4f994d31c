"""Variables of a co-simulation unit, from which the descriptions for FMI 2.0 and 3.0 are made."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

INPUT, OUTPUT, PARAMETER = "input", "output", "parameter"
"""Causalities."""
REAL, INTEGER = "real", "integer"
"""Types."""

_BASE: Mapping[str, Mapping[str, int]] = {
    "1": {},
    **{name: {name: 1} for name in ("kg", "m", "s", "A", "K", "rad")},
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Hz": {"s": -1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
}
"""Exponents of the base units of FMI in each unit of the tables of Jounce."""
_PART = re.compile(r"([A-Za-z]+|1)([0-9]*)")
_CELSIUS = "degC"
ZERO_CELSIUS = 273.15
"""K. Temperature at 0 degC."""


@dataclass(frozen=True)
class Variable:
    """One number of a unit. Its value reference is its position in the list of the unit, counted from 1; 0 is the time."""

    name: str
    causality: str
    unit: str = "1"
    meaning: str = ""
    start: float = 0.0
    """Start value of an input or a parameter."""
    low: float = -math.inf
    high: float = math.inf
    """Range of an input or a parameter."""
    kind: str = REAL

    def problem(self, value: float) -> str:
        """Return why an input or a parameter cannot have a value; empty if it can."""
        if self.low <= value <= self.high and math.isfinite(value):
            return ""
        finite = math.isfinite(self.low) and math.isfinite(self.high)
        limits = f"a number from {self.low:g} to {self.high:g}" if finite else "a finite number"
        return f"{self.causality} {self.name}: expected {limits}; got {value:g}"


def base_exponents(unit: str) -> Mapping[str, int] | None:
    """Return the exponents of the base units in a unit such as "N m/rad"; None: base units with integer exponents do not express it."""
    if unit == _CELSIUS:
        return _BASE["K"]
    exponents: dict[str, int] = {}
    for sign, group in zip((1, *[-1] * unit.count("/")), unit.split("/"), strict=True):
        for word in group.strip().split(" "):
            part = _PART.fullmatch(word)
            if part is None or part[1] not in _BASE:
                return None
            for base, exponent in _BASE[part[1]].items():
                exponents[base] = exponents.get(base, 0) + sign * exponent * int(part[2] or 1)
    return {base: exponent for base, exponent in exponents.items() if exponent}


def offset_of(unit: str) -> float:
    """Return the value of a unit's zero in base units."""
    return ZERO_CELSIUS if unit == _CELSIUS else 0.0
