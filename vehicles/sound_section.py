"""Section `sound` of a vehicle file, and the record of everything that the sound of a vehicle depends on.

The physics does not read this section. Without it, a vehicle with an engine sounds like a four-cylinder, a vehicle with motors like one motor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.fields import Choice, Field, Group, ListOf, Number, read
from simulator.base.records import Record, record
from simulator.base.values import Values

if TYPE_CHECKING:
    from vehicles.vehicle import Vehicle

MAX_CYLINDERS = 16
MAX_WHEELS = 8
"""Wheels that sound; those behind are silent."""
BELOW_END = 0.985
"""Speed at which the limiter cuts, over that without torque: an engine without load stays below the latter."""
IGNITIONS = ("spark", "compression")
_CYLINDER = Number("", 1, MAX_CYLINDERS, whole=True)
_TEETH = Number("", 1, 300, whole=True)
ENGINE_FILE = (
    Field("cylinders", _CYLINDER, "number of cylinders"),
    Field("strokes", Number("", 2, 4, whole=True), "strokes of a working cycle, 2 or 4", 4),
    Field("firing_order", ListOf(_CYLINDER), "cylinders in the order in which they fire (default: 1, 2, 3 ...)", None),
    Field(
        "firing_angles",
        Number("rad", 0.0, 4.0 * math.pi, shape=((1, MAX_CYLINDERS),)),
        "crank angles at which the cylinders fire, in the firing order, rising from 0 (default: evenly spaced)",
        None,
        written="deg",
    ),
    Field("second_pipe", ListOf(_CYLINDER), "cylinders with a second exhaust pipe (default: all cylinders have one pipe)", ()),
    Field("ignition", Choice(IGNITIONS), "ignition of the fuel; a compression ignition knocks", IGNITIONS[0]),
    Field(
        "exhaust_lengths",
        Number("m", 0.05, 10.0, shape=(2,)),
        "lengths of the exhaust: from the valves to the muffler, tailpipe",
        (1.1, 2.4),
    ),
    Field("intake_length", Number("m", 0.05, 3.0), "length of the intake from the filter to the valves", 0.5),
    Field("muffler", Number("Hz", 50.0, 8000.0), "frequency above which the muffler attenuates", 450.0),
    Field("loudness", Number("1", 0.0, 4.0), "factor on the sound pressure of the engine", 1.0),
)
"""Fields of the section `sound.engine`."""
GEARS_FILE = (
    Field("input", _TEETH, "teeth on the input shaft of the gearbox", 23),
    Field("ring", _TEETH, "teeth of the ring gear of a final drive", 41),
)
TURBO_FILE = (
    Field("top_speed", Number("rad/s", 100.0, 40_000.0), "speed of the rotor at the full power of the engine", written="rpm"),
    Field("time", Number("s", 0.01, 10.0), "time constant of the speed", 0.5),
)
MOTOR_FILE = (Field("pole_pairs", Number("", 1, 50, whole=True), "pairs of poles of a motor"),)
SOUND_FILE = (
    Field("engine", Group(ENGINE_FILE), "combustion engine (default: none)", None),
    Field("motor", Group(MOTOR_FILE), "electric motors (default: none)", None),
    Field("turbo", Group(TURBO_FILE), "turbocharger (default: none)", None),
    Field("gears", Group(GEARS_FILE), "gears that whine (default: usual numbers of teeth)", None),
    Field("starter", _TEETH, "teeth of the flywheel that the starter turns", 132),
    Field("horn", Number("Hz", 50.0, 4000.0, shape=(2,)), "frequencies of the two horns", (420.0, 510.0)),
)
"""Fields of the section `sound` of a vehicle file."""

VEHICLE_SOUND = (
    # name              shape              unit     description
    ("cylinders", (), "1", "number of cylinders; 0: no engine", "i8"),
    ("turns", (), "1", "turns of the crankshaft in a working cycle, 1 or 2"),
    ("fires", (MAX_CYLINDERS,), "1", "fraction of the working cycle at which each cylinder fires"),
    ("pipe", (MAX_CYLINDERS,), "1", "exhaust pipe of each cylinder, 0 or 1", "i8"),
    ("knocks", (), "1", "1: compression ignition", "i8"),
    ("exhaust_lengths", (2,), "m", "lengths of the exhaust"),
    ("intake_length", (), "m", "length of the intake"),
    ("muffler", (), "Hz", "frequency above which the muffler attenuates"),
    ("loudness", (), "1", "factor on the sound pressure of the engine"),
    ("idle_speed", (), "rad/s", "idle speed of the engine"),
    ("top_speed", (), "rad/s", "highest speed of the engine in its torque map"),
    ("peak_torque", (), "N m", "largest torque of the engine"),
    ("cut_speed", (), "rad/s", "engine speed at which the limiter cuts the ignition; 0: none"),
    ("pole_pairs", (), "1", "pairs of poles of the motors; 0: no motors", "i8"),
    ("turbo_speed", (), "rad/s", "speed of the turbocharger at full power; 0: none"),
    ("turbo_time", (), "s", "time constant of the turbocharger"),
    ("input_teeth", (), "1", "teeth on the input shaft of the gearbox"),
    ("ring_teeth", (), "1", "teeth of the ring gear"),
    ("starter_teeth", (), "1", "teeth of the flywheel"),
    ("horn", (2,), "Hz", "frequencies of the horns"),
    ("wheels", (), "1", "number of wheels that sound", "i8"),
    ("driven", (MAX_WHEELS,), "1", "1: the wheel has a half shaft", "i8"),
    ("hub_ratio", (MAX_WHEELS,), "1", "wheel speed / half shaft speed"),
    ("side", (MAX_WHEELS,), "1", "lateral position of each wheel, 1 = left, -1 = right"),
    ("radius", (MAX_WHEELS,), "m", "radius of each tire without load"),
    ("load", (MAX_WHEELS,), "N", "mean load of a wheel at rest"),
    ("bump_stop_length", (MAX_WHEELS,), "m", "spring length below which the bump stop acts"),
    ("rebound_stop_length", (MAX_WHEELS,), "m", "spring length above which the rebound stop acts"),
    ("weight", (), "N", "weight of the vehicle"),
)
"""What the sound of a vehicle depends on, besides its state."""


def read_sound(values: Values | None) -> dict[str, Any] | None:
    """Return the section `sound` as a mapping with the firing angles as fractions `fires` and the pipes `pipe`; None without the section.

    Raises ConfigError: the cylinders of a list are not those of the engine, or the angles do not rise within a working cycle.
    """
    if values is None:
        return None
    out = dict(values)
    if "engine" in values:
        out["engine"] = {**values["engine"], **_firing(values["engine"])}
    return out


def _firing(engine: Values) -> dict[str, Any]:
    """Return the number of turns, the instants of firing and the pipes of an engine. Raises ConfigError."""
    count, strokes = int(engine["cylinders"]), int(engine["strokes"])
    if strokes == 3:
        raise engine.error("strokes", "2 or 4")
    cylinders = list(range(1, count + 1))
    order = [int(one) for one in engine.get("firing_order", cylinders)]
    if sorted(order) != cylinders:
        raise engine.error("firing_order", f"each of the cylinders 1 to {count} once")
    second = {int(one) for one in engine["second_pipe"]}
    if not second <= set(cylinders):
        raise engine.error("second_pipe", f"cylinders from 1 to {count}")
    turns = strokes / 2.0
    fires = np.arange(count) / count
    if "firing_angles" in engine:
        fires = np.asarray(engine["firing_angles"]) / (2.0 * math.pi * turns)
        if len(fires) != count or fires[0] != 0.0 or (np.diff(fires) <= 0.0).any() or fires[-1] >= 1.0:
            raise engine.error("firing_angles", f"{count} rising angles from 0 to less than {360 * turns:g} degrees")
    return {"turns": turns, "fires": fires, "pipe": [int(one in second) for one in order]}


def sound_parameters(vehicle: Vehicle) -> Record:
    """Return the record VEHICLE_SOUND of a vehicle."""
    out, d = record(VEHICLE_SOUND), vehicle.model.drivetrain[0]
    p, section = out[0], vehicle.description.sound
    if section is None:
        source: dict[str, Any] = (
            {"motor": {"pole_pairs": 4}} if d["motors_on"].any() else {"engine": {"cylinders": 4}} if d["engine_points"] else {}
        )
        section = read_sound(read(SOUND_FILE, source, "sound"))
        assert section is not None
    p["starter_teeth"], p["horn"] = section["starter"], section["horn"]
    gears = section.get("gears") or read(GEARS_FILE, {}, "sound", "gears")
    p["input_teeth"], p["ring_teeth"] = gears["input"], gears["ring"]
    if "engine" in section:
        _write_engine(p, section["engine"], d)
    if "motor" in section:
        p["pole_pairs"] = section["motor"]["pole_pairs"]
    if "turbo" in section:
        p["turbo_speed"], p["turbo_time"] = section["turbo"]["top_speed"], section["turbo"]["time"]
    _write_wheels(p, vehicle)
    return out


def _write_engine(p: Any, engine: dict[str, Any], d: Any) -> None:
    """Write the engine of a section, with the numbers of a record DRIVETRAIN."""
    count = int(engine["cylinders"])
    p["cylinders"], p["turns"], p["knocks"] = count, engine["turns"], engine["ignition"] == "compression"
    p["fires"][:count], p["pipe"][:count] = engine["fires"], engine["pipe"]
    for name in ("exhaust_lengths", "intake_length", "muffler", "loudness"):
        p[name] = engine[name]
    points = max(int(d["engine_points"]), 1)
    p["idle_speed"] = d["idle_speed"] if d["idle_speed"] > 0.0 else 80.0
    p["top_speed"] = max(float(d["engine_map_speed"][:points].max()), 2.0 * float(p["idle_speed"]))
    p["peak_torque"] = max(float(d["engine_map_open"][:points].max()), 1.0)
    p["cut_speed"] = 0.0 if p["knocks"] else cut_speed(d)


def cut_speed(d: Any) -> float:
    """Return the speed [rad/s] at which the limiter of an engine cuts the ignition, of a record DRIVETRAIN; 0 without a limiter.

    It is that of the governor of the maximum speed, or a bit below the speed at which the falling end of the map has no torque.
    """
    if math.isfinite(d["maximum_speed"]) and d["maximum_speed"] > 0.0:
        return float(d["maximum_speed"])
    points = int(d["engine_points"])
    speed, torque = d["engine_map_speed"][:points], d["engine_map_open"][:points]
    if points < 2 or torque[-1] > 0.0:
        return 0.0
    return BELOW_END * float(np.interp(0.0, torque[-2:][::-1], speed[-2:][::-1]))


def _write_wheels(p: Any, vehicle: Vehicle) -> None:
    """Write the wheels of a vehicle, and its weight."""
    mechanism, d = vehicle.description.mechanism, vehicle.model.drivetrain[0]
    axles, struts = mechanism.axles, mechanism.struts[0]
    count = min(axles.size.wheels, MAX_WHEELS)
    p["wheels"], p["radius"][:count] = count, vehicle.model.tires["radius"][:count]
    for i in range(count):
        axle = axles.of(i)
        p["driven"][i], p["hub_ratio"][i] = (
            math.isfinite(d["final_ratio"][axle]) or d["motors_on"][axle] > 0,
            max(float(d["hub_ratio"][axle]), 1e-3),
        )
        name = axles.corners[i]
        p["side"][i] = 1.0 if name.endswith("L") else -1.0 if name.endswith("R") else 0.0
        p["bump_stop_length"][i], p["rebound_stop_length"][i] = struts["bump_stop_length"][i], struts["rebound_stop_length"][i]
    p["weight"] = (mechanism.chassis[0]["mass"] + mechanism.corners[0]["corner_mass"].sum()) * STANDARD_GRAVITY
    p["load"][:count] = p["weight"] / max(axles.size.wheels, 1)
