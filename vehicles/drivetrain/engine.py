"""Engine: a torque map over speed and throttle, with governors of the idle and of the maximum speed.

The map is of torques on the crankshaft, friction and accessories taken off: curves over the speed with the throttle closed, at openings
between, and fully open, with straight lines between the openings. Of a diesel the throttle is the rack. The speed is limited by the governor of
the maximum speed, or by the falling end of the map.
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
from simulator.base.section import Section, checked
from vehicles.drivetrain.measured_curves import LARGEST_INERTIA, LARGEST_SPEED, LARGEST_TORQUE, LEAST_INERTIA, RPM, merge, store

MAP_POINTS = 64
"""Speeds of the torque map, those of its curves together."""

MOST_PARTS = 6
"""Openings of the throttle between closed and open."""

FRICTION_POINTS = 17
"""Speeds at which the friction of a formula is taken."""

ENGINE = (
    # name                  shape   unit      what it is
    ("engine_points", (), "1", "number of points of the torque map", "i8"),
    ("engine_map_speed", (MAP_POINTS,), "rad/s", "crankshaft speeds of the torque map, rising"),
    ("engine_map_closed", (MAP_POINTS,), "N m", "torque with the throttle closed"),
    ("engine_map_open", (MAP_POINTS,), "N m", "torque with the throttle fully open"),
    ("engine_parts", (), "1", "number of openings between", "i8"),
    ("engine_openings", (MOST_PARTS,), "1", "these openings, rising"),
    ("engine_map_part", (MOST_PARTS, MAP_POINTS), "N m", "torque at each of them"),
    ("engine_inertia", (), "kg m2", "crankshaft and flywheel"),
    ("idle_speed", (), "rad/s", "speed below which the idle governor opens the throttle"),
    ("idle_band", (), "rad/s", "drop below idle_speed at which the governor has opened by idle_throttle"),
    ("idle_throttle", (), "1", "largest throttle opening of the governor, 0 = no governor"),
    ("maximum_speed", (), "rad/s", "speed above which the other governor closes the throttle, infinite: there is none"),
    ("maximum_band", (), "rad/s", "rise above it at which the throttle is closed"),
)

_SPEED = Number("rad/s", -LARGEST_SPEED * RPM, LARGEST_SPEED * RPM, shape=((2, MAP_POINTS),), rising=True)
_TORQUE = Number("N m", -LARGEST_TORQUE, LARGEST_TORQUE, shape=((2, MAP_POINTS),))
_MAP = (
    Field("speed", _SPEED, "speeds of the crankshaft, rising", written="rpm"),
    Field("torque", _TORQUE, "torque at each speed; constant outside"),
)
_IDLE = (
    Field("speed", Number("rad/s", 10.0 * RPM, LARGEST_SPEED * RPM), "speed below which the governor opens the throttle", written="rpm"),
    Field(
        "band", Number("rad/s", RPM, LARGEST_SPEED * RPM), "drop below it at which the throttle is open as far as it goes", written="rpm"
    ),
    Field("throttle", Number("1", 0.0, 1.0), "largest opening by the governor"),
)
_MAXIMUM = (
    Field("speed", Number("rad/s", 10.0 * RPM, LARGEST_SPEED * RPM), "speed up to which the throttle may be fully open", written="rpm"),
    Field("band", Number("rad/s", RPM, LARGEST_SPEED * RPM), "rise above it at which the throttle is closed", written="rpm"),
)
_FRICTION = (
    Field("displacement", Number("m3", 1e-5, 1.0), "swept volume of all cylinders (0.001 m3 = 1 l); four strokes"),
    Field("stroke", Number("m", 1e-3, 2.0), "of the pistons"),
    Field("constant", Number("Pa", 0.0, 1e6), "mean effective pressure of friction and pumping"),
    Field("by_speed", Number("Pa s", 0.0, 1e5), "the same per speed of the crankshaft [rad/s]"),
    Field("by_piston_speed", Number("Pa s2/m2", 0.0, 1e5), "the same per square of the mean speed of the pistons [m/s]"),
)
_PART = (Field("throttle", Number("1", 0.0, 1.0, above=0.0, below=1.0), "opening, rising from one to the next"), *_MAP)
ENGINE_FILE = (
    Field("inertia", Number("kg m2", 0.0, LARGEST_INERTIA), "crankshaft and flywheel"),
    Field("full_throttle", Group(_MAP), "torque with the throttle fully open; its end falls below zero unless there is a `maximum`"),
    Field("closed_throttle", Group(_MAP), "torque with the throttle closed; the torque lies between the two maps", None),
    Field("losses", Group(_MAP), "instead of it: torque added to throttle times full_throttle", None),
    Field("friction", Group(_FRICTION), "instead of it: mean effective pressure of an engine that is turned without fuel", None),
    Field("part_load", ListOf(Group(_PART), 1, MOST_PARTS), "torque at openings between; straight lines when left out", None),
    Field("accessories", Group(_MAP), "torque that fan, pumps and generator take off all of these; none when left out", None),
    Field("idle", Group(_IDLE), "governor of the idle speed; none when left out", None),
    Field("maximum", Group(_MAXIMUM), "governor of the maximum speed; none when left out", None),
)
"""Of the section `engine` of a drivetrain file."""


@inline
def engine_torque(p, speed, throttle):
    """(torque [N m], d torque / d speed [N m s/rad]) of the engine on its crankshaft, losses included.

        g = g_max clamp((w_idle - w) / band, 0, 1)       opening by the governor: proportional, so idle droops under load
        m = clamp(1 + (w_max - w) / band, 0, infinite)   what the governor of the maximum speed allows
        u = min(throttle + (1 - throttle) g, m)
        T = (1 - f) T_below(w) + f T_above(w)            f: place of u between the openings below and above

    The losses form of a file, T = u T_full(w) + T_losses(w), is the same with T_closed = T_losses and T_open = T_full + T_losses.
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
    """Torque [N m] of the map at its i-th speed; opening 0: closed, then those between, then open."""
    if opening == 0:
        return p[0]["engine_map_closed"][i]
    if opening > p[0]["engine_parts"]:
        return p[0]["engine_map_open"][i]
    return p[0]["engine_map_part"][opening - 1, i]


def engine_from_section(s: Section) -> Record:
    """Record ENGINE from the `engine` section of a drivetrain file, see ENGINE_FILE: with closed_throttle, losses or friction.

    Raises
    ------
    ConfigError : a key is unknown or missing, a number is out of range, a list does not rise
    """
    s = checked(ENGINE_FILE, s.mapping, s.file, s.key)
    others = [name for name in ("closed_throttle", "losses", "friction") if name in s.mapping]
    if len(others) != 1:
        raise ConfigError(s.file, s.key, list(s.mapping), "either closed_throttle, losses or friction")
    with ErrorCollector() as faults:
        out = record(ENGINE)
        out[0]["engine_inertia"] = inertia = s.number("inertia")
        if 0.0 < inertia < LEAST_INERTIA:
            expected = f"0 (all of it in the impeller), or at least {LEAST_INERTIA:g} kg m2"
            faults.add(ConfigError(s.file, s.path("inertia"), inertia, expected))
        _read_governors(s, out)
        _read_map(s, others[0], out, faults)
    return out


def _read_governors(s: Section, out: Record) -> None:
    """Those of the idle and of the maximum speed, as far as there are any."""
    out[0]["idle_band"] = out[0]["maximum_band"] = 1.0
    out[0]["maximum_speed"] = math.inf
    for name in ("idle", "maximum"):
        if name in s.mapping:
            governor = s.section(name)
            out[0][f"{name}_speed"], out[0][f"{name}_band"] = governor.number("speed"), governor.number("band")
    if "idle" in s.mapping:
        out[0]["idle_throttle"] = s.section("idle").number("throttle")


def _read_map(s: Section, other: str, out: Record, faults: ErrorCollector) -> None:
    """The curves of an engine; `other` is the name of the one beside the full throttle."""
    parts = s.sections("part_load")
    first = s.section("full_throttle").curve("speed", "torque", MAP_POINTS)
    curves = [first, _friction(s.section("friction"), first[0]) if other == "friction" else _curve(s.section(other))]
    curves += [_curve(part) for part in parts]
    if "accessories" in s.mapping:
        curves.append(_curve(s.section("accessories")))
    speed, (full, closed, *between) = merge(*curves)
    taken = between.pop() if "accessories" in s.mapping else np.zeros(len(speed))
    added = closed if other == "losses" else np.zeros(len(speed))
    opened, closed, between = full + added - taken, closed - taken, [part + added - taken for part in between]
    store(out, {"engine_map_speed": speed, "engine_map_open": opened, "engine_map_closed": closed}, "engine_points", s)
    out[0]["engine_parts"] = len(parts)
    for n, part in enumerate(parts):
        out[0]["engine_openings"][n], out[0]["engine_map_part"][n, : len(speed)] = part.number("throttle"), between[n]
    if np.any(np.diff(out[0]["engine_openings"][: len(parts)]) <= 0.0):
        faults.add(ConfigError(s.file, s.path("part_load"), out[0]["engine_openings"][: len(parts)].tolist(), "openings that rise"))
    key = s.path("full_throttle.torque")
    if "maximum" in s.mapping:
        if closed[-1] >= 0.0:
            faults.add(
                ConfigError(s.file, s.path(other), float(closed[-1]), "a torque below zero where the map ends: the governor has closed")
            )
    elif opened[-1] >= 0.0:
        faults.add(ConfigError(s.file, key, float(opened[-1]), "a map that ends below zero, which limits the speed, or a maximum"))
    if opened.max() <= 0.0:
        faults.add(ConfigError(s.file, key, first[1].tolist(), "torques of which at least one drives (above 0)"))
    for name in ("idle", "maximum"):
        if name in s.mapping and out[0][f"{name}_speed"] > speed[-1]:
            raise s.section(name).wrong("speed", "at most {}, where the map of the engine ends", float(speed[-1]))


def _curve(s: Section) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return s.curve("speed", "torque", MAP_POINTS)


def _friction(s: Section, speeds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(speeds, torques) of an engine that is turned without fuel, T = -fmep V / (4 pi), over the speeds of the full throttle.

    Source: the polynomial of [Millington and Hartles 1968], in [Heywood 1988, sec. 13.6.1].
    """
    volume, stroke, constant = s.number("displacement"), s.number("stroke"), s.number("constant")
    w = np.unique(np.concatenate([[min(0.0, float(speeds[0]))], np.linspace(0.0, float(speeds[-1]), FRICTION_POINTS)]))
    pistons = stroke * w / math.pi  # two strokes a turn
    pressure = constant + s.number("by_speed") * np.abs(w) + s.number("by_piston_speed") * pistons**2
    return w, -np.sign(w) * pressure * volume / (4.0 * math.pi)
