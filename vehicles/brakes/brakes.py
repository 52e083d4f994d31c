"""The brakes of a vehicle: from pedal and lever to the friction limit of every wheel, where they sit, and how hot they are.

A service brake is described in one of two ways: by `max_torque`, to which the pedal is proportional, or by `hydraulics` and `discs`. The
parking brake is a lever on cables, `parking_torque`, on the same discs; the larger of the two limits counts. `heat` may come with either.

A brake sits on the wheel carrier, or on the half shaft at the differential (`place: half_shaft`). There its housing is the chassis: with a
geared hub that turns the wheel G times as fast as the shaft, G < 1, the disc turns 1/G times as fast as the wheel, the carrier gets the
share 1 - G of the reaction and the chassis, about its y axis as of the drive, the rest; the wheel is held against the same mean of their
speeds, so that action, reaction and power agree.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.algebra.vectors import dot, vector
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Field, Fields, Group, Number, fields_of
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.section import Section, checked
from vehicles.axle_layout import AXLES, STANDING, USUAL_AXLES, WHEELS, Axles, record_for, sized_for
from vehicles.brakes.discs import DISC_RANGES, DISCS, FADE, HEAT, HEAT_RANGES, POINTS, friction_factor, heat_discs
from vehicles.brakes.friction_brake import LINK, LINK_RANGES
from vehicles.brakes.hydraulics import (
    HYDRAULIC_DEFAULTS,
    HYDRAULIC_RANGES,
    HYDRAULICS,
    follow_pedal,
    pressed,
    proportioned,
    through_valves,
)
from vehicles.corner_layout import axle_of

PLACES = ("wheel", "half_shaft")
"""Where a brake sits, the first one if the file does not say."""

TORQUES = (
    # name            shape     unit    what it is
    ("max_torque", (AXLES,), "N m", "limit per wheel at full pedal, of each axle from the front"),
    ("parking_torque", (AXLES,), "N m", "limit per wheel at full parking brake, likewise"),
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
    ("hydraulic", (), "1", "1: hydraulics and discs make the torque, 0: max_torque does", "i8"),
    ("torque_per_pressure", (AXLES,), "m3", "torque on a wheel's axle over the pressure at its brake"),
    ("carrier_share", (AXLES,), "1", "share of a brake's reaction that the wheel carrier gets, the rest goes to the chassis"),
)

BRAKE_STATE = (
    # name             shape       unit     what it is
    ("line_pressure", (), "Pa", "pressure of the line"),
    ("pressure", (WHEELS,), "Pa", "pressure at each brake"),
    ("heat", (WHEELS,), "K", "temperature of each disc above the surroundings"),
    ("valves", (), "1", "1 once a controller works the valves below", "i8"),
    ("inlet", (WHEELS,), "1", "share of the time in which the inlet valve is open"),
    ("outlet", (WHEELS,), "1", "share of the time in which the outlet valve is open"),
    ("pressure_limit", (WHEELS,), "Pa", "pressure that a wheel is not to go beyond"),
    ("pumped", (WHEELS,), "Pa", "pressure that the pump is to build"),
    ("limit", (WHEELS,), "N m", "scratch: friction limit of each brake"),
    ("reference_spin", (WHEELS,), "rad/s", "scratch: speed about the wheel's axle of what the brake sits on"),
)


@inline
def press_brakes(b, s, command, h):
    """Friction limit of every brake after h seconds, into s.limit; b : BRAKES, s : BRAKE_STATE, command : COMMAND."""
    q, w = b[0], s[0]
    if q["hydraulic"] > 0:
        follow_pedal(b, s, command[0]["brake"], h)
    for i in range(len(w["limit"])):
        axle = axle_of(b, i)
        service = command[0]["brake"] * q["max_torque"][axle]
        if q["hydraulic"] > 0:
            source = proportioned(b, w["line_pressure"], axle)
            w["pressure"][i] = through_valves(b, s, i, source, h) if w["valves"] > 0 else source
            service = w["pressure"][i] * q["torque_per_pressure"][axle]
        limit = max(service, command[0]["parking_brake"] * q["parking_torque"][axle])
        w["limit"][i] = limit * friction_factor(b, s, i) if q["fade_points"] > 0 and limit > 0.0 else limit


@inline
def hold_against(b, s, carrier_spin, pitch_rate):
    """Speed of what the brakes sit on about the axle of each wheel, into s.reference_spin.

    carrier_spin : (wheels,) rad/s, pitch_rate : rad/s of the chassis about its y axis
    """
    for i in range(len(carrier_spin)):
        share = b[0]["carrier_share"][axle_of(b, i)]
        s[0]["reference_spin"][i] = carrier_spin[i]
        if share != 1.0:
            s[0]["reference_spin"][i] = share * carrier_spin[i] + (1.0 - share) * pitch_rate


@inline
def add_brake_reactions(b, torque, axles, carrier_couple, chassis_couple):
    """Brakes push their carriers forward, and the chassis where they sit there.

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
    """The discs after h seconds, if they have a temperature; spin, torque : (wheels,) at the end of the step, v_WB_B : (3,) of the chassis."""
    if b[0]["fade_points"] > 0:
        v = vector(v_WB_B)
        heat_discs(b, s, spin, torque, math.sqrt(dot(v, v)), h)


def press_for(b: Record, s: Record, torque: Any) -> None:
    """The line as it is when the pedal holds a vehicle that stands and needs `torque` (wheels,) [N m], at most at its full way."""
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
    """Of the section `brakes` of the drivetrain file of a vehicle with these axles."""

    def sized_fields(table: Any, ranges: Any, defaults: Any = None) -> Fields:
        return fields_of(sized_for(table, axles.size), ranges, defaults)

    curve = Number("degC", -200.0, 2000.0, shape=((2, POINTS),), rising=True)
    heat = (
        *sized_fields(HEAT, HEAT_RANGES),
        Field("friction_temperature", curve, "temperatures of a disc, rising"),
        Field("friction_factor", Number("1", 0.0, 2.0, shape=((2, POINTS),)), "friction of the pads there over pad_friction"),
    )
    discs = sized_fields(DISCS, DISC_RANGES)
    return (
        *sized_fields(TORQUES, TORQUE_RANGES, {"max_torque": None}),
        *sized_fields(LINK, LINK_RANGES),
        Field("hydraulics", Group(sized_fields(HYDRAULICS, HYDRAULIC_RANGES, HYDRAULIC_DEFAULTS)), "from the pedal to the wheels", None),
        Field("discs", Group(discs), "torque of the brakes by the pressure", None),
        Field("heat", Group(heat), "temperature of the discs, and what it does to friction; none when left out", None),
        Field("place", Choice(PLACES), "where the brakes sit", PLACES[0]),
    )


def brakes_from_mapping(mapping: Any, file: object, key: str = "brakes", axles: Axles = USUAL_AXLES, hub_ratio: Any = 1.0) -> Record:
    """Record BRAKES from the `brakes` section of the drivetrain file of a vehicle with these axles.

    Parameters
    ----------
    hub_ratio : (axles,) or a number, speed of a wheel over that of its half shaft

    Raises
    ------
    ConfigError : a key is unknown or missing, a number out of range; neither or both of `max_torque` and `hydraulics` with `discs`; a curve
        of friction whose lists differ in length
    """
    out = record_for(BRAKES, axles.size)
    axles.write(out)
    b = out[0]
    with checked(brake_fields(axles), mapping, file, key) as s, ErrorCollector() as faults:
        for name in ("parking_torque", "stiffness", "damping"):
            b[name] = s.raw(name)
        with faults.part():
            inboard = s.choice("place", PLACES) != PLACES[0]
            b["carrier_share"] = 1.0 - np.asarray(hub_ratio) if inboard else 1.0
            _read_service(s, b, 1.0 / np.asarray(hub_ratio) if inboard else 1.0)
        if s.has("heat"):
            with faults.part(), s.section("heat") as heat:
                _read_heat(heat, b)
    return out


def _read_service(s: Section, b: Any, speed_ratio: Any) -> None:
    """What makes the torque of the service brake; speed_ratio : (axles,) or a number, speed of a disc over that of its wheel."""
    ways = [name for name in ("max_torque", "hydraulics", "discs") if s.has(name)]
    if ways == ["max_torque"]:
        b["max_torque"] = s.raw("max_torque")
        return
    if ways != ["hydraulics", "discs"]:
        raise ConfigError(s.file, s.key, ways, "either max_torque, or hydraulics and discs")
    for name, table in (("hydraulics", HYDRAULICS), ("discs", DISCS)):
        with s.section(name) as part:
            for row in table:
                b[row[0]] = part.raw(row[0])
    b["hydraulic"] = 1
    b["torque_per_pressure"] = 2.0 * b["pad_friction"] * b["piston_area"] * b["effective_radius"] * speed_ratio


def _read_heat(s: Section, b: Any) -> None:
    """Heat of the discs and the curve of friction."""
    for row in HEAT:
        b[row[0]] = s.raw(row[0])
    temperature, factor = s.raw("friction_temperature"), s.raw("friction_factor")
    if len(temperature) != len(factor):
        raise ConfigError(s.file, s.path("friction_factor"), list(factor), f"{len(temperature)} numbers, one for each temperature")
    b["fade_points"] = len(temperature)
    b["fade_temperature"][: len(temperature)], b["fade_factor"][: len(factor)] = temperature, factor
