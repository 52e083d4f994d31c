"""Vertical force of a tire: its radial spring in series with hard ground, soil, or a mix of both; shared by all tire models."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from terrain.pressure_sinkage import PACKED, frontal_bulldozing, frontal_factors, local_failure, pressed_before, terzaghi_factors
from vehicles.tires.moments import distance_rate, ramp, yielding_fraction
from vehicles.tires.radial import radial_damping, radial_force
from vehicles.tires.standstill import V_FADE, smooth_sign
from vehicles.tires.wheel_on_soil import VIRGIN, arc_and_motion, contact_forces, earth_of, entry_angle, packing_of, substitute_radius

STANDING = (0.0, 0.0, 0.0, 0.0, 0.0)
"""Motion of a wheel at rest for `soil_reaction`."""

NEVER = (0.0, 0.0)
"""Rut and hole of undisturbed soil, for `soil_reaction`."""

REST_TIME = 0.01
"""s. Time constant in which the state of the rut decays while the wheel does not press on soil."""

SINKAGE_LINEAR = 5e-4
"""m. Below this sinkage the soil is a linear spring, which limits the slope of soils with a small exponent."""

SINKAGE_HUB = 0.8
"""Maximum sinkage over radius ("hub-deep")."""

SHALLOW = 0.06
"""Sinkage over diameter above which a wheel pushes soil ahead [Bekker 1969, as quoted by Wong 2008: "when z / D > 0.06"]. A rule of thumb:
here the effect fades in smoothly from half of this value to one and a half times this value."""

LUG_LAYER = 0.45
"""Layer that slipping lugs remove, over their height: the sinkage of CMU's grouser wheel minus that of the smooth one, at slips of 0.5 to
0.9."""

V_ROLL = 1e-3
"""m/s. Speed of the tread above which its rolling distance counts in the shear. Larger: slow wheels shear too little."""

LAST_OF_LAYER = 0.2
"""Maximum dug depth over the thickness of a layer: approximately what remains of it below a wheel that has packed it."""

MAX_DUG = 0.65
"""Maximum dug depth over radius; together with the sinkage by its load, the wheel then rests approximately on its hub."""


@inline
def tread_factors(p, under):
    """Return (factor of the cohesion, factor of tan phi): strength between this tread and the soil over that of the soil.

    Lugs of height h move soil to the depth of their height, on their sides too [B]: 1 + 2 h / b, 1 + 0.64 (h / b) atan(b / h).
    """
    factor, lug = under[0]["tread_strength"], p[0]["lug_height"] / p[0]["width"]
    if lug <= 0.0:
        return factor, factor
    return factor * (1.0 + 2.0 * lug), factor * (1.0 + 0.64 * lug * math.atan(1.0 / lug))


@inline
def memory_of(under, k, rut):
    """Return the memory of soil (record of `SOIL`) of modulus k that was pressed `rut` (m) deep: `pressed_before`, with the floor at most
    at its height."""
    if rut <= 0.0:
        return VIRGIN
    g = under[0]
    z_u, p_u, k_u, floor = pressed_before(k, g["n"], packing_of(under), g["elastic_stiffness"], g["elastic_growth"], rut)
    return (z_u, p_u, k_u, floor) if floor > 0.0 else (z_u, p_u, p_u / z_u, 0.0)


@kernel
def soil_reaction(p, under, deflection, z, before, motion):
    """Return the reaction of soil (record of `SOIL`) on the flexible tire at the sinkage z >= 0 (m), with the radial deflection of the
    tire.

    `before` is (rut, dug): depth of an earlier rut, and depth that the wheel has dug above this sinkage (m); `motion`
    (e, s_x, s_y, s, fade): as in `soil_wheel`, and the weight of the vertical component of the shear, 0 at standstill. Returns (W, slope,
    area, floor, forces): vertical force of a soil of hardness 0 [N], an upper bound of its slope [N/m], contact area [m2], depth of the rut
    floor [m], and (resistance, thrust, circumferential force, side force, strength, pressure of the side wall, way) as in `contact_forces`.
    """
    R, b = p[0]["radius"], p[0]["width"]
    rut, dug = before
    hub = SINKAGE_HUB * R
    earth = earth_of(under, b, *tread_factors(p, under))
    memory = memory_of(under, earth[0], rut)
    floor = memory[3]
    above = max(z - floor, 0.0)
    used = min(max(above, SINKAGE_LINEAR), hub)
    # in a layer, the tire is flat on what is packed: the deflection turns from a larger circle into a flat part
    packed = min(earth[7] * (floor + used), 1.0)
    round_part, flat_part = max(deflection, 0.0) * (1.0 - packed), max(deflection, 0.0) * packed
    r = substitute_radius(R, round_part, used)
    angles = entry_angle((used + flat_part) / r), entry_angle(flat_part / r)
    arc, moves = arc_and_motion(under, angles, packed, motion[:4])
    W_sigma, W_tau, resistance, H, S, F_y, H_max, side, way = contact_forces(earth, memory, (r, b), arc, moves, 1)
    weight = min(above / SINKAGE_LINEAR, 1.0)
    W = max(W_sigma + motion[4] * W_tau, 0.1 * W_sigma)
    packed = min(packed, PACKED)
    slope = W * (earth[1] + 0.5 + packed / (1.0 - packed)) / used
    if rut > 0.0:
        # slope of the part of the contact that presses on the spring of the rut
        slope += memory[2] * b * 2.0 * math.sqrt(2.0 * r) * (math.sqrt(used) - math.sqrt(min(max(floor + used - rut, 0.0), used)))
    W *= weight
    if z + dug > hub:
        W += p[0]["stiffness"] * (z + dug - hub)
        slope += p[0]["stiffness"]
    forces = (resistance * weight, H * weight, S * weight, F_y * weight, H_max * weight, side, way)
    length = math.sqrt(2.0 * r * (used + flat_part)) + math.sqrt(2.0 * r * flat_part)
    return W, slope, b * length, floor, forces


@inline
def digging_rate(p, state, under, o, h, pressed, slide, length):
    """Return (rate [m/s], rise [1]) over a step of h seconds: the digging rate of the slipping tread, backward Euler in the dug depth d,
    and the slope on which the wheel climbs out of its hole.

        d' = g - d ((v / l)^4 + (g / H)^4)^(1/4),    g = layer v_s / l,    layer = slip_sinkage z_p + LUG_LAYER min(lug height, z_p)

    The tread removes a layer of soil at the slip speed v_s. Undug ground enters at the speed v, over the contact length l. Rolling
    steadily, d = layer slip / (1 - slip); with the wheels spinning in place d tends to H = MAX_DUG R,
    or to the rest of a layer of soil. d decreases at most with d v / l, the
    climb whose resistance `finish` applies. The part of this climb that turning lugs cut from the wall ahead has no resistance: for a wheel
    with lugs only the lifting part counts.

    pressed, slide, length : z_p [m], sinkage by the load; v_s [m/s]; l [m]
    """
    cut = slide / length * LUG_LAYER * min(p[0]["lug_height"], pressed)
    gain = slide / length * (under[0]["slip_sinkage"] * pressed) + cut
    comes, bound = distance_rate(o) / length, gain / min(MAX_DUG * p[0]["radius"], LAST_OF_LAYER * under[0]["depth"])
    comes, bound = comes * comes, bound * bound
    fill = math.sqrt(math.sqrt(comes * comes + bound * bound))
    rise = state["dug"] / length
    if cut > 0.0:
        rise = min(rise, max(state["dug"] * fill - cut, 0.0) / max(distance_rate(o), 1e-9))
    return (gain - state["dug"] * fill) / (1.0 + h * fill), rise


@inline
def pushed_ahead(p, under, z):
    """Return the resistance [N] of the soil ahead of a wheel that has sunk deeper than `SHALLOW` diameters: `frontal_bulldozing` of the
    excess depth, with the slope alpha at which the wheel meets the ground at its sinkage z.

        deep = z - S,    S = SHALLOW D;    (z - S / 2)^2 / (2 S) between S / 2 and 3 S / 2

    Soil with such a large sinkage is loose: it fails where it is pushed, with the strength of `local_failure`.
    """
    D = 2.0 * p[0]["radius"]
    shallow = SHALLOW * D
    excess = z - 0.5 * shallow
    if excess <= 0.0 or p[0]["bulldozing_ahead"] * under[0]["bulldozing"] <= 0.0:
        return 0.0
    deep = 0.5 * excess * excess / shallow if excess < shallow else z - shallow
    phi, cohesion = local_failure(under[0]["friction_angle"], under[0]["cohesion"])
    _, N_c, N_gamma = terzaghi_factors(phi)
    factors = frontal_factors(phi, N_c, N_gamma)
    return (
        p[0]["bulldozing_ahead"]
        * under[0]["bulldozing"]
        * frontal_bulldozing(phi, cohesion, under[0]["unit_weight"], factors, p[0]["width"], D * deep / z, deep)
    )


@inline
def tire_load_on_soil(p, s, i, under, h, v_tread, out):
    """Return the load of tire i: its spring and damper in series with the soil, backward Euler in the rut depth z.

        F_z = F(depth - soft z, depth' - soft z') = W(z_p) + damping area z_p',    z = z_p + d

    where d is dug (`digging_rate`) and z_p pressed. v_tread is R_e spin [m/s]. Returns (F_z, slope, deflection, z', forces): load [N], slope of the
    tire spring [N/m], radial deflection [m] at the end of the step, rate of z [m/s], and the forces of the soil at this load as in
    `soil_reaction`, thrust with its sign, and resistance of climbing out of the hole [N]. The rate of d is written into out[i].
    """
    o, state = out[i], s[i]
    soft, depth, rate, v_x, z, d = yielding_fraction(s, i, out), o["depth"], o["depth_rate"], o["v_x"], s[i]["sinkage"], s[i]["dug"]
    deflection, gain = depth - soft * z, state["stiffness_gain"]
    if depth <= 0.0 or (soft <= 0.0 and o["hardness"] >= 1.0):
        load, slope = radial_force(p, deflection, rate, gain)
        o["dug_rate"] = -d / (h + REST_TIME)
        return load, slope, deflection, -z / (h + REST_TIME), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    # front is the side in the direction of travel; e and fade merge front and rear at standstill
    towards = v_x + v_tread
    sign = 1.0 if towards >= 0.0 else -1.0
    fade = smooth_sign(abs(towards) / (2.0 * V_FADE))
    slip = min(abs(v_tread - v_x) / (max(abs(v_tread), abs(v_x)) + V_FADE), 1.0)
    e = fade * max(smooth_sign(sign * v_tread / V_ROLL), 0.0)
    motion = (e, sign * state["slip"][0], state["slip"][1], slip, fade)
    pressed = max(z - d, 0.0)
    W, soil_slope, area, floor, forces = soil_reaction(p, under, deflection, pressed, (o["rut"], d), motion)

    # the wheel drops to the floor of the existing rut, and by the depth that it digs
    slide = math.sqrt((v_tread - v_x) * (v_tread - v_x) + o["v_y"] * o["v_y"])
    length = area / p[0]["width"]
    o["dug_rate"], rise = digging_rate(p, state, under, o, h, max(pressed - floor, 0.0), slide, length)
    fall = o["dug_rate"]
    if pressed < floor:
        fall += (floor - pressed) / (h + 1e-3)

    static, slope = radial_force(p, deflection, 0.0, gain)
    damper, soil_damper = radial_damping(p, deflection), under[0]["damping"] * area + 1.0
    rate -= soft * fall
    z_rate = (static - h * soft * slope * fall + damper * rate - W) / (soil_damper + soft * damper + h * (soil_slope + soft * slope))
    if static - h * soft * slope * fall + damper * (rate - soft * z_rate) < 0.0:
        z_rate = -W / (soil_damper + h * soil_slope)
    z_rate = max(z_rate, -pressed / (h + 1e-3))
    deflection -= soft * h * (z_rate + fall)
    load, slope = radial_force(p, deflection, rate - soft * z_rate, gain)

    # load carried by the damping of the rut shears no soil; the soil pushed ahead is limited to the force that lifts the wheel over it
    resistance, H, S, F_y, H_max, side, way = forces
    k = min(load / max(W, 1e-6), 1.0)
    ahead = pushed_ahead(p, under, pressed - floor)
    ahead *= load / (load + ahead + 1e-6)
    climb = load * (soft * rise + z * ramp(s, i, out))
    forces = (k * resistance + ahead, k * sign * H, k * sign * S, k * F_y, k * H_max, k * side, way, climb)
    return load, slope, deflection, z_rate + fall, forces


@kernel
def static_force(p, under, depth):
    """Return (normal force [N], its slope [N/m] over depth, rut depth [m] at hardness 0) of a tire at rest that reaches `depth` (m) below
    the undeformed ground `under` (record of `SOIL`). The last number is the state `sinkage` of this tire."""
    if under[0]["hardness"] >= 1.0 or depth <= 0.0:
        force, slope = radial_force(p, depth, 0.0, 0.0)
        return force, slope, 0.0
    step = 1e-6
    z = static_sinkage(p, under, depth)
    soft = 1.0 - under[0]["hardness"]
    force = radial_force(p, depth - soft * z, 0.0, 0.0)[0]
    deeper = radial_force(p, depth + step - soft * static_sinkage(p, under, depth + step), 0.0, 0.0)[0]
    return force, (deeper - force) / step, z


@kernel
def static_sinkage(p, under, depth):
    """Return the rut depth [m] at which tire and soil carry the same load, by bisection: with depth the tire force decreases, the soil
    force increases."""
    soft = 1.0 - under[0]["hardness"]
    low, high = 0.0, depth / soft
    for _ in range(60):
        z = 0.5 * (low + high)
        deflection = depth - soft * z
        if radial_force(p, deflection, 0.0, 0.0)[0] > soil_reaction(p, under, deflection, z, NEVER, STANDING)[0]:
            low = z
        else:
            high = z
    return 0.5 * (low + high)
