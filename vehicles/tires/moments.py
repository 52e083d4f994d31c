"""Forces and moments on the wheel from the tread forces at the contact: resistances of the ground, moments, transport to the wheel
center."""

from __future__ import annotations

import math

from simulator.base.jit import inline
from vehicles.tires.radial import DEFLECTION_MAX, effective_radius
from vehicles.tires.standstill import SPIN_FADE, V_FADE, V_SHOW, V_STUCK, smooth_sign

VERGE = 1.0
"""m. Lag distance, applied twice, of the rut behind the hardness. Smaller: the edge between soil and road is a curb. Larger: the edge of a
road yields."""

SOFT_MIN = 1e-4
"""Fraction of the sinkage that is neglected: some micrometers."""


@inline
def rolling_radius(p, s, i, out):
    """Return the effective rolling radius [m] of tire i at its contact out[i]."""
    R = p[0]["radius"]
    return effective_radius(R, min(max(out[i]["depth"] - yielding_fraction(s, i, out) * s[i]["sinkage"], 0.0), DEFLECTION_MAX * R))


@inline
def yielding_fraction(s, i, out):
    """Return the fraction of the sinkage by which the ground under tire i yields: 1 on soil, 0 on a road, and a transition over some
    meters.

    A state `firm` follows the hardness behind two lags of `VERGE` each: the edge of a road is no curb where the adjacent soil yields.
    Without any sinkage, as on a road, the ground is not modified.
    """
    state = s[i]
    if state["sinkage"] <= 0.0 and out[i]["hardness"] >= 1.0:
        return 0.0
    soft = 1.0 - state["firm"][1]
    return soft if soft > SOFT_MIN or out[i]["hardness"] < 1.0 else 0.0


@inline
def ramp(s, i, out):
    """Return the rise of the ground [1] per distance, over the sinkage, while `yielding_fraction` follows the hardness."""
    state = s[i]
    if yielding_fraction(s, i, out) <= 0.0:
        return 0.0
    return (state["firm"][0] - state["firm"][1]) / VERGE


@inline
def distance_rate(o):
    """Return the speed [m/s] at which a wheel reaches new ground, |v| smooth_sign(|v| / V_FADE): `finish` applies the climbing
    resistance."""
    square = o["v_x"] * o["v_x"] + o["v_y"] * o["v_y"]
    return square / math.sqrt(square + V_FADE * V_FADE)


@inline
def follow_hardness(s, i, h, out):
    """Advance the state `firm` of tire i by h seconds over the ground out[i], exactly for uniform hardness."""
    o, firm = out[i], s[i]["firm"]
    hardness = o["hardness"]
    if firm[0] == hardness and firm[1] == hardness:
        return
    if s[i]["sinkage"] <= 0.0 and hardness >= 1.0:
        firm[0] = firm[1] = hardness
        return
    x = h * distance_rate(o) / VERGE
    decay = math.exp(-x)
    first, second = firm[0] - hardness, firm[1] - hardness
    firm[0], firm[1] = hardness + first * decay, hardness + (second + x * first) * decay


@inline
def contact_length(p, deflection):
    """Return the length of the contact patch [m] at a radial deflection."""
    R = p[0]["radius"]
    return 2.0 * math.sqrt(R * min(max(deflection, 0.0), DEFLECTION_MAX * R))


@inline
def finish(p, s, i, borne, grip, wheel, out):
    """Write all forces and moments of tire i into out[i].

    Parameters
    ----------
    borne : (R_e, v_tread, F_z, slope, deflection, forces): effective radius [m], its product with the spin [m/s], and load, slope of the
        tire spring, radial deflection and forces of the soil as in `vertical_force.carry`
    grip : (F_x, F_y, M_z, M_y): forces of tread and sheared soil [N], moment about the contact normal, and moment of the tread about the
        contact y axis [N m]
    """
    o, t = out[i], p[0]
    R_e, v_tread, F_z, slope, deflection, forces = borne
    F_x, F_y, M_z, M_y = grip
    R, spin, soft, v_x, v_y = t["radius"], wheel[i]["spin"], 1.0 - o["hardness"], o["v_x"], o["v_y"]

    # resistances of the soil, opposite to the motion and zero at rest
    resistance, H, S, _, _, side, _, climb = forces
    push_x = push_y = 0.0
    if climb != 0.0 or soft > 0.0:
        per = 1.0 / math.sqrt(v_x * v_x + v_y * v_y + V_FADE * V_FADE)
        push_x = -soft * resistance * smooth_sign(v_x / V_STUCK) - climb * v_x * per
        push_y = -(soft * t["bulldozing"] * side + climb) * v_y * per

    # moments about the contact point; compaction takes no torque from the axle, the thrust takes its circumferential force
    used = min(max(deflection, 0.0), DEFLECTION_MAX * R)
    loaded = R - used
    torque = (loaded + t["torque_radius"] * (R_e - loaded)) * F_x + soft * R_e * (S - H)
    M_x = -o["hardness"] * t["width"] * t["width"] / 12.0 * slope * o["camber"]
    if t["bearing_width"] > 0.0:
        M_x = -o["hardness"] * overturning(t["bearing_width"], slope, used, o["edge"]) * math.copysign(1.0, o["camber"])
    rolling = t["rolling_resistance"] * (1.0 + s[i]["resistance_gain"]) * F_z * R * smooth_sign(spin / SPIN_FADE)
    M_y += loaded * (F_x + push_x) - torque - rolling

    o["tire_deflection"], o["sinkage"], o["resistance"] = used, yielding_fraction(s, i, out) * s[i]["sinkage"], -push_x
    o["F_C"][0], o["F_C"][1], o["F_C"][2] = F_x + push_x, F_y + push_y, F_z
    o["M_C"][0], o["M_C"][1], o["M_C"][2] = M_x, M_y, M_z
    o["slip_ratio"] = (v_tread - v_x) / max(abs(v_tread), abs(v_x), V_SHOW)
    to_world(i, loaded, wheel, out)


@inline
def overturning(width, slope, deflection, edge):
    """Return the moment [N m] of the radial spring about the contact point, when the load moves to the lower edge of the width
    (`contact`)."""
    fraction = min(math.sqrt(deflection / edge), 1.0) if edge > 0.0 else 1.0
    return slope * width / 6.0 * edge * fraction * fraction * (3.0 - 2.0 * fraction)


@inline
def to_world(i, loaded, wheel, out):
    """Move the contact point to the loaded radius; transform force and moment of out[i] to world axes, the moment about the wheel
    center."""
    o, K = out[i], wheel[i]["p_WK"]
    x, y, n, e, F, M, F_C, M_C = o["x_W"], o["y_W"], o["n_W"], o["e_W"], o["F_W"], o["M_W"], o["F_C"], o["M_C"]
    for k in range(3):
        o["p_WC"][k] = K[k] + loaded * e[k]
        F[k] = F_C[0] * x[k] + F_C[1] * y[k] + F_C[2] * n[k]
    M[0] = M_C[0] * x[0] + M_C[1] * y[0] + M_C[2] * n[0] + loaded * (e[1] * F[2] - e[2] * F[1])
    M[1] = M_C[0] * x[1] + M_C[1] * y[1] + M_C[2] * n[1] + loaded * (e[2] * F[0] - e[0] * F[2])
    M[2] = M_C[0] * x[2] + M_C[1] * y[2] + M_C[2] * n[2] + loaded * (e[0] * F[1] - e[1] * F[0])
