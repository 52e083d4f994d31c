"""One tire for one step: contact, load, friction or soil, moments.

`tire_forces` evaluates, `tire_advance` moves the state, `tire_step` does contact, evaluation and advance in this order. Hard ground and
soil meet in one contact: the rut is (1 - hardness) times what soil alone would give, the load is one, and the horizontal
forces and moments are the shares of TMeasy and of the soil wheel at that load.
"""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from vehicles.tires.contact import touch
from vehicles.tires.grip import V_CREEP, hold
from vehicles.tires.soil_wheel import soil_wheel, substitute_radius
from vehicles.tires.tmeasy import effective_radius, radial_damping, radial_force, trail

V_FADE = 0.1
"""m/s. Speed at which resistance of soil, trail and side wall pressure reach 70 %. Larger: soft standstill. Smaller:
these forces act as stiffer dampers and need a shorter step."""

SPIN_FADE = 1.0
"""rad/s. The same for rolling resistance."""

V_SHOW = 0.5
"""m/s. Least divisor of the slips that are shown (not of those that make forces)."""

LOAD_LEAST = 1e-9
"""Least load over nominal load in the horizontal curves, which divide by it; below, forces fall to zero with the load."""

SINKAGE_LINEAR = 5e-4
"""m. Below this sinkage the soil is a linear spring, which bounds the slope of soils with a small exponent."""

SINKAGE_HUB = 0.8
"""Sinkage over radius at which the soil lets the wheel sink no further ("hub-deep")."""


@kernel
def smooth_sign(x):
    """x / sqrt(1 + x^2): sign of x without a jump."""
    return x / math.sqrt(1.0 + x * x)


@kernel
def soil_reaction(p, under, deflection, z, motion):
    """Soil (record of `SOIL`) under the flexible tire at the sinkage z >= 0 (m), with the tire's radial deflection.

    Returns a tuple: vertical force of a soil of hardness 0, its slope (an upper bound, N/m), contact area (m2), then as in `soil_wheel`
    resistance, thrust, circumferential and side force, strength, side wall pressure, way.
    """
    R, b = p[0]["radius"], p[0]["width"]
    hub = SINKAGE_HUB * R
    z_used = min(max(z, SINKAGE_LINEAR), hub)
    r = substitute_radius(R, max(deflection, 0.0), z_used)
    W_sigma, W_tau, resistance, H, S, F_y, H_max, side, way = soil_wheel(under, r, b, z_used, motion)
    share = min(z / SINKAGE_LINEAR, 1.0)
    W = max(W_sigma + W_tau, 0.1 * W_sigma)
    slope = W * (under[0]["n"] + 0.5) / z_used
    over = p[0]["stiffness"] * max(z - hub, 0.0)
    if z > hub:
        slope += p[0]["stiffness"]
    area = b * math.sqrt(2.0 * r * z_used)
    return W * share + over, slope, area, resistance * share, H * share, S * share, F_y * share, H_max * share, side, way


@kernel
def tire_forces(p, s, i, under, h, wheel, out):
    """Forces and rates of tire i at its contact out[i] (from `touch`), for a step of h seconds; h = 0 gives the rates of the ODE.

    Reads the state s[i] and leaves it alone. `under` is the ground (record of `SOIL`). The loads are implicit in the
    tire's own states over h and explicit in the wheel's motion. On soil the shape of the thrust curve is taken at the slip of
    the last step.

    Raises nothing; any finite input gives finite output.
    """
    o, t, state = out[i], p[0], s[i]
    R, spin, soft = t["radius"], wheel[i]["spin"], 1.0 - o["hardness"]
    v_x, v_y, depth, rate = o["v_x"], o["v_y"], o["depth"], o["depth_rate"]
    z = state["sinkage"]
    deflection = depth - soft * z

    # speeds of the tread; e and fade bring the soil's front and rear together at standstill
    R_e = effective_radius(R, min(max(deflection, 0.0), 0.9 * R))
    v_tread = R_e * spin
    v_t = abs(v_tread) + V_CREEP

    # vertical: tire spring in series with the soil, backward Euler in the rut's depth
    resistance = H = S = F_y = H_max = side = way = 0.0
    sign = 1.0
    sinkage_rate = -z / (h + 0.01)
    F_z, tire_slope = radial_force(p, deflection, rate)
    if soft > 0.0 and depth > 0.0:
        towards = v_x + v_tread
        sign = 1.0 if towards >= 0.0 else -1.0
        fade = smooth_sign(abs(towards) / (2.0 * V_FADE))
        slip = abs(v_tread - v_x) / (max(abs(v_tread), abs(v_x)) + V_FADE)
        e = fade * max(sign * v_tread, 0.0) / v_t
        motion = (e, sign * state["slip"][0], state["slip"][1], min(slip, 1.0))
        W, slope, area, resistance, H, S, F_y, H_max, side, way = soil_reaction(p, under, deflection, z, motion)
        damper = radial_damping(p, deflection)
        F_static, tire_slope = radial_force(p, deflection, 0.0)
        soil_damping = under[0]["damping"] * area
        give = soil_damping + soft * damper + h * (slope + soft * tire_slope) + 1.0
        sinkage_rate = (F_static + damper * rate - W) / give
        if F_static + damper * (rate - soft * sinkage_rate) < 0.0:
            sinkage_rate = -W / (soil_damping + h * slope + 1.0)
        sinkage_rate = max(sinkage_rate, -z / (h + 1e-3))
        deflection -= soft * h * sinkage_rate
        F_z, tire_slope = radial_force(p, deflection, rate - soft * sinkage_rate)
        grip = min(F_z / max(W, 1e-6), 1.0)
        resistance, H, S, F_y, H_max, side = (
            grip * resistance, grip * sign * H, grip * sign * S, grip * F_y, grip * H_max, grip * side,
        )  # fmt: skip

    # horizontal: tread springs against friction and soil strength
    q = min(max(F_z / t["load"], LOAD_LEAST), t["load_max"] / t["load"])
    half = under[0]["shear_modulus"] / max(way, 1e-3)
    slip_x, slip_y = state["slip"][0], state["slip"][1]
    last = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    rest_x, rest_y = soft * (H - H_max * slip_x / (last + half)), soft * (F_y - H_max * slip_y / (last + half))
    K_x, K_y = t["tread_stiffness"][0] * h + t["tread_damping"][0], t["tread_stiffness"][1] * h + t["tread_damping"][1]
    slide_x = v_x - v_tread
    v_s = math.sqrt(slide_x * slide_x + v_y * v_y)
    T_x = t["tread_stiffness"][0] * state["u"][0] - K_x * slide_x - rest_x
    T_y = t["tread_stiffness"][1] * state["u"][1] - K_y * v_y - rest_y
    m = max(under[0]["friction"], 0.01) / t["friction"]
    F_x, F_y, s_x, s_y, g = hold(p, (q, m, o["hardness"], H_max, half), (T_x, T_y, K_x, K_y, v_s, v_t), (state["secant"], last))
    if F_z < LOAD_LEAST * t["load"]:
        F_x *= F_z / (LOAD_LEAST * t["load"])
        F_y *= F_z / (LOAD_LEAST * t["load"])
    F_x += rest_x
    F_y += rest_y
    o["u_rate"][0] = (F_x - t["tread_stiffness"][0] * state["u"][0]) / K_x
    o["u_rate"][1] = (F_y - t["tread_stiffness"][1] * state["u"][1]) / K_y
    o["slip"][0], o["slip"][1], o["secant"], o["sinkage_rate"] = s_x, s_y, g, sinkage_rate
    o["drag_x"] = K_x * g / (K_x + g)

    # soil's resistances, opposed to motion and gone without it
    push_x = push_y = 0.0
    if soft > 0.0:
        push_x = -soft * resistance * smooth_sign(v_x / V_FADE)
        push_y = -soft * t["bulldozing"] * side * v_y / math.sqrt(v_x * v_x + v_y * v_y + V_FADE * V_FADE)

    # moments about the contact point; compaction takes no torque from the axle, the thrust takes its circumferential force
    used = min(max(deflection, 0.0), 0.9 * R)
    loaded = R - used
    torque = (loaded + t["torque_radius"] * (R_e - loaded)) * F_x + soft * R_e * (S - H)
    M_x = -o["hardness"] * t["width"] * t["width"] / 12.0 * tire_slope * o["camber"]
    M_y = loaded * (F_x + push_x) - torque - t["rolling_resistance"] * F_z * R * smooth_sign(spin / SPIN_FADE)
    M_z = -o["hardness"] * F_y * 2.0 * math.sqrt(R * used) * trail(p, q, s_y) * smooth_sign(v_tread / V_FADE)

    o["tire_deflection"], o["sinkage"] = used, soft * z
    o["F_C"][0], o["F_C"][1], o["F_C"][2] = F_x + push_x, F_y + push_y, F_z
    o["M_C"][0], o["M_C"][1], o["M_C"][2] = M_x, M_y, M_z
    o["slip_ratio"] = (v_tread - v_x) / max(abs(v_tread), abs(v_x), V_SHOW)
    o["slip_angle"] = math.atan2(v_y, max(abs(v_x), V_SHOW))
    to_world(i, loaded, wheel, out)


@kernel
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


@kernel
def tire_advance(s, i, h, out):
    """State of tire i after h seconds at the rates in out[i]."""
    o, state = out[i], s[i]
    for k in range(2):
        state["u"][k] += h * o["u_rate"][k]
        state["slip"][k] = o["slip"][k]
    for k in range(3):
        state["e_W"][k] = o["e_W"][k]
    state["secant"] = o["secant"]
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
        if radial_force(p, deflection, 0.0)[0] > soil_reaction(p, under, deflection, z, (0.0, 0.0, 0.0, 0.0))[0]:
            low = z
        else:
            high = z
    return 0.5 * (low + high)
