"""Enveloping contact: the tire is loaded by all ground inside its unloaded disc, for every tire model.

In the wheel plane the ground of the wheel's terrain cache is a polyline. For the part of it within the unloaded radius R of the
wheel center K, closer by p = R - rho, the measure is

    I = int q^3 ds,    q = R^2 - rho^2    (about 2 R p),                                                  (1)

with s the length along the ground and rho the distance from K. On a plane at the distance h from K, it is

    I = 32/35 Q^(7/2),    Q = R^2 - h^2,                                                                  (2)

so the *equivalent depth* of any ground is d = R - sqrt(R^2 - Q) with Q of (2): that of the plane with an equal measure. Its gradient with
respect to the position of the wheel center is

    grad d = grad I / (32/5 h Q^(5/2)),    grad I = 6 int q^2 (x - K) ds.                                   (3)

The force of the tire derives from one energy U(d), with U' = F its radial force: F grad d. So no closed path of the wheel over any ground
gains energy. On a plane grad d is the unit vector into it, and depth, normal and force are those of `contact.touch`. All further
computations see a contact with a plane: its normal is -grad d, its depth that at which the tire spring gives F(d) |grad d|.

The rim is a second disc, whose radius is that at which the tire bottoms. Ground that reaches it adds the force c (R_rim - h_rim) grad, by
(1) to (3) with that radius, to the tire's F grad d. The rim has its own energy. On a plane it equals a spring that begins at that depth. An
edge contacts the metal long before d reaches this depth.

Reason for q^3. A plain area (the measure of Sui and Hirshey 1999, also used in Project Chrono) lets an edge penetrate the tire deeply
without load: 7 mm for 1 mm of depth on a plane. The larger the power, the closer d comes to the maximum p, with which the hub follows the
dilation of the ground by the disc, and the less do separate contacts add up. With q^3 an edge of 90 degrees is 2.5 mm deep at d = 1 mm and
56 mm at 35 mm, where it carries two fifths of the load of a plane. With any power, ground that enters the disc contributes with p^2 and
more: forces are smooth over any ground without gaps, and along a straight segment (1) and (3) are polynomials (`powers`).

Across the width, one plane is in the middle. Close to possibly sharp ground there is also a plane at each edge, each with up to a third of
the mean of I. The planes are shifted along the large-scale lateral slope of the ground (`terrain_cache.lateral_slope`), so that a level or
tilted plane is identical for all three, and `contact.meet` handles the effect of camber on the width. The lateral component of grad I comes
from the change of the segments when the planes are shifted sideways: the effect of a curb on the side wall.
"""

from __future__ import annotations

import math

from simulator.base.algebra.exponential import exponential, logarithm
from simulator.base.jit import inline, kernel
from terrain.features.shapes import smooth_step
from terrain.ground import soil_under
from vehicles.tires.contact import meet, touch, touch_here, upright_of
from vehicles.tires.terrain_cache import (
    BEYOND,
    DIAGONAL,
    LANES,
    find_rise,
    is_sharp,
    lateral_slope,
    refresh_cache,
    side_fraction,
    trace,
    trace_sharp,
)

FLAT_MIN = 0.2
"""Minimum cosine of the axle's angle to the ground, approximately, and to the horizontal; a wheel that lies flatter has a one-point
contact."""

MIN_MEASURE = 1e-60
"""m^7. Minimum measure of a contact, of 1e-17 m; its square is still representable."""

MAX_DEPTH = 1.0 - 1e-6
"""Maximum Q over R^2: the wheel center is a thousandth of the radius above a plane."""

RIM_NEAR = 0.3
"""Equivalent depth, over the distance to the rim, above which the rim is evaluated. Ground that reaches it in one of three planes, even a
thin sheet, gives 0.4 by its sides alone."""

GAP_MAX = 0.25
"""Gap over radius above which the ground below the wheel is used."""

THIRD, SIXTH = 1.0 / 3.0, 1.0 / 6.0

FULL_MEASURE = 32.0 / 35.0


@inline
def find_contact(p, s, i, ground, under, windows, wheel, out):
    """Compute the contact of wheel i in the mode of its tire: `envelop`, or one-point `contact.touch`, which on a plane is identical to
    rounding."""
    if p[0]["contact_grid_spacing"] > 0.0 and ground.p[0]["steepest"] > 0.0:
        envelop(p, s, i, ground, under, windows, wheel, out)
    else:
        touch_here(p, s, i, ground, under, wheel, out)


@kernel
def find_contacts(p, s, ground, under, windows, wheel, out, first, count):
    """Run `find_contact` for `count` wheels from the first one on, in one call: a call that passes a ground takes as long as a contact.

    p, s, under, windows, wheel, out : (n,) records of all wheels
    """
    for i in range(first, first + count):
        find_contact(p[i : i + 1], s, i, ground, under[i : i + 1], windows, wheel, out)


@kernel
def envelop(p, s, i, ground, under, windows, wheel, out):
    """Compute the contact of wheel i over all ground inside its disc: as `contact.touch`, with its terrain cache, a record of
    TERRAIN_CACHE."""
    K, a, R = wheel[i]["p_WK"], wheel[i]["a_W"], p[0]["radius"]
    level = math.sqrt(a[0] * a[0] + a[1] * a[1])
    if not (abs(K[0]) < BEYOND and abs(K[1]) < BEYOND and abs(K[2]) < BEYOND and level > FLAT_MIN):
        touch(p, s, i, ground, under, wheel, out)
        return
    w, spacing = windows[i], p[0]["contact_grid_spacing"]
    refresh_cache(w, ground)
    hx, hy, az = a[1] / level, -a[0] / level, a[2]  # heading, level
    half = 0.5 * (p[0]["bearing_width"] if p[0]["bearing_width"] > 0.0 else p[0]["width"])
    x, y = K[0] - R * az * hy, K[1] + R * az * hx  # below the wheel, where its plane would intersect level ground
    m = lateral_slope(w, ground, spacing, x, y, (hx, hy), half)
    drop = level + m * az
    if not drop > FLAT_MIN:
        touch(p, s, i, ground, under, wheel, out)
        return
    side = side_fraction(ground, x, y) / 3.0
    w["rise"], near = -1.0, (side > 0.0, x, y, R + half + 2.0 * spacing)
    at, across = (x, y, K[2] + R * az * m), (m, half, side)
    overlap = overlap_of_tire(w, ground, spacing, at, (hx, hy), (R, level, az, drop), across, near)
    measure, along, down, _ = overlap
    if measure > MIN_MEASURE and not down > 0.0:  # the wheel center is below the ground
        touch(p, s, i, ground, under, wheel, out)
        return
    if measure > MIN_MEASURE:
        d, (g0, g1, g2) = depth_and_gradient(overlap, R)
        total = spring = spring_of(p, d)
        if d > RIM_NEAR * (R - p[0]["bottoming_radius"]):
            rim, f0, f1, f2 = force_of_rim(p, w, ground, at, (hx, hy), (level, az, drop), across, near)
            if rim > 0.0:
                total = spring + rim
                g0, g1, g2 = (spring * g0 + f0) / total, (spring * g1 + f1) / total, (spring * g2 + f2) / total
                along, down = g0, g1
        steep, in_plane = math.sqrt(g0 * g0 + g1 * g1 + g2 * g2), math.sqrt(along * along + down * down)
        gradient, ex, ez = (g0 / steep, g1 / steep, g2 / steep), along / in_plane, down / in_plane
        tilt = lean_of(ex, ez, (level, az), m)
        t = R - depth_of(p, steep * upright_of(tilt) * total)
    else:
        t, ex, ez = closest_point(w, ground, spacing, K, (hx, hy), (R, level, az, drop), across)
        if not 0.0 < t < (1.0 + GAP_MAX) * R:
            touch(p, s, i, ground, under, wheel, out)
            if not (out[i]["depth"] > 0.0 and t > 0.0):
                return  # otherwise the ground is a steep slope far below, whose plane reaches the wheel
        tilt = lean_of(ex, ez, (level, az), m)
        cosine = math.sqrt(1.0 - tilt * tilt)
        gradient, steep = (ex * cosine, ez * cosine, -tilt), 1.0 / upright_of(tilt)
    set_directions(i, wheel, out, (ex, ez), (hx, hy, level), gradient)
    read_soil_below(i, ground, under, wheel, out, R)
    lean = -gradient[2]
    meet(p, s, i, wheel, out, t, (lean, 1.0 / upright_of(lean)), (tilt, 1.0 / upright_of(tilt), steep))


@inline
def square_of_chord(measure, R):
    """Return Q [m2] of (2) for a measure [m7] above 0, at most MAX_DEPTH R^2."""
    return min(exponential(2.0 / 7.0 * logarithm(measure / FULL_MEASURE)), MAX_DEPTH * R * R)


@inline
def depth_and_gradient(overlap, R):
    """Return the equivalent depth [m] of an `overlap_of_tire` with a disc of radius R [m], and its gradient along heading, down in the
    wheel plane and along the axle."""
    measure, along, down, lateral = overlap
    Q = square_of_chord(measure, R)
    h = math.sqrt(R * R - Q)
    if Q < MAX_DEPTH * R * R:
        per = 1.0 / (7.0 * FULL_MEASURE * h * Q * Q * math.sqrt(Q))
    else:
        per = 1.0 / math.sqrt(along * along + down * down)
    return Q / (R + h), (per * along, per * down, per * lateral)


@inline
def set_directions(i, wheel, out, e, heading, gradient):
    """Set radius and normal in world axes: e (along, down) in the wheel plane, direction of the gradient (along, down, along the axle)."""
    a, o = wheel[i]["a_W"], out[i]
    hx, hy, level = heading
    d0, d1, d2 = -a[2] * hy, a[2] * hx, -level  # down in the wheel plane, axle x heading
    o["e_W"][0], o["e_W"][1], o["e_W"][2] = e[0] * hx + e[1] * d0, e[0] * hy + e[1] * d1, e[1] * d2
    u, v, w = gradient
    o["n_W"][0] = -(u * hx + v * d0 + w * a[0])
    o["n_W"][1] = -(u * hy + v * d1 + w * a[1])
    o["n_W"][2] = -(v * d2 + w * a[2])


@inline
def lean_of(ex, ez, axle, m):
    """Return n . a of the plane through the line across e in the wheel plane with the lateral slope m; `axle` is (level component,
    rise)."""
    level, az = axle
    # in axes heading, down, axle the line is (ez, -ex, 0), the lateral tangent (0, az - m level, level + m az)
    q, r = az - m * level, level + m * az
    n0, n1, n2 = -ex * r, -ez * r, ez * q
    length = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    return min(max((n2 if r > 0.0 else -n2) / length, -1.0), 1.0)


@inline
def read_soil_below(i, ground, under, wheel, out, R):
    """Read the soil in the direction of the radius."""
    K, o = wheel[i]["p_WK"], out[i]
    x, y = K[0] + R * o["e_W"][0], K[1] + R * o["e_W"][1]
    soil_under(ground.p, ground.hardness, ground.soil_ids, ground.soils, x, y, under)
    o["hardness"] = under[0]["hardness"]


@inline
def spring_of(p, d):
    """Return the force [N] of the tire without its rim at the depth d [m] of a plane."""
    return (p[0]["stiffness"] + p[0]["stiffness_growth"] * d) * d


@kernel
def force_of_rim(p, w, ground, at, heading, axle, across, near):
    """Return the force [N] of the rim spring and its components along heading, down in the wheel plane and along the axle, for ground that
    reaches the rim; arguments as in `overlap_of_tire`, `axle` contains the values after the radius in `disc`."""
    R = p[0]["bottoming_radius"]
    measure, along, down, lateral = overlap_of_tire(w, ground, p[0]["contact_grid_spacing"], at, heading, (R, *axle), across, near)
    if not (measure > MIN_MEASURE and down > 0.0):
        return 0.0, 0.0, 0.0, 0.0
    Q = square_of_chord(measure, R)
    h = math.sqrt(R * R - Q)
    force = p[0]["bottoming_stiffness"] * Q / (R + h)
    if Q < MAX_DEPTH * R * R:
        per = force / (7.0 * FULL_MEASURE * h * Q * Q * math.sqrt(Q))
    else:
        per = force / math.sqrt(along * along + down * down)
    return force, per * along, per * down, per * lateral


@inline
def depth_of(p, force):
    """Return the depth [m] at which tire spring and rim give a force [N] on a plane."""
    c1, c2, rim = p[0]["stiffness"], p[0]["stiffness_growth"], p[0]["bottoming_stiffness"]
    to_rim = p[0]["radius"] - p[0]["bottoming_radius"]
    if force > (c1 + c2 * to_rim) * to_rim:
        c1, force = c1 + rim, force + rim * to_rim
    return 2.0 * force / (c1 + math.sqrt(c1 * c1 + 4.0 * c2 * force))


@inline
def overlap_of_tire(w, ground, s, at, heading, disc, across, near):
    """Return the weighted sum of `overlap` over all planes of a disc.

    Parameters
    ----------
    at : (x, y, z) [m] below the wheel, where its plane meets the lateral slope
    across : lateral slope, half the distance [m] of the outer planes, and the weight of each
    near : as in `overlap_of_plane`
    """
    x, y, top = at
    hx, hy = heading
    m, half, side = across
    measure = along = down = lateral = 0.0
    for n in range(3 if side > 0.0 else 1):
        off, weight = (0.0, 1.0 - 2.0 * side) if n == 0 else ((half if n == 1 else -half), side)
        A, B, C, D = overlap_of_plane(w, ground, s, (x - off * hy, y + off * hx), heading, disc, top + off * m, near)
        measure, along, down, lateral = measure + weight * A, along + weight * B, down + weight * C, lateral + weight * D
    return measure, along, down, lateral


@inline
def overlap_of_plane(w, ground, s, at, heading, disc, top, near):
    """Return `overlap` of one plane, which passes the point `at` with a level heading: by the grid lines across the closer axis, close to
    the diagonal by both axes. `near`: whether sharp ground may be close, and position and reach for `terrain_cache.find_rise`."""
    x, y = at
    hx, hy = heading
    weight = smooth_step(0.5 + 0.5 * (abs(hx) - abs(hy)) / DIAGONAL)[0]
    A = B = C = D = 0.0
    if weight > 0.0:
        A, B, C, D = overlap_of_line(w, ground, s, 0, (x, y, hx, hy), disc, top, near)
    if weight < 1.0:
        E, F, G, H = overlap_of_line(w, ground, s, 1, (y, x, hy, hx), disc, top, near)
        A, B, C, D = E + weight * (A - E), F + weight * (B - F), G + weight * (C - G), H + weight * (D - H)
    return A, B, C, D


@inline
def overlap_of_line(w, ground, s, axis, plane, disc, top, near):
    """Return `overlap` of the line of one plane by the grid lines across an axis; see `trace`."""
    count = trace(w, ground, s, axis, plane, disc[0])
    if near[0] and is_sharp(w, ground, s, axis, plane, disc[0]):
        rise = find_rise(w, ground, s, near[1], near[2], near[3])
        count = trace_sharp(w, ground, s, axis, plane, disc[0], (top, rise, disc[3]))
    slide = plane[3] / plane[2]
    return overlap(w, count, disc, top, slide if axis == 0 else -slide)


@kernel
def overlap(w, count, disc, top, slide):
    """Return (I [m^7], its derivatives [m^6] with respect to the position of the disc along heading, down in its plane and along the axle)
    of the line.

    Parameters
    ----------
    disc : radius [m], level component and rise of the axle, and decrease of the ground height relative to the wheel center per distance
        down the disc
    top : height [m]; a point of the line at the height z is (top - z) / disc[3] down the disc
    slide : displacement of the points along the line per displacement of the line to the left
    """
    R, level, az, drop = disc
    per, RR = 1.0 / drop, R * R
    first, pieces = touching(w, count, RR, top, per)
    extend_down(w, count, R, top, drop)
    u, z, rate, part = w["u"][first:], w["z"][first:], w["rate"][first:], w["part"]
    for n in range(pieces):  # vectorized: no branches, no sums
        u0, r0 = u[n], (top - z[n]) * per
        u1, r1 = u[n + 1], (top - z[n + 1]) * per
        du, dr = u1 - u0, r1 - r0
        q0 = RR - u0 * u0 - r0 * r0
        b, vv = -(u0 * du + r0 * dr), du * du + dr * dr
        root = math.sqrt(max(b * b + q0 * vv, 0.0))
        per_vv = 1.0 / vv
        low = min(max((b - root) * per_vv, 0.0), 1.0)
        width = max(min((b + root) * per_vv, 1.0) - low, 0.0)  # the fraction of the segment inside the disc
        # rate at which the ends of the segment move down the disc as it moves along its axle
        sink = (az - level * rate[n]) * per
        more = (az - level * rate[n + 1]) * per - sink
        q1 = max(q0 + (low + width) * (2.0 * b - (low + width) * vv), 0.0)
        q0 = max(q0 + low * (2.0 * b - low * vv), 0.0)
        stretch = dr * more * per_vv  # relative rate of change of the segment length
        u0, r0, sink = u0 + low * du, r0 + low * dr, sink + low * more
        du, dr, more, vv = width * du, width * dr, width * more, width * width * vv
        length = math.sqrt(vv)
        cube, f0, f1, f2 = powers(q0, q1, vv)
        su, sr = u0 * f0 + du * f1, r0 * f0 + dr * f1
        part[0, n] = length * cube
        part[1, n] = length * su
        part[2, n] = length * sr
        part[3, n] = length * (stretch * cube - 6.0 * (level * slide * su + sink * sr + more * (r0 * f1 + dr * f2)))
    measure = along = down = lateral = 0.0
    for n in range(pieces):
        measure, along, down, lateral = measure + part[0, n], along + part[1, n], down + part[2, n], lateral + part[3, n]
    return measure, 6.0 * along, 6.0 * down, lateral


@inline
def touching(w, count, RR, top, per):
    """Return (first segment of a line that may be inside the disc, number of segments up to the last such one): a multiple of LANES, or
    none.

    A segment whose ends are farther from the wheel center than sqrt(RR + length^2 / 4) is outside.
    """
    reach = w["part"][0]
    for n in range(count - 1):
        u0, r0 = w["u"][n], (top - w["z"][n]) * per
        u1, r1 = w["u"][n + 1], (top - w["z"][n + 1]) * per
        reach[n] = RR - min(u0 * u0 + r0 * r0, u1 * u1 + r1 * r1) + 0.25 * ((u1 - u0) * (u1 - u0) + (r1 - r0) * (r1 - r0))
    first, end = 0, count - 1
    while first < end and reach[first] < 0.0:
        first += 1
    while first < end and reach[end - 1] < 0.0:
        end -= 1
    return first, (end - first + LANES - 1) // LANES * LANES


@inline
def extend_down(w, count, R, top, drop):
    """Extend a line of `count` points, the last of which is outside the disc, straight down by LANES points."""
    u, z = (w["u"][count - 1], w["z"][count - 1]) if count > 0 else (2.0 * R, top)
    for n in range(count, count + LANES):
        z -= R * drop
        w["u"][n], w["z"][n], w["rate"][n] = u, z, 0.0


@inline
def powers(q0, q1, v):
    """Return the integrals of q^3, q^2, q^2 t and q^2 t^2 over t from 0 to 1, for q = q0 (1 - t) + q1 t + v t (1 - t) with all values >=
    0."""
    a, b, c = q0 * q0, q1 * q1, q0 * q1
    f0 = THIRD * (a + b + c) + v * (SIXTH * (q0 + q1) + v * (SIXTH / 5.0))
    f1 = 0.5 * SIXTH * a + 0.25 * b + SIXTH * c + v * (q0 * (THIRD / 5.0) + 0.1 * q1 + v * (SIXTH / 10.0))
    f2 = 0.1 * (THIRD * a + 2.0 * b + c) + v * (q0 * (THIRD / 10.0) + q1 * (THIRD / 5.0) + v * (THIRD / 35.0))
    return q0 * (f0 - f1) + q1 * f1 + v * (f1 - f2), f0, f1, f2


@kernel
def closest_point(w, ground, s, hub, heading, disc, across):
    """Return (distance [m], its direction along the heading and down in the wheel plane) of the ground closest to the wheel center, in the
    closest of its planes, for a wheel whose disc no ground reaches.

    R - distance is then the depth, negative: the limit of `overlap` at first contact.

    Parameters
    ----------
    hub : (3,) wheel center in W [m]
    heading, disc, across : as in `overlap_of_tire`
    """
    hx, hy = heading
    R, _, az, drop = disc
    m, half, side = across
    x, y = hub[0] - R * az * hy, hub[1] + R * az * hx
    best, ex, ez = 1e300, 0.0, 1.0
    for n in range(3 if side > 0.0 else 1):
        off = 0.0 if n == 0 else (half if n == 1 else -half)
        px, py, top = x - off * hy, y + off * hx, hub[2] + (off + R * az) * m
        for axis in range(2):
            along = abs(hx) - abs(hy)
            if (along if axis == 0 else -along) > -DIAGONAL:
                plane = (px, py, hx, hy) if axis == 0 else (py, px, hy, hx)
                count = trace(w, ground, s, axis, plane, R)
                if side > 0.0 and is_sharp(w, ground, s, axis, plane, R):
                    count = trace_sharp(w, ground, s, axis, plane, R, (top, 0.0, 0.0))
                near, u, r = nearest(w, count, top, drop)
                if near < best:
                    best, ex, ez = near, u, r
    t = math.sqrt(best)
    return t, ex / t, ez / t


@kernel
def nearest(w, count, top, drop):
    """Return (square of the distance [m2], u, r [m]) of the point of the line closest to the wheel center; arguments as in `overlap`."""
    best, at_u, at_r, per = 1e300, 0.0, 0.0, 1.0 / drop
    for n in range(1, count):
        u, r = w["u"][n - 1], (top - w["z"][n - 1]) * per
        du, dr = w["u"][n] - u, (top - w["z"][n]) * per - r
        t = min(max(-(u * du + r * dr) / (du * du + dr * dr), 0.0), 1.0)
        u, r = u + t * du, r + t * dr
        if u * u + r * r < best:
            best, at_u, at_r = u * u + r * r, u, r
    return best, at_u, at_r
