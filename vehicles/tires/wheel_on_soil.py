"""Wheel on soil: Bekker's pressure over the arc of Wong and Reece, shear by Janosi and Hanamoto; driven, towed, braked and locked.

[WR] J. Y. Wong, A. R. Reece, Prediction of rigid wheel performance based on the analysis of soil-wheel stresses, parts I and II, J.
Terramechanics 4 (1967). [JH] Z. Janosi, B. Hanamoto, 1st ISTVS conference (1961). [B] M. G. Bekker, Introduction to
Terrain-Vehicle Systems (1969). Pressures and passive pressures are those of `terrain.pressure_sinkage`. Angles are from bottom dead center,
+ = towards the direction of travel. docs/soil.md has the derivations.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.algebra.exponential import exponential
from simulator.base.algebra.trigonometry import sine_cosine
from simulator.base.jit import inline, kernel
from simulator.base.stack_array import stack_array
from terrain.pressure_sinkage import hegedus_factors, remembered_pressure
from terrain.soil import HALF_SPACE

_NODES = np.array([0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623])
_WEIGHTS = np.array([0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626])
NODES, WEIGHTS = np.concatenate([-_NODES[::-1], _NODES]), np.concatenate([_WEIGHTS[::-1], _WEIGHTS])
"""Gauss-Legendre rule from -1 to 1."""

POINTS = 8
"""Points of the rule."""

TERMS = 9 * POINTS
"""Values at the points of the integrands that `contact_forces` returns."""

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
    mobilized = 1.0 - exponential(-j * (1.0 / K))  # the loop divides once
    along = (1.0 - velocity) * mobilized / j
    v_x = e * (1.0 - cos_t) + s_x * cos_t
    with_velocity = velocity * mobilized / math.sqrt(v_x * v_x + s_y * s_y + TINY)
    return along * j_x + with_velocity * v_x, along * j_y + with_velocity * s_y


@inline
def terms_of(earth, r, weight, sigma, part, height, angle):
    """Return the terms of a point of an arc in the integrals of `contact_forces`.

    Parameters
    ----------
    earth : as in `contact_forces`
    weight : part of the arc [rad]
    sigma : pressure [Pa]
    part : result of `sheared_by`
    height : m, below the ground
    angle : (theta_1 - theta, sin theta, cos theta)
    """
    _, _, cohesion, tan_phi, _, wall, wall_growth, _ = earth
    turned, sin_t, cos_t = angle
    w = weight * (cohesion + sigma * tan_phi)
    return (
        weight * sigma * cos_t, w * part[0] * sin_t, weight * sigma * sin_t, w * part[0] * cos_t, w * part[0], w * part[1], w * cos_t,
        weight * (wall + wall_growth * height) * height * (r - height * cos_t), w * cos_t * turned,
    )  # fmt: skip


@inline
def total(terms, row):
    """Return the sum of a row of `terms`."""
    t = POINTS * row
    return ((terms[t] + terms[t + 4]) + (terms[t + 1] + terms[t + 5])) + ((terms[t + 2] + terms[t + 6]) + (terms[t + 3] + terms[t + 7]))


@kernel
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
    s1, c1 = sine_cosine(theta_1)
    half_f, half_r = 0.5 * (theta_1 - theta_m) / panels, 0.5 * (theta_m - theta_2) / panels

    terms = stack_array(TERMS)
    points = POINTS * min(panels, 1)  # 8, unknown to the compiler, which vectorizes the loop only if it cannot unroll it
    for j in range(TERMS):
        terms[j] = 0.0
    for panel in range(panels):
        middle_f, middle_r = theta_m + (2 * panel + 1) * half_f, theta_m - (2 * panel + 1) * half_r
        for j in range(points):
            theta = middle_f + half_f * NODES[j]
            sine, cosine = sine_cosine(theta)
            part = sheared_by(r, K, motion, flow, theta_1 - theta, (s1 - sine, cosine))
            height = r * (cosine - c1)
            sigma = remembered_pressure(k, n, packing, memory, floor + height)
            front = terms_of(earth, r, WEIGHTS[j] * half_f, sigma, part, height, (theta_1 - theta, sine, cosine))
            # the pressure at a point of the rear arc equals that at the mirrored point of the front arc
            theta = middle_r - half_r * NODES[j]
            sine, cosine = sine_cosine(theta)
            part = sheared_by(r, K, motion, flow, theta_1 - theta, (s1 - sine, cosine))
            height = max(r * (cosine - c1), 0.0)
            rear = terms_of(earth, r, WEIGHTS[j] * half_r, sigma, part, height, (theta_1 - theta, sine, cosine))
            for t in range(len(front)):
                terms[POINTS * t + j] += front[t] + rear[t]

    if flat > 0.0:
        height, turned = r * (math.cos(theta_m) - c1), theta_1 - theta_m + flat  # to the middle of the flat part
        part = sheared_by(r, K, motion, flow, turned, (s1, 1.0))
        sigma = remembered_pressure(k, n, packing, memory, floor + height)
        level = terms_of(earth, r, 2.0 * flat, sigma, part, height, (turned, 0.0, 1.0))
        for t in range(len(level)):
            terms[POINTS * t] += level[t]

    area, strength = r * b, total(terms, 6)
    return (
        area * total(terms, 0), area * total(terms, 1), area * total(terms, 2), area * total(terms, 3), area * total(terms, 4),
        area * total(terms, 5), area * strength, total(terms, 7), r * total(terms, 8) / max(strength, 1e-300),
    )  # fmt: skip


@inline
def earth_of(soil, b, cohesion_factor, friction_factor):
    """Return the soil parameters of `contact_forces` for a soil (record of `SOIL`) under a wheel of width b (m), its strength times factors
    of the tread."""
    g = soil[0]
    _, D1, D2 = hegedus_factors(g["friction_angle"])
    tan_phi = math.tan(g["friction_angle"])
    wall = D1 * g["bulldozing"]
    return (
        g["k_c"] / b + g["k_phi"], g["n"], cohesion_factor * g["cohesion"], friction_factor * tan_phi, g["shear_modulus"],
        wall * g["cohesion"], 0.5 * wall * D2 * g["unit_weight"], packing_of(soil),
    )  # fmt: skip


THICKEST = 1.0 - 1e-9
"""1. Largest thickness of a layer over `HALF_SPACE`."""


@inline
def packing_of(soil):
    """Return 1 over the depth at which the layer of a soil (record of `SOIL`) is packed [1/m]: 0 in a half space.

    The depth of a blend of half spaces is `HALF_SPACE` up to rounding. A layer that begins there must not count: even 1e-3 1/m makes a tire
    flat over 2 mm, which is 1 % of its load, and the load would jump with the rounding.
    """
    g = soil[0]
    return 1.0 / (g["depth"] * g["compaction"]) if 0.0 < g["depth"] < THICKEST * HALF_SPACE else 0.0


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
