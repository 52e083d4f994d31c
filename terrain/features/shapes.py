"""Shapes of sharp features on a ground: half-rounds, steps, washboards, bumps, setts; curbs, walls and ditches along lines.

An element (record of `PIECE`) is one shape or one segment of a line. Vertical faces are ramps 3 t^2 - 2 t^3 over a few centimeters (`edge`, `face`).
The ground therefore has continuous first derivatives (C1), and no slope is steeper than 1.5 height / face.
"""

from __future__ import annotations

import math
from typing import Any

from simulator.base.jit import inline

HALF_ROUND, STEP, WASHBOARD, BUMP, SETTS, CURB, WALL, DITCH = range(8)
ADDED = (WASHBOARD, BUMP, SETTS, DITCH)
"""Kinds that deform the ground; their heights add up."""
LINES = (CURB, WALL, DITCH)
"""Kinds along a line of points."""

PIECE = (
    # name        shape unit  description
    ("kind", (), "1", "HALF_ROUND to DITCH", "i8"),
    ("feature", (), "1", "number of the feature in the file; all segments of a line have the same number", "i8"),
    ("origin", (2,), "m", "center of a shape, start of a straight segment, or center of an arc"),
    (
        "axis",
        (2,),
        "1",
        "direction of travel over a shape, direction of a straight segment, or direction from the center of an arc to its midpoint",
    ),
    ("length", (), "m", "length along the axis"),
    ("width", (), "m", "width across the axis: of a shape, of the top of a curb, of a wall, of a ditch"),
    ("height", (), "m", "height over the ground; negative depth of a ditch"),
    ("face", (), "m", "length of the ramp that replaces a vertical face, or of the bank of a ditch"),
    ("fall", (), "m", "length of the slope behind the top of a curb"),
    ("foot", (2,), "m", "distances from the center of a half-round or bump between which the shape fades to the ground"),
    ("foot_height", (), "m", "height at the start of the fade"),
    ("foot_slope", (), "1", "slope at the start of the fade"),
    ("wavelength", (), "m", "wavelength of a washboard, or pitch of setts"),
    ("bottom", (), "m", "width of the bottom of a ditch, or of the joints of setts"),
    ("scatter", (), "m", "root mean square of the heights of setts"),
    ("seed", (), "1", "seed of the heights of setts"),
    ("rise", (), "1", "relative increase of the height of a curb from the start to the end of a straight segment"),
    ("arc", (), "m", "radius of an arc, + = turning left; 0 = straight"),
    ("half_cosine", (), "1", "cosine of half the angle of an arc"),
    ("open_start", (), "1", "1 = first segment of the line", "i8"),
    ("open_end", (), "1", "1 = last segment of the line", "i8"),
)
"""One shape, or one segment of a line."""
BANK_ROUNDING = 0.1
"""Fraction of the bank of a ditch that is rounded at each end. Larger: softer. Smaller: a sharper crease."""
SLACK = 1e-9
"""m. Overlap of the segments of a line, so that no point falls between two segments."""


@inline
def smooth_step(t):
    """Return (value, slope) of the C1 step from 0 at t <= 0 to 1 at t >= 1."""
    t = min(max(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t)


@inline
def _bank(t):
    """Return (value, slope) of a straight ramp from 0 at t <= 0 to 1 at t >= 1; parabolas over BANK_ROUNDING round its ends."""
    r, steep = BANK_ROUNDING, 1.0 / (1.0 - BANK_ROUNDING)
    if t <= 0.0:
        return 0.0, 0.0
    if t >= 1.0:
        return 1.0, 0.0
    if t < r:
        return 0.5 * steep * t * t / r, steep * t / r
    if t > 1.0 - r:
        return 1.0 - 0.5 * steep * (1.0 - t) * (1.0 - t) / r, steep * (1.0 - t) / r
    return steep * (t - 0.5 * r), steep


@inline
def _window(v, half, face):
    """Return (value, slope) of a window: 1 up to half - face / 2 from the center, 0 from half + face / 2."""
    w, slope = smooth_step((half + 0.5 * face - abs(v)) / face)
    return w, math.copysign(slope / face, -v)


@inline
def _faded_end(k, u):
    """Return (height, slope) outside `foot` of a half-round or bump: a cubic that joins the shape and the ground."""
    length = k["foot"][1] - k["foot"][0]
    t = (abs(u) - k["foot"][0]) / length
    if t >= 1.0:
        return 0.0, 0.0
    a, b = k["foot_height"], k["foot_slope"] * length
    z = a * (1.0 - t) * (1.0 - t) * (1.0 + 2.0 * t) + b * t * (1.0 - t) * (1.0 - t)
    slope = -6.0 * a * t * (1.0 - t) + b * (1.0 - t) * (1.0 - 3.0 * t)
    return z, math.copysign(1.0, u) * slope / length


@inline
def _along(k, u):
    """Return (height, slope) of a shape at u m along its axis from the center."""
    kind = k["kind"]
    if kind == STEP:
        w, slope = _window(u, 0.5 * k["length"], k["face"])
        return k["height"] * w, k["height"] * slope
    if kind == WASHBOARD:
        s = u + 0.5 * k["length"]
        if s <= 0.0 or s >= k["length"]:
            return 0.0, 0.0
        wave = 2.0 * math.pi / k["wavelength"]
        return 0.5 * k["height"] * (1.0 - math.cos(wave * s)), 0.5 * k["height"] * wave * math.sin(wave * s)
    if abs(u) > k["foot"][0]:
        return _faded_end(k, u)
    if kind == HALF_ROUND:
        z = math.sqrt(k["height"] * k["height"] - u * u)
        return z, -u / z
    wave = math.pi / k["length"]
    return k["height"] * math.cos(wave * u), -k["height"] * wave * math.sin(wave * u)


@inline
def _stone_height(k, i, j):
    """Return the height [m] of stone j of row i over the bed: a reproducible, uniformly distributed number of given mean and root mean square."""
    t = 43758.5453 * math.sin(12.9898 * i + 78.233 * j + k["seed"])
    return k["height"] + math.sqrt(3.0) * k["scatter"] * (2.0 * (t - math.floor(t)) - 1.0)


@inline
def _setts(k, u, v):
    """Return (z, dz/du, dz/dv) of stones in rows across the axis; every second row is shifted by half a stone, joints are at ground level."""
    half = 0.5 * k["length"]
    if not abs(u) < half:
        return 0.0, 0.0, 0.0
    pitch, joint = k["wavelength"], k["bottom"]
    i = math.floor((u + half) / pitch)
    v -= 0.5 * pitch * (i - 2.0 * math.floor(0.5 * i))
    j = math.floor(v / pitch)
    a, b = u + half - (i + 0.5) * pitch, v - (j + 0.5) * pitch
    along, along_a = _window(a, 0.5 * (pitch - joint), joint)
    across, across_b = _window(b, 0.5 * (pitch - joint), joint)
    z = _stone_height(k, i, j)
    return z * along * across, z * along_a * across, z * along * across_b


@inline
def shape_at(k, x, y):
    """Return (z, dz/dx, dz/dy) of a shape at x, y."""
    dx, dy = x - k["origin"][0], y - k["origin"][1]
    c, s = k["axis"][0], k["axis"][1]
    v = c * dy - s * dx
    w, w_v = _window(v, 0.5 * k["width"], k["face"])
    if w == 0.0:
        return 0.0, 0.0, 0.0
    if k["kind"] == SETTS:
        z, z_u, z_v = _setts(k, c * dx + s * dy, v)
        w_v = z * w_v + z_v * w
        return z * w, z_u * w * c - w_v * s, z_u * w * s + w_v * c
    z, z_u = _along(k, c * dx + s * dy)
    return z * w, z_u * w * c - z * w_v * s, z_u * w * s + z * w_v * c


@inline
def _across(k, d):
    """Return (height, slope) of a line at a signed distance d [m], + = left."""
    kind = k["kind"]
    if kind == CURB:
        up, up_d = smooth_step(d / k["face"] + 0.5)
        down, down_d = smooth_step((d - k["width"]) / k["fall"])
        return k["height"] * up * (1.0 - down), k["height"] * (up_d / k["face"] * (1.0 - down) - up * down_d / k["fall"])
    if kind == WALL:
        w, slope = _window(d, 0.5 * k["width"], k["face"])
        return k["height"] * w, k["height"] * slope
    w, slope = _bank((abs(d) - 0.5 * k["bottom"]) / k["face"])
    return k["height"] * (1.0 - w), -k["height"] * math.copysign(slope / k["face"], d)


@inline
def line_at(k, x, y):
    """Return (squared distance, z, dz/dx, dz/dy) of a segment of a line at x, y; the distance is inf in the range of another segment."""
    dx, dy = x - k["origin"][0], y - k["origin"][1]
    c, s = k["axis"][0], k["axis"][1]
    if k["arc"] != 0.0:
        away = math.sqrt(dx * dx + dy * dy)
        if away == 0.0 or c * dx + s * dy < k["half_cosine"] * away:
            return math.inf, 0.0, 0.0, 0.0
        d = k["arc"] - math.copysign(away, k["arc"])
        z, slope = _across(k, d)
        slope *= math.copysign(1.0, -k["arc"]) / away
        return d * d, z, slope * dx, slope * dy
    u, d = c * dx + s * dy, c * dy - s * dx
    before, after = -u, u - k["length"]
    if (before > SLACK and not k["open_start"]) or (after > SLACK and not k["open_end"]):
        return math.inf, 0.0, 0.0, 0.0
    beyond = max(before, after, 0.0)
    z, slope = _across(k, d)
    fade, fade_slope = smooth_step(beyond / k["face"])
    z_u = math.copysign(1.0, before - after) * z * fade_slope / k["face"]
    z, slope = z * (1.0 - fade), slope * (1.0 - fade)
    if k["rise"] != 0.0:
        step, step_slope = smooth_step(u / k["length"])
        more = 1.0 + k["rise"] * step
        z_u = z_u * more + z * k["rise"] * step_slope / k["length"]
        z, slope = z * more, slope * more
    return d * d + beyond * beyond, z, z_u * c - slope * s, z_u * s + slope * c


def highest(k: Any) -> float:
    """Return a bound on the height of one element over the ground, a record of `PIECE`."""
    height = max(float(k["height"]), 0.0)
    if k["kind"] == CURB:
        return height * max(1.0, 1.0 + float(k["rise"]))
    return height + (math.sqrt(3.0) * float(k["scatter"]) if k["kind"] == SETTS else 0.0)


def steepest(k: Any) -> float:
    """Return a bound on the slope of one element, a record of `PIECE`."""
    height, face = abs(float(k["height"])), float(k["face"])
    side = 1.5 * height / face
    if k["kind"] == CURB:
        top = max(1.0, 1.0 + float(k["rise"]))
        ramp = 1.5 * height * abs(float(k["rise"])) / float(k["length"]) if k["rise"] != 0.0 else 0.0
        return math.hypot(top * (side + 1.5 * height / float(k["fall"])), top * side + ramp)
    if k["kind"] == SETTS:
        top = height + math.sqrt(3.0) * float(k["scatter"])
        return math.hypot(1.5 * top / float(k["bottom"]), 1.5 * top / float(k["bottom"]) + 1.5 * top / face)
    if k["kind"] == WALL:
        return math.hypot(side, side)
    if k["kind"] == DITCH:
        return math.hypot(height / face / (1.0 - BANK_ROUNDING), side)
    if k["kind"] == STEP:
        return math.hypot(side, side)
    if k["kind"] == WASHBOARD:
        return math.hypot(math.pi * height / float(k["wavelength"]), side)
    length = float(k["foot"][1] - k["foot"][0])  # bound of a cubic: 1.5 times the mean slope plus the slope at its start
    run = 1.5 * abs(float(k["foot_height"])) / length + abs(float(k["foot_slope"]))
    return math.hypot(max(run, math.pi * height / float(k["length"]) if k["kind"] == BUMP else run), side)
