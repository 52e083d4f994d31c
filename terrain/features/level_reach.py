"""Distance within which features do not change the height of the ground: a ray passes it in one step."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.features.shapes import BUMP, CURB, HALF_ROUND, SETTS, STEP, WALL, WASHBOARD


@kernel
def level_reach(starts, items, pieces, bin_, x, y):
    """Return a distance [m] from x, y (m, in W) within which the features of a bin are level; 0 where they may not be.

    The first three arguments are members of `terrain.features.kernels.Features`. In other bins, there may be other features.
    """
    reach, feature, known = math.inf, -1, False
    height = stay = 0.0  # of the current feature; stay: distance within which one of its segments applies
    for n in range(starts[bin_], starts[bin_ + 1]):
        k = pieces[items[n]]
        own, own_reach, own_stay = level_of_piece(k, x, y)
        if k["feature"] != feature:
            if height != 0.0:
                reach = min(reach, stay)
            feature, height, stay, known = k["feature"], 0.0, 0.0, False
        if own_stay < 0.0:  # the segment does not apply here
            reach = min(reach, own_reach)
        elif known and own != height:  # it is not known here which segment is the nearest one
            return 0.0
        else:
            height, known = own, True
            reach, stay = min(reach, own_reach), max(stay, own_stay)
        if reach <= 0.0:
            return 0.0
    return min(reach, stay) if height != 0.0 else reach


@inline
def level_of_piece(k, x, y):
    """Return (height of an element at x, y; distance within which it has this height where it applies; distance within which it applies).

    The last one is negative if the element, a segment of a line, does not apply at x, y; the second one is the distance within which it does not.
    """
    return _level_line(k, x, y) if k["kind"] >= CURB else _level_shape(k, x, y)


@inline
def _level_shape(k, x, y):
    """Return (height, distance within which a shape has this height, the same distance)."""
    dx, dy = x - k["origin"][0], y - k["origin"][1]
    c, s = k["axis"][0], k["axis"][1]
    u, v = abs(c * dx + s * dy), abs(c * dy - s * dx)
    kind, half, edge = k["kind"], 0.5 * k["length"], 0.5 * k["face"]
    end = k["foot"][1] if kind in (HALF_ROUND, BUMP) else half if kind in (WASHBOARD, SETTS) else half + edge
    outside = max(u - end, v - 0.5 * k["width"] - edge)
    if outside >= 0.0:
        return 0.0, outside, outside
    inside = max(min(half - edge - u, 0.5 * k["width"] - edge - v), 0.0) if kind == STEP else 0.0
    return k["height"], inside, inside


@inline
def _level_line(k, x, y):
    """Return the same as `level_of_piece`, for a segment of a line."""
    dx, dy = x - k["origin"][0], y - k["origin"][1]
    c, s = k["axis"][0], k["axis"][1]
    if k["arc"] != 0.0:
        away = math.sqrt(dx * dx + dy * dy)
        height, reach = _level_across(k, k["arc"] - math.copysign(away, k["arc"]))
        inside = _inside_sector(c * dx + s * dy, abs(c * dy - s * dx), away, k["half_cosine"])
        return (height, reach, inside) if inside >= 0.0 else (0.0, -inside, -1.0)
    u = c * dx + s * dy
    height, reach = _level_across(k, c * dy - s * dx)
    if k["rise"] != 0.0 and height != 0.0:
        reach = 0.0
    outside = max(-u, u - k["length"])
    if outside <= 0.0:
        return height, reach, -outside
    if (-u > 0.0 and k["open_start"]) or (u > k["length"] and k["open_end"]):  # the end fades
        outside -= k["face"]
        if height != 0.0 and outside <= 0.0:
            return height, 0.0, 0.0
        return (0.0, outside, 0.0) if outside > reach or height != 0.0 else (height, reach, 0.0)
    return 0.0, outside, -1.0


@inline
def _inside_sector(along, across, away, half_cosine):
    """Return the distance from the border of a sector, less than 0 outside; along and |across|: place from its center, in the axes of its middle."""
    half_sine = math.sqrt(max(1.0 - half_cosine * half_cosine, 0.0))
    inward = half_sine * along - half_cosine * across
    return inward if half_cosine * along + half_sine * across > 0.0 else math.copysign(away, inward)


@inline
def _level_across(k, d):
    """Return (height, distance within which the cross section of a line has this height) at a signed distance d [m], + = left."""
    if k["kind"] == CURB:
        edge = 0.5 * k["face"]
        if edge <= d <= k["width"]:
            return k["height"], min(d - edge, k["width"] - d)
        return 0.0, max(-edge - d, d - k["width"] - k["fall"], 0.0)
    inner = 0.5 * (k["width"] - k["face"]) if k["kind"] == WALL else 0.5 * k["bottom"]
    if abs(d) <= inner:
        return k["height"], inner - abs(d)
    return 0.0, max(abs(d) - inner - k["face"], 0.0)
