"""A ground made of elevation data, generated detail, soils in patches and roads: `type: heightmap` in a terrain file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record, join, numbers, record
from terrain.generate import ISO_CLASSES, field_of_rms, iso_roughness, mosaic, resample, rough_field, tiled
from terrain.heightmap import FIRST_ROWS, read_heightmap
from terrain.reading import choice, items, known_keys, ranged, word
from terrain.roads import BED, center_line, fade, grade, graded_profile, mark, pave
from terrain.soil import named_soil, surface_on_soil
from terrain.surface import GROUND, Ground, Road, height_and_normal

_KEYS = ("type", "heights", "grid", "detail", "roughness", "soils", "roads", "spawn", "note")
_HEIGHTS = (
    ("origin", (2,), "m", "x, y of the south-west sample"),
    ("spacing", (2,), "m", "distance of samples along x and y"),
    ("scale", (), "m", "height per count"),
    ("offset", (), "m", "height of count zero"),
)
_GRID = (
    ("origin", (2,), "m", "x, y of the south-west node"),
    ("spacing", (), "m", "distance of nodes"),
    ("count", (2,), "1", "nodes along x and y", "i8"),
)
_DETAIL = (
    ("rms", (), "m", "root mean square of the bumps"),
    ("waviness", (), "1", "exponent of their spectrum"),
    ("longest", (), "m", "longest wave"),
    ("shortest", (), "m", "shortest wave"),
    ("seed", (), "1", "number that picks one of the possible grounds"),
)
_ROUGHNESS = (("longest", (), "m", "longest wave"), ("seed", (), "1", "number that picks one of the possible grounds"))
_MOSAIC = (
    ("size", (), "m", "size of a patch"),
    ("relief", (), "1", "how far soils follow the heights, the first in the lowest places"),
    ("seed", (), "1", "number that picks one of the possible maps"),
)
_ELLIPSE = (("center", (2,), "m", "x, y of its middle"), ("radii", (2,), "m", "half axes along x and y"))
_ROAD = (
    ("width", (), "m", "fully hard width"),
    ("verge", (), "m", "width on each side over which hard ground fades into soil"),
    ("embankment", (), "m", "width beyond the verge over which the bed meets the natural ground"),
    ("crown_percent", (), "%", "fall from the center line outward"),
    ("smoothing", (), "m", "length over which the profile is graded; unused when the road is level"),
)
_SPAWN = (("position", (2,), "m", "x, y"), ("yaw_deg", (), "deg", "heading, + = left of the x axis"))
_RANGES = {
    "spacing": (0.01, 1000.0), "scale": (-1000.0, 1000.0), "count": (4, 8193), "rms": (0.0, 20.0), "waviness": (0.5, 5.0),
    "longest": (0.1, 2000.0), "shortest": (0.1, 2000.0), "seed": (0, 2**32), "size": (5.0, 5000.0), "relief": (0.0, 1.0),
    "radii": (1.0, 5000.0),
    "width": (1.0, 100.0), "verge": (0.5, 50.0), "embankment": (0.5, 200.0), "crown_percent": (0.0, 10.0), "smoothing": (0.0, 500.0),
    "yaw_deg": (-360.0, 360.0),
}  # fmt: skip
_LARGEST_GRID = 16_000_000
APPROACH = 120.0
"""m. Length over which a road comes to the height of another that it meets. Shorter: steep ramps."""


@dataclass
class _Grid:
    origin: NDArray[np.float64]
    spacing: float
    shape: tuple[int, int]

    @property
    def step(self) -> NDArray[np.float64]:
        return np.full(2, self.spacing)

    def corners(self) -> NDArray[np.float64]:
        """South-west and north-east node, (2, 2)."""
        return self.origin + np.outer((0.0, self.spacing), np.array(self.shape[::-1]) - 1)

    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """x of the columns, y of the rows."""
        return self.origin[0] + self.spacing * np.arange(self.shape[1]), self.origin[1] + self.spacing * np.arange(self.shape[0])

    def holds(self, points: NDArray[np.float64]) -> bool:
        low, high = self.corners()
        return bool(((points >= low) & (points <= high)).all())


@dataclass
class _RoadPlan:
    """One road while it is being built."""

    name: str
    surface: str
    gain: float
    level: float | None
    bed: Record
    smoothing: float
    line: NDArray[np.float64]
    distance: NDArray[np.float32]
    station: NDArray[np.float32]
    profile: NDArray[np.float64]


def landscape(mapping: Mapping[str, Any], file: object, name: str, folder: Path, soils: Mapping[str, Mapping[str, Any]]) -> Ground:
    """Ground out of the mapping of a terrain file with ``type: heightmap``.

    Sections: ``heights`` (elevation data; level ground without), ``grid`` (nodes to drive on), ``detail`` (bumps between the samples of
    the data), ``roughness`` (ISO 8608 class of the natural ground), ``soils``, ``roads`` (the first has the right of way), ``spawn``. Their
    keys are the tables of this file. Roads replace the detail and have their own roughness class.

    Raises
    ------
    ConfigError : anything that cannot be used
    """
    known_keys(mapping, _KEYS, file)
    grid = _grid(mapping, file)
    elevation = _elevation(mapping, file, folder, grid)
    names, natural = _soil_map(mapping, file, grid, elevation)
    natural_class = _natural_class(mapping, file)
    plans = [_plan(item, file, f"roads[{k}]", grid, natural_class) for k, item in enumerate(items(mapping, "roads", file))]
    heights = _graded(plans, elevation, grid)
    hardness, roughness, detail = np.zeros_like(heights), np.ones_like(heights), np.ones_like(heights)
    for plan in reversed(plans):
        pave(plan.bed, plan.distance, plan.gain, hardness, roughness, detail)
    heights += tiled(_bumps(mapping, file, grid), grid.shape) * detail
    heights += tiled(_rough(mapping, file, grid, natural_class), grid.shape) * roughness
    soil_rows, soil_names, soil_ids = _soils_of_nodes(plans, names, natural, soils, file, grid)
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = grid.origin, grid.spacing
    roads = tuple(_road(plan) for plan in plans)
    return Ground(name, p, heights, hardness, soil_ids, soil_rows, soil_names, _spawn(mapping, file, grid), roads)


def _grid(mapping: Mapping[str, Any], file: object) -> _Grid:
    values = ranged(_GRID, _RANGES, mapping.get("grid"), file, "grid")[0]
    columns, rows = (int(n) for n in values["count"])
    if rows * columns > _LARGEST_GRID:
        raise ConfigError(file, "grid.count", [columns, rows], f"at most {_LARGEST_GRID} nodes")
    return _Grid(values["origin"].copy(), float(values["spacing"]), (rows, columns))


def _elevation(mapping: Mapping[str, Any], file: object, folder: Path, grid: _Grid) -> NDArray[np.float32]:
    """Heights (ny, nx) of the nodes out of the elevation data, which must reach beyond the grid."""
    heights = np.zeros(grid.shape, np.float32)
    if "heights" not in mapping:
        return heights
    section = known_keys(mapping["heights"], ("file", "first_row", *(row[0] for row in _HEIGHTS)), file, "heights")
    values = ranged(_HEIGHTS, _RANGES, {k: v for k, v in section.items() if k not in ("file", "first_row")}, file, "heights")[0]
    path = folder / word(section, "file", file, "heights", "the path of a height map inside the assets")
    first_row = choice(section, "first_row", FIRST_ROWS, file, "heights")
    source = read_heightmap(path, first_row, float(values["scale"]), float(values["offset"]))
    near, far = values["origin"], values["origin"] + values["spacing"] * (np.array(source.shape[::-1]) - 1)
    if (grid.corners() < near).any() or (grid.corners() > far).any():
        raise ConfigError(file, "grid", grid.corners().tolist(), f"corners inside the data, from {near.tolist()} to {far.tolist()} m")
    resample(source, near, values["spacing"], grid.origin, grid.step, heights)
    return heights


def _soil_map(mapping: Mapping[str, Any], file: object, grid: _Grid, elevation: NDArray[np.float32]) -> tuple[list[str], NDArray[np.uint8]]:
    """Names of the natural soils and the index (ny, nx) of each node."""
    section = known_keys(mapping.get("soils"), ("shares", "patches", *(row[0] for row in _MOSAIC)), file, "soils")
    shares = section.get("shares")
    if not isinstance(shares, Mapping) or not shares:
        raise ConfigError(file, "soils.shares", shares, "soil names, each with its share of the area")
    parts = [float(numbers(part, (), file, f"soils.shares.{soil}")) for soil, part in shares.items()]
    if min(parts) <= 0.0:
        raise ConfigError(file, "soils.shares", dict(shares), "positive shares")
    names = list(shares)
    given = {key: section[key] for key in section if key not in ("shares", "patches")}
    natural = np.zeros(grid.shape, np.uint8)
    if len(names) > 1 or given:
        values = ranged(_MOSAIC, _RANGES, given, file, "soils")[0]
        natural = mosaic(parts, float(values["size"]), float(values["relief"]), elevation, grid.origin, grid.spacing, int(values["seed"]))
    for k, item in enumerate(items(section, "patches", file, "soils")):
        _patch(item, file, f"soils.patches[{k}]", grid, names, natural)
    return names, natural


def _patch(item: Any, file: object, key: str, grid: _Grid, names: list[str], natural: NDArray[np.uint8]) -> None:
    """Write an ellipse of one soil into the map."""
    known_keys(item, ("soil", "center", "radii"), file, key)
    soil = word(item, "soil", file, key, "the name of a soil")
    values = ranged(_ELLIPSE, _RANGES, {k: v for k, v in item.items() if k != "soil"}, file, key)[0]
    if soil not in names:
        names.append(soil)
    x, y = grid.axes()
    inside = ((x - values["center"][0]) / values["radii"][0]) ** 2 + ((y[:, None] - values["center"][1]) / values["radii"][1]) ** 2 <= 1.0
    natural[inside] = names.index(soil)


def _natural_class(mapping: Mapping[str, Any], file: object) -> str | None:
    if "roughness" not in mapping:
        return None
    known_keys(mapping["roughness"], ("class", "longest", "seed"), file, "roughness")
    return choice(mapping["roughness"], "class", ISO_CLASSES, file, "roughness")


def _rough(mapping: Mapping[str, Any], file: object, grid: _Grid, natural_class: str | None) -> NDArray[np.float32]:
    """Roughness of the natural ground, from the longest wave down to two nodes [ISO 8608: waviness 2]."""
    if natural_class is None:
        return np.zeros((1, 1), np.float32)
    given = {k: v for k, v in mapping["roughness"].items() if k != "class"}
    values = ranged(_ROUGHNESS, _RANGES, given, file, "roughness")[0]
    density = iso_roughness(natural_class)
    return rough_field(density, 2.0, float(values["longest"]), 2.0 * grid.spacing, grid.spacing, int(values["seed"]))


def _bumps(mapping: Mapping[str, Any], file: object, grid: _Grid) -> NDArray[np.float32]:
    """Bumps of the natural ground between the samples of the elevation data."""
    if "detail" not in mapping:
        return np.zeros((1, 1), np.float32)
    values = ranged(_DETAIL, _RANGES, mapping["detail"], file, "detail")[0]
    if values["shortest"] >= values["longest"]:
        raise ConfigError(file, "detail.shortest", float(values["shortest"]), "less than detail.longest")
    rms, waviness, longest, shortest = (float(values[k]) for k in ("rms", "waviness", "longest", "shortest"))
    return field_of_rms(rms, waviness, longest, shortest, grid.spacing, int(values["seed"]))


def _plan(item: Any, file: object, key: str, grid: _Grid, natural_class: str | None) -> _RoadPlan:
    """Check one road and measure the distance of every node from it."""
    words = ("name", "surface", "roughness", "level", "points")
    known_keys(item, (*words, *(row[0] for row in _ROAD)), file, key)
    values = ranged(_ROAD, _RANGES, {k: v for k, v in item.items() if k not in words}, file, key)[0]
    level = item.get("level")
    if level is not None:
        level = float(numbers(level, (), file, join(key, "level"), "m"))
    line = center_line(_corner_points(item, file, key, grid))
    bed = record(BED)
    bed[0]["half_width"], bed[0]["verge"] = 0.5 * values["width"], values["verge"]
    bed[0]["embankment"], bed[0]["crown"] = values["embankment"], values["crown_percent"] / 100.0
    distance = np.full(grid.shape, np.inf, np.float32)
    station = np.zeros(grid.shape, np.float32)
    reach = float(bed[0]["half_width"] + bed[0]["verge"] + bed[0]["embankment"])
    mark(line, reach, grid.origin, grid.step, distance, station)
    return _RoadPlan(
        name=word(item, "name", file, key, "a name"),
        surface=word(item, "surface", file, key, "the name of a hard surface"),
        gain=_gain(item, file, key, natural_class),
        level=level,
        bed=bed,
        smoothing=float(values["smoothing"]),
        line=line,
        distance=distance,
        station=station,
        profile=np.zeros(len(line)),
    )


def _corner_points(item: Mapping[str, Any], file: object, key: str, grid: _Grid) -> NDArray[np.float64]:
    given = items(item, "points", file, key)
    points = numbers(given, (len(given), 2), file, join(key, "points"), "m")
    if len(points) < 2 or not (np.hypot(*np.diff(points, axis=0).T) > 1.0).all():
        raise ConfigError(file, join(key, "points"), given, "at least two points, each more than 1 m from the one before")
    if not grid.holds(points):
        raise ConfigError(file, join(key, "points"), given, "points inside the grid")
    return points


def _gain(item: Mapping[str, Any], file: object, key: str, natural_class: str | None) -> float:
    """Roughness of a road over that of the natural ground: a factor 2 per ISO class."""
    if natural_class is None:
        if "roughness" in item:
            raise ConfigError(file, join(key, "roughness"), item["roughness"], "no such key without a section roughness")
        return 0.0
    return 2.0 ** (ISO_CLASSES.index(choice(item, "roughness", ISO_CLASSES, file, key)) - ISO_CLASSES.index(natural_class))


def _graded(plans: list[_RoadPlan], natural: NDArray[np.float32], grid: _Grid) -> NDArray[np.float32]:
    """Heights with all roads in place.

    First in the order of the list, so that each road is graded to the ones before it; then once more onto the natural ground in
    reverse order, so that the first road lies on top where two meet.
    """
    heights = natural.copy()
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = grid.origin, grid.spacing
    n = np.empty(3)
    for k, plan in enumerate(plans):
        if plan.level is None:
            ground = np.array([height_and_normal(p, heights, x, y, n) for x, y in plan.line])
            plan.profile = _meeting(plan, graded_profile(ground, plan.smoothing), plans[:k])
        else:
            plan.profile = np.full(len(plan.line), plan.level)
        grade(plan.bed, plan.distance, plan.station, plan.profile, heights)
    heights = natural
    for plan in reversed(plans):
        grade(plan.bed, plan.distance, plan.station, plan.profile, heights)
    for plan in plans:
        plan.profile = np.array([height_and_normal(p, heights, x, y, n) for x, y in plan.line])
    return heights


def _meeting(plan: _RoadPlan, profile: NDArray[np.float64], earlier: list[_RoadPlan]) -> NDArray[np.float64]:
    """Profile led gently to the height of every earlier road it meets."""
    for other in earlier:
        away = np.hypot(plan.line[:, None, 0] - other.line[None, :, 0], plan.line[:, None, 1] - other.line[None, :, 1])
        nearest = away.argmin(axis=1)
        edge = float(other.bed[0]["half_width"] + other.bed[0]["verge"])
        w = np.array([fade(d, edge, APPROACH) for d in away.min(axis=1)])
        profile = w * other.profile[nearest] + (1.0 - w) * profile
    return profile


def _soils_of_nodes(
    plans: list[_RoadPlan], names: list[str], natural: NDArray[np.uint8], soils: Mapping[str, Mapping[str, Any]], file: object, grid: _Grid
) -> tuple[NDArray[Any], tuple[str, ...], NDArray[np.uint8]]:
    """Rows of table `SOIL`, their names, and the row of each node.

    A hard surface gets one row per natural soil, which carries that soil: at the edge of a road the soil goes on unchanged under the
    fading hardness. Its row reaches two nodes beyond the verge, the width of the interpolation.
    """
    rows = [named_soil(soils, name, "soil", file, "soils") for name in names]
    labels, ids = list(names), natural.copy()
    first: dict[str, int] = {}
    for k, plan in enumerate(plans):
        surface = named_soil(soils, plan.surface, "surface", file, f"roads[{k}].surface")
        if plan.surface not in first:
            first[plan.surface] = len(rows)
            rows += [surface_on_soil(surface, below) for below in rows[: len(names)]]
            labels += [f"{plan.surface} on {name}" for name in names]
    if len(rows) > np.iinfo(np.uint8).max + 1:
        raise ConfigError(file, "soils", len(rows), "fewer soils and surfaces, 256 pairs at most")
    for plan in reversed(plans):
        near = plan.distance <= plan.bed[0]["half_width"] + plan.bed[0]["verge"] + 2.0 * grid.spacing
        ids[near] = natural[near] + first[plan.surface]
    return np.concatenate(rows), tuple(labels), ids


def _road(plan: _RoadPlan) -> Road:
    points = np.column_stack((plan.line, plan.profile))
    return Road(plan.name, plan.surface, points, 2.0 * float(plan.bed[0]["half_width"]), float(plan.bed[0]["verge"]))


def _spawn(mapping: Mapping[str, Any], file: object, grid: _Grid) -> tuple[float, float, float]:
    values = ranged(_SPAWN, _RANGES, mapping.get("spawn"), file, "spawn")[0]
    if not grid.holds(values["position"]):
        raise ConfigError(file, "spawn.position", values["position"].tolist(), "a point inside the grid")
    return float(values["position"][0]), float(values["position"][1]), math.radians(float(values["yaw_deg"]))
