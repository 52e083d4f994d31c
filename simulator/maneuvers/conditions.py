"""Conditions on what the vehicle does: when a phase of a maneuver ends, and when a maneuver is given up."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Either, Field, Fields, Group, ListOf, Number, Variants
from simulator.base.records import Record
from simulator.base.units import SHOWN, SUFFIXES

SLOWEST = 0.5
"""m/s. Below it the course angle means nothing, and sideslip counts as none."""


@dataclass(slots=True)
class Observation:
    """What the driver sees; one that is brought up to date at every look."""

    path_error: Callable[[float], float]
    """m to the left of the path at a station [m]; NaN without one."""
    done: Callable[[], bool]
    """Whether every profile of the phase has come to its end."""
    t: float = 0.0
    """s since the start."""
    begun: float = 0.0
    """s, when the phase began."""
    way: float = 0.0
    """m driven since the start."""
    way_begun: float = 0.0
    """m driven when the phase began."""
    readout: Record = field(default_factory=lambda: np.zeros(1))
    x: float = 0.0
    """m ahead of the start."""
    y: float = 0.0
    """m to the left of the start."""
    heading: float = 0.0
    """rad from that of the start, turns counted."""
    station: float = math.nan
    """m along the path; NaN without one."""


class Quantity(NamedTuple):
    """Something that a condition may ask for."""

    unit: str
    meaning: str
    value: Callable[[Observation], float]


def _body(name: str, axis: int) -> Callable[[Observation], float]:
    return lambda look: float(look.readout[0][name][axis])


def _plain(name: str) -> Callable[[Observation], float]:
    return lambda look: float(look.readout[0][name])


def _sideslip(look: Observation) -> float:
    v = look.readout[0]["v_WG_B"]
    return math.atan2(v[1], v[0]) if math.hypot(v[0], v[1]) > SLOWEST else 0.0


QUANTITIES: dict[str, Quantity] = {
    "time": Quantity("s", "time since the phase began", lambda look: look.t - look.begun),
    "run_time": Quantity("s", "time since the start", lambda look: look.t),
    "distance": Quantity("m", "way driven since the phase began", lambda look: look.way - look.way_begun),
    "run_distance": Quantity("m", "way driven since the start", lambda look: look.way),
    "station": Quantity("m", "place along the path", lambda look: look.station),
    "path_error": Quantity("m", "distance from the path, + = to its left", lambda look: look.path_error(look.station)),
    "x": Quantity("m", "place of the reference point ahead of the start", lambda look: look.x),
    "y": Quantity("m", "place of the reference point to the left of the start", lambda look: look.y),
    "heading": Quantity("rad", "yaw from that of the start, turns counted", lambda look: look.heading),
    "speed": Quantity("m/s", "forward speed", _body("v_WB_B", 0)),
    "longitudinal_acceleration": Quantity("m/s2", "of the center of mass, forward", _body("a_WG_B", 0)),
    "lateral_acceleration": Quantity("m/s2", "of the center of mass, to the left", _body("a_WG_B", 1)),
    "yaw_rate": Quantity("rad/s", "+ = to the left", _body("w_WB_B", 2)),
    "roll_rate": Quantity("rad/s", "+ = right side down", _body("w_WB_B", 0)),
    "roll": Quantity("rad", "+ = right side down", _plain("roll")),
    "pitch": Quantity("rad", "+ = nose down", _plain("pitch")),
    "sideslip": Quantity("rad", "of the center of mass: course less heading, + = to the left", _sideslip),
    "steering_wheel_angle": Quantity("rad", "+ = left", _plain("steering_wheel_angle")),
    "steering_wheel_torque": Quantity("N m", "+ = to the left", _plain("steering_wheel_torque")),
    "wheels_lifted": Quantity("1", "wheels without load", lambda look: float((look.readout[0]["F_C"][:, 2] <= 0.0).sum())),
    "engine_speed": Quantity("rad/s", "of the crankshaft", _plain("engine_speed")),
    "gear": Quantity("1", "gear engaged", _plain("gear")),
    "profiles_done": Quantity("1", "1 once every profile of the phase has come to its end", lambda look: float(look.done())),
}
"""By the word behind `when`."""


def _bounds(quantity: Quantity) -> Fields:
    number = Number(quantity.unit)
    return (
        Field("above", number, "it is more than this", None),
        Field("below", number, "it is less than this", None),
        Field("beyond", number, "its size is more than this", None),
        Field("within", number, "its size is less than this", None),
        Field("crosses", number, "it passes this from either side", None),
    )


_COMMON = (
    Field(
        "edge", Choice(("level", "rising", "falling")), "it holds; it begins to hold in this phase; it ends to hold in this phase", "level"
    ),
    Field("hold", Number("s", 0.0, 3600.0), "for so long without a break", 0.0, written="s"),
)
CONDITION = Variants(
    "when", {name: _bounds(quantity) for name, quantity in QUANTITIES.items()}, tuple(QUANTITIES), "what is looked at", _COMMON
)


@dataclass(frozen=True)
class _All(Group):
    """Conditions that have to hold at once: told from a single one by its key."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and "all" in value


_TOGETHER = _All((Field("all", ListOf(CONDITION, least=1), "all of them at once"),))
CONDITIONS = Either(
    (
        ListOf(Either((_TOGETHER, CONDITION), "a condition, or {all: [...]}")),
        _TOGETHER,
        CONDITION,
    ),
    "a condition {when: ..., above: ...}, a list of which any counts, or {all: [...]}",
)
"""Of `until` and `abort`."""
BOUNDS = ("above", "below", "beyond", "within", "crosses")


class ConditionMonitor(Protocol):
    """Whether a condition holds now; asked at every look."""

    words: str

    def holds(self, look: Observation) -> bool:
        """Look and answer."""


@dataclass(frozen=True)
class Condition:
    """One condition as the file has it, numbers in SI."""

    quantity: str
    bound: str
    amount: float
    edge: str
    hold: float
    words: str

    def watch(self) -> ConditionMonitor:
        """It, seen from now on."""
        return _Watched(self)


@dataclass(frozen=True)
class Together:
    """Conditions that have to hold at once."""

    conditions: tuple[Condition, ...]

    def watch(self) -> ConditionMonitor:
        """They, seen from now on."""
        return _WatchedTogether([condition.watch() for condition in self.conditions])


Conditions = tuple[Condition | Together, ...]
"""Any of which counts."""


def conditions(said: Any, file: object, key: str, written: Any) -> Conditions:
    """What was read of `CONDITIONS`; `written` is how the file has it. Raises ConfigError."""
    if isinstance(said, Mapping):
        return (_one(said, file, key, written),)
    return tuple(_one(one, file, f"{key}[{n}]", written[n]) for n, one in enumerate(said))


def _one(said: Mapping[str, Any], file: object, key: str, written: Any) -> Condition | Together:
    if "all" in said:
        together = tuple(_condition(one, file, f"{key}.all[{n}]", written["all"][n]) for n, one in enumerate(said["all"]))
        return Together(together)
    return _condition(said, file, key, written)


def _condition(said: Mapping[str, Any], file: object, key: str, written: Mapping[str, Any]) -> Condition:
    bounds = [bound for bound in BOUNDS if said.get(bound) is not None]
    if len(bounds) != 1:
        raise ConfigError(file, key, dict(written), f"one of {', '.join(BOUNDS)}")
    bound, name = bounds[0], str(said["when"])
    return Condition(name, bound, float(said[bound]), said["edge"], said["hold"], _in_words(name, bound, written))


def _in_words(name: str, bound: str, written: Mapping[str, Any]) -> str:
    """As the file says it, for people."""
    spelled = next(str(key) for key in written if key == bound or str(key).startswith(f"{bound}_"))
    suffix = spelled.removeprefix(bound).removeprefix("_") or next(iter(SUFFIXES.get(QUANTITIES[name].unit, {"": 1.0})))
    return f"{name.replace('_', ' ')} {bound} {written[spelled]:g} {SHOWN.get(suffix, suffix)}".rstrip()


class _Watched:
    def __init__(self, condition: Condition) -> None:
        self.words = condition.words
        self._value, self._compare = QUANTITIES[condition.quantity].value, _comparison(condition)
        self._falling, self._hold = condition.edge == "falling", condition.hold
        self._was_not = condition.edge == "level"
        self._since: float | None = None

    def holds(self, look: Observation) -> bool:
        """Look and answer."""
        if self._compare(self._value(look)) == self._falling:
            self._was_not, self._since = True, None
            return False
        if self._since is None:
            self._since = look.t
        return self._was_not and look.t - self._since >= self._hold - 1e-9


def _comparison(condition: Condition) -> Callable[[float], bool]:
    """Whether a value is where the condition wants it."""
    amount = condition.amount
    if condition.bound == "crosses":
        return _Crossing(amount).passes
    if condition.bound == "above":
        # a time is a sum of steps
        least = amount - 1e-9 if condition.quantity in ("time", "run_time") else amount
        return lambda value: value > least
    if condition.bound == "below":
        return lambda value: value < amount
    return (lambda value: abs(value) > amount) if condition.bound == "beyond" else (lambda value: abs(value) < amount)


class _Crossing:
    """An amount that a value may pass from either side."""

    def __init__(self, amount: float) -> None:
        self._amount = amount
        self._before: float | None = None

    def passes(self, value: float) -> bool:
        """Whether it was passed since the last look."""
        before, self._before = self._before, value
        return before is not None and (before - self._amount) * (value - self._amount) <= 0.0 and value != before


class _WatchedTogether:
    def __init__(self, watchers: Sequence[ConditionMonitor]) -> None:
        self._watchers = watchers
        self.words = " and ".join(watcher.words for watcher in watchers)

    def holds(self, look: Observation) -> bool:
        """Look and answer."""
        seen = [watcher.holds(look) for watcher in self._watchers]  # every one of them has to see every look
        return all(seen)
