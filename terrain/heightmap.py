"""Ground from elevation data, generated detail, soil patches and roads: `type: heightmap` in a terrain file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import expectation
from simulator.base.records import Record, record
from simulator.base.suggestions import did_you_mean
from simulator.base.values import Values
from terrain.georeferenced import GeoreferencedSource, on_nodes, placed
from terrain.ground import GROUND, Ground
from terrain.heightmap_detail import field_of_rms, iso_roughness, mosaic, resample, rough_field, tiled
from terrain.heightmap_file import LANDSCAPE_FILE, MIN_NODES, MOSAIC
from terrain.heightmap_grid import Grid
from terrain.heightmap_roads import RoadPlan, corner_points, graded, plan_road, road_gain, road_of
from terrain.kinds import CONTRACT, TerrainFile, TerrainKind
from terrain.load_terrain import SURFACE, all_over
from terrain.location import MapOrigin
from terrain.map_edge import faded_margin, mirrored_margin, rolled_off
from terrain.patches import apply_layers, with_patches
from terrain.road_markings import Mark, read_marks
from terrain.roads.road_bed import pave
from terrain.rough_tiles import (
    COARSE_NODES,
    COARSE_SIDE,
    CROSSOVER,
    LONGEST,
    coarse_tile,
    fine_tiles,
    gain_of,
    lay_tile,
    roughness_of,
)
from terrain.roughness import Roughness, no_roughness
from terrain.soil import drawn_as, named_soil, surface_on_soil
from terrain.soil_map import soil_indices, soil_layers

MIN_SHARE = 1e-4
"""Minimum fraction of the area of a soil."""
_LARGEST_GRID = 16_000_000
WAVE_NODES = 4.0
"""Nodes of the grid per shortest wave in it. Fewer: additional waves that depend on the grid."""


@dataclass
class _NaturalGround:
    """Natural ground without roads."""

    rows: list[Record]
    """records of table SOIL"""
    labels: list[str]
    """label of each row, which selects its colors"""
    ids: NDArray[np.uint8]
    """(ny, nx) row of each node"""
    hardness: float


@dataclass
class _Content:
    """Checked content of a terrain file, without the materials of the ground."""

    data: GeoreferencedSource | None
    """elevation data in the coordinates of the terrain"""
    grid: Grid
    elevation: NDArray[np.float32]
    """(ny, nx) heights from the elevation data"""
    spawn: tuple[float, float, float]
    marks: tuple[Mark, ...]
    indices: NDArray[np.int32] | None
    """(ny, nx) entries of the soil map; None without a map"""


def landscape(terrain: Values, name: str, folder: Path, soils: Mapping[str, Mapping[str, Any]]) -> Ground:
    """Build the ground of a terrain file with ``type: heightmap``, checked by `LANDSCAPE_FILE`.

    Roads replace the detail and have their own roughness class. The heights level out in a margin around the grid. Beyond the margin, the ground
    continues with its mirror images (`terrain.map_edge`).

    Raises
    ------
    ConfigError : invalid content
    """
    natural_class = terrain["roughness"]["class"] if "roughness" in terrain else None
    content = _checked_content(terrain, folder, soils, natural_class)
    grid, spawn, indices = content.grid, content.spawn, content.indices
    ground = _natural_ground(terrain, grid, content.elevation, soils)
    wide = grid.with_margin()
    plans = [plan_road(road, grid, wide, natural_class) for road in terrain["roads"]]
    ground.ids = mirrored_margin(ground.ids, wide.margin)
    heights = graded(plans, rolled_off(content.elevation, wide.margin, grid.spacing), wide)
    hardness, detail = np.full_like(heights, ground.hardness), faded_margin(wide.shape, wide.margin)
    roughness, long_waves = np.ones_like(heights), np.zeros_like(heights)
    for plan in reversed(plans):
        pave(plan.bed, plan.distance, plan.gain, hardness, roughness, long_waves, detail)
    heights += _tiled_over(_bumps(terrain, grid), wide) * detail
    heights += _tiled_over(_rough(terrain, grid, natural_class), wide) * roughness
    _add_long_waves(terrain, wide, natural_class, long_waves, heights)
    soil_rows, soil_names, soil_ids = _soils_of_nodes(plans, ground, soils, terrain.file, grid)
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"], p[0]["mirrored"] = wide.origin, wide.spacing, 1
    complete = Ground(
        name=name,
        p=p,
        heights=heights,
        hardness=hardness,
        soil_ids=soil_ids,
        soils=soil_rows,
        soil_names=soil_names,
        spawn=spawn,
        roads=tuple(map(road_of, plans)),
        margin=wide.margin,
        roughness=_fine_roughness(terrain, grid, natural_class, roughness),
        marks=content.marks,
        location=_location(terrain, content.data),
        places={name: _pose(place) for name, place in terrain["places"].items()},
    )
    if indices is not None:
        complete = _with_soil_map(complete, terrain, mirrored_margin(indices, wide.margin), plans, soils)
    return with_patches(complete, terrain["patches"], *wide.axes(), terrain.file, soils)


def _checked_content(terrain: Values, folder: Path, soils: Mapping[str, Mapping[str, Any]], natural_class: str | None) -> _Content:
    """Check the content of a terrain file and read its data files. Raises ConfigError, with all errors."""
    roads = terrain["roads"]
    with ErrorCollector() as faults:
        for check in (_check_detail, _check_shares, _mosaic_of):
            with faults.part():
                check(terrain)
        _check_soils(terrain, soils, faults)
        for road in roads:
            with faults.part():
                road_gain(road, natural_class)
        data = _data(terrain, folder)
        grid = _grid(terrain, data)
        for road in roads:
            with faults.part():
                corner_points(road, grid)
        with faults.part():
            spawn = _spawn(terrain, grid)
        with faults.part():
            elevation = _elevation(terrain, data, grid)
        with faults.part():
            marks = read_marks(terrain["marks"])
        with faults.part():
            indices = soil_indices(terrain, folder, *grid.axes())
    return _Content(data, grid, elevation, spawn, marks, indices)


def _with_soil_map(
    ground: Ground, terrain: Values, indices: NDArray[np.int32], plans: list[RoadPlan], soils: Mapping[str, Mapping[str, Any]]
) -> Ground:
    """Return the ground with the soils and surfaces of a map (ny, nx) outside the roads."""
    free = np.ones(indices.shape, bool)
    for plan in plans:
        free &= plan.distance > plan.bed[0]["half_width"] + plan.bed[0]["verge"]
    return apply_layers(ground, soil_layers(terrain["soil_map"], indices, free), terrain.file, "soil_map", soils)


def _data(terrain: Values, folder: Path) -> GeoreferencedSource | None:
    """Read the elevation data in the coordinates of the terrain; None without data."""
    if "heights" not in terrain:
        return None
    return placed(terrain["heights"], terrain.get("georeference"), folder)


def _location(terrain: Values, data: GeoreferencedSource | None) -> MapOrigin | None:
    """Return the position of x = y = 0 on the map; None without a georeference, or without a reference system."""
    reference: Values | None = terrain.get("georeference")
    if reference is None:
        return None
    crs = reference.get("crs", "" if data is None else data.source.crs)
    return MapOrigin(crs, reference["origin"], terrain.get("altitude", 0.0), terrain.file) if crs else None


def _grid(terrain: Values, data: GeoreferencedSource | None) -> Grid:
    """Return the grid of the file, default: nodes over the extent of the data."""
    if "grid" in terrain:
        values = terrain["grid"]
        columns, rows = (int(n) for n in values["count"])
        origin, spacing = values["origin"], values["spacing"]
    else:
        bounds = data.bounds if data is not None else None
        if data is None or bounds is None:
            raise terrain.error("grid", "a section with origin, spacing and count, because no elevation data are aligned with x and y")
        x0, x1, y0, y1 = bounds
        origin, spacing = np.array((x0, y0)), min(data.source.step)
        columns, rows = (int((high - low) / spacing + 1e-6) + 1 for low, high in ((x0, x1), (y0, y1)))
    if rows * columns > _LARGEST_GRID:
        raise ConfigError(
            terrain.file, "grid.count", [columns, rows], f"at most {_LARGEST_GRID} nodes (increase the spacing, or use a part of the data)"
        )
    if min(columns, rows) < MIN_NODES:
        raise ConfigError(terrain.file, "grid.count", [columns, rows], f"at least {MIN_NODES} nodes along each axis")
    return Grid(origin, spacing, (rows, columns))


def _elevation(terrain: Values, data: GeoreferencedSource | None, grid: Grid) -> NDArray[np.float32]:
    """Return heights (ny, nx) of the nodes from the elevation data, which must cover the grid without voids."""
    heights = np.zeros(grid.shape, np.float32)
    if data is None:
        return heights
    _check_reach(terrain, data, grid)
    raster = data.straight
    if raster is None:
        heights[:] = on_nodes(data.smooth, *grid.axes())
    else:
        spacing = np.array((raster.along_row[0], raster.along_column[1]))
        resample(raster.samples, raster.corner, spacing, grid.origin, grid.step, np.empty(raster.samples.shape[1]), heights)
    voids = np.argwhere(np.isnan(heights))
    if len(voids):
        x, y = grid.origin + grid.spacing * voids[0][::-1]
        raise ConfigError(
            terrain.file, "heights.file", f"no heights at {len(voids)} of {heights.size} nodes, the first at x = {x:g}, y = {y:g}",
            f"heights at all nodes (fill voids: jounce terrain import {terrain['heights']['file']} --out NAME)",
        )  # fmt: skip
    return heights


def _check_reach(terrain: Values, data: GeoreferencedSource, grid: Grid) -> None:
    """Raise ConfigError if nodes are outside the data."""
    bounds = data.bounds
    if bounds is not None:
        near, far = np.array(bounds[::2]), np.array(bounds[1::2])
        slack = 1e-6 * grid.spacing
        if not ((grid.corners() < near - slack).any() or (grid.corners() > far + slack).any()):
            return
        expected = f"corners inside the data, from {near.tolist()} to {far.tolist()} m"
    else:
        (x0, y0), (x1, y1) = grid.corners()
        corners = np.array(((x0, y0), (x1, y0), (x0, y1), (x1, y1)))
        if data.inside(corners[:, 0], corners[:, 1]).all():
            return
        expected = "corners inside the data"
    raise ConfigError(terrain.file, "grid", grid.corners().tolist(), expected)


def _check_shares(terrain: Values) -> None:
    """Check the keys that give the natural ground. Raises ConfigError."""
    if "soils" not in terrain:
        if terrain["roads"] and "soil" not in terrain:
            raise terrain.error("soils", "a section soils, or the key soil, for the ground under the roads")
        return
    only = next((field.name for field in SURFACE if field.name in terrain), None)
    if only is not None:
        raise terrain.error(only, "no surface, soil or friction together with a section soils")
    shares = terrain["soils"]["shares"]
    parts = list(shares.values())
    if min(parts) < MIN_SHARE * sum(parts):
        raise ConfigError(terrain.file, "soils.shares", dict(shares), f"fractions of at least {MIN_SHARE:g} of the sum")


def _mosaic_of(terrain: Values) -> Values | None:
    """Return the section with the parameters for mixing several soils; None for a single soil."""
    soils: Values | None = terrain.get("soils")
    if soils is None or (len(soils["shares"]) < 2 and not any(field.name in soils for field in MOSAIC)):
        return None
    with ErrorCollector() as faults:
        for field in MOSAIC:
            with faults.part():
                soils.needed(field.name, expectation(field))
    return soils


def _check_soils(terrain: Values, soils: Mapping[str, Mapping[str, Any]], faults: ErrorCollector) -> None:
    """Check that all soils and surfaces of the file exist and have the right type."""
    values, roads = terrain.get("soils"), terrain["roads"]
    references = []
    if values is not None:
        references += [(f"soils.shares.{name}", name, "soil") for name in values["shares"]]
        references += [(f"soils.patches[{n}].soil", patch["soil"], "soil") for n, patch in enumerate(values["patches"])]
    references += [(f"roads[{n}].surface", road["surface"], "surface") for n, road in enumerate(roads)]
    for key, name, kind in references:
        with faults.part():
            named_soil(soils, name, kind, terrain.file, key)


def _natural_ground(terrain: Values, grid: Grid, elevation: NDArray[np.float32], soils: Mapping[str, Mapping[str, Any]]) -> _NaturalGround:
    """Return the material of the ground outside roads, patches and soil map."""
    if "soils" not in terrain:
        row, label = all_over(terrain, terrain.file, soils)
        return _NaturalGround([row], [label], np.zeros(grid.shape, np.uint8), float(row[0]["hardness"]))
    names, ids = _mixed_soils(terrain, grid, elevation)
    rows = [named_soil(soils, name, "soil", terrain.file, "soils") for name in names]
    return _NaturalGround(rows, [drawn_as(soils, name) for name in names], ids, 0.0)


def _mixed_soils(terrain: Values, grid: Grid, elevation: NDArray[np.float32]) -> tuple[list[str], NDArray[np.uint8]]:
    """Return the names of the natural soils and the index (ny, nx) of each node."""
    soils = terrain["soils"]
    names, parts = list(soils["shares"]), list(soils["shares"].values())
    natural = np.zeros(grid.shape, np.uint8)
    if _mosaic_of(terrain) is not None:
        natural = mosaic(parts, soils["size"], soils["relief"], elevation, grid.origin, grid.spacing, soils["seed"])
    for patch in soils["patches"]:
        _patch(patch, grid, names, natural)
    return names, natural


def _patch(patch: Values, grid: Grid, names: list[str], natural: NDArray[np.uint8]) -> None:
    """Write an ellipse with one soil to the map."""
    if patch["soil"] not in names:
        names.append(patch["soil"])
    x, y = grid.axes()
    inside = ((x - patch["center"][0]) / patch["radii"][0]) ** 2 + ((y[:, None] - patch["center"][1]) / patch["radii"][1]) ** 2 <= 1.0
    natural[inside] = names.index(patch["soil"])


def _rough(terrain: Values, grid: Grid, natural_class: str | None) -> NDArray[np.float32]:
    """Return the roughness of the natural ground, from the longest wave to the shortest of the grid [ISO 8608: waviness 2]."""
    if natural_class is None or terrain["roughness"]["longest"] <= _shortest(grid):
        return np.zeros((1, 1), np.float32)
    values = terrain["roughness"]
    density = iso_roughness(natural_class)
    return rough_field(density, 2.0, values["longest"], _shortest(grid), grid.spacing, values["seed"], interpolated=True)


def _shortest(grid: Grid) -> float:
    """Return the shortest wave [m] of roughness in the grid; shorter waves are in tiles on top of it."""
    return max(CROSSOVER, WAVE_NODES * grid.spacing)


def _add_long_waves(
    terrain: Values, wide: Grid, natural_class: str | None, share: NDArray[np.float32], heights: NDArray[np.float32]
) -> None:
    """Add waves of roads that are longer than the roughness of the natural ground, whose own long waves are its relief and `detail`.

    Parameters
    ----------
    share : factor (ny, nx) of roughness, 0 outside roads
    """
    if natural_class is None or not share.any():
        return
    values = terrain["roughness"]
    tile = coarse_tile(LONGEST, max(values["longest"], _shortest(wide)), values["seed"])
    if len(tile):
        lay_tile(tile, COARSE_SIDE / COARSE_NODES, gain_of(natural_class), share, wide.origin, wide.spacing, heights)


def _fine_roughness(terrain: Values, grid: Grid, natural_class: str | None, factor: NDArray[np.float32]) -> Roughness:
    """Return the waves that are too short for the grid, on roads in their own class; factor (ny, nx) of roughness."""
    if natural_class is None:
        return no_roughness()
    longest, seed = terrain["roughness"]["longest"], terrain["roughness"]["seed"]
    fine, coarse = fine_tiles(min(longest, CROSSOVER), seed), coarse_tile(min(longest, _shortest(grid)), CROSSOVER, seed)
    largest = float(factor.max())
    gains = None if factor.min() == largest else factor / np.float32(largest)
    return roughness_of(fine, coarse, gain_of(natural_class) * largest, gains)


def _check_detail(terrain: Values) -> None:
    """Check the wavelengths of the detail. Raises ConfigError."""
    detail: Values | None = terrain.get("detail")
    if detail is not None and detail["shortest"] >= detail["longest"]:
        raise detail.error("shortest", "a wavelength below detail.longest")


def _bumps(terrain: Values, grid: Grid) -> NDArray[np.float32]:
    """Return bumps of the natural ground between the samples of the elevation data."""
    if "detail" not in terrain:
        return np.zeros((1, 1), np.float32)
    values = terrain["detail"]
    return field_of_rms(values["rms"], values["waviness"], values["longest"], values["shortest"], grid.spacing, values["seed"])


def _tiled_over(field: NDArray[np.float32], grid: Grid) -> NDArray[np.float32]:
    """Return a periodic field repeated over a grid, starting at the first node inside the margin."""
    return tiled(np.roll(field, grid.margin, (0, 1)), grid.shape)


def _soils_of_nodes(
    plans: list[RoadPlan], natural: _NaturalGround, soils: Mapping[str, Mapping[str, Any]], file: object, grid: Grid
) -> tuple[NDArray[Any], tuple[str, ...], NDArray[np.uint8]]:
    """Return rows of table `SOIL`, their names, and the row index of each node.

    A hard surface gets one row per natural soil, with the parameters of that soil: at the edge of a road, the soil continues unchanged below the
    fading hardness. The row extends two nodes beyond the verge, the width of the interpolation.
    """
    rows, labels, ids = list(natural.rows), list(natural.labels), natural.ids.copy()
    first: dict[str, int] = {}
    for k, plan in enumerate(plans):
        surface = named_soil(soils, plan.surface, "surface", file, f"roads[{k}].surface")
        if plan.surface not in first:
            first[plan.surface] = len(rows)
            rows += [surface_on_soil(surface, below) for below in natural.rows]
            labels += [f"{drawn_as(soils, plan.surface)} on {label}" for label in natural.labels]
    if len(rows) > np.iinfo(np.uint8).max + 1:
        raise ConfigError(file, "soils", len(rows), "at most 256 pairs of surface and soil")
    for plan in reversed(plans):
        near = plan.distance <= plan.bed[0]["half_width"] + plan.bed[0]["verge"] + 2.0 * grid.spacing
        ids[near] = natural.ids[near] + first[plan.surface]
    return np.concatenate(rows), tuple(labels), ids


def _spawn(terrain: Values, grid: Grid) -> tuple[float, float, float]:
    """Return x, y and yaw of the start of a drive: a named place, the spawn, or the center of the grid. Raises ConfigError."""
    places = terrain["places"]
    for place in places.values():
        _check_inside(place, grid)
    if "begin_at" in terrain:
        if "spawn" in terrain:
            raise terrain.error("begin_at", "either spawn or begin_at, not both")
        if terrain["begin_at"] not in places:
            known = ", ".join(places) or "none defined"
            raise terrain.error("begin_at", f"one of places ({known}){did_you_mean(terrain['begin_at'], tuple(places))}")
        spawn = places[terrain["begin_at"]]
    elif "spawn" in terrain:
        spawn = terrain["spawn"]
        _check_inside(spawn, grid)
    else:
        x, y = grid.corners().mean(axis=0)
        return float(x), float(y), 0.0
    return _pose(spawn)


def _pose(place: Values) -> tuple[float, float, float]:
    """Return x, y [m] and yaw [rad] of a place."""
    return float(place["position"][0]), float(place["position"][1]), float(place["yaw"])


def _check_inside(place: Values, grid: Grid) -> None:
    """Check that a start is inside the grid. Raises ConfigError."""
    if not grid.holds(place["position"]):
        raise place.error("position", "a point inside the grid")


def read_heightmap_terrain(f: TerrainFile) -> Ground:
    """Read a terrain of `type: heightmap`."""
    return landscape(f.mapping, f.name, f.folder, f.soils)


HEIGHTMAP = TerrainKind("heightmap", read_heightmap_terrain, CONTRACT, LANDSCAPE_FILE, "height map with soils and roads")
