"""Engine: a torque map over speed and throttle, with governors of the idle speed and the maximum speed.

The map contains torques on the crankshaft, with friction and accessories subtracted. It consists of curves over the speed with the
throttle closed, at intermediate openings, and fully open; the torque is linear between the openings. For a diesel the throttle is the
rack. The governor of the maximum speed, or the falling end of the map, limits the speed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Field, Group, ListOf, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.drivetrain.measured_curves import MAX_INERTIA, MAX_SPEED, MAX_TORQUE, MIN_INERTIA, RPM, merge, store

MAP_POINTS = 64
"""Largest number of speeds of the torque map, for all of its curves together."""

MAX_OPENINGS = 6
"""Largest number of intermediate throttle openings."""

FRICTION_POINTS = 17
"""Number of speeds at which the friction formula is evaluated."""

ENGINE = (
    # name                  shape   unit      what it is
    ("engine_points", (), "1", "number of points of the torque map", "i8"),
    ("engine_map_speed", (MAP_POINTS,), "rad/s", "crankshaft speeds of the torque map, rising"),
    ("engine_map_closed", (MAP_POINTS,), "N m", "torque with the throttle closed"),
    ("engine_map_open", (MAP_POINTS,), "N m", "torque with the throttle fully open"),
    ("engine_parts", (), "1", "number of intermediate throttle openings", "i8"),
    ("engine_openings", (MAX_OPENINGS,), "1", "intermediate throttle openings, rising"),
    ("engine_map_part", (MAX_OPENINGS, MAP_POINTS), "N m", "torque at each intermediate opening"),
    ("engine_inertia", (), "kg m2", "inertia of crankshaft and flywheel"),
    ("idle_speed", (), "rad/s", "speed below which the idle governor opens the throttle"),
    ("idle_band", (), "rad/s", "drop below idle_speed at which the governor opening reaches idle_throttle"),
    ("idle_throttle", (), "1", "largest throttle opening of the idle governor, 0 = no governor"),
    ("maximum_speed", (), "rad/s", "speed above which the maximum-speed governor closes the throttle; infinite: no governor"),
    ("maximum_band", (), "rad/s", "rise above maximum_speed at which the throttle is closed"),
    ("engine_response_time", (), "s", "time constant with which the torque follows the accelerator pedal; 0: at once"),
)

_SPEED = Number("rad/s", -MAX_SPEED * RPM, MAX_SPEED * RPM, shape=((2, MAP_POINTS),), rising=True)
_TORQUE = Number("N m", -MAX_TORQUE, MAX_TORQUE, shape=((2, MAP_POINTS),))
_MAP = (
    Field("speed", _SPEED, "crankshaft speeds, rising", written="rpm"),
    Field("torque", _TORQUE, "torque at each speed; constant outside the range"),
)
_IDLE = (
    Field("speed", Number("rad/s", 10.0 * RPM, MAX_SPEED * RPM), "speed below which the governor opens the throttle", written="rpm"),
    Field(
        "band",
        Number("rad/s", RPM, MAX_SPEED * RPM),
        "drop below this speed at which the governor reaches its largest opening",
        written="rpm",
    ),
    Field("throttle", Number("1", 0.0, 1.0), "largest throttle opening of the governor"),
)
_MAXIMUM = (
    Field("speed", Number("rad/s", 10.0 * RPM, MAX_SPEED * RPM), "speed up to which the throttle can be fully open", written="rpm"),
    Field("band", Number("rad/s", RPM, MAX_SPEED * RPM), "rise above this speed at which the throttle is closed", written="rpm"),
)
_FRICTION = (
    Field("displacement", Number("m3", 1e-5, 1.0), "swept volume of all cylinders (0.001 m3 = 1 l); four-stroke engine"),
    Field("stroke", Number("m", 1e-3, 2.0), "stroke of the pistons"),
    Field("constant", Number("Pa", 0.0, 1e6), "mean effective pressure of friction and pumping"),
    Field("by_speed", Number("Pa s", 0.0, 1e5), "mean effective pressure per crankshaft speed [rad/s]"),
    Field("by_piston_speed", Number("Pa s2/m2", 0.0, 1e5), "mean effective pressure per square of the mean piston speed [m/s]"),
)
_PART = (Field("throttle", Number("1", 0.0, 1.0, above=0.0, below=1.0), "throttle opening, rising from one entry to the next"), *_MAP)
ENGINE_FILE = (
    Field("inertia", Number("kg m2", 0.0, MAX_INERTIA), "inertia of crankshaft and flywheel"),
    Field("full_throttle", Group(_MAP), "torque with the throttle fully open; without `maximum` the last torque must be below zero"),
    Field("closed_throttle", Group(_MAP), "torque with the throttle closed; the torque is interpolated between the two maps", None),
    Field("losses", Group(_MAP), "torque added to throttle times full_throttle, as an alternative to closed_throttle", None),
    Field(
        "friction", Group(_FRICTION), "mean effective friction pressure of an unfueled engine, as an alternative to closed_throttle", None
    ),
    Field("part_load", ListOf(Group(_PART), 1, MAX_OPENINGS), "torque at intermediate openings; default: linear in the throttle", ()),
    Field("accessories", Group(_MAP), "torque of fan, pumps and generator, subtracted from all maps; default: none", None),
    Field("idle", Group(_IDLE), "governor of the idle speed; default: none", None),
    Field("maximum", Group(_MAXIMUM), "governor of the maximum speed; default: none", None),
    Field(
        "response_time",
        Number("s", 0.0, 5.0),
        "time constant with which the torque follows the accelerator pedal: filling of the intake, or injection; 0: at once",
        0.0,
    ),
)
"""Fields of the section `engine` of a drivetrain file."""


@inline
def engine_torque(p, speed, throttle):
    """Return (torque [N m], d torque / d speed [N m s/rad]) of the engine on its crankshaft, losses included.

        g = g_max clamp((w_idle - w) / band, 0, 1)       opening by the governor: proportional, so idle droops under load
        m = clamp(1 + (w_max - w) / band, 0, infinite)   limit of the governor of the maximum speed
        u = min(throttle + (1 - throttle) g, m)
        T = (1 - f) T_below(w) + f T_above(w)            f: position of u between the openings below and above

    The form with losses, T = u T_full(w) + T_losses(w), is equivalent: T_closed = T_losses and T_open = T_full + T_losses.
    """
    i, x, dx = cell(p[0]["engine_map_speed"], p[0]["engine_points"], speed)

    drop = (p[0]["idle_speed"] - speed) / p[0]["idle_band"]
    governor = p[0]["idle_throttle"] * min(1.0, max(0.0, drop))
    u = throttle + (1.0 - throttle) * governor
    du = -(1.0 - throttle) * p[0]["idle_throttle"] / p[0]["idle_band"] if 0.0 < drop < 1.0 else 0.0
    allowed = 1.0 + (p[0]["maximum_speed"] - speed) / p[0]["maximum_band"]
    if allowed < u:
        u, du = max(0.0, allowed), (-1.0 / p[0]["maximum_band"] if allowed > 0.0 else 0.0)

    above, parts, openings = 0, p[0]["engine_parts"], p[0]["engine_openings"]
    while above < parts and u >= openings[above]:
        above += 1
    below = openings[above - 1] if above > 0 else 0.0
    width = (openings[above] if above < parts else 1.0) - below
    low, high = map_torque(p, above, i), map_torque(p, above + 1, i)
    low_rise, high_rise = map_torque(p, above, i + 1) - low, map_torque(p, above + 1, i + 1) - high
    gap, f = (high + x * high_rise) - (low + x * low_rise), (u - below) / width
    return low + x * low_rise + f * gap, dx * (low_rise + f * (high_rise - low_rise)) + du / width * gap


@inline
def map_torque(p, opening, i):
    """Return the torque [N m] of the map at its i-th speed; opening 0: closed, then the intermediate openings, then open."""
    if opening == 0:
        return p[0]["engine_map_closed"][i]
    if opening > p[0]["engine_parts"]:
        return p[0]["engine_map_open"][i]
    return p[0]["engine_map_part"][opening - 1, i]


def engine_from_values(engine: Values) -> Record:
    """Return the record ENGINE of the section `engine` (ENGINE_FILE) with closed_throttle, losses or friction.

    Raises ConfigError if keys contradict each other.
    """
    others = [name for name in ("closed_throttle", "losses", "friction") if name in engine]
    if len(others) != 1:
        raise engine.error("", "either closed_throttle, losses or friction")
    with ErrorCollector() as faults:
        out = record(ENGINE)
        out[0]["engine_inertia"], out[0]["engine_response_time"] = engine["inertia"], engine["response_time"]
        if 0.0 < engine["inertia"] < MIN_INERTIA:
            faults.add(engine.error("inertia", f"0 (with all inertia in the impeller), or at least {MIN_INERTIA:g} kg m2"))
        _set_governors(engine, out)
        _set_map(engine, others[0], out, faults)
    return out


def _set_governors(engine: Values, out: Record) -> None:
    """Write the optional governors of the idle speed and the maximum speed."""
    out[0]["idle_band"] = out[0]["maximum_band"] = 1.0
    out[0]["maximum_speed"] = math.inf
    for name in ("idle", "maximum"):
        if name in engine:
            out[0][f"{name}_speed"], out[0][f"{name}_band"] = engine[name]["speed"], engine[name]["band"]
    if "idle" in engine:
        out[0]["idle_throttle"] = engine["idle"]["throttle"]


def _set_map(engine: Values, other: str, out: Record, faults: ErrorCollector) -> None:
    """Write the torque curves of an engine; `other` is the key next to full_throttle."""
    parts, full_throttle = engine["part_load"], engine["full_throttle"]
    first = _curve(full_throttle)
    curves = [first, _friction(engine["friction"], first[0]) if other == "friction" else _curve(engine[other])]
    curves += [_curve(part) for part in parts]
    if "accessories" in engine:
        curves.append(_curve(engine["accessories"]))
    speed, (full, closed, *between) = merge(*curves)
    accessories = between.pop() if "accessories" in engine else np.zeros(len(speed))
    added = closed if other == "losses" else np.zeros(len(speed))
    opened, closed, between = full + added - accessories, closed - accessories, [part + added - accessories for part in between]
    store(out, {"engine_map_speed": speed, "engine_map_open": opened, "engine_map_closed": closed}, "engine_points", engine)
    out[0]["engine_parts"] = len(parts)
    for n, part in enumerate(parts):
        out[0]["engine_openings"][n], out[0]["engine_map_part"][n, : len(speed)] = part["throttle"], between[n]
    openings = out[0]["engine_openings"][: len(parts)].tolist()
    if np.any(np.diff(openings) <= 0.0):
        faults.add(ConfigError(engine.file, engine.path("part_load"), openings, "openings that rise"))
    if "maximum" in engine:
        if closed[-1] >= 0.0:
            expected = "a torque below zero at the end of the map, where the governor has closed"
            faults.add(ConfigError(engine.file, engine.path(other), float(closed[-1]), expected))
    elif opened[-1] >= 0.0:
        expected = "a map with a last torque below zero, which limits the speed, or a section maximum"
        faults.add(ConfigError(engine.file, full_throttle.path("torque"), float(opened[-1]), expected))
    if opened.max() <= 0.0:
        faults.add(full_throttle.error("torque", "at least one torque above 0"))
    for name in ("idle", "maximum"):
        if name in engine and engine[name]["speed"] > speed[-1]:
            raise engine[name].error("speed", "at most {}, the last speed of the engine map", float(speed[-1]))


def _curve(values: Values) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return values.curve_of("speed", "torque")


def _friction(values: Values, speeds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (speeds, torques) of an unfueled engine, T = -fmep V / (4 pi), over the speed range of the full-throttle map.

    Source: the polynomial of [Millington and Hartles 1968], in [Heywood 1988, sec. 13.6.1].
    """
    w = np.unique(np.concatenate([[min(0.0, float(speeds[0]))], np.linspace(0.0, float(speeds[-1]), FRICTION_POINTS)]))
    pistons = values["stroke"] * w / math.pi  # two strokes per revolution
    pressure = values["constant"] + values["by_speed"] * np.abs(w) + values["by_piston_speed"] * pistons**2
    return w, -np.sign(w) * pressure * values["displacement"] / (4.0 * math.pi)
