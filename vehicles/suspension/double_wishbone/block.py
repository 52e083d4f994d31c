"""Block of all double-wishbone corners of a vehicle: place, steer and show in the vector lanes."""

from __future__ import annotations

from simulator.base.algebra.trigonometry import sine_cosine
from simulator.base.algebra.vectors import add, add_scaled, column, cross, dot, in_frame, scale, store, sub, vector
from simulator.base.jit import inline
from simulator.base.records import Record
from vehicles.suspension.corner_bodies import add_steered_body, start_steering, sum_bodies
from vehicles.suspension.double_wishbone.kinematics import CARRIER, DOUBLE_WISHBONES, TIEROD, double_wishbone_kinematics
from vehicles.suspension.hard_stops import limited


def pad(parameters: Record) -> None:
    """Fill the columns of corners of other kinds with those of a double-wishbone corner.

    In the vector lanes four take half the time of two.
    """
    p = parameters[0]
    ours = p["kingpin_length"] > 0.0
    if ours.any() and not ours.all():
        for name, shape, *_ in DOUBLE_WISHBONES:
            if shape:
                p[name][..., ~ours] = p[name][..., ours][..., :1]


@inline
def place(corners, p, q, found, k):
    """Compute the kinematics, see `vehicles.suspension.blocks`.

    corners : record of CORNERS, p : of DOUBLE_WISHBONES, found : of DOUBLE_WISHBONE_SCRATCH
    """
    for i in range(len(q[0]["theta"])):
        found[0]["sin_theta"][i], found[0]["cos_theta"][i] = sine_cosine(limited(corners, i, q[0]["theta"][i]))
    double_wishbone_kinematics(p, q, found[0]["cos_theta"], found[0]["sin_theta"], found, k)
    sum_bodies(p[0]["mass"], found[0], q[0]["w_WB_B"], k[0], q[0]["theta"])


@inline
def steer(p, q, found, k):
    """Compute the effect of the steering arm: the carrier rotates about the kingpin, and the tie rod follows the carrier and Q."""
    o, g, out = found[0], p[0], k[0]
    w_B = vector(q[0]["w_WB_B"])
    for i in range(len(q[0]["theta"])):
        if not g["steered"] >> i & 1:
            continue
        n, arm, D, K = column(o["kingpin"], i), column(o["arm"], i), column(o["D"], i), column(o["K"], i)
        Q_1 = column(q[0]["Q_1"], i)
        turn = scale(dot(column(o["steer_gain"], i), Q_1), n)
        start_steering(out, i)
        store(out["W_steer"], i, cross(turn, sub(column(out["W"], i), D)))
        store(out["w_steer"], i, turn)
        v = cross(turn, sub(column(o["c"][CARRIER], i), D))
        add_steered_body(o, CARRIER, i, g["mass"][CARRIER, i], w_B, v, turn, out)

        h, y = column(o["tierod"], i), column(o["tierod_axis"], i)
        x = in_frame(arm, cross(n, arm), n, column(g["tierod_axis"], i))
        e = cross(y, x)
        v_K = cross(turn, sub(K, D))
        t = cross(h, scale(1.0 / g["tierod_length"][i], sub(Q_1, v_K)))
        t = add_scaled(t, dot(sub(turn, t), e) / dot(h, e), h)
        v = add(v_K, cross(t, sub(column(o["c"][TIEROD], i), K)))
        add_steered_body(o, TIEROD, i, g["mass"][TIEROD, i], w_B, v, t, out)


@inline
def show(found, points):
    """Write ball joints, tie rod and struts for the view."""
    o, out = found[0], points[0]
    for i in range(len(o["cos_theta"])):
        for j in range(3):
            out["lower_ball"][j, i], out["upper_ball"][j, i] = o["D"][j, i], o["F"][j, i]
            out["tierod_outer"][j, i] = o["K"][j, i]
            out["shock_lower"][j, i], out["spring_lower"][j, i] = o["B"][j, i], o["S"][j, i]
