"""Strict reading of mappings that came out of a file; every complaint is a ConfigError with the path of the key."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.records import Record, Table, from_mapping, join

WHOLE = ("seed", "count")
"""Fields that take no fractions."""

Ranges = Mapping[str, tuple[float, float]]


def known_keys(mapping: Any, known: Collection[str], file: object, key: str = "") -> Mapping[str, Any]:
    """`mapping` itself if it is one and has no other keys than `known`."""
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, key, mapping, "a mapping with keys out of " + ", ".join(known))
    for name in mapping:
        if name not in known:
            raise ConfigError(file, join(key, str(name)), mapping[name], "no such key; known here: " + ", ".join(sorted(known)))
    return mapping


def choice(mapping: Any, name: str, choices: Collection[str], file: object, key: str = "", default: str | None = None) -> str:
    """One of the words `choices` under `name`."""
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, key, mapping, f"a mapping with the key {name}")
    value = mapping.get(name, default)
    if not isinstance(value, str) or value not in choices:
        raise ConfigError(file, join(key, name), value, "one of " + ", ".join(choices))
    return value


def word(mapping: Mapping[str, Any], name: str, file: object, key: str, what: str) -> str:
    """A non-empty text under `name`."""
    value = mapping.get(name)
    if not isinstance(value, str) or not value:
        raise ConfigError(file, join(key, name), value, what)
    return value


def items(mapping: Mapping[str, Any], name: str, file: object, key: str = "") -> list[Any]:
    """The list under `name`, empty when there is none."""
    value = mapping.get(name, [])
    if not isinstance(value, list):
        raise ConfigError(file, join(key, name), value, "a list")
    return value


def ranged(table: Table, ranges: Ranges, mapping: Any, file: object, key: str = "", defaults: Mapping[str, Any] | None = None) -> Record:
    """`from_mapping`, with every number of the fields named in `ranges` inside its closed range."""
    values = from_mapping(table, mapping, file, key, defaults)
    for row in table:
        if row[0] in WHOLE and not (np.asarray(mapping.get(row[0], 0.0), float) % 1.0 == 0.0).all():
            raise ConfigError(file, join(key, row[0]), mapping[row[0]], f"whole numbers: {row[3]}")
        low, high = ranges.get(row[0], (-1e9, 1e9))
        if not ((values[0][row[0]] >= low) & (values[0][row[0]] <= high)).all():
            raise ConfigError(file, join(key, row[0]), values[0][row[0]].tolist(), f"from {low:g} to {high:g} {row[2]} ({row[3]})")
    return values
