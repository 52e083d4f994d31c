"""Force of one contact: crush along the normal, friction across it.

    elastic deflection  s = depth - dent,  F0 = stiffness s, at most `strength`; beyond, the dent grows
    dent                follows the depth back when the vehicle withdraws: an earlier dent never leaves a gap
    normal force        N = F0 while the bodies approach. N falls to e^2 F0 over RAMP of separation speed v:
                        N = F0 (1 - (1 - e^2) v / RAMP), from e^2 F0 to F0
    friction            F = -stiffness u - damping u'    u is the deflection of a bristle; |F| <= friction N

The spring returns e^2 of the energy that it has stored, so an impact without a dent has the coefficient of restitution e; a dent returns
nothing. N contains the separation speed at the end of the step, v + drift + h N / mass, with the drift by all other forces as in the step
before: a contact at rest is damped and does not chatter at any step length. The stiffness is limited to STABLE mass / h^2 with the effective
mass at the contact point. The work of each contact along its normal is recorded with the mean of the velocities before and after each step,
which is exact for a body that is advanced by semi-implicit Euler; N is cut where the contact would return more than it has received.
"""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import add_scaled, cross, dot, scale, vector
from simulator.base.jit import inline

RAMP = 0.05
"""m/s. Separation speed over which the normal force falls to that of unloading."""
STABLE = 0.1
"""1. Limit of stiffness h^2 / mass."""
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
def normal_force(c, stiffness, strength, restitution, mass, v, h):
    """Return the normal force [N] of a step of h seconds and update the dent of the pair c (row of PAIR).

    mass : effective mass of the two bodies along the normal [kg]; v : separation speed [m/s]
    """
    stiffness = min(stiffness, STABLE * mass / (h * h))
    c["mass"] = mass = c["share"] * mass
    c["dent"] = min(max(c["dent"], c["depth"] - strength / stiffness), c["depth"])
    full = c["share"] * stiffness * (c["depth"] - c["dent"])
    if full <= 0.0:
        return 0.0
    least = restitution * restitution * full
    fall = (full - least) / RAMP
    force = min(max((full - fall * (v + c["drift"])) / (1.0 + fall * h / mass), least), full)
    returned = max(c["energy"], 0.0)
    v += 0.5 * c["drift"]
    most = mass / h * (math.sqrt(v * v + 2.0 * returned / mass) - v)
    return min(force, most)


@inline
def friction_force(c, n, v, normal, friction, stiffness, mass, h):
    """Return the friction force on the vehicle [N] and update the bristle of the pair c.

    n : contact normal; v : velocity of the vehicle relative to the object [m/s], in W; mass : effective mass [kg]
    """
    mass *= c["share"]
    stiffness = min(c["share"] * stiffness, STABLE * mass / (h * h))
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

    It is that of the friction force at MEAN_RADIUS of a disc as large as the contact patch. inertia : smallest moment of
    inertia of the chassis [kg m2]
    """
    radius = MEAN_RADIUS * math.sqrt(c["area"] / math.pi)
    inertia *= c["share"]
    stiffness = min(c["share"] * stiffness * radius * radius, STABLE * inertia / (h * h))
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
def record_step(c, v_before, v_now, h):
    """Record work and drift of the last step of the pair c; v : separation speeds [m/s]."""
    c["drift"] = v_now - v_before - h * c["normal_force"] / c["mass"]
    c["energy"] -= 0.5 * h * c["normal_force"] * (v_before + v_now)
