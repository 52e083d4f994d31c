"""One tire for one step: contact, load, friction or soil, moments.

`tire_forces` evaluates, `tire_advance` moves the state, `tire_step` does contact, evaluation and advance in this order. Hard ground and
soil meet in one contact: the rut is (1 - hardness) times what soil alone would give, the load is one, and the horizontal
forces and moments are the shares of TMeasy and of the soil wheel at that load.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from vehicles.tires.contact import touch
from vehicles.tires.grip import V_CREEP, hold
from vehicles.tires.soil_wheel import soil_wheel, substitute_radius
from vehicles.tires.tmeasy import DEFLECTION_MAX, effective_radius, radial_damping, radial_force, trail

V_FADE = 0.1
"""m/s. Speed at which resistance of soil, trail and side wall pressure reach 70 %. Larger: soft standstill. Smaller:
these forces act as stiffer dampers and need a shorter step."""

SPIN_FADE = 1.0
"""rad/s. The same for rolling resistance."""

V_SHOW = 0.5
"""m/s. Least divisor of the slips that are shown (not of those that make forces)."""

LOAD_LEAST = 1e-9
"""Least load over nominal load in the horizontal curves, which divide by it; below, forces fall to zero with the load."""

FRICTION_LEAST = 0.01
"""Least friction coefficient of hard ground; the slips of the curves scale with it and must not vanish."""

STANDING = (0.0, 0.0, 0.0, 0.0, 0.0)
"""Motion of a wheel at rest for `soil_reaction`."""

REST_TIME = 0.01
"""s. Time in which the state of the rut fades while nothing presses on soil."""

MENDING = 1.0
"""m/s. Speed at which a dent of the rim goes out again: an edge that came up under the one contact point is a ramp in truth. Larger: who
starts deep under the ground is thrown out of it."""

SINKAGE_LINEAR = 5e-4
"""m. Below this sinkage the soil is a linear spring, which bounds the slope of soils with a small exponent."""

SINKAGE_HUB = 0.8
"""Sinkage over radius at which the soil lets the wheel sink no further ("hub-deep")."""


@inline
def smooth_sign(x):
    """x / sqrt(1 + x^2): sign of x without a jump."""
    return x / math.sqrt(1.0 + x * x)


@inline
def soil_reaction(p, under, deflection, z, motion):
    """Soil (record of `SOIL`) under the flexible tire at the sinkage z >= 0 (m), with the tire's radial deflection.

    `motion` is (e, s_x, s_y, s, fade): as in `soil_wheel`, and the share of the shear's vertical part, 0 at standstill.
    Returns (W, slope, area, forces): vertical force of a soil of hardness 0 [N], an upper bound of its slope [N/m], contact area [m2],
    and (resistance, thrust, circumferential force, side force, strength, side wall's pressure, way) as in `soil_wheel`.
    """
    R, b = p[0]["radius"], p[0]["width"]
    hub = SINKAGE_HUB * R
    z_used = min(max(z, SINKAGE_LINEAR), hub)
    r = substitute_radius(R, max(deflection, 0.0), z_used)
    W_sigma, W_tau, resistance, H, S, F_y, H_max, side, way = soil_wheel(under, r, b, z_used, motion[:4])
    share = min(z / SINKAGE_LINEAR, 1.0)
    W = max(W_sigma + motion[4] * W_tau, 0.1 * W_sigma)
    slope = W * (under[0]["n"] + 0.5) / z_used
    W *= share
    if z > hub:
        W += p[0]["stiffness"] * (z - hub)
        slope += p[0]["stiffness"]
    forces = (resistance * share, H * share, S * share, F_y * share, H_max * share, side, way)
    return W, slope, b * math.sqrt(2.0 * r * z_used), forces


@inline
def carry(p, s, i, under, h, v_tread, out):
    """Load of tire i: its spring and damper in series with the soil, backward Euler in the depth z of the rut.

        F_z = F(depth - soft z, depth' - soft z') = W(z) + damping area z'

    v_tread is R_e spin [m/s]. Returns (F_z, slope, deflection, z', forces): load [N], slope of the tire's spring [N/m], radial deflection
    [m] at the end of the step, rate of z [m/s], and the soil's forces at that load as in `soil_reaction`, thrust with its sign.
    """
    o, state = out[i], s[i]
    soft, depth, rate, v_x, z = 1.0 - o["hardness"], o["depth"], o["depth_rate"], o["v_x"], s[i]["sinkage"]
    deflection = depth - soft * z
    if soft <= 0.0 or depth <= 0.0:
        load, slope = radial_force(p, deflection, rate)
        return load, slope, deflection, -z / (h + REST_TIME), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    # front is where the wheel goes; e and fade bring front and rear together at standstill
    towards = v_x + v_tread
    sign = 1.0 if towards >= 0.0 else -1.0
    fade = smooth_sign(abs(towards) / (2.0 * V_FADE))
    slip = min(abs(v_tread - v_x) / (max(abs(v_tread), abs(v_x)) + V_FADE), 1.0)
    e = fade * max(sign * v_tread, 0.0) / (abs(v_tread) + V_CREEP)
    motion = (e, sign * state["slip"][0], state["slip"][1], slip, fade)
    W, soil_slope, area, forces = soil_reaction(p, under, deflection, z, motion)

    static, slope = radial_force(p, deflection, 0.0)
    damper, soil_damper = radial_damping(p, deflection), under[0]["damping"] * area + 1.0
    z_rate = (static + damper * rate - W) / (soil_damper + soft * damper + h * (soil_slope + soft * slope))
    if static + damper * (rate - soft * z_rate) < 0.0:
        z_rate = -W / (soil_damper + h * soil_slope)
    z_rate = max(z_rate, -z / (h + 1e-3))
    deflection -= soft * h * z_rate
    load, slope = radial_force(p, deflection, rate - soft * z_rate)

    # what the rut's own damping bears shears no soil
    resistance, H, S, F_y, H_max, side, way = forces
    k = min(load / max(W, 1e-6), 1.0)
    return load, slope, deflection, z_rate, (k * resistance, k * sign * H, k * sign * S, k * F_y, k * H_max, k * side, way)


@inline
def stick(p, s, i, under, h, v_tread, load, forces, out):
    """Horizontal forces (F_x, F_y) [N] of tire i and its lateral slip: tread springs against friction and the soil's strength.

    `load` [N] and the soil's `forces` are those of `carry`. Soil is H s / (s + s1), with s1 from the way of the tread through the contact,
    plus what the integrals gave beyond that at the slip of the last step. Rates go into out[i].
    """
    o, t, state = out[i], p[0], s[i]
    soft = 1.0 - o["hardness"]
    _, H, _, F_y, H_max, _, way = forces
    slip_x, slip_y = state["slip"][0], state["slip"][1]
    last = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    half = under[0]["shear_modulus"] / max(way, 1e-3)
    rest_x, rest_y = soft * (H - H_max * slip_x / (last + half)), soft * (F_y - H_max * slip_y / (last + half))

    c, d = t["tread_stiffness"], t["tread_damping"]
    K_x, K_y = c[0] * h + d[0], c[1] * h + d[1]
    v_x, v_y = o["v_x"] - v_tread, o["v_y"]
    trial = (
        c[0] * state["u"][0] - K_x * v_x - rest_x, c[1] * state["u"][1] - K_y * v_y - rest_y,
        K_x, K_y, math.sqrt(v_x * v_x + v_y * v_y), abs(v_tread) + V_CREEP,
    )  # fmt: skip
    q = min(max(load / t["load"], LOAD_LEAST), t["load_max"] / t["load"])
    m = max(under[0]["friction"], FRICTION_LEAST) / t["friction"]
    F_x, F_y, s_x, s_y, g = hold(p, (q, m, o["hardness"], H_max, half), trial, (state["secant"], last))
    if load < LOAD_LEAST * t["load"]:
        F_x *= load / (LOAD_LEAST * t["load"])
        F_y *= load / (LOAD_LEAST * t["load"])
    F_x += rest_x
    F_y += rest_y
    o["u_rate"][0], o["u_rate"][1] = (F_x - c[0] * state["u"][0]) / K_x, (F_y - c[1] * state["u"][1]) / K_y
    o["slip"][0], o["slip"][1], o["secant"] = s_x, s_y, g
    return F_x, F_y, s_y


@inline
def tire_forces(p, s, i, under, h, wheel, out):
    """Forces and rates of tire i at its contact out[i] (from `touch`), for a step of h seconds; h = 0 gives the rates of the ODE.

    Reads the state s[i] and leaves it alone. `under` is the ground (record of `SOIL`). The loads are implicit in the
    tire's own states over h and explicit in the wheel's motion. Raises nothing; any finite input gives finite output.
    """
    o, t = out[i], p[0]
    R, spin, soft, v_x, v_y = t["radius"], wheel[i]["spin"], 1.0 - o["hardness"], o["v_x"], o["v_y"]
    z = s[i]["sinkage"]
    R_e = effective_radius(R, min(max(o["depth"] - soft * z, 0.0), DEFLECTION_MAX * R))
    v_tread = R_e * spin
    F_z, slope, deflection, o["sinkage_rate"], forces = carry(p, s, i, under, h, v_tread, out)
    F_x, F_y, s_y = stick(p, s, i, under, h, v_tread, F_z, forces, out)

    # the soil's resistances, opposed to motion and gone without it
    resistance, H, S, _, _, side, _ = forces
    push_x = push_y = 0.0
    if soft > 0.0:
        push_x = -soft * resistance * smooth_sign(v_x / V_FADE)
        push_y = -soft * t["bulldozing"] * side * v_y / math.sqrt(v_x * v_x + v_y * v_y + V_FADE * V_FADE)

    # moments about the contact point; compaction takes no torque from the axle, the thrust takes its circumferential force
    used = min(max(deflection, 0.0), DEFLECTION_MAX * R)
    loaded = R - used
    torque = (loaded + t["torque_radius"] * (R_e - loaded)) * F_x + soft * R_e * (S - H)
    M_x = -o["hardness"] * t["width"] * t["width"] / 12.0 * slope * o["camber"]
    M_y = loaded * (F_x + push_x) - torque - t["rolling_resistance"] * F_z * R * smooth_sign(spin / SPIN_FADE)
    q = min(max(F_z / t["load"], LOAD_LEAST), t["load_max"] / t["load"])
    M_z = -o["hardness"] * F_y * 2.0 * math.sqrt(R * used) * trail(p, q, s_y) * smooth_sign(v_tread / V_FADE)

    o["tire_deflection"], o["sinkage"] = used, soft * z
    o["F_C"][0], o["F_C"][1], o["F_C"][2] = F_x + push_x, F_y + push_y, F_z
    o["M_C"][0], o["M_C"][1], o["M_C"][2] = M_x, M_y, M_z
    o["slip_ratio"] = (v_tread - v_x) / max(abs(v_tread), abs(v_x), V_SHOW)
    o["slip_angle"] = math.atan2(v_y, max(abs(v_x), V_SHOW))
    to_world(i, loaded, wheel, out)


@inline
def to_world(i, loaded, wheel, out):
    """Contact point at the loaded radius; force and moment of out[i] from contact to world axes, the moment to the wheel center."""
    o, K = out[i], wheel[i]["p_WK"]
    x, y, n, e, F, M, F_C, M_C = o["x_W"], o["y_W"], o["n_W"], o["e_W"], o["F_W"], o["M_W"], o["F_C"], o["M_C"]
    for k in range(3):
        o["p_WC"][k] = K[k] + loaded * e[k]
        F[k] = F_C[0] * x[k] + F_C[1] * y[k] + F_C[2] * n[k]
    M[0] = M_C[0] * x[0] + M_C[1] * y[0] + M_C[2] * n[0] + loaded * (e[1] * F[2] - e[2] * F[1])
    M[1] = M_C[0] * x[1] + M_C[1] * y[1] + M_C[2] * n[1] + loaded * (e[2] * F[0] - e[0] * F[2])
    M[2] = M_C[0] * x[2] + M_C[1] * y[2] + M_C[2] * n[2] + loaded * (e[0] * F[1] - e[1] * F[0])


@inline
def tire_advance(s, i, h, out):
    """State of tire i after h seconds at the rates in out[i]."""
    o, state = out[i], s[i]
    for k in range(2):
        state["u"][k] += h * o["u_rate"][k]
        state["slip"][k] = o["slip"][k]
    for k in range(3):
        state["e_W"][k] = o["e_W"][k]
    state["secant"] = o["secant"]
    state["dent"] = max(o["dent"] - h * MENDING, 0.0)
    state["sinkage"] = max(state["sinkage"] + h * o["sinkage_rate"], 0.0)


@kernel
def tire_step(p, s, i, ground, under, h, wheel, out):
    """Tire i through one step of h seconds with the wheel as it is at its start: forces into out[i], state s[i] advanced.

    Parameters
    ----------
    p : (1,) record of `parameters.TIRE`
    s, wheel, out : (n,) records of `TIRE_STATE`, `WHEEL`, `TIRE_OUT`
    ground : (p, heights, hardness, soil_ids, soils), see `terrain.surface`
    under : (1,) record of `terrain.soil.SOIL`, receives the ground below the tire
    """
    touch(p, s, i, ground, under, wheel, out)
    tire_forces(p, s, i, under, h, wheel, out)
    tire_advance(s, i, h, out)


@kernel
def static_force(p, under, depth):
    """(normal force [N], its slope [N/m] over depth, rut depth [m] at hardness 0) of a standing tire that reaches `depth` (m) below
    the undeformed ground `under` (record of `SOIL`). The last number is the state `sinkage` of that tire."""
    if under[0]["hardness"] >= 1.0 or depth <= 0.0:
        force, slope = radial_force(p, depth, 0.0)
        return force, slope, 0.0
    step = 1e-6
    z = static_sinkage(p, under, depth)
    soft = 1.0 - under[0]["hardness"]
    force = radial_force(p, depth - soft * z, 0.0)[0]
    deeper = radial_force(p, depth + step - soft * static_sinkage(p, under, depth + step), 0.0)[0]
    return force, (deeper - force) / step, z


@kernel
def static_sinkage(p, under, depth):
    """Rut depth [m] at which tire and soil carry the same, by bisection: the tire's force falls with it, the soil's rises."""
    soft = 1.0 - under[0]["hardness"]
    low, high = 0.0, depth / soft
    for _ in range(60):
        z = 0.5 * (low + high)
        deflection = depth - soft * z
        if radial_force(p, deflection, 0.0)[0] > soil_reaction(p, under, deflection, z, STANDING)[0]:
            low = z
        else:
            high = z
    return 0.5 * (low + high)
