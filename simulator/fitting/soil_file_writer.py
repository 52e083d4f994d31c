"""Writer for soil files of fitted soils, with the source of each number."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from simulator.fitting.soil_fit import Estimate, FittedSoil
from simulator.fitting.soil_measurements import WheelTests
from terrain.soil import DEFORMABLE

DEGREES = {"friction_angle"}
"""Parameters that are written in degrees."""


def soil_text(fitted: FittedSoil, tests: WheelTests, tire: str, start: str, looks_like: str) -> str:
    """Return the content of a soil file (YAML).

    Parameters
    ----------
    tire, start : names of the tire of the tests, and of the soil that provides the other numbers
    """
    measured = ", ".join(name.replace("_", " ") for name, values in tests.measured.items() if np.isfinite(values).any())
    lines = [
        f"# Fitted to {len(tests)} tests of one wheel in {Path(tests.file).name}: {measured}. Wheel: {Path(tire).name}.",
        f"# In brackets: 95 % interval of each single number. Not fitted: value of {start}.",
        *(f"# {weak.words}." for weak in fitted.weak),
        "type: soil",
        f"looks_like: {looks_like}   # colors in the window, also for copies under another name",
    ]
    for name, _, unit, *_ in DEFORMABLE:
        value, key = float(fitted.soil[0][name]), name
        shown = unit if unit != "1" else ""
        if name in DEGREES:
            value, key, shown = math.degrees(value), f"{name}_deg", "deg"
        source = _interval(fitted.estimates[name], name in DEGREES) if name in fitted.estimates else f"as in {start}"
        lines.append(f"{key}: {yaml_number(value)}".ljust(34) + f"# {', '.join(word for word in (shown, source) if word)}")
    return "\n".join(lines) + "\n"


def yaml_number(value: float) -> str:
    """Return a number with six digits and a decimal point. YAML reads an exponent without a point as text."""
    text = f"{value:.6g}"
    mantissa, e, exponent = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{e}{exponent}"


def interval_words(one: Estimate, degrees: bool = False) -> str:
    """Return the interval of a parameter as text."""
    if math.isnan(one.low):
        return "at the end of its range"
    low, high = (math.degrees(end) if degrees else end for end in (one.low, one.high))
    return f"{low:.4g} to {high:.4g}"


def _interval(one: Estimate, degrees: bool) -> str:
    return f"fitted [{interval_words(one, degrees)}]"
