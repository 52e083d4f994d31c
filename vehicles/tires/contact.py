"""Contact of a wheel with a plane, and the contact frame C; on other ground, one point of a thin disc (`enveloping_contact` uses the full
disc).

The disc has the unloaded radius of the tire, lies in the wheel plane and meets the tangent plane of the ground below it. C is
exactly orthonormal: x the heading of the wheel in that plane, y to the left, z the normal.

A tire with a bearing width b is a row of such discs. With camber, one edge reaches `edge` = b/2 tan(camber) deeper than the middle, and the
opposite edge less deep by the same amount. As long as all discs touch, their mean depth is that of the middle. Otherwise the fraction sigma
of the width touches:

    mean depth = edge sigma^2,    rate sigma depth',    sigma = (depth + edge) / (2 edge) in 0..1

The force is thus the derivative of one energy with respect to the depth, and the moment (`moments.finish`) its derivative with respect to
the lean. The rate is that at constant lean: the damper, which gives no moment, then only dissipates energy.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.composite_height import footprint_height_and_normal
from terrain.ground import soil_under

UPRIGHT_MIN = 0.05
"""Minimum cosine of camber used as a divisor: a wheel within 3 degrees of lying flat has the contact of a wheel at 87 degrees."""

FULLY_HARD = 1.0 - 1e-6
"""Hardness above which the soil is left out; blended fractions of a road add up to one except for rounding."""


@kernel
def touch(p, s, i, ground, under, wheel, out):
    """Run `touch_here` as a kernel."""
    touch_here(p, s, i, ground, under, wheel, out)


@inline
def touch_here(p, s, i, ground, under, wheel, out):
    """Compute the contact of wheel i: frame, penetration, velocities into out[i]; the ground below it into `under` (record of `SOIL`).

        e = -(n - (n.a) a) / cos(camber)          radius that points to the ground, in the wheel plane
        t = -(p_WK - p_0) . n / (e . n)           distance along e to the plane through p_0 with the normal n
        depth = R0 - t - dent,    depth' = -v_C . n / cos(camber),    v_C = v_WK + w x (t e)

    w is the angular velocity of the carrier without its component about the axle, which belongs to the spin. The rate is exact on a plane,
    camber rate included. The ground is evaluated at the end of the radius of the last step (state `e_W`), which needs one evaluation; the
    plane found there is accurate enough for the few millimeters in between.
    `ground` is `terrain.ground.GroundArrays`.
    """
    k, o, n = wheel[i], out[i], out[i]["n_W"]
    K, a, old, R = k["p_WK"], k["a_W"], s[i]["e_W"], p[0]["radius"]

    # evaluate the ground in the direction of the last radius
    x, y = K[0] + R * old[0], K[1] + R * old[1]
    z = footprint_height_and_normal(ground, x, y, n)
    soil_under(ground.p, ground.hardness, ground.soil_ids, ground.soils, x, y, under)

    # intersect the radius with the plane there
    lean = min(max(n[0] * a[0] + n[1] * a[1] + n[2] * a[2], -1.0), 1.0)
    per = 1.0 / upright_of(lean)
    t = ((K[0] - x) * n[0] + (K[1] - y) * n[1] + (K[2] - z) * n[2]) * per
    for j in range(3):
        o["e_W"][j] = (lean * a[j] - n[j]) * per
    o["hardness"] = under[0]["hardness"]
    meet(p, s, i, wheel, out, t, (lean, per), (lean, per, per))


@inline
def meet(p, s, i, wheel, out, t, frame, tilt):
    """Compute the rest of out[i]: contact of wheel i with the plane of the normal out[i]["n_W"] that its radius out[i]["e_W"] meets after t [m].

    Parameters
    ----------
    frame : n . a, and 1 / cos of the angle whose sine it is
    tilt : these two values for the plane that counts for camber and for the edge of the width, and depth' / (-v_C . n)
    """
    k, o, e, n = wheel[i], out[i], out[i]["e_W"], out[i]["n_W"]
    K, a, R, per = k["p_WK"], k["a_W"], p[0]["radius"], frame[1]
    r0, r1, r2 = t * e[0], t * e[1], t * e[2]
    o["p_WC"][0], o["p_WC"][1], o["p_WC"][2] = K[0] + r0, K[1] + r1, K[2] + r2
    if o["hardness"] >= FULLY_HARD:
        o["hardness"] = 1.0
    o["dent"] = dented(p, s, i, R - t, 1.0 - o["hardness"])
    o["depth"] = R - t - o["dent"]
    o["edge"] = 0.5 * p[0]["bearing_width"] * abs(tilt[0]) * tilt[1]
    o["camber"] = math.asin(tilt[0])

    # x = a x n, y = n x x
    x0, x1, x2 = a[1] * n[2] - a[2] * n[1], a[2] * n[0] - a[0] * n[2], a[0] * n[1] - a[1] * n[0]
    x0, x1, x2 = x0 * per, x1 * per, x2 * per
    y0, y1, y2 = n[1] * x2 - n[2] * x1, n[2] * x0 - n[0] * x2, n[0] * x1 - n[1] * x0
    o["x_W"][0], o["x_W"][1], o["x_W"][2] = x0, x1, x2
    o["y_W"][0], o["y_W"][1], o["y_W"][2] = y0, y1, y2

    # velocity of the contact point
    w, v = k["w_WK_W"], k["v_WK_W"]
    about = w[0] * a[0] + w[1] * a[1] + w[2] * a[2]
    w0, w1, w2 = w[0] - about * a[0], w[1] - about * a[1], w[2] - about * a[2]
    v0, v1, v2 = v[0] + w1 * r2 - w2 * r1, v[1] + w2 * r0 - w0 * r2, v[2] + w0 * r1 - w1 * r0
    o["v_x"] = v0 * x0 + v1 * x1 + v2 * x2
    o["v_y"] = v0 * y0 + v1 * y1 + v2 * y2
    o["depth_rate"] = -(v0 * n[0] + v1 * n[1] + v2 * n[2]) * tilt[2]
    if o["edge"] > 0.0 and o["depth"] < o["edge"]:
        touching = max(0.5 * (o["depth"] + o["edge"]) / o["edge"], 0.0)
        o["depth"] = o["edge"] * touching * touching if touching > 0.0 else o["depth"] + o["edge"]
        o["depth_rate"] *= touching
    o["turn_rate"] = w[0] * n[0] + w[1] * n[1] + w[2] * n[2]


@inline
def upright_of(lean):
    """Return the cosine of the angle with the sine `lean`, at least UPRIGHT_MIN."""
    return max(math.sqrt(1.0 - lean * lean), UPRIGHT_MIN)


@inline
def dented(p, s, i, depth, soft):
    """Return the yield deflection [m] of rim and tire at a depth [m] of the undeformed tire, which limits their force to `strength`.

    Even if the ground rises suddenly under the contact point, at most the energy stored up to `give` is returned.
    """
    if depth <= 0.0:
        return 0.0
    return max(s[i]["dent"], depth - soft * s[i]["sinkage"] - p[0]["give"])
