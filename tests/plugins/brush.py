"""Plugin tire model: the brush model with parabolic pressure on a carcass with one spring and damper per direction.

[Pacejka 2012] H. B. Pacejka, Tire and Vehicle Dynamics, 3rd ed., section 3.2. Bristles of stiffness c per length of a patch of half length a
give at the slip s = w / v_t, w being the sliding velocity of the patch and v_t that of rolling,

    F(s) = mu F_z (1 - (1 - theta s)^3) up to theta s = 1, then mu F_z,     theta = 2 c a^2 / (3 mu F_z)
    M_z  = -mu F_z a theta s (1 - theta s)^3 across

The patch hangs on the rim with the deflection u, so w = v_s + u' and k u + d u' = F(w). With K = k h + d and T = k u - K v_s one backward
Euler step is K v_t s + F(s) = |T|, along T.
"""

from __future__ import annotations

import math

from simulator.base.callbacks import callback, records_at
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.tires.contract import CONTRACT, FORCES, HELD, LAYOUT, TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE, TireModelKind
from vehicles.tires.kinds import register

BRUSH = (
    Field("bristles", Number("N/m2", 1e3, 1e9), "stiffness of the bristles per length of the patch"),
    Field("mu", Number("1", 0.01, 5.0), "friction coefficient on the ground of `friction`"),
    Field("carcass_stiffness", Number("N/m", 1e2, 1e8), "stiffness of the patch against the rim"),
    Field("carcass_damping", Number("N s/m", 1.0, 1e6), "damping of the patch against the rim"),
)
P, S, I, O = dtype_of(rows(BRUSH)), dtype_of(TREAD_STATE), dtype_of(TIRE_INPUT), dtype_of(TIRE_OUTPUT)
CREEP = 1e-6
TRAIL_FADE = 0.1


@inline
def slip_of(T, v, theta, most):
    """Return the slip s >= 0 with v s + most (1 - (1 - theta s)^3) = T, by Newton's method from the solution for friction alone."""
    if most + v / theta <= T:
        return (T - most) / v
    s = (1.0 - (1.0 - min(T / most, 1.0)) ** (1.0 / 3.0)) / theta
    for _ in range(30):
        rest = 1.0 - theta * s
        new = s - (v * s + most * (1.0 - rest * rest * rest) - T) / (v + 3.0 * most * theta * rest * rest)
        if abs(new - s) <= 1e-12 * s:
            return new
        s = new
    return s


@inline
def patch(p, u, k, r, h):
    """Compute one wheel: parameters p, state u, input k, result r."""
    c, K = p["carcass_stiffness"], p["carcass_stiffness"] * h + p["carcass_damping"]
    tread = k["effective_radius"] * k["spin"]
    T_x, T_y = c * u[0] - K * (k["v_x"] - tread), c * u[1] - K * k["v_y"]
    T, a, most = math.sqrt(T_x * T_x + T_y * T_y), 0.5 * k["contact_length"], p["mu"] * k["friction"] * k["load"]
    v = abs(tread) + CREEP
    F, s, theta = 0.0, 0.0, 0.0
    if most > 1e-6 and T > 0.0:
        theta = 2.0 * p["bristles"] * a * a / (3.0 * most)
        s = slip_of(T, K * v, theta, most)
        F = T - K * v * s
    x, y = (T_x / T, T_y / T) if T > 0.0 else (0.0, 0.0)
    r["F"][0], r["F"][1] = F * x, F * y
    r["rate"][0], r["rate"][1] = (F * x - c * u[0]) / K, (F * y - c * u[1]) / K
    r["slip"][0], r["slip"][1] = s * x, s * y
    rest = max(1.0 - theta * s, 0.0)
    r["M_z"] = -most * a * theta * s * rest * rest * rest * y * tread / math.sqrt(tread * tread + TRAIL_FADE * TRAIL_FADE)


@callback
def brush(parameters, state, seen, result, first, count, h):
    n = first + count
    for i in range(first, n):
        u, k = records_at(state, S, n)[i]["numbers"], records_at(seen, I, n)[i]
        if k["task"] == FORCES:
            patch(records_at(parameters, P, n)[i], u, k, records_at(result, O, n)[i], h)
        elif k["task"] == HELD:
            u[0], u[1] = k["held"][0], k["held"][1]
        else:
            u[0], u[1] = 0.0, 0.0


KIND = TireModelKind(
    "brush",
    BRUSH,
    (("u", (2,), "m", "deflection of the patch against the rim, along and across"),),
    brush,
    CONTRACT,
    LAYOUT,
    stiff=("carcass_stiffness", "carcass_damping"),
)
register(KIND)
