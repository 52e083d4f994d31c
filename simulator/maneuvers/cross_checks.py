"""Errors for numbers of a file that contradict each other, with the key and the unit of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.records import join
from simulator.base.units import SUFFIXES, shown_unit, split_unit, tidy


class Written:
    """Mapping with the keys and units of the file.

    >>> written = Written({"speed": [{"at_ms": 9000.0}]}, "m.yaml")
    >>> print(written.wrong(("speed", 0, "at"), "s", 9.0, "at most {}", 5.0))
    m.yaml: speed[0].at_ms: invalid value; expected at most 5000 ms; got 9000.0
    """

    def __init__(self, mapping: Any, file: object) -> None:
        self.mapping, self.file = mapping, file

    def wrong(self, path: tuple[str | int, ...], unit: str, value: Any, expected: str, *amounts: float) -> ConfigError:
        """Return the ConfigError for a wrong value.

        Parameters
        ----------
        path : key names without units, and indices in lists
        unit : SI unit of the value (or list of values) and of the amounts
        expected : text of the expectation, with {} for each of the amounts
        """
        key, factor = self._find(path, unit)
        suffix = shown_unit(unit, factor)
        shown_amounts = (f"{tidy(amount / factor):g} {suffix}" for amount in amounts)
        shown_value = [tidy(item / factor) for item in value] if isinstance(value, list | tuple) else tidy(value / factor)
        return ConfigError(self.file, key, shown_value, expected.format(*shown_amounts))

    def _find(self, path: tuple[str | int, ...], unit: str) -> tuple[str, float]:
        """Return the key path as written in the file and the factor to SI of its last key with a unit."""
        inner, key, factor = self.mapping, "", 1.0
        for name in path:
            if isinstance(name, int):
                key, inner = f"{key}[{name}]", inner[name]
                continue
            key_in_file = next((other for other in _keys(inner) if split_unit(other, {name: unit})[0] == name), name)
            factor = split_unit(key_in_file, {name: unit})[1]
            key, inner = join(key, key_in_file), inner.get(key_in_file) if isinstance(inner, Mapping) else None
        return key, factor


def _keys(mapping: Any) -> list[str]:
    return [str(key) for key in mapping] if isinstance(mapping, Mapping) else []


def units_used(mapping: Any) -> dict[str, str]:
    """Return the suffix that a file uses most often for each SI unit; at a tie, the SI unit itself."""
    counts: Counter[str] = Counter(_suffixes(mapping))
    used = {}
    for unit, suffixes in SUFFIXES.items():
        # Hz is a unit of oscillations and is not used to show the turning rate of a vehicle
        best = max((suffix for suffix in suffixes if suffix != "Hz"), key=lambda suffix: counts[suffix])
        if counts[best]:
            used[unit] = best
    return used


def _suffixes(value: Any) -> Iterator[str]:
    """Yield the text after the last underscore of every key."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key).rpartition("_")[2]
            yield from _suffixes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _suffixes(inner)
