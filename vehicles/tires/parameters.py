"""Tables of a tire: parameters from its file, state, what the vehicle hands in and what it gets back."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError, TireTypeWarning
from simulator.base.records import LARGEST, Record, from_mapping, join, record
from vehicles.tires.tmeasy import DEFLECTION_MAX, radial_force

TIRE = (
    # name                  shape  unit       what it is
    ("radius", (), "m", "unloaded radius R0"),
    ("width", (), "m", "width of the tread"),
    ("stiffness", (), "N/m", "radial stiffness c1 of F = c1 d + c2 d^2"),
    ("stiffness_growth", (), "N/m2", "c2 of the same"),
    ("damping", (), "N s/m", "radial damping"),
    ("bottoming_radius", (), "m", "radius at which the rim strikes through"),
    ("bottoming_stiffness", (), "N/m", "stiffness added beyond that"),
    ("load", (), "N", "nominal load pn; the pairs below hold values at pn and at 2 pn"),
    ("load_max", (), "N", "largest load used in the horizontal curves"),
    ("friction", (), "1", "friction coefficient of the ground on which the curves were found"),
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
    ("rolling_resistance", (), "1", "moment over load and radius"),
    ("tread_stiffness", (2,), "N/m", "stiffness of the contact patch against the rim, along and across"),
    ("tread_damping", (2,), "N s/m", "damping of the same"),
    ("torque_radius", (), "1", "lever of the circumferential force about the axle: 0 = loaded radius, 1 = effective rolling radius"),
    ("bulldozing", (), "1", "share of the side wall's passive earth pressure that acts on soil"),
    ("strength", (), "N", "radial force at which rim and tire give way; 4 times `load_max` when left out"),
    ("give", (), "m", "deflection at which the radial force comes to that strength; follows from the others"),
)

TIRE_STATE = (
    # name          shape  unit   what it is
    ("u", (2,), "m", "tangential deflection of the tread, along and across"),
    ("slip", (2,), "1", "slip at which the contact patch really slid in the last step"),
    ("secant", (), "N s/m", "friction force over sliding velocity in the last step"),
    ("sinkage", (), "m", "depth of the rut in soil of hardness 0"),
    ("e_W", (3,), "1", "radius that pointed at the ground in the last step: tells where to look for it"),
    ("dent", (), "m", "how far rim and tire have given way"),
)

WHEEL = (
    # name      shape  unit     what it is
    ("p_WK", (3,), "m", "wheel center"),
    ("a_W", (3,), "1", "unit axis of the wheel, pointing left"),
    ("v_WK_W", (3,), "m/s", "velocity of the wheel center"),
    ("w_WK_W", (3,), "rad/s", "angular velocity of the wheel carrier"),
    ("spin", (), "rad/s", "absolute angular velocity of the wheel about its axle, + = rolling forward"),
)

TIRE_OUT = (
    # name               shape  unit     what it is
    ("F_W", (3,), "N", "force of the ground on the tire"),
    ("M_W", (3,), "N m", "moment of the ground on the tire about the wheel center, the part about the axle included"),
    ("F_C", (3,), "N", "the force in contact axes"),
    ("M_C", (3,), "N m", "the moment about the contact point, in contact axes"),
    ("p_WC", (3,), "m", "contact point: on the ground, or on the bottom of the rut"),
    ("x_W", (3,), "1", "heading of the wheel in the ground plane"),
    ("y_W", (3,), "1", "left of it in the ground plane"),
    ("n_W", (3,), "1", "ground normal"),
    ("e_W", (3,), "1", "radius in the wheel plane that points at the ground"),
    ("depth", (), "m", "how far the undeformed tire reaches below the undeformed ground, along the wheel plane"),
    ("depth_rate", (), "m/s", "its rate"),
    ("dent", (), "m", "how far rim and tire have given way; taken off the depth"),
    ("camber", (), "rad", "inclination of the wheel plane to the ground normal, + = top to the right"),
    ("v_x", (), "m/s", "velocity of the contact point with a wheel that does not spin, along x"),
    ("v_y", (), "m/s", "the same along y"),
    ("slip_ratio", (), "1", "longitudinal slip, + = driving"),
    ("slip_angle", (), "rad", "slip angle, + = wheel center moves to the left of its heading"),
    ("tire_deflection", (), "m", "radial deflection of the tire"),
    ("sinkage", (), "m", "sinkage of the wheel into the ground"),
    ("hardness", (), "1", "share of hard ground under the tire"),
    ("u_rate", (2,), "m/s", "rate of the tangential deflection"),
    ("sinkage_rate", (), "m/s", "rate of the rut's depth"),
    ("slip", (2,), "1", "slip of the contact patch"),
    ("secant", (), "N s/m", "friction force over sliding velocity"),
)
"""One record per wheel; vectors ending in _W are in world axes, those in _C in contact axes (x heading, y left, z normal)."""

_FILE = TIRE[:-1]

TYPES = ("tmeasy",)
"""Tread laws by the `type` of a tire file, the first one if it does not say."""

STRENGTH = 4.0
"""Default strength, in largest loads of the horizontal curves: a rim that bends under some 12 t."""

_RANGES = {
    **dict.fromkeys(("radius", "width", "bottoming_radius"), (0.01, 10.0)),
    **dict.fromkeys(("stiffness", "tread_stiffness"), (1e2, 1e8)),
    **dict.fromkeys(("stiffness_growth", "bottoming_stiffness"), (0.0, LARGEST)),
    **dict.fromkeys(("damping", "tread_damping"), (1e-3, 1e6)),
    **dict.fromkeys(("load", "load_max", "strength"), (1.0, 1e7)),
    "friction": (0.01, 5.0),
    **dict.fromkeys(("dfx0", "dfy0"), (1.0, LARGEST)),
    **dict.fromkeys(("fxm", "fxs", "fym", "fys"), (0.1, 1e7)),
    **dict.fromkeys(("sxm", "sxs", "sym", "sys", "sq0", "sqe"), (1e-3, 100.0)),
    "nl0": (0.0, 1.0),
    "rolling_resistance": (0.0, 1.0),
    **dict.fromkeys(("torque_radius", "bulldozing"), (0.0, 1.0)),
}
"""What a tire can be, in SI units: beyond is a slip of the pen."""
_ORDERED = (("fxs", "fxm"), ("fys", "fym"), ("sxm", "sxs"), ("sym", "sys"), ("sq0", "sqe"))
_RISING = ("fxm", "fym")
"""Forces that are larger at twice the nominal load."""


def tire(mapping: Mapping[str, Any], file: object, key: str = "") -> Record:
    """Record of table `TIRE` from a tire file: exactly the rows of the table but `give`, in SI units; `strength` may be left out.

    Raises
    ------
    ConfigError : unknown or missing key, wrong type or shape, a number out of range, two numbers in the wrong order
    """
    rows = from_mapping(_FILE, _of_a_known_type(mapping, file, key), file, key, {"strength": 0.0}, _RANGES)
    p = record(TIRE)
    values = p[0]
    for name in rows.dtype.names or ():
        values[name] = rows[0][name]
    if "strength" not in mapping:
        values["strength"] = STRENGTH * values["load_max"]
    values["give"] = _deflection(p, float(values["strength"]))
    for low, high in _ORDERED:
        _require(bool((values[low] < values[high]).all()), mapping, file, key, low, f"below {high} = {values[high].tolist()}")
    for name in _RISING:
        _require(bool(values[name][0] < values[name][1]), mapping, file, key, name, "the larger force at twice the load")
    _require(float(values["bottoming_radius"]) < float(values["radius"]), mapping, file, key, "bottoming_radius", "less than the radius")
    _require(float(values["load_max"]) <= 4.0 * float(values["load"]), mapping, file, key, "load_max", "at most 4 times the load")
    return p


def tire_set(tires: Sequence[Record]) -> Record:
    """(n,) records of TIRE out of one of each wheel."""
    return np.concatenate(tires)


def _deflection(p: Record, force: float) -> float:
    """Deflection [m] at which the radial force comes to `force` [N]; at most DEFLECTION_MAX of the radius."""
    low, high = 0.0, DEFLECTION_MAX * float(p[0]["radius"])
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if radial_force(p, middle, 0.0)[0] < (1.0 - 1e-12) * force else (low, middle)
    return high


def tire_states(count: int = 4) -> Record:
    """Records of `TIRE_STATE` for `count` wheels: nothing deflected, nothing sunk in."""
    s = record(TIRE_STATE, count)
    s["e_W"][:, 2] = -1.0
    return s


def _of_a_known_type(mapping: Any, file: object, key: str) -> Any:
    """The mapping without its `type`, which must be one of TYPES. Raises ConfigError."""
    if not isinstance(mapping, Mapping):
        return mapping
    if "type" not in mapping:
        told = f"{file}: no type is said, so it is {TYPES[0]}; write `type: {TYPES[0]}`"
        warnings.warn(told, TireTypeWarning, stacklevel=3)
    elif mapping["type"] not in TYPES:
        raise ConfigError(file, join(key, "type"), mapping["type"], " or ".join(TYPES))
    return {name: value for name, value in mapping.items() if name != "type"}


def _require(ok: bool, mapping: Mapping[str, Any], file: object, key: str, name: str, expected: str) -> None:
    if not ok:
        raise ConfigError(file, join(key, name), mapping[name], expected)
