"""Tables of the files of a session by folder of `configs`, and search of the tables for keys that name files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from simulator.base.fields import Either, Fields, FieldType, FileName, Group, ListOf, Named, Number, Variants
from simulator.base.memoize import memoize_by_identity
from simulator.base.registry import load_attribute
from simulator.configuration.key_path import KeyPath

_PLACES = {
    "vehicles": "vehicles.vehicle_file:VEHICLE_FILE",
    "drivetrains": "vehicles.drivetrain.drivetrain_file:any_drivetrain_file",
    "tires": "vehicles.tires.tire_file:FILE_TABLE",
    "mechanisms": "vehicles.multibody.description.mechanism_file:FILE",
    "curves": "vehicles.suspension.table_file:FILE",
    "columns": "vehicles.suspension.table_file:FILE",
    "terrains": "terrain.load_terrain:FILE",
    "soils": "terrain.soil:FILE",
    "maneuvers": "simulator.maneuvers.maneuver_file:FILE_TABLE",
    "series": "simulator.maneuvers.series_file:FILE",
    "washouts": "washout.cueing:FILE",
    "platforms": "washout.platform:FILE",
}
"""Modules and names of the tables by folder of `configs`; a module is imported with the first file of its kind."""


@cache
def table_of(folder: str) -> FieldType:
    """Return the table of the files of a session in a folder of `configs`."""
    return table_at(_PLACES[folder])


@cache
def table_at(place: str) -> FieldType:
    """Return the table at "module:attribute", where there is a table, its rows, or a function that returns the rows."""
    table = load_attribute(place)
    rows = table() if callable(table) else table
    return rows if isinstance(rows, Group | Variants) else Group(rows)


def files_named(kind: FieldType, content: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """Yield the key paths of the names of binary files in a content that has not been checked yet."""
    if isinstance(kind, FileName):
        if isinstance(content, str):
            yield path
    elif isinstance(kind, Either):
        for one in kind.kinds:
            if one.accepts(content):
                yield from files_named(one, content, path)
    elif isinstance(kind, ListOf):
        for n, inside in enumerate(content if isinstance(content, list) else ()):
            yield from files_named(kind.item, inside, (*path, n))
    elif isinstance(kind, Named) and isinstance(content, Mapping):
        for name, inside in content.items():
            yield from files_named(kind.item, inside, (*path, name))
    elif isinstance(kind, Group | Variants) and isinstance(content, Mapping):
        kinds = _naming(kind.fields if isinstance(kind, Group) else _variant(kind, content))
        for key, inside in content.items() if kinds else ():
            if key in kinds:
                yield from files_named(kinds[key], inside, (*path, key))


@memoize_by_identity
def _naming(fields: Fields) -> Mapping[str, FieldType]:
    """Return the types of the keys of a table that can contain the name of a binary file, by spelling."""
    return {written: field.kind for field in fields if _may_name(field.kind) for written in field.spellings}


def _may_name(kind: FieldType) -> bool:
    """Return True if a value of a type can contain the name of a binary file."""
    if isinstance(kind, Either):
        return any(map(_may_name, kind.kinds))
    if isinstance(kind, ListOf | Named):
        return _may_name(kind.item)
    if isinstance(kind, Group):
        return bool(_naming(kind.fields))
    return isinstance(kind, FileName | Variants)


def number_at(kind: FieldType, content: Any, path: KeyPath) -> tuple[Number, str] | None:
    """Return the type of the scalar number at a path of a content and the suffix of its key; None if there is no scalar number."""
    if not path:
        return (kind, "") if isinstance(kind, Number) and not kind.shape else None
    if isinstance(kind, Either):
        accepting = next((one for one in kind.kinds if one.accepts(content)), None)
        return None if accepting is None else number_at(accepting, content, path)
    if isinstance(kind, ListOf) and isinstance(content, list) and not kind.suffix:
        at = int(path[0]) if str(path[0]).isdigit() else len(content)
        return number_at(kind.item, content[at], path[1:]) if at < len(content) else None
    if not isinstance(content, Mapping) or path[0] not in content:
        return None
    if isinstance(kind, Named):
        return number_at(kind.item, content[path[0]], path[1:])
    if isinstance(kind, Group | Variants):
        for field in kind.fields if isinstance(kind, Group) else _variant(kind, content):
            suffix = field.spellings.get(str(path[0]))
            inner = None if suffix is None else number_at(field.kind, content[path[0]], path[1:])
            if inner is not None:
                return inner[0], suffix or inner[1]
    return None


def _variant(kind: Variants, content: Mapping[Any, Any]) -> Fields:
    """Return the fields of the variant of a content; empty for an unknown variant."""
    name = kind.name_of(content)
    return (kind.fields(name) if name in kind.choice().names() else None) or ()
