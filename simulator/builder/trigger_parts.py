"""Triggers of a session for its vehicles and objects: check of the names, and objects that wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.suggestions import did_you_mean, listed
from simulator.base.values import Values
from simulator.builder.other_vehicles import OtherParts
from simulator.configuration.configuration import Configuration
from simulator.driver.seen_vehicle import FIRST
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.triggers.section import Trigger
from terrain.ground import Ground
from terrain.objects.paths import Path
from terrain.objects.waiting_path import with_waiting

ENCOUNTER = "encounter"
"""Analysis that needs the columns of an encounter (`simulator.triggers.encounter`)."""


@dataclass(frozen=True)
class TriggerParts:
    """Triggers and encounters, for any number of sessions."""

    triggers: tuple[Trigger, ...] = ()
    encounters: tuple[str, ...] = ()
    """Names of vehicles and objects."""
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """x, y [m] and yaw [rad] of the start of the terrain."""

    @property
    def faults(self) -> list[tuple[str, Values]]:
        """(name of its trigger, section) of each fault."""
        return [(one.name, action) for one in self.triggers for action in one.actions if action["type"] == "fault"]


NO_TRIGGERS = TriggerParts()


def trigger_parts(
    configuration: Configuration,
    triggers: tuple[Trigger, ...],
    others: Sequence[OtherParts],
    maneuver: Maneuver | None,
    ground: Ground,
    start: tuple[float, float, float],
) -> TriggerParts:
    """Return the triggers and encounters of a session. Raises ConfigError: a name that no vehicle or object has, or one that cannot act.

    ground : with the objects and other vehicles; start : that of the terrain
    """
    vehicles = {one.options.name: one for one in others}
    parts = {part.name for part in ground.objects.objects} if triggers or maneuver is not None else set()
    own = [name for name in parts if name.split(" ")[0] not in vehicles]
    known = [FIRST, *vehicles, *sorted(own)]
    with ErrorCollector() as errors:
        with errors.part(), configuration.origins.relative_to(), ErrorCollector() as own_errors:
            for trigger in triggers:
                for section in trigger.named:
                    with own_errors.part():
                        _check(section, known, vehicles, ground)
        with errors.part(), configuration.origins.relative_to(("maneuver",)):
            encounters = _encounters(maneuver, [one for one in known if one != FIRST])
    return TriggerParts(triggers, encounters, start)


def _encounters(maneuver: Maneuver | None, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the encounters that a maneuver evaluates. Raises ConfigError: a name that is not known."""
    requests = () if maneuver is None else maneuver.requested_analyses
    names = {n: str(one.values["with"]) for n, one in enumerate(requests) if one.analysis.name == ENCOUNTER}
    for n, name in names.items():
        if name not in known:
            raise ConfigError("maneuver", f"metrics[{n}].with", name, _expected(name, known))
    return tuple(dict.fromkeys(names.values()))


def _expected(name: str, known: Sequence[str]) -> str:
    return f"a vehicle or object of the session: {listed(known) or 'there is none'}{did_you_mean(name, known)}"


def _check(section: Values, known: Sequence[str], vehicles: dict[str, OtherParts], ground: Ground) -> None:
    """Check the names of a condition or an action. Raises ConfigError."""
    for key in ("of", "to"):
        if isinstance(section.get(key), str) and section[key] not in known:
            raise section.error(key, _expected(section[key], known))
    if isinstance(section.get("to"), str) and section["to"] == section["of"]:
        raise section.error("to", f"another vehicle or object than {section['of']}")
    if section.get("type") == "fault" and section.get("vehicle") is not None and section["vehicle"] not in vehicles:
        raise section.error(
            "vehicle",
            f"a vehicle of `vehicles`: {listed(list(vehicles)) or 'there is none'}{did_you_mean(section['vehicle'], list(vehicles))}",
        )
    if section.get("type") != "fault" and "vehicle" in section:
        able = [name for name, one in vehicles.items() if one.takes_actions]
        if section["vehicle"] not in able:
            expected = f"a vehicle of `vehicles` that takes actions, by the driver `cruise` or a maneuver with `speed`: {listed(able) or 'none does'}"
            raise section.error("vehicle", expected + did_you_mean(section["vehicle"], able))
    if "object" in section:
        movers = [one.name for one in ground.objects.objects if isinstance(one.motion, Path)]
        if section["object"] not in movers:
            expected = f"an object with a path: {listed(movers) or 'there is none'}"
            raise section.error("object", expected + did_you_mean(section["object"], movers))
    if isinstance(section.get("fault"), Values) and "phase" in section["fault"]:
        raise section["fault"].error("phase", "no phase; the trigger begins the fault")


def with_waiting_objects(ground: Ground, triggers: Sequence[Trigger]) -> Ground:
    """Return the ground on which the objects that triggers move wait at the begin of their paths."""
    names = {action["object"] for one in triggers for action in one.actions if action["type"] == "move"}
    return replace(ground, objects=with_waiting(ground.objects, names)) if names else ground
