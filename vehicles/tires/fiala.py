"""Fiala tire model: brush forces over slip with four parameters, friction decreasing with slip, and relaxation
(`vehicles.tires.relaxation`).

[Fiala 1954] E. Fiala, Seitenkraefte am rollenden Luftreifen, VDI-Z 96; longitudinal force, combined slip and moment as in the property
files of this model (Adams, Project Chrono):

    U = u_max - (u_max - u_min) min(1, sqrt(kappa^2 + tan^2 alpha))        friction at the comprehensive slip
    F_x = c kappa up to U F_z / 2c, then U F_z - (U F_z)^2 / 4 |kappa| c
    F_y = -U F_z (1 - H^3) sgn alpha,  M_z = U F_z b (1 - H) H^3 sgn alpha,    H = 1 - c_alpha |tan alpha| / (3 U F_z), 0 beyond

The two forces are coupled only by U: their resultant may exceed U F_z.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.base.callbacks import callback, records_at
from simulator.base.errors import ConfigError
from simulator.base.field_records import rows
from simulator.base.fields import Field, Number
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, dtype_of, join
from vehicles.tires.contract import CONTRACT, LAYOUT, TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE, TireModelKind
from vehicles.tires.relaxation import STATE, check_turning, needs_forces, settle, travels, twist

FIALA = (
    Field("slip_stiffness", Number("N", 100.0), "longitudinal force over slip, c"),
    Field("cornering_stiffness", Number("N/rad", 100.0), "lateral force over the tangent of the slip angle, c_alpha"),
    Field("friction_max", Number("1", 0.01, 5.0), "friction at no slip, u_max"),
    Field("friction_min", Number("1", 0.01, 5.0), "friction at a comprehensive slip of 1, u_min"),
    Field("moment_width", Number("m", 0.0, 5.0), "width b of the aligning moment"),
    Field("relaxation", Number("m", 0.02, 10.0, shape=(2,)), "relaxation lengths, along and across"),
    Field("turn_stiffness", Number("N m", 0.0, 1e6), "moment over angle of a wheel that turns at standstill; default: none", None),
    Field("pressure", Number("Pa", 1e3, 5e6), "inflation pressure, which limits the moment at standstill", None),
)
P, S, I, O = dtype_of(rows(FIALA)), dtype_of(TREAD_STATE), dtype_of(TIRE_INPUT), dtype_of(TIRE_OUTPUT)

FRICTION_MIN = 0.01


@kernel
def fiala_forces(p, F_z, kappa, tangent, mu):
    """Return (F_x, F_y [N], M_z [N m]) at a load F_z [N], a slip and the tangent of a slip angle; mu is the friction of the ground over
    that of the tire, p a record of FIALA."""
    slip = min(math.sqrt(kappa * kappa + tangent * tangent), 1.0)
    limit = (p["friction_max"] - (p["friction_max"] - p["friction_min"]) * slip) * mu * F_z
    if limit <= 0.0:
        return 0.0, 0.0, 0.0
    c, x = p["slip_stiffness"], abs(kappa)
    F_x = c * x if x <= 0.5 * limit / c else limit - limit * limit / (4.0 * x * c)
    H = max(1.0 - p["cornering_stiffness"] * abs(tangent) / (3.0 * limit), 0.0)
    F_y, M_z = limit * (1.0 - H * H * H), limit * p["moment_width"] * (1.0 - H) * H * H * H
    side = 1.0 if tangent >= 0.0 else -1.0
    return F_x if kappa >= 0.0 else -F_x, -side * F_y, side * M_z


@inline
def wheel(p, u, k, r, h):
    """Evaluate one wheel on the ground: parameters p, state numbers u, input k, result r."""
    load, mu = k["load"], max(k["friction"], FRICTION_MIN)
    K_x, K_y, limit = p["slip_stiffness"], p["cornering_stiffness"], 3.0 * p["friction_max"] * mu * load
    slip_x, slip_y = settle(u, k, r, h, (p["relaxation"][0], p["relaxation"][1]), (limit / K_x, limit / K_y), (K_x, K_y), (3.0, 3.0))
    r["F"][0], r["F"][1], M_z = fiala_forces(p, load, slip_x, -slip_y, mu)
    r["M_z"] = M_z * travels(k["v_x"]) + twist(u, k, r, h, p["turn_stiffness"], limit / 3.0, p["pressure"])


@callback
def fiala(parameters, state, seen, result, first, count, h):
    n = first + count
    for i in range(first, n):
        u, k, r = records_at(state, S, n)[i]["numbers"], records_at(seen, I, n)[i], records_at(result, O, n)[i]
        if needs_forces(u, k, r, h):
            wheel(records_at(parameters, P, n)[i], u, k, r, h)


def check(_shared: Record, own: Record, mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError if the friction increases with slip, or if turn_stiffness has no pressure."""
    check_turning(mapping, file, key)
    if own[0]["friction_min"] > own[0]["friction_max"]:
        raise ConfigError(file, join(key, "friction_min"), mapping["friction_min"], f"at most friction_max = {own[0]['friction_max']:g}")


KIND = TireModelKind(
    "fiala",
    FIALA,
    STATE,
    fiala,
    CONTRACT,
    LAYOUT,
    check=check,
    stiff=("slip_stiffness", "cornering_stiffness"),
    softened={"slip_stiffness": 1, "cornering_stiffness": 1},
    meaning="Fiala: brush forces from slip stiffness, cornering stiffness and friction",
)
