"""Complaints about numbers that were read and contradict each other: under the key, and in the unit, that the file has for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.records import join
from simulator.base.units import SUFFIXES, shown_unit, split_unit, tidy


class Written:
    """A mapping as a file has it.

    >>> written = Written({"speed": [{"at_ms": 9000.0}]}, "m.yaml")
    >>> print(written.wrong(("speed", 0, "at"), "s", 9.0, "at most {}", 5.0))
    m.yaml: speed[0].at_ms: got 9000.0, expected at most 5000 ms
    """

    def __init__(self, mapping: Any, file: object) -> None:
        self.mapping, self.file = mapping, file

    def wrong(self, path: tuple[str | int, ...], unit: str, value: Any, expected: str, *amounts: float) -> ConfigError:
        """What to raise.

        Parameters
        ----------
        path : names without units, and places in lists
        unit : SI unit of the value, of which there may be a list, and of the amounts
        expected : in words, with {} for each of the amounts
        """
        key, factor = self._find(path, unit)
        suffix = shown_unit(unit, factor)
        amounts_there = (f"{tidy(amount / factor):g} {suffix}" for amount in amounts)
        value_there = [tidy(one / factor) for one in value] if isinstance(value, list | tuple) else tidy(value / factor)
        return ConfigError(self.file, key, value_there, expected.format(*amounts_there))

    def _find(self, path: tuple[str | int, ...], unit: str) -> tuple[str, float]:
        """Key path as it is written, and the factor to SI of the last of its keys that has a unit."""
        inside, key, factor = self.mapping, "", 1.0
        for name in path:
            if isinstance(name, int):
                key, inside = f"{key}[{name}]", inside[name]
                continue
            spelled = next((other for other in _keys(inside) if split_unit(other, {name: unit})[0] == name), name)
            factor = split_unit(spelled, {name: unit})[1]
            key, inside = join(key, spelled), inside.get(spelled) if isinstance(inside, Mapping) else None
        return key, factor


def _keys(mapping: Any) -> list[str]:
    return [str(key) for key in mapping] if isinstance(mapping, Mapping) else []


def units_used(mapping: Any) -> dict[str, str]:
    """Suffix with which a file writes each SI unit: the one that most of its keys have, of equals the SI unit's own."""
    counts: Counter[str] = Counter(_suffixes(mapping))
    used = {}
    for unit, suffixes in SUFFIXES.items():
        # cycles per time are written of what swings: nobody wants to read how fast a vehicle turns in them
        best = max((suffix for suffix in suffixes if suffix != "Hz"), key=lambda suffix: counts[suffix])
        if counts[best]:
            used[unit] = best
    return used


def _suffixes(value: Any) -> Iterator[str]:
    """What stands behind the last underscore of every key."""
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield str(key).rpartition("_")[2]
            yield from _suffixes(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from _suffixes(inside)
