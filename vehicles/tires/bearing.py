"""What bears the load of a tire: its radial spring in series with the ground, hard, soil, or a share of each, whatever the tread."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from vehicles.tires.radial import radial_damping, radial_force
from vehicles.tires.soil_wheel import soil_wheel, substitute_radius
from vehicles.tires.standstill import V_CREEP, V_FADE, smooth_sign

STANDING = (0.0, 0.0, 0.0, 0.0, 0.0)
"""Motion of a wheel at rest for `soil_reaction`."""

REST_TIME = 0.01
"""s. Time in which the state of the rut fades while nothing presses on soil."""

SINKAGE_LINEAR = 5e-4
"""m. Below this sinkage the soil is a linear spring, which bounds the slope of soils with a small exponent."""

SINKAGE_HUB = 0.8
"""Sinkage over radius at which the soil lets the wheel sink no further ("hub-deep")."""


@kernel
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
