"""Impulses of the ground on an object in one step, so that no point of the object enters the ground.

At a point with the separation speed u at the end of a step of h seconds, and the distance g from the ground before it:

    normal     impulse J >= 0, u >= -g / h, and J (u + g / h) = 0: the point reaches the ground, it does not pass it
    friction   |T| <= friction J, against the slip
    rolling    |M| <= arm * sum of J, against the rotation of a round object

The equations are solved for all points in turns (projected Gauss-Seidel), accelerated by conjugate directions [Silcowitz-Hansen, Niebe and
Erleben 2010]. A solution takes energy from the object or none, because the impulses act on the velocities at the end of the step [Moreau
1988]. A fast point bounces with the coefficient of restitution.
"""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import add, add_scaled, cross, dot, scale, sub, symmetric_times, vector
from simulator.base.jit import inline, kernel

SWEEPS = 16
"""Maximum number of turns through all points."""
EXACT = 1e-7
"""m/s. Change of the velocities in a turn after which they count as solved."""


@kernel
def ground_impulses(points, count, body, rolling, v, w, bounces):
    """Return velocity of the center of mass and angular velocity, in W, after the impulses of the ground.

    Parameters
    ----------
    points, count : records of GROUND_POINT and their number
    body : mass [kg], inverse inertia in W, friction coefficient
    rolling : arm [m], axis about which a round object rolls, 1.0 = it is a sphere
    v, w : velocities without these impulses
    bounces : True = with the coefficient of restitution
    """
    for i in range(count):
        for j in range(3):
            points[i]["impulse_W"][j] = points[i]["search_W"][j] = 0.0
    rolled, search, last = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for k in range(SWEEPS):
        v, w, pressed, total, fastest = _sweep(points, count, body, (v, w), bounces, k == 0)
        new = _resist_rolling(body[1], rolling, rolled, w, rolling[0] * pressed)
        step, rolled = sub(new, rolled), new
        w = add(w, symmetric_times(body[1], step))
        if (k > 0 and fastest < EXACT * EXACT) or k == SWEEPS - 1:
            break
        ratio = total / last if last > 0.0 else 2.0
        last = total
        if ratio > 1.0:
            ratio = 0.0
        v, w = _extrapolate(points, count, body, ratio, v, w)
        w = add(w, symmetric_times(body[1], scale(ratio, search)))
        rolled, search = add_scaled(rolled, ratio, search), add_scaled(step, ratio, search)
    return v, w


@inline
def _sweep(points, count, body, motion, bounces, together):
    """Solve each point in turn; return the velocities, the sum of the normal impulses, and the square of the change: of impulses, of a velocity.

    together : True = each point takes its part of the impulse that it needs alone, so that no point is preferred
    """
    mass, inverse, friction = body
    v, w = motion
    part = 1.0 / count if together else 1.0
    pressed, total, fastest = 0.0, 0.0, 0.0
    for i in range(count):
        c = points[i]
        r, n, old = vector(c["r_W"]), vector(c["n_W"]), vector(c["impulse_W"])
        normal = dot(old, n)
        slip = add_scaled(old, -normal, n)
        u = add(motion[0], cross(motion[1], r)) if together else add(v, cross(w, r))
        more = max(normal + ((c["bounce"] if bounces else c["lowest"]) - dot(u, n)) / c["normal_answer"], 0.0) - normal
        normal += more
        turn = symmetric_times(inverse, cross(r, n))
        u = add(u, scale(more, add_scaled(cross(turn, r), 1.0 / mass, n)))
        slip = add_scaled(slip, -1.0 / c["slide_answer"], add_scaled(u, -dot(u, n), n))
        length, limit = math.sqrt(dot(slip, slip)), friction * normal
        if length > limit:
            slip = scale(limit / length, slip)
        new = scale(part, add_scaled(slip, normal, n))
        step = sub(new, old)
        v = add_scaled(v, 1.0 / mass, step)
        w = add(w, symmetric_times(inverse, cross(r, step)))
        for j in range(3):
            c["impulse_W"][j], c["step_W"][j] = new[j], step[j]
        pressed += part * normal
        total += dot(step, step)
        fastest = max(fastest, dot(step, step) * c["normal_answer"] * c["normal_answer"])
    return v, w, pressed, total, fastest


@inline
def _resist_rolling(inverse, rolling, rolled, w, limit):
    """Return the angular impulse against the rotation about the axis, or of a sphere about every axis, at most `limit` [N m s]."""
    _, axis, every = rolling
    if limit == 0.0:
        return 0.0, 0.0, 0.0
    turn = w if every > 0.0 else scale(dot(w, axis), axis)
    new = add_scaled(rolled, -1.0 / dot(axis, symmetric_times(inverse, axis)), turn)
    length = math.sqrt(dot(new, new))
    return scale(limit / length, new) if length > limit else new


@inline
def _extrapolate(points, count, body, ratio, v, w):
    """Add `ratio` times the previous direction to the impulses; the next direction is this one and the last step. Return the velocities."""
    mass, inverse, _ = body
    for i in range(count):
        c = points[i]
        extra = scale(ratio, vector(c["search_W"]))
        v = add_scaled(v, 1.0 / mass, extra)
        w = add(w, symmetric_times(inverse, cross(vector(c["r_W"]), extra)))
        for j in range(3):
            c["impulse_W"][j] += extra[j]
            c["search_W"][j] = extra[j] + c["step_W"][j]
    return v, w
