"""Files of the terrain of an OpenDRIVE file: terrain file, heights, soil map, lanes and objects."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.imports.opendrive.document import Document, Road
from simulator.imports.opendrive.markings import Painter
from simulator.imports.opendrive.network import NetworkMaker
from simulator.imports.opendrive.objects import RoadObjects
from simulator.imports.opendrive.surface import NATURAL, WIDE_BORDER, Surface, grid_of, mesh_of, surface_of
from simulator.imports.result import Losses
from simulator.tools.terrain.terrain_text import terrain_text
from terrain.generators.generated_terrain import Cover, GeneratedTerrain, Grid, Place
from terrain.objects.table_text import table_text
from terrain.readers.contract import MAP, Raster
from terrain.readers.coordinate_reference import check_true_lengths, kind_of
from terrain.roads.lane_table import lane_text
from terrain.roads.network import Lane

FAR, ROUND = 5000.0, 100.0
"""m. Roads with a coordinate beyond FAR are moved to the origin of the terrain, by a multiple of ROUND: markings and maps are near it."""
OFF_SURFACE = 0.5
"""m. A lane or a marking with a larger distance from the surface belongs to a road above or below it."""
SOIL, PAVED = "grenville_loam", "asphalt"
"""Ground and roads, files in configs/soils."""
START = 10.0
"""m. Largest distance of the start of a drive from the begin of its lane."""
MAX_SURFACES = 200
"""Maximum number of different frictions."""
REVISION = "1"
"""Major revision of OpenDRIVE whose elements are read."""


@dataclass(frozen=True)
class ImportOptions:
    """Choices of the user.

    Attributes
    ----------
    cell : m; None: chosen by the size
    ground : function that returns the heights of the ground at points x, y of the file; None: a membrane between the roads
    shoulder : m
    upper : whether to keep the upper one of two roads above each other
    """

    cell: float | None
    ground: Callable[[Array, Array], Array] | None
    shoulder: float
    upper: bool


@dataclass(frozen=True)
class ImportedTerrain:
    """Contents of the files by name, and what a report says about them."""

    files: dict[str, bytes | str]
    report: dict[str, Any]


def import_terrain(document: Document, stem: str, options: ImportOptions, about: list[str], command: str) -> ImportedTerrain:
    """Return the files of a terrain. Raises ConfigError: roads that cannot become a terrain.

    Parameters
    ----------
    stem : begin of the names of the files
    about, command : for the comments of the terrain file
    """
    losses = Losses()
    header = document.root.find("header")
    if header is not None and (major := header.get("revMajor", REVISION).strip()) != REVISION:
        losses.add(f"revision {major}.{header.get('revMinor', '?')} of the file: read as OpenDRIVE {REVISION}")
    document, shift = _near_origin(document)
    mesh = mesh_of(document.roads.values(), document.file)
    grid = grid_of(mesh.points, options.cell, document.file)
    surface = surface_of(mesh, grid, _on_grid(options.ground, shift), options.shoulder, options.upper, document.file)
    for kept, lost in surface.crossing:
        losses.add(f"road {lost} above or below road {kept}: not in the surface there", document.roads[lost].element.line)
    heights = Raster(surface.heights, np.array(grid.corner), np.array((grid.spacing, 0.0)), np.array((0.0, grid.spacing)))
    lanes = _on_surface(NetworkMaker(document, losses), heights, losses)
    painter = Painter(losses, lambda points: np.abs(heights.heights(points[:, 0], points[:, 1]) - points[:, 2]) < OFF_SURFACE, grid.spacing)
    marks = painter.marks(document.roads.values())
    on_drive = Raster(surface.driving.astype(np.float64), heights.corner, heights.along_row, heights.along_column)
    objects = RoadObjects(document, losses, heights.heights, on_drive.nearest)
    cover, covers, soils = _covers(surface, mesh.kinds)
    places = _places(lanes)
    georeference, place = _georeference(document, shift, losses)
    made = GeneratedTerrain(
        [*about, *place, *(f"without counterpart: {line}" for line in losses.lines())],
        grid, surface.heights, cover, covers, places, marks=(*marks, *objects.marks),
    )  # fmt: skip
    files: dict[str, bytes | str] = {f"{stem}_heights.npy": _npy(surface.heights.astype(np.float32)), f"{stem}_soils.png": _png(cover)}
    where = {"first_row": "south", "origin": list(grid.corner), "spacing": [grid.spacing] * 2}
    mapping: dict[str, Any] = {
        "type": "heightmap",
        "heights": {"file": f"{stem}_heights.npy", **where, "scale": 1.0, "offset": 0.0},
        **georeference,
        "soil": SOIL,
        "soil_map": {"file": f"{stem}_soils.png", **where, "first_row": "north", "soils": soils},
        **(
            {
                "places": {name: {"position": [float(v) for v in at.at], "yaw_deg": at.yaw_deg} for name, at in places.items()},
                "begin_at": next(iter(places)),
            }
            if places
            else {}
        ),
    }
    if made.marks:
        mapping["marks"] = [dict(entry.mapping) for entry in made.marks]
    if objects.hulls:
        mapping["objects"] = objects.hulls
    if objects.simple:
        mapping["objects_table"] = f"{stem}_objects.csv"
        files[f"{stem}_objects.csv"] = table_text(objects.simple)
    if lanes:
        mapping["lanes"] = f"{stem}_lanes.csv"
        files[f"{stem}_lanes.csv"] = lane_text(lanes.values())
    files = {f"{stem}.yaml": terrain_text(made, mapping, command), **files}
    return ImportedTerrain(files, _report(document, made, lanes, objects, surface, losses))


def _report(
    document: Document, made: GeneratedTerrain, lanes: dict[str, Lane], objects: RoadObjects, surface: Surface, losses: Losses
) -> dict[str, Any]:
    roads = document.roads.values()
    return {
        "roads": len(roads),
        "length": sum(road.length for road in roads),
        "junctions": len(document.junctions),
        "nodes": [made.grid.columns, made.grid.rows],
        "spacing": made.grid.spacing,
        "heights": [float(made.heights.min()), float(made.heights.max())],
        "lanes": sum(not lane.walk for lane in lanes.values()),
        "sidewalks": sum(lane.walk for lane in lanes.values()),
        "marks": len(made.marks),
        "objects": len(objects.simple) + len(objects.hulls),
        "places": list(made.places),
        "covered_m2": surface.covered,
        "losses": losses.lines(),
    }


def _near_origin(document: Document) -> tuple[Document, Array]:
    """Return a document whose roads are near the origin, and the point of the file that becomes x = y = 0."""
    starts = np.array([(one.x, one.y) for road in document.roads.values() for one in road.reference.elements])
    if np.abs(starts).max() <= FAR:
        return document, np.zeros(2)
    shift = np.round(0.5 * (starts.min(axis=0) + starts.max(axis=0)) / ROUND) * ROUND

    def moved(road: Road) -> Road:
        elements = tuple(replace(one, x=one.x - shift[0], y=one.y - shift[1]) for one in road.reference.elements)
        return replace(road, reference=replace(road.reference, elements=elements))

    return replace(document, roads={name: moved(road) for name, road in document.roads.items()}), shift


def _on_grid(ground: Callable[[Array, Array], Array] | None, shift: Array) -> Callable[[Grid], Array] | None:
    """Return a function of the grid from a function of points of the file."""
    if ground is None:
        return None

    def heights(grid: Grid) -> Array:
        x, y = np.meshgrid(grid.x + shift[0], grid.y + shift[1])
        return ground(x.ravel(), y.ravel()).reshape(grid.shape)

    return heights


def _on_surface(maker: NetworkMaker, heights: Raster, losses: Losses) -> dict[str, Lane]:
    """Return the lanes on the surface, without those of a road above or below it."""
    lost = set()
    for name, points in maker.tracks.items():
        away = np.abs(heights.heights(points[:, 0], points[:, 1]) - points[:, 2])
        if not (away < OFF_SURFACE).all():
            lost.add(name)
            losses.add("lane of a road above or below the surface: not in the network", maker.places[name][0].road.element.line, name)

    def left(name: str | None) -> str | None:
        return None if name in lost else name

    return {
        name: replace(
            lane, successors=tuple(one for one in lane.successors if one not in lost), left=left(lane.left), right=left(lane.right)
        )
        for name, lane in maker.lanes.items()
        if name not in lost
    }


def _covers(surface: Surface, kinds: list[Any]) -> tuple[np.ndarray, list[Cover], list[dict[str, Any]]]:
    """Return the index of the ground of each node, the grounds, and the entries of the soil map."""
    numbers: dict[float, int] = {}
    index = np.ones(len(kinds) + 1, np.uint8)
    index[-1] = 0  # ground
    entries: list[dict[str, Any]] = [{"index": 0, "soil": SOIL}, {"index": 1, "surface": PAVED}]
    for k, (_, lane) in enumerate(kinds):
        friction = round(lane.friction, 3)
        soft = lane.kind in NATURAL or (lane.kind == "border" and lane.width.coefficients[:, 0].max(initial=0.0) > WIDE_BORDER)
        if soft:
            index[k] = 0
        elif not math.isnan(friction) and (friction in numbers or len(numbers) < MAX_SURFACES):
            if friction not in numbers:
                numbers[friction] = len(entries)
                entries.append({"index": len(entries), "surface": PAVED, "friction": friction})
            index[k] = numbers[friction]
    return index[surface.lanes], [Cover(SOIL, False), Cover(PAVED, True)], entries


def _places(lanes: dict[str, Lane]) -> dict[str, Place]:
    """Return the start of a drive: on the longest lane for vehicles outside junctions."""
    chosen = max((one for one in lanes.values() if not one.walk), key=lambda one: (one.crossing is None, _length(one)), default=None)
    if chosen is None:
        return {}
    steps = np.diff(chosen.points, axis=0)
    ends = np.cumsum(np.hypot(*steps.T))
    station = min(START, 0.2 * float(ends[-1]))
    k = int(np.searchsorted(ends, station))
    ahead = steps[k] / np.hypot(*steps[k])
    at = chosen.points[k + 1] - (ends[k] - station) * ahead
    return {"start": Place(np.round(at, 3), round(math.degrees(math.atan2(ahead[1], ahead[0])), 3), f"on lane {chosen.name}")}


def _length(lane: Lane) -> float:
    return float(np.hypot(*np.diff(lane.points, axis=0).T).sum())


def _georeference(document: Document, shift: Array, losses: Losses) -> tuple[dict[str, Any], list[str]]:
    """Return the section of the place on Earth, empty without, and comments about it."""
    x, y, z, heading = document.offset
    origin = [float(x + shift[0]), float(y + shift[1])]
    moved = [f"x = y = 0 of this terrain is x = {shift[0]:g} m, y = {shift[1]:g} m of the file"] if shift.any() else []
    if z:
        moved.append(f"z = 0 of this terrain is {z:g} m in the projection")
    if not document.projection:
        return {}, moved
    moved.append(f"projection: {' '.join(document.projection.split())}")
    try:
        if heading:
            raise ConfigError(document.file, "header/offset/@hdg", heading, "0")
        if kind_of(document.projection, document.file, "geoReference") != MAP:
            raise ConfigError(document.file, "geoReference", document.projection, "a projection in m")
        check_true_lengths(document.projection, origin[0], origin[1], document.file, "geoReference")
    except ConfigError as error:
        losses.add(f"place on Earth: {error.errors[0].expected}")
        return {}, moved
    return {"georeference": {"crs": document.projection, "origin": origin}}, moved


def _npy(values: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def _png(pixels: np.ndarray) -> bytes:
    """Encode indices as a PNG, first row in the north."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels[::-1])).save(out, "png", compress_level=6)
    return out.getvalue()
