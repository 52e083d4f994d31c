"""What a wheel knows of the ground around it: heights and slopes at the nodes of a grid that is the same for all wheels.

The grid is aligned with the world, `window_spacing` apart; a wheel's window holds the part of it that it rolls over. It moves by being
overwritten: node (i, j) has its place at (i, j) modulo the window's size, a key tells which node lies there, and one that is wanted and not
there is looked up and stored. So only nodes that are new to the wheel cost a look at the ground, and only those near its contact are
ever looked at. A node is a number of the ground alone: what a window gives does not depend on where it has been.

`trace` cuts the ground with the plane of a wheel. Of the two families of grid lines it takes those that run across the heading; where the
plane crosses one of them, between two nodes, the height is that of the cubic through their heights and slopes, which is C1 from edge to edge; from
one crossing to the next the ground is straight. A kerb is neither, and of an edge the tangents at its ends tell how far it bends:

    bend = max(|z_1 - z_0 - s z_0'|, |z_1 - z_0 - s z_1'|),    share = smooth step of bend / s from SHARP to 2 SHARP.

By that share the ground is taken PARTS times finer there: on an edge across the heading for its cubic, between two edges across by points on
finer lines, whose share is that of the edges along, blended smoothly from one to the other. All of it moves with the wheel and its
heading without jumps, and with bounded slope.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.composed import composed_height_and_normal
from terrain.features import features_beside, smooth_step
from terrain.surface import base_and_slopes

NODES = 32
"""Nodes of a window along x and y, a power of two."""

PARTS = 5
"""Parts of a sharp edge."""

FINE = 64
"""Fine nodes of a window along x and y, a power of two."""

SHARP = 0.1
"""Bend of an edge over its length from which on it is looked at finer: of 5 mm on 50 mm, where a straight line is wrong by 1.3 mm."""

BEYOND = 1e6
"""m. Coordinates from here on are not looked up in a window, whose nodes are counted."""

DENSEST = 32.0
"""Largest radius of a tire over the distance of the nodes."""

LONGEST = 2.0
"""What a line reaches beyond the tire, over the distance of the nodes: more than that of its points, so that it ends outside the tire."""

LINE = 512
"""Points of a line: DENSEST and LONGEST either way, every piece of it sharp."""

DIAGONAL = 0.2
"""Difference of the heading's components, in size, up to which both families of grid lines are taken, each with a share."""

COARSE = 0.5
"""m. Distance of the nodes of a base grid from which on nothing sharp is in it."""

WINDOW = (
    # name       shape              unit   what it is
    ("ground", (), "1", "`stamp` of the ground whose nodes these are", "i8"),
    ("key", (NODES, NODES), "1", "which node lies there, 0: none", "i8"),
    ("node", (NODES, NODES, 3), "m", "its height and slopes along x and y [1]"),
    ("fine_key", (FINE, FINE), "1", "which fine node lies there, 0: none", "i8"),
    ("fine", (FINE, FINE, 3), "m", "its height and slopes along x and y [1]"),
    (
        "line",
        (LINE, 3),
        "m",
        "scratch: points of a line, how far along and how high, and how fast they rise [1] as the line moves to the left",
    ),
    ("n", (3,), "1", "scratch: a normal"),
)
"""One record per wheel; the memory of a cache, not a state: what is in it can always be looked up again."""


@inline
def key_of(i, j):
    """One number of a place of the grid, never 0."""
    return (1 << 62) + (i << 31) + j


@inline
def keep_of(w, ground):
    """Forget everything where the window is one of another ground, or may be: a ground that nobody has numbered."""
    if w["ground"] != ground.p[0]["stamp"] or w["ground"] == 0:
        forget(w)
        w["ground"] = ground.p[0]["stamp"]


@kernel
def forget(w):
    """Empty the window."""
    for i in range(NODES):
        for j in range(NODES):
            w["key"][i, j] = 0
    for i in range(FINE):
        for j in range(FINE):
            w["fine_key"][i, j] = 0


@inline
def node(w, ground, s, axis, i, j):
    """(height [m], slopes along and across an axis) of the node with the index i along the axis (0: x, 1: y) and j across it."""
    if axis != 0:
        i, j = j, i
    a, b = i & (NODES - 1), j & (NODES - 1)
    if w["key"][a, b] != key_of(i, j):
        look_up(w, ground, i * s, j * s, w["node"][a, b])
        w["key"][a, b] = key_of(i, j)
    z, m, n = w["node"][a, b, 0], w["node"][a, b, 1], w["node"][a, b, 2]
    return (z, m, n) if axis == 0 else (z, n, m)


@kernel
def fine_node(w, ground, s, axis, i, j):
    """The same of a fine node, PARTS to an edge."""
    if axis != 0:
        i, j = j, i
    a, b = i & (FINE - 1), j & (FINE - 1)
    if w["fine_key"][a, b] != key_of(i, j):
        look_up(w, ground, i * s / PARTS, j * s / PARTS, w["fine"][a, b])
        w["fine_key"][a, b] = key_of(i, j)
    z, m, n = w["fine"][a, b, 0], w["fine"][a, b, 1], w["fine"][a, b, 2]
    return (z, m, n) if axis == 0 else (z, n, m)


@kernel
def look_up(w, ground, x, y, out):
    """Height [m] and slopes along x and y of the ground at a place [m] into out (3,)."""
    n = w["n"]
    out[0] = composed_height_and_normal(ground, x, y, n)
    out[1], out[2] = -n[0] / n[2], -n[1] / n[2]


@inline
def hermite(z, rise, b, c, s, t):
    """(height, slope) at the place t, 0 to 1, of the cubic over an edge of length s that rises by `rise` from z, whose tangents miss the other
    end by b and c."""
    r = 1.0 - t
    return z + t * (rise + r * (r * b - t * c)), (rise + r * (r - 2.0 * t) * b + t * (t - 2.0 * r) * c) / s


@inline
def sharpness(rise, from_low, from_high, s):
    """Share of the finer ground on an edge of length s that rises by `rise`, and with the slope at either end by so much [m]."""
    bend = max(abs(rise - from_low), abs(rise - from_high))
    if bend <= SHARP * s:
        return 0.0
    return smooth_step(bend / (SHARP * s) - 1.0)[0]


@kernel
def across_fine_line(w, ground, s, axis, i, y):
    """The same between fine nodes, on the fine grid line i."""
    v = y / s * PARTS
    low = math.floor(v)
    j = int(low)
    z0, _, m0 = fine_node(w, ground, s, axis, i, j)
    z1, _, m1 = fine_node(w, ground, s, axis, i, j + 1)
    s, rise = s / PARTS, z1 - z0
    return hermite(z0, rise, s * m0 - rise, s * m1 - rise, s, v - low)


@inline
def sharpness_between(w, ground, s, axis, i, y):
    """(share of the finer ground between the lines i and i + 1 at y [m], its derivative along y [1/m])."""
    v = y / s
    low = math.floor(v)
    j = int(low)
    near = sharpness_of(w, ground, s, axis, i, j)
    far = sharpness_of(w, ground, s, axis, i, j + 1)
    if near == far:
        return near, 0.0
    rise, slope = smooth_step(v - low)
    return near + (far - near) * rise, (far - near) * slope / s


@inline
def sharpness_of(w, ground, s, axis, i, j):
    """`sharpness` of the edge along the axis between the nodes i and i + 1, in the row j."""
    z0, m0, _ = node(w, ground, s, axis, i, j)
    z1, m1, _ = node(w, ground, s, axis, i + 1, j)
    return sharpness(z1 - z0, s * m0, s * m1, s)


@kernel
def trace(w, ground, s, axis, x, y, h, g, reach):
    """Number of points of the line in which an upright plane cuts the ground, into `line` of the window: where it crosses the grid lines across an axis.

    x and y [m] are coordinates along and across that axis of a point of the plane, h and g the components of its level heading in that order;
    the line goes from `reach` m behind it to as much ahead or somewhat more.
    """
    step, per, per_s, limit = (1 if h > 0.0 else -1), 1.0 / h, 1.0 / s, SHARP * s
    turn = per if axis == 0 else -per  # how fast it moves across as it moves to the left
    along = s * step
    line, count = w["line"], 0
    first = math.floor((x - reach * h) * per_s)
    i = int(first) + (1 if h < 0.0 else 0)
    row, old_z0, old_m0, old_z1, old_m1 = 0, 0.0, 0.0, 0.0, 0.0
    while count < LINE - PARTS:
        u = (i * s - x) * per
        v = (y + u * g) * per_s
        low = math.floor(v)
        j = int(low)
        z0, m0, n0 = node(w, ground, s, axis, i, j)
        z1, m1, n1 = node(w, ground, s, axis, i, j + 1)
        rise, n0, n1 = z1 - z0, s * n0, s * n1
        z, slope = hermite(z0, rise, n0 - rise, n1 - rise, s, v - low)
        if max(abs(n0 - rise), abs(n1 - rise)) > limit:
            share = sharpness(rise, n0, n1, s)
            fine, fine_slope = across_fine_line(w, ground, s, axis, i * PARTS, v * s)
            z, slope = z + share * (fine - z), slope + share * (fine_slope - slope)
        if count > 0:
            rise0, rise1 = z0 - old_z0, z1 - old_z1
            bend = max(abs(rise0 - m0 * along), abs(rise0 - old_m0), abs(rise1 - m1 * along), abs(rise1 - old_m1))
            if (bend > limit or j != row) and is_sharp_between(w, ground, s, axis, min(i, i - step), min(row, j), max(row, j) + 1):
                count = trace_finer(w, ground, s, axis, min(i, i - step), step, (x, y, h, g), (u, z, slope * turn), count)
        line[count, 0], line[count, 1], line[count, 2] = u, z, slope * turn
        count += 1
        if u > reach:
            break
        row, old_z0, old_m0, old_z1, old_m1 = j, z0, m0 * along, z1, m1 * along
        i += step
    return count


@kernel
def is_sharp_between(w, ground, s, axis, i, first, last):
    """Whether the ground is taken finer between the grid lines i and i + 1 somewhere in the rows from the first to the last."""
    share = 0.0
    for j in range(first, last + 1):
        share = max(share, sharpness_of(w, ground, s, axis, i, j))
    return share > 0.0


@kernel
def trace_finer(w, ground, s, axis, i, step, plane, end, count):
    """Those points: the straight line between the grid lines, by their share the finer ground."""
    x, y, h, g = plane
    turn = 1.0 / h if axis == 0 else -1.0 / h
    line, b = w["line"], count - 1
    for n in range(1, PARTS):
        k = n if step > 0 else PARTS - n
        u, t = ((i + k / PARTS) * s - x) / h, n / PARTS
        chord, rate = line[b, 1] + t * (end[1] - line[b, 1]), line[b, 2] + t * (end[2] - line[b, 2])
        v = y + u * g
        share, slope = sharpness_between(w, ground, s, axis, i, v)
        if share > 0.0:
            fine, fine_slope = across_fine_line(w, ground, s, axis, i * PARTS + k, v)
            rate += slope * turn * (fine - chord) + share * (fine_slope * turn - rate)
            chord += share * (fine - chord)
        line[count, 0], line[count, 1], line[count, 2] = u, chord, rate
        count += 1
    return count


@inline
def is_fine(ground):
    """Whether the base grid of a ground may have kerbs in it."""
    return min(ground.p[0]["spacing"][0], ground.p[0]["spacing"][1]) < COARSE


@kernel
def share_of_sides(ground, x, y):
    """Share from 0 to 1 by which the ground at (x, y) wants more than the middle of a tire to be looked at: where something sharp may be."""
    return 1.0 if is_fine(ground) else features_beside(ground.features.bins, ground.features.starts, x, y)


@kernel
def lateral_slope(w, ground, s, x, y, heading, half):
    """Slope to the left of a level heading of the ground below a tire at large: of the base grid, or where that is fine the `common_slope`."""
    if is_fine(ground):
        return common_slope(w, ground, s, x, y, heading, half)
    _, along, across = base_and_slopes(ground.p, ground.heights, x, y)
    return across * heading[0] - along * heading[1]


@kernel
def common_slope(w, ground, s, x, y, heading, half):
    """Slope to the left that all of the ground across a tire has, which reaches `half` m to either side of (x, y): the least in size of those
    between its middle and its sides and at the three of them, 0 where they differ in sign. `heading` is level."""
    hx, hy = heading
    z0, m0 = tilted(w, ground, s, x, y, heading)
    z1, m1 = tilted(w, ground, s, x - half * hy, y + half * hx, heading)
    z2, m2 = tilted(w, ground, s, x + half * hy, y - half * hx, heading)
    m = least(least(m0, m1), m2)
    return least(least(m, (z1 - z0) / half), (z0 - z2) / half)


@inline
def least(a, b):
    """The smaller in size of two numbers, 0 if they differ in sign."""
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


@inline
def tilted(w, ground, s, x, y, heading):
    """(height [m], slope to the left of a level heading) at (x, y), bilinear in those of the nodes around."""
    u, v = x / s, y / s
    low_u, low_v = math.floor(u), math.floor(v)
    i, j, u, v = int(low_u), int(low_v), u - low_u, v - low_v
    z = slope = 0.0
    for k in range(4):
        share = (u if k % 2 else 1.0 - u) * (v if k // 2 else 1.0 - v)
        height, along, across = node(w, ground, s, 0, i + k % 2, j + k // 2)
        z += share * height
        slope += share * (across * heading[0] - along * heading[1])
    return z, slope
