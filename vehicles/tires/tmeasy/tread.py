"""TMeasy as a tread law: two tangential deflections, the numbers of its file, and its grip on hard ground and on soil.

Its state (`tread_law.TREAD_STATE`): numbers 0 and 1 are the tangential deflection u of the tread [m], along and across; memory 0 is the
secant of the last step, friction force over sliding velocity [N s/m], with which the next one begins.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.base.errors import ConfigError, raise_all
from simulator.base.jit import inline
from simulator.base.records import LARGEST, Record, join
from vehicles.tires.radial import DEFLECTION_MAX
from vehicles.tires.standstill import V_CREEP, V_FADE, smooth_sign
from vehicles.tires.tmeasy.curves import trail
from vehicles.tires.tmeasy.grip import hold
from vehicles.tires.tread_law import TreadLaw

TMEASY = (
    # name    shape unit what it is
    ("load", (), "N", "nominal load pn; the pairs below hold values at pn and at 2 pn"),
    ("dfx0", (2,), "N", "initial slope of the longitudinal force over slip"),
    ("fxm", (2,), "N", "largest longitudinal force"),
    ("fxs", (2,), "N", "longitudinal force in full sliding"),
    ("dfy0", (2,), "N", "initial slope of the lateral force over slip"),
    ("fym", (2,), "N", "largest lateral force"),
    ("fys", (2,), "N", "lateral force in full sliding"),
    ("sxm", (2,), "1", "longitudinal slip at the largest force"),
    ("sxs", (2,), "1", "longitudinal slip at which full sliding begins"),
    ("sym", (2,), "1", "lateral slip at the largest force"),
    ("sys", (2,), "1", "lateral slip at which full sliding begins"),
    ("nl0", (2,), "1", "pneumatic trail over contact length at zero slip"),
    ("sq0", (2,), "1", "lateral slip at which the trail changes sign"),
    ("sqe", (2,), "1", "lateral slip beyond which there is no trail"),
    ("tread_stiffness", (2,), "N/m", "stiffness of the contact patch against the rim, along and across"),
    ("tread_damping", (2,), "N s/m", "damping of the same"),
)

STATE = (("u", (2,), "m", "tangential deflection of the tread, along and across"),)

LOAD_LEAST = 1e-9
"""Least load over nominal load in the horizontal curves, which divide by it; below, forces fall to zero with the load."""

FRICTION_LEAST = 0.01
"""Least friction coefficient of hard ground; the slips of the curves scale with it and must not vanish."""

_RANGES = {
    "load": (1.0, 1e7),
    "tread_stiffness": (1e2, 1e8),
    "tread_damping": (1e-3, 1e6),
    **dict.fromkeys(("dfx0", "dfy0"), (1.0, LARGEST)),
    **dict.fromkeys(("fxm", "fxs", "fym", "fys"), (0.1, 1e7)),
    **dict.fromkeys(("sxm", "sxs", "sym", "sys", "sq0", "sqe"), (1e-3, 100.0)),
    "nl0": (0.0, 1.0),
}
_ORDERED = (("fxs", "fxm"), ("fys", "fym"), ("sxm", "sxs"), ("sym", "sys"), ("sq0", "sqe"))
_RISING = ("fxm", "fym")
"""Forces that are larger at twice the nominal load."""


@inline
def tmeasy_grip(p, s, i, h, borne, under, out):
    """Horizontal forces and moment (F_x, F_y [N], M_z [N m]) of tire i: tread springs against friction and the soil's strength.

    `p` and `s` are a `Tire` and `TireStates` of `tire`, `borne` is that of `moments.finish`. Soil is H s / (s + s1), with s1 from the
    way of the tread through the contact, plus what the integrals gave beyond that at the slip of the last step. Rates go into out[i].
    """
    o, t, law, u = out[i], p.shared[0], p.tmeasy[0], s.treads[i]["numbers"]
    _, v_tread, load, _, deflection, forces = borne
    soft = 1.0 - o["hardness"]
    _, H, _, F_y, H_max, _, way = forces
    slip_x, slip_y = s.tires[i]["slip"][0], s.tires[i]["slip"][1]
    last = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    half = under[0]["shear_modulus"] / max(way, 1e-3)
    rest_x, rest_y = soft * (H - H_max * slip_x / (last + half)), soft * (F_y - H_max * slip_y / (last + half))

    c, d = law["tread_stiffness"], law["tread_damping"]
    K_x, K_y = c[0] * h + d[0], c[1] * h + d[1]
    v_x, v_y = o["v_x"] - v_tread, o["v_y"]
    trial = (
        c[0] * u[0] - K_x * v_x - rest_x, c[1] * u[1] - K_y * v_y - rest_y,
        K_x, K_y, math.sqrt(v_x * v_x + v_y * v_y), abs(v_tread) + V_CREEP,
    )  # fmt: skip
    q = min(max(load / law["load"], LOAD_LEAST), t["load_max"] / law["load"])
    m = max(under[0]["friction"], FRICTION_LEAST) / t["friction"]
    F_x, F_y, s_x, s_y, g = hold(p.tmeasy, (q, m, o["hardness"], H_max, half), trial, (s.treads[i]["memory"][0], last))
    if load < LOAD_LEAST * law["load"]:
        F_x *= load / (LOAD_LEAST * law["load"])
        F_y *= load / (LOAD_LEAST * law["load"])
    F_x += rest_x
    F_y += rest_y
    o["tread_rate"][0], o["tread_rate"][1] = (F_x - c[0] * u[0]) / K_x, (F_y - c[1] * u[1]) / K_y
    o["slip"][0], o["slip"][1], o["tread_memory"][0] = s_x, s_y, g

    used = min(max(deflection, 0.0), DEFLECTION_MAX * t["radius"])
    M_z = -o["hardness"] * F_y * 2.0 * math.sqrt(t["radius"] * used) * trail(p.tmeasy, q, s_y) * smooth_sign(v_tread / V_FADE)
    return F_x, F_y, M_z


@inline
def tmeasy_advance(tread, o, h):
    """State of a tread after h seconds at the rates in its record o of TIRE_OUT."""
    for k in range(2):
        tread["numbers"][k] += h * o["tread_rate"][k]
    tread["memory"][0] = o["tread_memory"][0]


@inline
def tmeasy_hold(tread, along, across):
    """State of a tread whose patch is held so far [m] ahead of the rim."""
    tread["numbers"][0], tread["numbers"][1] = along, across


def check(shared: Record, own: Record, mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError: numbers of a tire file stand in the wrong order."""
    values = own[0]
    wanted = [(low, bool((values[low] < values[high]).all()), f"below {high} = {values[high].tolist()}") for low, high in _ORDERED]
    wanted += [(name, bool(values[name][0] < values[name][1]), "the larger force at twice the load") for name in _RISING]
    wanted.append(("load_max", float(shared[0]["load_max"]) <= 4.0 * float(values["load"]), "at most 4 times the load"))
    raise_all([ConfigError(file, join(key, name), mapping[name], expected) for name, good, expected in wanted if not good])


LAW = TreadLaw(
    "tmeasy",
    TMEASY,
    _RANGES,
    STATE,
    check=check,
    stiff=("tread_stiffness", "tread_damping"),
    meaning="TMeasy: slopes, maxima and sliding forces at two loads (Rill)",
)
"""Called directly by `tire`; it has no kernel of its own."""
