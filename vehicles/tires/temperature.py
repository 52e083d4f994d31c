"""Temperatures and wear of the tires of a vehicle, both optional: heat from friction and rolling, and its effects on the tires.

A tire has three lumped heat capacities: the surface of the tread s, the carcass c with the rest of the tread, and the gas g inside.

    C_s T_s' = a P_f + K_road A (T_road - T_s) + K_s(v) (T_0 - T_s) + K_sc (T_c - T_s)
    C_c T_c' =     P_r                         + K_c(v) (T_0 - T_c) + K_sc (T_s - T_c) + K_cg (T_g - T_c)
    C_g T_g' =                                   K_rim  (T_0 - T_g)                    + K_cg (T_c - T_g)

with the friction power P_f, of which the fraction a heats the tread, the power of the rolling resistance P_r, the area A of the contact, and
K(v) = cooling + cooling_by_speed v. A step solves these equations by backward Euler: heat is neither gained nor lost.

    P_f + P_r = -F_x v_x - F_y v_y - M_y w_y - M_z w_z + (R_e - lever) F_x spin        v, w: of the wheel as a rigid body, at the contact point

is all power that the contact takes from the vehicle, except that of spring and damper along the normal. The last term is zero with
`torque_radius: 1`; another lever creates or loses power between tread and axle. differs: the elastic energy of the tread counts as friction
until it is released.

    pressure              (p_0 + p_a) (T_g + 273.15) / (T_0 + 273.15) - p_a      gas of constant volume, p_a: air pressure
    radial stiffness      c (p + p_c) / (p_0 + p_c)                              as in `parameters.stiffness_share`
    rolling resistance    f exp(-k (T_c - T_f))
    friction              mu times the curve `friction_factor` over T_s
    depth of the tread    z_0 (1 - b W / m_0)                                    W: work of the friction, b: abrasion, m_0: mass of the tread

docs/tires.md has the numbers of a passenger car tire with their sources.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.algebra.vectors import add, add_scaled, cross, dot, scale, vector
from simulator.base.errors import NOTHING, ConfigError, ErrorCollector
from simulator.base.field_records import fields_of
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, Table, join, record, view_as
from simulator.base.values import Values
from vehicles.axle_layout import WHEELS, Axles
from vehicles.tires.moments import contact_length, rolling_radius
from vehicles.tires.standstill import SPIN_FADE, smooth_sign

AIR_PRESSURE = 101325.0
"""Pa. Pressure of the standard atmosphere."""
KELVIN = 273.15
"""K at 0 degrees Celsius."""
POINTS = 8
"""Largest number of points of the friction curve."""

CAPACITIES = (
    # name                       shape  unit       what it is
    ("surface_capacity", (), "J/K", "heat capacity of the surface of the tread"),
    ("carcass_capacity", (), "J/K", "heat capacity of the carcass and of the rest of the tread"),
    ("gas_capacity", (), "J/K", "heat capacity of the gas in the tire"),
    ("surface_to_carcass", (), "W/K", "heat flow from the surface to the carcass per difference of temperature"),
    ("carcass_to_gas", (), "W/K", "heat flow from the carcass to the gas per difference of temperature"),
    ("gas_to_rim", (), "W/K", "heat flow from the gas through the rim to the surroundings per difference of temperature"),
    ("surface_cooling", (), "W/K", "heat loss of the surface to the air at rest"),
    ("surface_cooling_by_speed", (), "W s/(K m)", "additional heat loss of the surface per speed"),
    ("carcass_cooling", (), "W/K", "heat loss of the carcass through the side walls at rest"),
    ("carcass_cooling_by_speed", (), "W s/(K m)", "additional heat loss of the carcass per speed"),
    ("road_conductance", (), "W/(m2 K)", "heat flow from the surface to the road per area of the contact and difference of temperature"),
    ("friction_share", (), "1", "fraction of the friction power that heats the surface; the road takes the rest"),
    ("surroundings", (), "degC", "temperature of the air, and of the tire at the start, for which its pressure is given"),
    ("road", (), "degC", "temperature of the road; default: `surroundings`"),
    ("rolling_temperature", (), "degC", "temperature of the carcass at which `rolling_resistance` applies"),
    ("rolling_decrease", (), "1/K", "relative decrease of the rolling resistance per temperature of the carcass"),
)
_RANGES = {
    **dict.fromkeys(("surface_capacity", "carcass_capacity", "gas_capacity"), (1.0, 1e7)),
    **dict.fromkeys(("surroundings", "road", "rolling_temperature"), (-100.0, 200.0)),
    **dict.fromkeys([row[0] for row in CAPACITIES if "W" in row[2]], (0.0, 1e5)),
    "friction_share": (0.0, 1.0),
    "rolling_decrease": (0.0, 0.1),
}
WEAR = (
    # name         shape  unit     what it is
    ("new_depth", (), "m", "depth of the tread at the start"),
    ("tread_mass", (), "kg", "mass of the tread over this depth"),
    ("abrasion", (), "kg/J", "worn mass per work of the friction"),
)
_WEAR_RANGES = {"new_depth": (1e-4, 0.2), "tread_mass": (1e-3, 1e3), "abrasion": (0.0, 1e-5)}

TIRE_HEAT = (
    *CAPACITIES,
    *WEAR,
    # name                  shape      unit    what it is
    ("pressure", (), "Pa", "pressure of the gas at the temperature of the surroundings"),
    ("points", (), "1", "number of points of the friction curve; 0: the tire has no temperatures", "i8"),
    ("curve_temperature", (POINTS,), "degC", "temperatures of the surface, rising"),
    ("curve_factor", (POINTS,), "1", "friction at these temperatures over that of the tire file"),
)
"""Record of a wheel."""

TEMPERATURES = (
    # name                  shape     unit    what it is
    ("surface_temperature", (WHEELS,), "degC", "temperature of the tread surface"),
    ("carcass_temperature", (WHEELS,), "degC", "temperature of the carcass"),
    ("gas_temperature", (WHEELS,), "degC", "temperature of the gas in the tire"),
    ("pressure", (WHEELS,), "Pa", "inflation pressure of the tire"),
    ("friction_factor", (WHEELS,), "1", "friction of the tire over that of its file, by the temperature of the surface"),
    ("rolling_power", (WHEELS,), "W", "power of the rolling resistance"),
)
FRICTION = (
    ("friction_power", (WHEELS,), "W", "power of the friction between the tread and hard ground"),
    ("friction_work", (WHEELS,), "J", "work of the friction between the tread and hard ground since the start"),
)
DEPTH = (("tread_depth", (WHEELS,), "m", "depth of the tread"),)
TIRE_HEAT_STATE = (*TEMPERATURES, *FRICTION, *DEPTH)
"""Record of a vehicle; 0 where a tire has no temperatures or no wear."""


@kernel
def warm_tires(m, s, h):
    """Advance temperatures and wear of all tires by h seconds after `step_tires`; m : VehicleModel, s : VehicleData."""
    c = s.tire_heat[0]
    for i in range(len(m.tire_heat)):
        c["friction_power"][i], c["rolling_power"][i] = contact_powers(m, s, i)
        c["friction_work"][i] += h * c["friction_power"][i]
        if m.tire_heat[i]["points"] > 0:
            exchange_heat(m, s, i, h)
        adapt_tire(m, s, i)


@inline
def contact_powers(m, s, i):
    """Return the powers (friction, rolling resistance) [W] of tire i; soil takes its fraction of the friction."""
    o, t, wheel = s.contacts[i], m.tires[i], s.wheels[i]
    spin, loaded = wheel["spin"], t["radius"] - o["tire_deflection"]
    axle, w = vector(wheel["a_W"]), vector(wheel["w_WK_W"])
    w = add_scaled(w, spin - dot(axle, w), axle)
    v = add(vector(wheel["v_WK_W"]), scale(loaded, cross(w, vector(o["e_W"]))))
    F, M, y = o["F_C"], o["M_C"], vector(o["y_W"])
    lost = -F[0] * dot(vector(o["x_W"]), v) - F[1] * dot(y, v) - M[1] * dot(y, w) - M[2] * dot(vector(o["n_W"]), w)
    if t["torque_radius"] != 1.0:
        lost += (1.0 - t["torque_radius"]) * (rolling_radius(m.tires[i : i + 1], s.tires, i, s.contacts) - loaded) * F[0] * spin
    resistance = t["rolling_resistance"] * (1.0 + s.tires[i]["resistance_gain"]) * F[2] * t["radius"] * smooth_sign(spin / SPIN_FADE)
    if m.treads.laws[i]["kernel"] != 0:
        resistance -= o["hardness"] * s.result[i]["M_y"]
    return o["hardness"] * (lost - resistance * spin), resistance * spin


@inline
def exchange_heat(m, s, i, h):
    """Advance the temperatures of tire i by h seconds: the implicit equations above, a tridiagonal system."""
    p, c, t, wheel = m.tire_heat[i], s.tire_heat[0], m.tires[i : i + 1], s.wheels[i]
    v = vector(wheel["v_WK_W"])
    speed, air = math.sqrt(dot(v, v)), p["surroundings"]
    on_road = 0.0
    if s.contacts[i]["F_C"][2] > 0.0:
        on_road = p["road_conductance"] * t[0]["width"] * contact_length(t, s.contacts[i]["tire_deflection"])
    surface = h * (p["surface_cooling"] + p["surface_cooling_by_speed"] * speed)
    carcass = h * (p["carcass_cooling"] + p["carcass_cooling_by_speed"] * speed)
    on_road, rim, inside, within = h * on_road, h * p["gas_to_rim"], h * p["surface_to_carcass"], h * p["carcass_to_gas"]

    heat_s = p["surface_capacity"] * c["surface_temperature"][i] + h * p["friction_share"] * c["friction_power"][i]
    heat_s += surface * air + on_road * p["road"]
    heat_c = p["carcass_capacity"] * c["carcass_temperature"][i] + h * c["rolling_power"][i] + carcass * air
    heat_g = p["gas_capacity"] * c["gas_temperature"][i] + rim * air
    holds_s = p["surface_capacity"] + surface + on_road + inside
    holds_g = p["gas_capacity"] + rim + within
    holds_c = p["carcass_capacity"] + carcass + inside + within - inside * inside / holds_s - within * within / holds_g
    c["carcass_temperature"][i] = (heat_c + inside * heat_s / holds_s + within * heat_g / holds_g) / holds_c
    c["surface_temperature"][i] = (heat_s + inside * c["carcass_temperature"][i]) / holds_s
    c["gas_temperature"][i] = (heat_g + within * c["carcass_temperature"][i]) / holds_g


@kernel
def adapt_tire(m, s, i):
    """Compute pressure, friction and tread depth of tire i, and the changes of its forces in the next step."""
    p, c, tire = m.tire_heat[i], s.tire_heat[0], s.tires[i]
    if p["tread_mass"] > 0.0:
        c["tread_depth"][i] = p["new_depth"] * max(1.0 - p["abrasion"] * c["friction_work"][i] / p["tread_mass"], 0.0)
    if p["points"] == 0:
        return
    cold = p["pressure"]
    c["pressure"][i] = (cold + AIR_PRESSURE) * (c["gas_temperature"][i] + KELVIN) / (p["surroundings"] + KELVIN) - AIR_PRESSURE
    k, fraction, _ = cell(p["curve_temperature"], p["points"], c["surface_temperature"][i])
    factor = p["curve_factor"][k] + fraction * (p["curve_factor"][k + 1] - p["curve_factor"][k])
    c["friction_factor"][i] = factor
    tire["friction_gain"] = factor - 1.0
    tire["stiffness_gain"] = (c["pressure"][i] - cold) / (cold + m.tires[i]["carcass_pressure"])
    tire["resistance_gain"] = math.exp(-p["rolling_decrease"] * (c["carcass_temperature"][i] - p["rolling_temperature"])) - 1.0


def cool_tires(m: Any, s: Any) -> None:
    """Set all tires to the start of a drive: at the temperature of the surroundings, and unworn; m : VehicleModel, s : VehicleData."""
    if not len(s.tire_heat):
        return
    s.tire_heat.view(np.uint8)[:] = 0
    for row in TEMPERATURES[:3]:
        s.tire_heat[0][row[0]] = np.where(m.tire_heat["points"] > 0, m.tire_heat["surroundings"], 0.0)
    for i in range(len(m.tire_heat)):
        adapt_tire(m, s, i)


def logged_heat(p: Record, state: Record, axles: Axles) -> list[tuple[str, Table, Record]]:
    """Return the loggable states of the tires as (prefix, table, record), a view of TIRE_HEAT_STATE; empty without them. p : of TIRE_HEAT"""
    if not len(p):
        return []
    rows = (*(TEMPERATURES if p["points"].any() else ()), *FRICTION, *(DEPTH if p["tread_mass"].any() else ()))
    table = axles.named(rows)
    return [("tire_", table, view_as(state, table, state.dtype))]


CURVE = Number("degC", -200.0, 500.0, shape=((2, POINTS),), rising=True)
FACTOR = Number("1", 0.01, 2.0, shape=((2, POINTS),))

FIELDS = (
    Field(
        "temperature",
        Group(
            (
                *fields_of(CAPACITIES, _RANGES, {"road": None}),
                Field("friction_temperature", CURVE, "temperatures of the surface, rising"),
                Field("friction_factor", FACTOR, "friction at these temperatures over that of the tire file"),
            )
        ),
        "temperatures of the tire and their effects; requires `nominal_pressure`; default: none",
        None,
    ),
    Field("wear", Group(fields_of(WEAR, _WEAR_RANGES)), "wear of the tread by friction; default: none", None),
)
"""Sections of a tire file."""


def is_used(heat: Any) -> bool:
    """Return True if a tire with this record of TIRE_HEAT has temperatures or wear."""
    return bool(heat["points"] > 0 or heat["tread_mass"] > 0.0)


def no_heat() -> Record:
    """Return the (1,) record of TIRE_HEAT of a tire without temperatures and wear."""
    return record(TIRE_HEAT)


def heat_of(values: Values, file: object, key: str) -> Record:
    """Return the (1,) record of TIRE_HEAT from the values of a tire file. Raises ConfigError."""
    out = no_heat()
    for row in WEAR if "wear" in values else ():
        out[0][row[0]] = values["wear"][row[0]]
    if "temperature" in values:
        section = values["temperature"]
        for row in CAPACITIES:
            out[0][row[0]] = section[row[0]] if row[0] in section else section["surroundings"]
        with ErrorCollector() as faults:
            with faults.part():
                if "nominal_pressure" not in values:
                    raise ConfigError(
                        file, join(key, "nominal_pressure"), NOTHING, "the pressure of the gas, which the section temperature warms"
                    )
                out[0]["pressure"] = values.get("inflation_pressure", values["nominal_pressure"])
            with faults.part():
                temperature, factor = section.curve_of("friction_temperature", "friction_factor")
                out[0]["points"] = count = len(temperature)
                out[0]["curve_temperature"][:count], out[0]["curve_factor"][:count] = temperature, factor
    return out
