"""Intersection of a ray with the shapes of objects, in frame O of the object.

A ray is p + t d with a unit vector d; `ray` is (x, y, z of p, x, y, z of d). Convex shapes give an interval of t; the hit is its start, or its end
for a ray that starts inside. Meshes give the first triangle. All functions return t = inf without a hit at 0 < t <= end.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.records import BOX, CYLINDER, HULL, MESH, NODE_TYPE, TRIANGLE_TYPE

EDGE = 1e-12
"""Fraction by which a triangle is larger, so that no ray passes between two triangles."""


@inline
def slab(p, d, low, high):
    """Return the interval of t in which low <= p + t d <= high."""
    if d == 0.0:
        return (-math.inf, math.inf) if low <= p <= high else (math.inf, -math.inf)
    a, b = (low - p) / d, (high - p) / d
    return min(a, b), max(a, b)


@inline
def _hit(first, last, end):
    """Return the start of an interval of t, or its end for a ray that starts inside; inf if this is not at 0 < t <= end."""
    if first > last:
        return math.inf
    t = first if first > 0.0 else last
    return t if 0.0 < t <= end else math.inf


@inline
def _box(o, ray, end, n):
    px, py, pz, dx, dy, dz = ray
    hx, hy, hz = o["size"][0], o["size"][1], o["size"][2]
    x0, x1 = slab(px, dx, -hx, hx)
    y0, y1 = slab(py, dy, -hy, hy)
    z0, z1 = slab(pz, dz, -hz, hz)
    first, last = max(x0, y0, z0), min(x1, y1, z1)
    t = _hit(first, last, end)
    if t < math.inf:
        k = 0 if (x0 if t == first else x1) == t else (1 if (y0 if t == first else y1) == t else 2)
        n[0] = n[1] = n[2] = 0.0
        n[k] = 1.0
    return t


@inline
def _ball(ray, radius):
    """Return the interval of t inside a sphere about the origin."""
    px, py, pz, dx, dy, dz = ray
    near = -(px * dx + py * dy + pz * dz)
    x, y, z = px + near * dx, py + near * dy, pz + near * dz
    rest = radius * radius - (x * x + y * y + z * z)
    if rest < 0.0:
        return math.inf, -math.inf
    half = math.sqrt(rest)
    return near - half, near + half


@inline
def _tube(px, py, dx, dy, radius):
    """Return the interval of t inside an endless cylinder about the z axis."""
    a = dx * dx + dy * dy
    if a == 0.0:
        return (-math.inf, math.inf) if px * px + py * py <= radius * radius else (math.inf, -math.inf)
    near = -(px * dx + py * dy) / a
    x, y = px + near * dx, py + near * dy
    rest = radius * radius - (x * x + y * y)
    if rest < 0.0:
        return math.inf, -math.inf
    half = math.sqrt(rest / a)
    return near - half, near + half


@inline
def _cylinder(o, ray, end, n):
    px, py, pz, dx, dy, dz = ray
    r0, r1 = _tube(px, py, dx, dy, o["size"][0])
    z0, z1 = slab(pz, dz, 0.0, 2.0 * o["size"][1])
    first = max(r0, z0)
    t = _hit(first, min(r1, z1), end)
    if t < math.inf:
        if (z0 if t == first else z1) == t:
            n[0], n[1], n[2] = 0.0, 0.0, 1.0
        else:
            n[0], n[1], n[2] = (px + t * dx) / o["size"][0], (py + t * dy) / o["size"][0], 0.0
    return t


@inline
def _round(o, ray, end, n):
    """A shape with round ends is convex, so the union of the intervals of its cylinder, if it has one, and its spheres is one interval."""
    px, py, pz, dx, dy, dz = ray
    r, half = o["size"][0], o["size"][1]
    first, last = _ball((px, py, pz + half, dx, dy, dz), r)
    if half > 0.0:
        a, b = _ball((px, py, pz - half, dx, dy, dz), r)
        first, last = min(first, a), max(last, b)
        r0, r1 = _tube(px, py, dx, dy, r)
        z0, z1 = slab(pz, dz, -half, half)
        a, b = max(r0, z0), min(r1, z1)
        if a <= b:
            first, last = min(first, a), max(last, b)
    t = _hit(first, last, end)
    if t < math.inf:
        z = pz + t * dz
        n[0], n[1], n[2] = (px + t * dx) / r, (py + t * dy) / r, (z - min(max(z, -half), half)) / r
    return t


@inline
def _hull(planes, rows, ray, end, n):
    """Planes: outward normal and offset; the hull is where normal . r + offset <= 0 for all of them."""
    px, py, pz, dx, dy, dz = ray
    first, last = -math.inf, math.inf
    entry = leave = rows[0]
    for k in range(rows[0], rows[1]):
        a, b, c = planes[k, 0], planes[k, 1], planes[k, 2]
        rate, above = a * dx + b * dy + c * dz, a * px + b * py + c * pz + planes[k, 3]
        if rate == 0.0:
            if above > 0.0:
                return math.inf
        elif rate < 0.0:
            if -above / rate > first:
                first, entry = -above / rate, k
        elif -above / rate < last:
            last, leave = -above / rate, k
    t = _hit(first, last, end)
    if t < math.inf:
        k = entry if t == first else leave
        n[0], n[1], n[2] = planes[k, 0], planes[k, 1], planes[k, 2]
    return t


@inline
def _triangle(k, ray, end):
    """Return t at a triangle, from both sides [Moeller and Trumbore 1997]."""
    px, py, pz, dx, dy, dz = ray
    ab, ac = k["ab"], k["ac"]
    hx, hy, hz = dy * ac[2] - dz * ac[1], dz * ac[0] - dx * ac[2], dx * ac[1] - dy * ac[0]
    volume = ab[0] * hx + ab[1] * hy + ab[2] * hz
    if volume == 0.0:
        return math.inf
    sx, sy, sz = px - k["a"][0], py - k["a"][1], pz - k["a"][2]
    u = (sx * hx + sy * hy + sz * hz) / volume
    if not -EDGE <= u <= 1.0 + EDGE:
        return math.inf
    qx, qy, qz = sy * ab[2] - sz * ab[1], sz * ab[0] - sx * ab[2], sx * ab[1] - sy * ab[0]
    v = (dx * qx + dy * qy + dz * qz) / volume
    if not (v >= -EDGE and u + v <= 1.0 + EDGE):
        return math.inf
    t = (ac[0] * qx + ac[1] * qy + ac[2] * qz) / volume
    return t if 0.0 < t <= end else math.inf


@inline
def _enters(node, ray, end):
    """Return t where a ray enters the bounding box of a node, inf if it misses it."""
    px, py, pz, dx, dy, dz = ray
    x0, x1 = slab(px, dx, node["low"][0], node["high"][0])
    y0, y1 = slab(py, dy, node["low"][1], node["high"][1])
    z0, z1 = slab(pz, dz, node["low"][2], node["high"][2])
    first, last = max(x0, y0, z0, 0.0), min(x1, y1, z1)
    slack = 1e-12 * (1.0 + abs(last))  # a flat box has no thickness
    return first if first <= min(last + slack, end) else math.inf


@kernel
def _mesh(w, o, ray, end, n, stack):
    """Go through the tree of a mesh, the nearer child first; `stack` int64 (DEEPEST + 1,) is scratch."""
    nodes = records_at(w[0]["nodes"], NODE_TYPE, o["first"] + o["count"])
    best = math.inf
    stack[0], used = o["first"], 1
    while used > 0:
        used -= 1
        node = nodes[stack[used]]
        if _enters(node, ray, min(end, best)) == math.inf:
            continue
        if node["count"] == 0:
            a = node["first"]
            to_a = _enters(nodes[a], ray, min(end, best))
            to_b = _enters(nodes[a + 1], ray, min(end, best))
            swap = to_b < to_a
            if max(to_a, to_b) < math.inf:
                stack[used] = a if swap else a + 1
                used += 1
            if min(to_a, to_b) < math.inf:
                stack[used] = a + 1 if swap else a
                used += 1
            continue
        triangles = records_at(w[0]["triangles"], TRIANGLE_TYPE, node["first"] + node["count"])
        for row in range(node["first"], node["first"] + node["count"]):
            k = triangles[row]
            t = _triangle(k, ray, min(end, best))
            if t < best:
                best = t
                n[0] = k["ab"][1] * k["ac"][2] - k["ab"][2] * k["ac"][1]
                n[1] = k["ab"][2] * k["ac"][0] - k["ab"][0] * k["ac"][2]
                n[2] = k["ab"][0] * k["ac"][1] - k["ab"][1] * k["ac"][0]
    return best


@kernel
def shape_hit(w, o, planes, rows, ray, end, n, stack):
    """Return t [m] of the hit of the object o (row of OBJECT), inf without one; n (3,) receives a normal in O, of any length and sign.

    `w` is the record of WORLD; `planes` and `rows` (first, last + 1) are the faces of a hull.
    """
    shape = o["shape"]
    if shape == BOX:
        return _box(o, ray, end, n)
    if shape == CYLINDER:
        return _cylinder(o, ray, end, n)
    if shape == HULL:
        return _hull(planes, rows, ray, end, n)
    if shape == MESH:
        return _mesh(w, o, ray, end, n, stack)
    return _round(o, ray, end, n)
