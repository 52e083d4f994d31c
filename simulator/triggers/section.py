"""Section `triggers` of a session: conditions on its vehicles and objects, and the actions that they start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Either, Field, Group, ListOf, Number, Text, Variants
from simulator.base.values import Values
from simulator.faults.kinds import FAULT_FILE
from simulator.maneuvers.conditions import Conditions, condition_type, conditions
from simulator.triggers.quantities import QUANTITIES, measured

USUAL_ACCELERATION = 2.0
"""m/s2."""
MAX_TRIGGERS = 1000
_VEHICLE = Field("vehicle", Text("a name"), "one of `vehicles`, with the driver `cruise` or a maneuver that keeps speeds along a path")
ACTIONS = {
    "speed": (
        _VEHICLE,
        Field("speed", Number("m/s", 0.0, 90.0), "speed to keep from now on", written="kph"),
        Field("acceleration", Number("m/s2", 0.01, 15.0), "largest acceleration or deceleration to it", USUAL_ACCELERATION),
    ),
    "brake": (_VEHICLE, Field("deceleration", Number("m/s2", 0.01, 15.0), "deceleration, to rest")),
    "lane_change": (
        _VEHICLE,
        Field("offset", Number("m", -100.0, 100.0), "lateral shift of the path, + = left"),
        Field("length", Number("m", 0.001, 10000.0), "length of the shift along the path"),
    ),
    "move": (Field("object", Text("a name"), "object with a `path`, which waits at its first point until then"),),
    "end": (),
    "fault": (
        Field(
            "fault",
            Either((FAULT_FILE.choice(), FAULT_FILE)),
            "fault of a vehicle, as in `faults`; its times count from the trigger",
        ),
        Field("vehicle", Text("a name"), "other vehicle that gets it (default: the first vehicle)", None),
    ),
}
"""Own keys by `type` of an action."""
_ACTION = Variants("type", ACTIONS, tuple(ACTIONS), "kind of action")
_CONDITIONS = condition_type({name: (one.unit, one.keys) for name, one in QUANTITIES.items()}, least=1)
TRIGGERS = Field(
    "triggers",
    ListOf(
        Group(
            (
                Field(
                    "name",
                    Text("a name of letters, digits and underscores", pattern=r"^[A-Za-z][A-Za-z0-9_]*\Z"),
                    "name in events; default: trigger_1, trigger_2, ...",
                    None,
                ),
                Field("if", _CONDITIONS, "condition that starts the actions, once in a drive"),
                Field(
                    "do", Either((ListOf(_ACTION, least=1), _ACTION), "a mapping, or a list of mappings"), "action, or a list of actions"
                ),
            )
        ),
        most=MAX_TRIGGERS,
    ),
    "conditions that start actions of other vehicles and objects, checked in this order 100 times a second",
    (),
)
"""Field of a session file."""


@dataclass(frozen=True)
class Trigger:
    """Trigger of a session.

    Parameters
    ----------
    conditions : one is sufficient
    actions : checked sections of the actions
    named : checked sections with names of vehicles and objects: actions and conditions
    """

    name: str
    conditions: Conditions
    actions: tuple[Values, ...]
    named: tuple[Values, ...]

    @property
    def words(self) -> str:
        """Actions as text, for events."""
        return ", ".join(f"{one['type']} {one.get('vehicle', one.get('object', ''))}".rstrip() for one in self.actions)


def read_triggers(sections: Sequence[Values], written: Sequence[Mapping[str, Any]], file: str) -> tuple[Trigger, ...]:
    """Return the triggers; `written` holds the keys as written in the file. Raises ConfigError: contradicting keys, or a name twice."""
    out: list[Trigger] = []
    with ErrorCollector() as errors:
        for n, (section, keys) in enumerate(zip(sections, written, strict=True)):
            with errors.part():
                name = section.get("name") or f"trigger_{n + 1}"
                if name in [one.name for one in out]:
                    raise ConfigError(file, f"triggers[{n}].name", name, "a name that no other trigger has")
                actions = section["do"] if isinstance(section["do"], tuple) else (section["do"],)
                found = conditions(section["if"], file, f"triggers[{n}].if", keys["if"], measured)
                out.append(Trigger(name, found, actions, (*_single(section["if"]), *actions)))
    return tuple(out)


def _single(given: Any) -> Iterator[Values]:
    """Yield the single conditions of a value of `if`."""
    if isinstance(given, tuple):
        for one in given:
            yield from _single(one)
    elif "all" in given:
        yield from given["all"]
    else:
        yield given
