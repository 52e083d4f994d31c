"""Formats of files of heights, found by suffix or by the name that a terrain file says; what may be said beside each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector, JounceError
from simulator.base.fields import Choice, Either, Field, Fields, FileName, Flag, ListOf, Number, Text
from simulator.base.registry import Registry
from simulator.base.renamed_modules import old_names
from simulator.base.suggestions import did_you_mean
from terrain.readers.contract import ElevationSource
from terrain.readers.request import SIDES, ReadRequest

CONTRACT = 1
"""Version of the class below and of `terrain.readers.contract.ElevationSource`."""


@dataclass(frozen=True)
class ElevationFormatKind:
    """A reader as it is registered.

    Attributes
    ----------
    suffixes : in small letters
    read : raises ConfigError for whatever cannot be used
    keys : which of FIELDS may be said beside such a file
    needs : which must be, each as the keys of which one is enough
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[ReadRequest], ElevationSource]
    keys: tuple[str, ...]
    contract: int
    meaning: str = ""
    needs: tuple[tuple[str, ...], ...] = ()


ARRAY = ("first_row", "row_runs", "origin", "spacing", "extent")
COUNTS = ("scale", "offset", "range", "voids")
METRES = ("scale", "offset", "voids")

ELEVATION_FORMAT_KINDS: Registry[ElevationFormatKind] = Registry(
    "format of heights",
    "jounce.elevation_formats",
    {
        "png": "terrain.readers.shipped_kinds:PNG",
        "npy": "terrain.readers.shipped_kinds:NPY",
        "geotiff": "terrain.readers.shipped_kinds:GEOTIFF",
        "hgt": "terrain.readers.shipped_kinds:HGT",
        "esri_ascii": "terrain.readers.shipped_kinds:ESRI",
        "raw16": "terrain.readers.shipped_kinds:RAW",
        "opencrg": "terrain.readers.shipped_kinds:CRG",
        "obj": "terrain.readers.shipped_kinds:OBJ",
        "gltf": "terrain.readers.shipped_kinds:GLTF",
    },
)
_METRE = Number("m", -1e7, 1e7)
FIELDS: Fields = (
    Field("file", FileName("the path of a file of heights, beside this file or inside the assets"), "file of heights"),
    Field("format", Choice(ELEVATION_FORMAT_KINDS.names), "its format, where the suffix does not say it", None),
    Field("first_row", Choice(SIDES), "of an array: the side of the map on which its first row lies", None),
    Field("row_runs", Choice(SIDES), "of an array: where the samples of a row lead; east when left out", None),
    Field("origin", Number("m", -1e6, 1e6, shape=(2,)), "of an array: x, y of the south-west sample", None),
    Field("spacing", Number("m", 0.001, 1000.0, shape=(2,)), "of an array: distance of samples along x and y", None),
    Field(
        "extent",
        Number("m", 0.01, 1e6, shape=(2,)),
        "of an array, instead of spacing: from the first to the last sample along x and y",
        None,
    ),
    Field("scale", Number("m", -1000.0, 1000.0), "height per count, 1 where the file holds metres", None),
    Field("offset", Number("m", -1e5, 1e5), "height of count zero", None),
    Field(
        "range", Number("m", -1e5, 1e5, shape=(2,)), "of 16-bit counts, instead of scale and offset: heights of counts 0 and 65535", None
    ),
    Field(
        "voids",
        Either((Number("1"), Choice(("none",)))),
        "count that means no data, where the file does not say it; none: there is none",
        None,
    ),
    Field("size", Number("1", 2, 16385, shape=(2,), whole=True), "of raw16: columns and rows, a square when left out", None),
    Field("byte_order", Choice(("little", "big")), "of raw16: which byte of a count comes first", None),
    Field(
        "corner",
        Number("deg", -180.0, 180.0, shape=(2,)),
        "of hgt, where the name does not say it: longitude and latitude of the south-west",
        None,
    ),
    Field("crs", Text("a reference system such as EPSG:32633"), "of the file's own coordinates, where it does not say it", None),
    Field("up", Choice(("y", "z")), "of obj and gltf: the axis that points up; y of gltf", None),
    Field("unit", Number("m", 1e-6, 1e6), "of obj and gltf: length of 1", None),
    Field("ignore", ListOf(Text("a name")), "of obj and gltf: objects, groups, materials, nodes to leave out, with * and ?", None),
    Field("modifiers", Flag(), "of opencrg: false leaves the file's modifiers and the usual ones aside", None),
    Field("at", Number("m", -1e6, 1e6, shape=(2,)), "of obj, gltf and opencrg: x, y of the file's own origin", None),
)
"""What a terrain file says of a file of heights."""


def register(kind: ElevationFormatKind) -> None:
    """Make a reader known by its name and suffixes. Raises JounceError: it is for another contract, or another one has its name."""
    check(kind)
    ELEVATION_FORMAT_KINDS.register(kind.name, kind)


def check(kind: ElevationFormatKind) -> None:
    """Raises JounceError as `register`; what installed packages offer has not gone through that."""
    if kind.contract != CONTRACT:
        raise JounceError(f"format of heights {kind.name}: it is for version {kind.contract} of the contract, this is version {CONTRACT}")


def format_of(path: Path, said: Mapping[str, Any], file: object, key: str = "heights") -> ElevationFormatKind:
    """The format of a file. Raises ConfigError: neither its suffix nor the section says one, or the section says what does not go with it."""
    if "format" in said:
        found = ELEVATION_FORMAT_KINDS.named(said["format"], file, f"{key}.format")
    else:
        suffix = path.suffix.lower()
        everyone = [one for name in ELEVATION_FORMAT_KINDS.names() if (one := ELEVATION_FORMAT_KINDS.get(name)) is not None]
        known = [each for one in everyone for each in one.suffixes]
        match = next((one for one in everyone if suffix in one.suffixes), None)
        if match is None:
            raise ConfigError(
                path, "", path.suffix, f"a file of heights: {', '.join(known)}{did_you_mean(suffix, known)} (or say its format)"
            )
        found = match
    check(found)
    for name in said:
        if name not in ("file", "format", *found.keys):
            raise ConfigError(file, f"{key}.{name}", said[name], f"no such key for {found.name}, only {', '.join(found.keys)}")
    return found


def check_said(path: Path, said: Mapping[str, Any], file: object, key: str, indices: bool = False) -> None:
    """Before a file is opened: whether all is said of it that it needs. Raises ConfigError."""
    meanings = {field.name: field.meaning for field in FIELDS}
    with ErrorCollector() as faults:
        for names in format_of(path, said, file, key).needs:
            if not any(name in said for name in names) and not (indices and set(names) & set(COUNTS)):
                faults.add(ConfigError(file, f"{key}.{names[0]}", "nothing", f"{' or '.join(names)}: {meanings[names[0]]}"))


def read_heights(asked: ReadRequest) -> ElevationSource:
    """The heights of a file, in its own coordinates.

    Raises
    ------
    ConfigError : whatever cannot be used
    JounceError : a reader from outside raised something else
    """
    found = format_of(asked.path, asked.said, asked.file, asked.key)
    if ELEVATION_FORMAT_KINDS.is_builtin(found.name):
        return found.read(asked)
    try:
        return found.read(asked)
    except JounceError:
        raise
    except Exception as error:
        raise JounceError(f"{asked.path}: format of heights {found.name}: {type(error).__name__}: {error}") from error


__getattr__ = old_names(__name__)
