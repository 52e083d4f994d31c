"""TMeasy as a tread law: tangential deflections and twist, the numbers of its file, and its grip on hard ground and on soil.

Its state (`tread_law.TREAD_STATE`): numbers 0 and 1 are the tangential deflection u of the tread [m], along and across, 2 the load under
which it was laid down, over the nominal load and less 1, 3 its twist about the ground's normal [rad]; memory 0 is the secant of the last
step, friction force over sliding velocity [N s/m], and 1 its slip, normalized, with which the next one begins. Tires without the keys that need them have no 2 and 3.

**Relaxation.** Rolling, the force follows the slip over the way dF0 / c (`grip`), and dF0 grows with the load. With `relaxation_by: length` the
stiffness is c dF0(laid) / dF0(nominal), so the way is the same at every load. Only rolling or sliding lays tread anew; what stands is a spring of
one stiffness, from which a changing load takes no work. The damper would carry part of the force past the spring when rolling fast, so its
part d v / dF0 is bounded: d / (1 + v / V_DAMP).

**Twist.** A wheel steered where it stands twists its tread, a spring k with Dahl's friction, and what rolls or slides through the contact of
length L is laid down untwisted:

    psi' = turn_rate - |turn_rate| psi / psi_max - v psi / L,    M_z = -k psi,    k psi_max = mu F_z sqrt(F_z / p) / 3

Stored is k psi^2 / 2, and both other terms only take from it. The largest moment is Gough's (V. E. Gough, Cornering characteristics of tyres,
Automobile Engineer 44 (1954)), p the inflation pressure: 385 N m at 6.6 kN, 20 psi and mu 0.8.

**Camber.** A leaning wheel rolls as if it slipped sideways by camber_stiffness / dfy0 times its camber: the thrust is within the friction, follows
over the same way and is gone at standstill. What it does to the car is taken from the wheel's spin, so that rolling gives no energy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, raise_all
from simulator.base.fields import Choice, Fields, fields_of, filled
from simulator.base.jit import inline
from simulator.base.records import LARGEST, Record, join
from vehicles.tires.bore_torque import gough_moment, turned
from vehicles.tires.contract import TireModelKind
from vehicles.tires.moments import contact_length
from vehicles.tires.standstill import V_CREEP, V_FADE, smooth_sign
from vehicles.tires.tmeasy.steady_forces import axes_at, factors, force_at, normalized, trail
from vehicles.tires.tmeasy.tread_friction import V_BREAK, hold

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
    (
        "relaxation_by",
        (),
        "1",
        "what stays as it is at every load and speed: the tread's stiffness and damping, or the relaxation length, dfx0 or dfy0 over "
        "tread_stiffness at the nominal load",
        "i8",
    ),
    (
        "combination",
        (),
        "1",
        "how slip along and across are combined: plain, or normalized, so that both axes come to their peaks together (Rill)",
        "i8",
    ),
    ("camber_stiffness", (2,), "N", "thrust to the side that a wheel leans to, over its camber; none when left out"),
    ("turn_stiffness", (), "N m", "moment over angle of a wheel that is turned where it stands; none when left out"),
    ("pressure", (), "Pa", "inflation pressure, which bounds that moment: mu F_z sqrt(F_z / pressure) / 3"),
)

STATE = (
    ("u", (2,), "m", "tangential deflection of the tread, along and across"),
    ("laid", (), "1", "load under which the tread in the contact was laid down, over the nominal load, less 1"),
    ("twist", (), "rad", "twist of the tread about the ground's normal"),
)

WORDS = {"relaxation_by": ("stiffness", "length"), "combination": ("plain", "normalized")}
LENGTH = WORDS["relaxation_by"].index("length")
NORMALIZED = WORDS["combination"].index("normalized")

NUMBERS_USED = 4
"""Numbers of the state; a tire that neither keeps its relaxation length nor twists has the first two alone."""

LOAD_LEAST = 1e-9
"""Least load over nominal load in the horizontal curves, which divide by it; below, forces fall to zero with the load."""

FRICTION_LEAST = 0.01
"""Least friction coefficient of hard ground; the slips of the curves scale with it and must not vanish."""

V_DAMP = 0.5
"""m/s. With `relaxation_by: length`, the speed at which half of the tread's damping is left. Larger: more of the force is there at once. Smaller: a
wheel that has begun to roll shakes on its tread for longer."""

LAID_LEAST = 0.05
"""Least stiffness of tread laid under little load, over that at the nominal load."""

LIFT_TIME = 0.01
"""s. Time in which a tread without load forgets how it was laid and twisted."""

LENGTH_LEAST = 0.02
"""m. Least length of the contact."""


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
"""Parameters that a file may leave out; they are zero then."""

_ORDERED = (("fxs", "fxm"), ("fys", "fym"), ("sxm", "sxs"), ("sym", "sys"), ("sq0", "sqe"))
_RISING = ("fxm", "fym")
"""Forces that are larger at twice the nominal load."""


@inline
def tmeasy_grip(p, s, i, h, borne, under, out):
    """Horizontal forces and moments (F_x, F_y [N], M_z, M_y [N m]) of tire i: tread springs against friction and the soil's strength.

    `p` and `s` are a `Tire` and `TireStates` of `tire`, `borne` is that of `moments.finish`. Soil is H s / (s + s1), with s1 from the
    way of the tread through the contact, plus what the integrals gave beyond that at the slip of the last step. Rates go into out[i].
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

    q = min(max(load / law["load"], LOAD_LEAST), t["load_max"] / law["load"])
    m = max(under[0]["friction"], FRICTION_LEAST) / t["friction"]
    axes = axes_at(p.tmeasy, q)
    rolling, v_t = smooth_sign(v_tread / V_FADE), abs(v_tread) + V_CREEP
    lean = 0.0
    if law["camber_stiffness"][0] > 0.0:
        lean = o["hardness"] * rolling * o["camber"] * force_at(law["camber_stiffness"], q) / axes[1]
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
    if load < LOAD_LEAST * law["load"]:
        F_x *= load / (LOAD_LEAST * law["load"])
        F_y *= load / (LOAD_LEAST * law["load"])
    F_x += rest_x
    F_y += rest_y
    o["tread_rate"][0], o["tread_rate"][1] = (F_x - c_x * u[0]) / K_x, (F_y - c_y * u[1]) / K_y
    o["slip"][0], o["slip"][1], o["tread_memory"][0], o["tread_memory"][1] = s_x, s_y, g, sliding

    # the trail is that of the slip angle; the camber's part of the force acts below the wheel
    length = contact_length(p.shared, deflection)
    turned, across = F_y, s_y
    if lean != 0.0:
        across += lean * v_tread / v_t
        turned += lean * v_tread * g * per_y
    M_z = -o["hardness"] * turned * length * trail(p.tmeasy, q, across) * rolling
    if law["turn_stiffness"] > 0.0 or law["relaxation_by"] == LENGTH:
        M_z += twist(law, u, o, load, q, m * t["friction"], (abs(v_tread) + sliding * v_t, max(length, LENGTH_LEAST)), h)
    return F_x, F_y, M_z, lean * R_e * F_y


@inline
def stiffness_and_damping(law, laid, v_t):
    """(c_x, c_y [N/m], d_x, d_y [N s/m]) of the tread."""
    c, d = law["tread_stiffness"], law["tread_damping"]
    if law["relaxation_by"] != LENGTH:
        return c[0], c[1], d[0], d[1]
    q, fade = 1.0 + laid, 1.0 / (1.0 + v_t / V_DAMP)
    x, y = law["dfx0"][0], law["dfy0"][0]
    per = 1.0 / (x * y)
    x, y = force_at(law["dfx0"], q) * y * per, force_at(law["dfy0"], q) * x * per
    return c[0] * max(x, LAID_LEAST), c[1] * max(y, LAID_LEAST), d[0] * fade, d[1] * fade


@inline
def twist(law, u, o, load, q, friction, passing, h):
    """Moment [N m] of the twisted tread; its rate and that of the load it was laid under go into `tread_rate` of o, backward Euler over h.

    `passing` is (v, L): speed with which the tread rolls or slides through the contact [m/s], and its length [m].
    """
    rate, k, (v, length) = o["tread_rate"], law["turn_stiffness"], passing
    if load < LOAD_LEAST * law["load"]:
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
    """State of a tread after h seconds at the rates in its record o of TIRE_OUT."""
    for k in range(NUMBERS_USED):
        tread["numbers"][k] += h * o["tread_rate"][k]
    tread["memory"][0], tread["memory"][1] = o["tread_memory"][0], o["tread_memory"][1]


@inline
def tmeasy_hold(tread, along, across):
    """State of a tread whose patch is held so far [m] ahead of the rim."""
    tread["numbers"][0], tread["numbers"][1] = along, across


def _fields() -> Fields:
    """Keys of a tire file: the rows of TMEASY, some of which may be left out, and words for the whole numbers among them."""
    rows = fields_of(TMEASY, _RANGES, dict.fromkeys(_OPTIONAL))
    return tuple(replace(row, kind=Choice(WORDS[row.name]), default=WORDS[row.name][0]) if row.name in WORDS else row for row in rows)


def complete(values: Mapping[str, Any], file: object, key: str, folders: Sequence[Path]) -> tuple[Mapping[str, Any], Record]:
    """The values as they are, and the record of TMEASY that they make."""
    return values, filled(TMEASY, {**values, **{name: words.index(values[name]) for name, words in WORDS.items()}})


def numbers_of(own: Record) -> int:
    """How many numbers of the state a tire with these parameters has."""
    return NUMBERS_USED if own[0]["relaxation_by"] == LENGTH or own[0]["turn_stiffness"] > 0.0 else 2


def check(shared: Record, own: Record, mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError: numbers of a tire file stand in the wrong order."""
    values = own[0]
    wanted = [(low, bool((values[low] < values[high]).all()), f"below {high} = {values[high].tolist()}") for low, high in _ORDERED]
    wanted += [(name, bool(values[name][0] < values[name][1]), "the larger force at twice the load") for name in _RISING]
    wanted.append(("load_max", float(shared[0]["load_max"]) <= 4.0 * float(values["load"]), "at most 4 times the load"))
    if "turn_stiffness" in mapping:
        wanted.append(("turn_stiffness", "pressure" in mapping, "beside it the pressure that bounds the moment"))
    raise_all([ConfigError(file, join(key, name), mapping[name], expected) for name, good, expected in wanted if not good])


LAW = TireModelKind(
    "tmeasy",
    TMEASY,
    _RANGES,
    STATE,
    fields=_fields(),
    complete=complete,
    numbers_of=numbers_of,
    check=check,
    stiff=("tread_stiffness", "tread_damping"),
    meaning="TMeasy: slopes, maxima and sliding forces at two loads (Rill)",
)
"""Called directly by `tire`; it has no kernel of its own."""
