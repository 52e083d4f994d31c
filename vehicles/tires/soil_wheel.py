"""A wheel on soil: Bekker's pressure over the arc of Wong and Reece, shear by Janosi and Hanamoto.

[WR] J. Y. Wong, A. R. Reece, Prediction of rigid wheel performance based on the analysis of soil-wheel stresses, J.
Terramechanics 4 (1967). [JH] Z. Janosi, B. Hanamoto, 1st ISTVS conference (1961). [B] M. G. Bekker, Introduction to
Terrain-Vehicle Systems (1969). [H] Hegedus' passive earth pressure on a blade, as used by Ishigami et al., J. Field Robotics 24
(2007). Angles are from bottom dead center, + = towards the direction of travel.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline

NODES = (0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623)
WEIGHTS = (0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626)
"""Positive half of the Gauss-Legendre rule of 8 points."""


@inline
def substitute_radius(R0, deflection, sinkage):
    """Radius of the rigid wheel with the sinkage and the contact length of the deflected tire.

        sqrt(2 r* z) = sqrt(2 R0 (z + d)) + sqrt(2 R0 d)

    The larger substitute circle of Bekker and Bolling: R0 without deflection, a flat patch on hard ground; sinkage must be > 0.
    """
    root = math.sqrt(1.0 + deflection / sinkage) + math.sqrt(deflection / sinkage)
    return R0 * root * root


@inline
def shear(j_x, j_y, K):
    """Parts (x, y) of the mobilised share of shear strength, (1 - exp(-j / K)) along the displacement (j_x, j_y) [JH].

    differs: along the displacement, not along the local slip velocity; the same for a driven wheel that runs straight, and
    continuous where the slip velocity changes sign. One factor for both, so the strength is never exceeded.
    """
    j = math.sqrt(j_x * j_x + j_y * j_y + 1e-12 * K * K)
    share = (1.0 - math.exp(-j / K)) / j
    return share * j_x, share * j_y


@inline
def small_sine_cosine(x):
    """(sin x, cos x) to 1e-10 for |x| < 0.8, from Taylor's series."""
    y = x * x
    return (
        x * (1.0 - y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0 * (1.0 - y / 110.0))))),
        1.0 - y / 2.0 * (1.0 - y / 12.0 * (1.0 - y / 30.0 * (1.0 - y / 56.0 * (1.0 - y / 90.0 * (1.0 - y / 132.0))))),
    )


@inline
def soil_wheel(soil, r, b, z, motion):
    """Forces of the soil (record of `SOIL`) on a rigid wheel of radius r and width b at the sinkage z (m), 0 < z < r.

        theta_1 = acos(1 - z / r),   theta_m = (c1 + c2 |s|) theta_1,   theta_2 = exit_ratio theta_1
        sigma   = (k_c / b + k_phi) (r (cos theta' - cos theta_1))^n,   theta' the angle, on the rear arc mirrored to the front
        j_x     = r ( e ((theta_1 - theta) - (sin theta_1 - sin theta)) + s_x (sin theta_1 - sin theta) )
        j_y     = r s_y (theta_1 - theta)
        tau     = (c + sigma tan phi) (1 - exp(-j / K))

    Parameters
    ----------
    motion : (e, s_x, s_y, s): rolling share (1, or 0 at standstill), slip along and across per way of the tread, so that with e = 1
        j_x is r [(theta_1 - theta) - (1 - s_x) (sin theta_1 - sin theta)]; size of slip, 0..1, that moves the peak stress

    Returns
    -------
    tuple : in N: vertical force of the pressure and of the shear, compaction resistance (integral of sigma sin theta), gross
        thrust (of tau_x cos theta), circumferential force (torque / r), side force, strength (of tau_max cos theta), side wall's passive
        pressure; in m: mean way of the tread through the contact, weighted with the strength
    """
    g = soil[0]
    e, s_x, s_y, slip = motion
    theta_1 = 2.0 * math.asin(math.sqrt(min(0.5 * z / r, 0.5)))
    theta_m = (g["c1"] + g["c2"] * slip) * theta_1
    theta_2 = g["exit_ratio"] * theta_1
    c1, s1 = math.cos(theta_1), math.sin(theta_1)
    mid_f, half_f = 0.5 * (theta_1 + theta_m), 0.5 * (theta_1 - theta_m)
    mid_r, half_r = 0.5 * (theta_m + theta_2), 0.5 * (theta_m - theta_2)
    sin_f, cos_f = math.sin(mid_f), math.cos(mid_f)
    sin_r, cos_r = math.sin(mid_r), math.cos(mid_r)
    k, n, K, cohesion = g["k_c"] / b + g["k_phi"], g["n"], g["shear_modulus"], g["cohesion"]
    tan_phi = math.tan(g["friction_angle"])
    root = math.sqrt(1.0 + tan_phi * tan_phi) + tan_phi
    blade, surcharge = 2.0 * root, 0.5 * (root + root * root * tan_phi) * g["unit_weight"]

    W_sigma = W_tau = R = H = S = F_y = H_max = side = way = 0.0
    for node in range(4):
        sine_f, cosine_f = small_sine_cosine(half_f * NODES[node])
        sine_r, cosine_r = small_sine_cosine(half_r * NODES[node])
        for sign in (1.0, -1.0):
            # the pressure at a node of the front arc is that at the mirrored node of the rear arc
            cos_t = cos_f * cosine_f - sign * sin_f * sine_f
            sin_t = sin_f * cosine_f + sign * cos_f * sine_f
            height = r * (cos_t - c1)
            sigma = k * math.exp(n * math.log(max(height, 1e-12)))
            strength = cohesion + sigma * tan_phi

            turned = theta_1 - mid_f - sign * half_f * NODES[node]
            part_x, part_y = shear(r * (e * (turned - (s1 - sin_t)) + s_x * (s1 - sin_t)), r * s_y * turned, K)
            w = WEIGHTS[node] * half_f
            W_sigma += w * sigma * cos_t
            R += w * sigma * sin_t
            w *= strength
            H += w * part_x * cos_t
            W_tau += w * part_x * sin_t
            S += w * part_x
            F_y += w * part_y
            H_max += w * cos_t
            way += w * cos_t * turned
            side += WEIGHTS[node] * half_f * (cohesion + surcharge * height) * height * (r - height * cos_t)

            cos_t = cos_r * cosine_r + sign * sin_r * sine_r
            sin_t = sin_r * cosine_r - sign * cos_r * sine_r
            height = max(r * (cos_t - c1), 0.0)
            turned = theta_1 - mid_r + sign * half_r * NODES[node]
            part_x, part_y = shear(r * (e * (turned - (s1 - sin_t)) + s_x * (s1 - sin_t)), r * s_y * turned, K)
            w = WEIGHTS[node] * half_r
            W_sigma += w * sigma * cos_t
            R += w * sigma * sin_t
            w *= strength
            H += w * part_x * cos_t
            W_tau += w * part_x * sin_t
            S += w * part_x
            F_y += w * part_y
            H_max += w * cos_t
            way += w * cos_t * turned
            side += WEIGHTS[node] * half_r * (cohesion + surcharge * height) * height * (r - height * cos_t)

    area = r * b
    return (
        area * W_sigma,
        area * W_tau,
        area * R,
        area * H,
        area * S,
        area * F_y,
        area * H_max,
        blade * side,
        r * way / max(H_max, 1e-300),
    )
