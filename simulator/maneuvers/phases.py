"""Phases of a maneuver: one after the other, each with what it does on every channel and with when it ends.

A channel that a phase does not name goes on as it was: a held steering wheel stays held, a speed is still kept, a profile runs on. Steering is
one thing: `steering` (of the steering wheel), `road_wheel` and `steering_torque` take each other's place. So are the pedals: `speed` takes them from `throttle`
and `brake`, either of these takes them back and releases the other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Either, Field, Flag, Number, Text, entry
from simulator.base.units import split_unit
from simulator.driver.steering.kinds import STEERING as STEERING_LAW
from simulator.maneuvers.conditions import CONDITIONS, Condition, Conditions, conditions
from simulator.maneuvers.input_signals import channel, check_profile, new_profile, profile_tables

FOLLOW = "path"
"""Word behind `type` of a steering that follows the path of the maneuver."""
USUAL_ACCELERATION = 2.0
"""m/s2 with which a speed is come to where the file says nothing."""
SELECTOR = {"reverse": -1, "neutral": 0, "drive": 1}
SHIFTING = "shifting"
"""Word for gears that the driver chooses himself."""
MOST_GEARS = 10

ANGLES = ("steering", "road_wheel")
STEERING = (*ANGLES, "steering_torque")
PEDALS = ("speed", "throttle", "brake")
SWITCHES = ("low_range", "center_lock")
"""Of the transfer case."""
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
        Field("value", Number("m/s", 0.0, 90.0), "speed to come to"),
        Field("acceleration", Number("m/s2", 0.001, 30.0), "with which it is come to", USUAL_ACCELERATION),
    ),
}
_NAME = Text("a name (letters, digits, . _ -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_GEAR = Either(
    (Choice((*SELECTOR, SHIFTING)), Number("1", 1, MOST_GEARS, whole=True)),
    "drive, neutral, reverse, shifting (forward gears that the driver chooses himself), or the number of a forward gear to be held",
)


@dataclass(frozen=True)
class PhaseSection:
    """A phase, key by key."""

    name: str = entry(_NAME, "name of the phase")
    steering: Any = entry(
        channel(
            "rad", more={FOLLOW: (Field("driver", STEERING_LAW, "who steers in this phase, instead of `driver` of the maneuver", None),)}
        ),
        "angle of the steering wheel, + = left, at most its lock; or `type: path`: follow the path",
        None,
        written="deg",
    )
    road_wheel: Any = entry(
        channel("rad"), "mean angle of the steered wheels, + = left, instead of that of the steering wheel", None, written="deg"
    )
    steering_torque: Any = entry(
        channel("N m"),
        "torque of the hands on the steering wheel, + = left, which turns freely: 0 lets it go; the vehicle needs a steering.hand_wheel",
        None,
        written="Nm",
    )
    speed: Any = entry(channel("m/s", 0.0, 90.0, _SPEEDS), "speed that is kept by both pedals", None, written="kph")
    throttle: Any = entry(channel("1", 0.0, 1.0), "throttle pedal", None)
    brake: Any = entry(channel("1", 0.0, 1.0), "brake pedal", None)
    parking_brake: Any = entry(channel("1", 0.0, 1.0), "parking brake", None)
    gear: Any = entry(
        _GEAR, "drive, neutral, reverse, `shifting`: the driver chooses the forward gear; or the number of one that is held", None
    )
    low_range: bool | None = entry(Flag(), "low range of the transfer case, which is taken at a standstill", None)
    center_lock: bool | None = entry(Flag(), "lock of the center differential", None)
    drawbar: Any = entry(channel("N"), "pull of a sled on the tow hook, + = backwards", None, written="N")
    until: Any = entry(CONDITIONS, "conditions of which any ends the phase", None)
    lasts: float | None = entry(Number("s", 0.0, 86400.0), "time after which it ends in any case", None, written="s")
    timeout: float | None = entry(
        Number("s", 0.0, 86400.0), "time after which the maneuver is given up unless the phase has ended", None, written="s"
    )


@dataclass(frozen=True)
class Phase:
    """A checked phase.

    Attributes
    ----------
    channels : what it says by channel, in SI; only those that it names
    until : conditions of which any ends it
    aborts : that give the maneuver up
    """

    name: str
    channels: Mapping[str, Any]
    until: Conditions
    aborts: Conditions


def read_phases(
    sections: Sequence[PhaseSection], mapping: Sequence[Mapping[str, Any]], file: object, *, has_path: bool
) -> tuple[Phase, ...]:
    """Phases out of what was read; `mapping` is how the file has them. Raises ConfigError."""
    out: list[Phase] = []
    with ErrorCollector() as faults:
        for n, (section, written) in enumerate(zip(sections, mapping, strict=True)):
            with faults.part():
                if section.name in [one.name for one in sections[:n]]:
                    raise ConfigError(file, f"phases[{n}].name", section.name, "a name that no phase before it has")
            with faults.part():
                out.append(_phase(section, written, file, f"phases[{n}]", has_path, last=n == len(sections) - 1))
    return tuple(out)


def _phase(section: PhaseSection, written: Mapping[str, Any], file: object, key: str, has_path: bool, last: bool) -> Phase:
    spelled = {_channel_of(name): str(name) for name in written}
    channels: dict[str, Any] = {}
    with ErrorCollector() as faults:
        _check_rivals(spelled, file, key, faults)
        for name in (*STEERING, *PEDALS, *OTHERS):
            said = getattr(section, name)
            if said is None:
                continue
            with faults.part():
                channels[name] = said if name in ("gear", *SWITCHES) else check_profile(said, UNITS[name], file, f"{key}.{spelled[name]}")
                if name == "steering" and follows_path(said) and not has_path:
                    raise ConfigError(file, f"{key}.steering", FOLLOW, "a path in the file: waypoints, segments or a course")
        with faults.part():
            until, aborts = _ends(section, channels, written, file, key, last)
            _need_path(until, has_path, file, f"{key}.until")
    return Phase(section.name, channels, until, aborts)


def _check_rivals(spelled: Mapping[str, str], file: object, key: str, faults: ErrorCollector) -> None:
    """Steering is said in one way, and so are the pedals."""
    for first, rivals in (
        ("steering", ("road_wheel", "steering_torque")),
        ("road_wheel", ("steering_torque",)),
        ("speed", ("throttle", "brake")),
    ):
        for rival in rivals:
            if first in spelled and rival in spelled:
                faults.add(ConfigError(file, f"{key}.{spelled[rival]}", "both", f"either {first} or {rival}"))


def _ends(
    section: PhaseSection, channels: Mapping[str, Any], written: Mapping[str, Any], file: object, key: str, last: bool
) -> tuple[Conditions, Conditions]:
    """What ends a phase, and what gives the maneuver up."""
    until: Conditions = conditions(section.until, file, f"{key}.until", written["until"]) if section.until is not None else ()
    if section.lasts is not None:
        until = (*until, _after(section.lasts))
    if not until and _all_end(channels):
        until = (Condition("profiles_done", "above", 0.5, "level", 0.0, "its profiles are done"),)
    if not until and not last:
        raise ConfigError(file, key, section.name, "a phase that ends: until, lasts_s, or a profile that comes to its end")
    return until, () if section.timeout is None else (_after(section.timeout),)


def _after(seconds: float) -> Condition:
    return Condition("time", "above", seconds, "level", 0.0, f"time above {seconds:g} s")


def _all_end(channels: Mapping[str, Any]) -> bool:
    """Whether profiles say how long a phase is: at least one of them takes a time, and none goes on for ever."""
    said = [one for one in channels.values() if isinstance(one, Mapping) and one["type"] not in ("constant", "hold", FOLLOW)]
    endless = [one for one in said if one["type"] == "sine" and one.get("cycles") is None]
    return bool(said) and not endless


def own_law(phase: Phase) -> Mapping[str, Any] | None:
    """Who steers along the path in a phase, where it says so itself."""
    said = phase.channels.get("steering")
    return said.get("driver") if isinstance(said, Mapping) and follows_path(said) else None


def _need_path(until: Conditions, has_path: bool, file: object, key: str) -> None:
    for one in until:
        for condition in (one,) if isinstance(one, Condition) else one.conditions:
            if condition.quantity in ("station", "path_error") and not has_path:
                raise ConfigError(file, key, condition.quantity, "a path in the file: waypoints, segments or a course")


def _channel_of(written: Any) -> str:
    """Name of a channel as the file spells it, without its unit."""
    return split_unit(str(written), UNITS)[0] or str(written)


def follows_path(said: Any) -> bool:
    """Whether a steering follows the path of the maneuver."""
    return isinstance(said, Mapping) and said["type"] == FOLLOW


class Running:
    """A channel that runs: a profile with the time at which it began.

    Parameters
    ----------
    said : as the phase has it
    present : value of the channel until now
    began : s
    seed : of a random profile
    """

    def __init__(self, said: Any, present: float, began: float, seed: int) -> None:
        self._profile, self._began = new_profile(said, present, seed), began

    def value(self, t: float, roll_rate: float) -> float:
        """Value at time t (s) of the drive."""
        return self._profile.value(t - self._began + 1e-9, roll_rate)

    def done(self, t: float) -> bool:
        """Whether it has come to its end."""
        return self._profile.done(t - self._began + 1e-9)
