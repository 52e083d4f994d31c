"""`type: scatter`: objects of one shape at random places, by density, with limits of slope and clearance."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Either, Field, Flag, Number
from simulator.base.values import Values
from terrain.composite_height import composed_heights
from terrain.ground import Ground
from terrain.objects.kinds import CONTRACT, GeneratorRequest, ObjectGeneratorKind
from terrain.objects.labels import ALSO, COLORS
from terrain.objects.section import MATERIAL, material_of, standing, usual_breakaway
from terrain.objects.shapes import SIMPLE
from terrain.objects.trees import tree
from terrain.objects.world_object import Box, Breakaway, Cylinder, Shape, Sphere, WorldObject

MAX_OBJECTS = 100_000
"""Maximum number of objects of one section."""
MAX_TRIALS = 30
"""Number of random places per object that are tried."""
FULL = 0.005
"""Fraction of the open objects below which a round that places no more shows that the area is full."""
PATIENCE = 3
"""Number of such rounds after which no more places are tried."""
BATCH = 64
"""Objects that are compared with all places at once."""
STEP = 0.5
"""m. Distance of the points of a difference quotient of the slope."""
CROWNS = ("none", "broadleaf", "conifer", "mixed")
"""Crowns of trees; mixed: each half of the trees."""


def _size(name: str, meaning: str) -> Field:
    """Return the field of a size: one number, or minimum and maximum."""
    one = Number("m", 0.001, 1e3)
    return Field(name, Either((one, Number("m", 0.001, 1e3, shape=(2,)))), f"{meaning}; one number, or minimum and maximum", None)


_REACH = Number("m", -1e5, 1e5, shape=(2,))
FILE = (
    Field("shape", Choice(tuple(SIMPLE)), "shape of the objects"),
    _size("radius", "radius of a round shape"),
    _size("height", "height of a box or cylinder"),
    _size("length", "edge of a box along its x axis; `length` of another shape"),
    _size("width", "edge of a box along its y axis; default: its length"),
    Field("sizes", Choice(("uniform", "log_uniform")), "distribution between minimum and maximum", "uniform"),
    Field("label", Choice((*COLORS, *ALSO)), "label", "other"),
    *MATERIAL,
    Field("mass", Number("kg", 0.1, 1e5), "mass of breakaway objects; default: the objects are fixed", None),
    Field("break_force", Number("N", 0.0, 1e7), "force at which breakaway objects break off", 0.0),
    Field("density", Number("1/m2", 0.0, 10.0), "objects per area", written="pha"),
    Field("x", _REACH, "start and end of the area along x; default: the map", None),
    Field("y", _REACH, "start and end of the area along y; default: the map", None),
    Field("slope", Number("m/m", 0.0, 10.0), "maximum slope of the ground", 10.0, written="percent"),
    Field("clearance", Number("m", 0.0, 100.0), "minimum gap between two objects, also to those before", 0.0),
    Field("road_clearance", Number("m", 0.0, 1e3), "minimum gap to the edge of a road", 1.0),
    Field("spawn_clearance", Number("m", 0.0, 1e3), "minimum distance from the start of the drive", 10.0),
    Field("sink", Number("m", 0.0, 100.0), "depth of the lowest point below the ground", 0.0),
    Field("crown", Choice(CROWNS), "crown of leaves, porous, on each cylinder, whose height is then that of the tree", CROWNS[0]),
    Field("turned", Flag(), "true for random headings", True),
    Field("seed", Number("1", 0, 2**32, whole=True), "seed of the places, sizes and headings"),
)


def scatter(request: GeneratorRequest) -> list[WorldObject]:
    """Return the objects of a section. Places that violate a limit are drawn again, so that the density holds where there is room."""
    values, ground = request.values, request.ground
    _check_crown(values)
    x_range, y_range = _area(values, ground)
    count = values["density"] * (x_range[1] - x_range[0]) * (y_range[1] - y_range[0])
    if count > MAX_OBJECTS:
        raise values.error("density", f"at most {MAX_OBJECTS} objects; {count:.0f} here")
    random = np.random.default_rng(values["seed"])
    sizes = _sizes(values, round(count), random)
    reach = np.hypot(0.5 * sizes[:, 0], 0.5 * sizes[:, 2]) if values["shape"] == "box" else sizes[:, 0]
    places = _places(values, ground, (x_range, y_range), reach, random)
    yaws = random.uniform(-math.pi, math.pi, len(sizes)) if values["turned"] else np.zeros(len(sizes))
    objects = _objects(values, ground, sizes, places, yaws)
    if values["crown"] == "none":
        return objects
    conifers = random.random(len(objects)) < 0.5 if values["crown"] == "mixed" else np.full(len(objects), values["crown"] == "conifer")
    return [part for one, conifer in zip(objects, conifers, strict=True) for part in _tree(one, bool(conifer))]


def _tree(one: WorldObject, conifer: bool) -> list[WorldObject]:
    """Return trunk and crown of a tree in the place of a cylinder of its height; the trunk keeps the material of the cylinder."""
    assert isinstance(one.shape, Cylinder)
    x, y, z = one.position
    trunk, crown = tree(one.name, (x, y), one.shape.height, one.shape.radius, conifer, z)
    return [replace(one, shape=trunk.shape), crown]


def _area(values: Values, ground: Ground) -> tuple[Any, Any]:
    """Return the ranges of x and y. Raises ConfigError for an empty area, or a plane without limits."""
    x0, x1, y0, y1 = ground.bounds
    out = values.get("x", (x0, x1)), values.get("y", (y0, y1))
    for name, (low, high) in zip("xy", out, strict=True):
        if not low < high:
            raise values.error(name, "an area: start below end")
    return out


NEEDED = {name: tuple(one.name for one in fields(shape)) for name, shape in SIMPLE.items()} | {"box": ("length", "height")}
"""Sizes of each shape."""


def _check_crown(values: Values) -> None:
    """Raise ConfigError for a crown on another shape than a fixed cylinder."""
    if values["crown"] != "none" and (values["shape"] != "cylinder" or "mass" in values):
        raise values.error("crown", "none, because only fixed cylinders are trunks")


def _sizes(values: Values, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return (count, 3) sizes of the shape, as `_shape` reads them. Raises ConfigError for a missing or superfluous size."""
    shape = values["shape"]
    for name in ("radius", "height", "length", "width"):
        known = name in NEEDED[shape] or (shape, name) == ("box", "width")
        if name in NEEDED[shape] and name not in values:
            raise values.error(name, f"a length in m, for the shape {shape}")
        if name in values and not known:
            raise values.error(name, f"no {name}, because the shape is {shape}")
    out = np.zeros((count, 3))
    for column, name in enumerate(NEEDED[shape]):
        out[:, column] = _drawn(values, name, count, random)
    if shape == "box":
        out[:, 2] = _drawn(values, "width", count, random) if "width" in values else out[:, 0]
    return out


def _drawn(values: Values, name: str, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return random sizes between minimum and maximum."""
    low, high = np.broadcast_to(values[name], 2)
    if low > high:
        raise values.error(name, "the minimum, then the maximum")
    if values["sizes"] == "log_uniform":
        return np.exp(random.uniform(math.log(low), math.log(high), count))
    return random.uniform(low, high, count)


def _places(
    values: Values, ground: Ground, area: tuple[Any, Any], reach: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.float64]:
    """Return places (n, 2), NaN where no place was found. All open places of a round are drawn at once; in a round, the earlier object wins."""
    places = np.full((len(reach), 2), np.nan)
    idle = 0
    for _ in range(MAX_TRIALS):
        open_rows = np.flatnonzero(np.isnan(places[:, 0]))
        if not len(open_rows):
            break
        drawn = np.column_stack([random.uniform(low, high, len(open_rows)) for low, high in area])
        good = _is_allowed(values, ground, drawn, reach[open_rows])
        rows, drawn = open_rows[good], drawn[good]
        kept = _apart(values["clearance"], places, reach, rows, drawn)
        places[rows[kept]] = drawn[kept]
        idle = idle + 1 if kept.sum() < FULL * len(open_rows) else 0
        if idle == PATIENCE:
            break
    return places


def _is_allowed(values: Values, ground: Ground, points: NDArray[np.float64], reach: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the points (n, 2) at which slope, roads, start and the objects before leave room."""
    from scipy.spatial import cKDTree

    good = np.hypot(*(points - ground.spawn[:2]).T) >= values["spawn_clearance"] + reach
    good &= slopes(ground, points) <= values["slope"]
    for road in ground.roads:
        distance, _ = cKDTree(road.points[:, :2]).query(points)
        good &= distance >= 0.5 * road.width + values["road_clearance"] + reach
    others = ground.objects.records
    for first in range(0, len(others), BATCH):  # distance from the bounding boxes, over all motion
        low, high = (others[name][first : first + BATCH, None, :2] for name in ("low", "high"))
        outside = np.maximum(np.maximum(low - points, points - high), 0.0)
        good &= (np.hypot(outside[..., 0], outside[..., 1]) >= reach + values["clearance"]).all(axis=0)
    return good


def slopes(ground: Ground, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the slope (n,) [m/m] of the ground at points (n, 2), by central differences over 2 STEP."""
    x, y = points.T
    heights = []
    for dx, dy in ((STEP, 0.0), (-STEP, 0.0), (0.0, STEP), (0.0, -STEP)):
        out = np.empty(len(x))
        composed_heights(ground.arrays, x + dx, y + dy, out)
        heights.append(out)
    return np.hypot(heights[0] - heights[1], heights[2] - heights[3]) / (2.0 * STEP)


def _apart(
    clearance: float, places: NDArray[np.float64], reach: NDArray[np.float64], rows: NDArray[np.intp], drawn: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return a mask of the drawn places that keep the clearance from the placed objects and from earlier ones of this round."""
    from scipy.spatial import cKDTree

    kept = np.ones(len(rows), bool)
    placed = np.flatnonzero(~np.isnan(places[:, 0]))
    if len(placed) and len(rows):
        tree, largest = cKDTree(places[placed]), float(reach[placed].max())
        for row, near in enumerate(tree.query_ball_point(drawn, reach[rows] + largest + clearance)):
            if near:
                others = placed[near]
                gaps = np.hypot(*(places[others] - drawn[row]).T) - reach[others] - reach[rows[row]]
                kept[row] = gaps.min() >= clearance
    left = np.flatnonzero(kept)
    if len(left) < 2:
        return kept
    radius = reach[rows[left]]
    pairs = cKDTree(drawn[left]).query_pairs(2.0 * float(radius.max()) + clearance, output_type="ndarray")
    gaps = np.hypot(*(drawn[left[pairs[:, 0]]] - drawn[left[pairs[:, 1]]]).T) - radius[pairs].sum(axis=1)
    close = left[pairs[gaps < clearance]]
    for first, second in close[np.lexsort((close[:, 0], close[:, 1]))].tolist():
        if kept[first]:
            kept[second] = False
    return kept


def _objects(
    values: Values, ground: Ground, sizes: NDArray[np.float64], places: NDArray[np.float64], yaws: NDArray[np.float64]
) -> list[WorldObject]:
    """Return the objects that found a place. Raises ConfigError if none did."""
    material = material_of(values)
    motion = Breakaway(values["mass"], values["break_force"]) if "mass" in values else usual_breakaway(values["label"], material)
    word = values["shape"] if values["label"] == "other" else values["label"]
    taken = {one.name for one in ground.objects.objects}
    number, out = 0, []
    for size, place, yaw in zip(sizes, places, yaws, strict=True):
        if np.isnan(place[0]):
            continue
        number += 1
        while f"{word}_{number}" in taken:
            number += 1
        shape = _shape(values["shape"], size)
        one = WorldObject(
            f"{word}_{number}", shape, (0.0, 0.0, 0.0), 0.0 if isinstance(shape, Sphere) else float(yaw), label=values["label"],
            material=material, motion=motion,
        )  # fmt: skip
        x, y, z = standing(one, place, ground.height)
        out.append(WorldObject(one.name, shape, (x, y, z - values["sink"]), one.yaw, label=one.label, material=material, motion=motion))
    if len(sizes) and not out:
        raise ConfigError(values.file, values.key, f"{len(sizes)} objects", "room for at least one; lower slope or clearance limits")
    return out


def _shape(kind: str, size: NDArray[np.float64]) -> Shape:
    """Return the shape of one row of `_sizes`."""
    a, b, c = map(float, size)
    return Box((a, c, b)) if kind == "box" else SIMPLE[kind](*(a, b)[: len(NEEDED[kind])])


SCATTER = ObjectGeneratorKind("scatter", scatter, CONTRACT, FILE, "objects at random places, by density and seed")
