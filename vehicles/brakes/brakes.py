"""Brakes of a vehicle: from pedal and lever to the friction limit of every wheel, mounting, and temperature.

A service brake has one of two descriptions: `max_torque`, proportional to the pedal, or `hydraulics` and `discs`. The parking brake is a
lever with cables, `parking_torque`, on the same discs; the larger of the two limits applies. `heat` can be combined with either.

A brake is mounted on the wheel carrier, or on the half shaft at the differential (`place: half_shaft`). In the second case its housing
is the chassis. With a geared hub that turns the wheel G times as fast as the shaft, G < 1, the disc turns 1/G times as fast as the
wheel. The carrier gets the fraction 1 - G of the reaction, and the chassis gets the rest about its y axis. The brake acts against the
same weighted mean of the speeds of carrier and chassis, so that action, reaction and power are consistent.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.algebra.vectors import dot, vector
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_records import fields_of
from simulator.base.fields import Choice, Field, Fields, Group, Number, read
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.axle_layout import AXLES, STANDING, USUAL_AXLES, WHEELS, Axles, record_for, sized_for
from vehicles.brakes.friction_brake import LINK, LINK_RANGES
from vehicles.brakes.hydraulics import (
    HYDRAULIC_DEFAULTS,
    HYDRAULIC_RANGES,
    HYDRAULICS,
    follow_pedal,
    pressed,
    proportioned,
    valve_pressure,
)
from vehicles.corner_layout import axle_of

# Discs: torque of the pads, heat, and the effect of temperature on friction.
#
# Two pads with the friction mu press on a disc with p A at the effective radius r. The disc turns n times as fast as its wheel, so the torque
# about the wheel's axle is
#
#     L = 2 mu p A r n                                                    [Limpert 2011, Brake Design and Safety, ch. 2]
#
# A disc is one lumped heat capacity. It absorbs the power of the brake, and air cools it, more at speed:
#
#     C T' = B (spin - spin of the body that carries the brake) - (cooling + cooling_by_speed v) T        T: above the surroundings
#
# differs: the elastic energy of the link counts as heat until it is released, a few joules of a megajoule.
DISCS = (
    # name             shape  unit  what it is
    ("pad_friction", (), "1", "friction of the pads at the temperature of the surroundings"),
    ("piston_area", (AXLES,), "m2", "piston area on one side of a disc, of each axle from the front"),
    ("effective_radius", (AXLES,), "m", "radius at which the pad force acts"),
)
DISC_RANGES = {
    "pad_friction": (0.01, 2.0),
    "piston_area": (1e-6, 0.1),
    "effective_radius": (1e-3, 2.0),
}

POINTS = 8
"""Largest number of points of the friction curve."""

HEAT = (
    # name              shape  unit      what it is
    ("heat_capacity", (AXLES,), "J/K", "heat capacity of one disc, of each axle from the front"),
    ("cooling", (AXLES,), "W/K", "heat loss of a disc at rest"),
    ("cooling_by_speed", (AXLES,), "W s/(K m)", "additional heat loss per speed of the vehicle"),
    ("surroundings", (), "degC", "temperature of the surroundings and initial temperature of the brakes"),
)
HEAT_RANGES = {
    "heat_capacity": (1.0, 1e7),
    "cooling": (0.0, 1e5),
    "cooling_by_speed": (0.0, 1e5),
    "surroundings": (-100.0, 100.0),
}

FADE = (
    # name              shape      unit    what it is
    ("fade_points", (), "1", "number of points of the friction curve; 0: discs have no temperature", "i8"),
    ("fade_temperature", (POINTS,), "degC", "temperatures of a disc, rising"),
    ("fade_factor", (POINTS,), "1", "friction at these temperatures over pad_friction"),
)


@inline
def friction_factor(b, s, i):
    """Return the friction of the pads of wheel i over that at the temperature of the surroundings."""
    q = b[0]
    k, fraction, _ = cell(q["fade_temperature"], q["fade_points"], q["surroundings"] + s[0]["heat"][i])
    return q["fade_factor"][k] + fraction * (q["fade_factor"][k + 1] - q["fade_factor"][k])


@inline
def heat_discs(b, s, spin, torque, speed, h):
    """Advance the disc temperatures by h seconds.

    torque : (wheels,) of the brakes [N m], spin : (wheels,) at the end of the step [rad/s]
    """
    for i in range(len(spin)):
        axle = axle_of(b, i)
        capacity, power = b[0]["heat_capacity"][axle], torque[i] * (spin[i] - s[0]["reference_spin"][i])
        heat_loss = b[0]["cooling"][axle] + b[0]["cooling_by_speed"][axle] * speed
        s[0]["heat"][i] = (capacity * s[0]["heat"][i] + h * power) / (capacity + h * heat_loss)


MOUNTINGS = ("wheel", "half_shaft")
"""Mounting positions of a brake; the first one is the default."""

TORQUES = (
    # name            shape     unit    what it is
    ("max_torque", (AXLES,), "N m", "limit per wheel at full pedal, of each axle from the front"),
    ("parking_torque", (AXLES,), "N m", "limit per wheel at full parking brake, of each axle from the front"),
)
TORQUE_RANGES = {"max_torque": (0.0, 1e6), "parking_torque": (0.0, 1e6)}

BRAKES = (
    *STANDING,
    *TORQUES,
    *LINK,
    *HYDRAULICS,
    *DISCS,
    *HEAT,
    *FADE,
    # name                  shape     unit      what it is
    ("hydraulic", (), "1", "1: hydraulics and discs determine the torque, 0: max_torque does", "i8"),
    ("torque_per_pressure", (AXLES,), "m3", "torque about the wheel's axle over the pressure at its brake"),
    ("carrier_share", (AXLES,), "1", "fraction of a brake's reaction on the wheel carrier; the rest acts on the chassis"),
    ("lost", (WHEELS,), "1", "fraction of the service brake's torque that a fault takes from each wheel"),
)

BRAKE_STATE = (
    # name             shape       unit     what it is
    ("line_pressure", (), "Pa", "pressure of the brake line"),
    ("pressure", (WHEELS,), "Pa", "pressure at each brake"),
    ("heat", (WHEELS,), "K", "temperature of each disc above the surroundings"),
    ("valves", (), "1", "1 once a controller operates the valves", "i8"),
    ("inlet", (WHEELS,), "1", "fraction of the time in which the inlet valve is open"),
    ("outlet", (WHEELS,), "1", "fraction of the time in which the outlet valve is open"),
    ("pressure_limit", (WHEELS,), "Pa", "upper limit of the pressure at a wheel"),
    ("pumped", (WHEELS,), "Pa", "target pressure of the pump"),
    ("limit", (WHEELS,), "N m", "scratch: friction limit of each brake"),
    ("reference_spin", (WHEELS,), "rad/s", "scratch: speed about the wheel's axle of the body that carries the brake"),
)


@inline
def press_brakes(b, s, command, h):
    """Compute the friction limit of every brake after h seconds into s.limit; b : BRAKES, s : BRAKE_STATE, command : COMMAND."""
    q, w = b[0], s[0]
    if q["hydraulic"] > 0:
        follow_pedal(b, s, command[0]["brake"], h)
    for i in range(len(w["limit"])):
        axle = axle_of(b, i)
        service = command[0]["brake"] * q["max_torque"][axle]
        if q["hydraulic"] > 0:
            source = proportioned(b, w["line_pressure"], axle)
            w["pressure"][i] = valve_pressure(b, s, i, source, h) if w["valves"] > 0 else source
            service = w["pressure"][i] * q["torque_per_pressure"][axle]
        service *= 1.0 - q["lost"][i]
        limit = max(service, command[0]["parking_brake"] * q["parking_torque"][axle])
        w["limit"][i] = limit * friction_factor(b, s, i) if q["fade_points"] > 0 and limit > 0.0 else limit


@inline
def hold_against(b, s, carrier_spin, pitch_rate):
    """Compute the speed of the bodies that carry the brakes about the axle of each wheel into s.reference_spin.

    carrier_spin : (wheels,) rad/s, pitch_rate : rad/s of the chassis about its y axis
    """
    for i in range(len(carrier_spin)):
        share = b[0]["carrier_share"][axle_of(b, i)]
        s[0]["reference_spin"][i] = carrier_spin[i]
        if share != 1.0:
            s[0]["reference_spin"][i] = share * carrier_spin[i] + (1.0 - share) * pitch_rate


@inline
def add_brake_reactions(b, torque, axles, carrier_couple, chassis_couple):
    """Add the brake reactions to the couples on the carriers and on the chassis.

    torque : (wheels,) N m on the wheels, axles : (3, wheels) directions in B, carrier_couple : (3, wheels), chassis_couple : (3,) N m
    """
    for i in range(len(torque)):
        share = b[0]["carrier_share"][axle_of(b, i)]
        for j in range(3):
            carrier_couple[j, i] += share * torque[i] * axles[j, i]
        if share != 1.0:
            chassis_couple[1] += (1.0 - share) * torque[i]


@inline
def heat_brakes(b, s, spin, torque, v_WB_B, h):
    """Advance the disc temperatures by h seconds, if modeled.

    spin, torque : (wheels,) at the end of the step, v_WB_B : (3,) of the chassis
    """
    if b[0]["fade_points"] > 0:
        v = vector(v_WB_B)
        heat_discs(b, s, spin, torque, math.sqrt(dot(v, v)), h)


def press_for(b: Record, s: Record, torque: Any) -> None:
    """Set the line pressure for which the pedal holds a vehicle at rest.

    torque : (wheels,) required torques [N m]; the pressure is at most that of the full pedal
    """
    if b[0]["hydraulic"] == 0:
        return
    line, full = 0.0, float(pressed(b, 1.0))
    for i, needed in enumerate(np.abs(torque)):
        axle = int(b[0]["axle"][i])
        knee, slope, pressure = b[0]["valve_knee"][axle], b[0]["valve_slope"][axle], needed / b[0]["torque_per_pressure"][axle]
        line = max(line, pressure if pressure <= knee else knee + (pressure - knee) / max(slope, 1e-9))
    s[0]["line_pressure"] = line = min(line, full)
    for i, axle in enumerate(b[0]["axle"]):
        s[0]["pressure"][i] = proportioned(b, line, axle)


def brake_fields(axles: Axles = USUAL_AXLES) -> Fields:
    """Return the fields of the section `brakes` of the drivetrain file of a vehicle with these axles."""

    def sized_fields(table: Any, ranges: Any, defaults: Any = None) -> Fields:
        return fields_of(sized_for(table, axles.size), ranges, defaults)

    curve = Number("degC", -200.0, 2000.0, shape=((2, POINTS),), rising=True)
    heat = (
        *sized_fields(HEAT, HEAT_RANGES),
        Field("friction_temperature", curve, "temperatures of a disc, rising"),
        Field(
            "friction_factor", Number("1", 0.0, 2.0, shape=((2, POINTS),)), "friction of the pads at these temperatures over pad_friction"
        ),
    )
    discs = sized_fields(DISCS, DISC_RANGES)
    return (
        *sized_fields(TORQUES, TORQUE_RANGES, {"max_torque": None}),
        *sized_fields(LINK, LINK_RANGES),
        Field(
            "hydraulics",
            Group(sized_fields(HYDRAULICS, HYDRAULIC_RANGES, HYDRAULIC_DEFAULTS)),
            "hydraulics from the pedal to the wheels",
            None,
        ),
        Field("discs", Group(discs), "discs, which turn pressure into torque", None),
        Field("heat", Group(heat), "temperature of the discs and its effect on friction; default: none", None),
        Field("place", Choice(MOUNTINGS), "mounting position of the brakes", MOUNTINGS[0]),
    )


def brakes_from_mapping(mapping: Any, file: object, key: str = "brakes", axles: Axles = USUAL_AXLES, hub_ratio: Any = 1.0) -> Record:
    """Return the record BRAKES from the section `brakes` of the drivetrain file of a vehicle with these axles.

    Parameters
    ----------
    hub_ratio : (axles,) or a number, speed of a wheel over that of its half shaft

    Raises
    ------
    ConfigError : a key is unknown or missing, a number out of range; neither or both of `max_torque` and `hydraulics` with `discs`; a
        friction curve with lists of different lengths
    """
    brakes = read(brake_fields(axles), mapping, file, key)
    out = record_for(BRAKES, axles.size)
    axles.write(out)
    b = out[0]
    with ErrorCollector() as faults:
        b["parking_torque"] = brakes["parking_torque"]
        for row in LINK:
            b[row[0]] = brakes[row[0]]
        with faults.part():
            is_inboard = brakes["place"] != MOUNTINGS[0]
            b["carrier_share"] = 1.0 - np.asarray(hub_ratio) if is_inboard else 1.0
            _set_service(brakes, b, 1.0 / np.asarray(hub_ratio) if is_inboard else 1.0)
        if "heat" in brakes:
            with faults.part():
                _set_heat(brakes["heat"], b)
    return out


def _set_service(brakes: Values, b: Any, speed_ratio: Any) -> None:
    """Write the torque source of the service brake; speed_ratio : (axles,) or a number, speed of a disc over that of its wheel."""
    given = [name for name in ("max_torque", "hydraulics", "discs") if name in brakes]
    if given == ["max_torque"]:
        b["max_torque"] = brakes["max_torque"]
        return
    if given != ["hydraulics", "discs"]:
        expected = "either max_torque, or hydraulics and discs (null removes a key of the base)"
        raise ConfigError(brakes.file, brakes.key, given, expected)
    for name in given:
        for row, value in brakes[name].items():
            b[row] = value
    b["hydraulic"] = 1
    b["torque_per_pressure"] = 2.0 * b["pad_friction"] * b["piston_area"] * b["effective_radius"] * speed_ratio


def _set_heat(heat: Values, b: Any) -> None:
    """Write the heat parameters of the discs and the friction curve."""
    for row in HEAT:
        b[row[0]] = heat[row[0]]
    temperature, factor = heat.curve_of("friction_temperature", "friction_factor")
    b["fade_points"] = count = len(temperature)
    b["fade_temperature"][:count], b["fade_factor"][:count] = temperature, factor
