"""TMeasy tire model: tangential deflections and twist, the parameters of its file, and its horizontal forces on hard ground and on soil.

State (`contract.TREAD_STATE`): numbers 0 and 1 are the tangential deflection u of the tread [m], along and across; number 2 is the load
under which the tread was laid down, over the nominal load and minus 1; number 3 is its twist about the ground normal [rad]. Memory 0 is the
secant of the last step, friction force over sliding velocity [N s/m]; memory 1 is its normalized slip, the first guess of the next step.
Tires without the keys that need them have no numbers 2 and 3.

**Relaxation.** While rolling, the force follows the slip over the distance dF0 / c (`tread_friction`), and dF0 grows with the load. With
`relaxation_by: length` the stiffness is c dF0(laid) / dF0(nominal), so the distance does not depend on the load. Only rolling or sliding
lays down new tread; a tread at rest is a spring of constant stiffness, from which a changing load takes no work. The damper would carry a
part of the force in parallel with the spring at high speed, so its part d v / dF0 is limited: d / (1 + v / V_DAMP).

**Twist.** A wheel that is steered at standstill twists its tread, a spring k with Dahl friction. Tread that rolls or slides through the
contact of length L is laid down untwisted:

    psi' = turn_rate - |turn_rate| psi / psi_max - v psi / L,    M_z = -k psi,    k psi_max = mu F_z sqrt(F_z / p) / 3

The stored energy is k psi^2 / 2, and both other terms only decrease it. The maximum moment is Gough's (V. E. Gough, Cornering
characteristics of tyres, Automobile Engineer 44 (1954)), p the inflation pressure: 385 N m at 6.6 kN, 20 psi and mu 0.8.

**Camber.** A leaning wheel rolls with an additional lateral slip of camber_stiffness / dfy0 times its camber. The thrust is limited by
friction, follows over the same distance and is zero at standstill. Its work on the car is taken from the spin of the wheel, so that rolling
gains no energy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, raise_all
from simulator.base.field_records import fields_of, filled
from simulator.base.fields import Choice, Fields
from simulator.base.jit import inline
from simulator.base.records import LARGEST, Record, join
from vehicles.tires.bore_torque import gough_moment, turned
from vehicles.tires.contract import TireModelKind
from vehicles.tires.moments import contact_length
from vehicles.tires.standstill import V_CREEP, V_FADE, smooth_sign
from vehicles.tires.tmeasy.steady_forces import axes_at, axes_on, factors, force_at, normalized, trail
from vehicles.tires.tmeasy.tread_friction import V_BREAK, hold

TMEASY = (
    # name    shape unit what it is
    ("load", (), "N", "nominal load pn; the pairs below hold values at pn and at 2 pn"),
    ("dfx0", (2,), "N", "initial slope of the longitudinal force over slip"),
    ("fxm", (2,), "N", "maximum longitudinal force"),
    ("fxs", (2,), "N", "longitudinal force in full sliding"),
    ("dfy0", (2,), "N", "initial slope of the lateral force over slip"),
    ("fym", (2,), "N", "maximum lateral force"),
    ("fys", (2,), "N", "lateral force in full sliding"),
    ("sxm", (2,), "1", "longitudinal slip at the maximum force"),
    ("sxs", (2,), "1", "longitudinal slip at which full sliding begins"),
    ("sym", (2,), "1", "lateral slip at the maximum force"),
    ("sys", (2,), "1", "lateral slip at which full sliding begins"),
    ("nl0", (2,), "1", "pneumatic trail over contact length at zero slip"),
    ("sq0", (2,), "1", "lateral slip at which the trail changes sign"),
    ("sqe", (2,), "1", "lateral slip above which the trail is zero"),
    ("tread_stiffness", (2,), "N/m", "stiffness of the contact patch against the rim, along and across"),
    ("tread_damping", (2,), "N s/m", "damping of the contact patch against the rim, along and across"),
    (
        "relaxation_by",
        (),
        "1",
        "constant quantity at all loads and speeds: stiffness and damping of the tread, or the relaxation length, dfx0 or dfy0 over "
        "tread_stiffness at the nominal load",
        "i8",
    ),
    (
        "combination",
        (),
        "1",
        "combination of slip along and across: plain, or normalized, so that both axes reach their peaks together (Rill)",
        "i8",
    ),
    ("camber_stiffness", (2,), "N", "thrust towards the side of the lean, over camber; default: none"),
    ("turn_stiffness", (), "N m", "moment over angle of a wheel that turns at standstill; default: none"),
    ("pressure", (), "Pa", "inflation pressure, which limits the moment at standstill: mu F_z sqrt(F_z / pressure) / 3"),
)

STATE = (
    ("u", (2,), "m", "tangential deflection of the tread, along and across"),
    ("laid", (), "1", "load under which the tread in the contact was laid down, over the nominal load, minus 1"),
    ("twist", (), "rad", "twist of the tread about the ground normal"),
)

WORDS = {"relaxation_by": ("stiffness", "length"), "combination": ("plain", "normalized")}
LENGTH = WORDS["relaxation_by"].index("length")
NORMALIZED = WORDS["combination"].index("normalized")

NUMBERS_USED = 4
"""Numbers of the state; a tire with constant stiffness and without twist has only the first two."""

LOAD_MIN = 1e-9
"""Minimum load over nominal load in the horizontal curves, which divide by it; below, forces decrease to zero with the load."""

FRICTION_MIN = 0.01
"""Minimum friction coefficient of hard ground; the slips of the curves scale with it and must not vanish."""

V_DAMP = 0.5
"""m/s. With `relaxation_by: length`, the speed at which half of the tread damping remains. Larger: more of the force acts immediately.
Smaller: a wheel that has begun to roll vibrates on its tread for longer."""

LAID_MIN = 0.05
"""Minimum stiffness of tread laid under a small load, over that at the nominal load."""

LIFT_TIME = 0.01
"""s. Time constant in which load memory and twist of a tread without load decay."""

LENGTH_MIN = 0.02
"""m. Minimum length of the contact."""


_RANGES = {
    "load": (1.0, 1e7),
    "tread_stiffness": (1e2, 1e8),
    "tread_damping": (1e-3, 1e6),
    **dict.fromkeys(("dfx0", "dfy0"), (1.0, LARGEST)),
    **dict.fromkeys(("fxm", "fxs", "fym", "fys"), (0.1, 1e7)),
    **dict.fromkeys(("sxm", "sxs", "sym", "sys", "sq0", "sqe"), (1e-3, 100.0)),
    "nl0": (0.0, 1.0),
    "camber_stiffness": (0.0, LARGEST),
    "turn_stiffness": (0.0, 1e6),
    "pressure": (1e3, 1e7),
}
_OPTIONAL = ("camber_stiffness", "turn_stiffness", "pressure")
"""Optional parameters of a file; default: 0."""

_ORDERED = (("fxs", "fxm"), ("fys", "fym"), ("sxm", "sxs"), ("sym", "sys"), ("sq0", "sqe"))
_RISING = ("fxm", "fym")
"""Forces that increase from the nominal load to twice the nominal load."""


@inline
def tmeasy_grip(p, s, i, h, borne, under, out):
    """Return horizontal forces and moments (F_x, F_y [N], M_z, M_y [N m]) of tire i: tread springs against friction and the strength of the
    soil.

    `p` and `s` are a `Tire` and `TireStates` of `tire`, `borne` is that of `moments.finish`. Soil is H s / (s + s1), with s1 from the
    travel of the tread through the contact, plus the excess of the integrals over it at the slip of the last step. Rates are written into
    out[i].
    """
    o, t, law, u = out[i], p.shared[0], p.tmeasy[0], s.treads[i]["numbers"]
    R_e, v_tread, load, _, deflection, forces = borne
    soft = 1.0 - o["hardness"]
    _, H, _, F_y, H_max, _, way, _ = forces
    slip_x, slip_y = s.tires[i]["slip"][0], s.tires[i]["slip"][1]
    last = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    half, rest_x, rest_y = 1.0, 0.0, 0.0
    if soft > 0.0:
        half = under[0]["shear_modulus"] / max(way, 1e-3)
        rest_x, rest_y = soft * (H - H_max * slip_x / (last + half)), soft * (F_y - H_max * slip_y / (last + half))

    q = min(max(load / law["load"], LOAD_MIN), t["load_max"] / law["load"])
    m = (1.0 + s.tires[i]["friction_gain"]) * (max(under[0]["friction"], FRICTION_MIN) / t["friction"])
    own, stretch = axes_at(p.tmeasy, q), max(under[0]["slip_stretch"], 1.0)
    axes = axes_on(own, stretch, under[0]["sliding"])
    rolling, v_t = smooth_sign(v_tread / V_FADE), abs(v_tread) + V_CREEP
    lean = 0.0
    if law["camber_stiffness"][0] > 0.0:
        lean = o["hardness"] * rolling * o["camber"] * force_at(law["camber_stiffness"], q) / own[1]
    v_x, v_y = o["v_x"] - v_tread, o["v_y"] + lean * v_tread
    hat_x = hat_y = per_x = per_y = 1.0
    if law["combination"] == NORMALIZED:
        hat_x, hat_y = factors(axes, v_x * v_x + v_y * v_y, m * m * (v_t * v_t + V_BREAK * V_BREAK), o["hardness"])
        per = 1.0 / (hat_x * hat_y)
        per_x, per_y = per * hat_y, per * hat_x
        axes = normalized(axes, hat_x, hat_y, per_x, per_y)
        last = s.treads[i]["memory"][1]

    c_x, c_y, d_x, d_y = stiffness_and_damping(law, u[2], v_t)
    K_x, K_y = c_x * h + d_x, c_y * h + d_y
    n_x, n_y = v_x * per_x, v_y * per_y
    trial = (
        c_x * u[0] - K_x * v_x - rest_x, c_y * u[1] - K_y * v_y - rest_y,
        K_x * hat_x, K_y * hat_y, math.sqrt(n_x * n_x + n_y * n_y), v_t,
    )  # fmt: skip
    F_x, F_y, s_x, s_y, g = hold(axes, (m, o["hardness"], H_max, half), trial, (s.treads[i]["memory"][0], last))
    sliding = math.sqrt(s_x * s_x + s_y * s_y)
    s_x, s_y = s_x * hat_x, s_y * hat_y
    if load < LOAD_MIN * law["load"]:
        F_x *= load / (LOAD_MIN * law["load"])
        F_y *= load / (LOAD_MIN * law["load"])
    F_x += rest_x
    F_y += rest_y
    o["tread_rate"][0], o["tread_rate"][1] = (F_x - c_x * u[0]) / K_x, (F_y - c_y * u[1]) / K_y
    o["slip"][0], o["slip"][1], o["tread_memory"][0], o["tread_memory"][1] = s_x, s_y, g, sliding

    # the trail is that of the slip angle; the camber force acts below the wheel
    length = contact_length(p.shared, deflection)
    turned, across = F_y, s_y
    if lean != 0.0:
        across += lean * v_tread / v_t
        turned += lean * v_tread * g * per_y
    M_z = -o["hardness"] * turned * length * trail(p.tmeasy, q, across / stretch) * rolling
    if law["turn_stiffness"] > 0.0 or law["relaxation_by"] == LENGTH:
        M_z += twist(law, u, o, load, q, m * t["friction"], (abs(v_tread) + sliding * v_t, max(length, LENGTH_MIN)), h)
    return F_x, F_y, M_z, lean * R_e * F_y


@inline
def stiffness_and_damping(law, laid, v_t):
    """Return (c_x, c_y [N/m], d_x, d_y [N s/m]) of the tread."""
    c, d = law["tread_stiffness"], law["tread_damping"]
    if law["relaxation_by"] != LENGTH:
        return c[0], c[1], d[0], d[1]
    q, fade = 1.0 + laid, 1.0 / (1.0 + v_t / V_DAMP)
    x, y = law["dfx0"][0], law["dfy0"][0]
    per = 1.0 / (x * y)
    x, y = force_at(law["dfx0"], q) * y * per, force_at(law["dfy0"], q) * x * per
    return c[0] * max(x, LAID_MIN), c[1] * max(y, LAID_MIN), d[0] * fade, d[1] * fade


@inline
def twist(law, u, o, load, q, friction, passing, h):
    """Return the moment [N m] of the twisted tread; write its rate and that of the load memory into `tread_rate` of o, backward Euler over
    h.

    `passing` is (v, L): speed at which the tread rolls or slides through the contact [m/s], and contact length [m].
    """
    rate, k, (v, length) = o["tread_rate"], law["turn_stiffness"], passing
    if load < LOAD_MIN * law["load"]:
        rate[2], rate[3] = -u[2] / (h + LIFT_TIME), -u[3] / (h + LIFT_TIME)
        return 0.0
    borne = q * law["load"]
    rate[2] = v * (q - 1.0 - u[2]) / (length + h * v)
    if k <= 0.0:
        rate[3] = 0.0
        return 0.0
    rate[3], moment = turned(u[3], o["turn_rate"], k, gough_moment(friction, borne, law["pressure"]), passing, h)
    return o["hardness"] * moment


@inline
def tmeasy_advance(tread, o, h):
    """Advance the state of a tread by h seconds at the rates in its record o of TIRE_OUT."""
    for k in range(NUMBERS_USED):
        tread["numbers"][k] += h * o["tread_rate"][k]
    tread["memory"][0], tread["memory"][1] = o["tread_memory"][0], o["tread_memory"][1]


@inline
def tmeasy_hold(tread, along, across):
    """Set the state of a tread whose patch is fixed at this distance [m] ahead of the rim."""
    tread["numbers"][0], tread["numbers"][1] = along, across


def _fields() -> Fields:
    """Return the fields of a tire file: the rows of TMEASY, some of them optional, with words for the integers among them."""
    rows = fields_of(TMEASY, _RANGES, dict.fromkeys(_OPTIONAL))
    return tuple(replace(row, kind=Choice(WORDS[row.name]), default=WORDS[row.name][0]) if row.name in WORDS else row for row in rows)


def complete(values: Mapping[str, Any], file: object, key: str, folders: Sequence[Path]) -> tuple[Mapping[str, Any], Record]:
    """Return the unchanged values and the record of TMEASY."""
    return values, filled(TMEASY, {**values, **{name: words.index(values[name]) for name, words in WORDS.items()}})


def numbers_of(own: Record) -> int:
    """Return the number of state values of a tire with these parameters."""
    return NUMBERS_USED if own[0]["relaxation_by"] == LENGTH or own[0]["turn_stiffness"] > 0.0 else 2


def check(shared: Record, own: Record, mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError if values of a tire file are in the wrong order."""
    values = own[0]
    checks = [(low, bool((values[low] < values[high]).all()), f"less than {high} = {values[high].tolist()}") for low, high in _ORDERED]
    checks += [(name, bool(values[name][0] < values[name][1]), "a larger force at twice the load") for name in _RISING]
    checks.append(("load_max", float(shared[0]["load_max"]) <= 4.0 * float(values["load"]), "at most 4 times the load"))
    if "turn_stiffness" in mapping:
        checks.append(("turn_stiffness", "pressure" in mapping, "a key pressure, too, which limits the moment"))
    raise_all([ConfigError(file, join(key, name), mapping[name], expected) for name, good, expected in checks if not good])


KIND = TireModelKind(
    "tmeasy",
    _fields(),
    STATE,
    table=TMEASY,
    complete=complete,
    numbers_of=numbers_of,
    check=check,
    stiff=("tread_stiffness", "tread_damping"),
    softened={
        **dict.fromkeys(("dfx0", "dfy0", "tread_stiffness", "tread_damping", "camber_stiffness"), 1),
        **dict.fromkeys(("sxm", "sxs", "sym", "sys"), -1),
    },
    meaning="TMeasy: slopes, maxima and sliding forces at two loads (Rill)",
)
"""Called directly by `tire`; the model has no kernel."""
