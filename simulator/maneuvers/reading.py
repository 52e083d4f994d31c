"""Strict reading of a mapping into msgspec structs, with units in the keys.

A field with a unit (`Meta(extra={"unit": "m/s"})`) may be written bare, then in SI, or with a unit behind it: `speed: 13.9`,
`speed_mps: 13.9`, `speed_kph: 50`. Everything else is as msgspec has it in strict mode: no unknown keys, no text for numbers.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec.inspect as mi

from simulator.base.errors import ConfigError
from simulator.base.records import join
from simulator.base.words import did_you_mean, no_such_key

T = TypeVar("T")

SUFFIXES: dict[str, dict[str, float]] = {
    # SI unit: {suffix of the key: factor to SI}; the first suffix names the SI unit itself
    "m": {"m": 1.0, "km": 1000.0},
    "s": {"s": 1.0, "ms": 0.001},
    "m/s": {"mps": 1.0, "kph": 1.0 / 3.6},
    "m/s2": {"mps2": 1.0},
    "rad": {"rad": 1.0, "deg": math.pi / 180.0},
    "rad/s": {"radps": 1.0, "degps": math.pi / 180.0},
    "N": {"N": 1.0, "kN": 1000.0},
}


def read_struct(kind: type[T], mapping: Any, file: object, key: str = "") -> T:
    """`mapping` as a struct of type `kind`.

    Raises
    ------
    ConfigError : unknown, missing or doubled key, wrong type, number out of range or not finite
    """
    info = mi.type_info(kind)
    assert isinstance(info, mi.StructType)
    fields = {field.name: field for field in info.fields}
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, key, mapping, f"a mapping with keys out of: {', '.join(_known(fields))}")
    values: dict[str, Any] = {}
    for written, value in mapping.items():
        path = join(key, written if isinstance(written, str) and written.isprintable() else repr(written))
        name, factor = split_unit(str(written), {name: _unit(field.type) for name, field in fields.items()})
        if not isinstance(written, str) or name is None:
            raise ConfigError(file, path, value, no_such_key(written, _known(fields), _spellings(fields)))
        if name in values:
            raise ConfigError(file, path, value, f"{name} once, not in two units")
        values[name] = _read(fields[name].type, value, factor, file, path)
    for name, field in fields.items():
        if field.required and name not in values:
            raise ConfigError(file, join(key, _preferred(name, field.type)), "nothing", _words(field.type, 1.0))
    return kind(**values)


def split_unit(written: str, units: Mapping[str, str]) -> tuple[str | None, float]:
    """(name, factor to SI) of a key as written, out of the known names with their SI units; (None, 1) when it is none of them."""
    if written in units:
        return written, 1.0
    name, _, suffix = written.rpartition("_")
    factor = SUFFIXES.get(units.get(name, ""), {}).get(suffix)
    return (name, factor) if factor is not None else (None, 1.0)


def shown_unit(unit: str, factor: float) -> str:
    """A unit that is `factor` times the SI unit, as people write it; empty when there is none."""
    suffix = next((s for s, f in SUFFIXES.get(unit, {}).items() if f == factor), "")
    return unit if factor == 1.0 else {"kph": "km/h", "degps": "deg/s"}.get(suffix, suffix)


def tidy(number: float) -> float:
    """A number as it was written, without what turning it into SI and back left behind."""
    return float(f"{number:.14g}")


def units_used(mapping: Any) -> dict[str, str]:
    """Suffix with which a file writes each SI unit: the one that most of its keys have, of equals the SI unit's own."""
    counts: Counter[str] = Counter(_suffixes(mapping))
    used = {}
    for unit, suffixes in SUFFIXES.items():
        best = max(suffixes, key=lambda suffix: counts[suffix])
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


def spellings(name: str, unit: str) -> list[str]:
    """Every way to write a name whose SI unit is `unit`: bare, and with the suffix of a unit."""
    return [name, *(f"{name}_{suffix}" for suffix in SUFFIXES.get(unit, {}))]


def number(value: Any, file: object, key: str, expected: str = "a number") -> float:
    """`value` as a finite float; text and truth values are not numbers. Raises ConfigError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigError(file, key, value, expected)
    try:
        out = float(value)
    except OverflowError:
        out = math.inf
    if not math.isfinite(out):
        raise ConfigError(file, key, value, expected + ", finite")
    return out


def _read(kind: mi.Type, value: Any, factor: float, file: object, key: str) -> Any:
    plain = _plain(kind)
    expected = _words(kind, factor)
    if isinstance(plain, mi.FloatType):
        out = number(value, file, key, expected) * factor
        if not _within(plain, out):
            raise ConfigError(file, key, value, expected)
        return out
    if isinstance(plain, mi.IntType):
        if isinstance(value, bool) or not isinstance(value, int) or not _within(plain, value):
            raise ConfigError(file, key, value, expected)
        return value
    if isinstance(plain, mi.StructType):
        return read_struct(plain.cls, value, file, key)
    if isinstance(plain, mi.VarTupleType):
        if not isinstance(value, list):
            raise ConfigError(file, key, value, expected)
        return tuple(_read(plain.item_type, item, factor, file, f"{key}[{i}]") for i, item in enumerate(value))
    if isinstance(plain, mi.TupleType):
        if not isinstance(value, list) or len(value) != len(plain.item_types):
            raise ConfigError(file, key, value, expected)
        pairs = zip(plain.item_types, value, strict=True)
        return tuple(_read(item_kind, item, factor, file, f"{key}[{i}]") for i, (item_kind, item) in enumerate(pairs))
    if isinstance(plain, mi.StrType):
        if not isinstance(value, str) or (plain.pattern and not re.search(plain.pattern, value)):
            raise ConfigError(file, key, value, expected)
        return value
    if isinstance(plain, mi.LiteralType):
        if isinstance(value, bool) or value not in plain.values:
            raise ConfigError(file, key, value, expected + did_you_mean(value, plain.values))
        return value
    if isinstance(plain, mi.DictType):
        if not isinstance(value, Mapping):
            raise ConfigError(file, key, value, expected)
        return dict(value)
    raise TypeError(f"{key}: no reader for {kind}")


def _within(kind: mi.FloatType | mi.IntType, value: float) -> bool:
    return (
        (kind.gt is None or value > kind.gt)
        and (kind.ge is None or value >= kind.ge)
        and (kind.lt is None or value < kind.lt)
        and (kind.le is None or value <= kind.le)
    )


def _plain(kind: mi.Type) -> mi.Type:
    """The type without its metadata and without None."""
    while True:
        if isinstance(kind, mi.Metadata):
            kind = kind.type
        elif isinstance(kind, mi.UnionType):
            kind = next(option for option in kind.types if not isinstance(option, mi.NoneType))
        else:
            return kind


def _unit(kind: mi.Type) -> str:
    """SI unit of a field, "" when it has none; that of the numbers inside for a list."""
    if isinstance(kind, mi.Metadata):
        return (kind.extra or {}).get("unit", "") or _unit(kind.type)
    if isinstance(kind, mi.UnionType):
        return next((unit for unit in map(_unit, kind.types) if unit), "")
    if isinstance(kind, mi.VarTupleType):
        return _unit(kind.item_type)
    if isinstance(kind, mi.TupleType):
        return _unit(kind.item_types[0])
    return ""


def _preferred(name: str, kind: mi.Type) -> str:
    suffixes = SUFFIXES.get(_unit(kind))
    return f"{name}_{next(iter(suffixes))}" if suffixes else name


def _known(fields: Mapping[str, mi.Field]) -> list[str]:
    return sorted(_preferred(name, field.type) for name, field in fields.items())


def _spellings(fields: Mapping[str, mi.Field]) -> list[str]:
    """Every way to write the keys of a struct."""
    return [spelled for name, field in fields.items() for spelled in spellings(name, _unit(field.type))]


def _words(kind: mi.Type, factor: float) -> str:
    """What would have been accepted, the range in the unit the user wrote."""
    if isinstance(kind, mi.Metadata) and "words" in (kind.extra or {}):
        return str(kind.extra["words"])  # type: ignore[index]
    plain = _plain(kind)
    if isinstance(plain, (mi.FloatType, mi.IntType)):
        noun = "a number" if isinstance(plain, mi.FloatType) else "a whole number"
        limits = ((">", plain.gt), (">=", plain.ge), ("<", plain.lt), ("<=", plain.le))
        span = " and ".join(f"{sign} {limit / factor:g}" for sign, limit in limits if limit is not None)
        written = shown_unit(_unit(kind), factor)
        return " ".join(part for part in (noun, span, f"in {written}" if written and written != "1" else "") if part)
    if isinstance(plain, mi.VarTupleType):
        return f"a list, each item {_words(plain.item_type, factor)}"
    if isinstance(plain, mi.TupleType):
        return f"{len(plain.item_types)} numbers in {_unit(kind) or 'SI'}"
    if isinstance(plain, mi.LiteralType):
        return "one of: " + ", ".join(map(str, plain.values))
    if isinstance(plain, mi.StrType):
        return "a name (letters, digits, . _ / -)" if plain.pattern else "text"
    return "a mapping"
