"""Phases of a maneuver: the actions on every channel and the end of each phase.

A channel that a phase does not name continues: the steering wheel keeps its angle, the speed control stays active, and profiles run on.
The steering channels exclude each other: `steering` (steering wheel), `road_wheel` and `steering_torque`; a new one replaces the old
one. The same applies to the pedals: `speed` replaces `throttle` and `brake`; `throttle` or `brake` alone replaces `speed` and releases
the other pedal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_classes import entry
from simulator.base.fields import Choice, Either, Field, Flag, Number, Text
from simulator.base.units import split_unit
from simulator.driver.steering.kinds import STEERING as STEERING_LAW
from simulator.maneuvers.conditions import CONDITIONS, Condition, Conditions, conditions
from simulator.maneuvers.input_signals import channel, check_profile, new_profile, profile_tables

FOLLOW = "path"
"""Value of `type` for steering along the path of the maneuver."""
USUAL_ACCELERATION = 2.0
"""Default acceleration [m/s2] toward a new speed."""
SELECTOR = {"reverse": -1, "neutral": 0, "drive": 1}
SHIFTING = "shifting"
"""Value of `gear` if the driver shifts the gears."""
HOLD = "hold"
"""Value of `gear` if the engaged gear stays engaged."""
MAX_GEARS = 10

ANGLES = ("steering", "road_wheel")
STEERING = (*ANGLES, "steering_torque")
PEDALS = ("speed", "throttle", "brake")
SWITCHES = ("low_range", "center_lock")
"""Switches of the transfer case."""
OTHERS = ("gear", *SWITCHES, "parking_brake", "drawbar")
UNITS = {
    "steering": "rad",
    "road_wheel": "rad",
    "steering_torque": "N m",
    "speed": "m/s",
    "throttle": "1",
    "brake": "1",
    "parking_brake": "1",
    "drawbar": "N",
}
"""SI unit of every channel that may have a profile."""

_SPEEDS = {
    **profile_tables("m/s"),
    "constant": (
        Field("value", Number("m/s", 0.0, 90.0), "target speed"),
        Field("acceleration", Number("m/s2", 0.001, 30.0), "acceleration toward the target speed", USUAL_ACCELERATION),
    ),
}
_NAME = Text("a name (letters, digits, . _ -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_GEAR = Either(
    (Choice((*SELECTOR, SHIFTING, HOLD)), Number("1", 1, MAX_GEARS, whole=True)),
    "drive, neutral, reverse, shifting (the driver shifts the forward gears), hold (the engaged gear), or the number of a fixed forward gear",
)


@dataclass(frozen=True)
class PhaseSection:
    """Section of a phase in the file."""

    name: str = entry(_NAME, "name of the phase")
    steering: Any = entry(
        channel(
            "rad",
            more={FOLLOW: (Field("driver", STEERING_LAW, "steering model of this phase, instead of `driver` of the maneuver", None),)},
        ),
        "angle of the steering wheel, + = left, limited to the lock; or `type: path` to follow the path",
        None,
        written="deg",
    )
    road_wheel: Any = entry(
        channel("rad"), "mean angle of the steered wheels, + = left, instead of the angle of the steering wheel", None, written="deg"
    )
    steering_torque: Any = entry(
        channel("N m"),
        "torque on the free steering wheel, + = left; 0 = released; requires steering.hand_wheel in the vehicle",
        None,
        written="Nm",
    )
    speed: Any = entry(channel("m/s", 0.0, 90.0, _SPEEDS), "target speed of the speed control, which uses both pedals", None, written="kph")
    throttle: Any = entry(channel("1", 0.0, 1.0), "position of the throttle pedal", None)
    brake: Any = entry(channel("1", 0.0, 1.0), "position of the brake pedal", None)
    parking_brake: Any = entry(channel("1", 0.0, 1.0), "position of the parking brake", None)
    gear: Any = entry(
        _GEAR,
        "drive, neutral, reverse, `shifting` (the driver shifts the forward gears), `hold` (the engaged gear stays engaged), or the number of a"
        " fixed forward gear",
        None,
    )
    low_range: bool | None = entry(Flag(), "low range of the transfer case; engages at standstill", None)
    center_lock: bool | None = entry(Flag(), "lock of the center differential", None)
    drawbar: Any = entry(channel("N"), "pull of a sled on the tow hook, + = backward", None, written="N")
    until: Any = entry(CONDITIONS, "conditions that end the phase; one is sufficient", None)
    lasts: float | None = entry(Number("s", 0.0, 86400.0), "maximum duration of the phase", None, written="s")
    timeout: float | None = entry(
        Number("s", 0.0, 86400.0), "time limit of the phase; a longer phase aborts the maneuver", None, written="s"
    )


@dataclass(frozen=True)
class Phase:
    """Checked phase.

    Attributes
    ----------
    channels : values of the channels that the phase names, in SI
    until : conditions that end the phase; one is sufficient
    aborts : conditions that abort the maneuver
    """

    name: str
    channels: Mapping[str, Any]
    until: Conditions
    aborts: Conditions


def read_phases(
    sections: Sequence[PhaseSection], mapping: Sequence[Mapping[str, Any]], file: object, *, has_path: bool
) -> tuple[Phase, ...]:
    """Return the phases from their sections; `mapping` holds the keys as written in the file. Raises ConfigError."""
    out: list[Phase] = []
    with ErrorCollector() as faults:
        for n, (section, written) in enumerate(zip(sections, mapping, strict=True)):
            with faults.part():
                if section.name in [one.name for one in sections[:n]]:
                    raise ConfigError(file, f"phases[{n}].name", section.name, "a name that no earlier phase has")
            with faults.part():
                out.append(_phase(section, written, file, f"phases[{n}]", has_path, last=n == len(sections) - 1))
    return tuple(out)


def _phase(section: PhaseSection, written: Mapping[str, Any], file: object, key: str, has_path: bool, last: bool) -> Phase:
    key_in_file = {(split_unit(str(name), UNITS)[0] or str(name)): str(name) for name in written}
    channels: dict[str, Any] = {}
    with ErrorCollector() as faults:
        _check_rivals(key_in_file, file, key, faults)
        for name in (*STEERING, *PEDALS, *OTHERS):
            given = getattr(section, name)
            if given is None:
                continue
            with faults.part():
                channels[name] = (
                    given if name in ("gear", *SWITCHES) else check_profile(given, UNITS[name], file, f"{key}.{key_in_file[name]}")
                )
                if name == "steering" and follows_path(given) and not has_path:
                    raise ConfigError(file, f"{key}.steering", FOLLOW, "a path in the file: waypoints, segments or a course")
        with faults.part():
            until, aborts = _end_conditions(section, channels, written, file, key, last)
            _need_path(until, has_path, file, f"{key}.until")
    return Phase(section.name, channels, until, aborts)


def _check_rivals(key_in_file: Mapping[str, str], file: object, key: str, faults: ErrorCollector) -> None:
    """Check that the phase names at most one steering channel, and either the speed or the pedals."""
    for first, rivals in (
        ("steering", ("road_wheel", "steering_torque")),
        ("road_wheel", ("steering_torque",)),
        ("speed", ("throttle", "brake")),
    ):
        for rival in rivals:
            if first in key_in_file and rival in key_in_file:
                faults.add(ConfigError(file, f"{key}.{key_in_file[rival]}", "both", f"either {first} or {rival}"))


def _end_conditions(
    section: PhaseSection, channels: Mapping[str, Any], written: Mapping[str, Any], file: object, key: str, last: bool
) -> tuple[Conditions, Conditions]:
    """Return the conditions that end the phase and those that abort the maneuver."""
    until: Conditions = conditions(section.until, file, f"{key}.until", written["until"]) if section.until is not None else ()
    if section.lasts is not None:
        until = (*until, _after(section.lasts))
    if not until and _all_end(channels):
        until = (Condition("profiles_done", "above", 0.5, "level", 0.0, "profiles done"),)
    if not until and not last:
        raise ConfigError(file, key, section.name, "a phase with an end: until, lasts_s, or a profile that ends")
    return until, () if section.timeout is None else (_after(section.timeout),)


def _after(seconds: float) -> Condition:
    return Condition("time", "above", seconds, "level", 0.0, f"time above {seconds:g} s")


def _all_end(channels: Mapping[str, Any]) -> bool:
    """Return True if the profiles define the duration: at least one takes time and none is endless."""
    given = [one for one in channels.values() if isinstance(one, Mapping) and one["type"] not in ("constant", "hold", FOLLOW)]
    endless = [one for one in given if one["type"] == "sine" and one.get("cycles") is None]
    return bool(given) and not endless


def own_law(phase: Phase) -> Mapping[str, Any] | None:
    """Return the steering model that a phase specifies for the path; None if it specifies none."""
    given = phase.channels.get("steering")
    return given.get("driver") if isinstance(given, Mapping) and follows_path(given) else None


def _need_path(until: Conditions, has_path: bool, file: object, key: str) -> None:
    for one in until:
        for condition in (one,) if isinstance(one, Condition) else one.conditions:
            if condition.quantity in ("station", "path_error") and not has_path:
                raise ConfigError(file, key, condition.quantity, "a path in the file: waypoints, segments or a course")


def follows_path(given: Any) -> bool:
    """Return True if the steering follows the path of the maneuver."""
    return isinstance(given, Mapping) and given["type"] == FOLLOW


class Running:
    """Profile with the time at which it began.

    Parameters
    ----------
    given : value or profile of the phase
    present : value of the channel before the profile
    began : start time [s]
    seed : seed of a random profile
    """

    def __init__(self, given: Any, present: float, began: float, seed: int) -> None:
        self._profile, self._began = new_profile(given, present, seed), began

    def value(self, t: float, roll_rate: float) -> float:
        """Return the value at time t (s) of the run."""
        return self._profile.value(t - self._began + 1e-9, roll_rate)

    def done(self, t: float) -> bool:
        """Return True if the profile has ended."""
        return self._profile.done(t - self._began + 1e-9)
