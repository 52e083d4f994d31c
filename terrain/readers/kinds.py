"""Elevation formats, selected by suffix or by name, and the keys of a section that names elevation data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base.errors import NOTHING, ConfigError, ErrorCollector, JounceError
from simulator.base.fields import Choice, Either, Field, Fields, FileName, Flag, ListOf, Number, Text
from simulator.base.registry import Registry
from simulator.base.suggestions import did_you_mean
from terrain.readers.contract import ElevationSource
from terrain.readers.request import SIDES, ReadRequest

CONTRACT = 1
"""Version of the class below and of `terrain.readers.contract.ElevationSource`."""


@dataclass(frozen=True)
class ElevationFormatKind:
    """A registered reader.

    Attributes
    ----------
    suffixes : suffixes in lower case
    read : function that reads a file; raises ConfigError for invalid content
    keys : names of the FIELDS that the format accepts
    needs : required keys; of each tuple one key is sufficient
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
METERS = ("scale", "offset", "voids")

ELEVATION_FORMAT_KINDS: Registry[ElevationFormatKind] = Registry(
    "elevation format",
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
    contract="terrain.readers.kinds",
)
FIELDS: Fields = (
    Field("file", FileName("the path of an elevation file, relative to this file or in the assets"), "elevation file"),
    Field("format", Choice(ELEVATION_FORMAT_KINDS.names), "elevation format; default: by the suffix", None),
    Field("first_row", Choice(SIDES), "side of the map with the first row of an array", None),
    Field("row_runs", Choice(SIDES), "direction of the samples in a row of an array; default: east", None),
    Field("origin", Number("m", -1e6, 1e6, shape=(2,)), "x, y of the south-west sample of an array", None),
    Field("spacing", Number("m", 0.001, 1000.0, shape=(2,)), "distance of samples of an array along x and y", None),
    Field(
        "extent",
        Number("m", 0.01, 1e6, shape=(2,)),
        "distance from the first to the last sample of an array along x and y, instead of spacing",
        None,
    ),
    Field("scale", Number("m", -1000.0, 1000.0), "height per count; default: 1 if the file is in meters", None),
    Field("offset", Number("m", -1e5, 1e5), "height of count zero", None),
    Field("range", Number("m", -1e5, 1e5, shape=(2,)), "heights of the 16-bit counts 0 and 65535, instead of scale and offset", None),
    Field(
        "voids",
        Either((Number("1"), Choice(("none",)))),
        "count that represents missing data, if the file does not define it; none: no such count",
        None,
    ),
    Field("size", Number("1", 2, 16385, shape=(2,), whole=True), "number of columns and rows of raw16 data; default: a square", None),
    Field("byte_order", Choice(("little", "big")), "byte order of raw16 data: the byte that comes first", None),
    Field(
        "corner",
        Number("deg", -180.0, 180.0, shape=(2,)),
        "longitude and latitude of the south-west corner of an hgt tile, if the file name does not contain it",
        None,
    ),
    Field(
        "crs",
        Text("a reference system such as EPSG:32633"),
        "coordinate reference system of the file, if the file does not define it",
        None,
    ),
    Field("up", Choice(("y", "z")), "vertical axis of obj and gltf files; default for gltf: y", None),
    Field("unit", Number("m", 1e-6, 1e6), "length unit of obj and gltf files", None),
    Field("ignore", ListOf(Text("a name")), "objects, groups, materials or nodes of obj and gltf files to ignore; wildcards * and ?", None),
    Field("modifiers", Flag(), "use of the modifiers of an opencrg file; false: ignore them and the default modifiers", None),
    Field("at", Number("m", -1e6, 1e6, shape=(2,)), "x, y of the origin of an obj, gltf or opencrg file", None),
)
"""Fields of a section that names an elevation file."""
register = ELEVATION_FORMAT_KINDS.add
"""Register a reader of elevation data."""


def format_of(path: Path, options: Mapping[str, Any], file: object, key: str = "heights") -> ElevationFormatKind:
    """Return the format of a file. Raises ConfigError for an unknown format, or for keys that the format does not accept."""
    if "format" in options:
        kind = ELEVATION_FORMAT_KINDS.named(options["format"], file, f"{key}.format")
    else:
        suffix = path.suffix.lower()
        kinds = [one for name in ELEVATION_FORMAT_KINDS.names() if (one := ELEVATION_FORMAT_KINDS.get(name)) is not None]
        known = [each for one in kinds for each in one.suffixes]
        match = next((one for one in kinds if suffix in one.suffixes), None)
        if match is None:
            raise ConfigError(
                path, "", path.suffix, f"an elevation file: {', '.join(known)} (or the key format){did_you_mean(suffix, known)}"
            )
        kind = match
    ELEVATION_FORMAT_KINDS.check(kind.name, kind)
    for name in options:
        if name not in ("file", "format", *kind.keys):
            raise ConfigError(
                file, f"{key}.{name}", options[name], f"unknown key; expected a key of the format {kind.name}: {', '.join(kind.keys)}"
            )
    return kind


def check_options(path: Path, options: Mapping[str, Any], file: object, key: str, indices: bool = False) -> None:
    """Check that the section contains the keys that the format requires, before the file is opened. Raises ConfigError."""
    meanings = {field.name: field.meaning for field in FIELDS}
    with ErrorCollector() as faults:
        for names in format_of(path, options, file, key).needs:
            if not any(name in options for name in names) and not (indices and set(names) & set(COUNTS)):
                faults.add(ConfigError(file, f"{key}.{names[0]}", NOTHING, f"{' or '.join(names)}: {meanings[names[0]]}"))


def read_heights(request: ReadRequest) -> ElevationSource:
    """Read the heights of a file, in its own coordinates.

    Raises
    ------
    ConfigError : the file is unusable
    JounceError : a plugin raised another exception
    """
    kind = format_of(request.path, request.said, request.file, request.key)
    if ELEVATION_FORMAT_KINDS.is_builtin(kind.name):
        return kind.read(request)
    try:
        return kind.read(request)
    except JounceError:
        raise
    except Exception as error:
        raise JounceError(f"{request.path}: elevation format {kind.name}: {type(error).__name__}: {error}") from error
