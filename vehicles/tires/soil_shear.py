"""Forces of sheared soil on a tire whose model covers only hard ground: a spring in series with the strength of the soil.

The model is that of TMeasy on soil, without the hard fraction: with K = c h + d, the trial force T = c u - K v - rest and w = -v_t s the
sliding velocity of the patch,

    K v_t s + H s / (s + s1) = |T|        ->   s >= 0, the root of  a s^2 + (a s1 + H - |T|) s - |T| s1 = 0,  a = K v_t

The spring is assumed to be as stiff, and as damped, along the ground as the tire is along its radius.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline
from vehicles.tires.standstill import V_CREEP


@inline
def sheared(p, s, i, h, borne, shear_modulus, out):
    """Return the horizontal force (F_x, F_y) [N] of soil of hardness 0 on tire i, and the slip (s_x, s_y) of its patch; rates of `shear`
    into out[i].

    `borne` as in `moments.finish`, shear_modulus of the soil [m].
    """
    o, u = out[i], s[i]["shear"]
    v_tread, forces = borne[1], borne[5]
    _, H, _, F_y, strength, _, way, _ = forces
    half = shear_modulus / max(way, 1e-3)
    slip_x, slip_y = s[i]["slip"][0], s[i]["slip"][1]
    last = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    rest_x, rest_y = H - strength * slip_x / (last + half), F_y - strength * slip_y / (last + half)

    c, K = p[0]["stiffness"], p[0]["stiffness"] * h + p[0]["damping"]
    T_x, T_y = c * u[0] - K * (o["v_x"] - v_tread) - rest_x, c * u[1] - K * o["v_y"] - rest_y
    T = math.sqrt(T_x * T_x + T_y * T_y)
    a = K * (abs(v_tread) + V_CREEP)
    b = a * half + strength - T
    root = math.sqrt(b * b + 4.0 * a * T * half)
    slip = 2.0 * T * half / (b + root) if b > 0.0 else (root - b) / (2.0 * a)
    per = 1.0 / max(T, 1e-100)
    force = strength * slip / (slip + half)
    F_x, F_y = force * T_x * per + rest_x, force * T_y * per + rest_y
    o["shear_rate"][0], o["shear_rate"][1] = (F_x - c * u[0]) / K, (F_y - c * u[1]) / K
    return F_x, F_y, slip * T_x * per, slip * T_y * per
