"""Soil mechanics: pressure under a plate at first and repeated loading, and passive pressure of displaced soil.

[B] M. G. Bekker, Introduction to Terrain-Vehicle Systems (1969). [R] A. R. Reece, Principles of soil-vehicle mechanics, Proc. IMechE 180
(1965). [W] J. Y. Wong, Theory of Ground Vehicles, 4th ed. (2008), chapter 2. [T] K. Terzaghi, Theoretical Soil Mechanics (1943), chapter 8.
[H] Hegedus' passive pressure on a blade, as used by Ishigami et al., J. Field Robotics 24 (2007). Depths h and z are positive downwards from
the undisturbed ground; angles are in rad, the friction angle phi is in [0, pi / 2).
"""

from __future__ import annotations

import math

from simulator.base.algebra.exponential import exponential, logarithm
from simulator.base.jit import inline

MIN_FRICTION = 1e-4
"""Minimum tan(phi) in the quotients of Terzaghi; at this value they have reached their limits for phi = 0 within 0.1 %."""

MIN_DEPTH = 1e-12
"""m. Minimum depth in powers of the depth."""

PACKED = 0.99
"""Depth over the depth at which a layer is packed, above which its pressure continues along the tangent: firm ground instead of infinite
pressure."""


def bekker_modulus(k_c: float, k_phi: float, b: float) -> float:
    """Return k [N/m^(n+2)] of p = k z^n under a plate or wheel of width b (m): k_c / b + k_phi [B]."""
    return k_c / b + k_phi


def reece_modulus(k1: float, k2: float, b: float, n: float) -> float:
    """Return k [N/m^(n+2)] of p = k z^n where p = (k1 + k2 b) (z / b)^n [R]; k1 in Pa, k2 in Pa/m."""
    return (k1 + k2 * b) / b**n


@inline
def virgin_pressure(k, n, packing, h):
    """Return p [Pa] at a depth h >= 0 of soil at first loading: k h^n [B] in a half space, k h^n / (1 - packing h) in a layer.

    `packing` is 1 over the depth at which the layer is packed [1/m], 0 in a half space. Above `PACKED` of this depth p follows its tangent.
    """
    h_c, rise = 1e300, 0.0
    if packing > 0.0:
        h_c = PACKED / packing
        rise = n / h_c + packing / (1.0 - PACKED)
    below = min(h, h_c)
    p = k * exponential(n * logarithm(max(below, MIN_DEPTH))) / (1.0 - packing * below)
    return p * (1.0 + rise * max(h - h_c, 0.0))


@inline
def pressed_before(k, n, packing, k_0, A_u, z_u):
    """Return the state of soil that was pressed to z_u (m) before: (z_u, p_u, k_u, floor) [W, repetitive loading].

        p_u = p(z_u),    k_u = k_0 + A_u z_u,    floor = z_u - p_u / k_u

    The pressure p is `virgin_pressure`. The floor is the depth of the unloaded soil; undisturbed soil has z_u = floor = 0.
    """
    if not z_u > 0.0:
        return 0.0, 0.0, 0.0, 0.0
    p_u, k_u = virgin_pressure(k, n, packing, z_u), k_0 + A_u * z_u
    return z_u, p_u, k_u, z_u - p_u / k_u


@inline
def remembered_pressure(k, n, packing, memory, h):
    """Return p [Pa] at the depth h of soil with a memory (`pressed_before`): max(0, p_u - k_u (z_u - h)) down to z_u, `virgin_pressure`
    below."""
    z_u, p_u, k_u, _ = memory
    if h < z_u:
        return max(p_u - k_u * (z_u - h), 0.0)
    return virgin_pressure(k, n, packing, h)


@inline
def terzaghi_factors(phi):
    """Return the factors of bearing capacity (N_q, N_c, N_gamma) [T].

        N_q = exp(2 (3 pi / 4 - phi / 2) tan phi) / (2 cos^2(pi / 4 + phi / 2)),    N_c = (N_q - 1) / tan phi,
        N_gamma = 2 (N_q + 1) tan phi / (1 + 0.4 sin 4 phi)

    with 2 cos^2(pi / 4 + phi / 2) = 1 - sin phi. A strip footing bears c N_c + gamma z N_q + gamma b N_gamma / 2.
    """
    tan_phi = math.tan(max(phi, MIN_FRICTION))
    N_q = math.exp((1.5 * math.pi - phi) * tan_phi) / (1.0 - math.sin(phi))
    return N_q, (N_q - 1.0) / tan_phi, 2.0 * (N_q + 1.0) * tan_phi / (1.0 + 0.4 * math.sin(4.0 * phi))


@inline
def local_failure(phi, cohesion):
    """Return (phi', c') of loose soil, which yields before its entire wedge slides: tan phi' = 2/3 tan phi, c' = 2/3 c [T, local shear failure].

    [W] uses this strength for loose soil that wheels and tracks push ahead.
    """
    return math.atan(2.0 / 3.0 * math.tan(phi)), 2.0 / 3.0 * cohesion


@inline
def frontal_factors(phi, N_c, N_gamma):
    """Return (K_c, K_gamma) of `frontal_bulldozing` [B]: K_c = (N_c - tan phi) cos^2 phi, K_gamma = (2 N_gamma / tan phi + 1) cos^2 phi."""
    tan_phi, cos_phi = math.tan(max(phi, MIN_FRICTION)), math.cos(phi)
    return (N_c - tan_phi) * cos_phi * cos_phi, (2.0 * N_gamma / tan_phi + 1.0) * cos_phi * cos_phi


@inline
def frontal_bulldozing(phi, cohesion, unit_weight, factors, b, D, z):
    """Return the resistance R_b [N] of the soil that a wheel of width b and diameter D (m) pushes ahead at the sinkage z (m) [B].

        R_b = b sin(alpha + phi) / (2 sin alpha cos phi) (2 z c K_c + gamma z^2 K_gamma)
              + l_o^3 gamma / 3 (pi / 2 - phi) + c l_o^2 (1 + tan(pi / 4 + phi / 2)),
        alpha = acos(1 - 2 z / D),    l_o = z tan^2(pi / 4 - phi / 2)

    `factors` are the result of `frontal_factors`; for z > D / 2, alpha uses D / 2.
    """
    if not z > 0.0:
        return 0.0
    K_c, K_gamma = factors
    half = min(z / D, 0.5)
    sin_a, cos_a = 2.0 * math.sqrt(half * (1.0 - half)), 1.0 - 2.0 * half
    tan_phi = math.tan(phi)
    steep = tan_phi + math.sqrt(1.0 + tan_phi * tan_phi)  # tan(pi / 4 + phi / 2)
    l_o = z / (steep * steep)
    ahead = 0.5 * b * (1.0 + cos_a / sin_a * tan_phi) * z * (2.0 * cohesion * K_c + unit_weight * z * K_gamma)
    return ahead + l_o * l_o * (l_o * unit_weight / 3.0 * (0.5 * math.pi - phi) + cohesion * (1.0 + steep))


@inline
def hegedus_factors(phi):
    """Return (X_c [rad], D1, D2) of `side_pressure` [H]: X_c = pi / 4 - phi / 2, D1 = cot X_c + tan(X_c + phi), D2 = cot X_c + cot^2 X_c tan phi."""
    tan_phi = math.tan(phi)
    cot = tan_phi + math.sqrt(1.0 + tan_phi * tan_phi)  # equals tan(X_c + phi), too
    return 0.25 * math.pi - 0.5 * phi, 2.0 * cot, cot + cot * cot * tan_phi


@inline
def side_pressure(factors, cohesion, unit_weight, h):
    """Return the passive force [N/m] on a wall of height h (m): R_u = D1 (c h + D2 gamma h^2 / 2) [H]; `factors` are D1 and D2."""
    return factors[0] * (cohesion + 0.5 * factors[1] * unit_weight * h) * h


@inline
def wong_side_pressure(phi, cohesion, unit_weight, h):
    """Return the passive force [N/m] on a wall by [W]: gamma h^2 / 2 cot^2 X_c (1 + cot X_c tan(phi) / 2) + 2 h c cot X_c."""
    tan_phi = math.tan(phi)
    cot = tan_phi + math.sqrt(1.0 + tan_phi * tan_phi)
    return 0.5 * unit_weight * h * h * cot * cot * (1.0 + 0.5 * cot * tan_phi) + 2.0 * h * cohesion * cot
