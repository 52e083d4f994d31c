"""Bounds on the second derivative of features, for rays that pass them in large safe steps."""

from __future__ import annotations

import math
from typing import Any

from terrain.features.shapes import BANK_ROUNDING, BUMP, CURB, DITCH, HALF_ROUND, LINES, SETTS, STEP, WALL, WASHBOARD, highest

Bounds = tuple[float, float, float]
"""Bounds on the magnitude of a function of one coordinate and of its first and second derivative."""


def curvature(k: Any) -> float:
    """Return a bound [1/m] on the second derivative, in any direction, of one element, a record of `PIECE`; inf for an arc.

    An element is a product of a function along its axis and one across it. The second derivatives of a smooth step 3 t^2 - 2 t^3 are at most 6.
    """
    if k["kind"] in LINES:
        return math.inf if k["arc"] != 0.0 else _of_product(_fade(k), _across(k))
    window = _ramp(1.0, float(k["face"]))
    if k["kind"] == SETTS:
        stone = _ramp(1.0, float(k["bottom"]))
        across = 1.0, stone[1] + window[1], stone[2] + 2.0 * stone[1] * window[1] + window[2]
        top = highest(k)
        return _of_product((top, top * stone[1], top * stone[2]), across)
    return _of_product(_along(k), window)


def _of_product(a: Bounds, b: Bounds) -> float:
    return math.sqrt((a[2] * b[0]) ** 2 + 2.0 * (a[1] * b[1]) ** 2 + (a[0] * b[2]) ** 2)


def _ramp(height: float, length: float) -> Bounds:
    """Return the bounds of a smooth step, also of a window with two of them."""
    return height, 1.5 * height / length, 6.0 * height / length**2


def _along(k: Any) -> Bounds:
    """Return the bounds of a shape along its axis."""
    height = abs(float(k["height"]))
    if k["kind"] == STEP:
        return _ramp(height, float(k["face"]))
    if k["kind"] == WASHBOARD:
        wave = 2.0 * math.pi / float(k["wavelength"])
        return height, 0.5 * height * wave, 0.5 * height * wave**2
    length = float(k["foot"][1] - k["foot"][0])
    foot, slope = abs(float(k["foot_height"])), abs(float(k["foot_slope"]))
    first, second = 1.5 * foot / length + slope, (6.0 * foot / length + 4.0 * slope) / length
    if k["kind"] == BUMP:
        wave = math.pi / float(k["length"])
        return height, max(first, height * wave), max(second, height * wave**2)
    assert k["kind"] == HALF_ROUND
    return height, first, max(second, height**2 / foot**3)


def _across(k: Any) -> Bounds:
    """Return the bounds of a line across it."""
    height, face = abs(float(k["height"])), float(k["face"])
    if k["kind"] == DITCH:
        steep = 1.0 / (1.0 - BANK_ROUNDING)
        return height, height * steep / face, height * steep / (BANK_ROUNDING * face**2)
    if k["kind"] == CURB:
        return _ramp(height, min(face, float(k["fall"])))
    assert k["kind"] == WALL
    return _ramp(height, face)


def _fade(k: Any) -> Bounds:
    """Return the bounds of a line along it: the fade beyond its ends, and the rise of a curb."""
    _, first, second = _ramp(1.0, float(k["face"]))
    if k["rise"] == 0.0:
        return 1.0, first, second
    rise, length = abs(float(k["rise"])), float(k["length"])
    top = max(1.0, 1.0 + float(k["rise"]))
    return top, top * first + 1.5 * rise / length, top * second + 6.0 * rise / length**2
