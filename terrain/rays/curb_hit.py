"""Crossing of a ray and one straight curb: across it, the height is smooth steps and levels, so that the gap along the ray is a polynomial in each part."""

from __future__ import annotations

import math

from simulator.base.jit import inline
from terrain.features.level_reach import level_of_piece
from terrain.features.shapes import CURB
from terrain.rays.bernstein import first_zero, halves

ZONES = 5
"""Before the curb, ramp, top, fall, behind."""


@inline
def single_curb(features, bin_, x, y, radius):
    """Return the row of a straight curb that alone makes the height of all features within `radius` m of x, y in a bin, -1 if there is none."""
    found = -1
    for n in range(features.starts[bin_], features.starts[bin_ + 1]):
        row = features.items[n]
        k = features.pieces[row]
        height, reach, stay = level_of_piece(k, x, y)
        if reach >= radius and (stay < 0.0 or height == 0.0):
            if stay >= 0.0 and found >= 0 and features.pieces[found]["feature"] == k["feature"]:
                return -1  # it is not known here which segment is the nearest one
            continue
        if found >= 0 or k["kind"] != CURB or k["arc"] != 0.0 or k["rise"] != 0.0 or stay < radius or k["width"] < 0.5 * k["face"]:
            return -1
        found = row
    if found >= 0:
        for n in range(features.starts[bin_], features.starts[bin_ + 1]):
            k = features.pieces[features.items[n]]
            if features.items[n] != found and k["feature"] == features.pieces[found]["feature"] and level_of_piece(k, x, y)[2] >= 0.0:
                return -1
    return found


@inline
def curb_hit(k, ray, gap, part):
    """Return t [m] of the first crossing of a ray and a curb (record of `PIECE`) in a part (start, end) of a `terrain.rays.march.Gap`, inf without one."""
    c, s, length = k["axis"][0], k["axis"][1], gap.end - gap.start
    across, rate = c * (ray[1] - k["origin"][1]) - s * (ray[0] - k["origin"][0]), c * ray[4] - s * ray[3]
    edge, width, height = 0.5 * k["face"], k["width"], gap.side * k["height"]
    t = part[0]
    for n in range(ZONES):
        zone = n if rate >= 0.0 else ZONES - 1 - n
        border = zone if rate >= 0.0 else zone - 1
        out = part[1]
        if n < ZONES - 1:
            place = -edge if border == 0 else (edge if border == 1 else (width if border == 2 else width + k["fall"]))
            exit_ = (place - across) / rate
            if not exit_ > t:
                continue
            out = min(exit_, out)
        if not out > t:
            break
        x0, x1 = across + rate * t, across + rate * out
        if zone == 1:
            lift = _smooth_step_along(x0 / k["face"] + 0.5, x1 / k["face"] + 0.5)
        else:
            lift = _smooth_step_along((x0 - width) / k["fall"], (x1 - width) / k["fall"])
        up, base = (1.0, 0.0) if zone == 1 else (-1.0, 1.0)
        if zone in (0, 2, 4):
            up, base = 0.0, 1.0 if zone == 2 else 0.0
        hit = zero_of_part(
            gap.coefficients, (up * height, base * height), lift, (t, out), ((t - gap.start) / length, (out - gap.start) / length)
        )
        if hit < math.inf:
            return hit
        t = out
    return math.inf


@inline
def _smooth_step_along(x0, x1):
    """Return the 7 Bernstein coefficients of the smooth step 3 x^2 - 2 x^3 from x0 to x1, both from 0 to 1, by its polar form."""
    x0, x1 = min(max(x0, 0.0), 1.0), min(max(x1, 0.0), 1.0)
    c0, c1 = x0 * x0 * (3.0 - 2.0 * x0), x0 * (x0 + 2.0 * x1 - 2.0 * x0 * x1)
    c2, c3 = x1 * (x1 + 2.0 * x0 - 2.0 * x0 * x1), x1 * x1 * (3.0 - 2.0 * x1)
    return (
        c0,
        0.5 * (c0 + c1),
        0.2 * (c0 + c2) + 0.6 * c1,
        0.05 * (c0 + c3) + 0.45 * (c1 + c2),
        0.2 * (c1 + c3) + 0.6 * c2,
        0.5 * (c2 + c3),
        c3,
    )


@inline
def zero_of_part(b, heights, lift, part, at):
    """Return t of the first crossing of a gap (coefficients b) and the height heights[0] lift + heights[1] in a part (start, end) of a ray.

    lift : 7 coefficients over the part
    at : start and end of the part in fractions of the gap
    """
    c = b
    if at[0] > 0.0:
        _, c = halves(c, at[0])
    if at[1] < 1.0:
        c, _ = halves(c, (at[1] - at[0]) / (1.0 - at[0]))
    p, q = heights
    c0 = c[0] - p * lift[0] - q
    if c0 < 0.0:
        if part[0] > 0.0:
            return part[0]
        c0 = 0.0
    rest = c[1] - p * lift[1] - q, c[2] - p * lift[2] - q, c[3] - p * lift[3] - q, c[4] - p * lift[4] - q
    s = first_zero((c0, rest[0], rest[1], rest[2], rest[3], c[5] - p * lift[5] - q, c[6] - p * lift[6] - q))
    return part[0] + s * (part[1] - part[0])
