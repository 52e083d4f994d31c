"""Force of one contact: crush along the normal, friction across it.

    crush curve         F <= stiffness (depth - origin), at most `strength`; origin: depth at which the contact began, 0 in the open
    spring              F0 = steepness stiffness (depth - dent); where F0 would exceed the crush curve, the dent grows
    dent                follows the depth back when the vehicle withdraws: an earlier dent never leaves a gap
    normal force        N = F0 while the bodies approach. N falls to r F0 over RAMP of separation speed v:
                        N = F0 (1 - (1 - r) v / RAMP), from r F0 to F0
    friction            F = -stiffness u - damping u'    u is the deflection of a bristle; |F| <= friction N

The first approach follows the crush curve. Unloading, and every later approach, follows the steep spring up to the curve. Of the energy
that it absorbs in each approach, a contact returns e0^2 of the first E0, and e^2 of the rest, at most the energy of the spring: r is the
returned energy divided by that of the spring. E0 is ELASTIC of the energy at which the crush curve reaches the strength, and 0 for a person
or another object that is free to move; e0 is GENTLE e, at most SOFTEST, at least e. A gentle touch has the coefficient of restitution e0 of
bumpers and panels, a crash nearly e; above the strength, restitution is lower. The steepness follows the dent, so that r is about RESERVE
after an impact. The vehicle separates from the spring, or rests on it, after a few millimeters. The last step on the spring returns the rest
of the energy.

N contains the separation speed at the end of the step, v + drift + h N / mass, with the drift by all other forces as in the step before: a
contact at rest is damped and does not chatter at any step length. The stiffness is limited to STABLE mass / h^2, that of the spring to
STABLE_SPRING mass / h^2, with the effective mass at the contact point. The work of each contact along its normal is recorded with the mean
of the velocities before and after each step, which is exact for a body that is advanced by semi-implicit Euler; N is cut where the contact
would return more than it has received and still has in the spring. The depth also changes where the body only turns about its contact
point: without this limit, a vehicle that rocks against a wall would get back the energy that its crush has dissipated. A contact always
carries what presses the vehicle onto it, up to the force that ends the step without motion: that force takes kinetic energy away, and a
contact without stored energy would otherwise let go and hold in turns. Where the spring has more energy than the work done on it, because
the body has turned, the dent follows, unless the contact is elastic.
"""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import add_scaled, cross, dot, scale, vector
from simulator.base.jit import inline

RAMP = 0.05
"""m/s. Separation speed over which the normal force falls to that of unloading."""
STABLE = 0.1
"""1. Limit of stiffness h^2 / mass."""
STABLE_SPRING = 0.4
"""1. The same of the spring, whose energy is accounted."""
STEEPEST = 100.0
"""Maximum ratio of the stiffness of the spring to that of the crush curve."""
RESERVE = 0.8
"""1. Part of the energy of the spring that an impact returns: below 1, so that rounding of the steps does not cost rebound."""
ELASTIC = 0.05
"""1. Part of the energy at the strength that gentle touches return with e0: touches up to 3.4 m/s for a car that reaches its strength at 15 m/s."""
GENTLE, SOFTEST = 4.0, 0.4
"""1. Ratio of e0 to e, and maximum of e0. In touches that change the speed of a car by 2 to 5 mph, restitution is 0.2 to 0.4, at medium and high
speed about 0.1 [Howard, Bomar and Bare 1993, SAE 931842, abstract]."""
RELAXATION = 0.02
"""s. Time constant with which the dent follows a spring that has more energy than the work done on it."""
MEAN_RADIUS = 2.0 / 3.0
"""Mean radius of the friction of a disc under constant pressure, in units of its radius."""
TANGENTIAL_DAMPING = 0.3
"""Damping ratio of the bristle."""


@inline
def effective_mass(p, r_B, d_B):
    """Return the mass [kg] with which the chassis resists a force at r_B along the unit vector d_B, both in B."""
    q = p[0]
    arm = cross((r_B[0] - q["com"][0], r_B[1] - q["com"][1], r_B[2] - q["com"][2]), d_B)
    turn = 0.0
    for i in range(3):
        for j in range(3):
            turn += arm[i] * q["inverse_inertia"][i, j] * arm[j]
    return 1.0 / (1.0 / q["mass"] + turn)


@inline
def lowest_mass(p, r_B):
    """Return a lower bound of the effective mass at r_B in any direction [kg]."""
    q = p[0]
    x, y, z = r_B[0] - q["com"][0], r_B[1] - q["com"][1], r_B[2] - q["com"][2]
    return 1.0 / (1.0 / q["mass"] + (x * x + y * y + z * z) * q["slowest_turn"])


@inline
def gentle_restitution(restitution):
    """Return the coefficient of restitution e0 of a gentle touch, whose value for a crash is `restitution`."""
    return max(restitution, min(GENTLE * restitution, SOFTEST))


@inline
def restitution_energy(restitution, elastic, absorbed):
    """Return the energy [J] that a contact returns of what it has absorbed [J]; elastic : the E0 of the pair [J]."""
    e0 = gentle_restitution(restitution)
    return e0 * e0 * min(absorbed, elastic) + restitution * restitution * max(absorbed - elastic, 0.0)


@inline
def returned_part(c, stiffness, at_strength, restitution):
    """Return the part of the energy of the crush of the pair c that it returns; at_strength : energy at which the crush reaches the strength [J]."""
    if c["elastic"] <= 0.0:
        return restitution * restitution
    crushed = max(c["dent"] - c["origin"], 0.0)
    absorbed = min(max(0.5 * stiffness * crushed * crushed, c["elastic"]), at_strength)
    return restitution_energy(restitution, c["elastic"], absorbed) / absorbed


@inline
def normal_force(c, stiffness, strength, restitution, mass, v, drift, h):
    """Return the normal force [N] of a step of h seconds and update dent and energies of the pair c (row of PAIR).

    stiffness, strength, mass : share of the pair in stiffness [N/m], strength [N] and effective mass [kg] along the normal; v : separation
    speed [m/s]; drift : its expected change by all other forces
    """
    c["mass"] = mass
    inertia = mass / (h * h)
    stiffness = min(stiffness, STABLE * inertia)
    steepest = min(STABLE_SPRING * inertia / stiffness, STEEPEST)
    at_strength = 0.5 * strength * strength / stiffness
    c["origin"] = min(c["origin"], c["depth"])
    part = returned_part(c, stiffness, at_strength, restitution)
    c["steepness"] = max(min(RESERVE / max(part, RESERVE / STEEPEST), steepest), 1.0)
    spring = c["steepness"] * stiffness
    curve = min(stiffness * (c["depth"] - c["origin"]), strength)
    c["dent"] = min(max(c["dent"], c["depth"] - curve / spring), c["depth"])
    deflection = c["depth"] - c["dent"]
    full = spring * deflection
    stored = 0.5 * full * (deflection + h * max(v, 0.0))  # by semi-implicit Euler, which takes the force at the start of each step
    c["rebound"] = min(c["rebound"], stored, restitution_energy(restitution, c["elastic"], at_strength))
    c["energy"] = max(min(c["energy"], stored), 0.0)  # the crush has dissipated the rest
    if full <= 0.0:
        return 0.0
    relaxed = (1.0 - restitution * restitution) * h / (h + RELAXATION)
    c["dent"] += relaxed * (1.0 - math.sqrt(c["energy"] / stored)) * deflection
    least = c["rebound"] / stored * full
    fall = (full - least) / RAMP
    force = min(max((full - fall * (v + drift)) / (1.0 + fall * h / mass), least), full)
    returned = c["rebound"] if v + drift > RAMP else max(c["energy"], 0.0)
    held = -mass / h * (v + drift)
    v += 0.5 * drift
    most = mass / h * (math.sqrt(v * v + 2.0 * returned / mass) - v)
    return min(force, max(most, held))


@inline
def elastic_depth(c):
    """Return the depth [m] on the crush curve that has the force of the pair c, without the limit by the strength."""
    return max(min(c["steepness"] * (c["depth"] - c["dent"]), c["depth"] - c["origin"]), 0.0)


@inline
def friction_force(c, n, v, normal, friction, stiffness, mass, h):
    """Return the friction force on the vehicle [N] and update the bristle of the pair c.

    n : contact normal; v : velocity of the vehicle relative to the object [m/s], in W; stiffness, mass : share of the pair in
    stiffness [N/m] and effective mass [kg]
    """
    stiffness = min(stiffness, STABLE * mass / (h * h))
    damping = 2.0 * TANGENTIAL_DAMPING * math.sqrt(stiffness * mass)
    slide = add_scaled(v, -dot(v, n), n)
    u = add_scaled(vector(c["u_W"]), h, slide)
    u = add_scaled(u, -dot(u, n), n)
    across = add_scaled(scale(-stiffness, u), -damping, slide)
    magnitude, limit = math.sqrt(dot(across, across)), friction * normal
    if magnitude > limit:
        across = scale(limit / magnitude, across)
        u = scale(-1.0 / stiffness, across)
    for j in range(3):
        c["u_W"][j] = u[j]
    return across


@inline
def friction_moment(c, normal, friction, stiffness, inertia, h):
    """Return the moment of the friction about the normal [N m] and update the angle of its bristle of the pair c.

    It is that of the friction force at MEAN_RADIUS of a disc as large as the contact patch. stiffness, inertia : share of the pair in
    stiffness [N/m] and smallest moment of inertia [kg m2] of the chassis
    """
    radius = MEAN_RADIUS * math.sqrt(c["area"] / math.pi)
    stiffness = min(stiffness * radius * radius, STABLE * inertia / (h * h))
    if stiffness <= 0.0:
        c["twist"] = 0.0
        return 0.0
    twist = c["twist"] + h * c["spin"]
    damping = 2.0 * TANGENTIAL_DAMPING * math.sqrt(stiffness * inertia)
    limit = friction * normal * radius
    moment = min(max(-stiffness * twist - damping * c["spin"], -limit), limit)
    c["twist"] = min(max(twist, -limit / stiffness), limit / stiffness)
    return moment


@inline
def record_step(c, restitution, v_before, v_now, h):
    """Record work and drift of the last step of the pair c; v : separation speeds [m/s]."""
    impulse = h * c["normal_force"]
    c["drift"] = v_now - v_before - impulse / c["mass"]
    taken, returned = impulse * _mean_above_zero(-v_before, -v_now), impulse * _mean_above_zero(v_before, v_now)
    c["energy"] += taken - returned
    e0 = gentle_restitution(restitution)
    gently = min(taken, max(c["elastic"] - c["rebound"] / max(e0 * e0, 1e-12), 0.0))
    c["rebound"] = max(c["rebound"] + e0 * e0 * gently + restitution * restitution * (taken - gently) - returned, 0.0)


@inline
def _mean_above_zero(a, b):
    """Return the mean of the positive part of a linear function from a to b."""
    if min(a, b) >= 0.0:
        return 0.5 * (a + b)
    top = max(a, b, 0.0)
    return 0.5 * top * top / abs(b - a) if top > 0.0 else 0.0
