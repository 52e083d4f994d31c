"""Coupling of a trailer, solved exactly in the step of the towing vehicle.

A trailer is a vehicle of its own: chassis, axles, tires, brakes, body. The step of the towing vehicle calls the step of its trailers by the
addresses of their kernels, so that one compiled step pulls trailers of every layout of axles. A trailer hands over its articulated
inertia A and its right-hand side b, with all suspension coordinates eliminated ((30)-(32) of `vehicles.dynamics`). With x = (alpha, a), V the
velocities, h the step, and J the rows of the joint on either body (T trailer, B towing vehicle), the joint requires at the end of the step

    J_T (V_T + h x_T) - J_B (V_B + h x_B) = -share g / h                                          g: error of position or angle
    A_T x_T = b_T + J_T* F,    A_B x_B = b_B - J_B* F

Elimination of x_T and of the joint forces F leaves the towing vehicle with

    G = J_T A_T^-1 J_T*,    r = -(J_T V_T - J_B V_B) / h - share g / h^2 - J_T A_T^-1 b_T
    A_B <- A_B + J_B* G^-1 J_B,    b_B <- b_B - J_B* G^-1 r,    F = G^-1 (r + J_B x_B)

This is the Riccati step of [Jain 2016, eq 4] for a joint between two vehicles: no stiff spring, and action equals reaction to the last bit.
Trailers of a train are eliminated from the last one to the first.

A ball joint has three rows, the world axes of the coupling point. A fifth wheel has a fourth one: the trailer yaws about its z axis and pitches
about the y axis of the towing vehicle, g = -y_B . z_T, so that both roll together. Friction, damping and stops of the joint are couples.

With a roll stiffness k and damping d the fourth row yields: F = M - (k h + d) g', where M(g) is the couple at the begin of the step. G and r then
become

    G_44 + e,    r_4 = M e - (J_T V_T - J_B V_B) / h - J_T A_T^-1 b_T,    e = 1 / (h (k h + d))

The trailer lies on a plate of the half width w. Under the load N it tips over the edge of the plate at the couple N w, turns by the lash at this
couple, and is then held by the kingpin.
"""

from __future__ import annotations

import math

from simulator.base.algebra.spatial import rotated, unrotated
from simulator.base.algebra.vectors import add, column, cross, dot, scale, sub, vector
from simulator.base.callbacks import address_in, call, record_at
from simulator.base.jit import inline, kernel
from simulator.base.record_tree import tree_into
from simulator.base.records import dtype_of
from vehicles.command import COMMAND
from vehicles.dynamics import solve_symmetric

BALL, FIFTH_WHEEL = range(2)
"""Joints: three rotations, or yaw and pitch."""
PEDAL, OVERRUN, UNBRAKED = range(3)
"""Control of the service brakes of a trailer."""
SHARE = 0.2
"""Share of the error of the joint that a step removes."""
CORRECTION = 1.0
"""m/s, rad/s. Largest speed at which an error of the joint is removed."""
GROUND_WORDS = 128
"""Number of addresses and lengths of the arrays of a ground, at most."""
COMMAND_WORDS = dtype_of(COMMAND).itemsize // 8

COUPLING = (
    # name            shape  unit         what it is
    ("model", (), "", "address of the addresses of the VehicleModel of the trailer", "u8"),
    ("data", (), "", "address of the addresses of its VehicleData", "u8"),
    ("begin", (), "", "address of the kernel of the first half of its step", "u8"),
    ("finish", (), "", "address of the kernel of the second half", "u8"),
    ("joint", (), "1", "BALL or FIFTH_WHEEL", "i8"),
    ("p_BH", (3,), "m", "coupling point on the towing vehicle, in its frame B"),
    ("p_TH", (3,), "m", "coupling point on the trailer, in its frame T"),
    ("friction", (), "N m", "friction about the z axis of the trailer"),
    ("friction_rate", (), "rad/s", "yaw rate of the joint at which the friction is developed to tanh(1) = 0.76"),
    ("damping", (), "N m s/rad", "damping about the z axis of the trailer"),
    ("roll_stiffness", (), "N m/rad", "stiffness of a fifth wheel in roll; 0: rigid"),
    ("roll_damping", (), "N m s/rad", "damping of a fifth wheel in roll"),
    ("roll_lash", (), "rad", "free roll on either side once the trailer tips over the edge of the plate"),
    ("plate", (), "m", "half width of the plate"),
    ("limits", (3,), "rad", "largest roll, pitch and yaw of the joint before its stops"),
    ("stop_stiffness", (), "N m/rad", "stiffness of the stops"),
    ("stop_damping", (), "N m s/rad", "damping of the stops"),
    ("braked_by", (), "1", "PEDAL, OVERRUN or UNBRAKED", "i8"),
    ("brake_lag", (), "s", "time constant of the brake demand"),
    ("overrun_start", (), "N", "push of the coupling at which an overrun brake begins"),
    ("overrun_full", (), "N", "push at which it is fully applied"),
)

COUPLING_STATE = (
    # name       shape   unit    what it is
    ("roll", (), "rad", "roll of the joint, trailer relative to towing vehicle (R_BT = Rz(yaw) Ry(pitch) Rx(roll))"),
    ("pitch", (), "rad", "pitch of the joint, + = trailer nose down"),
    ("yaw", (), "rad", "yaw of the joint, + = trailer heads to the left of the towing vehicle"),
    ("yaw_rate", (), "rad/s", "rate of the yaw of the joint, about the z axis of the trailer"),
    ("force_B", (3,), "N", "force of the trailer on the towing vehicle at the coupling point, in B"),
    ("couple_B", (3,), "N m", "couple of the trailer on the towing vehicle, in B"),
    ("gap", (), "m", "distance of the two coupling points, an error of the step"),
    ("brake", (), "1", "demand of the service brakes of the trailer"),
)
"""Logged state of a coupling."""

COUPLING_MEMORY = (
    *COUPLING_STATE,
    ("begun", (), "1", "1 while a step of the trailer is between its halves", "i8"),
    ("ground", (GROUND_WORDS,), "", "addresses and lengths of the arrays of the ground", "i8"),
    ("command", (COMMAND_WORDS,), "", "COMMAND of the trailer"),
    ("p_WT", (3,), "m", "reference point of the trailer"),
    ("R_WT", (3, 3), "1", "attitude of the trailer"),
    ("v_WT_T", (3,), "m/s", "velocity of the reference point, in T"),
    ("w_WT_T", (3,), "rad/s", "angular velocity, in T"),
    ("A", (6, 6), "", "articulated inertia of the trailer, lower triangle"),
    ("x", (6,), "", "right-hand side, then acceleration of the trailer relative to free fall"),
    ("J_T", (4, 6), "", "rows of the joint on the trailer"),
    ("J_B", (4, 6), "", "rows of the joint on the towing vehicle"),
    ("Z", (4, 6), "", "J_T A_T^-1"),
    ("free", (6,), "", "A_T^-1 b_T"),
    ("L", (4, 4), "", "Cholesky factor of G"),
    ("r", (4,), "", "r, then the joint forces F"),
    ("give", (), "", "e of the fourth row"),
    ("passive_T", (3,), "N m", "couple of friction, damping and stops on the trailer, in T"),
    ("joint_force", (6,), "", "couple about the reference point of the trailer, and force, of the joint on the trailer, in T"),
)

COUPLING_TYPE, MEMORY_TYPE, COMMAND_TYPE = dtype_of(COUPLING), dtype_of(COUPLING_MEMORY), dtype_of(COMMAND)


@kernel
def begin_trailers(m, s, ground, command, h):
    """Run the first half of the step of all trailers of a vehicle."""
    s.object_contact[0]["vehicle"] = len(m.towed)  # a train does not meet its own parts: its trailers have the lowest numbers
    for k in range(len(m.towed)):
        c, q = m.towed[k], s.towing[k]
        given = record_at(address_in(q["command"]), COMMAND_TYPE)
        given[0]["parking_brake"] = command[0]["parking_brake"]
        given[0]["brake"] = demand_brake(c, q, command[0]["brake"], h)
        tree_into(q["ground"], ground)
        call(c["begin"], c["model"], c["data"], address_in(s.towing[k : k + 1]), 0, k, len(m.towed), h)


@inline
def demand_brake(c, q, pedal, h):
    """Return the demand of the service brakes of a trailer: of the pedal, or of the push of the coupling while the trailer rolls forward."""
    wanted = pedal
    if c["braked_by"] == UNBRAKED:
        wanted = 0.0
    elif c["braked_by"] == OVERRUN:
        wanted = 0.0
        if q["v_WT_T"][0] > 0.0:
            wanted = min(max((q["force_B"][0] - c["overrun_start"]) / (c["overrun_full"] - c["overrun_start"]), 0.0), 1.0)
    q["brake"] += (wanted - q["brake"]) * h / (c["brake_lag"] + h)
    return q["brake"]


@kernel
def eliminate_trailers(m, s, h):
    """Add the trailers to articulated inertia and right-hand side of their towing vehicle, from the last one to the first."""
    x = s.state[0]
    for k in range(len(m.towed) - 1, -1, -1):
        c, q = m.towed[k], s.towing[k]
        if k == 0:
            w = s.work[0]
            eliminate_trailer(c, q, x["p_WB"], w["R_WB"], x["v_WB_B"], x["w_WB_B"], w["A"], w["x"], h)
        else:
            b = s.towing[k - 1]
            eliminate_trailer(c, q, b["p_WT"], b["R_WT"], b["v_WT_T"], b["w_WT_T"], b["A"], b["x"], h)


@inline
def eliminate_trailer(c, q, p_WB, R_WB, v_WB_B, w_WB_B, A, x, h):
    """Add one trailer to A and x of the vehicle ahead, whose pose and velocities are given; see the module."""
    rows = set_rows(c, q, p_WB, R_WB)
    add_passive_couple(c, q, R_WB, w_WB_B, x)
    J_T, J_B, Z, L, r, free = q["J_T"], q["J_B"], q["Z"], q["L"], q["r"], q["free"]
    for j in range(6):
        free[j] = q["x"][j]
    solve_symmetric(q["A"], free)
    for n in range(rows):
        for j in range(6):
            Z[n, j] = J_T[n, j]
        solve_symmetric(q["A"], Z[n])
        if n == 3 and c["roll_stiffness"] > 0.0:
            couple, stiffness = roll_couple(c, q, r[n])
            q["give"] = 1.0 / (h * (stiffness * h + c["roll_damping"]))
            r[n] = couple * q["give"]
        else:
            r[n] = -min(max(SHARE * r[n] / h, -CORRECTION), CORRECTION) / h  # from the error of the row, by set_rows
        for j in range(3):
            r[n] -= J_T[n, j] * (q["w_WT_T"][j] / h + free[j]) + J_T[n, j + 3] * (q["v_WT_T"][j] / h + free[j + 3])
            r[n] += J_B[n, j] * w_WB_B[j] / h + J_B[n, j + 3] * v_WB_B[j] / h
    factor_rows(q, rows)
    for n in range(rows):  # L^-1 J_B and L^-1 r
        for i in range(n):
            for j in range(6):
                J_B[n, j] -= L[n, i] * J_B[i, j]
            r[n] -= L[n, i] * r[i]
        for j in range(6):
            J_B[n, j] /= L[n, n]
        r[n] /= L[n, n]
    for row in range(6):
        for n in range(rows):
            x[row] -= J_B[n, row] * r[n]
            for col in range(row + 1):
                A[row, col] += J_B[n, row] * J_B[n, col]
    q["begun"] = rows


@inline
def factor_rows(q, rows):
    """Write the Cholesky factor of G = J_T A_T^-1 J_T*, with the give of the fourth row, to L."""
    L, Z, J_T = q["L"], q["Z"], q["J_T"]
    for n in range(rows):
        for i in range(n + 1):
            total = q["give"] if i == n == 3 else 0.0
            for j in range(6):
                total += J_T[n, j] * Z[i, j]
            for j in range(i):
                total -= L[n, j] * L[i, j]
            L[n, i] = math.sqrt(total) if i == n else total / L[i, i]


@inline
def set_rows(c, q, p_WB, R_WB):
    """Write the rows J_T, J_B and the errors of position and angle (to r); return their number."""
    r_B, r_T = vector(c["p_BH"]), vector(c["p_TH"])
    gap = sub(add(vector(q["p_WT"]), rotated(q["R_WT"], r_T)), add(vector(p_WB), rotated(R_WB, r_B)))
    for n in range(3):
        e_B, e_T = (R_WB[n, 0], R_WB[n, 1], R_WB[n, 2]), (q["R_WT"][n, 0], q["R_WT"][n, 1], q["R_WT"][n, 2])
        t_B, t_T = cross(r_B, e_B), cross(r_T, e_T)
        for j in range(3):
            q["J_B"][n, j], q["J_B"][n, j + 3] = t_B[j], e_B[j]
            q["J_T"][n, j], q["J_T"][n, j + 3] = t_T[j], e_T[j]
        q["r"][n] = gap[n]
    q["gap"] = math.sqrt(dot(gap, gap))
    if c["joint"] == BALL:
        return 3
    y, z = column(R_WB, 1), column(q["R_WT"], 2)
    across = cross(y, z)
    n_W = scale(1.0 / math.sqrt(dot(across, across)), across)
    n_B, n_T = unrotated(R_WB, n_W), unrotated(q["R_WT"], n_W)
    for j in range(3):
        q["J_B"][3, j], q["J_T"][3, j] = n_B[j], n_T[j]
        q["J_B"][3, j + 3] = q["J_T"][3, j + 3] = 0.0
    q["r"][3] = -dot(y, z)
    return 4


@inline
def add_passive_couple(c, q, R_WB, w_WB_B, x):
    """Compute angles and rates of the joint; add friction, damping and stops to both right-hand sides."""
    R_WT = q["R_WT"]
    x_B, y_B = unrotated(R_WB, column(R_WT, 0)), unrotated(R_WB, column(R_WT, 1))
    z_B = unrotated(R_WB, column(R_WT, 2))
    q["yaw"], q["pitch"] = math.atan2(x_B[1], x_B[0]), math.asin(min(max(-x_B[2], -1.0), 1.0))
    q["roll"] = math.atan2(y_B[2], z_B[2])
    rate = sub(vector(q["w_WT_T"]), unrotated(R_WT, rotated(R_WB, vector(w_WB_B))))
    q["yaw_rate"] = rate[2]
    roll = stop_couple(c, q["roll"], rate[0], c["limits"][0]) if c["joint"] == BALL else 0.0
    pitch, yaw = stop_couple(c, q["pitch"], rate[1], c["limits"][1]), stop_couple(c, q["yaw"], rate[2], c["limits"][2])
    yaw -= c["damping"] * rate[2] + c["friction"] * math.tanh(rate[2] / c["friction_rate"])
    on_tow = unrotated(R_WB, rotated(R_WT, (roll, pitch, yaw)))
    passive = (roll, pitch, yaw)
    for j in range(3):
        q["passive_T"][j] = passive[j]
        q["x"][j] += passive[j]
        x[j] -= on_tow[j]


@inline
def roll_couple(c, q, angle):
    """Return the couple of a fifth wheel on the trailer at a roll angle [rad] of the trailer on it, and its stiffness there."""
    k, roll = c["roll_stiffness"], abs(angle)
    edge = c["plate"] * max(-q["force_B"][2], 0.0)
    if roll <= edge / k:
        return -k * angle, k
    if roll <= edge / k + c["roll_lash"]:
        return math.copysign(edge, -angle), 0.0
    return math.copysign(k * (roll - c["roll_lash"]), -angle), k


@inline
def stop_couple(c, angle, rate, limit):
    """Return the couple of a stop, which never pulls."""
    if angle > limit:
        return min(0.0, -c["stop_stiffness"] * (angle - limit) - c["stop_damping"] * rate)
    if angle < -limit:
        return max(0.0, -c["stop_stiffness"] * (angle + limit) - c["stop_damping"] * rate)
    return 0.0


@kernel
def finish_trailers(m, s, h):
    """Compute the joint forces from the acceleration of the vehicle ahead, and run the second half of the steps, from the first trailer on.

    Call it before the vehicle moves: the acceleration relative to free fall is in its work record.
    """
    for k in range(len(m.towed)):
        c, q = m.towed[k], s.towing[k]
        if k == 0:
            recover_forces(c, q, s.work[0]["R_WB"], s.work[0]["x"])
        else:
            recover_forces(c, q, s.towing[k - 1]["R_WT"], s.towing[k - 1]["x"])
        call(c["finish"], c["model"], c["data"], address_in(s.towing[k : k + 1]), 0, k, len(m.towed), h)
        q["begun"] = 0


@inline
def recover_forces(c, q, R_WB, x_B):
    """Compute the forces of the joint and add them to the right-hand side of the trailer; x_B : acceleration of the vehicle ahead."""
    rows, J_B, L, r = q["begun"], q["J_B"], q["L"], q["r"]
    for n in range(rows):  # L^-1 (r + J_B x_B), in the scaled rows of eliminate_trailer
        for j in range(6):
            r[n] += J_B[n, j] * x_B[j]
    for n in range(rows - 1, -1, -1):
        for i in range(n + 1, rows):
            r[n] -= L[i, n] * r[i]
        r[n] /= L[n, n]
    for j in range(6):
        force = 0.0
        for n in range(rows):
            force += q["J_T"][n, j] * r[n]
        q["joint_force"][j] = force
        q["x"][j] += force
    on_trailer = unrotated(R_WB, (r[0], r[1], r[2]))
    couple = vector(q["passive_T"])
    if rows > 3:
        couple = add(couple, scale(r[3], vector(q["J_T"][3])))
    couple = unrotated(R_WB, rotated(q["R_WT"], couple))
    for j in range(3):
        q["force_B"][j], q["couple_B"][j] = -on_trailer[j], -couple[j]
