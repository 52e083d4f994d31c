"""Wheel on soil: Bekker's pressure over the arc of Wong and Reece, shear by Janosi and Hanamoto; driven, towed, braked and locked.

[WR] J. Y. Wong, A. R. Reece, Prediction of rigid wheel performance based on the analysis of soil-wheel stresses, parts I and II, J.
Terramechanics 4 (1967). [JH] Z. Janosi, B. Hanamoto, 1st ISTVS conference (1961). [B] M. G. Bekker, Introduction to
Terrain-Vehicle Systems (1969). Pressures and passive pressures are those of `terrain.pressure_sinkage`. Angles are from bottom dead center,
+ = towards the direction of travel. docs/soil.md has the derivations.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from simulator.base.jit import inline, kernel
from terrain.pressure_sinkage import hegedus_factors, remembered_pressure
from terrain.soil import HALF_SPACE

NODES = (0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623)
WEIGHTS = (0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626)
"""Positive half of the Gauss-Legendre rule of 8 points."""

VIRGIN = (0.0, 0.0, 0.0, 0.0)
"""Memory of undisturbed soil."""

SKID = 0.1
"""Skid, 1 - R spin / v, above which the soil ahead of a braked wheel flows as in [WR], part II; below, the flow fades in smoothly."""

TURN_BEGINS, TURN_ENDS = 0.01, 0.04
"""Slip range in which the shear stress turns from the displacement to the slip velocity. Close to zero the velocity has no well-defined
direction, and the side force of a freely rolling wheel would grow with the root of the slip angle: too steep for any step."""

TINY = 1e-24
"""Squares below which a direction is undefined."""


@inline
def substitute_radius(R0, deflection, sinkage):
    """Return the radius of the rigid wheel with the sinkage and the contact length of the deflected tire.

        sqrt(2 r* z) = sqrt(2 R0 (z + d)) + sqrt(2 R0 d)

    The larger substitute circle of Bekker and Bolling: R0 without deflection, a flat patch on hard ground; sinkage must be > 0.
    """
    root = math.sqrt(1.0 + deflection / sinkage) + math.sqrt(deflection / sinkage)
    return R0 * root * root


@inline
def entry_angle(ratio):
    """Return acos(1 - ratio) for the ratio of sinkage and radius, at most 90 degrees."""
    return 2.0 * math.asin(math.sqrt(min(0.5 * ratio, 0.5)))


@inline
def smooth_step(x):
    """Return 0 below 0, 1 above 1, and a C1 transition between."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@inline
def turning_point(theta_1, friction_angle, rolled):
    """Return the angle theta_0 at which the shear below a skidding wheel changes its sign [WR, part II].

        tan(pi / 4 - phi / 2) sin theta_0 = cos theta_0 - rolled,    rolled = 1 / (1 + i) = R spin / v

    with x = pi / 4 - phi / 2 this is cos(theta_0 + x) = rolled cos x; between 0 and theta_1.
    """
    x = 0.25 * math.pi - 0.5 * friction_angle
    return min(max(math.acos(min(max(rolled * math.cos(x), -1.0), 1.0)) - x, 0.0), theta_1)


@inline
def soil_flow(theta_1, theta_0, e, s_x):
    """Return the velocity in excess of e with which the soil ahead of theta_0 moves, per tread travel, so that it reaches theta_0 unsheared
    [WR, part II].

    (e - s_x) (sin theta_1 - sin theta_0) / (theta_1 - theta_0) - e
    """
    if theta_1 - theta_0 < 1e-9:
        return (e - s_x) * math.cos(theta_1) - e
    return (e - s_x) * (math.sin(theta_1) - math.sin(theta_0)) / (theta_1 - theta_0) - e


@inline
def sheared_by(r, K, motion, flow, turned, angle):
    """Return the components (x, y) of the mobilized fraction of shear strength at a point of the arc.

        j_x = r (e (theta_1 - theta) - (e - s_x) (sin theta_1 - sin theta) + flow min(theta_1 - theta, theta_1 - theta_0))
        j_y = r s_y (theta_1 - theta)
        fraction = 1 - exp(-j / K)                                                                                  [JH]

    along the slip velocity (e - (e - s_x) cos theta, s_y), along the displacement where `velocity` is 0, or a mix of both. Both components
    share one fraction, so the strength is never exceeded.

    Parameters
    ----------
    motion : (e, s_x, s_y, velocity) as in `contact_forces`
    flow : (result of `soil_flow`, theta_1 - theta_0)
    turned, angle : theta_1 - theta; (sin theta_1 - sin theta, cos theta)
    """
    e, s_x, s_y, velocity = motion
    rise, cos_t = angle
    j_x = r * (e * (turned - rise) + s_x * rise + flow[0] * min(turned, flow[1]))
    j_y = r * s_y * turned
    j = math.sqrt(j_x * j_x + j_y * j_y + 1e-12 * K * K)
    mobilized = 1.0 - math.exp(-j / K)
    along = (1.0 - velocity) * mobilized / j
    v_x = e * (1.0 - cos_t) + s_x * cos_t
    with_velocity = velocity * mobilized / math.sqrt(v_x * v_x + s_y * s_y + TINY)
    return along * j_x + with_velocity * v_x, along * j_y + with_velocity * s_y


@inline
def small_sine_cosine(x):
    """Return (sin x, cos x) to 1e-10 for |x| < 0.8, from the Taylor series."""
    y = x * x
    return (
        x * (1.0 - y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0 * (1.0 - y / 110.0))))),
        1.0 - y / 2.0 * (1.0 - y / 12.0 * (1.0 - y / 30.0 * (1.0 - y / 56.0 * (1.0 - y / 90.0 * (1.0 - y / 132.0))))),
    )


class ArcSums(NamedTuple):
    """Integrals over the arcs: in Pa, to be multiplied with r b, the quantities that `contact_forces` returns."""

    W_sigma: Any
    W_tau: Any
    R: Any
    H: Any
    S: Any
    F_y: Any
    H_max: Any
    side: Any
    """N"""
    way: Any
    """mean of theta_1 - theta, times `H_max`"""


@inline
def angle_of_node(theta_1, middle, turn, sign):
    """Return (theta_1 - theta, sin theta, cos theta) at the angle theta = middle + sign turn; both are (angle, sine, cosine)."""
    mid, sin_m, cos_m = middle
    off, sine, cosine = turn
    return theta_1 - mid - sign * off, sin_m * cosine + sign * cos_m * sine, cos_m * cosine - sign * sin_m * sine


@inline
def add_node(sums, earth, r, weight, sigma, part, height, angle):
    """Return the sums with one more node of an arc.

    Parameters
    ----------
    sums : ArcSums
    earth : as in `contact_forces`
    weight : part of the arc [rad]
    sigma : pressure [Pa]
    part : result of `sheared_by`
    height : m, below the ground
    angle : result of `angle_of_node`
    """
    _, _, cohesion, tan_phi, _, wall, wall_growth, _ = earth
    turned, sin_t, cos_t = angle
    w = weight * (cohesion + sigma * tan_phi)
    return ArcSums(
        sums.W_sigma + weight * sigma * cos_t,
        sums.W_tau + w * part[0] * sin_t,
        sums.R + weight * sigma * sin_t,
        sums.H + w * part[0] * cos_t,
        sums.S + w * part[0],
        sums.F_y + w * part[1],
        sums.H_max + w * cos_t,
        sums.side + weight * (wall + wall_growth * height) * height * (r - height * cos_t),
        sums.way + w * cos_t * turned,
    )


@inline
def contact_forces(earth, memory, wheel, arc, motion, panels):
    """Return the forces of the soil on a rigid wheel, by Gauss-Legendre integration over the arcs ahead of and behind the maximum pressure.

        sigma = p(floor + r (cos theta' - cos theta_1)),   theta' the angle, mirrored to the front on the rear arc
        tau   = (c + sigma tan phi) times `sheared_by`

    Parameters
    ----------
    earth : (k, n, c, tan phi, K, D1 c, D1 D2 gamma / 2, packing): modulus [N/m^(n+2)], exponent, strength between tread and soil [Pa, 1], shear
        modulus [m], the coefficients of `side_pressure` for the height of the wall and its square, and packing of `virgin_pressure` [1/m]
    memory : result of `pressed_before`, or VIRGIN
    wheel : (r, b): m
    arc : (theta_1, theta_m, theta_2, flow, theta_0, flat): entry, maximum pressure, exit; `soil_flow` and `turning_point`, 0 and 0 for
        none; sine of the angle at which the flat part of a deflected tire begins, which has the pressure at theta_m
    motion : (e, s_x, s_y, velocity): rolling fraction (1, or 0 at standstill), slip along and across per tread travel, so that with e = 1
        j_x is r [(theta_1 - theta) - (1 - s_x) (sin theta_1 - sin theta)]; fraction of the stress along the slip velocity
    panels : equal parts of each arc, 8 points each

    Returns
    -------
    tuple : in N: vertical force of the pressure and of the shear, compaction resistance (integral of sigma sin theta), gross
        thrust (of tau_x cos theta), circumferential force (torque / r), side force, strength (of tau_max cos theta), passive pressure of
        the side wall; in m: mean travel of the tread through the contact, weighted with the strength
    """
    k, n, _, _, K, _, _, packing = earth
    r, b = wheel
    theta_1, theta_m, theta_2, taken, theta_0, flat = arc
    flow = (taken, theta_1 - theta_0)
    floor = memory[3]
    c1, s1 = math.cos(theta_1), math.sin(theta_1)
    half_f, half_r = 0.5 * (theta_1 - theta_m) / panels, 0.5 * (theta_m - theta_2) / panels

    sums = ArcSums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for panel in range(panels):
        mid_f, mid_r = theta_m + (2 * panel + 1) * half_f, theta_m - (2 * panel + 1) * half_r
        front, rear = (mid_f, math.sin(mid_f), math.cos(mid_f)), (mid_r, math.sin(mid_r), math.cos(mid_r))
        for node in range(4):
            off_f, off_r = half_f * NODES[node], half_r * NODES[node]
            turn_f, turn_r = (off_f, *small_sine_cosine(off_f)), (off_r, *small_sine_cosine(off_r))
            for sign in (1.0, -1.0):
                # the pressure at a node of the front arc equals that at the mirrored node of the rear arc
                angle = angle_of_node(theta_1, front, turn_f, sign)
                height = r * (angle[2] - c1)
                sigma = remembered_pressure(k, n, packing, memory, floor + height)
                part = sheared_by(r, K, motion, flow, angle[0], (s1 - angle[1], angle[2]))
                sums = add_node(sums, earth, r, WEIGHTS[node] * half_f, sigma, part, height, angle)

                angle = angle_of_node(theta_1, rear, turn_r, -sign)
                height = max(r * (angle[2] - c1), 0.0)
                part = sheared_by(r, K, motion, flow, angle[0], (s1 - angle[1], angle[2]))
                sums = add_node(sums, earth, r, WEIGHTS[node] * half_r, sigma, part, height, angle)

    if flat > 0.0:
        height = r * (math.cos(theta_m) - c1)
        turned = theta_1 - theta_m + flat  # to the middle of the flat part
        part = sheared_by(r, K, motion, flow, turned, (s1, 1.0))
        sigma = remembered_pressure(k, n, packing, memory, floor + height)
        sums = add_node(sums, earth, r, 2.0 * flat, sigma, part, height, (turned, 0.0, 1.0))

    area, q = r * b, sums
    return (
        area * q.W_sigma, area * q.W_tau, area * q.R, area * q.H, area * q.S, area * q.F_y, area * q.H_max, q.side, r * q.way / max(q.H_max, 1e-300),
    )  # fmt: skip


@inline
def earth_of(soil, b, cohesion_factor, friction_factor):
    """Return the soil parameters of `contact_forces` for a soil (record of `SOIL`) under a wheel of width b (m), its strength times factors
    of the tread."""
    g = soil[0]
    _, D1, D2 = hegedus_factors(g["friction_angle"])
    tan_phi = math.tan(g["friction_angle"])
    wall = D1 * g["displaced"]
    return (
        g["k_c"] / b + g["k_phi"], g["n"], cohesion_factor * g["cohesion"], friction_factor * tan_phi, g["shear_modulus"],
        wall * g["cohesion"], 0.5 * wall * D2 * g["unit_weight"], packing_of(soil),
    )  # fmt: skip


@inline
def packing_of(soil):
    """Return 1 over the depth at which the layer of a soil (record of `SOIL`) is packed [1/m]: 0 in a half space."""
    g = soil[0]
    return 1.0 / (g["depth"] * g["compaction"]) if 0.0 < g["depth"] < HALF_SPACE else 0.0


@inline
def arc_and_motion(soil, angles, packed, motion):
    """Return (arc, motion) for `contact_forces`; `motion` is (e, s_x, s_y, s) as in `soil_wheel`.

        theta_m = theta_f + (c1 + c2 |s|) (theta_1 - theta_f),   theta_2 = exit_ratio theta_1 (1 - packed) + theta_m packed

    `angles` are the entry theta_1 and the beginning theta_f of the flat part, 0 without one; `packed` is the sinkage over the depth at which
    the layer is packed: packed soil has no rebound.

    A driven wheel follows [WR], part I, a skidding one part II: for negative s_x, the flow ahead fades in over a skid of `SKID`.
    differs: the peak moves with the skid as with the slip, as shown by CMU's braked wheel, which sinks equally deep.
    """
    g = soil[0]
    e, s_x, s_y, slip = motion
    theta_1, theta_f = angles
    driven = max(s_x, 0.0)
    velocity = smooth_step((math.sqrt(driven * driven + s_y * s_y) - TURN_BEGINS) / (TURN_ENDS - TURN_BEGINS))
    flow = theta_0 = 0.0
    if s_x < 0.0:
        rolled = e / (e - s_x)
        skids = smooth_step((1.0 - rolled) / SKID)
        theta_0 = turning_point(theta_1, g["friction_angle"], rolled)
        flow = skids * soil_flow(theta_1, theta_0, e, s_x)
        velocity *= 1.0 - skids
    theta_m = theta_f + (g["c1"] + g["c2"] * slip) * (theta_1 - theta_f)
    theta_2 = g["exit_ratio"] * theta_1
    if packed > 0.0:
        theta_2 += packed * (theta_m - theta_2)
    return (theta_1, theta_m, theta_2, flow, theta_0, math.sin(theta_f)), (e, s_x, s_y, velocity)


@kernel
def soil_wheel(soil, r, b, z, motion):
    """Return the forces of virgin soil (record of `SOIL`) on a rigid wheel without lugs, of radius r and width b at the sinkage z (m), 0 <
    z < r.

    `motion` is (e, s_x, s_y, s): as in `contact_forces`, and the magnitude of the slip, 0..1, that moves the peak stress. The result is
    that of `contact_forces`.
    """
    arc, moves = arc_and_motion(soil, (entry_angle(z / r), 0.0), 0.0, motion)
    return contact_forces(earth_of(soil, b, 1.0, 1.0), VIRGIN, (r, b), arc, moves, 1)
