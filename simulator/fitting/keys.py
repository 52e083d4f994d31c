"""Keys of the files of fits and optimisations that both have: what is driven, and what varies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

Array = NDArray[np.float64]

NAME = Text("a name (letters, digits, . _ -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
FILE_NAME = Text("a name, or the path of a file")
_KEY = Text("a key path, for example vehicle.chassis.mass")

SCALES = ("linear", "log")
AS = ("value", "factor")
DRIVEN = ("session", "maneuver", "vehicle", "terrain", "washout", "platform")
"""Keys that stand for a session's, by name."""
SET = Named(Anything("a value of the key"), "key paths of a session, each with a value")

DRIVEN_FIELDS: Fields = (
    Field("session", FILE_NAME, "session that everything is laid over", None),
    Field("maneuver", FILE_NAME, "maneuver, by name or path", None),
    Field("vehicle", FILE_NAME, "vehicle, instead of that of the maneuver", None),
    Field("terrain", FILE_NAME, "terrain, instead of that of the maneuver", None),
    Field("washout", FILE_NAME, "motion cueing", None),
    Field("platform", FILE_NAME, "motion platform", None),
    Field("set", SET, "values by key path, as `jounce run --set` has them", None),
)

_PARAMETER: Fields = (
    Field("key", Either((_KEY, ListOf(_KEY, least=1)), "a key path, or a list of them"), "what it stands for; of several, all of them"),
    Field("start", Number(), "where the search begins, in the unit of the key"),
    Field("min", Number(), "nothing less"),
    Field("max", Number(), "nothing more"),
    Field("scale", Choice(SCALES), "even steps of the number, or of its logarithm", SCALES[0]),
    Field(
        "as",
        Choice(AS),
        "`value`: the number stands at the key; `factor`: it multiplies what stands there, every number of a list",
        AS[0],
    ),
)
PARAMETERS = Named(Group(_PARAMETER), "names of parameters, each with key, start, min and max", least=1)


@dataclass(frozen=True)
class Parameter:
    """A number that varies."""

    name: str
    keys: tuple[str, ...]
    start: float
    least: float
    most: float
    log: bool = False
    factor: bool = False

    def value(self, u: float) -> float:
        """At a share u of its range."""
        u = min(max(float(u), 0.0), 1.0)
        if self.log:
            return float(self.least * (self.most / self.least) ** u)
        return float(self.least + (self.most - self.least) * u)

    def share(self, value: float) -> float:
        """The other way round, not cut off at the ends of the range."""
        if self.log:
            return math.log(value / self.least) / math.log(self.most / self.least)
        return (value - self.least) / (self.most - self.least)

    def slope(self, u: float) -> float:
        """Change of the value per unit of u."""
        return self.value(u) * math.log(self.most / self.least) if self.log else self.most - self.least

    def settings(self, value: float, base: Configuration) -> list[Override]:
        """What to set for a value, in a configuration whose names have become contents."""
        if not self.factor:
            return changes(dict.fromkeys(self.keys, value))
        return changes({key: _times(base.raw(key), value) for key in self.keys})


@dataclass(frozen=True)
class Said:
    """A value for a key of a session, and where the file says it."""

    value: Any
    where: str


Base = Mapping[str, Said]
"""What is driven in, by key path or name of a session; "session" is what everything is laid over."""


def base_of(said: Mapping[str, Any], where: str = "") -> dict[str, Said]:
    """What a section of a file says of what is driven; `where` is its key path."""
    before = f"{where}." if where else ""
    out = {name: Said(said[name], f"{before}{name}") for name in DRIVEN if said.get(name) is not None}
    return out | {key: Said(value, f"{before}set.{key}") for key, value in (said.get("set") or {}).items()}


def put(base: Base, file: str, one: Configuration) -> None:
    """Lay what a file says over a configuration. Raises ConfigError."""
    for setting in sorted(changes({key: said.value for key, said in base.items()}), key=lambda one: len(one.path)):
        one.set(setting, Origin(file, base[written(setting.path)].where))


def configured(base: Base, file: str) -> Configuration:
    """A configuration of what a file says; names are looked up beside it. Raises ConfigError."""
    session = base.get("session")
    found = None if session is None else str(find_config("sessions", session.value, file, session.where))
    one = configuration(found)
    put({key: said for key, said in base.items() if key != "session"}, file, one)
    return one


def settings_of(parameters: Sequence[Parameter], values: Sequence[float], base: Configuration) -> list[Override]:
    """What to set for values of parameters, of which there may be more behind."""
    return [setting for one, value in zip(parameters, values, strict=False) for setting in one.settings(value, base)]


def changed(base: Configuration, parameters: Sequence[Parameter], values: Sequence[float], file: str, end: str = "start") -> Configuration:
    """A configuration that is like a base, in which all names are contents, but for the values of parameters; not to be built, but a copy.

    `end` is the key of the file that says the values, for messages. Raises ConfigError: a parameter has no place in it.
    """
    pairs = []
    for one, value in zip(parameters, values, strict=True):
        pairs += [(setting, Origin(file, f"parameters.{one.name}.{end}")) for setting in one.settings(value, base)]
    return base.with_changes(pairs)[0]


def check_ends(base: Configuration, parameters: Sequence[Parameter], file: str) -> None:
    """Build what is driven at the start and with each parameter at both ends of its range. Raises ConfigError: all that cannot be built."""
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


def read_parameters(said: Mapping[str, Any], file: str) -> tuple[Parameter, ...]:
    """The parameters of a file that was read by its table. Raises ConfigError: what no single key can tell."""
    out: list[Parameter] = []
    told: dict[str, str] = {}
    with ErrorCollector() as faults:
        for name, one in said.items():
            key = f"parameters.{name}"
            keys = (one["key"],) if isinstance(one["key"], str) else tuple(one["key"])
            for path in keys:
                check_key(path, file, f"{key}.key", faults)
                if path in told:
                    faults.add(ConfigError(file, f"{key}.key", path, f"a key that no other parameter varies, as {told[path]} does"))
                told[path] = name
            parameter = Parameter(name, keys, one["start"], one["min"], one["max"], one["scale"] == "log", one["as"] == "factor")
            _check_range(parameter, file, key, faults)
            out.append(parameter)
    return tuple(out)


def _check_range(one: Parameter, file: str, key: str, faults: ErrorCollector) -> None:
    if one.log and one.least <= 0.0:
        faults.add(ConfigError(file, f"{key}.min", one.least, "more than 0, where the scale is log"))
    if one.most <= one.least:
        faults.add(ConfigError(file, f"{key}.max", one.most, f"more than min, {one.least:g}"))
    elif not one.least <= one.start <= one.most:
        faults.add(ConfigError(file, f"{key}.start", one.start, f"from min to max, {one.least:g} to {one.most:g}"))


def check_key(key: str, file: str, where: str, faults: ErrorCollector) -> None:
    """A key path begins with a key of a session; what is below shows where it is set."""
    path, known = parse(key), [spelled for field in SESSION for spelled in field.spellings]
    if written(path) != key or not path:
        faults.add(ConfigError(file, where, key, "a key path, for example vehicle.chassis.mass or vehicle.gears[0]"))
    elif path[0] not in known:
        faults.add(ConfigError(file, where, key, no_such_key(path[0], [field.usual for field in SESSION], known)))


def check_keys(said: Mapping[str, Any] | None, file: str, where: str, faults: ErrorCollector) -> None:
    """The same of all keys of a mapping."""
    for key in said or ():
        check_key(key, file, f"{where}.{key}", faults)


def _times(value: Any, factor: float) -> Any:
    """A number, or every number of a list, times a factor."""
    return [_times(one, factor) for one in value] if isinstance(value, list) else value * factor


def _is_numbers(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_numbers, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_place(one: Parameter, base: Configuration, file: str, faults: ErrorCollector) -> None:
    """There is something where a parameter is to go to: numbers for a factor, a section around a value."""
    for key in one.keys:
        path = parse(key)
        if one.factor and not _is_numbers(base.raw(key)):
            expected = "a key with a number or a list of numbers, which a factor multiplies"
            faults.add(ConfigError(file, f"parameters.{one.name}.key", f"{key}: {base.raw(key)!r}", expected))
        section = base.raw(written(path[:-2])) if len(path) > 2 else None
        if isinstance(section, dict) and section.get(path[-2]) is None and path[0] in ("vehicle", "maneuver"):
            expected = no_such_key(path[-2], list(section), list(section))
            faults.add(ConfigError(file, f"parameters.{one.name}.key", key, expected))


def named(values: Sequence[float], parameters: Sequence[Parameter]) -> dict[str, float]:
    """Values by the names of their parameters."""
    return {one.name: float(value) for one, value in zip(parameters, values, strict=True)}
