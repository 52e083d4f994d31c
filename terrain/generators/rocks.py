"""Field of rocks by density and seed: low rocks are bumps of the ground, which wheels climb, the others are objects."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from terrain.generators.generated_terrain import Cover, GeneratedTerrain, Grid, Place
from terrain.generators.scattering import area_of, scattered
from terrain.generators.shapes import field
from terrain.generators.site import Site, clear_ahead
from terrain.objects.world_object import Box, Material, Sphere, WorldObject

ROCKS = (
    Field("size", Number("m", 20.0, 512.0), "length of a side", 100.0),
    Field("spacing", Number("m", 0.1, 1.0), "distance between nodes", 0.2),
    Field("density", Number("1/m2", 0.0, 1.0), "rocks per area", 0.05),
    Field("gap", Number("m", 0.0, 20.0), "minimum gap between two rocks", 0.3),
    Field("diameter", Number("m", 0.2, 10.0, shape=(2,)), "minimum and maximum diameter", (0.3, 2.5)),
    Field("exponent", Number("1", 0.5, 5.0), "exponent of the number of rocks larger than a diameter D, D^-exponent", 2.0),
    Field("climbed", Number("m", 0.0, 1.0), "height above the ground up to which a rock is a bump of the ground", 0.25),
    Field("relief", Number("m", 0.0, 20.0), "height difference of the lowest and the highest point", 1.0),
)
COVERS = (Cover("gravel", True),)
STANDS_OUT = 0.6
"""Height of a rock above the ground over its diameter: the rest is buried. [assumed]"""
FREE = 4.0
"""m. Free ground around the start position."""
ROCK = Material(color=(0.47, 0.45, 0.42), friction=0.7, restitution=0.1)


def rocks(parameters: dict, seed: int) -> GeneratedTerrain:
    """Generate a field of rocks from the parameters of `ROCKS`."""
    half = 0.5 * parameters["size"]
    grid = Grid.over((-half, -half), (half, half), parameters["spacing"])
    land = field(grid.shape, grid.spacing, 3.0, parameters["size"], 10.0, seed)
    heights = parameters["relief"] * (land - land.min()) / np.ptp(land)
    places = {
        "west": Place((-half + 5.0, 0.0), 0.0, "at the western edge, heading east"),
        "middle": Place((0.0, 0.0), 0.0, "between the rocks"),
    }
    at, diameters = _places(parameters, places, seed)
    low = STANDS_OUT * diameters <= parameters["climbed"]
    from_land = _at(grid, heights, at)
    for place, diameter in zip(at[low], diameters[low], strict=True):
        _add_bump(grid, heights, place, diameter)
    return GeneratedTerrain(
        about=(
            f"field of {len(at)} rocks, {parameters['size']:g} m square, diameters {parameters['diameter'][0]:g} to "
            f"{parameters['diameter'][1]:g} m; {int(low.sum())} of them up to {parameters['climbed']:g} m high are bumps of the ground",
            "shapes and the buried part (0.4 of the diameter) are assumed",
        ),
        grid=grid,
        heights=heights,
        cover=np.zeros(grid.shape, np.uint8),
        covers=COVERS,
        places=places,
        objects=_objects(at[~low], diameters[~low], from_land[~low], seed),
    )


def _places(parameters: dict, places: dict[str, Place], seed: int) -> tuple[Array, Array]:
    """Return places (n, 2) and diameters (n,) [m]."""
    random = np.random.default_rng([seed, 5])
    half = 0.5 * parameters["size"] - 1.0
    bounds = (-half, -half), (half, half)
    site = Site()
    for place in places.values():
        for circle in (*clear_ahead(place, 0.0, FREE), *clear_ahead(place, FREE, 0.5 * FREE)):
            site.take(circle)

    def region(x: Array, y: Array) -> np.ndarray:
        return np.ones(len(x), bool)

    number = round(parameters["density"] * area_of(region, *bounds))
    low, high = parameters["diameter"]
    power = -parameters["exponent"]
    diameters = (low**power + random.random(number) * (high**power - low**power)) ** (1.0 / power)
    # the corners of a rock that becomes a box reach as far as its circle
    return scattered(site, 0.5 * diameters, parameters["gap"], region, bounds, random), diameters


def _at(grid: Grid, heights: Array, points: Array) -> Array:
    """Return bilinear heights at points (n, 2)."""
    from scipy.interpolate import RegularGridInterpolator

    return np.asarray(RegularGridInterpolator((grid.y, grid.x), heights)(points[:, ::-1])) if len(points) else np.zeros(0)


def _add_bump(grid: Grid, heights: Array, place: Array, diameter: float) -> None:
    """Add a smooth bump as wide as a rock and as high as its part above the ground."""
    radius = max(0.5 * diameter, 2.0 * grid.spacing)  # narrower ones fall between the nodes
    part = grid.part((place[0] - radius, place[0] + radius), (place[1] - radius, place[1] + radius))
    d2 = ((grid.x[part[1]] - place[0]) ** 2 + ((grid.y[part[0]] - place[1]) ** 2)[:, None]) / radius**2
    heights[part] += STANDS_OUT * diameter * np.clip(1.0 - d2, 0.0, None) ** 2


def _objects(at: Array, diameters: Array, ground: Array, seed: int) -> list[WorldObject]:
    """Return rocks as spheres and boxes, half and half, partly buried."""
    random = np.random.default_rng([seed, 6])
    out = []
    for k, (place, diameter, z) in enumerate(zip(at, diameters, ground, strict=True)):
        round_one, yaw, flat = random.random() < 0.5, float(random.uniform(-math.pi, math.pi)), float(random.uniform(0.6, 1.0))
        if round_one:
            shape: Sphere | Box = Sphere(0.5 * diameter)
            middle = z + (STANDS_OUT - 0.5) * diameter
        else:
            long = diameter / math.sqrt(1.0 + flat**2)
            shape = Box((long, flat * long, diameter))
            middle = z + (STANDS_OUT - 0.5) * diameter
        position = float(place[0]), float(place[1]), float(middle)
        out.append(WorldObject(f"rock_{k + 1}", shape, position, 0.0 if round_one else yaw, label="rock", material=ROCK))
    return out
