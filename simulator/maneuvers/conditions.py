"""Conditions on the vehicle motion that end a phase or abort a maneuver."""

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
"""Speed [m/s] below which the course angle is undefined and sideslip counts as zero."""


@dataclass(slots=True)
class Observation:
    """Values that the conditions compare; the driver updates them at every call."""

    path_error: Callable[[float], float]
    """Distance [m] to the left of the path at a station [m]; NaN without a path."""
    done: Callable[[], bool]
    """Returns True if every profile of the phase has ended."""
    t: float = 0.0
    """Time [s] since the start."""
    phase_start: float = 0.0
    """Time [s] at which the phase began."""
    distance: float = 0.0
    """Distance [m] driven since the start."""
    phase_start_distance: float = 0.0
    """Distance [m] driven before the phase began."""
    readout: Record = field(default_factory=lambda: np.zeros(1))
    x: float = 0.0
    """Position [m] ahead of the start."""
    y: float = 0.0
    """Position [m] to the left of the start."""
    heading: float = 0.0
    """Yaw [rad] relative to the start, full turns included."""
    station: float = math.nan
    """Station [m] along the path; NaN without a path."""


class Quantity(NamedTuple):
    """Quantity that a condition may compare."""

    unit: str
    meaning: str
    value: Callable[[Any], float]
    """Returns it for what its watcher observes: of the conditions of phases, an `Observation`."""


def _body(name: str, axis: int) -> Callable[[Observation], float]:
    return lambda observation: float(observation.readout[0][name][axis])


def _scalar(name: str) -> Callable[[Observation], float]:
    return lambda observation: float(observation.readout[0][name])


def _sideslip(observation: Observation) -> float:
    v = observation.readout[0]["v_WG_B"]
    return math.atan2(v[1], v[0]) if math.hypot(v[0], v[1]) > SLOWEST else 0.0


QUANTITIES: dict[str, Quantity] = {
    "time": Quantity("s", "time since the phase began", lambda observation: observation.t - observation.phase_start),
    "run_time": Quantity("s", "time since the start", lambda observation: observation.t),
    "distance": Quantity(
        "m", "distance driven since the phase began", lambda observation: observation.distance - observation.phase_start_distance
    ),
    "run_distance": Quantity("m", "distance driven since the start", lambda observation: observation.distance),
    "station": Quantity("m", "station along the path", lambda observation: observation.station),
    "path_error": Quantity(
        "m", "distance from the path, + = left of the path", lambda observation: observation.path_error(observation.station)
    ),
    "x": Quantity("m", "position of the reference point ahead of the start", lambda observation: observation.x),
    "y": Quantity("m", "position of the reference point to the left of the start", lambda observation: observation.y),
    "heading": Quantity("rad", "yaw relative to the start, full turns included", lambda observation: observation.heading),
    "speed": Quantity("m/s", "forward speed", _body("v_WB_B", 0)),
    "longitudinal_acceleration": Quantity("m/s2", "acceleration of the center of mass, + = forward", _body("a_WG_B", 0)),
    "lateral_acceleration": Quantity("m/s2", "acceleration of the center of mass, + = left", _body("a_WG_B", 1)),
    "yaw_rate": Quantity("rad/s", "yaw rate, + = left", _body("w_WB_B", 2)),
    "roll_rate": Quantity("rad/s", "roll rate, + = right side down", _body("w_WB_B", 0)),
    "roll": Quantity("rad", "roll angle, + = right side down", _scalar("roll")),
    "pitch": Quantity("rad", "pitch angle, + = nose down", _scalar("pitch")),
    "sideslip": Quantity("rad", "course minus heading of the center of mass, + = left", _sideslip),
    "steering_wheel_angle": Quantity("rad", "angle of the steering wheel, + = left", _scalar("steering_wheel_angle")),
    "steering_wheel_torque": Quantity("N m", "torque on the steering wheel, + = left", _scalar("steering_wheel_torque")),
    "wheels_lifted": Quantity(
        "1", "number of wheels without load", lambda observation: float((observation.readout[0]["F_C"][:, 2] <= 0.0).sum())
    ),
    "engine_speed": Quantity("rad/s", "speed of the crankshaft", _scalar("engine_speed")),
    "gear": Quantity("1", "engaged gear", _scalar("gear")),
    "profiles_done": Quantity("1", "1 after the end of every profile of the phase, else 0", lambda observation: float(observation.done())),
}
"""Quantities by the value of the key `when`."""


def _bounds(unit: str) -> Fields:
    number = Number(unit)
    return (
        Field("above", number, "lower limit of the quantity", None),
        Field("below", number, "upper limit of the quantity", None),
        Field("beyond", number, "lower limit of the magnitude", None),
        Field("within", number, "upper limit of the magnitude", None),
        Field("crosses", number, "value that the quantity crosses in either direction", None),
    )


_COMMON = (
    Field(
        "edge",
        Choice(("level", "rising", "falling")),
        "event that counts: condition is true (level), becomes true (rising) or becomes false (falling) in this phase",
        "level",
    ),
    Field("hold", Number("s", 0.0, 3600.0), "uninterrupted time for which the condition must be true", 0.0, written="s"),
)


@dataclass(frozen=True)
class _All(Group):
    """Conditions that must be true at the same time; the key `all` identifies the group."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and "all" in value


def condition_type(quantities: Mapping[str, tuple[str, Fields]], least: int = 0) -> Either:
    """Return the type of a condition, of a list of at least `least` conditions, or of a group; quantities : (unit, keys of its own) by value of
    the key `when`."""
    tables = {name: (*own, *_bounds(unit)) for name, (unit, own) in quantities.items()}
    condition = Variants("when", tables, tuple(tables), "quantity to compare", _COMMON)
    group = _All((Field("all", ListOf(condition, least=1), "conditions that must be true at the same time"),))
    return Either(
        (ListOf(Either((group, condition), "a condition, or {all: [...]}"), least=least), group, condition),
        "a condition {when: ..., above: ...}, a list of which one is sufficient, or {all: [...]}",
    )


CONDITIONS = condition_type({name: (quantity.unit, ()) for name, quantity in QUANTITIES.items()})
"""Type of the keys `until` and `abort`."""
BOUNDS = ("above", "below", "beyond", "within", "crosses")


Measured = Callable[[Mapping[str, Any]], Quantity]
"""Returns the quantity that a condition with these keys compares."""


class Observed(Protocol):
    """What the conditions observe."""

    @property
    def t(self) -> float:
        """Time [s]."""


class ConditionMonitor(Protocol):
    """State of a condition over time; checked at every call of the driver."""

    words: str

    def holds(self, observation: Any) -> bool:
        """Return True if the condition is true for this observation."""


@dataclass(frozen=True)
class Condition:
    """One condition of a file, numbers in SI units."""

    quantity: str
    bound: str
    amount: float
    edge: str
    hold: float
    words: str
    value: Callable[[Any], float] | None = None
    """Returns the quantity; None: that of QUANTITIES."""

    def watch(self) -> ConditionMonitor:
        """Return a new monitor of this condition."""
        return _Monitor(self)


@dataclass(frozen=True)
class Together:
    """Conditions that must be true at the same time."""

    conditions: tuple[Condition, ...]

    def watch(self) -> ConditionMonitor:
        """Return a new monitor of these conditions."""
        return _GroupMonitor([condition.watch() for condition in self.conditions])


Conditions = tuple[Condition | Together, ...]
"""Conditions of which one is sufficient."""


def _of_the_vehicle(values: Mapping[str, Any]) -> Quantity:
    return QUANTITIES[str(values["when"])]


def conditions(values: Any, file: object, key: str, written: Any, measured: Measured = _of_the_vehicle) -> Conditions:
    """Return the conditions of a value read with the type of `condition_type`; `written` is the value in the file. Raises ConfigError."""
    if isinstance(values, Mapping):
        return (_read_condition(values, file, key, written, measured),)
    return tuple(_read_condition(item, file, f"{key}[{n}]", written[n], measured) for n, item in enumerate(values))


def _read_condition(values: Mapping[str, Any], file: object, key: str, written: Any, measured: Measured) -> Condition | Together:
    if "all" in values:
        members = tuple(_condition(item, file, f"{key}.all[{n}]", written["all"][n], measured) for n, item in enumerate(values["all"]))
        return Together(members)
    return _condition(values, file, key, written, measured)


def _condition(values: Mapping[str, Any], file: object, key: str, written: Mapping[str, Any], measured: Measured) -> Condition:
    bounds = [bound for bound in BOUNDS if values.get(bound) is not None]
    if len(bounds) != 1:
        raise ConfigError(file, key, dict(written), f"exactly one of {', '.join(BOUNDS)}")
    bound, name = bounds[0], str(values["when"])
    quantity = measured(values)
    words = _in_words(name, quantity.unit, bound, written)
    return Condition(name, bound, float(values[bound]), values["edge"], values["hold"], words, quantity.value)


def _in_words(name: str, unit: str, bound: str, written: Mapping[str, Any]) -> str:
    """Return the condition as text, with the number and the unit of the file."""
    key_in_file = next(str(key) for key in written if key == bound or str(key).startswith(f"{bound}_"))
    suffix = key_in_file.removeprefix(bound).removeprefix("_") or next(iter(SUFFIXES.get(unit, {"": 1.0})))
    return f"{name.replace('_', ' ')} {bound} {written[key_in_file]:g} {SHOWN.get(suffix, suffix)}".rstrip()


class _Monitor:
    def __init__(self, condition: Condition) -> None:
        self.words = condition.words
        self._value = condition.value or QUANTITIES[condition.quantity].value
        self._compare = _comparison(condition)
        self._falling, self._hold = condition.edge == "falling", condition.hold
        self._armed = condition.edge == "level"
        self._since: float | None = None

    def holds(self, observation: Observed) -> bool:
        """Return True if the condition is true for this observation."""
        value = self._value(observation)
        if math.isnan(value):  # there is nothing to observe, such as a removed vehicle
            self._since = None
            return False
        if self._compare(value) == self._falling:
            self._armed, self._since = True, None
            return False
        if self._since is None:
            self._since = observation.t
        return self._armed and observation.t - self._since >= self._hold - 1e-9


def _comparison(condition: Condition) -> Callable[[float], bool]:
    """Return a function that compares a value with the bound of the condition."""
    amount = condition.amount
    if condition.bound == "crosses":
        return _Crossing(amount).passes
    if condition.bound == "above":
        # a time is a sum of steps and has rounding errors
        limit = amount - 1e-9 if condition.quantity in ("time", "run_time") else amount
        return lambda value: value > limit
    if condition.bound == "below":
        return lambda value: value < amount
    return (lambda value: abs(value) > amount) if condition.bound == "beyond" else (lambda value: abs(value) < amount)


class _Crossing:
    """Value that a quantity crosses in either direction."""

    def __init__(self, amount: float) -> None:
        self._amount = amount
        self._previous: float | None = None

    def passes(self, value: float) -> bool:
        """Return True if the quantity crossed the value since the last call."""
        previous, self._previous = self._previous, value
        return previous is not None and (previous - self._amount) * (value - self._amount) <= 0.0 and value != previous


class _GroupMonitor:
    def __init__(self, monitors: Sequence[ConditionMonitor]) -> None:
        self._monitors = monitors
        self.words = " and ".join(monitor.words for monitor in monitors)

    def holds(self, observation: Observed) -> bool:
        """Return True if all conditions are true for this observation."""
        states = [monitor.holds(observation) for monitor in self._monitors]  # every monitor needs every observation
        return all(states)
