"""Tables shared by all tire models: parameters, state, input from the vehicle and output to it."""

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
    ("stiffness_growth", (), "N/m2", "radial stiffness c2 of F = c1 d + c2 d^2"),
    ("damping", (), "N s/m", "radial damping"),
    ("bottoming_radius", (), "m", "radius at which the tire bottoms on the rim"),
    ("bottoming_stiffness", (), "N/m", "stiffness added beyond bottoming"),
    ("load_max", (), "N", "maximum load used for the horizontal forces"),
    ("friction", (), "1", "friction coefficient of the ground on which the parameters of the tire model were measured"),
    ("rolling_resistance", (), "1", "moment of rolling resistance over load and radius"),
    ("torque_radius", (), "1", "lever of the circumferential force about the axle: 0 = loaded radius, 1 = effective rolling radius"),
    ("bulldozing", (), "1", "fraction of the side wall's passive earth pressure that acts on soil"),
    ("bulldozing_ahead", (), "1", "fraction of the resistance of soil pushed ahead, at large sinkage"),
    ("lug_height", (), "m", "height of lugs (grousers) that dig into soil; default: none"),
    ("inflation_pressure", (), "Pa", "pressure in the tire; default: `nominal_pressure`"),
    ("nominal_pressure", (), "Pa", "pressure in the tire at which `stiffness` was measured; required with `inflation_pressure`"),
    ("carcass_pressure", (), "Pa", "pressure on the ground that the carcass carries without air"),
    (
        "bearing_width",
        (),
        "m",
        "width of the tread that carries load, with its lower edge first if the wheel leans; default: contact of a thin disc, "
        "where `width` only gives a couple",
    ),
    (
        "contact_grid_spacing",
        (),
        "m",
        "spacing of the ground nodes of an enveloping contact; default: 0.05 or a tenth of the radius, whichever is larger; 0 in "
        "the record of a tire with one-point contact",
    ),
    ("strength", (), "N", "radial force at which rim and tire yield; default: 4 times `load_max`"),
    ("give", (), "m", "deflection at which the radial force reaches the strength; computed from the other parameters"),
)

TIRE_STATE = (
    # name          shape  unit   what it is
    ("slip", (2,), "1", "slip of the contact patch in the last step; on soil delayed by some milliseconds"),
    ("sinkage", (), "m", "depth of the rut in soil of hardness 0"),
    ("dug", (), "m", "part of the sinkage that the slipping tread has dug, not pressed"),
    (
        "firm",
        (2,),
        "1",
        "hardness of the ground after one and two lags of distance: the rut depth is 1 minus the second, times the sinkage",
    ),
    ("e_W", (3,), "1", "radius that pointed to the ground in the last step, the start of the contact search"),
    ("dent", (), "m", "yield deflection of rim and tire"),
    (
        "turned",
        (),
        "1",
        "distance rolled back since the wheel last rolled ahead, in units of `multipass.reach`, 0 to 2: 2 is rolling backwards",
    ),
    (
        "pressed",
        (3,),
        "m",
        "x and y in W of the last point at which the wheel pressed the soil, and depth there; depth 0: no contact with soil",
    ),
    ("shear", (2,), "m", "deflection against sheared soil, along and across, of a callback model"),
    ("stiffness_gain", (), "1", "radial stiffness over that of the parameters, minus 1, by the temperature of the gas"),
    ("friction_gain", (), "1", "friction over that of the parameters, minus 1, by the temperature of the surface"),
    ("resistance_gain", (), "1", "rolling resistance over that of the parameters, minus 1, by the temperature of the carcass"),
)
"""State shared by all tire models; the model's own state is TREAD_STATE of `contract`."""

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
    ("M_W", (3,), "N m", "moment of the ground on the tire about the wheel center, including the component about the axle"),
    ("F_C", (3,), "N", "force of the ground on the tire, in contact axes"),
    ("M_C", (3,), "N m", "moment of the ground on the tire about the contact point, in contact axes"),
    ("p_WC", (3,), "m", "contact point: on the ground, or on the bottom of the rut"),
    ("x_W", (3,), "1", "heading of the wheel in the ground plane"),
    ("y_W", (3,), "1", "direction to the left of the heading, in the ground plane"),
    ("n_W", (3,), "1", "ground normal"),
    ("e_W", (3,), "1", "radius in the wheel plane that points to the ground"),
    ("depth", (), "m", "depth of the undeformed tire below the undeformed ground, along the wheel plane; mean over the bearing width"),
    ("depth_rate", (), "m/s", "rate of the depth; at constant lean if only a part of the bearing width touches"),
    ("dent", (), "m", "yield deflection of rim and tire, subtracted from the depth"),
    ("edge", (), "m", "additional depth of the lower edge of the bearing width relative to its middle"),
    ("camber", (), "rad", "inclination of the wheel plane to the ground normal, + = top to the right"),
    ("v_x", (), "m/s", "velocity of the contact point with a wheel that does not spin, along x"),
    ("v_y", (), "m/s", "velocity of the contact point with a wheel that does not spin, along y"),
    ("turn_rate", (), "rad/s", "angular velocity of the wheel carrier about the ground normal"),
    ("slip_ratio", (), "1", "longitudinal slip, + = driving"),
    ("tire_deflection", (), "m", "radial deflection of the tire"),
    ("sinkage", (), "m", "sinkage of the wheel into the ground"),
    ("hardness", (), "1", "fraction of hard ground under the tire"),
    ("tread_rate", (NUMBERS,), "1/s", "rates of the state numbers of the tire model, in their units"),
    ("tread_memory", (MEMORY,), "", "`memory` of the tire model for the next step"),
    ("rut", (), "m", "depth of an earlier rut at this point in soil of hardness 0; 0: no earlier rut"),
    ("sinkage_rate", (), "m/s", "rate of the rut depth"),
    ("resistance", (), "N", "resistance of pressed soil along the heading, + = against driving forward"),
    ("dug_rate", (), "m/s", "rate of the dug part of the rut depth"),
    ("shear_rate", (2,), "m/s", "rate of the deflection against sheared soil"),
    ("slip", (2,), "1", "slip of the contact patch"),
)
"""Output record of a wheel; vectors ending in _W are in world axes, those in _C in contact axes (x heading, y left, z normal)."""

FILE = TIRE[:-1]
"""Rows of a tire file; those of `LEFT_OUT` are optional."""

LEFT_OUT: dict[str, object] = {
    "strength": None, "bearing_width": None, "contact_grid_spacing": None, "bulldozing_ahead": 1.0, "lug_height": 0.0,
    "inflation_pressure": None, "nominal_pressure": None, "carcass_pressure": 25e3,
}  # fmt: skip
"""Optional rows of a tire file. The carcass pressure is assumed: 20 to 30 kPa are usual for tires of this size."""

SPACING, SPACING_OF_RADIUS = 0.05, 0.1
"""m, and fraction of the radius. Default spacing of the nodes of the terrain cache, whichever is larger."""

INFLATION_MAX = 200.0
"""Maximum ratio of inflation and nominal pressure, and of nominal and inflation pressure [assumed]: includes a tire without air. A larger
ratio indicates a wrong unit: the pressures of one tire on roads and in mud differ by a factor of four."""

STRENGTH = 4.0
"""Default strength, as a multiple of the maximum load for the horizontal forces: a rim that bends under some 12 t."""

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
"""Valid ranges of a tire, in SI units: values outside indicate a typo."""


def shared_record(rows: Record, mapping: Mapping[str, Any]) -> Record:
    """Return the record of table `TIRE` from the rows FILE of a tire file with the content `mapping`."""
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
        factor = stiffness_share(*(float(values[name]) for name in ("inflation_pressure", "nominal_pressure", "carcass_pressure")))
        values["stiffness"] *= factor
        values["stiffness_growth"] *= factor
    if "contact_grid_spacing" not in mapping:
        values["contact_grid_spacing"] = max(SPACING, SPACING_OF_RADIUS * values["radius"])
    values["give"] = deflection_at(p, float(values["strength"]))
    return p


def stiffness_share(inflation_pressure: float, nominal_pressure: float, carcass_pressure: float) -> float:
    """Return the radial stiffness over that at the nominal pressure. At a given deflection, and so patch size, inflation and carcass
    pressure carry the load [Wong 2008, section 2.7]; pressures in Pa."""
    return (inflation_pressure + carcass_pressure) / (nominal_pressure + carcass_pressure)


def check_inflation(mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError if a tire file has an inflation pressure but not the pressure at which its stiffness was measured, or if the two
    pressures are too different for the equations."""
    pressure, nominal = mapping.get("inflation_pressure"), mapping.get("nominal_pressure")
    if pressure is None:
        return
    key = join(key, "inflation_pressure")
    if nominal is None:
        raise ConfigError(file, key, pressure, "a key nominal_pressure, too, at which stiffness was measured")
    if not 1.0 <= INFLATION_MAX * pressure / nominal <= INFLATION_MAX**2:
        expected = (
            f"a pressure from {nominal / INFLATION_MAX:g} to {nominal * INFLATION_MAX:g} Pa, near the nominal_pressure of {nominal:g} Pa"
        )
        raise ConfigError(file, key, pressure, expected)


def check_rim(mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError if the rim of a tire file is larger than the tire."""
    if not mapping["bottoming_radius"] < mapping["radius"]:
        raise ConfigError(file, join(key, "bottoming_radius"), mapping["bottoming_radius"], "less than the radius")


def check_spacing(shared: Record, mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError if a tire is too large for the terrain cache with the node spacing of its file."""
    finest = float(shared[0]["radius"]) / DENSEST
    if "contact_grid_spacing" in mapping and not mapping["contact_grid_spacing"] >= finest:
        raise ConfigError(
            file,
            join(key, "contact_grid_spacing"),
            mapping["contact_grid_spacing"],
            f"at least {finest:.3g} m, a {DENSEST:g}th of the radius",
        )


def deflection_at(p: Record, force: float) -> float:
    """Return the deflection [m] at which the radial force reaches `force` [N]; at most DEFLECTION_MAX of the radius."""
    low, high = 0.0, DEFLECTION_MAX * float(p[0]["radius"])
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if radial_force(p, middle, 0.0, 0.0)[0] < (1.0 - 1e-12) * force else (low, middle)
    return high


def tire_states(count: int = 4) -> Record:
    """Return records of `TIRE_STATE` for `count` wheels without deflection and sinkage."""
    s = record(TIRE_STATE, count)
    s["e_W"][:, 2] = -1.0
    return s
