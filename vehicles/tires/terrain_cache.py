"""Terrain cache of a wheel: heights and slopes of the ground at the nodes of a grid that is common to all wheels.

The grid is aligned with the world, with the spacing `contact_grid_spacing`. The cache of a wheel contains the part of the grid that the
wheel rolls over, and moves by overwriting entries. Node (i, j) is stored at (i, j) modulo the cache size, with a key that identifies the
node; a missing node is computed and stored. So only nodes that are new to the wheel cost an evaluation of the ground, and only those close
to its contact are evaluated. A node depends only on the ground: the values of a cache do not depend on the earlier path of the wheel.

`trace` intersects the ground with the plane of a wheel. Of the two families of grid lines it uses those that run across the heading. Where
the plane crosses a grid line between two nodes, the height is that of the cubic through their heights and slopes, which is C1 across edges.
Between two crossings the ground is straight. The computation is vectorized.

This is too coarse for a feature (`terrain.features.kernels`) and for a base grid with nodes closer than COARSE. The bend of a grid edge is
computed from the tangents of these parts of the ground at its ends:

    bend = max(|z_1 - z_0 - s z_0'|, |z_1 - z_0 - s z_1'|),    weight = smooth step of bend / s from SHARP to 2 SHARP.

With this weight `trace_sharp` refines the ground by the factor PARTS: on an edge across the heading for its cubic, between two edges across
by points on finer lines, whose weight is that of the edges along, blended smoothly from one to the other. The result changes with the wheel
and its heading without jumps, and with bounded slope. Roughness bends too, by a millimeter on 50 mm at most classes; it is never refined.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.base_grid import base_and_slopes
from terrain.composite_height import parts_and_slopes
from terrain.features.kernels import bounds_around, features_beside
from terrain.features.shapes import smooth_step

NODES = 32
"""Nodes of a cache along x and y, a power of two."""

PARTS = 5
"""Parts of a sharp edge."""

FINE = 64
"""Fine nodes of a cache along x and y, a power of two."""

SHARP = 0.1
"""Bend of an edge over its length above which it is refined: 5 mm on 50 mm, where the error of a straight line is 1.3 mm."""

BEYOND = 1e6
"""m. Coordinates of this magnitude and above are not cached, because the node indices are limited."""

DENSEST = 32.0
"""Maximum ratio of the tire radius to the node spacing."""

CROSSED = 80
"""Maximum number of grid lines that a line crosses: DENSEST to both sides, one more at each end, and a reserve."""

LANES = 8
"""Segments of a line are processed in multiples of this number, so that no remainder is processed one by one."""

LINE = 512
"""Maximum number of points of a line, if every segment of it is sharp."""

DIAGONAL = 0.1
"""Maximum difference of the magnitudes of the heading's components for which both families of grid lines are used, each with a weight."""

NO_ROW = 1 << 62
"""Row of no node."""

COARSE = 0.5
"""m. Node spacing of a base grid above which it contains no sharp edges."""

TERRAIN_CACHE = (
    # name       shape              unit   what it is
    ("ground", (), "1", "`stamp` of the ground of the cached nodes", "i8"),
    ("key", (NODES, NODES), "1", "key of the cached node, 0: none", "i8"),
    ("node", (NODES, NODES, 3), "m", "height of the node, and its slopes along x and y [1]"),
    ("sharp", (NODES, NODES, 3), "m", "part of height and slopes from features, and from the base grid if it is a fine one"),
    ("uneven", (NODES, NODES), "1", "2 where the sharp part slopes, 1 where it is level and not 0, as on top of a curb, else 0", "i8"),
    ("fine_key", (FINE, FINE), "1", "key of the cached fine node, 0: none", "i8"),
    ("fine", (FINE, FINE, 3), "m", "height of the fine node, and its slopes along x and y [1]"),
    ("row", (CROSSED,), "1", "scratch: per crossed grid line, index of the node to the right of the crossing", "i8"),
    ("line", (3,), "1", "axis, first grid line and direction of the copied nodes, `height` to `mark`", "i8"),
    ("copied", (CROSSED,), "1", "`row` of the copied nodes, NO_ROW: none", "i8"),
    ("place", (CROSSED,), "1", "scratch: position of the crossing between this node, 0, and the next, 1"),
    ("height", (2, CROSSED), "m", "scratch: heights of both nodes"),
    ("slope", (2, CROSSED), "1", "scratch: slopes of both nodes along the grid line"),
    ("u", (LINE,), "m", "scratch: coordinate of the points along a line"),
    ("z", (LINE,), "m", "scratch: height of the points of a line"),
    ("rate", (LINE,), "1", "scratch: rate of the height as the line moves to the left"),
    ("mark", (CROSSED,), "1", "scratch: larger `uneven` of both nodes", "i8"),
    ("rise", (), "m", "scratch: `rise_between`, computed once a step; below 0: not computed yet"),
    ("traced", (3, CROSSED), "m", "scratch: u, z and rate [1] of the grid lines from `trace`"),
    ("corner", (6, CROSSED), "m", "scratch: `sharp` of both nodes of a crossing: height, slopes along and across [1]"),
    ("reach", (CROSSED,), "m2", "scratch: maximum reach of the ground around a grid line into the disc; below 0: none"),
    ("share", (CROSSED,), "1", "scratch: `fine_ground_weight` of the crossed edges"),
    ("bend", (CROSSED,), "m", "scratch: bend of the edges from the grid line before"),
    ("part", (4, LINE), "m7", "scratch: contributions of the segments to an overlap and [m6] to its derivatives"),
)
"""Record of a wheel; the memory of a cache, not a state: all values can be recomputed."""


@inline
def key_of(i, j):
    """Return a unique number of a grid node, never 0."""
    return (1 << 62) + (i << 31) + j


@inline
def refresh_cache(w, ground):
    """Clear the cache if it belongs to another ground, or to a ground without a stamp."""
    if w["ground"] != ground.p[0]["stamp"] or w["ground"] == 0:
        forget(w)
        w["ground"] = ground.p[0]["stamp"]


@kernel
def forget(w):
    """Clear the cache."""
    for k in range(CROSSED):
        w["copied"][k] = NO_ROW
    for i in range(NODES):
        for j in range(NODES):
            w["key"][i, j] = 0
    for i in range(FINE):
        for j in range(FINE):
            w["fine_key"][i, j] = 0


@inline
def node_at(w, ground, s, axis, i, j):
    """Return the position in the cache of the node with the index i along an axis (0: x, 1: y) and j across it; compute it if it is
    missing."""
    if axis != 0:
        i, j = j, i
    a, b = i & (NODES - 1), j & (NODES - 1)
    if w["key"][a, b] != key_of(i, j):
        look_up(w, ground, s, i, j)
    return a, b


@inline
def node(w, ground, s, axis, i, j):
    """Return (height [m], slopes along and across an axis) of this node."""
    a, b = node_at(w, ground, s, axis, i, j)
    return w["node"][a, b, 0], w["node"][a, b, 1 + axis], w["node"][a, b, 2 - axis]


@inline
def sharp_node(w, ground, s, axis, i, j):
    """Return (height [m], slopes along and across an axis) of the sharp part of this node."""
    a, b = node_at(w, ground, s, axis, i, j)
    return w["sharp"][a, b, 0], w["sharp"][a, b, 1 + axis], w["sharp"][a, b, 2 - axis]


@inline
def fine_node(w, ground, s, axis, i, j):
    """Return (height [m], slope across an axis) of a fine node, with PARTS per edge."""
    if axis != 0:
        i, j = j, i
    a, b = i & (FINE - 1), j & (FINE - 1)
    if w["fine_key"][a, b] != key_of(i, j):
        look_up_fine(w, ground, s, i, j)
    return w["fine"][a, b, 0], w["fine"][a, b, 2 - axis]


@kernel
def look_up(w, ground, s, i, j):
    """Compute and store the ground at the node (i, j)."""
    store_node(w, ground, s, i, j)


@inline
def store_node(w, ground, s, i, j):
    """Compute and store the ground at the node (i, j), inlined into the calling kernel."""
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
    """Compute and store the ground at the fine node (i, j)."""
    base, rough, features = parts_and_slopes(ground, i * s / PARTS, j * s / PARTS)
    a, b = i & (FINE - 1), j & (FINE - 1)
    for k in range(3):
        w["fine"][a, b, k] = base[k] + rough[k] + features[k]
    w["fine_key"][a, b] = key_of(i, j)


@inline
def hermite(z, rise, b, c, per, t):
    """Return (height, slope) at the position t, 0 to 1, of a cubic over an edge of length 1 / per that rises by `rise` from z. The end
    tangents miss the opposite end by b and c."""
    r = 1.0 - t
    return z + t * (rise + r * (r * b - t * c)), (rise + r * (r - 2.0 * t) * b + t * (t - 2.0 * r) * c) * per


@inline
def fine_ground_weight(rise, from_low, from_high, s):
    """Return the weight of the finer ground on an edge of length s that rises by `rise`; from_low, from_high: rise by the slope at each end
    [m]."""
    bend = max(abs(rise - from_low), abs(rise - from_high))
    if bend <= SHARP * s:
        return 0.0
    return smooth_step(bend / (SHARP * s) - 1.0)[0]


@inline
def across_fine_line(w, ground, s, axis, i, v):
    """Return (height [m], slope) at the position v, in fine nodes, of the cubic between them on the fine grid line i."""
    low = math.floor(v)
    j = int(low)
    z0, m0 = fine_node(w, ground, s, axis, i, j)
    z1, m1 = fine_node(w, ground, s, axis, i, j + 1)
    s, rise = s / PARTS, z1 - z0
    return hermite(z0, rise, s * m0 - rise, s * m1 - rise, 1.0 / s, v - low)


@inline
def blended(shares, n, t):
    """Return (weight at the position t, 0 to 1, from row n to the next, its derivative with respect to t)."""
    near, far = shares[min(max(n, 0), 2)], shares[min(max(n, 0), 2) + 1]
    rise, slope = smooth_step(t)
    return near + (far - near) * rise, (far - near) * slope


@inline
def edge_fine_ground_weight(w, ground, s, axis, i, j):
    """Return `fine_ground_weight` of the edge along the axis between the nodes i and i + 1, in the row j."""
    z0, m0, _ = sharp_node(w, ground, s, axis, i, j)
    z1, m1, _ = sharp_node(w, ground, s, axis, i + 1, j)
    return fine_ground_weight(z1 - z0, s * m0, s * m1, s)


@inline
def crossings(s, x, h, R):
    """Return (first grid line across an axis that a plane crosses, +1 or -1 to the next, count): from R m behind its point x to R m ahead
    or just beyond.

    h is the component along this axis of its level heading.
    """
    back, front, per_s = x - R * h, x + R * h, 1.0 / s
    if h > 0.0:
        first = math.floor(back * per_s)
        return first, 1, min(math.floor(front * per_s) + 2 - first, CROSSED)
    first = math.floor(back * per_s) + 1
    return first, -1, min(first - math.floor(front * per_s) + 1, CROSSED)


@inline
def trace(w, ground, s, axis, plane, R):
    """Intersect the ground with an upright plane, at its crossings with the grid lines across an axis; write u, z and rate of the cache,
    and return the number of points.

    Inlined into the calling kernel: passing a ground takes longer than a third of this computation, and new nodes are rare.

    Parameters
    ----------
    plane : x and y [m], coordinates along and across this axis of a point of the plane, and the components of its level heading in this
        order
    R : the line extends from this distance [m] behind the point to the same distance ahead or just beyond
    """
    count, known = trace_known(w, s, axis, plane, R)
    if known < count:
        trace_new(w, ground, s, axis, plane, R, known)
    return count


@kernel
def trace_known(w, s, axis, plane, R):
    """Return (number of points, number of points before the first one with a missing node); the line is valid only if both are equal.

    The copies of nodes that the line of the last step crossed, too, are used again.
    """
    x, y, h, g = plane
    first, step, count = crossings(s, x, h, R)
    per, per_s = 1.0 / h, 1.0 / s
    for k in range(count):
        u = ((first + step * k) * s - x) * per
        v = (y + u * g) * per_s
        low = math.floor(v)
        w["u"][k], w["place"][k], w["row"][k] = u, v - low, int(low)
    if w["line"][0] != axis or w["line"][1] != first or w["line"][2] != step:
        w["line"][0], w["line"][1], w["line"][2] = axis, first, step
        for k in range(CROSSED):
            w["copied"][k] = NO_ROW
    for k in range(count):
        i, j = first + step * k, w["row"][k]
        if w["copied"][k] == j:
            continue
        a, b = (i, j) if axis == 0 else (j, i)
        c, d = (i, j + 1) if axis == 0 else (j + 1, i)
        e, f, m, n = a & (NODES - 1), b & (NODES - 1), c & (NODES - 1), d & (NODES - 1)
        if w["key"][e, f] != key_of(a, b) or w["key"][m, n] != key_of(c, d):
            return count, k
        copy_nodes(w, k, axis, (e, f), (m, n))
    join(w, s, axis, h, count)
    return count, count


@kernel
def trace_new(w, ground, s, axis, plane, R, known):
    """Compute the rest of a line that `trace_known` has started, and the missing nodes."""
    first, step, count = crossings(s, plane[0], plane[2], R)
    for k in range(known, count):
        i, j = first + step * k, w["row"][k]
        for side in range(2):
            a, b = (i, j + side) if axis == 0 else (j + side, i)
            if w["key"][a & (NODES - 1), b & (NODES - 1)] != key_of(a, b):
                store_node(w, ground, s, a, b)
        right, left = ((i, j), (i, j + 1)) if axis == 0 else ((j, i), (j + 1, i))
        copy_nodes(w, k, axis, (right[0] & (NODES - 1), right[1] & (NODES - 1)), (left[0] & (NODES - 1), left[1] & (NODES - 1)))
    join(w, s, axis, plane[2], count)


@inline
def copy_nodes(w, k, axis, right, left):
    """Copy the values of both nodes of crossing k, given their positions in the cache."""
    w["copied"][k] = w["row"][k]
    w["height"][0, k], w["height"][1, k] = w["node"][right[0], right[1], 0], w["node"][left[0], left[1], 0]
    w["slope"][0, k], w["slope"][1, k] = w["node"][right[0], right[1], 2 - axis], w["node"][left[0], left[1], 2 - axis]
    w["mark"][k] = w["uneven"][right[0], right[1]] | w["uneven"][left[0], left[1]]


@kernel
def join(w, s, axis, h, count):
    """Compute heights of the crossings, and their rates, from the copied nodes."""
    turn, per_s = (1.0 / h if axis == 0 else -1.0 / h), 1.0 / s  # motion of a crossing across per motion of the line to the left
    for k in range(count):
        z, rise = w["height"][0, k], w["height"][1, k] - w["height"][0, k]
        z, slope = hermite(z, rise, s * w["slope"][0, k] - rise, s * w["slope"][1, k] - rise, per_s, w["place"][k])
        w["z"][k], w["rate"][k] = z, slope * turn


@kernel
def is_sharp(w, ground, s, axis, plane, R):
    """Return True if the line from `trace` may contain sharp ground: a sloping sharp part, or level parts of several heights."""
    first, step, count = crossings(s, plane[0], plane[2], R)
    mark = 0
    for k in range(count):
        mark |= w["mark"][k]
    for k in range(1, count):
        j, old = w["row"][k], w["row"][k - 1]
        if j != old:  # the line crosses an edge along the axis: check the nodes of both rows
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
    """Refine the sharp ground of the line from `trace` in u, z and rate of the cache, and return the number of points.

    The line contains all segments that may reach into the disc of radius R about the point of the plane, and their neighbors.

    Parameters
    ----------
    below : (top [m], rise [m], drop): a point of the line at the height z is (top - z) / drop down the disc; rise is `rise_between` of the
        ground; drop 0: the line contains all segments
    """
    h = plane[2]
    first, step, count = crossings(s, plane[0], h, R)
    save_trace(w, ground, s, axis, first, step, count)
    measure_bends(w, s, step, count)
    start, end = reached(w, is_fine(ground), s, h, R, below, count) if below[2] > 0.0 else (0, count)
    limit, turn, points = SHARP * s, (1.0 / h if axis == 0 else -1.0 / h), 0
    for k in range(start, end):
        i, j, share = first + step * k, w["row"][k], w["share"][k]
        u, z, rate = w["traced"][0, k], w["traced"][1, k], w["traced"][2, k]
        if share > 0.0:
            fine, slope = across_fine_line(w, ground, s, axis, i * PARTS, (j + w["place"][k]) * PARTS)
            z, rate = z + share * (fine - z), rate + share * (slope * turn - rate)
        w["u"][points], w["z"][points], w["rate"][points] = u, z, rate
        if k > start and (w["bend"][k] > limit or j != w["row"][k - 1]):
            points = trace_finer(w, ground, s, axis, plane, (i - step, step), (w["row"][k - 1], j), points)
        points += 1
    return points


@inline
def save_trace(w, ground, s, axis, first, step, count):
    """Save the results of `trace`, and the sharp part of the adjacent nodes, before the refined points overwrite them."""
    for k in range(count):
        w["traced"][0, k], w["traced"][1, k], w["traced"][2, k] = w["u"][k], w["z"][k], w["rate"][k]
    corner = w["corner"]
    for k in range(count):
        i, j = first + step * k, w["row"][k]
        corner[0, k], corner[1, k], corner[2, k] = sharp_node(w, ground, s, axis, i, j)
        corner[3, k], corner[4, k], corner[5, k] = sharp_node(w, ground, s, axis, i, j + 1)


@kernel
def measure_bends(w, s, step, count):
    """Compute `fine_ground_weight` of the edges that a line crosses, and the bends of the edges between grid lines for crossings in the same row."""
    corner, share, bend = w["corner"], w["share"], w["bend"]
    per, along = 1.0 / (SHARP * s), s * step
    for k in range(count):  # vectorized
        rise = corner[3, k] - corner[0, k]
        t = max(abs(rise - s * corner[2, k]), abs(rise - s * corner[5, k])) * per - 1.0
        share[k] = smooth_step(t)[0]
    for k in range(1, count):
        right, left = corner[0, k] - corner[0, k - 1], corner[3, k] - corner[3, k - 1]
        at_right = max(abs(right - corner[1, k] * along), abs(right - corner[1, k - 1] * along))
        bend[k] = max(at_right, abs(left - corner[4, k] * along), abs(left - corner[4, k - 1] * along))


@inline
def reached(w, fine, s, h, R, below, count):
    """Return the range of crossings, from the first to before the last, between which the ground may reach into the disc at its maximum
    height, plus one crossing at both ends; see `trace_sharp`."""
    top, rise, drop = below
    height, corner, reach = w["height"], w["corner"], w["reach"]
    margin, per, taken = s / abs(h), 1.0 / drop, 0.0 if fine else 1.0
    for k in range(count):  # vectorized
        z = max(height[0, k] - taken * corner[0, k], height[1, k] - taken * corner[3, k])
        r, near = max((top - z - rise) * per, 0.0), max(abs(w["traced"][0, k]) - margin, 0.0)
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
def find_rise(w, ground, s, x, y, reach):
    """Return `rise_between`, computed once for all planes of a wheel."""
    if w["rise"] < 0.0:
        w["rise"] = rise_between(ground, s, x, y, reach)
    return w["rise"]


@kernel
def rise_between(ground, s, x, y, reach):
    """Return the maximum height [m] of a line of `trace_sharp` within `reach` m of x, y above the nodes around it; the nodes exclude
    features unless the base grid is fine."""
    height, steep = bounds_around(ground.features.bins, ground.features.bounds, x, y, reach)
    rest = ground.p[0]["steepest"] - ground.features.bins[0]["steepest"]
    # cubics exceed the heights of their ends by up to 8/27 of the rise that the slope allows: sharp ones on the finer grid, others where
    # they bend less
    more = 0.3 * s * ((rest + steep) / PARTS + 2.0 * SHARP)
    if is_fine(ground):
        return more + 2.0 * s * (rest + steep)
    return more + 2.0 * s * rest + height


@inline
def shares_between(w, ground, s, axis, i, first, last):
    """Return the weights of the finer ground between the grid lines i and i + 1 in the rows from the first to the last, in a tuple of four:
    a plane along which the heading has its larger component crosses at most two rows."""
    third = edge_fine_ground_weight(w, ground, s, axis, i, first + 2) if last > first + 1 else 0.0
    fourth = edge_fine_ground_weight(w, ground, s, axis, i, first + 3) if last > first + 2 else 0.0
    return edge_fine_ground_weight(w, ground, s, axis, i, first), edge_fine_ground_weight(w, ground, s, axis, i, first + 1), third, fourth


@inline
def trace_finer(w, ground, s, axis, plane, lines, rows, last):
    """Insert points before the last point of a line where the ground may be finer: on the straight line from the point before it, blended
    with finer ground by `shares_between`. Return the number of the last point after the insertion.

    Parameters
    ----------
    lines : grid line of the point before, and +1 or -1 to that of the last point
    rows : `row` of the cache at both points
    last : number of the last point
    """
    (i, step), low_row = lines, min(rows[0], rows[1])
    shares = shares_between(w, ground, s, axis, min(i, i + step), low_row, max(rows[0], rows[1]) + 1)
    if not max(shares[0], shares[1], shares[2], shares[3]) > 0.0:
        return last
    x, y, h, g = plane
    per, per_s, fine_s = 1.0 / h, 1.0 / s, s / PARTS
    turn = per if axis == 0 else -per
    b, end = last - 1, (w["u"][last], w["z"][last], w["rate"][last])
    for n in range(1, PARTS):
        k = i * PARTS + step * n
        u, t = (k * fine_s - x) * per, n / PARTS
        chord, rate = w["z"][b] + t * (end[1] - w["z"][b]), w["rate"][b] + t * (end[2] - w["rate"][b])
        v = (y + u * g) * per_s
        low = math.floor(v)
        weight, slope = blended(shares, low - low_row, v - low)
        if weight > 0.0:
            fine, fine_slope = across_fine_line(w, ground, s, axis, k, v * PARTS)
            rate += slope * per_s * turn * (fine - chord) + weight * (fine_slope * turn - rate)
            chord += weight * (fine - chord)
        w["u"][b + n], w["z"][b + n], w["rate"][b + n] = u, chord, rate
    last = b + PARTS
    w["u"][last], w["z"][last], w["rate"][last] = end
    return last


@inline
def is_fine(ground):
    """Return True if the base grid of a ground may contain curbs."""
    return min(ground.p[0]["spacing"][0], ground.p[0]["spacing"][1]) < COARSE


@inline
def side_fraction(ground, x, y):
    """Return the weight, 0 to 1, of the outer planes of a tire at (x, y): above 0 where sharp ground may be close."""
    if is_fine(ground):
        return 1.0
    if ground.features.bins[0]["count"][0] == 0:
        return 0.0
    return features_beside(ground.features.bins, ground.features.starts, x, y)


@inline
def lateral_slope(w, ground, s, x, y, heading, half):
    """Return the large-scale slope of the ground below a tire, to the left of a level heading: of the base grid, or `common_slope` for a
    fine one."""
    if is_fine(ground):
        return common_slope(w, ground, s, x, y, heading, half)
    _, along, across = base_and_slopes(ground.p, ground.heights, x, y)
    return across * heading[0] - along * heading[1]


@kernel
def common_slope(w, ground, s, x, y, heading, half):
    """Return the slope to the left that is common to the ground across a tire, `half` m to both sides of (x, y): the slope of minimum
    magnitude among those between its middle and its sides and at these three points, 0 if their signs differ. `heading` is level."""
    hx, hy = heading
    z0, m0 = tilted(w, ground, s, x, y, heading)
    z1, m1 = tilted(w, ground, s, x - half * hy, y + half * hx, heading)
    z2, m2 = tilted(w, ground, s, x + half * hy, y - half * hx, heading)
    m = smaller_slope(smaller_slope(m0, m1), m2)
    return smaller_slope(smaller_slope(m, (z1 - z0) / half), (z0 - z2) / half)


@inline
def smaller_slope(a, b):
    """Return the number of smaller magnitude, 0 if the signs differ."""
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


@inline
def tilted(w, ground, s, x, y, heading):
    """Return (height [m], slope to the left of a level heading) at (x, y), bilinear in the values of the surrounding nodes."""
    u, v = x / s, y / s
    low_u, low_v = math.floor(u), math.floor(v)
    i, j, u, v = int(low_u), int(low_v), u - low_u, v - low_v
    z = slope = 0.0
    for k in range(4):
        weight = (u if k % 2 else 1.0 - u) * (v if k // 2 else 1.0 - v)
        height, along, across = node(w, ground, s, 0, i + k % 2, j + k // 2)
        z += weight * height
        slope += weight * (across * heading[0] - along * heading[1])
    return z, slope
