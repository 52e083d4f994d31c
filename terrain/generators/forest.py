"""Forest: trees on gently rolling loam by density and seed, with a winding track that is free of trees."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from terrain.generators.generated_terrain import Cover, Entry, GeneratedTerrain, Grid, Place
from terrain.generators.scattering import area_of, scattered
from terrain.generators.shapes import rolling
from terrain.generators.site import Site, clear_ahead
from terrain.objects.trees import tree
from terrain.objects.world_object import WorldObject

FOREST = (
    Field("size", Number("m", 40.0, 1024.0), "length of a side", 200.0),
    Field("spacing", Number("m", 0.25, 4.0), "distance between nodes", 0.5),
    Field("density", Number("1/m2", 0.0, 0.5), "trees per area beside the track; 200 to 1000 per hectare are usual", 0.03),
    Field("gap", Number("m", 0.0, 20.0), "minimum gap between two trunks", 1.5),
    Field("trunk", Number("m", 0.02, 2.0, shape=(2,)), "minimum and maximum diameter of the trunks", (0.15, 0.5)),
    Field("height", Number("m", 2.0, 60.0, shape=(2,)), "height of trees with the thinnest and the thickest trunk", (7.0, 18.0)),
    Field("conifers", Number("1", 0.0, 1.0), "fraction of conifers", 0.5),
    Field("relief", Number("m", 0.0, 50.0), "height difference of the lowest and the highest point", 3.0),
    Field("track", Number("m", 0.0, 12.0), "width of the track; 0 = none", 4.0),
)
COVERS = (Cover("grenville_loam", False), Cover("gravel", True))
FREE = 1.0
"""m. Free ground on both sides of the track. [assumed]"""
STEP = 4.0
"""m. Distance of the points of the track."""


def forest(parameters: dict, seed: int) -> GeneratedTerrain:
    """Generate a forest from the parameters of `FOREST`."""
    half = 0.5 * parameters["size"]
    grid = Grid.over((-half, -half), (half, half), parameters["spacing"])
    heights = rolling(grid, parameters["relief"], 15.0, seed)
    line = _track(half, seed) if parameters["track"] > 0.0 else np.zeros((0, 2))
    places = _places(line)
    trees = _trees(parameters, grid, heights, (line, places), seed)
    road = {
        "name": "track", "surface": "gravel", "width": parameters["track"], "verge": 0.5, "embankment": 2.0, "crown_percent": 1.0,
        "smoothing": 15.0, "points": np.round(line, 2).tolist(),
    }  # fmt: skip
    return GeneratedTerrain(
        about=(
            f"forest, {parameters['size']:g} m square, {parameters['density']:g} trees per m2 beside the track",
            "trunks are solid, crowns are porous; sizes and shapes of the trees are assumed",
        ),
        grid=grid,
        heights=heights,
        cover=np.zeros(grid.shape, np.uint8),
        covers=COVERS,
        places=places,
        roads=(Entry(road),) if len(line) else (),
        objects=trees,
    )


def _track(half: float, seed: int) -> Array:
    """Return the center line (n, 2) of a track from west to east: waves that vanish at the ends."""
    random = np.random.default_rng([seed, 3])
    x = np.linspace(-half + 5.0, half - 5.0, max(4, round(2.0 * half / STEP)))
    s = (x + half) / (2.0 * half)
    y = sum(random.uniform(0.3, 1.0) * np.sin(2.0 * math.pi * (k * s + random.random())) / k for k in (1, 2, 3))
    return np.column_stack((x, 0.18 * half * y * np.sin(math.pi * s)))


def _places(line: Array) -> dict[str, Place]:
    """Return the start positions: both ends of the track, or the middle."""
    if not len(line):
        return {"middle": Place((0.0, 0.0), 0.0, "between the trees")}
    out = {}
    for name, note, (a, b) in (("track", "in the west", (1, 2)), ("track_end", "in the east, heading back", (-2, -3))):
        ahead = line[b] - line[a]
        out[name] = Place(np.round(line[a], 2), round(math.degrees(math.atan2(ahead[1], ahead[0])), 2), f"on the track, {note}")
    return out


def _trees(parameters: dict, grid: Grid, heights: Array, free: tuple[Array, dict[str, Place]], seed: int) -> list[WorldObject]:
    """Return trunks and crowns; `free` has the center line of the track and the start positions, which stay free of trunks."""
    from scipy.interpolate import RegularGridInterpolator
    from scipy.spatial import cKDTree

    random = np.random.default_rng([seed, 4])
    line, places = free
    half = 0.5 * parameters["size"] - 1.0
    far = 0.5 * parameters["track"] + FREE + 0.5 * parameters["trunk"][1]
    nearest = cKDTree(_fine(line)) if len(line) else None
    site = Site()
    for place in places.values():
        for circle in clear_ahead(place, 12.0, 4.0):
            site.take(circle)

    def region(x: Array, y: Array) -> np.ndarray:
        return np.ones(len(x), bool) if nearest is None else nearest.query(np.column_stack((x, y)))[0] > far

    bounds = (-half, -half), (half, half)
    number = round(parameters["density"] * area_of(region, *bounds))
    share = random.random(number)
    diameters = np.interp(share, (0.0, 1.0), parameters["trunk"])
    tall = np.interp(share, (0.0, 1.0), parameters["height"]) * random.uniform(0.85, 1.15, number)
    conifers = random.random(number) < parameters["conifers"]
    at = scattered(site, 0.5 * diameters, parameters["gap"], region, bounds, random)
    ground = RegularGridInterpolator((grid.y, grid.x), heights)(at[:, ::-1]) if number else np.zeros(0)
    out: list[WorldObject] = []
    for k in range(number):
        point = float(at[k, 0]), float(at[k, 1])
        out += tree(f"tree_{k + 1}", point, float(tall[k]), 0.5 * float(diameters[k]), bool(conifers[k]), float(ground[k]))
    return out


def _fine(line: Array) -> Array:
    """Return points (n, 2) of a line at most 0.25 m apart."""
    s = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))))
    t = np.linspace(0.0, s[-1], math.ceil(s[-1] / 0.25) + 1)
    return np.column_stack([np.interp(t, s, line[:, k]) for k in (0, 1)])
