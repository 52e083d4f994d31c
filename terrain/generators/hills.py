"""Hills: a random field with a natural spectrum, ridges, rain erosion and slides, soils by slope and wetness, and a track."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.fields import Choice, Field, Number
from terrain.generators.erosion import eroded_by_rain, slid, wetness
from terrain.generators.generated_terrain import Cover, Entry, GeneratedTerrain, Grid, Place
from terrain.generators.shapes import blurred, field
from terrain.heightmap_detail import ISO_CLASSES

HILLS = (
    Field("size", Number("m", 128.0, 4096.0), "length of a side", 768.0),
    Field("spacing", Number("m", 0.25, 8.0), "distance between nodes", 1.0),
    Field("relief", Number("m", 1.0, 500.0), "height difference of the lowest and the highest point", 40.0),
    Field("waviness", Number("1", 1.5, 4.0), "exponent of the spectrum of profiles; natural ground has 2 to 2.6", 2.4),
    Field("ridges", Number("1", 0.0, 1.0), "fraction of ridged ground", 0.35),
    Field("rain", Number("1", 0.0, 10.0), "drops of rain per node", 0.6),
    Field("repose", Number("rad", math.radians(15.0), math.radians(60.0)), "maximum stable slope", math.radians(33.0), written="deg"),
    Field("roughness", Choice((*ISO_CLASSES, "none")), "class of ISO 8608 of the natural ground", "D"),
)
COVERS = (Cover("grenville_loam", False), Cover("clayey_loam", False), Cover("lete_sand", False), Cover("gravel", True))
LOAM, CLAY, SAND, STONES = range(4)
WET_QUANTILE, DRY_QUANTILE, STEEP_SLOPE = 0.90, 0.25, math.tan(math.radians(27.0))
"""Quantiles of the wetness for clayey and sandy ground, and the minimum slope of stony ground. [assumed]"""
TRACK_GRID = 8.0
"""m. Distance of the grid points of the track."""
TRACK_GRADE = 0.06
"""1. Grade that doubles the cost of a distance. [assumed]"""


def hills(parameters: dict, seed: int) -> GeneratedTerrain:
    """Generate hills from the parameters of `HILLS`."""
    spacing, half = parameters["spacing"], 0.5 * parameters["size"]
    grid = Grid.over((-half, -half), (half, half), spacing)
    heights = _land(parameters, grid, seed)
    wet = blurred(wetness(heights, spacing), max(1.0, 3.0 / spacing))
    slope = blurred(np.hypot(*np.gradient(heights, spacing)), max(0.5, 1.5 / spacing))
    cover = np.full(grid.shape, LOAM, np.uint8)
    cover[wet < np.quantile(wet, DRY_QUANTILE)] = SAND
    cover[wet > np.quantile(wet, WET_QUANTILE)] = CLAY
    cover[slope > STEEP_SLOPE] = STONES
    line = track(heights, grid)
    rough = parameters["roughness"]
    road = {
        "name": "track", "surface": "gravel", "width": 4.5, "verge": 1.0, "embankment": 6.0, "crown_percent": 2.0, "smoothing": 25.0,
        **({"roughness": "C"} if rough != "none" else {}),
        "points": np.round(line, 1).tolist(),
    }  # fmt: skip
    return GeneratedTerrain(
        about=(
            f"hilly country, {parameters['size']:g} m square: spectral synthesis (waviness {parameters['waviness']:g}) with ridges, then "
            "rain and "
            "slides",
            "clayey_loam where water gathers, lete_sand where it is dry, gravel on steep slopes, grenville_loam elsewhere [assumed]",
        ),
        grid=grid,
        heights=heights,
        cover=cover,
        covers=COVERS,
        places={
            "track": Place(np.round(line[1], 1), _heading(line[1], line[2]), "on the track, in the south-west"),
            "track_end": Place(np.round(line[-2], 1), _heading(line[-2], line[-3]), "at the other end of the track, heading back"),
            "middle": Place((0.0, 0.0), 0.0, "cross country"),
        },
        roads=(Entry(road),),
        sections={} if rough == "none" else {"roughness": {"class": rough, "longest": 20.0, "seed": seed % 2**32}},
    )


def _heading(a: Array, b: Array) -> float:
    """Return the heading from a to b, in deg."""
    return round(math.degrees(math.atan2(b[1] - a[1], b[0] - a[0])), 1)


def _land(parameters: dict, grid: Grid, seed: int) -> Array:
    """Return the heights after erosion, computed on a wider area to avoid border effects."""
    spacing, strip = grid.spacing, max(8, round(0.06 * grid.columns))
    shape = grid.rows + 2 * strip, grid.columns + 2 * strip
    smooth = field(shape, spacing, parameters["waviness"], parameters["size"], 10.0 * spacing, seed)
    ridged = 1.0 - np.abs(field(shape, spacing, parameters["waviness"] + 0.4, 0.6 * parameters["size"], 12.0 * spacing, seed + 1))
    land = parameters["relief"] * _unit((1.0 - parameters["ridges"]) * smooth + parameters["ridges"] * ridged)
    repose = math.tan(parameters["repose"])
    land = slid(land, spacing, repose, 40)
    drops = round(parameters["rain"] * land.size)
    if drops:
        land = eroded_by_rain(land, spacing, drops, max(16, round(80.0 / spacing)), seed + 2)
        land = slid(blurred(land, 0.7), spacing, repose, 40)
    return parameters["relief"] * _unit(land[strip:-strip, strip:-strip])


def _unit(values: Array) -> Array:
    """Scale values to the range 0 to 1."""
    return np.asarray((values - values.min()) / (values.max() - values.min()), np.float64)


def track(heights: Array, grid: Grid) -> Array:
    """Return points (n, 2) of a path from the south-west to the north-east that avoids steep ground [Dijkstra 1959]."""
    step = max(1, round(TRACK_GRID / grid.spacing))
    coarse = blurred(heights, 0.35 * step)[::step, ::step]
    rows, columns = coarse.shape
    edge = max(2, round(0.08 * min(rows, columns)))
    way = _cheapest(coarse, step * grid.spacing, (edge, edge), (rows - 1 - edge, columns - 1 - edge))
    points = np.array(grid.corner) + grid.spacing * step * np.array(way, float)[:, ::-1]
    for _ in range(8):
        points[1:-1] = 0.25 * points[:-2] + 0.5 * points[1:-1] + 0.25 * points[2:]
    kept = points[:: max(1, round(24.0 / (step * grid.spacing)))]
    return kept if np.hypot(*(kept[-1] - points[-1])) < 12.0 else np.vstack((kept, points[-1:]))


_MOVES = tuple((j, i) for j in range(-2, 3) for i in range(-2, 3) if math.gcd(j, i) == 1)
"""Steps (rows, columns) of a path: to the eight neighbors, and as the knight of chess."""


def _cheapest(z: NDArray, step: float, start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the cells, none at the border, of the path with the minimum of length times (1 + (grade / TRACK_GRADE)^2)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    number, edges = np.arange(z.size).reshape(z.shape), []
    for move in _MOVES:
        here = tuple(slice(1 + max(-k, 0), n - 1 - max(k, 0)) for k, n in zip(move, z.shape, strict=True))
        there = tuple(slice(1 + max(k, 0), n - 1 - max(-k, 0)) for k, n in zip(move, z.shape, strict=True))
        length = step * math.hypot(*move)
        cost = length * (1.0 + ((z[there] - z[here]) / length / TRACK_GRADE) ** 2)
        edges.append((cost.ravel(), number[here].ravel(), number[there].ravel()))
    costs, first, last = (np.concatenate(column) for column in zip(*edges, strict=True))
    graph = coo_array((costs, (first, last)), (z.size, z.size)).tocsr()
    before = dijkstra(graph, indices=number[start], return_predecessors=True)[1]
    way = [int(number[end])]
    while way[-1] != number[start]:
        way.append(int(before[way[-1]]))
    return [divmod(cell, z.shape[1]) for cell in reversed(way)]
