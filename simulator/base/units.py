"""Table of the units in the keys of files. The number of a key without a unit is in SI units; the suffix of a key gives another unit.

`speed: 13.9`, `speed_mps: 13.9`, `speed_kph: 50` and `speed_mph: 31.1` are equivalent. Suffixes are not case-sensitive: `_kPa`, `_kpa`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from simulator.base.constants import STANDARD_GRAVITY

INCH, FOOT, MILE = 0.0254, 0.3048, 1609.344
"""m (international yard and pound, 1959)."""
POUND = 0.45359237
"""kg."""
POUND_FORCE = POUND * STANDARD_GRAVITY
"""N."""
TURN = 2.0 * math.pi
"""rad."""

SUFFIXES: dict[str, dict[str, float]] = {
    # SI unit: {suffix of the key: factor to SI}; the first suffix names the SI unit itself
    "m": {"m": 1.0, "km": 1000.0, "cm": 0.01, "mm": 0.001, "in": INCH, "ft": FOOT, "mi": MILE},
    "m2": {"m2": 1.0, "cm2": 1e-4, "in2": INCH**2, "ft2": FOOT**2},
    "s": {"s": 1.0, "ms": 0.001},
    "m/s": {"mps": 1.0, "kph": 1.0 / 3.6, "mph": MILE / 3600.0, "ftps": FOOT, "mmph": 1.0 / 3.6e6},
    "m/s2": {"mps2": 1.0, "g": STANDARD_GRAVITY, "ftps2": FOOT},
    "m/s3": {"mps3": 1.0, "gps": STANDARD_GRAVITY},
    "rad": {"rad": 1.0, "deg": math.pi / 180.0},
    "rad/s": {"radps": 1.0, "degps": math.pi / 180.0, "rpm": math.pi / 30.0, "Hz": TURN},
    "rad/s2": {"radps2": 1.0, "degps2": math.pi / 180.0},
    "kg": {"kg": 1.0, "t": 1000.0, "lb": POUND, "slug": POUND_FORCE / FOOT},
    "kg m2": {"kgm2": 1.0, "lbft2": POUND * FOOT**2, "lbin2": POUND * INCH**2, "slugft2": POUND_FORCE * FOOT},
    "kg/m3": {"kgpm3": 1.0, "lbpft3": POUND / FOOT**3},
    "N": {"N": 1.0, "kN": 1000.0, "lbf": POUND_FORCE},
    "N m": {"Nm": 1.0, "kNm": 1000.0, "lbfft": POUND_FORCE * FOOT},
    "N/m": {"Npm": 1.0, "Npmm": 1000.0, "kNpm": 1000.0, "lbfpin": POUND_FORCE / INCH, "lbfpft": POUND_FORCE / FOOT},
    "N s/m": {"Nspm": 1.0, "Nspmm": 1000.0, "kNspm": 1000.0, "lbfspin": POUND_FORCE / INCH, "lbfspft": POUND_FORCE / FOOT},
    "N m/rad": {"Nmprad": 1.0, "Nmpdeg": 180.0 / math.pi},
    "N m s/rad": {"Nmsprad": 1.0, "Nmspdeg": 180.0 / math.pi},
    "N/m3": {"Npm3": 1.0, "kNpm3": 1000.0, "lbfpft3": POUND_FORCE / FOOT**3},
    "Pa": {"Pa": 1.0, "kPa": 1000.0, "MPa": 1e6, "bar": 1e5, "psi": POUND_FORCE / INCH**2},
    "rad s": {"rads": 1.0, "degs": math.pi / 180.0},
    "rad s2/m": {"rads2pm": 1.0, "degpg": math.pi / 180.0 / STANDARD_GRAVITY},
    "N m s2/m": {"Nms2pm": 1.0, "Nmpg": 1.0 / STANDARD_GRAVITY},
    "W": {"W": 1.0, "kW": 1000.0, "hp": 550.0 * POUND_FORCE * FOOT},
    "h": {"h": 1.0},
    "m/m": {"percent": 0.01},
    "1/m2": {"pm2": 1.0, "pha": 1e-4, "pkm2": 1e-6},
}
SHOWN = {
    "kph": "km/h", "mmph": "mm/h", "mps": "m/s", "ftps": "ft/s", "mps2": "m/s2", "ftps2": "ft/s2", "radps": "rad/s", "degps": "deg/s", "radps2": "rad/s2",
    "degps2": "deg/s2", "kgm2": "kg m2", "lbft2": "lb ft2", "lbin2": "lb in2", "slugft2": "slug ft2", "kgpm3": "kg/m3", "lbpft3": "lb/ft3",
    "Nm": "N m", "kNm": "kN m", "lbfft": "lbf ft", "Npm": "N/m", "Npmm": "N/mm", "kNpm": "kN/m", "lbfpin": "lbf/in", "lbfpft": "lbf/ft",
    "Nspm": "N s/m", "Nspmm": "N s/mm", "kNspm": "kN s/m", "lbfspin": "lbf s/in", "lbfspft": "lbf s/ft", "Nmprad": "N m/rad",
    "Nmpdeg": "N m/deg", "Nmsprad": "N m s/rad", "Nmspdeg": "N m s/deg", "Npm3": "N/m3", "kNpm3": "kN/m3", "lbfpft3": "lbf/ft3",
    "percent": "%", "mps3": "m/s3", "gps": "g/s", "rads": "rad s", "degs": "deg s", "rads2pm": "rad s2/m", "degpg": "deg/g",
    "Nms2pm": "N m s2/m", "Nmpg": "N m/g", "pm2": "1/m2", "pha": "1/ha", "pkm2": "1/km2",
}  # fmt: skip
"""Usual notation of the unit of a suffix, if it differs from the suffix."""

_PLAIN = str.maketrans({" ": None, "*": None, "·": None, "^": None, "²": "2", "³": "3"})
_ALL_SUFFIXES = {suffix.lower() for suffixes in SUFFIXES.values() for suffix in suffixes}


def factor_of(unit: str, suffix: str) -> float | None:
    """Return the factor from the unit of a suffix to an SI unit, or None. The case of letters is ignored if the suffix is still unique."""
    suffixes = SUFFIXES.get(unit, {})
    if suffix in suffixes:
        return suffixes[suffix]
    factors = [factor for name, factor in suffixes.items() if name.lower() == suffix.lower()]
    return factors[0] if len(factors) == 1 else None


def factor_of_unit(unit: str, written: str) -> float | None:
    """Return the factor from a unit in usual notation (km/h, °, m/s²) or as a suffix to an SI unit, or None."""
    plain = _plain(written)
    if plain == _plain(unit):
        return 1.0
    if plain == "%" and unit in ("1", "m/m"):
        return 0.01
    shown = (factor for suffix, factor in SUFFIXES.get(unit, {}).items() if _plain(SHOWN.get(suffix, suffix)) == plain)
    return next(shown, factor_of(unit, plain))


def _plain(unit: str) -> str:
    """Return a unit without blanks, products and raised digits."""
    return unit.translate(_PLAIN).replace("°", "deg")


def is_suffix(word: str) -> bool:
    """Return True if a word is the suffix of any unit."""
    return word.lower() in _ALL_SUFFIXES


def split_unit(written: str, units: Mapping[str, str]) -> tuple[str | None, float]:
    """Return (name, factor to SI) of a key, for known names with their SI units; (None, 1) for an unknown key."""
    if written in units:
        return written, 1.0
    name, _, suffix = written.rpartition("_")
    factor = factor_of(units[name], suffix) if name in units else None
    return (name, factor) if factor is not None else (None, 1.0)


def shown_unit(unit: str, factor: float) -> str:
    """Return the usual notation of the unit that is `factor` times an SI unit; empty if there is none."""
    if factor == 1.0:
        return unit
    suffix = next((s for s, f in SUFFIXES.get(unit, {}).items() if f == factor), "")
    return SHOWN.get(suffix, suffix)


def tidy(number: float) -> float:
    """Return a number without the rounding error of a conversion to SI units and back."""
    return float(f"{number:.14g}")


def spellings(name: str, unit: str) -> list[str]:
    """Return all spellings of a name with the SI unit `unit`: without a suffix, and with each suffix."""
    return [name, *(f"{name}_{suffix}" for suffix in SUFFIXES.get(unit, {}))]


def fitting(unit: str) -> str:
    """Return the suffixes of an SI unit, for messages."""
    return ", ".join(f"_{suffix}" for suffix in SUFFIXES.get(unit, {}))


def known_units() -> Iterable[tuple[str, str, float]]:
    """Return (SI unit, suffix, factor to SI) of all suffixes."""
    return ((unit, suffix, factor) for unit, suffixes in SUFFIXES.items() for suffix, factor in suffixes.items())
