"""Parameters of a maneuver: names for numbers and words that a file uses in several places.

A number in the file may be replaced by `$name` or by a product of two factors: `1.5 * $name`, `$a * $b`, with an optional minus before each
factor. A word may be replaced by `$name` alone. The title may contain any number of `$name`. Functions and brackets are not supported.

The name of a parameter includes its unit (`$speed_kph`); its value is the number in that unit. A key that uses the parameter must
have the same unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from simulator.base.errors import MAX_PROBLEM, ConfigError, ErrorCollector, raise_all
from simulator.base.fields import Either, Group, Named, Number, Text
from simulator.base.records import join
from simulator.base.suggestions import did_you_mean, listed
from simulator.base.units import is_suffix

KEY = "parameters"
PARAMETERS = Named(Either((Number(), Text()), "a number or a word"), "names, each with a number or a word")

_NAME = r"[A-Za-z][A-Za-z0-9_]*"
_FACTOR = rf"-?\s*(?:\${_NAME}|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)"
REFERENCE = rf"^\s*{_FACTOR}(?:\s*\*\s*{_FACTOR})?\s*$"
"""Pattern of a text that may replace a number; it contains at least one `$`."""


class WithParameters(Group):
    """Keys of a file in which parameters may replace numbers and words."""


_INHERIT_UNIT = ("min", "max", "value", "to", "from")
"""Keys without a unit suffix; their numbers have the unit of the parent key."""


def resolved(mapping: Mapping[str, Any], file: object) -> dict[str, Any]:
    """Return the mapping of a maneuver with all parameters replaced by their values. Raises ConfigError."""
    given = mapping.get(KEY)
    parameters: Mapping[str, Any] = {}
    if given is not None:
        PARAMETERS.read(given, file, KEY)
        parameters = given
    with ErrorCollector() as faults:
        out = {
            key: value if key == KEY else _resolved(value, parameters, file, str(key), _suffix(key), faults)
            for key, value in mapping.items()
        }
    if isinstance(out.get("title"), str):
        out["title"] = _in_words(out["title"], parameters)
    return out


def unknown_parameter(name: object, known: Iterable[str], maneuver: str) -> str:
    """Return the expectation for a parameter that a maneuver does not have, with the nearest one as a hint."""
    known = tuple(known)
    return f"a parameter of {maneuver}: {listed(known) or 'it has none'}{did_you_mean(name, known)}"


def is_used(name: str, content: Any) -> bool:
    """Return whether a value in the content of a maneuver contains a parameter."""
    if isinstance(content, str):
        return name in re.findall(rf"\$({_NAME})", content)
    inside = content.values() if isinstance(content, Mapping) else content if isinstance(content, list | tuple) else ()
    return any(is_used(name, one) for one in inside)


@contextmanager
def named_in_errors(mapping: Mapping[str, Any]) -> Iterator[None]:
    """Give errors within the block, about the mapping of a maneuver, the parameters that determine the value."""
    try:
        yield
    except ConfigError as error:
        errors = [_with_parameters(one, mapping) for one in error.errors]
    else:
        return
    raise_all(errors)


def _with_parameters(error: ConfigError, mapping: Mapping[str, Any]) -> ConfigError:
    """Return an error with the parameters that its value in a mapping contains."""
    text: Any = mapping
    for index, name in re.findall(r"\[(\d+)\]|([^.\[\]]+)", error.key):
        inside = (isinstance(text, list) and index and int(index) < len(text)) or (isinstance(text, Mapping) and name in text)
        text = text[int(index) if index else name] if inside else None
    names = re.findall(rf"\$({_NAME})", text) if isinstance(text, str) else []
    if not names:
        return error
    is_plain = text.strip() == f"${names[0]}" or text == error.value or error.expected.endswith(")")
    product = "" if is_plain else f" for {text}"
    return type(error)(error.file, error.key, error.value, error.expected + product, [f"{KEY}.{name}" for name in names])


def _resolved(value: Any, parameters: Mapping[str, Any], file: object, path: str, suffix: str, faults: ErrorCollector) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _resolved(inner, parameters, file, join(path, str(key)), _suffix(key) or suffix * (key in _INHERIT_UNIT), faults)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_resolved(inner, parameters, file, f"{path}[{n}]", suffix, faults) for n, inner in enumerate(value)]
    if isinstance(value, str) and "$" in value and path != "title":
        with faults.part():
            return _number(value, parameters, file, path, suffix)
    return value


def _number(text: str, parameters: Mapping[str, Any], file: object, path: str, suffix: str) -> Any:
    """Return the value of a text that contains parameters."""
    if re.match(REFERENCE, text) is None:
        raise ConfigError(file, path, text, "$name, or a product of two such as 1.5 * $name")
    factors = [factor.replace(" ", "") for factor in text.split("*")]
    names = [factor.lstrip("-")[1:] for factor in factors if "$" in factor]
    for name in names:
        if name not in parameters:
            known = ", ".join(f"${one}" for one in parameters) or "none defined"
            raise ConfigError(file, path, text, f"a parameter of the file ({known}){did_you_mean(name, parameters)}")
        unit = _suffix(name)
        if suffix and unit and unit.lower() != suffix.lower():
            raise ConfigError(file, path, text, f"a parameter in the unit of the key, _{suffix} instead of _{unit}")
    if len(factors) == 1 and isinstance(parameters[names[0]], str) and not text.strip().startswith("-"):
        return parameters[names[0]]
    out = 1.0
    for factor in factors:
        name = factor.lstrip("-")
        value = parameters[name[1:]] if name.startswith("$") else float(name)
        if isinstance(value, str):
            raise ConfigError(file, path, text, f"a parameter with a number as value; {name} is {value[:MAX_PROBLEM]!r}")
        out *= -value if factor.startswith("-") else value
    return int(out) if out.is_integer() and all(isinstance(parameters[name], int) for name in names) else out


def _in_words(text: str, parameters: Mapping[str, Any]) -> str:
    """Return a text with the parameters replaced by their values."""

    def value(match: re.Match[str]) -> str:
        known = parameters.get(match[1], match[0])
        return known if isinstance(known, str) else f"{known:g}"

    return re.sub(rf"\$({_NAME})", value, text)


def _suffix(key: Any) -> str:
    """Return the unit suffix of a key, empty if there is none."""
    suffix = str(key).rpartition("_")[2] if "_" in str(key) else ""
    return suffix if is_suffix(suffix) else ""
