"""What a wheel knows of the ground around it: heights and slopes at the nodes of a grid that is the same for all wheels.

The grid is aligned with the world, `contact_grid_spacing` apart; a wheel's window holds the part of it that it rolls over. It moves by being
overwritten: node (i, j) has its place at (i, j) modulo the window's size, a key tells which node lies there, and one that is wanted and not
there is looked up and stored. So only nodes that are new to the wheel cost a look at the ground, and only those near its contact are
ever looked at. A node is a number of the ground alone: what a window gives does not depend on where it has been.

`trace` cuts the ground with the plane of a wheel. Of the two families of grid lines it takes those that run across the heading; where the
plane crosses one of them, between two nodes, the height is that of the cubic through their heights and slopes, which is C1 from edge to edge; from
one crossing to the next the ground is straight. It runs in the processor's vector lanes.

A feature (`terrain.features.kernels`) is neither, nor is a base grid with nodes closer than COARSE. Of an edge of the grid the tangents of those parts of the
ground at its ends tell how far it bends:

    bend = max(|z_1 - z_0 - s z_0'|, |z_1 - z_0 - s z_1'|),    share = smooth step of bend / s from SHARP to 2 SHARP.

By that share `trace_sharp` takes the ground PARTS times finer: on an edge across the heading for its cubic, between two edges across by points on
finer lines, whose share is that of the edges along, blended smoothly from one to the other. All of it moves with the wheel and its
heading without jumps, and with bounded slope. Roughness bends too, by a millimeter on 50 mm at most classes; it is never taken finer.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.composite_height import parts_and_slopes
from terrain.features.kernels import bounds_around, features_beside
from terrain.features.shapes import smooth_step
from terrain.ground import base_and_slopes

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

CROSSED = 80
"""Grid lines that a line crosses: DENSEST either way, one more at each end, and room."""

LANES = 8
"""Pieces of a line are looked at by so many, so that no rest of them is left to be done one by one."""

LINE = 512
"""Points of a line, every piece of it sharp."""

DIAGONAL = 0.1
"""Difference of the heading's components, in size, up to which both families of grid lines are taken, each with a share."""

COARSE = 0.5
"""m. Distance of the nodes of a base grid from which on nothing sharp is in it."""

TERRAIN_CACHE = (
    # name       shape              unit   what it is
    ("ground", (), "1", "`stamp` of the ground whose nodes these are", "i8"),
    ("key", (NODES, NODES), "1", "which node lies there, 0: none", "i8"),
    ("node", (NODES, NODES, 3), "m", "its height and slopes along x and y [1]"),
    ("sharp", (NODES, NODES, 3), "m", "what of that comes from features, and from the base grid if that is a fine one"),
    ("uneven", (NODES, NODES), "1", "2 where that slopes, 1 where it is level and not 0, as on top of a curb, else 0", "i8"),
    ("fine_key", (FINE, FINE), "1", "which fine node lies there, 0: none", "i8"),
    ("fine", (FINE, FINE, 3), "m", "its height and slopes along x and y [1]"),
    ("row", (CROSSED,), "1", "scratch: grid lines that a plane crosses: number of the node to the right of the crossing", "i8"),
    ("place", (CROSSED,), "1", "scratch: where the crossing is from that node, 0, to the next, 1"),
    ("height", (2, CROSSED), "m", "scratch: heights of the two"),
    ("slope", (2, CROSSED), "1", "scratch: and their slopes along the grid line"),
    ("u", (LINE,), "m", "scratch: points of a line: how far along"),
    ("z", (LINE,), "m", "scratch: how high"),
    ("rate", (LINE,), "1", "scratch: how fast they rise as the line moves to the left"),
    ("mark", (CROSSED,), "1", "scratch: the more `uneven` of the two", "i8"),
    ("rise", (), "m", "scratch: `rise_between`, once a step; below 0: not known yet"),
    ("traced", (3, CROSSED), "m", "scratch: u, z and rate [1] of the grid lines that `trace` found"),
    ("corner", (6, CROSSED), "m", "scratch: of both nodes beside a crossing what is `sharp`: height, slopes along and across [1]"),
    ("reach", (CROSSED,), "m2", "scratch: how far the ground around a grid line may reach into the disc; below 0: it does not"),
    ("share", (CROSSED,), "1", "scratch: `sharpness` of the edges that are crossed"),
    ("bend", (CROSSED,), "m", "scratch: bend of the edges from the grid line before"),
    ("part", (4, LINE), "m7", "scratch: parts of the pieces in an overlap and [m6] in its derivatives"),
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
def node_at(w, ground, s, axis, i, j):
    """Place in the window of the node with the index i along an axis (0: x, 1: y) and j across it."""
    if axis != 0:
        i, j = j, i
    a, b = i & (NODES - 1), j & (NODES - 1)
    if w["key"][a, b] != key_of(i, j):
        look_up(w, ground, s, i, j)
    return a, b


@inline
def node(w, ground, s, axis, i, j):
    """(height [m], slopes along and across an axis) of that node."""
    a, b = node_at(w, ground, s, axis, i, j)
    return w["node"][a, b, 0], w["node"][a, b, 1 + axis], w["node"][a, b, 2 - axis]


@inline
def sharp_node(w, ground, s, axis, i, j):
    """The same of what may be sharp in it."""
    a, b = node_at(w, ground, s, axis, i, j)
    return w["sharp"][a, b, 0], w["sharp"][a, b, 1 + axis], w["sharp"][a, b, 2 - axis]


@inline
def fine_node(w, ground, s, axis, i, j):
    """(height [m], slope across an axis) of a fine node, PARTS to an edge."""
    if axis != 0:
        i, j = j, i
    a, b = i & (FINE - 1), j & (FINE - 1)
    if w["fine_key"][a, b] != key_of(i, j):
        look_up_fine(w, ground, s, i, j)
    return w["fine"][a, b, 0], w["fine"][a, b, 2 - axis]


@kernel
def look_up(w, ground, s, i, j):
    """The ground at the node (i, j) into its place."""
    put(w, ground, s, i, j)


@inline
def put(w, ground, s, i, j):
    """The same as a piece of the kernel that calls it."""
    base, rough, features = parts_and_slopes(ground, i * s, j * s)
    a, b = i & (NODES - 1), j & (NODES - 1)
    fine = is_fine(ground)
    for k in range(3):
        w["node"][a, b, k] = base[k] + rough[k] + features[k]
        w["sharp"][a, b, k] = features[k] + base[k] if fine else features[k]
    sharp = w["sharp"][a, b]
    w["uneven"][a, b] = 2 if sharp[1] != 0.0 or sharp[2] != 0.0 else (1 if sharp[0] != 0.0 else 0)
    w["key"][a, b] = key_of(i, j)


@kernel
def look_up_fine(w, ground, s, i, j):
    """The ground at the fine node (i, j) into its place."""
    base, rough, features = parts_and_slopes(ground, i * s / PARTS, j * s / PARTS)
    a, b = i & (FINE - 1), j & (FINE - 1)
    for k in range(3):
        w["fine"][a, b, k] = base[k] + rough[k] + features[k]
    w["fine_key"][a, b] = key_of(i, j)


@inline
def hermite(z, rise, b, c, per, t):
    """(height, slope) at the place t, 0 to 1, of the cubic over an edge of length 1 / per that rises by `rise` from z, whose tangents miss the other
    end by b and c."""
    r = 1.0 - t
    return z + t * (rise + r * (r * b - t * c)), (rise + r * (r - 2.0 * t) * b + t * (t - 2.0 * r) * c) * per


@inline
def sharpness(rise, from_low, from_high, s):
    """Share of the finer ground on an edge of length s that rises by `rise`, and with the slope at either end by so much [m]."""
    bend = max(abs(rise - from_low), abs(rise - from_high))
    if bend <= SHARP * s:
        return 0.0
    return smooth_step(bend / (SHARP * s) - 1.0)[0]


@inline
def across_fine_line(w, ground, s, axis, i, v):
    """(height [m], slope) at the place v, in fine nodes, of the cubic between them on the fine grid line i."""
    low = math.floor(v)
    j = int(low)
    z0, m0 = fine_node(w, ground, s, axis, i, j)
    z1, m1 = fine_node(w, ground, s, axis, i, j + 1)
    s, rise = s / PARTS, z1 - z0
    return hermite(z0, rise, s * m0 - rise, s * m1 - rise, 1.0 / s, v - low)


@inline
def blended(shares, n, t):
    """(share at the place t, 0 to 1, from row n to the next, its derivative by t)."""
    near, far = shares[min(max(n, 0), 2)], shares[min(max(n, 0), 2) + 1]
    rise, slope = smooth_step(t)
    return near + (far - near) * rise, (far - near) * slope


@inline
def sharpness_of(w, ground, s, axis, i, j):
    """`sharpness` of the edge along the axis between the nodes i and i + 1, in the row j."""
    z0, m0, _ = sharp_node(w, ground, s, axis, i, j)
    z1, m1, _ = sharp_node(w, ground, s, axis, i + 1, j)
    return sharpness(z1 - z0, s * m0, s * m1, s)


@inline
def crossings(s, x, h, R):
    """(first grid line across an axis that a plane crosses, +1 or -1 to the next, how many): from R m behind its point x to R m ahead or just beyond.

    h is the component along that axis of its level heading.
    """
    back, front, per_s = x - R * h, x + R * h, 1.0 / s
    if h > 0.0:
        first = math.floor(back * per_s)
        return first, 1, min(math.floor(front * per_s) + 2 - first, CROSSED)
    first = math.floor(back * per_s) + 1
    return first, -1, min(first - math.floor(front * per_s) + 1, CROSSED)


@inline
def trace(w, ground, s, axis, plane, R):
    """Number of points of the line in which an upright plane cuts the ground, into u, z and rate of the window: where the plane crosses the grid lines
    across an axis.

    It is a piece of the kernel that calls it: to hand on a ground takes longer than a third of this, and nodes that are new are rare.

    Parameters
    ----------
    plane : x and y [m], coordinates along and across that axis of a point of the plane, and the components of its level heading in that order
    R : the line goes from that far [m] behind the point to as much ahead or just beyond
    """
    count, known = trace_known(w, s, axis, plane, R)
    if known < count:
        trace_new(w, ground, s, axis, plane, R, known)
    return count


@kernel
def trace_known(w, s, axis, plane, R):
    """(that number, how many points come before one whose nodes are not in the window); if there is one there is no line."""
    x, y, h, g = plane
    first, step, count = crossings(s, x, h, R)
    per, per_s = 1.0 / h, 1.0 / s
    for k in range(count):
        u = ((first + step * k) * s - x) * per
        v = (y + u * g) * per_s
        low = math.floor(v)
        w["u"][k], w["place"][k], w["row"][k] = u, v - low, int(low)
    for k in range(count):
        i, j = first + step * k, w["row"][k]
        a, b = (i, j) if axis == 0 else (j, i)
        c, d = (i, j + 1) if axis == 0 else (j + 1, i)
        e, f, m, n = a & (NODES - 1), b & (NODES - 1), c & (NODES - 1), d & (NODES - 1)
        if w["key"][e, f] != key_of(a, b) or w["key"][m, n] != key_of(c, d):
            return count, k
        take(w, k, axis, (e, f), (m, n))
    join(w, s, axis, h, count)
    return count, count


@kernel
def trace_new(w, ground, s, axis, plane, R, known):
    """The rest of a line that `trace_known` has laid out, nodes looked up that are not in the window."""
    first, step, count = crossings(s, plane[0], plane[2], R)
    for k in range(known, count):
        i, j = first + step * k, w["row"][k]
        for side in range(2):
            a, b = (i, j + side) if axis == 0 else (j + side, i)
            if w["key"][a & (NODES - 1), b & (NODES - 1)] != key_of(a, b):
                put(w, ground, s, a, b)
        right, left = ((i, j), (i, j + 1)) if axis == 0 else ((j, i), (j + 1, i))
        take(w, k, axis, (right[0] & (NODES - 1), right[1] & (NODES - 1)), (left[0] & (NODES - 1), left[1] & (NODES - 1)))
    join(w, s, axis, plane[2], count)


@inline
def take(w, k, axis, right, left):
    """What crossing k needs of its two nodes, by their places in the window."""
    w["height"][0, k], w["height"][1, k] = w["node"][right[0], right[1], 0], w["node"][left[0], left[1], 0]
    w["slope"][0, k], w["slope"][1, k] = w["node"][right[0], right[1], 2 - axis], w["node"][left[0], left[1], 2 - axis]
    w["mark"][k] = w["uneven"][right[0], right[1]] | w["uneven"][left[0], left[1]]


@kernel
def join(w, s, axis, h, count):
    """Heights of the crossings, and how fast they rise, of what was taken."""
    turn, per_s = (1.0 / h if axis == 0 else -1.0 / h), 1.0 / s  # how fast a crossing moves across as the line moves to the left
    for k in range(count):
        z, rise = w["height"][0, k], w["height"][1, k] - w["height"][0, k]
        z, slope = hermite(z, rise, s * w["slope"][0, k] - rise, s * w["slope"][1, k] - rise, per_s, w["place"][k])
        w["z"][k], w["rate"][k] = z, slope * turn


@kernel
def is_sharp(w, ground, s, axis, plane, R):
    """Whether there may be anything sharp in the line that `trace` has found: something that slopes, or level parts of several heights."""
    first, step, count = crossings(s, plane[0], plane[2], R)
    mark = 0
    for k in range(count):
        mark |= w["mark"][k]
    for k in range(1, count):
        j, old = w["row"][k], w["row"][k - 1]
        if j != old:  # an edge along is crossed: those of both rows count
            for n in range(min(j, old), max(j, old) + 2):
                mark |= unevenness(w, ground, s, axis, first + step * k, n) | unevenness(w, ground, s, axis, first + step * (k - 1), n)
    if mark != 1:
        return mark != 0
    level = sharp_node(w, ground, s, axis, first, w["row"][0])[0]
    for k in range(count):
        j, old = w["row"][k], w["row"][max(k - 1, 0)]
        for i in range(first + step * k, first + step * max(k - 2, -1), -step):
            for n in range(min(j, old), max(j, old) + 2):
                if sharp_node(w, ground, s, axis, i, n)[0] != level:
                    return True
    return False


@inline
def unevenness(w, ground, s, axis, i, j):
    """`uneven` of a node."""
    a, b = node_at(w, ground, s, axis, i, j)
    return w["uneven"][a, b]


@kernel
def trace_sharp(w, ground, s, axis, plane, R, below):
    """Number of points of the line that `trace` has found with what is sharp taken finer, into u, z and rate of the window.

    It holds all pieces that may reach into the disc of radius R about the plane's point, and those beside them.

    Parameters
    ----------
    below : top and rise [m] and drop: a point of the line at the height z is (top - z) / drop down the disc, and `rise_between` of the ground;
        drop 0: the line holds all pieces
    """
    h = plane[2]
    first, step, count = crossings(s, plane[0], h, R)
    gather(w, ground, s, axis, first, step, count)
    measure_bends(w, s, step, count)
    start, end = reached(w, is_fine(ground), s, h, R, below, count) if below[2] > 0.0 else (0, count)
    limit, turn, points = SHARP * s, (1.0 / h if axis == 0 else -1.0 / h), 0
    for k in range(start, end):
        i, j, share = first + step * k, w["row"][k], w["share"][k]
        u, z, rate = w["traced"][0, k], w["traced"][1, k], w["traced"][2, k]
        if share > 0.0:
            fine, slope = across_fine_line(w, ground, s, axis, i * PARTS, (j + w["place"][k]) * PARTS)
            z, rate = z + share * (fine - z), rate + share * (slope * turn - rate)
        if k > start:
            row = w["row"][k - 1]
            if w["bend"][k] > limit or j != row:
                line, low_row = min(i, i - step), min(row, j)
                shares = shares_between(w, ground, s, axis, line, low_row, max(row, j) + 1)
                if max(shares[0], shares[1], shares[2], shares[3]) > 0.0:
                    points = trace_finer(w, ground, s, axis, line, step, plane, (u, z, rate), points, low_row, shares)
        w["u"][points], w["z"][points], w["rate"][points] = u, z, rate
        points += 1
    return points


@inline
def gather(w, ground, s, axis, first, step, count):
    """What `trace` has found, and of the nodes beside it what is sharp, out of the way of the points that come instead."""
    for k in range(count):
        w["traced"][0, k], w["traced"][1, k], w["traced"][2, k] = w["u"][k], w["z"][k], w["rate"][k]
    corner = w["corner"]
    for k in range(count):
        i, j = first + step * k, w["row"][k]
        corner[0, k], corner[1, k], corner[2, k] = sharp_node(w, ground, s, axis, i, j)
        corner[3, k], corner[4, k], corner[5, k] = sharp_node(w, ground, s, axis, i, j + 1)


@kernel
def measure_bends(w, s, step, count):
    """`sharpness` of the edges that a line crosses, and the bends of those from one grid line to the next in the rows of its nodes, if they are the same."""
    corner, share, bend = w["corner"], w["share"], w["bend"]
    per, along = 1.0 / (SHARP * s), s * step
    for k in range(count):  # in the vector lanes
        rise = corner[3, k] - corner[0, k]
        t = max(abs(rise - s * corner[2, k]), abs(rise - s * corner[5, k])) * per - 1.0
        share[k] = smooth_step(t)[0]
    for k in range(1, count):
        right, left = corner[0, k] - corner[0, k - 1], corner[3, k] - corner[3, k - 1]
        at_right = max(abs(right - corner[1, k] * along), abs(right - corner[1, k - 1] * along))
        bend[k] = max(at_right, abs(left - corner[4, k] * along), abs(left - corner[4, k - 1] * along))


@inline
def reached(w, fine, s, h, R, below, count):
    """The crossings, from the first to before the last, between which the ground may reach into the disc if it were level as high as can be, and one
    more at either end; see `trace_sharp`."""
    top, rise, drop = below
    height, corner, reach = w["height"], w["corner"], w["reach"]
    beside, per, taken = s / abs(h), 1.0 / drop, 0.0 if fine else 1.0
    for k in range(count):  # in the vector lanes
        z = max(height[0, k] - taken * corner[0, k], height[1, k] - taken * corner[3, k])
        r, near = max((top - z - rise) * per, 0.0), max(abs(w["traced"][0, k]) - beside, 0.0)
        reach[k] = R * R - near * near - r * r if r > 0.0 else 1.0
    start, end = 0, count
    while start < end and not reach[start] > 0.0:
        start += 1
    while start < end and not reach[end - 1] > 0.0:
        end -= 1
    if start == end:
        return 0, 0
    return max(start - 1, 0), min(end + 1, count)


@inline
def rise_once(w, ground, s, x, y, reach):
    """`rise_between`, looked up once for all planes of a wheel."""
    if w["rise"] < 0.0:
        w["rise"] = rise_between(ground, s, x, y, reach)
    return w["rise"]


@kernel
def rise_between(ground, s, x, y, reach):
    """By how much [m] a line of `trace_sharp` within `reach` m of x, y may be higher than the nodes around; than those without features unless the base
    grid is fine."""
    height, steep = bounds_around(ground.features.bins, ground.features.bounds, x, y, reach)
    rest = ground.p[0]["steepest"] - ground.features.bins[0]["steepest"]
    # cubics leave the heights of their ends by up to 8/27 of what the slope allows: sharp ones on the finer grid, others where they bend by less
    more = 0.3 * s * ((rest + steep) / PARTS + 2.0 * SHARP)
    if is_fine(ground):
        return more + 2.0 * s * (rest + steep)
    return more + 2.0 * s * rest + height


@inline
def shares_between(w, ground, s, axis, i, first, last):
    """Shares of the finer ground between the grid lines i and i + 1 in the rows from the first to the last, of four from the first on: a plane along
    which the heading has its larger part crosses no more than two."""
    third = sharpness_of(w, ground, s, axis, i, first + 2) if last > first + 1 else 0.0
    fourth = sharpness_of(w, ground, s, axis, i, first + 3) if last > first + 2 else 0.0
    return sharpness_of(w, ground, s, axis, i, first), sharpness_of(w, ground, s, axis, i, first + 1), third, fourth


@inline
def trace_finer(w, ground, s, axis, i, step, plane, end, count, row, shares):
    """Points between the grid lines i and i + 1: on the straight line to the `end`, by the `shares_between` from `row` on the finer ground."""
    x, y, h, g = plane
    per, per_s, fine_s = 1.0 / h, 1.0 / s, s / PARTS
    turn = per if axis == 0 else -per
    b = count - 1
    for n in range(1, PARTS):
        k = i * PARTS + (n if step > 0 else PARTS - n)
        u, t = (k * fine_s - x) * per, n / PARTS
        chord, rate = w["z"][b] + t * (end[1] - w["z"][b]), w["rate"][b] + t * (end[2] - w["rate"][b])
        v = (y + u * g) * per_s
        low = math.floor(v)
        share, slope = blended(shares, low - row, v - low)
        if share > 0.0:
            fine, fine_slope = across_fine_line(w, ground, s, axis, k, v * PARTS)
            rate += slope * per_s * turn * (fine - chord) + share * (fine_slope * turn - rate)
            chord += share * (fine - chord)
        w["u"][count], w["z"][count], w["rate"][count] = u, chord, rate
        count += 1
    return count


@inline
def is_fine(ground):
    """Whether the base grid of a ground may have curbs in it."""
    return min(ground.p[0]["spacing"][0], ground.p[0]["spacing"][1]) < COARSE


@inline
def share_of_sides(ground, x, y):
    """Share from 0 to 1 by which the ground at (x, y) wants more than the middle of a tire to be looked at: where something sharp may be."""
    if is_fine(ground):
        return 1.0
    if ground.features.bins[0]["count"][0] == 0:
        return 0.0
    return features_beside(ground.features.bins, ground.features.starts, x, y)


@inline
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
