"""Wheel displacements of a compliant axle: one implicit solve per wheel, in addition to the exact motion by theta.

A carrier has a small rotation phi and a small displacement d at the wheel center, both in B: e = (phi, d). With w = (couple, force) on
the wheel as in `vehicles.dynamics`, w_o the load on the other wheel of the axle, C and C_o the compliances of the bushings at the
present lengths of spring and shock absorber (`vehicles.compliance.elastic_axle`), and tau the loss time of the rubber,

    e + tau e' = C w + C_o w_o                                                                                              (1)

Ground and chassis interact with the displaced wheel. theta keeps its exact equation, because the length of the spring, which is fixed in
C, is a function of theta. The work of the loads on e' is stored, e C^-1 e / 2, or lost, tau e' C^-1 e' >= 0. The model has no masses.

The displacements of a beam that carries both wheels are those of one body. Its wind-up, which may reach some degrees, rotates it about its
own axle, so that it steers no wheel of a rolled beam; the other displacements are in the axes of B on beams, too. Soft springs would
make the loop of wind-up and locked brakes unstable, because a brake acts on the carrier with its torque of the last step. The wind-up of a
beam therefore has the inertia J of beam and locked wheels: with omega' the rate of its rotation about y, and c the column of C for a couple
about y, -J omega'' c is added to the right of (1), where omega'' is the difference of omega' over the step.

A step ends with e at its end. The forces depend on the velocity e' of the previous step. A tire reacts to a contact velocity P e' with
up to B = h stiffness + damping. The term B (P e'_before - P e') is therefore included. It vanishes with h and prevents an unstable loop
of tire and bushing. With a = 1 / (tau + h), y = P e', S = P C P^T:

    e'_free = a (C (w + P^T B y_before) + C_o w_o - e),   (1 + a S B) y = P e'_free,   e' = e'_free - a C P^T B y           (2)

For a beam, with J over h, and the reaction of locked wheels at the contacts like B, e'_free and the columns of C P^T are multiplied by

    (1 + a J/h c e_y^T)^-1 = 1 - a J/h c e_y^T / (1 + a J/h c_y),    e'_free with a J/h c omega'_before added                (3)
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
    ("axles", (), "1", "number of compliant axles; 0: the model is skipped", "i8"),
    ("yields", (AXLES,), "1", "per axle, 1 if the axle is compliant, BEAM if it is a compliant beam with both wheels", "i8"),
    (
        "own",
        (6, 6, WHEELS),
        "rad/N m, m/N",
        "carrier displacement (rotation, displacement of the wheel center) per couple and force on its wheel",
    ),
    ("across", (6, 6, WHEELS), "rad/N m, m/N", "carrier displacement per couple and force on the other wheel of the axle"),
    ("time", (WHEELS,), "s", "loss time of the rubber: damping over stiffness"),
    ("inertia", (WHEELS,), "kg m2", "inertia of a beam with both wheels, locked, about its axle; 0 for wheels without a beam"),
)
"""Part of CORNERS."""

ELASTIC = (
    ("e", (6, WHEELS), "rad, m", "displacement of the carriers due to bushings: rotation, displacement of the wheel center, in B"),
    ("e_dot", (6, WHEELS), "rad/s, m/s", "rate of e over the last step"),
    ("target", (6,), "rad, m", "scratch: equilibrium displacement of a carrier under the present loads"),
    ("push", (6, 3), "m/N", "scratch: C P^T"),
)
"""State of a vehicle; zero and unused without a compliant axle."""

TINY = 1e-300
"""Smallest square of a length by which a vector is normalized."""

BEAM = 2
"""Value of `yields` of a beam."""


@inline
def has_compliance(m):
    """Return True when any axle is compliant."""
    return m.corners[0]["compliance"]["axles"] > 0


@kernel
def displace_wheels(m, s):
    """Add the bushing displacements to the wheel poses, after the kinematics and before any use of the poses."""
    k, o = s.kinematics[0], s.elastic[0]
    for axle in range(len(m.corners[0]["compliance"]["yields"])):
        if m.corners[0]["compliance"]["yields"][axle]:
            first, end = sides_of(m.corners, axle)
            for i in range(first, end):
                e, rate = o["e"], o["e_dot"]
                phi, omega = (e[0, i], e[1, i], e[2, i]), (rate[0, i], rate[1, i], rate[2, i])
                if m.corners[0]["compliance"]["yields"][axle] == BEAM:
                    y = column(k["axle"], i)
                    phi, omega = about_axle(phi, y), about_axle(omega, y)
                for j in range(3):
                    k["W"][j, i] += e[j + 3, i]
                    k["W_dot"][j, i] += rate[j + 3, i]
                    k["w_rel"][j, i] += omega[j]
                store(k["axle"], i, rotate(phi, column(k["axle"], i)))
                store(k["carrier_x"], i, rotate(phi, column(k["carrier_x"], i)))
                store(k["carrier_z"], i, rotate(phi, column(k["carrier_z"], i)))
                s.out[0]["carrier_spin"][i] += dot(omega, column(k["axle"], i))


@inline
def about_axle(phi, y):
    """Return a rotation vector whose component along the y axis of B is along the axle y of a beam."""
    return add((phi[0], 0.0, phi[2]), scale(phi[1], y))


@inline
def rotate(phi, a):
    """Return a unit vector rotated by a small rotation vector, exact to second order and normalized.

    Zero stays zero: the axes of a carrier whose motion is a table, which contains the wheel only.
    """
    first = cross(phi, a)
    b = add(a, add(first, scale(0.5, cross(phi, first))))
    return scale(1.0 / math.sqrt(max(dot(b, b), TINY)), b)


@kernel
def deflect_bushings(m, s, h):
    """Advance the displacements by h seconds under the loads on the wheels: (2) of the module."""
    for axle in range(len(m.corners[0]["compliance"]["yields"])):
        if m.corners[0]["compliance"]["yields"][axle]:
            first, end = sides_of(m.corners, axle)
            for i in range(first, end):
                compute_target(m, s, i, first + end - 1 - i)
                advance_carrier(m, s, i, h)


@kernel
def rest_carriers(m, s):
    """Set the displacements to equilibrium under the present loads; return the largest change [rad, m]."""
    o, largest = s.elastic[0], 0.0
    for axle in range(len(m.corners[0]["compliance"]["yields"])):
        if m.corners[0]["compliance"]["yields"][axle]:
            first, end = sides_of(m.corners, axle)
            for i in range(first, end):
                compute_target(m, s, i, first + end - 1 - i)
                for row in range(6):
                    largest = max(largest, abs(o["target"][row] - o["e"][row, i]))
                    o["e"][row, i], o["e_dot"][row, i] = o["target"][row], 0.0
    return largest


@inline
def compute_target(m, s, i, other):
    """Compute C w + C_o w_o of corner i into `target`.

    `other` is the other wheel of the axle, or i with C_o = 0 on an axle with one wheel.
    """
    c, l, o = m.corners[0]["compliance"], s.loads[0], s.elastic[0]
    for row in range(6):
        to = 0.0
        for j in range(3):
            to += c["own"][row, j, i] * l["carrier_couple"][j, i] + c["own"][row, j + 3, i] * l["wheel_force"][j, i]
            to += c["across"][row, j, i] * l["carrier_couple"][j, other] + c["across"][row, j + 3, i] * l["wheel_force"][j, other]
        o["target"][row] = to


@inline
def advance_carrier(m, s, i, h):
    """Compute rate and displacement of carrier i at the end of the step from `target`."""
    o, time = s.elastic[0], m.corners[0]["compliance"]["time"][i]
    a = 1.0 / (time + h)
    r, n, across, along = contact_stiffness(m, s, i, h)
    compute_push(m, s, i, r)
    before = contact_force(n, across, along, contact_velocity(r, column(o["e_dot"], i), displacement_of(o["e_dot"], i)))
    turning = o["e_dot"][1, i]
    for row in range(6):
        pushed = o["push"][row, 0] * before[0] + o["push"][row, 1] * before[1] + o["push"][row, 2] * before[2]
        o["e_dot"][row, i] = a * (o["target"][row] + pushed - o["e"][row, i])
    inertia = m.corners[0]["compliance"]["inertia"][i]
    if inertia > 0.0:
        add_inertia(m, s, i, a, inertia / h + 2.0 * along * dot(r, r), turning)
    free = contact_velocity(r, column(o["e_dot"], i), displacement_of(o["e_dot"], i))
    force = implicit_force(o["push"], r, n, across, along, a, free)
    for row in range(6):
        o["e_dot"][row, i] -= a * (o["push"][row, 0] * force[0] + o["push"][row, 1] * force[1] + o["push"][row, 2] * force[2])
        o["e"][row, i] += h * o["e_dot"][row, i]


@inline
def add_inertia(m, s, i, a, per_step, turning):
    """Apply (3) to the rate of carrier i and to `push`; per_step: J/h, turning: rate of the rotation about y before the step."""
    o, own = s.elastic[0], m.corners[0]["compliance"]["own"]
    gain = a * per_step / (1.0 + a * per_step * own[1, 1, i])
    rate = o["e_dot"][1, i] + a * per_step * own[1, 1, i] * turning
    x, y, z = o["push"][1, 0], o["push"][1, 1], o["push"][1, 2]
    for row in range(6):
        c = own[row, 1, i]
        o["e_dot"][row, i] += c * (a * per_step * turning - gain * rate)
        o["push"][row, 0] -= gain * c * x
        o["push"][row, 1] -= gain * c * y
        o["push"][row, 2] -= gain * c * z


@inline
def displacement_of(e, i):
    """Return the translational part of the displacement (or rate) of corner i."""
    return (e[3, i], e[4, i], e[5, i])


@inline
def contact_stiffness(m, s, i, h):
    """Return (r, n, normal, tangential) of the contact: contact point relative to the wheel center, ground normal, reaction coefficients.

    r and n are in B. The coefficients [N s/m] give the reaction of the tire to a contact velocity over h seconds; 0 without contact.
    """
    R, c, tire = s.work[0]["R_WB"], s.contacts[i], m.tires[i]
    r, n = unrotated(R, sub(vector(c["p_WC"]), vector(s.wheels[i]["p_WK"]))), unrotated(R, vector(c["n_W"]))
    if c["depth"] <= 0.0:
        return r, n, 0.0, 0.0
    normal = h * (tire["stiffness"] + 2.0 * tire["stiffness_growth"] * c["tire_deflection"]) + tire["damping"]
    law = m.treads.laws[i]
    if law["kernel"] != 0:  # sheared soil is as stiff as the tire is radially
        return r, n, normal, h * max(law["rim_stiffness"], tire["stiffness"]) + law["rim_damping"]
    model = m.treads.tmeasy[i]
    stiffness, damping = model["tread_stiffness"], model["tread_damping"]
    return r, n, normal, h * max(stiffness[0], stiffness[1]) + max(damping[0], damping[1])


@inline
def contact_velocity(r, omega, moving):
    """Return P e', the velocity of the contact point r of a moving carrier."""
    return add(moving, cross(omega, r))


@inline
def contact_force(n, normal, tangential, v):
    """Return B v, the reaction of the tire to a contact velocity."""
    return add(scale(tangential, v), scale((normal - tangential) * dot(n, v), n))


@inline
def compute_push(m, s, i, r):
    """Compute C P^T into `push`: displacements per force at the contact point r."""
    own, push = m.corners[0]["compliance"]["own"], s.elastic[0]["push"]
    for row in range(6):
        turn = (own[row, 0, i], own[row, 1, i], own[row, 2, i])
        lever = cross(turn, r)
        for j in range(3):
            push[row, j] = own[row, j + 3, i] + lever[j]


@inline
def implicit_force(push, r, n, normal, tangential, a, free):
    """Return B y of (2); y is the solution of (1 + a S B) y = `free` by Cramer's rule."""
    x = system_column(push, 0, r, n, normal, tangential, a)
    y = system_column(push, 1, r, n, normal, tangential, a)
    z = system_column(push, 2, r, n, normal, tangential, a)
    y_z = cross(y, z)
    inverse = 1.0 / dot(x, y_z)
    y_contact = (inverse * dot(free, y_z), inverse * dot(free, cross(z, x)), inverse * dot(free, cross(x, y)))
    return contact_force(n, normal, tangential, y_contact)


@inline
def system_column(push, j, r, n, normal, tangential, a):
    """Return column j of 1 + a S B."""
    unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
    f = contact_force(n, normal, tangential, unit)
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
