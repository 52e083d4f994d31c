"""`jounce terrain info FILE`: properties of elevation data or a terrain, and heights at points."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.tools.terrain.elevation_file import (
    HeightsFile,
    TerrainOnDisk,
    base,
    base_inside,
    composed,
    is_terrain,
    read_file,
    read_terrain,
)
from simulator.tools.terrain.sample_points import Points, read_points
from terrain.readers.contract import LONLAT
from terrain.readers.coordinate_reference import transformed
from terrain.readers.crg import CrgSurface
from terrain.roads.network import DRIVE, RoadNetwork

WGS84 = "EPSG:4326"
RANGES = ("x", "y", "u", "v", "heights", "grid_heights")
"""Keys printed as a range from one number to another."""
Row = dict[str, Any]


def main_info(arguments: Any) -> int:
    """Run `jounce terrain info` and return 0. Raises ConfigError: unusable file or points."""
    name = arguments.file
    if is_terrain(name):
        if arguments.set:
            raise ConfigError("--set", "", arguments.set[0], "no --set with a terrain file, only with elevation data")
        terrain = read_terrain(name)
        properties, rows = about_terrain(terrain), _rows(arguments.at, name, lambda points: _at_terrain(terrain, points, arguments.raw))
    else:
        settings = list(arguments.set)
        if arguments.raw and Path(name).suffix.lower() == ".crg":
            settings.append("modifiers=false")
        file = read_file(name, settings)
        properties, rows = about_file(file), _rows(arguments.at, name, lambda points: _at_file(file, points))
    if arguments.json:
        print_line(json_text(properties if rows is None else {**properties, "points": rows}))
    elif rows is None:
        print_line(to_text(properties))
    else:
        if properties.get("assumed"):
            print_error(f"{name}: assumed {', '.join(properties['assumed'])}; hint: --set changes it")
        print_line(as_csv(rows))
    return 0


def about_file(file: HeightsFile) -> dict[str, Any]:
    """Return the properties of elevation data."""
    source = file.source
    x0, x1, y0, y1 = source.bounds
    return {
        "file": str(file.path),
        "coordinates": source.kind,
        "crs": source.crs or None,
        "x": [x0, x1],
        "y": [y0, y1],
        **source.about(),
        "assumed": list(file.assumed),
    }


def about_terrain(terrain: TerrainOnDisk) -> dict[str, Any]:
    """Return the properties of a terrain."""
    ground = terrain.ground
    x0, x1, y0, y1 = ground.bounds
    rows, columns = ground.heights.shape
    return {
        "file": terrain.file,
        "type": terrain.kind,
        "coordinates": "local",
        "crs": terrain.crs or None,
        "origin_in_crs": None if terrain.origin is None else terrain.origin.tolist(),
        "x": [x0, x1],
        "y": [y0, y1],
        "nodes": [columns - 2 * ground.margin[1], rows - 2 * ground.margin[0]],
        "spacing": ground.p[0]["spacing"].tolist(),
        "heights": [float(ground.heights.min()), float(ground.heights.max())],
        "slope_of_base_plane": ground.p[0]["slope"].tolist(),
        "soils": list(dict.fromkeys(ground.soil_names)),
        "roads": [road.name for road in ground.roads],
        "lanes": None if ground.lanes is None else _lanes(ground.lanes),
        "data": None if terrain.data is None else terrain.data.source.about(),
    }


def _lanes(network: RoadNetwork) -> dict[str, Any]:
    """Return numbers and lengths of the lanes, and how many parts of those for vehicles no way joins in both directions."""
    rows = network.arrays.lanes
    drive = rows["kind"] == DRIVE
    return {
        "for_vehicles": int(drive.sum()),
        "length": round(float(rows["length"][drive].sum()), 1),
        "for_persons": int((~drive).sum()),
        "crossings": len({lane.crossing for lane in network.lanes} - {None}),
        "separate_parts": len(network.connected_parts()),
    }


def to_text(properties: dict[str, Any]) -> str:
    """Return the console text, one line for each property."""
    shown = {key: value for key, value in properties.items() if value not in (None, [], {})}
    width = max(map(len, shown))
    return "\n".join(f"{key.replace('_', ' '):{width}}  {_shown(value, key)}" for key, value in shown.items())


def _shown(value: Any, key: str = "") -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name.replace('_', ' ')} {_shown(item, name)}" for name, item in value.items() if item is not None)
    if isinstance(value, (list, tuple)):
        return (" to " if key in RANGES else ", ").join(map(_shown, value))
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def as_csv(rows: list[Row]) -> str:
    """Return CSV text of points with their heights."""
    names = list(rows[0])
    return "\n".join([",".join(names), *(",".join(_cell(row[name]) for name in names) for row in rows)])


def _cell(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _rows(path: str | None, name: str, of: Any) -> list[Row] | None:
    """Return the points of a file with their heights, in the order of the file."""
    if path is None:
        return None
    numbered: list[tuple[int, Row]] = []
    for points in read_points(path, name):
        numbered += zip(points.rows, of(points), strict=True)
    return [row for _, row in sorted(numbered, key=lambda one: one[0])]


def _at_file(file: HeightsFile, points: Points) -> list[Row]:
    """Return the heights of elevation data."""
    source = file.source
    first, second = points.both
    if isinstance(source, CrgSurface):
        return _on_road(source, points)
    if points.kind == "road":
        raise ConfigError(file.path, "", "u,v", "x,y; only an OpenCRG road has u and v")
    x, y = _in_crs(file, points)
    z, inside = source.heights(x, y), source.inside(x, y)
    return [_row(a, b, h, _where(h, within)) for a, b, h, within in zip(first, second, z, inside, strict=True)]


def _in_crs(file: HeightsFile, points: Points) -> tuple[Array, Array]:
    """Return coordinates in the system of the file."""
    source = file.source
    target_crs = {"": source.crs, "map": source.crs, "lonlat": WGS84}.get(points.kind, points.kind)
    if points.kind == "" or target_crs == source.crs:
        return points.both
    if points.kind == "map" or not source.crs:
        raise ConfigError(file.path, "", f"points in {points.kind}", "x,y, because the file has no reference system")
    if points.kind == "lonlat" and source.kind == LONLAT:
        return points.both
    return transformed(*points.both, target_crs, source.crs, file.path, "crs")


def _on_road(source: CrgSurface, points: Points) -> list[Row]:
    """Return positions and heights of a road."""
    if points.kind not in ("", "road"):
        raise ConfigError("--at", "", points.kind, "x,y or u,v of an OpenCRG road")
    if points.kind == "road":
        u, v = points.both
        x, y = source.road.places(u, v).T
    else:
        x, y = points.both
        u, v = source.road.coordinates(x, y).T
    z = source.road.heights_along(u, v) if points.kind == "road" else source.heights(x, y)
    inside = source.on_road(u, v)
    keys = ("u", "v", "x", "y", "z")
    rows = np.column_stack((u, v, x, y, z)).tolist()
    return [dict(zip(keys, row, strict=True)) | {"where": _where(row[4], within)} for row, within in zip(rows, inside, strict=True)]


def _at_terrain(terrain: TerrainOnDisk, points: Points, raw: bool) -> list[Row]:
    """Return the heights of a terrain, complete or of its base grid."""
    first, second = points.both
    x, y = _local(terrain, points)
    inside = base_inside(terrain, x, y)
    z = base(terrain, x, y) if raw else composed(terrain.ground, x, y)
    return [_row(a, b, h, _where(h, within)) for a, b, h, within in zip(first, second, z, inside, strict=True)]


def _local(terrain: TerrainOnDisk, points: Points) -> tuple[Array, Array]:
    """Return coordinates in the local system of the terrain."""
    if points.kind == "":
        return points.both
    if points.kind == "road" or terrain.origin is None:
        raise ConfigError(terrain.file, "georeference", "none", "a georeference, or points in local x,y")
    target_crs = {"map": terrain.crs, "lonlat": WGS84}.get(points.kind, points.kind)
    if target_crs != terrain.crs and not terrain.crs:
        raise ConfigError(terrain.file, "georeference.crs", "none", f"a reference system, to transform {target_crs}")
    east, north = (
        points.both if target_crs == terrain.crs else transformed(*points.both, target_crs, terrain.crs, terrain.file, "georeference.crs")
    )
    return east - terrain.origin[0], north - terrain.origin[1]


def _row(x: float, y: float, z: float, where: str) -> Row:
    return {"x": float(x), "y": float(y), "z": float(z), "where": where}


def _where(height: float, inside: bool) -> str:
    """Return "void" or "outside" for a point without a height."""
    if not inside:
        return "outside"
    return "void" if math.isnan(height) else ""
