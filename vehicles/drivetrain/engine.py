"""Engine: a torque map over speed and throttle, with an idle governor. The rev limit is the falling end of the map."""

from __future__ import annotations

from simulator.base.errors import ConfigError, Gathered
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.section import Section, checked
from vehicles.drivetrain.tables import LARGEST_INERTIA, LARGEST_SPEED, LARGEST_TORQUE, LEAST_INERTIA, RPM, cell, merge, store

MAP_POINTS = 64
"""Speeds of the torque map, those of its two curves together."""

ENGINE = (
    # name                  shape   unit      what it is
    ("engine_points", (), "1", "number of points of the torque map", "i8"),
    ("engine_map_speed", (MAP_POINTS,), "rad/s", "crankshaft speeds of the torque map, rising"),
    ("engine_map_closed", (MAP_POINTS,), "N m", "torque with the throttle closed"),
    ("engine_map_open", (MAP_POINTS,), "N m", "torque with the throttle fully open"),
    ("engine_inertia", (), "kg m2", "crankshaft and flywheel"),
    ("idle_speed", (), "rad/s", "speed below which the idle governor opens the throttle"),
    ("idle_band", (), "rad/s", "drop below idle_speed at which the governor has opened by idle_throttle"),
    ("idle_throttle", (), "1", "largest throttle opening of the governor, 0 = no governor"),
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
ENGINE_FILE = (
    Field("inertia", Number("kg m2", 0.0, LARGEST_INERTIA), "crankshaft and flywheel"),
    Field("full_throttle", Group(_MAP), "torque with the throttle fully open; its end falls below zero, which limits the speed"),
    Field("closed_throttle", Group(_MAP), "torque with the throttle closed; the torque lies between the two maps", None),
    Field("losses", Group(_MAP), "instead of it: torque added to throttle times full_throttle", None),
    Field("idle", Group(_IDLE), "governor of the idle speed; none when left out", None),
)
"""Of the section `engine` of a drivetrain file."""


@inline
def engine_torque(p, speed, throttle):
    """(torque [N m], d torque / d speed [N m s/rad]) of the engine on its crankshaft, losses included.

        g = g_max clamp((w_idle - w) / band, 0, 1)     opening by the governor: proportional, so idle droops under load
        u = throttle + (1 - throttle) g
        T = (1 - u) T_closed(w) + u T_open(w)

    The losses form of a file, T = u T_full(w) + T_losses(w), is the same with T_closed = T_losses and T_open = T_full + T_losses.
    """
    i, x, dx = cell(p[0]["engine_map_speed"], p[0]["engine_points"], speed)
    closed, opened = p[0]["engine_map_closed"], p[0]["engine_map_open"]
    closed_rise, open_rise = closed[i + 1] - closed[i], opened[i + 1] - opened[i]
    gap = (opened[i] + x * open_rise) - (closed[i] + x * closed_rise)

    drop = (p[0]["idle_speed"] - speed) / p[0]["idle_band"]
    governor = p[0]["idle_throttle"] * min(1.0, max(0.0, drop))
    u = throttle + (1.0 - throttle) * governor
    du = -(1.0 - throttle) * p[0]["idle_throttle"] / p[0]["idle_band"] if 0.0 < drop < 1.0 else 0.0
    return closed[i] + x * closed_rise + u * gap, dx * (closed_rise + u * (open_rise - closed_rise)) + du * gap


def engine_from_section(s: Section) -> Record:
    """Record ENGINE from the `engine` section of a drivetrain file, see ENGINE_FILE: with closed_throttle or with losses.

    Raises
    ------
    ConfigError : a key is unknown or missing, a number is out of range, a speed list does not rise
    """
    s = checked(ENGINE_FILE, s.mapping, s.file, s.key)
    others = [name for name in ("closed_throttle", "losses") if name in s.mapping]
    if len(others) != 1:
        raise ConfigError(s.file, s.key, list(s.mapping), "either closed_throttle or losses")
    with Gathered() as faults:
        out = record(ENGINE)
        out[0]["engine_inertia"] = inertia = s.number("inertia")
        if 0.0 < inertia < LEAST_INERTIA:
            expected = f"0 (all of it in the impeller), or at least {LEAST_INERTIA:g} kg m2"
            faults.add(ConfigError(s.file, s.path("inertia"), inertia, expected))
        _read_map(s, others[0], out, faults)
    return out


def _read_map(s: Section, other: str, out: Record, faults: Gathered) -> None:
    """The curves of an engine and its idling; `other` is the name of the one beside the full throttle."""
    maps = [s.section(name).curve("speed", "torque", MAP_POINTS) for name in ("full_throttle", other)]
    speed, (full, closed) = merge(*maps)
    opened = full + closed if other == "losses" else full
    store(out, {"engine_map_speed": speed, "engine_map_open": opened, "engine_map_closed": closed}, "engine_points", s)
    key = s.path("full_throttle.torque")
    if opened[-1] >= 0.0:
        faults.add(ConfigError(s.file, key, float(opened[-1]), "a map that ends below zero, which limits the speed"))
    if opened.max() <= 0.0:
        faults.add(ConfigError(s.file, key, maps[0][1].tolist(), "torques of which at least one drives (above 0)"))
    out[0]["idle_band"] = 1.0
    if "idle" in s.mapping:
        idle = s.section("idle")
        out[0]["idle_speed"] = idle.number("speed")
        if out[0]["idle_speed"] > speed[-1]:
            raise idle.wrong("speed", "at most {}, where the map of the engine ends", float(speed[-1]))
        out[0]["idle_band"], out[0]["idle_throttle"] = idle.number("band"), idle.number("throttle")
