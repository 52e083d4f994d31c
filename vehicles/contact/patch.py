"""Contact patch of two overlapping convex bodies: where the resultant force acts.

Seen along the normal, the patch is the common area of the two faces that are nearly at right angles to the normal. The four corners of the
face of a body are the farthest points of the body in four directions that lean TILT from the normal; on an edge or a corner of the body
they coincide. If the common area is a line or a point, the corners of each body are moved to the nearest point of the other face instead.
The force acts at the center of a pressure that is proportional to the depth less that of the elastic layer: a flat front on a wall, or a
box on a roof, gets a restoring moment as soon as it leans, without a jump. The depth is that AHEAD of time, which damps the rocking.
"""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import add_scaled, combine, cross, dot
from simulator.base.jit import inline, kernel
from terrain.objects.rigid_body import tangents
from vehicles.contact.convex import core_radius, core_support
from vehicles.contact.records import PATCH

TILT = 0.1
"""rad. A face that leans less from the contact plane counts as lying in it."""
AHEAD = 0.05
"""s. The pressure is that of the depth this time ahead, which damps a rocking body."""
SMALLEST = 1e-6
"""m2. A smaller common area counts as a line or a point."""
LAYER = 0.005
"""m. Depth over which the pressure of the patch fades, in addition to the elastic deflection."""


@inline
def _find_corners(c, n, sign, corners):
    """Write the corners (4, 3) of the face of the core of c in the direction sign n: along, across, height along n."""
    t, b = tangents(n)
    radius = core_radius(c)
    for i in range(4):
        u = TILT if i % 3 == 0 else -TILT
        v = TILT if i < 2 else -TILT
        d = add_scaled(combine(u, t, v, b), sign, n)
        p = add_scaled(core_support(c, d[0], d[1], d[2]), sign * radius, n)
        corners[i, 0], corners[i, 1], corners[i, 2] = dot(p, t), dot(p, b), dot(p, n)


@kernel
def common_area(corners, patch):
    """Write the vertices of the common area of two faces to patch[0]; return their number [Sutherland and Hodgman 1974]; 0 if
    the second face has no area.

    corners : (2, 4, 3) corners of the convex faces, counter-clockwise or clockwise; patch : (2, PATCH, 3)
    """
    count = 4
    for i in range(4):
        patch[0, i, 0], patch[0, i, 1] = corners[0, i, 0], corners[0, i, 1]
    face = corners[1]
    turn = 0.0
    for i in range(4):
        turn += face[i, 0] * face[(i + 1) % 4, 1] - face[i, 1] * face[(i + 1) % 4, 0]
    if abs(turn) < 2.0 * SMALLEST:
        return 0
    now = 0
    for i in range(4):
        p, q = face[i], face[(i + 1) % 4]
        ex, ey = (q[0] - p[0], q[1] - p[1]) if turn > 0.0 else (p[0] - q[0], p[1] - q[1])
        if ex == 0.0 and ey == 0.0:
            continue
        old, new, kept = patch[now], patch[1 - now], 0
        for k in range(count):
            u, v = old[k], old[(k + 1) % count]
            a = ex * (u[1] - p[1]) - ey * (u[0] - p[0])
            b = ex * (v[1] - p[1]) - ey * (v[0] - p[0])
            if a >= 0.0 and kept < PATCH:
                new[kept, 0], new[kept, 1] = u[0], u[1]
                kept += 1
            if a * b < 0.0 and kept < PATCH:
                r = a / (a - b)
                new[kept, 0], new[kept, 1] = u[0] + r * (v[0] - u[0]), u[1] + r * (v[1] - u[1])
                kept += 1
        now, count = 1 - now, kept
    if now == 1:
        for k in range(count):
            patch[0, k, 0], patch[0, k, 1] = patch[1, k, 0], patch[1, k, 1]
    return count


@inline
def _area(patch, count):
    """Return the area of the polygon of the first `count` rows."""
    twice = 0.0
    for k in range(1, count - 1):
        twice += _twice_the_triangle(patch, k)
    return 0.5 * abs(twice)


@inline
def _twice_the_triangle(patch, k):
    """Return twice the area of the triangle of the rows 0, k, k + 1, + = counter-clockwise."""
    return (patch[k, 0] - patch[0, 0]) * (patch[k + 1, 1] - patch[0, 1]) - (patch[k, 1] - patch[0, 1]) * (patch[k + 1, 0] - patch[0, 0])


@inline
def _nearest_on_edge(p, q, x, y):
    """Return (squared distance, x, y) of the point of the edge p, q nearest to (x, y)."""
    ex, ey = q[0] - p[0], q[1] - p[1]
    length = ex * ex + ey * ey
    t = ((x - p[0]) * ex + (y - p[1]) * ey) / length if length > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    u, v = p[0] + t * ex, p[1] + t * ey
    return (x - u) * (x - u) + (y - v) * (y - v), u, v


@kernel
def nearest_in_face(corners, x, y):
    """Return the point (x, y) of a convex face with four corners, in order, nearest to a point; corners may coincide."""
    positive, negative, area = True, True, 0.0
    for i in range(4):
        p, q = corners[i], corners[(i + 1) % 4]
        side = (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
        positive, negative = positive and side >= 0.0, negative and side <= 0.0
        area += p[0] * q[1] - p[1] * q[0]
    if area != 0.0 and (positive or negative):
        return x, y
    best, u, v = _nearest_on_edge(corners[0], corners[1], x, y)
    for i in range(1, 4):
        squared, s, t = _nearest_on_edge(corners[i], corners[(i + 1) % 4], x, y)
        if squared < best:
            best, u, v = squared, s, t
    return u, v


@inline
def _plane_of(corners):
    """Return (x, y, height, slope along x, slope along y) of the plane through the corners, level along directions without extent."""
    x = 0.25 * (corners[0, 0] + corners[1, 0] + corners[2, 0] + corners[3, 0])
    y = 0.25 * (corners[0, 1] + corners[1, 1] + corners[2, 1] + corners[3, 1])
    z = 0.25 * (corners[0, 2] + corners[1, 2] + corners[2, 2] + corners[3, 2])
    xx = yy = xy = xz = yz = 0.0
    for i in range(4):
        u, v, w = corners[i, 0] - x, corners[i, 1] - y, corners[i, 2] - z
        xx, yy, xy, xz, yz = xx + u * u, yy + v * v, xy + u * v, xz + u * w, yz + v * w
    small = 1e-9 + 1e-6 * (xx + yy)
    xx, yy = xx + small, yy + small
    determinant = xx * yy - xy * xy
    return x, y, z, (xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant


@inline
def contact_point(a, b, n, w, elastic, corners, patch):
    """Return (x, y, z, area [m2]): the point where the resultant force acts, and the area of the patch.

    Parameters
    ----------
    a, b : records of CONVEX, overlapping
    n : contact normal, from b to a
    w : angular velocity of a relative to b [rad/s], in W
    elastic : elastic deflection [m]
    corners, patch : (2, 4, 3) and (2, PATCH, 3) scratch
    """
    _find_corners(a, n, -1.0, corners[0])
    _find_corners(b, n, 1.0, corners[1])
    low, high = _plane_of(corners[0]), _plane_of(corners[1])
    count = common_area(corners, patch)
    area = _area(patch[0], count) if count > 2 else 0.0
    if area < SMALLEST:
        count = 8
        for i in range(8):
            own = i // 4
            patch[0, i, 0], patch[0, i, 1] = nearest_in_face(corners[1 - own], corners[own, i % 4, 0], corners[own, i % 4, 1])
    t, c = tangents(n)
    lean = cross(n, w)
    deepest = -math.inf
    for i in range(count):
        x, y = patch[0, i, 0], patch[0, i, 1]
        patch[0, i, 2] = _height(high, x, y) - _height(low, x, y) - AHEAD * (x * dot(lean, t) + y * dot(lean, c))
        deepest = max(deepest, patch[0, i, 2])
    for i in range(count):
        patch[0, i, 2] += elastic + LAYER - deepest
    if area >= SMALLEST:
        count = _under_pressure(patch, count)
        x, y = _center_of_area(patch[1], count)
    else:
        x, y = _center_of_points(patch[0], count)
    r = add_scaled(combine(x, t, y, c), 0.5 * (_height(low, x, y) + _height(high, x, y)), n)
    return r[0], r[1], r[2], area


@inline
def _height(plane, x, y):
    """Return the height of a plane of `_plane_of` at (x, y)."""
    return plane[2] + plane[3] * (x - plane[0]) + plane[4] * (y - plane[1])


@inline
def _under_pressure(patch, count):
    """Write the part of the polygon patch[0] (x, y, pressure) where the pressure is positive to patch[1]; return its number of vertices."""
    old, new, kept = patch[0], patch[1], 0
    for k in range(count):
        u, v = old[k], old[(k + 1) % count]
        if u[2] >= 0.0 and kept < PATCH:
            for j in range(3):
                new[kept, j] = u[j]
            kept += 1
        if u[2] * v[2] < 0.0 and kept < PATCH:
            r = u[2] / (u[2] - v[2])
            for j in range(3):
                new[kept, j] = u[j] + r * (v[j] - u[j])
            kept += 1
    return kept


@inline
def _center_of_points(patch, count):
    """Return the mean (x, y) of points (x, y, weight)."""
    total = x = y = 0.0
    for i in range(count):
        weight = max(patch[i, 2], 0.0)
        total, x, y = total + weight, x + weight * patch[i, 0], y + weight * patch[i, 1]
    return x / total, y / total


@inline
def _center_of_area(patch, count):
    """Return the center (x, y) of the pressure on a polygon, linear between its vertices (x, y, pressure)."""
    total = x = y = 0.0
    for k in range(1, count - 1):
        size = abs(_twice_the_triangle(patch, k))
        pressure = patch[0, 2] + patch[k, 2] + patch[k + 1, 2]
        total += 4.0 * size * pressure
        for j in (0, k, k + 1):
            x += size * (patch[j, 2] + pressure) * patch[j, 0]
            y += size * (patch[j, 2] + pressure) * patch[j, 1]
    if total <= 0.0:  # a polygon without area
        return _center_of_points(patch, count)
    return x / total, y / total
