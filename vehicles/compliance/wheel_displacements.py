"""The wheels of an axle that yields: small displacements of their carriers beside the exact motion by theta, one implicit solve per wheel.

A carrier is turned by phi and shifted by d at the wheel centre, both in B and small: e = (phi, d). With w = (couple, force) on the wheel as in
`vehicles.dynamics`, w_o that on the other wheel of the axle, C and C_o the compliances of the bushings where spring and shock absorber have the
length they have (`vehicles.compliance.elastic_axle`), and tau the loss time of the rubber,

    e + tau e' = C w + C_o w_o                                                                                              (1)

The displaced wheel is the one that the ground and the chassis meet; theta keeps its exact equation, since the length of the spring, which is
held in C, is a function of theta. The work of the loads on e' is stored, e C^-1 e / 2, or lost, tau e' C^-1 e' >= 0. Nothing here has a mass.

A step ends with e at its end. Forces are those of the velocity e' of the step before, and a tire answers to a velocity of the contact, P e', with
as much as B = h stiffness + damping: B (P e'_before - P e') is taken in, which vanishes with h and leaves no loop of tire and bushing that could
grow. With a = 1 / (tau + h), y = P e', S = P C P^T:

    e'_free = a (C (w + P^T B y_before) + C_o w_o - e),   (1 + a S B) y = P e'_free,   e' = e'_free - a C P^T B y           (2)
"""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import unrotated
from simulator.base.algebra.vectors import add, column, cross, dot, scale, store, sub, vector
from simulator.base.jit import inline, kernel
from vehicles.axle_layout import AXLES, WHEELS
from vehicles.corner_layout import sides_of

COMPLIANCE = (
    # name      shape         unit  what it is (corners last)
    ("axles", (), "1", "number of axles that yield; 0: nothing of this is looked at", "i8"),
    ("yields", (AXLES,), "1", "per axle, 1 where it yields", "i8"),
    (
        "own",
        (6, 6, WHEELS),
        "rad/N m, m/N",
        "displacement of the carrier (turn, shift of the wheel centre) per couple and force on its wheel",
    ),
    ("across", (6, 6, WHEELS), "rad/N m, m/N", "the same per couple and force on the other wheel of the axle"),
    ("time", (WHEELS,), "s", "loss time of the rubber: damping over stiffness"),
)
"""Part of CORNERS."""

ELASTIC = (
    ("e", (6, WHEELS), "rad, m", "displacement of the carriers by their bushings: turn, shift of the wheel centre, in B"),
    ("e_dot", (6, WHEELS), "rad/s, m/s", "its rate over the last step"),
    ("target", (6,), "rad, m", "scratch: where the loads would have a carrier rest"),
    ("push", (6, 3), "m/N", "scratch: C P^T"),
)
"""State of a vehicle, zero and unused where no axle yields."""

CALLBACK_MODEL = 2.0
"""Stiffness of a tread over the radial stiffness of its tire, where the tread law does not tell it [assumed: more than any tire of rubber has]."""


@inline
def yields(m):
    """Whether any axle yields."""
    return m.corners[0]["compliance"]["axles"] > 0


@kernel
def displace_wheels(m, s):
    """Put the wheels where their bushings have them, after the kinematics and before anything reads where a wheel is."""
    k, o = s.kinematics[0], s.elastic[0]
    for axle in range(len(m.corners[0]["compliance"]["yields"])):
        if m.corners[0]["compliance"]["yields"][axle]:
            first, end = sides_of(m.corners, axle)
            for i in range(first, end):
                e, rate = o["e"], o["e_dot"]
                phi, turning = (e[0, i], e[1, i], e[2, i]), (rate[0, i], rate[1, i], rate[2, i])
                for j in range(3):
                    k["W"][j, i] += e[j + 3, i]
                    k["W_dot"][j, i] += rate[j + 3, i]
                    k["w_rel"][j, i] += rate[j, i]
                store(k["axle"], i, turned_by(phi, column(k["axle"], i)))
                store(k["carrier_x"], i, turned_by(phi, column(k["carrier_x"], i)))
                store(k["carrier_z"], i, turned_by(phi, column(k["carrier_z"], i)))
                s.out[0]["carrier_spin"][i] += dot(turning, column(k["axle"], i))


@inline
def turned_by(phi, a):
    """A unit vector turned by a small vector of rotation, right to its second order and again of length 1."""
    first = cross(phi, a)
    b = add(a, add(first, scale(0.5, cross(phi, first))))
    return scale(1.0 / math.sqrt(dot(b, b)), b)


@kernel
def deflect_bushings(m, s, h):
    """The displacements after h seconds under the loads on the wheels: (2) of the module."""
    for axle in range(len(m.corners[0]["compliance"]["yields"])):
        if m.corners[0]["compliance"]["yields"][axle]:
            first, end = sides_of(m.corners, axle)
            for i in range(first, end):
                find_target(m, s, i, first + end - 1 - i)
                move_carrier(m, s, i, h)


@kernel
def rest_carriers(m, s):
    """Put the displacements where the loads have them rest; returns by how much they moved at most [rad, m]."""
    o, most = s.elastic[0], 0.0
    for axle in range(len(m.corners[0]["compliance"]["yields"])):
        if m.corners[0]["compliance"]["yields"][axle]:
            first, end = sides_of(m.corners, axle)
            for i in range(first, end):
                find_target(m, s, i, first + end - 1 - i)
                for row in range(6):
                    most = max(most, abs(o["target"][row] - o["e"][row, i]))
                    o["e"][row, i], o["e_dot"][row, i] = o["target"][row], 0.0
    return most


@inline
def find_target(m, s, i, other):
    """C w + C_o w_o of corner i into `target`; on an axle with one wheel `other` is the same one, and C_o is zero."""
    c, l, o = m.corners[0]["compliance"], s.loads[0], s.elastic[0]
    for row in range(6):
        to = 0.0
        for j in range(3):
            to += c["own"][row, j, i] * l["carrier_couple"][j, i] + c["own"][row, j + 3, i] * l["wheel_force"][j, i]
            to += c["across"][row, j, i] * l["carrier_couple"][j, other] + c["across"][row, j + 3, i] * l["wheel_force"][j, other]
        o["target"][row] = to


@inline
def move_carrier(m, s, i, h):
    """Rate and displacement of carrier i at the end of the step, `target` being found."""
    o, time = s.elastic[0], m.corners[0]["compliance"]["time"][i]
    a = 1.0 / (time + h)
    r, n, across, along = contact_answer(m, s, i, h)
    push_at(m, s, i, r)
    before = answered(n, across, along, contact_velocity(r, column(o["e_dot"], i), rest_of(o["e_dot"], i)))
    for row in range(6):
        pushed = o["push"][row, 0] * before[0] + o["push"][row, 1] * before[1] + o["push"][row, 2] * before[2]
        o["e_dot"][row, i] = a * (o["target"][row] + pushed - o["e"][row, i])
    free = contact_velocity(r, column(o["e_dot"], i), rest_of(o["e_dot"], i))
    force = held_force(o["push"], r, n, across, along, a, free)
    for row in range(6):
        o["e_dot"][row, i] -= a * (o["push"][row, 0] * force[0] + o["push"][row, 1] * force[1] + o["push"][row, 2] * force[2])
        o["e"][row, i] += h * o["e_dot"][row, i]


@inline
def rest_of(e, i):
    """The shift, behind the turn, of corner i."""
    return (e[3, i], e[4, i], e[5, i])


@inline
def contact_answer(m, s, i, h):
    """(r, n, along the normal, across it): contact point from the wheel centre and ground normal in B, and what a tire answers to a velocity of the
    contact over h seconds [N s/m]; nothing in the air."""
    R, c, tire = s.work[0]["R_WB"], s.contacts[i], m.tires[i]
    r, n = unrotated(R, sub(vector(c["p_WC"]), vector(s.wheels[i]["p_WK"]))), unrotated(R, vector(c["n_W"]))
    if c["depth"] <= 0.0:
        return r, n, 0.0, 0.0
    normal = h * (tire["stiffness"] + 2.0 * tire["stiffness_growth"] * c["tire_deflection"]) + tire["damping"]
    if m.treads.laws[i]["kernel"] != 0:
        return r, n, normal, h * CALLBACK_MODEL * tire["stiffness"]
    law = m.treads.tmeasy[i]
    stiffness, damping = law["tread_stiffness"], law["tread_damping"]
    return r, n, normal, h * max(stiffness[0], stiffness[1]) + max(damping[0], damping[1])


@inline
def contact_velocity(r, turning, moving):
    """P e': of the contact point r of a carrier that turns and moves."""
    return add(moving, cross(turning, r))


@inline
def answered(n, normal, tangential, v):
    """B v."""
    return add(scale(tangential, v), scale((normal - tangential) * dot(n, v), n))


@inline
def push_at(m, s, i, r):
    """C P^T into `push`: displacements per force at the contact point r."""
    own, push = m.corners[0]["compliance"]["own"], s.elastic[0]["push"]
    for row in range(6):
        turn = (own[row, 0, i], own[row, 1, i], own[row, 2, i])
        lever = cross(turn, r)
        for j in range(3):
            push[row, j] = own[row, j + 3, i] + lever[j]


@inline
def held_force(push, r, n, normal, tangential, a, free):
    """B y of (2), with y found by Cramer's rule from (1 + a S B) y = `free`."""
    x = one_column(push, 0, r, n, normal, tangential, a)
    y = one_column(push, 1, r, n, normal, tangential, a)
    z = one_column(push, 2, r, n, normal, tangential, a)
    y_z = cross(y, z)
    inverse = 1.0 / dot(x, y_z)
    found = (inverse * dot(free, y_z), inverse * dot(free, cross(z, x)), inverse * dot(free, cross(x, y)))
    return answered(n, normal, tangential, found)


@inline
def one_column(push, j, r, n, normal, tangential, a):
    """Column j of 1 + a S B."""
    unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
    f = answered(n, normal, tangential, unit)
    turn = (
        push[0, 0] * f[0] + push[0, 1] * f[1] + push[0, 2] * f[2],
        push[1, 0] * f[0] + push[1, 1] * f[1] + push[1, 2] * f[2],
        push[2, 0] * f[0] + push[2, 1] * f[1] + push[2, 2] * f[2],
    )
    shift = (
        push[3, 0] * f[0] + push[3, 1] * f[1] + push[3, 2] * f[2],
        push[4, 0] * f[0] + push[4, 1] * f[1] + push[4, 2] * f[2],
        push[5, 0] * f[0] + push[5, 1] * f[1] + push[5, 2] * f[2],
    )
    return add(unit, scale(a, contact_velocity(r, turn, shift)))
