"""Keys of a terrain file with `type: heightmap`."""

from __future__ import annotations

import math

from simulator.base.fields import Choice, Field, Group, ListOf, Named, Number, Text
from terrain.georeferenced import GEOREFERENCE
from terrain.heightmap_detail import ISO_CLASSES
from terrain.load_terrain import SURFACE
from terrain.patches import PATCHES
from terrain.readers.kinds import FIELDS as HEIGHT_FIELDS
from terrain.road_markings import MARKS
from terrain.soil_map import SOIL_MAP

_PLACE = Number("m", -1e6, 1e6, shape=(2,))
_WAVELENGTH = Number("m", 0.1, 2000.0)
_SEED = Field("seed", Number("1", 0, 2**32, whole=True), "seed of the random field")
MIN_NODES = 4
"""Minimum number of nodes along each axis."""
_GRID = (
    Field("origin", _PLACE, "x, y of the south-west node"),
    Field("spacing", Number("m", 0.01, 1000.0), "distance of nodes"),
    Field("count", Number("1", MIN_NODES, 8193, shape=(2,), whole=True), "nodes along x and y"),
)
_DETAIL = (
    Field("rms", Number("m", 0.0, 20.0), "root mean square of the bumps"),
    Field("waviness", Number("1", 0.5, 5.0), "exponent of the spectrum of the bumps"),
    Field("longest", _WAVELENGTH, "longest wavelength"),
    Field("shortest", _WAVELENGTH, "shortest wavelength"),
    _SEED,
)
ROAD_CLASS = Choice(tuple(ISO_CLASSES))
_ROUGHNESS = (Field("class", ROAD_CLASS, "ISO 8608 class"), Field("longest", _WAVELENGTH, "longest wavelength"), _SEED)
MOSAIC = (
    Field("size", Number("m", 5.0, 5000.0), "size of a patch", None),
    Field(
        "relief",
        Number("1", 0.0, 1.0),
        "correlation of the soils with the heights, 0 to 1; the first soil is in the lowest places",
        None,
    ),
    Field("seed", _SEED.kind, "seed of the map", None),
)
"""Mixing of several soils; required if there is more than one soil."""
_SPAWN = (
    Field("position", _PLACE, "x, y"),
    Field("yaw", Number("rad", -math.tau, math.tau), "heading, + = left of the x axis", written="deg"),
)
MAX_HEIGHT = 1e4
"""m. Limit of the height of roads, above and below zero."""
_NAME = Text("a name")
_ROAD_FILE = (
    Field("name", _NAME, "name of the road"),
    Field("surface", Text("the name of a hard surface"), "surface, a file in configs/soils"),
    Field("roughness", ROAD_CLASS, "ISO 8608 class of the road; required if the terrain has a section roughness", None),
    Field("level", Number("m", -MAX_HEIGHT, MAX_HEIGHT), "height of a level road; default: the road follows the ground", None),
    Field("width", Number("m", 1.0, 100.0), "width with full hardness"),
    Field("verge", Number("m", 0.5, 50.0), "width on each side over which hard ground fades into soil"),
    Field("embankment", Number("m", 0.5, 200.0), "width beyond the verge over which the bed meets the natural ground"),
    Field("crown", Number("m/m", 0.0, 0.1), "slope, downward from the center line", written="percent"),
    Field("smoothing", Number("m", 0.0, 500.0), "smoothing length of the profile; unused for a level road"),
    Field("points", Number("m", shape=((2, 100_000), 2)), "x, y of the corners of the center line, more than 1 m apart"),
)
_PATCH_FILE = (
    Field("soil", Text("the name of a soil"), "soil, a file in configs/soils"),
    Field("center", _PLACE, "x, y of the center"),
    Field("radii", Number("m", 1.0, 5000.0, shape=(2,)), "half axes along x and y"),
)
_SHARES = Named(Number("1", 0.0, above=0.0), "soil names, each with its fraction of the area", least=1)
_SOILS_FILE = (
    Field("shares", _SHARES, "soils (files in configs/soils), each with its fraction of the area"),
    *MOSAIC,
    Field("patches", ListOf(Group(_PATCH_FILE)), "ellipses with one soil each", ()),
)
LANDSCAPE_FILE = (
    Field("heights", Group(HEIGHT_FIELDS), "elevation data; default: level ground", None),
    GEOREFERENCE,
    Field("grid", Group(_GRID), "nodes of the ground; default: the extent of the data and their finer spacing", None),
    Field("detail", Group(_DETAIL), "bumps between the samples of the data", None),
    Field("roughness", Group(_ROUGHNESS), "roughness of the natural ground", None),
    Field("soils", Group(_SOILS_FILE), "soils of the natural ground; default: the material given by surface, soil or friction", None),
    *SURFACE,
    SOIL_MAP,
    PATCHES,
    Field("roads", ListOf(Group(_ROAD_FILE)), "roads; where two cross, the profile of the first applies", ()),
    Field("spawn", Group(_SPAWN), "start of a drive; default: the center of the grid, heading along x", None),
    Field("places", Named(Group(_SPAWN)), "named starts of a drive", {}),
    Field("begin_at", Text("the name of a place"), "name of the start in `places`, instead of spawn", None),
    MARKS,
)
"""Fields of a terrain file with ``type: heightmap``, in addition to those of all terrain files."""
