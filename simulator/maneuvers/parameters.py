"""Parameters of a maneuver: names for numbers and words that stand in its file once and are used in many places.

Where a number stands in the file, there may stand `$name`, or a product of two: `1.5 * $name`, `$a * $b`, with a minus before either. Where a
word stands, `$name` alone. In the title every `$name` is put in. There is nothing else: no functions, no brackets.

A parameter is called as it is written, with its unit behind it (`$speed_kph`), and stands for the number before the unit: the key that it is
used behind has the same unit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Either, Group, Named, Number, Text
from simulator.base.records import join
from simulator.base.suggestions import did_you_mean
from simulator.base.units import is_suffix

KEY = "parameters"
PARAMETERS = Named(Either((Number(), Text()), "a number or a word"), "names, each with a number or a word")

_NAME = r"[A-Za-z][A-Za-z0-9_]*"
_FACTOR = rf"-?\s*(?:\${_NAME}|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)"
REFERENCE = rf"^\s*{_FACTOR}(?:\s*\*\s*{_FACTOR})?\s*$"
"""What may stand for a number; it has at least one `$`."""


class WithParameters(Group):
    """The keys of a file in which parameters may stand for numbers and words."""


_PASSED_ON = ("min", "max", "value", "to", "from")
"""Keys without a unit of their own, whose numbers are in that of the key above."""


def resolved(mapping: Mapping[str, Any], file: object) -> dict[str, Any]:
    """A maneuver's mapping with numbers and words in the place of parameters. Raises ConfigError."""
    said = mapping.get(KEY)
    parameters: Mapping[str, Any] = {}
    if said is not None:
        PARAMETERS.read(said, file, KEY)
        parameters = said
    with ErrorCollector() as faults:
        out = {
            key: value if key == KEY else _resolved(value, parameters, file, str(key), _suffix(key), faults)
            for key, value in mapping.items()
        }
    if isinstance(out.get("title"), str):
        out["title"] = _in_words(out["title"], parameters)
    return out


def _resolved(value: Any, parameters: Mapping[str, Any], file: object, path: str, suffix: str, faults: ErrorCollector) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _resolved(inside, parameters, file, join(path, str(key)), _suffix(key) or suffix * (key in _PASSED_ON), faults)
            for key, inside in value.items()
        }
    if isinstance(value, list):
        return [_resolved(inside, parameters, file, f"{path}[{n}]", suffix, faults) for n, inside in enumerate(value)]
    if isinstance(value, str) and "$" in value and path != "title":
        with faults.part():
            return _number(value, parameters, file, path, suffix)
    return value


def _number(text: str, parameters: Mapping[str, Any], file: object, path: str, suffix: str) -> Any:
    """What a text with parameters in it stands for."""
    if re.match(REFERENCE, text) is None:
        raise ConfigError(file, path, text, "$name, or a product of two such as 1.5 * $name")
    factors = [factor.replace(" ", "") for factor in text.split("*")]
    names = [factor.lstrip("-")[1:] for factor in factors if "$" in factor]
    for name in names:
        if name not in parameters:
            known = ", ".join(f"${one}" for one in parameters) or "the file has none"
            raise ConfigError(file, path, text, f"a parameter of the file: {known}{did_you_mean(name, parameters)}")
        own = _suffix(name)
        if suffix and own and own.lower() != suffix.lower():
            raise ConfigError(file, path, text, f"a parameter in the unit of the key, _{suffix}, not _{own}")
    if len(factors) == 1 and isinstance(parameters[names[0]], str) and not text.strip().startswith("-"):
        return parameters[names[0]]
    out = 1.0
    for factor in factors:
        name = factor.lstrip("-")
        value = parameters[name[1:]] if name.startswith("$") else float(name)
        if isinstance(value, str):
            raise ConfigError(file, path, text, f"a number: {name} is {value!r}")
        out *= -value if factor.startswith("-") else value
    return int(out) if out.is_integer() and all(isinstance(parameters[name], int) for name in names) else out


def _in_words(text: str, parameters: Mapping[str, Any]) -> str:
    """A text for people with the values of the parameters that it names."""

    def value(found: re.Match[str]) -> str:
        known = parameters.get(found[1], found[0])
        return known if isinstance(known, str) else f"{known:g}"

    return re.sub(rf"\$({_NAME})", value, text)


def _suffix(key: Any) -> str:
    """Unit behind a key, empty when it has none."""
    suffix = str(key).rpartition("_")[2] if "_" in str(key) else ""
    return suffix if is_suffix(suffix) else ""
