"""Keys common to the files of fits and optimizations: simulated drives and varied parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Anything, Choice, Either, Field, Fields, Group, ListOf, Named, Number, Text
from simulator.base.suggestions import no_such_key
from simulator.builder.builder import build
from simulator.configuration.configuration import Configuration, configuration
from simulator.configuration.file_lookup import find_config
from simulator.configuration.key_path import parse, written
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override, changes
from simulator.configuration.session_file import FILE as SESSION

NAME = Text("a name (letters, digits, . _ -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
FILE_NAME = Text("a name, or the path of a file")
_KEY = Text("a key path, for example vehicle.chassis.mass")

SCALES = ("linear", "log")
AS = ("value", "factor")
DRIVEN = ("session", "maneuver", "vehicle", "terrain", "washout", "platform")
"""Keys of the file that are keys of a session, by name."""
SET = Named(Anything("a value of the key"), "key paths of a session, each with a value")

DRIVEN_FIELDS: Fields = (
    Field("session", FILE_NAME, "session file to which all values are applied", None),
    Field("maneuver", FILE_NAME, "maneuver, by name or path", None),
    Field("vehicle", FILE_NAME, "vehicle, instead of the vehicle of the maneuver", None),
    Field("terrain", FILE_NAME, "terrain, instead of the terrain of the maneuver", None),
    Field("washout", FILE_NAME, "motion cueing", None),
    Field("platform", FILE_NAME, "motion platform", None),
    Field("set", SET, "values by key path, as for `jounce run --set`", None),
)

_PARAMETER: Fields = (
    Field("key", Either((_KEY, ListOf(_KEY, least=1)), "a key path, or a list of them"), "key path that the parameter sets, or several"),
    Field("start", Number(), "start of the search, in the unit of the key"),
    Field("min", Number(), "lower bound"),
    Field("max", Number(), "upper bound"),
    Field("scale", Choice(SCALES), "scale of the search: linear or logarithmic", SCALES[0]),
    Field(
        "as",
        Choice(AS),
        "use of the number. `value`: it replaces the value at the key; `factor`: it multiplies this value, or all numbers of a list",
        AS[0],
    ),
)
PARAMETERS = Named(Group(_PARAMETER), "names of parameters, each with key, start, min and max", least=1)


@dataclass(frozen=True)
class Parameter:
    """A varied number."""

    name: str
    keys: tuple[str, ...]
    start: float
    least: float
    most: float
    log: bool = False
    factor: bool = False

    def value(self, u: float) -> float:
        """Return the value at the normalized position u in its range."""
        u = min(max(float(u), 0.0), 1.0)
        if self.log:
            return float(self.least * (self.most / self.least) ** u)
        return float(self.least + (self.most - self.least) * u)

    def share(self, value: float) -> float:
        """Return the normalized position u of a value, not limited to the range."""
        if self.log:
            return math.log(value / self.least) / math.log(self.most / self.least)
        return (value - self.least) / (self.most - self.least)

    def slope(self, u: float) -> float:
        """Return the change of the value per unit of u."""
        return self.value(u) * math.log(self.most / self.least) if self.log else self.most - self.least

    def settings(self, value: float, base: Configuration) -> list[Override]:
        """Return the overrides for a value, in a configuration whose names were replaced by contents."""
        if not self.factor:
            return changes(dict.fromkeys(self.keys, value))
        return changes({key: _times(base.raw(key), value) for key in self.keys})


@dataclass(frozen=True)
class GivenValue:
    """A value for a key of a session, with its key path in the file."""

    value: Any
    where: str


Base = Mapping[str, GivenValue]
"""Session values of a drive, by key path or name; "session" names the session file they are applied to."""


def base_of(given: Mapping[str, Any], where: str = "") -> dict[str, GivenValue]:
    """Return the session values in a section of a file; `where` is the key path of the section."""
    before = f"{where}." if where else ""
    out = {name: GivenValue(given[name], f"{before}{name}") for name in DRIVEN if given.get(name) is not None}
    return out | {key: GivenValue(value, f"{before}set.{key}") for key, value in (given.get("set") or {}).items()}


def put(base: Base, file: str, one: Configuration) -> None:
    """Apply session values of a file to a configuration. Raises ConfigError."""
    for setting in sorted(changes({key: given.value for key, given in base.items()}), key=lambda one: len(one.path)):
        one.set(setting, Origin(file, base[written(setting.path)].where))


def configured(base: Base, file: str) -> Configuration:
    """Return the configuration with the session values of a file. Names are looked up relative to the file. Raises ConfigError."""
    session = base.get("session")
    found = None if session is None else str(find_config("sessions", session.value, file, session.where))
    one = configuration(found)
    put({key: given for key, given in base.items() if key != "session"}, file, one)
    return one


def settings_of(parameters: Sequence[Parameter], values: Sequence[float], base: Configuration) -> list[Override]:
    """Return the overrides for parameter values. Further values are ignored."""
    return [setting for one, value in zip(parameters, values, strict=False) for setting in one.settings(value, base)]


def changed(base: Configuration, parameters: Sequence[Parameter], values: Sequence[float], file: str, end: str = "start") -> Configuration:
    """Return a copy of a base configuration, with all names as contents, and with values of parameters. Build only a copy of it.

    `end` is the key in the file that contains the values, for messages. Raises ConfigError: a parameter cannot be set.
    """
    pairs = []
    for one, value in zip(parameters, values, strict=True):
        pairs += [(setting, Origin(file, f"parameters.{one.name}.{end}")) for setting in one.settings(value, base)]
    return base.with_changes(pairs)[0]


def check_ends(base: Configuration, parameters: Sequence[Parameter], file: str) -> None:
    """Build the configuration at the start, and with each parameter at both ends of its range. Raises ConfigError: with all failures."""
    values = [one.start for one in parameters]
    with ErrorCollector() as faults:
        for parameter in parameters:
            _check_place(parameter, base, file, faults)
        if faults.errors:
            return
        with faults.part():
            build(changed(base, parameters, values, file).copy())
        if faults.errors:
            return
        for n, one in enumerate(parameters):
            for end, value in (("min", one.least), ("max", one.most)):
                with faults.part():
                    at_end = [*values[:n], value, *values[n + 1 :]]
                    build(changed(base, parameters, at_end, file, end).copy())


def read_parameters(given: Mapping[str, Any], file: str) -> tuple[Parameter, ...]:
    """Return the parameters of a file. Raises ConfigError: for rules that concern several keys."""
    out: list[Parameter] = []
    owners: dict[str, str] = {}
    with ErrorCollector() as faults:
        for name, one in given.items():
            key = f"parameters.{name}"
            keys = (one["key"],) if isinstance(one["key"], str) else tuple(one["key"])
            for path in keys:
                check_key(path, file, f"{key}.key", faults)
                if path in owners:
                    faults.add(ConfigError(file, f"{key}.key", path, f"a key of one parameter only ({owners[path]} varies it, too)"))
                owners[path] = name
            parameter = Parameter(name, keys, one["start"], one["min"], one["max"], one["scale"] == "log", one["as"] == "factor")
            _check_range(parameter, file, key, faults)
            out.append(parameter)
    return tuple(out)


def _check_range(one: Parameter, file: str, key: str, faults: ErrorCollector) -> None:
    if one.log and one.least <= 0.0:
        faults.add(ConfigError(file, f"{key}.min", one.least, "a number above 0 (scale: log)"))
    if one.most <= one.least:
        faults.add(ConfigError(file, f"{key}.max", one.most, f"a number above `min`, {one.least:g}"))
    elif not one.least <= one.start <= one.most:
        faults.add(ConfigError(file, f"{key}.start", one.start, f"a number from `min` to `max`, {one.least:g} to {one.most:g}"))


def check_key(key: str, file: str, where: str, faults: ErrorCollector) -> None:
    """Check that a key path starts with a key of a session. The rest is checked when the key is set."""
    path, known = parse(key), [spelled for field in SESSION for spelled in field.spellings]
    if written(path) != key or not path:
        faults.add(ConfigError(file, where, key, "a key path, for example vehicle.chassis.mass or vehicle.gears[0]"))
    elif path[0] not in known:
        faults.add(ConfigError(file, where, key, no_such_key(path[0], [field.usual for field in SESSION], known)))


def check_keys(given: Mapping[str, Any] | None, file: str, where: str, faults: ErrorCollector) -> None:
    """Check all keys of a mapping."""
    for key in given or ():
        check_key(key, file, f"{where}.{key}", faults)


def _times(value: Any, factor: float) -> Any:
    """Return a number, or every number of a list, multiplied by a factor."""
    return [_times(one, factor) for one in value] if isinstance(value, list) else value * factor


def _is_numbers(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_numbers, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_place(one: Parameter, base: Configuration, file: str, faults: ErrorCollector) -> None:
    """Check that a parameter can be set: the key has numbers for a factor, or an existing section for a value."""
    for key in one.keys:
        path = parse(key)
        if one.factor and not _is_numbers(base.raw(key)):
            expected = "a key with a number or a list of numbers for a factor"
            faults.add(ConfigError(file, f"parameters.{one.name}.key", f"{key}: {base.raw(key)!r}", expected))
        section = base.raw(written(path[:-2])) if len(path) > 2 else None
        if isinstance(section, dict) and section.get(path[-2]) is None and path[0] in ("vehicle", "maneuver"):
            expected = no_such_key(path[-2], list(section), list(section))
            faults.add(ConfigError(file, f"parameters.{one.name}.key", key, expected))


def named(values: Sequence[float], parameters: Sequence[Parameter]) -> dict[str, float]:
    """Return the values by the names of their parameters."""
    return {one.name: float(value) for one, value in zip(parameters, values, strict=True)}
