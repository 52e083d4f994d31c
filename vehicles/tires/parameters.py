"""Tables of what all tires share: parameters, state, what the vehicle hands in and what it gets back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.records import LARGEST, Record, join, record
from vehicles.tires.contract import MEMORY, NUMBERS
from vehicles.tires.radial import DEFLECTION_MAX, radial_force
from vehicles.tires.terrain_cache import DENSEST

TIRE = (
    # name                  shape  unit       what it is
    ("radius", (), "m", "unloaded radius R0"),
    ("width", (), "m", "width of the tread"),
    ("stiffness", (), "N/m", "radial stiffness c1 of F = c1 d + c2 d^2"),
    ("stiffness_growth", (), "N/m2", "c2 of the same"),
    ("damping", (), "N s/m", "radial damping"),
    ("bottoming_radius", (), "m", "radius at which the rim strikes through"),
    ("bottoming_stiffness", (), "N/m", "stiffness added beyond that"),
    ("load_max", (), "N", "largest load used for the horizontal forces"),
    ("friction", (), "1", "friction coefficient of the ground on which the numbers of the tread law were found"),
    ("rolling_resistance", (), "1", "moment over load and radius"),
    ("torque_radius", (), "1", "lever of the circumferential force about the axle: 0 = loaded radius, 1 = effective rolling radius"),
    ("bulldozing", (), "1", "share of the side wall's passive earth pressure that acts on soil"),
    ("bulldozing_ahead", (), "1", "share of the resistance of the soil that is pushed ahead, where the wheel sinks in deep"),
    ("lug_height", (), "m", "height of lugs (grousers) that dig into soil; none when left out"),
    ("inflation_pressure", (), "Pa", "pressure in the tire; `nominal_pressure` when left out"),
    ("nominal_pressure", (), "Pa", "pressure in the tire at which `stiffness` was found; goes with `inflation_pressure`"),
    ("carcass_pressure", (), "Pa", "pressure on the ground that the carcass bears without air"),
    (
        "bearing_width",
        (),
        "m",
        "width that bears and touches with its lower edge first where the wheel leans; when left out a thin disc touches, "
        "and `width` gives a couple alone",
    ),
    (
        "contact_grid_spacing",
        (),
        "m",
        "distance of the nodes at which an enveloping contact knows the ground; 0.05 or a tenth of the radius, if larger, when left out; 0 in "
        "the record of a tire that touches in one point",
    ),
    ("strength", (), "N", "radial force at which rim and tire give way; 4 times `load_max` when left out"),
    ("give", (), "m", "deflection at which the radial force comes to that strength; follows from the others"),
)

TIRE_STATE = (
    # name          shape  unit   what it is
    ("slip", (2,), "1", "slip at which the contact patch really slid in the last step; on soil it follows that within milliseconds"),
    ("sinkage", (), "m", "depth of the rut in soil of hardness 0"),
    ("dug", (), "m", "part of that depth that the slipping tread has dug, not pressed"),
    ("firm", (2,), "1", "hardness of the ground behind one and two lags of way: the rut is 1 less the second of the sinkage deep"),
    ("e_W", (3,), "1", "radius that pointed at the ground in the last step: tells where to look for it"),
    ("dent", (), "m", "how far rim and tire have given way"),
    ("turned", (), "1", "way rolled back since the wheel rolled ahead, in reaches of `rut_memory`, 0 to 2: 2 is rolling backwards"),
    ("pressed", (3,), "m", "x and y in W where the wheel pressed the soil last, and how deep; depth 0: it does not press any"),
    ("shear", (2,), "m", "deflection against sheared soil, along and across, of a tread law from outside"),
)
"""What tires of all tread laws keep; the law's own is TREAD_STATE of `tread_law`."""

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
    ("depth", (), "m", "how far the undeformed tire reaches below the undeformed ground, along the wheel plane; mean of the bearing width"),
    ("depth_rate", (), "m/s", "its rate; of a bearing width of which a part touches, at a lean that stays"),
    ("dent", (), "m", "how far rim and tire have given way; taken off the depth"),
    ("edge", (), "m", "how much deeper the lower edge of the bearing width reaches than its middle"),
    ("camber", (), "rad", "inclination of the wheel plane to the ground normal, + = top to the right"),
    ("v_x", (), "m/s", "velocity of the contact point with a wheel that does not spin, along x"),
    ("v_y", (), "m/s", "the same along y"),
    ("turn_rate", (), "rad/s", "angular velocity of the wheel carrier about the ground's normal"),
    ("slip_ratio", (), "1", "longitudinal slip, + = driving"),
    ("tire_deflection", (), "m", "radial deflection of the tire"),
    ("sinkage", (), "m", "sinkage of the wheel into the ground"),
    ("hardness", (), "1", "share of hard ground under the tire"),
    ("tread_rate", (NUMBERS,), "1/s", "rates of the numbers of the tread law's state, in their units"),
    ("tread_memory", (MEMORY,), "", "what the tread law wants to find in its state at the next step"),
    ("rut", (), "m", "how deep soil of hardness 0 was pressed here before; 0 where nobody has driven"),
    ("sinkage_rate", (), "m/s", "rate of the rut's depth"),
    ("resistance", (), "N", "what pressed soil takes off the forces of the tread along the heading, + = held back driving forward"),
    ("dug_rate", (), "m/s", "rate of the part of it that is dug"),
    ("shear_rate", (2,), "m/s", "rate of the deflection against sheared soil"),
    ("slip", (2,), "1", "slip of the contact patch"),
)
"""One record per wheel; vectors ending in _W are in world axes, those in _C in contact axes (x heading, y left, z normal)."""

FILE = TIRE[:-1]
"""What a tire file has; those of `LEFT_OUT` may be left out."""

LEFT_OUT: dict[str, object] = {
    "strength": None, "bearing_width": None, "contact_grid_spacing": None, "bulldozing_ahead": 1.0, "lug_height": 0.0,
    "inflation_pressure": None, "nominal_pressure": None, "carcass_pressure": 25e3,
}  # fmt: skip
"""Rows of every tire that a file may leave out. The carcass is assumed: 20 to 30 kPa are usual for tires of that size."""

SPACING, SPACING_OF_RADIUS = 0.05, 0.1
"""m, and of the radius. Default distance of the nodes of a window, whichever is larger."""

STRENGTH = 4.0
"""Default strength, in largest loads for the horizontal forces: a rim that bends under some 12 t."""

RANGES = {
    **dict.fromkeys(("radius", "width", "bottoming_radius", "bearing_width"), (0.01, 10.0)),
    "contact_grid_spacing": (0.005, 1.0),
    "stiffness": (1e2, 1e8),
    **dict.fromkeys(("stiffness_growth", "bottoming_stiffness"), (0.0, LARGEST)),
    "damping": (1e-3, 1e6),
    **dict.fromkeys(("load_max", "strength"), (1.0, 1e7)),
    "friction": (0.01, 5.0),
    "rolling_resistance": (0.0, 1.0),
    **dict.fromkeys(("torque_radius", "bulldozing", "bulldozing_ahead"), (0.0, 1.0)),
    "lug_height": (0.0, 1.0),
    **dict.fromkeys(("inflation_pressure", "nominal_pressure"), (1e3, 1e7)),
    "carcass_pressure": (0.0, 1e6),
}
"""What a tire can be, in SI units: beyond is a slip of the pen."""


def shared_record(rows: Record, mapping: Mapping[str, Any]) -> Record:
    """Record of table `TIRE` out of the rows FILE of a tire file that is `mapping`."""
    p = record(TIRE)
    values = p[0]
    for name in (row[0] for row in FILE):
        values[name] = rows[0][name]
    for name, default in LEFT_OUT.items():
        if default is not None and name not in mapping:
            values[name] = default
    if "strength" not in mapping:
        values["strength"] = STRENGTH * values["load_max"]
    if "inflation_pressure" in mapping:
        share = stiffness_share(*(float(values[name]) for name in ("inflation_pressure", "nominal_pressure", "carcass_pressure")))
        values["stiffness"] *= share
        values["stiffness_growth"] *= share
    if "contact_grid_spacing" not in mapping:
        values["contact_grid_spacing"] = max(SPACING, SPACING_OF_RADIUS * values["radius"])
    values["give"] = _deflection(p, float(values["strength"]))
    return p


def stiffness_share(inflation_pressure: float, nominal_pressure: float, carcass_pressure: float) -> float:
    """Radial stiffness over that at the nominal pressure: what presses on the ground at a deflection, and so on a patch of a size, is inflation and
    carcass [Wong 2008, section 2.7]; pressures in Pa."""
    return (inflation_pressure + carcass_pressure) / (nominal_pressure + carcass_pressure)


def check_inflation(mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError: a tire file says its pressure, and not at which one its stiffness was found."""
    pressure = mapping.get("inflation_pressure")
    if pressure is not None and mapping.get("nominal_pressure") is None:
        raise ConfigError(file, join(key, "inflation_pressure"), pressure, "beside it the nominal_pressure at which stiffness was found")


def check_rim(mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError: the rim of a tire file is larger than the tire."""
    if not mapping["bottoming_radius"] < mapping["radius"]:
        raise ConfigError(file, join(key, "bottoming_radius"), mapping["bottoming_radius"], "less than the radius")


def check_spacing(shared: Record, mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError: a tire is too large for the window with nodes as dense as its file says."""
    finest = float(shared[0]["radius"]) / DENSEST
    if "contact_grid_spacing" in mapping and not mapping["contact_grid_spacing"] >= finest:
        raise ConfigError(
            file,
            join(key, "contact_grid_spacing"),
            mapping["contact_grid_spacing"],
            f"{finest:.3g} m or more: a {DENSEST:g}th of the radius",
        )


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
