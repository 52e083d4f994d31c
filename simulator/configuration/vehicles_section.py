"""Section `vehicles` of a session: the other vehicles in its world."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.fields import Anything, Choice, Either, Field, Flag, Group, ListOf, Number, Text
from simulator.base.registry import KindChoice
from simulator.base.suggestions import did_you_mean, listed
from simulator.driver.kinds import FOLLOW
from simulator.driver.seen_vehicle import FIRST
from simulator.faults.kinds import FAULTS
from simulator.telemetry.replay_columns import VEHICLE

MAX_VEHICLES = 1000
MAX_POSITION = 1e5
"""m. Limit of a position."""
MAX_SPEED = 100.0
"""m/s. Limit of the speed at the start."""
TAKEN = ("command", "platform")
"""Begins of other columns of the log, with which the columns of a vehicle of this name would be mixed up."""
LOGS = ("short", "all")
SHORT = (*VEHICLE, "yaw", "v_WB_B", "w_WB_B", "a_WB_B", "steering", "throttle", "engine_speed")
"""Fields of the readout in a short log: motion, pedals, and what replays need."""
NAMED = "a name, the path of a file, or the content itself"


def vehicles_field(driver: Either) -> Field:
    """Return the field `vehicles` of a session; `driver`: type of the key `driver`."""
    return Field("vehicles", ListOf(Group(_entry(driver))), "other vehicles in the world of the first one", ())


def _entry(driver: Either) -> tuple[Field, ...]:
    """Return the table of an entry."""
    return (
        Field("name", Text("a name"), "name in messages and in the log", None),
        Field("vehicle", Anything(NAMED), f"vehicle: {NAMED} (default: that of the session)", None),
        Field(
            "position",
            Number("m", -MAX_POSITION, MAX_POSITION, shape=(2,)),
            "start, ahead of and to the left of the start of the terrain",
        ),
        Field("heading", Number("rad", -math.tau, math.tau), "heading relative to the start of the terrain, + = left", 0.0, written="deg"),
        Field("speed", Number("m/s", 0.0, MAX_SPEED), "speed at the start (default: that of its maneuver, or 0)", None),
        Field("maneuver", Anything(NAMED), f"maneuver, relative to the start of the vehicle: {NAMED}", None),
        Field(
            "driver",
            driver,
            "automatic driver (default: the driver of the maneuver; without maneuver, the vehicle stands in neutral)",
            None,
        ),
        Field(
            "color", Number("1", 0.0, 1.0, shape=(3,)), "red, green, blue of its body in pictures (default: that of the drawn body)", None
        ),
        Field("parking_brake", Flag(), "true: a vehicle without driver holds its parking brake", True),
        replace(FAULTS, meaning="faults of this vehicle, as those of the session, which belong to the first vehicle"),
        Field(
            "log",
            Choice(LOGS),
            "columns of the log; `short`: motion, wheels, pedals, gear, engine speed and command; `all`: also suspension, tires and the rest",
            LOGS[0],
        ),
    )


@dataclass(frozen=True)
class OtherOptions:
    """Options of another vehicle, without the files that it names."""

    name: str
    position: tuple[float, float]
    """m, ahead of and to the left of the start of the terrain."""
    heading: float
    """rad, relative to the start of the terrain."""
    speed: float | None
    """m/s at the start; None: that of the maneuver, or 0."""
    driver: KindChoice | None
    parking_brake: bool
    faults: tuple[Any, ...] = ()
    columns: tuple[str, ...] = SHORT
    """Fields of the readout in the log; empty: all."""
    color: tuple[float, float, float] | None = None
    """sRGB color of its body, 0 to 1; None: that of the drawn body."""

    def start(self, spawn: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return x, y [m] and yaw [rad] of the start, for a ground with this start."""
        c, s, (ahead, left) = math.cos(spawn[2]), math.sin(spawn[2]), self.position
        return spawn[0] + c * ahead - s * left, spawn[1] + s * ahead + c * left, spawn[2] + self.heading


def default_name(n: int) -> str:
    """Return the name of entry n of the section without a name: the first vehicle is that of the session."""
    return f"vehicle_{n + 2}"


def other_options(values: Sequence[Mapping[str, Any]], file: str, known: Sequence[str] = ()) -> tuple[OtherOptions, ...]:
    """Return the options of all entries, in addition to vehicles with names that are `known`. Raises ConfigError: two vehicles with one name, or
    too many."""
    if len(known) + len(values) > MAX_VEHICLES:
        raise ConfigError(file, "vehicles", f"{len(known) + len(values)} vehicles", f"at most {MAX_VEHICLES}")
    names = [one.get("name") or default_name(len(known) + n) for n, one in enumerate(values)]
    for n, name in enumerate(names):
        if name == FIRST:
            raise ConfigError(file, f"vehicles[{n}].name", name, "another name; this one means the vehicle of the session")
        if name in (*known, *names[:n]):
            raise ConfigError(file, f"vehicles[{n}].name", name, "a name that no other vehicle has")
        if name in TAKEN or name.endswith("_command"):
            raise ConfigError(file, f"vehicles[{n}].name", name, "another name; columns of the log that begin with it are others")
        if not name.replace("_", "").isalnum():
            raise ConfigError(file, f"vehicles[{n}].name", name, "letters, digits and _, because columns of the log begin with it")
    options = tuple(
        OtherOptions(
            name,
            (float(one["position"][0]), float(one["position"][1])),
            one["heading"],
            one.get("speed"),
            KindChoice.of(one["driver"]) if "driver" in one else None,
            one["parking_brake"],
            one["faults"],
            SHORT if one["log"] == LOGS[0] else (),
            tuple(one["color"]) if "color" in one else None,
        )
        for name, one in zip(names, values, strict=True)
    )
    for n, one in enumerate(options):
        check_leader(one.driver, file, f"vehicles[{n}].driver.vehicle", [name for name in (FIRST, *known, *names) if name != one.name])
    return options


def check_leader(driver: KindChoice | None, file: str, key: str, names: Sequence[str]) -> None:
    """Raise ConfigError if a driver follows a vehicle that is not one of `names`, or itself: it would wait forever."""
    leader = None if driver is None or driver.name != FOLLOW else driver.parameters.get("vehicle")
    if leader is not None and leader not in names:
        raise ConfigError(
            file, key, leader, f"another vehicle of the session: {listed(names) or 'there is none'}{did_you_mean(leader, names)}"
        )
