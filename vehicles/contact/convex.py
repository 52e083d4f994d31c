"""Distance and overlap of two convex bodies.

A body is a record of CONVEX. Bodies with a radius (ball, segment) consist of a core, a point or a line, and the radius around it; the
distance is that of the cores less the radii. `core_support` is the farthest point of the core in a direction.

For a unit normal n from body B to body A, the overlap along n is

    overlap(n) = max over B of b . n  -  min over A of a . n

the distance by which A must move along n to be free of B. Apart, the normal of the shortest distance is unique. While the bodies overlap,
`track_normal` follows the local minimum of overlap(n) next to the normal of the step before: it moves A along n until the cores are just
apart, takes the normal of the shortest distance there [Gilbert, Johnson, Keerthi 1988], and repeats. The overlap never grows from one
normal to the next: with A moved by s along n, the distance d and the new normal n' have overlap(n') = s n . n' - d <= s - d <= overlap(n).
A thin body deep inside another one therefore keeps its side: the normal cannot flip, and nothing tunnels.
"""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import rotated, unrotated
from simulator.base.algebra.vectors import add, add_scaled, cross, dot, scale, sub, vector
from simulator.base.jit import inline, kernel
from vehicles.contact.records import BALL, CYLINDER_Z, POINTS, SEGMENT_Z

CLEAR = 0.02
"""m. Distance of the cores to which `track_normal` moves overlapping bodies apart."""
MAX_ITERATIONS = 48
TOLERANCE = 1e-12
"""Relative tolerance of the squared distance."""
TOUCHING = 1e-9
"""m. Cores closer than this count as overlapping."""
MAX_TURNS = 8
"""Maximum number of normals in one call of `track_normal`."""


@inline
def core_radius(c):
    """Return the radius around the core of a body (record of CONVEX)."""
    return c[0]["size"][0] if c[0]["kind"] == BALL or c[0]["kind"] == SEGMENT_Z else 0.0


@kernel
def core_support(c, x, y, z):
    """Return the point of the core farthest in the direction (x, y, z)."""
    q = c[0]
    d = unrotated(q["R"], (x, y, z))
    p = (0.0, 0.0, 0.0)
    if q["kind"] == POINTS:
        best, at = -math.inf, 0
        for i in range(q["count"]):
            reach = q["points"][i, 0] * d[0] + q["points"][i, 1] * d[1] + q["points"][i, 2] * d[2]
            if reach > best:
                best, at = reach, i
        p = vector(q["points"][at])
    elif q["kind"] == CYLINDER_Z:
        across = math.sqrt(d[0] * d[0] + d[1] * d[1])
        r = q["size"][0] / across if across > 0.0 else 0.0
        p = (r * d[0], r * d[1], math.copysign(q["size"][1], d[2]))
    elif q["kind"] == SEGMENT_Z:
        p = (0.0, 0.0, math.copysign(q["size"][1], d[2]))
    return add(vector(q["center"]), rotated(q["R"], p))


@inline
def core_overlap(a, b, n):
    """Return the overlap of the cores along the unit normal n; negative: distance."""
    return dot(core_support(b, n[0], n[1], n[2]), n) - dot(core_support(a, -n[0], -n[1], -n[2]), n)


@kernel
def core_distance(a, b, nx, ny, nz, s, simplex):
    """Return (distance [m], unit normal from B to A) of the cores after A has moved by s along n; distance 0: they overlap.

    simplex : (4, 3) scratch
    """
    shift = scale(s, (nx, ny, nz))
    v = add(sub(vector(a[0]["center"]), vector(b[0]["center"])), shift)
    if dot(v, v) == 0.0:
        v = (nx, ny, nz)
    count = 0
    squared = math.inf
    for _ in range(MAX_ITERATIONS):
        w = sub(core_support(a, -v[0], -v[1], -v[2]), core_support(b, v[0], v[1], v[2]))
        w = add(w, shift)
        if count > 0 and squared - dot(v, w) <= TOLERANCE * squared:
            break
        for j in range(3):
            simplex[count, j] = w[j]
        count, x, y, z = nearest_point(simplex, count + 1)
        v = (x, y, z)
        now = dot(v, v)
        if now <= TOUCHING * TOUCHING:
            return 0.0, nx, ny, nz
        if now >= squared:
            break  # no progress beyond the rounding errors
        squared = now
    length = math.sqrt(dot(v, v))
    return length, v[0] / length, v[1] / length, v[2] / length


@inline
def track_normal(a, b, n, simplex):
    """Return (overlap [m], unit normal), the local minimum of the overlap next to the unit normal n."""
    radii = core_radius(a) + core_radius(b)
    overlap = core_overlap(a, b, n)
    for _ in range(MAX_TURNS):
        length, x, y, z = core_distance(a, b, n[0], n[1], n[2], max(overlap + CLEAR, 0.0), simplex)
        if length == 0.0:
            break
        new = core_overlap(a, b, (x, y, z))
        if new >= overlap - 1e-9 and overlap > -CLEAR:
            break
        turned = 1.0 - dot(n, (x, y, z))
        overlap, n = new, (x, y, z)
        if turned < 1e-12:
            break
    return overlap + radii, n


@inline
def _keep(simplex, i, j, k, count):
    """Move the rows i, j, k of the simplex to the front. Return count."""
    p, q, r = vector(simplex[i]), vector(simplex[j]), vector(simplex[k])
    for m in range(3):
        simplex[0, m] = p[m]
        simplex[1, m] = q[m]
        simplex[2, m] = r[m]
    return count


@inline
def _nearest_on_line(simplex):
    """Return (rows kept, point) nearest to the origin on the line of rows 0 and 1."""
    p, q = vector(simplex[0]), vector(simplex[1])
    e = sub(q, p)
    t = -dot(p, e)
    length = dot(e, e)
    if t <= 0.0 or length == 0.0:
        return 1, p
    if t >= length:
        return _keep(simplex, 1, 1, 1, 1), q
    return 2, add_scaled(p, t / length, e)


@inline
def _nearest_on_triangle(simplex):
    """Return (rows kept, point) nearest to the origin on the triangle of rows 0, 1 and 2 [Ericson, Real-Time Collision Detection, 5.1.5]."""
    p, q, r = vector(simplex[0]), vector(simplex[1]), vector(simplex[2])
    e, f = sub(q, p), sub(r, p)
    d1, d2 = -dot(e, p), -dot(f, p)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1, p
    d3, d4 = -dot(e, q), -dot(f, q)
    if d3 >= 0.0 and d4 <= d3:
        return _keep(simplex, 1, 1, 1, 1), q
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 > d3:
        return 2, add_scaled(p, d1 / (d1 - d3), e)
    d5, d6 = -dot(e, r), -dot(f, r)
    if d6 >= 0.0 and d5 <= d6:
        return _keep(simplex, 2, 2, 2, 1), r
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 > d6:
        return _keep(simplex, 0, 2, 2, 2), add_scaled(p, d2 / (d2 - d6), f)
    va = d3 * d6 - d5 * d4
    a, b = d4 - d3, d5 - d6
    if va <= 0.0 and a >= 0.0 and b >= 0.0 and a + b > 0.0:
        return _keep(simplex, 1, 2, 2, 2), add_scaled(q, a / (a + b), sub(r, q))
    normal = cross(e, f)
    area = dot(normal, normal)
    if area == 0.0:
        return 2, p
    return 3, scale(dot(p, normal) / area, normal)


@kernel
def nearest_point(simplex, count):
    """Return (rows kept, x, y, z): the point of the simplex of `count` rows nearest to the origin, and the smallest face that has it."""
    if count == 1:
        return 1, simplex[0, 0], simplex[0, 1], simplex[0, 2]
    if count == 2:
        kept, v = _nearest_on_line(simplex)
        return kept, v[0], v[1], v[2]
    if count == 3:
        kept, v = _nearest_on_triangle(simplex)
        return kept, v[0], v[1], v[2]
    return _nearest_on_tetrahedron(simplex)


@inline
def _is_outside(p, q, r, s):
    """Return whether the origin and s are on different sides of the plane through p, q, r, or the four points are in one plane."""
    normal = cross(sub(q, p), sub(r, p))
    inner, outer = dot(sub(s, p), normal), -dot(p, normal)
    return inner * outer <= 0.0


@kernel
def _nearest_on_tetrahedron(simplex):
    """Return (rows kept, x, y, z) nearest to the origin on the tetrahedron; (4, 0, 0, 0) if it contains the origin."""
    p, q, r, s = vector(simplex[0]), vector(simplex[1]), vector(simplex[2]), vector(simplex[3])
    best, best_count, v = math.inf, 4, (0.0, 0.0, 0.0)
    u0, u1, u2 = p, q, r
    for face in range(4):
        i, j, k, m = p, q, r, s
        if face == 1:
            i, j, k, m = p, q, s, r
        elif face == 2:
            i, j, k, m = p, r, s, q
        elif face == 3:
            i, j, k, m = q, r, s, p
        if not _is_outside(i, j, k, m):
            continue
        for c in range(3):
            simplex[0, c] = i[c]
            simplex[1, c] = j[c]
            simplex[2, c] = k[c]
        count, point = _nearest_on_triangle(simplex)
        squared = dot(point, point)
        if squared < best:
            best, best_count, v = squared, count, point
            u0, u1, u2 = vector(simplex[0]), vector(simplex[1]), vector(simplex[2])
    for c in range(3):
        simplex[0, c] = u0[c]
        simplex[1, c] = u1[c]
        simplex[2, c] = u2[c]
    return best_count, v[0], v[1], v[2]


@kernel
def first_normal(a, b):
    """Return the unit normal with the smallest overlap among the axes of both bodies and the normal of a triangle.

    For bodies that overlap when they are first seen, where no normal is known.
    """
    best, n = math.inf, (0.0, 0.0, 1.0)
    for k in range(14):
        sign = -1.0 if k % 2 else 1.0
        axis = (k // 2) % 3
        d = (0.0, 0.0, 0.0)
        if k < 6:
            d = (sign * a[0]["R"][0, axis], sign * a[0]["R"][1, axis], sign * a[0]["R"][2, axis])
        elif k < 12:
            d = (sign * b[0]["R"][0, axis], sign * b[0]["R"][1, axis], sign * b[0]["R"][2, axis])
        elif b[0]["kind"] == POINTS and b[0]["count"] == 3:
            p = vector(b[0]["points"][0])
            d = rotated(b[0]["R"], cross(sub(vector(b[0]["points"][1]), p), sub(vector(b[0]["points"][2]), p)))
            length = math.sqrt(dot(d, d))
            d = scale(sign / length, d) if length > 0.0 else (0.0, 0.0, 0.0)
        if dot(d, d) > 0.5:
            overlap = core_overlap(a, b, d)
            if overlap < best:
                best, n = overlap, d
    return n
