"""Level field of posts, boxes and walls between a free start and a free goal, for tests of planners."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from terrain.generators.generated_terrain import Cover, GeneratedTerrain, Grid, Place
from terrain.generators.scattering import scattered
from terrain.generators.site import Site
from terrain.objects.table_text import ON_GROUND
from terrain.objects.world_object import Box, Cylinder, WorldObject

OBSTACLE_FIELD = (
    Field("size", Number("m", 30.0, 1024.0, shape=(2,)), "length along x and along y", (120.0, 60.0)),
    Field("spacing", Number("m", 0.1, 4.0), "distance between nodes", 1.0),
    Field("density", Number("1/m2", 0.0, 0.2), "obstacles per area between start and goal", 0.01),
    Field("gap", Number("m", 0.0, 50.0), "minimum gap between two obstacles; the vehicle must fit through", 5.0),
    Field("posts", Number("1", 0.0, 1.0), "fraction of posts", 0.4),
    Field("walls", Number("1", 0.0, 1.0), "fraction of walls; the rest are boxes", 0.2),
)
COVERS = (Cover("asphalt", True),)
FREE = 12.0
"""m. Free ground at the western and at the eastern end."""
BORDER = 2.0
"""m. Free ground along the other edges."""
POST, BOX, WALL, HEIGHT = (0.05, 0.3), (0.8, 2.5), (3.0, 6.0), (0.8, 2.0)
"""m. Radius of posts, edge of boxes, length of walls, height of all; minimum and maximum. [assumed]"""
WALL_WIDTH = 0.2
"""m."""


def obstacle_field(parameters: dict, seed: int) -> GeneratedTerrain:
    """Generate a field of obstacles from the parameters of `OBSTACLE_FIELD`."""
    half = 0.5 * np.asarray(parameters["size"], float)
    grid = Grid.over(tuple((-half).tolist()), tuple(half.tolist()), parameters["spacing"])
    ends = half[0] - 0.5 * FREE
    obstacles = _obstacles(parameters, half, seed)
    return GeneratedTerrain(
        about=(
            f"level field with {len(obstacles)} obstacles at least {parameters['gap']:g} m apart; drive from the place start to the place goal",
            f"no obstacle within {FREE:g} m of the western and eastern ends; a free path is likely, but not checked",
        ),
        grid=grid,
        heights=np.zeros(grid.shape),
        cover=np.zeros(grid.shape, np.uint8),
        covers=COVERS,
        places={
            "start": Place((-ends, 0.0), 0.0, "at the western end, heading east"),
            "goal": Place((ends, 0.0), 180.0, "at the eastern end, heading back"),
        },
        objects=obstacles,
    )


def _obstacles(parameters: dict, half: Array, seed: int) -> list[WorldObject]:
    """Return posts, boxes and walls."""
    random = np.random.default_rng([seed, 7])
    low, high = np.array((-half[0] + FREE, -half[1] + BORDER)), np.array((half[0] - FREE, half[1] - BORDER))
    number = round(parameters["density"] * float(np.prod(high - low)))
    kinds = random.random(number)
    shapes = [_shape(kind, parameters, random) for kind in kinds]
    reaches = np.array([0.5 * math.hypot(*one.size[:2]) if isinstance(one, Box) else one.radius for one in shapes])
    at = scattered(Site(), reaches, parameters["gap"], lambda x, y: np.ones(len(x), bool), (low.tolist(), high.tolist()), random)
    out = []
    for k, (shape, place) in enumerate(zip(shapes, at, strict=True)):
        yaw = float(random.uniform(-math.pi, math.pi)) if isinstance(shape, Box) else 0.0
        word, label = _words(shape)
        out.append(WorldObject(f"{word}_{k + 1}", shape, (float(place[0]), float(place[1]), ON_GROUND), yaw, label=label))
    return out


def _shape(kind: float, parameters: dict, random: np.random.Generator) -> Box | Cylinder:
    """Return a random shape; `kind` from 0 to 1 selects post, wall or box."""
    height = float(random.uniform(*HEIGHT))
    if kind < parameters["posts"]:
        return Cylinder(float(random.uniform(*POST)), height)
    if kind < parameters["posts"] + parameters["walls"]:
        return Box((float(random.uniform(*WALL)), WALL_WIDTH, height))
    return Box((float(random.uniform(*BOX)), float(random.uniform(*BOX)), height))


def _words(shape: Box | Cylinder) -> tuple[str, str]:
    """Return name and label of an obstacle."""
    if isinstance(shape, Cylinder):
        return "post", "post"
    return ("wall", "barrier") if shape.size[1] == WALL_WIDTH else ("box", "other")
