"""Roads of a height map: plan, grading, crossings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from simulator.base.values import Values
from terrain.base_grid import height_and_normal
from terrain.ground import GROUND, Road
from terrain.heightmap_detail import ISO_CLASSES
from terrain.heightmap_file import ROAD_CLASS
from terrain.heightmap_grid import Grid
from terrain.roads.road_bed import BED, center_line, fade, grade, graded_profile, mark

APPROACH = 120.0
"""m. Length over which a road approaches the height of another road that it meets. Shorter: steep ramps."""


@dataclass
class RoadPlan:
    """Data of one road during its construction."""

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


def plan_road(road: Values, grid: Grid, wide: Grid, natural_class: str | None) -> RoadPlan:
    """Check one road, whose points are in `grid`, and compute the distance of every node of `wide` from it."""
    line = center_line(corner_points(road, grid))
    bed = record(BED)
    bed[0]["half_width"], bed[0]["verge"] = 0.5 * road["width"], road["verge"]
    bed[0]["embankment"], bed[0]["crown"] = road["embankment"], road["crown"]
    distance = np.full(wide.shape, np.inf, np.float32)
    station = np.zeros(wide.shape, np.float32)
    reach = float(bed[0]["half_width"] + bed[0]["verge"] + bed[0]["embankment"])
    mark(line, reach, wide.origin, wide.step, distance, station)
    return RoadPlan(
        name=road["name"],
        surface=road["surface"],
        gain=road_gain(road, natural_class),
        level=road.get("level"),
        bed=bed,
        smoothing=road["smoothing"],
        line=line,
        distance=distance,
        station=station,
        profile=np.zeros(len(line)),
    )


def corner_points(road: Values, grid: Grid) -> NDArray[np.float64]:
    """Return the corners of the center line of a road. Raises ConfigError."""
    points: NDArray[np.float64] = road["points"]
    if not (np.hypot(*np.diff(points, axis=0).T) > 1.0).all():
        raise road.error("points", "points more than 1 m from the previous point")
    if not grid.holds(points):
        raise road.error("points", "points inside the grid")
    return points


def road_gain(road: Values, natural_class: str | None) -> float:
    """Return the ratio of the roughness of a road to that of the natural ground: a factor 2 per ISO class."""
    if natural_class is None:
        if "roughness" in road:
            raise road.error("roughness", "no key roughness, because the terrain has no section roughness")
        return 0.0
    return 2.0 ** (ISO_CLASSES.index(road.needed("roughness", ROAD_CLASS.description())) - ISO_CLASSES.index(natural_class))


def graded(plans: list[RoadPlan], natural: NDArray[np.float32], grid: Grid) -> NDArray[np.float32]:
    """Return the heights with all roads.

    The first pass, in the order of the list, grades each road to the previous ones. The second pass, onto the natural ground in
    reverse order, puts the first road on top where two meet.
    """
    heights = natural.copy()
    p = record(GROUND)
    p[0]["origin"], p[0]["spacing"] = grid.origin, grid.spacing
    n = np.empty(3)
    for k, plan in enumerate(plans):
        if plan.level is None:
            ground = np.array([height_and_normal(p, heights, x, y, n) for x, y in plan.line])
            plan.profile = _blend_at_crossings(plan, graded_profile(ground, plan.smoothing), plans[:k])
        else:
            plan.profile = np.full(len(plan.line), plan.level)
        grade(plan.bed, plan.distance, plan.station, plan.profile, heights)
    heights = natural
    for plan in reversed(plans):
        grade(plan.bed, plan.distance, plan.station, plan.profile, heights)
    for plan in plans:
        plan.profile = np.array([height_and_normal(p, heights, x, y, n) for x, y in plan.line])
    return heights


def _blend_at_crossings(plan: RoadPlan, profile: NDArray[np.float64], earlier: list[RoadPlan]) -> NDArray[np.float64]:
    """Return a profile with smooth transitions to the height of every earlier road that it meets."""
    for other in earlier:
        away = np.hypot(plan.line[:, None, 0] - other.line[None, :, 0], plan.line[:, None, 1] - other.line[None, :, 1])
        nearest = away.argmin(axis=1)
        edge = float(other.bed[0]["half_width"] + other.bed[0]["verge"])
        w = np.array([fade(d, edge, APPROACH) for d in away.min(axis=1)])
        profile = w * other.profile[nearest] + (1.0 - w) * profile
    return profile


def road_of(plan: RoadPlan) -> Road:
    """Return the road for the view and for drivers."""
    points = np.column_stack((plan.line, plan.profile))
    return Road(plan.name, plan.surface, points, 2.0 * float(plan.bed[0]["half_width"]), float(plan.bed[0]["verge"]))
