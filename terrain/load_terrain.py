"""Build grounds from terrain files: `type: flat` and `type: bump` here; `course`, `heightmap` and plugin types by `terrain.kinds`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base import fields
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import NOTHING, ConfigError, ErrorCollector
from simulator.base.fields import Anything, Either, Field, Number, Text, Variants
from simulator.base.records import Record, record
from simulator.base.suggestions import did_you_mean
from simulator.base.values import Values
from terrain.features.section import FEATURES, joined, read_features
from terrain.ground import GROUND, Ground
from terrain.kinds import CONTRACT, TERRAIN_KINDS, TerrainFile, TerrainKind, read
from terrain.location import LOCATION, location_of
from terrain.objects.high_features import is_object, objects_of
from terrain.objects.kinds import GENERATORS
from terrain.objects.object_set import ObjectSet
from terrain.objects.placed import with_objects
from terrain.objects.section import OBJECTS
from terrain.objects.table_file import TABLE
from terrain.patches import LARGEST_GRID, PATCHES, extents, nodes_over, with_patches
from terrain.roads.lane_table import LANES, read_lanes
from terrain.rough_tiles import ROUGHNESS_FIELD, roughened
from terrain.soil import drawn_as, named_soil, soil
from terrain.wind import WIND, moving_air

Soils = Mapping[str, Mapping[str, Any]]

FRICTION = 0.8
"""Friction coefficient of flat ground without a surface or friction in the file: dry asphalt."""

STEEPEST = 2.0
"""m/m. Maximum slope of a plane."""
_SURFACE_KEYS = ("surface", "soil", "friction")
_REMARKS = ("name", "note", "text", "description", "formula", "comment")
_POSITION = (-1e5, 1e5)
"""m. Range of the position of a bump."""
_LENGTH = (0.05, 200.0)
"""m. Range of the length of a bump."""
_SHAPES = ("half_sine", "haversine")

SURFACE = (
    Field("surface", Text("the name of a surface"), "hard surface of the entire ground, a file in configs/soils", None),
    Field("soil", Text("the name of a soil"), "soil of the entire ground, a file in configs/soils", None),
    Field("friction", Number("1", 0.0, 2.0), f"friction coefficient of bare hard ground; default: {FRICTION:g}", None),
)
"""Material of the entire ground; at most one of these keys."""
FLAT_FILE = (
    *SURFACE,
    Field("grade", Number("m/m", -STEEPEST, STEEPEST), "slope along x", 0.0, written="percent"),
    Field("cross_grade", Number("m/m", -STEEPEST, STEEPEST), "slope along y", 0.0, written="percent"),
    ROUGHNESS_FIELD,
    PATCHES,
    Field("spacing", Number("m", 0.01, 10.0, shape=(2,)), "distance of the nodes of shapes and patches along x and y", (0.1, 0.1)),
)
"""Fields of a terrain file with ``type: flat``, in addition to those of all terrain files."""


def _names(*names: str) -> dict[str, str]:
    """Return aliases of a key that other programs use."""
    return dict.fromkeys(names, "")


_BUMP = (
    *SURFACE,
    ROUGHNESS_FIELD,
    Field("height", Number("m", -2.0, 2.0), "height of the crest", also=_names("h", "H", "amplitude")),
    Field("length", Number("m", *_LENGTH), "length along x; start and end together give it, too", None, also=_names("l", "L")),
    Field("width", Number("m", 0.1, 200.0), "width, symmetric about y = 0; default: unlimited", None, also=_names("w", "W")),
    Field(
        "start",
        Either((Number("m", *_POSITION), Number("m", *_POSITION, shape=(2,)))),
        "x of the start, or two numbers: x of the start and of the end",
        None,
        also=_names("x0", "x_0", "x", "x_start", "start_x", "x_begin", "begin", "position", "at"),
    ),
    Field(
        "center", Number("m", *_POSITION), "x of the center", None, also=_names("xc", "x_c", "centre", "x_center", "x_centre", "center_x")
    ),
    Field("end", Number("m", *_POSITION), "x of the end", None, also=_names("x1", "x_1", "x_end", "end_x")),
    Field(
        "shape",
        Text(f"one of {', '.join(_SHAPES)}"),
        "profile: z = height sin(pi s), or z = height sin^2(pi s)",
        _SHAPES[0],
        also=_names("profile", "form"),
    ),
)
_WORLD = (
    Field("gravity", Number("m/s2", 0.0, 100.0), "acceleration of free fall", STANDARD_GRAVITY),
    *WIND,
    *LOCATION,
    FEATURES,
    OBJECTS,
    TABLE,
    GENERATORS,
    LANES,
)
FILE = Variants(
    "type",
    lambda name: TERRAIN_KINDS.need(name).table,
    TERRAIN_KINDS.names,
    "endless plane, plane with a bump or a course, height map, or a type of a plugin",
    (*_WORLD, *(Field(name, Anything("a remark"), "remark, not used", None) for name in _REMARKS)),
)
"""Fields of a file in ``configs/terrains``."""
_BUMP_CELLS = 256


def load_terrain(mapping: Mapping[str, Any], file: object, folder: Path, soils: Mapping[str, Mapping[str, Any]]) -> Ground:
    """Build the ground described by the mapping of a terrain file.

    Parameters
    ----------
    mapping : content of the file, as `FILE` describes it
    file : name of the file, for messages and for the name of the ground
    folder : folder of the asset files that the mapping names, used if a file is not in the folder of `file`
    soils : contents of the soil files by name

    Raises
    ------
    ConfigError : invalid content
    """
    values = FILE.read(mapping, file, "")
    known = {key: values[key] for field in _WORLD for key in field.spellings if key in values}
    world = values if isinstance(values, Values) else fields.read(_WORLD, known, file)
    own = values if isinstance(values, Values) else {key: value for key, value in values.items() if key not in known}
    features = read_features(world["features"])
    if any(map(is_object, world["features"])):
        features = read_features([feature for feature in world["features"] if not is_object(feature)])
    ground = read(values["type"], TerrainFile(own, str(file), Path(str(file)).stem, folder, soils))
    if len(features.pieces):
        ground = replace(ground, features=joined(ground.features, features))
    walls = objects_of(world["features"], ground.height)
    if walls:
        ground = replace(ground, objects=ObjectSet((*ground.objects.objects, *walls)))
    ground.p[0]["gravity"] = world["gravity"]
    air, location = moving_air(world["wind"], world.get("gusts")), location_of(world, ground.location)
    ground = replace(ground, air=air, location=location)
    if "lanes" in world:
        ground = replace(ground, lanes=read_lanes(world["lanes"], world.file, folder))
    return with_objects(ground, world, folder)


def flat(terrain: Values, name: str, soils: Soils) -> Ground:
    """Return an endless plane through the origin, from a checked terrain file."""
    patches = terrain["patches"]
    x, y = (nodes_over(spans, float(step)) for spans, step in zip(extents(patches), terrain["spacing"], strict=True))
    if len(x) * len(y) > LARGEST_GRID:
        raise ConfigError(terrain.file, "patches", f"{len(x)} x {len(y)} nodes", f"at most {LARGEST_GRID} nodes; increase spacing")
    heights = np.zeros((len(y), len(x)), np.float32)
    ground = uniform(name, flat_plane(terrain, x, y), heights, terrain, terrain.file, soils)
    return with_patches(ground, patches, x, y, terrain.file, soils)


def flat_plane(terrain: Values, x: NDArray[np.float64], y: NDArray[np.float64]) -> Record:
    """Return the GROUND record of a plane through the origin with nodes at x and y."""
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = (x[0], y[0]), (x[1] - x[0], y[1] - y[0])
    p[0]["slope"] = terrain["grade"], terrain["cross_grade"]
    return p


def bump(terrain: Values, name: str, soils: Soils) -> Ground:
    """Return an endless plane z = 0 with one bump across the direction of travel, at x from start to start + length, from a checked terrain file.

    half_sine is z = height sin(pi s) with s from 0 to 1, haversine z = height sin^2(pi s).
    """
    with ErrorCollector() as faults:
        with faults.part():
            shape = _shape(terrain)
        with faults.part():
            start, length = _bump_extent(terrain)
        with faults.part():
            only_surface(terrain, terrain.file)
    dx = length / _BUMP_CELLS
    s = np.clip(np.arange(-4, _BUMP_CELLS + 5) / _BUMP_CELLS, 0.0, 1.0)
    rise = terrain["height"] * np.sin(np.pi * s) ** (1 if shape == "half_sine" else 2)
    p = record(GROUND)
    width = terrain.get("width")
    if width is None:
        p[0]["origin"], p[0]["spacing"] = (start - 4 * dx, -1.5), (dx, 1.0)
        across = np.ones(4)
    else:
        dy = width / _BUMP_CELLS
        p[0]["origin"], p[0]["spacing"] = (start - 4 * dx, -0.5 * width - 4 * dy), (dx, dy)
        across = np.zeros(_BUMP_CELLS + 9)
        across[4:-4] = 1.0
    return uniform(name, p, np.outer(across, rise).astype(np.float32), terrain, terrain.file, soils)


def _shape(terrain: Values) -> str:
    """Return the shape of a bump; accepts the spellings of other programs."""
    given = terrain["shape"]
    plain = given.lower().replace("-", "_").replace(" ", "_")
    shape = {"halfsine": "half_sine", "sine": "half_sine", "half_sine_bump": "half_sine"}.get(plain, plain)
    if shape not in _SHAPES:
        raise terrain.error("shape", f"one of {', '.join(_SHAPES)}{did_you_mean(plain, _SHAPES)}")
    return str(shape)


def _bump_extent(terrain: Values) -> tuple[float, float]:
    """Return x of the start and the length of a bump [m]."""
    given = dict(terrain)
    if not isinstance(given.get("start", 0.0), float):
        given["start"], given["end"] = map(float, given["start"])
    if "start" in given and "end" in given and "length" not in given:
        given["length"] = given["end"] - given["start"]
    low, high = _LENGTH
    if "length" not in given or not low <= given["length"] <= high:
        raise ConfigError(terrain.file, terrain.path("length"), given.get("length", NOTHING), f"a number in m, from {low:g} to {high:g}")
    places = [key for key in ("start", "center", "end") if key in given]
    if not places:
        raise terrain.error("start", "a number in m: x of the start of the bump (or the key center or end)")
    return given[places[0]] - {"start": 0.0, "center": 0.5, "end": 1.0}[places[0]] * given["length"], given["length"]


def uniform(name: str, p: Record, heights: NDArray[np.float32], mapping: Mapping[str, Any], file: object, soils: Soils) -> Ground:
    """Return a ground with one material, the `surface`, `soil` or `friction` of the mapping. Raises ConfigError."""
    rows, label = all_over(mapping, file, soils)
    hardness = np.full(heights.shape, rows[0]["hardness"], np.float32)
    return Ground(name, p, heights, hardness, np.zeros(heights.shape, np.uint8), rows, (label,), (0.0, 0.0, 0.0))


def all_over(mapping: Mapping[str, Any], file: object, soils: Soils) -> tuple[Record, str]:
    """Return the SOIL record of the `surface`, `soil` or `friction` of a mapping, and the label that selects its colors. Raises ConfigError."""
    key = only_surface(mapping, file)
    if key == "friction":
        return soil({"type": "surface", "friction": mapping.get("friction", FRICTION)}, file), "hard"
    return named_soil(soils, mapping[key], key, file, key), drawn_as(soils, mapping[key])


def only_surface(mapping: Mapping[str, Any], file: object) -> str:
    """Return the key that gives the material of the ground, default: `friction`. Raises ConfigError if there are several."""
    given = [key for key in _SURFACE_KEYS if key in mapping]
    if len(given) > 1:
        raise ConfigError(file, given[1], mapping[given[1]], "only one of " + ", ".join(_SURFACE_KEYS))
    return given[0] if given else "friction"


def read_flat(f: TerrainFile) -> Ground:
    """Read a terrain of `type: flat`."""
    return roughened(flat(f.mapping, f.name, f.soils), f.mapping)


def read_bump(f: TerrainFile) -> Ground:
    """Read a terrain of `type: bump`."""
    return roughened(bump(f.mapping, f.name, f.soils), f.mapping)


FLAT = TerrainKind("flat", read_flat, CONTRACT, FLAT_FILE, "an endless plane")
BUMP = TerrainKind("bump", read_bump, CONTRACT, _BUMP, "an endless plane with one bump across the direction of travel")
