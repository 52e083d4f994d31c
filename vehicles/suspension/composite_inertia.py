"""Sums over all corners for the chassis: composite inertia, couplings, bias and strut forces.

Every corner is one aggregated body [Jain 2016, section 3]: its bodies move with V_i = V_B + J_i theta' + K_i Q' relative to the chassis, so
it enters the equations of motion only through M = sum M_i, G = sum M_i J_i, D = sum J_i^T M_i J_i and the bias forces.
J_i theta' is (w, u) theta_dot, K_i Q' the rest of (w_rel, v_rel). Equation numbers are those of the closed-form page in the docs;
(24)-(27) are in `corner_bodies`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.base.algebra.vectors import add, column, cross, dot, scale, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record
from vehicles.axle_layout import WHEELS
from vehicles.corner_layout import axle_of, sides_of, sum_over_axles
from vehicles.suspension.anti_roll_bar import apply_anti_roll_bars
from vehicles.suspension.blocks import Blocks, place_blocks
from vehicles.suspension.springs_and_dampers import damper_force, spring_force

SUMS = (
    ("gyroscopic", (3, WHEELS), "N m", "couple that rotates the axle of the spinning wheel, in B"),
    ("theta_force", (WHEELS,), "N m, N", "applied force on theta, per corner"),
    ("bar_force", (3, WHEELS), "N", "force of the anti-roll bar on the carriers, in B; for bars attached to carriers"),
    ("bar_couple", (3, WHEELS), "N m", "couple of the anti-roll bar about the wheel centers, in B"),
    ("corners_moment", (3,), "kg m", "sum of mass times position of all corners"),
    ("corners_inertia", (6,), "kg m2", "inertia of all corners about the reference point"),
    ("corners_bias", (6,), "N m, N", "inertia forces of all corners at zero acceleration (angular, linear)"),
)
"""Sums over all corners; scratch of one evaluation."""


class MechanismRecords(NamedTuple):
    """Parameter records of a mechanism for kernels."""

    chassis: Record
    corners: Record
    struts: Record


class Workspace(NamedTuple):
    """State and scratch records of one mechanism."""

    blocks: Blocks
    state: Record
    inputs: Record
    loads: Record
    kinematics: Record
    work: Record
    out: Record


@kernel
def prepare(m, s):
    """Compute kinematics, sums, strut and bar forces of the corners at the present state.

    m : `corners` and `struts` are read, of a VehicleModel or of the `records` of MechanismParameters; s : VehicleData or Workspace,
        overwritten except its state
    """
    prepare_here(m, s)


@inline
def prepare_by_call(m, s):
    """Run `prepare` for the records of a vehicle: compiled once for all callers that do not need speed.

    m : VehicleModel, s : VehicleData
    """
    mechanism = MechanismRecords(m.chassis, m.corners, m.struts)
    prepare(mechanism, Workspace(s.blocks, s.state, s.inputs, s.loads, s.kinematics, s.work, s.out))


@inline
def prepare_here(m, s):
    """Run `prepare` inlined into the caller, since passing so many records is expensive."""
    move_corners(m, s)
    sum_corners(m, s)
    add_gyroscopic_couples(m, s)
    apply_struts(m, s)
    apply_anti_roll_bars(m, s)


@inline
def move_corners(m, s):
    """Compute kinematics and sums of the corners at the present state."""
    q, x = s.inputs[0], s.state[0]
    for i in range(len(x["theta"])):
        q["theta"][i] = x["theta"][i]
        q["theta_dot"][i] = x["theta_dot"][i]
    for j in range(3):
        q["w_WB_B"][j] = x["w_WB_B"][j]
    place_blocks(m.corners, s.blocks, s.inputs, s.kinematics)


@inline
def sum_corners(m, s):
    """Sum moments, inertias and bias forces of all corners."""
    c, w = s.kinematics[0], s.work[0]
    for j in range(3):
        w["corners_moment"][j] = sum_over_axles(m.corners, c["moment"][j])
    for j in range(6):
        w["corners_inertia"][j] = sum_over_axles(m.corners, c["inertia"][j])
        w["corners_bias"][j] = sum_over_axles(m.corners, c["bias"][j])


@inline
def add_gyroscopic_couples(m, s):
    """Add the couples w_abs × (I_spin Omega axle) of the spinning wheels to the bias (28).

    Also store the spin of the carriers about the axles.
    """
    k, x, work = s.kinematics[0], s.state[0], s.work[0]
    w_B = vector(x["w_WB_B"])
    for i in range(np.uint64(len(x["wheel_spin"]))):
        axle = column(k["axle"], i)
        w_abs = add(w_B, column(k["w_rel"], i))
        s.out[0]["carrier_spin"][i] = dot(w_abs, axle)
        n = cross(w_abs, scale(m.corners[0]["spin_inertia"][i] * x["wheel_spin"][i], axle))
        for j in range(3):
            work["gyroscopic"][j, i] = n[j]
            work["corners_bias"][j] += n[j]
        k["theta_bias"][i] += dot(column(k["w"], i), n)


@inline
def apply_struts(m, s):
    """Compute the forces of springs, stops and dampers, and their sum on theta: the virtual work of a strut is force times change of
    length.

    theta_force = spring force x spring_length_1 + shock force x shock_length_1          (29)
    """
    k, out = s.kinematics[0], s.out[0]
    for i in range(len(k["D"])):
        spring = spring_force(m.struts, i, k["spring_length"][i])
        shock = damper_force(m.struts, i, k["shock_length"][i], shock_rate(m, s, i))
        out["spring_force"][i] = spring
        out["shock_force"][i] = shock
        s.work[0]["theta_force"][i] = spring * k["spring_length_1"][i] + shock * k["shock_length_1"][i]


@inline
def shock_rate(m, s, i):
    """Return the rate of the length of shock absorber i [m/s]."""
    k, q, c = s.kinematics[0], s.inputs[0], m.corners[0]
    rate = k["shock_length_1"][i] * q["theta_dot"][i]
    axle = axle_of(m.corners, i)
    if c["coupled"][axle]:
        first, end = sides_of(m.corners, axle)
        rate += k["shock_length_across"][i] * q["theta_dot"][first + end - 1 - i]
    return rate
