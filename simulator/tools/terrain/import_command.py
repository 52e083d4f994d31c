"""`jounce terrain import FILE --out FOLDER`: create a terrain file and its height map from elevation data."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.tools.terrain.elevation_file import HeightsFile, read_file
from simulator.tools.terrain.mesh_world import CLEARANCE, MeshObject, drivable_heights, obj_text, objects_of, oriented
from simulator.tools.terrain.write_files import check_new, write_all
from terrain.georeferenced import GeoreferencedSource, on_nodes
from terrain.readers.contract import LONLAT, MAP, ElevationSource, Raster
from terrain.readers.coordinate_reference import FOREIGN, STRETCH_MAX, check_true_lengths, kind_of, stretch_of, transformed, utm_of
from terrain.readers.mesh import Mesh
from terrain.void_filling import filled

MAX_NODES = 16_000_000
"""Maximum nodes of a terrain for driving."""
EDGE = 65
"""Points along a side of rotated data, to compute the rectangle inside the data."""
MAX_ROUNDING = 1e-5
"""m. Heights are stored in single precision if its rounding error is below this value."""
WGS84 = "EPSG:4326"
MIN_NODES = 4
"""Minimum nodes along an axis."""


@dataclass(frozen=True)
class Imported:
    """Heights on nodes.

    Attributes
    ----------
    heights : (ny, nx) m, row 0 in the south
    corner : x, y of the south-west node
    spacing : along x and y
    crs, origin : location on Earth: reference system and its point at x = y = 0
    voids : number of filled heights
    of : total number of heights
    """

    heights: Array
    corner: Array
    spacing: Array
    crs: str
    origin: Array | None
    voids: int
    of: int


def main_import(arguments: Any) -> int:
    """Run `jounce terrain import` and return 0. Raises ConfigError: unusable file; OutputError: a file that cannot be written."""
    if arguments.path is not None:
        raise ConfigError("jounce terrain import", "", arguments.file, "one file of elevation data, or verti_bench or barn and a folder")
    for option in ("world", "variant", "scale"):
        if getattr(arguments, option) is not None:
            raise ConfigError(f"--{option}", "", arguments.file, "verti_bench or barn instead of a file of elevation data")
    file = read_file(arguments.file, arguments.set)
    if file.assumed:
        keys = ", ".join(words.split()[0] for words in file.assumed)
        raise ConfigError(file.path, "", f"no {keys}", f"--set {' --set '.join(_needed_settings(file))}")
    terrain = imported(file, arguments)
    objects: list[MeshObject] = []
    if arguments.objects:
        terrain, objects = split_mesh(terrain, file, CLEARANCE if arguments.clearance is None else arguments.clearance)
    elif arguments.clearance is not None:
        raise ConfigError("--clearance", "", arguments.clearance, "--objects with --clearance")
    yaml = Path(arguments.out)
    heights = yaml.with_suffix(".npy")
    check_new((yaml, heights))
    ground = ("soil", arguments.soil) if arguments.soil else ("surface", arguments.surface)
    write_all(_contents(terrain, yaml, heights, (file, ground), objects))
    report = {**_report(terrain, yaml, heights), "objects": len(objects)}
    print_line(json_text(report) if arguments.json else _text(terrain, yaml, heights) + (f"\n  {len(objects)} objects" if objects else ""))
    return 0


def split_mesh(terrain: Imported, file: HeightsFile, clearance: float) -> tuple[Imported, list[MeshObject]]:
    """Return the drivable surface of a mesh at the nodes of `terrain`, and the objects on it. Raises ConfigError."""
    if not isinstance(file.source, Mesh):
        raise ConfigError("--objects", "", file.path, "a mesh: .obj, .gltf or .glb")
    rows, columns = terrain.heights.shape
    x, y = (terrain.corner[k] + terrain.spacing[k] * np.arange(n) for k, n in ((0, columns), (1, rows)))
    mesh = oriented(file.source, x, y)
    heights, voids = drivable_heights(mesh, x, y, clearance)
    return replace(terrain, heights=heights, voids=voids), objects_of(mesh, x, y, heights)


def _needed_settings(file: HeightsFile) -> list[str]:
    """Return the settings that the file needs on the command line."""
    assumed = {words.split()[0] for words in file.assumed}
    words = {"first_row": "first_row=north", "spacing": "spacing=[DX,DY]", "origin": "origin=[X,Y]", "scale": "range=[LOW,HIGH]"}
    return [text for key, text in {**words, "byte_order": "byte_order=little", "up": "up=z"}.items() if key in assumed]


def imported(file: HeightsFile, arguments: Any) -> Imported:
    """Return the heights of a file on nodes, with voids filled. Raises ConfigError."""
    source, voids = file.source, 0
    if isinstance(source, Raster):
        voids = source.voids
        source = Raster(filled(source.samples), source.corner, source.along_row, source.along_column, source.kind, source.crs)
    crs = _target(source, arguments.crs)
    straight = source.northward() if isinstance(source, Raster) and crs in ("", source.crs) else None
    if straight is not None and arguments.spacing is None:
        return _original_samples(straight, crs, arguments, voids)
    return _on_new_nodes(source, crs, arguments, voids)


def _target(source: ElevationSource, name: str | None) -> str:
    """Return the reference system of the terrain, empty for none. Raises ConfigError."""
    if name is not None:
        if not source.crs:
            raise ConfigError("--crs", "", name, "a file with a reference system; hint: --set crs=EPSG:...")
        if kind_of(name, "--crs", "") != MAP:
            raise ConfigError("--crs", "", name, "a reference system in m, such as a UTM zone")
        check_true_lengths(name, *_middle(source, name), "--crs", "")
        return name
    if source.kind == LONLAT or (source.kind == MAP and source.crs and abs(stretch_of(source.crs, *_middle(source)) - 1.0) > STRETCH_MAX):
        return utm_of(*_middle(source, WGS84))
    if source.kind == FOREIGN:
        raise ConfigError("--crs", "", "nothing", f"a reference system in m; {source.crs[:40]} has another unit")
    return source.crs


def _middle(source: ElevationSource, crs: str = "") -> tuple[float, float]:
    """Return the middle of the data, in their own reference system or in another one. Raises ConfigError."""
    x0, x1, y0, y1 = source.bounds
    x, y = np.array([0.5 * (x0 + x1)]), np.array([0.5 * (y0 + y1)])
    if crs and not (crs == WGS84 and source.kind == LONLAT):
        x, y = transformed(x, y, source.crs, crs, "--crs", "")
    return float(x[0]), float(y[0])


def _original_samples(raster: Raster, crs: str, arguments: Any, voids: int) -> Imported:
    """Return the original samples, or the samples inside the window."""
    spacing = np.array((raster.along_row[0], raster.along_column[1]))
    rows, columns = raster.samples.shape
    low, high = np.zeros(2, int), np.array((columns, rows)) - 1
    if arguments.window is not None:
        window = _window(arguments.window)
        low = np.maximum(low, np.ceil((window[:2] - raster.corner) / spacing - 1e-6).astype(int))
        high = np.minimum(high, np.floor((window[2:] - raster.corner) / spacing + 1e-6).astype(int))
    if (high - low + 1 < MIN_NODES).any():
        raise ConfigError("--window", "", arguments.window, f"at least {MIN_NODES} samples along each axis inside {_extent(raster)}")
    heights = raster.samples[low[1] : high[1] + 1, low[0] : high[0] + 1]
    corner = raster.corner + low * spacing
    _check_nodes(high - low + 1)
    origin = None if raster.kind != MAP else corner + spacing * ((high - low + 1) // 2)
    shift = np.zeros(2) if origin is None else origin
    return Imported(heights, corner - shift, spacing, crs, origin, voids, rows * columns)


def _on_new_nodes(source: ElevationSource, crs: str, arguments: Any, voids: int) -> Imported:
    """Return the heights of the C1 surface, of triangles or of a road, at nodes along x and y of the target."""
    box = _window(arguments.window) if arguments.window is not None else np.array(source.bounds)[[0, 2, 1, 3]]
    moved = crs != source.crs
    low, high, step = _inside_of(box, source, crs) if moved else (box[:2], box[2:], min(source.step))
    spacing = float(arguments.spacing if arguments.spacing is not None else step)
    counts = np.floor((high - low) / spacing + 1e-6).astype(int) + 1
    _check_nodes(counts)
    on_earth = source.kind in (MAP, LONLAT, FOREIGN)
    origin = low + spacing * (counts // 2) if on_earth else None
    shift = np.zeros(2) if origin is None else origin
    x, y = (low[k] - shift[k] + spacing * np.arange(counts[k]) for k in (0, 1))
    heights = on_nodes(GeoreferencedSource(source, shift, crs if moved else "", "--crs", "").smooth, x, y)
    gaps = int(np.isnan(heights).sum())
    if gaps == heights.size:
        raise ConfigError("--window", "", arguments.window, f"a window within {_extent(source)}")
    total = heights.size if gaps else source.about().get("samples", [heights.size, 1])
    of = int(np.prod(total))
    return Imported(filled(heights), low - shift, np.full(2, spacing), crs, origin, voids + gaps, of)


def _window(values: Any) -> Array:
    """Return x_min, y_min, x_max, y_max."""
    window = np.asarray(values, np.float64)
    if not (window[:2] < window[2:]).all():
        raise ConfigError("--window", "", list(values), "x_min y_min x_max y_max in the coordinates of the file")
    return window


def _inside_of(box: Array, source: ElevationSource, crs: str) -> tuple[Array, Array, float]:
    """Return the largest axis-aligned rectangle inside a transformed box, and the sample distance in it."""
    t = np.linspace(0.0, 1.0, EDGE)
    (x0, y0, x1, y1), along = box, np.ones(EDGE)
    sides = [
        (x0 * along, y0 + t * (y1 - y0)),
        (x1 * along, y0 + t * (y1 - y0)),
        (x0 + t * (x1 - x0), y0 * along),
        (x0 + t * (x1 - x0), y1 * along),
    ]
    west, east, south, north = (transformed(*side, source.crs, crs, "--crs", "") for side in sides)
    low, high = np.array((west[0].max(), south[1].max())), np.array((east[0].min(), north[1].min()))
    if not (low < high).all():
        raise ConfigError("--window", "", box.tolist(), "a window of data rotated by less than 45 degrees")
    step = float(((high - low) / ((box[2:] - box[:2]) / np.array(source.step))).min())
    return np.ceil(low), np.floor(high), float(f"{step:.2g}")


def _check_nodes(counts: Any) -> None:
    columns, rows = (int(n) for n in counts)
    if columns * rows > MAX_NODES or min(columns, rows) < MIN_NODES:
        raise ConfigError(
            "--spacing",
            "",
            f"{columns} x {rows} nodes",
            f"at least {MIN_NODES} along each axis and {MAX_NODES} in total; hint: change the spacing or the window",
        )


def _extent(source: ElevationSource) -> str:
    x0, x1, y0, y1 = source.bounds
    return f"x {x0:.10g} to {x1:.10g}, y {y0:.10g} to {y1:.10g}"


def _contents(
    terrain: Imported, yaml: Path, heights: Path, source: tuple[HeightsFile, tuple[str, str]], objects: list[MeshObject]
) -> dict[Path, bytes | str]:
    """Return the contents of the files of a terrain by path; `source` is the imported file, and key and name of the ground."""
    single = terrain.heights.astype(np.float32)
    exact = float(np.abs(single.astype(np.float64) - terrain.heights).max()) <= MAX_ROUNDING
    stream = io.BytesIO()
    np.save(stream, single if exact else terrain.heights)
    out: dict[Path, bytes | str] = {heights: stream.getvalue()}
    lines = []
    for one in objects:
        mesh = yaml.with_name(f"{yaml.stem}_{one.name}.obj")
        out[mesh] = obj_text(one)
        lines.append(
            f"  - {{shape: mesh, file: {json_text(mesh.name)}, up: z, position: {_list(np.array(one.position))}, label: {one.label}, name: {one.name}}}"
        )
    text = _terrain_text(terrain, heights.name, *source) + ("\n".join(["objects:", *lines]) + "\n" if lines else "")
    return {**out, yaml: text}


def _terrain_text(terrain: Imported, heights: str, file: HeightsFile, ground: tuple[str, str]) -> str:
    """Return the text of the terrain file."""
    rows, columns = terrain.heights.shape
    spacing = float(terrain.spacing.min())
    counts = [int(extent / spacing + 1e-6) + 1 for extent in ((columns - 1) * terrain.spacing[0], (rows - 1) * terrain.spacing[1])]
    middle = terrain.corner + 0.5 * spacing * (np.array(counts) - 1)
    voids = f"{terrain.voids} of {terrain.of} heights were voids, filled from their rims" if terrain.voids else "no voids"
    lines = [
        f"# {file.path.name}, imported by `jounce terrain import`; {voids}.",
        "# x points east, y north; heights are those of the file.",
        "type: heightmap",
        "heights:",
        f"  file: {heights}",
        "  first_row: south",
        f"  origin: {_list(terrain.corner)}      # m, the south-west sample",
        f"  spacing: {_list(terrain.spacing)}    # m",
        "  scale: 1.0",
        "  offset: 0.0",
    ]
    if terrain.origin is not None:
        crs = f"crs: {json_text(terrain.crs)}, " if terrain.crs else ""
        lines.append(f"georeference: {{{crs}origin: {_list(terrain.origin)}}}     # its point at x = y = 0")
    lines += [
        f"grid: {{origin: {_list(terrain.corner)}, spacing: {spacing!r}, count: {counts}}}",
        f"{ground[0]}: {ground[1]}",
        f"spawn: {{position: {_list(middle)}, yaw_deg: 0.0}}",
    ]
    return "\n".join(lines) + "\n"


def _list(values: Array) -> str:
    return f"[{', '.join(repr(float(value)) for value in values)}]"


def _report(terrain: Imported, yaml: Path, heights: Path) -> dict[str, Any]:
    rows, columns = terrain.heights.shape
    return {
        "terrain": str(yaml),
        "heights_file": str(heights),
        "nodes": [columns, rows],
        "spacing": terrain.spacing.tolist(),
        "heights": [float(terrain.heights.min()), float(terrain.heights.max())],
        "crs": terrain.crs or None,
        "origin_in_crs": None if terrain.origin is None else terrain.origin.tolist(),
        "voids_filled": terrain.voids,
        "voids_of": terrain.of,
    }


def _text(terrain: Imported, yaml: Path, heights: Path) -> str:
    result = _report(terrain, yaml, heights)
    low, high = result["heights"]
    columns, rows = result["nodes"]
    place = (
        ""
        if terrain.origin is None
        else f"\n  x = y = 0 at {terrain.origin[0]:.10g}, {terrain.origin[1]:.10g} in "
        f"{terrain.crs.splitlines()[0][:60] or 'its coordinate system'}"
    )
    voids = f"{terrain.voids} of {terrain.of} heights were voids, filled by a membrane over their rims" if terrain.voids else "no voids"
    return (
        f"{yaml} and {heights.name}\n  {columns} x {rows} nodes, {terrain.spacing[0]:.10g} x {terrain.spacing[1]:.10g} m, "
        f"{low:.6g} to {high:.6g} m{place}\n  {voids}"
    )
