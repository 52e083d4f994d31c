"""Town: streets with crown and curbs, sidewalks, crossings with dropped curbs, lots. Streets are polylines between crossings."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from terrain.generators.generated_terrain import Cover, Entry, GeneratedTerrain, Grid, Place
from terrain.generators.shapes import circumscribed, offset_polygon, polygon_distance, smooth_step
from terrain.generators.town_lanes import TownLanes, has_zebras
from terrain.generators.town_objects import STRIP, TOWN_OBJECTS, TownPlan, has_strip
from terrain.roads.road_bed import mark

TOWN = (
    Field("blocks", Number("1", 1, 12, shape=(2,), whole=True), "number of blocks along x and along y", (4, 3)),
    Field("block", Number("m", 30.0, 300.0, shape=(2,)), "approximate distance between streets along x and along y", (90.0, 75.0)),
    Field("street", Number("m", 5.0, 20.0), "width between the curbs: two lanes of 3.0 to 3.65 m and a strip to park", 9.0),
    Field(
        "crown", Number("m/m", 0.0, 0.05), "fall from the middle of a street to its curbs; 2 to 2.5 % are usual", 0.025, written="percent"
    ),
    Field("curb", Number("m", 0.02, 0.3), "height of the curbs: 125 mm in Britain, 6 in (152 mm) in the U.S.", 0.125),
    Field("dropped", Number("m", 0.0, 0.05), "height of curbs at crossings; 6 to 25 mm are usual", 0.015),
    Field("sidewalk", Number("m", 1.0, 6.0), "width", 2.5),
    Field("corner", Number("m", 2.0, 15.0), "radius of the curbs at corners; 3 to 9 m are usual", 6.0),
    Field("spacing", Number("m", 0.1, 1.0), "distance between nodes", 0.25),
    Field("speed_limit", Number("m/s", 1.0, 40.0), "speed limit of the lanes, less in turns", 50.0 / 3.6, written="kph"),
    Field("bend", Number("1", 0.0, 0.2), "offset of crossings from a right-angled grid, as a fraction of a block", 0.06),
    *TOWN_OBJECTS,
)
COVERS = (Cover("asphalt", True), Cover("grenville_loam", False), Cover("gravel", True))
ASPHALT, LAWN, YARD = range(3)
ROUNDING = 0.5
"""m. Width of the vertical curve between the two slopes of a crown."""
SIDEWALK_FALL = 0.02
"""1. Slope of sidewalks toward the street; 1.5 to 2 % are usual."""
CROSSING, TAPER, SET_BACK = 3.0, 0.9, 0.2
"""m. Width of a crossing, of the ramps of a dropped curb on both sides, and distance from the last tangent of the corner. [assumed]"""
STOP_LINE = 0.7
"""m. Distance of the middle of a stop line from a zebra crossing; cars stop before it, `town_lanes.STOP_GAP` from the zebra crossing."""
FALL_LENGTH = 2.0
"""m. Distance behind the sidewalk to the height of the base grid."""
ARC_PARTS = 3
"""Number of corners of the line around the arc of a curb."""
LAWN_WIDTH = 30.0
"""m. Width of the lawn around the outermost street."""


def town(parameters: dict, seed: int) -> GeneratedTerrain:
    """Generate a town from the parameters of `TOWN`."""
    nodes, half = _crossings(parameters, seed), 0.5 * parameters["street"]
    reach = half + LAWN_WIDTH
    low, high = nodes.reshape(-1, 2).min(axis=0) - reach, nodes.reshape(-1, 2).max(axis=0) + reach
    grid = Grid.over(tuple(np.floor(low).tolist()), tuple(np.ceil(high).tolist()), parameters["spacing"])
    distance = np.full(grid.shape, np.inf)  # from the nearest curb, + = on the street
    cover = np.full(grid.shape, ASPHALT, np.uint8)
    random = np.random.default_rng([seed, 1])
    curbs: list[Entry] = []
    places = _places(nodes, parameters)
    plan = TownPlan(parameters, seed, places.values())
    for corners in _lots(nodes, half):
        part = grid.part(
            *((corners[:, k].min() - reach - parameters["street"], corners[:, k].max() + reach + parameters["street"]) for k in (0, 1))
        )
        inner = offset_polygon(corners, parameters["corner"])
        d = polygon_distance(inner, grid.x[part[1]], grid.y[part[0]][:, None]) - parameters["corner"]
        distance[part] = np.minimum(distance[part], d)
        cover[part][d < -parameters["sidewalk"]] = YARD if random.random() < 0.25 else LAWN
        curbs.append(_curb(corners, parameters))
        plan.lot(corners)
    lines = [*nodes, *nodes.transpose(1, 0, 2)]
    if has_strip(parameters):
        for line in lines:
            plan.street(line, _clear_of_crossing(parameters))
    obstacles = np.random.default_rng([seed, 3])
    for line in lines:
        plan.barrels(line, _clear_of_crossing(parameters), obstacles)
    cover[(distance > half) & (_from_middle(lines, grid, half) > half)] = LAWN
    return GeneratedTerrain(
        about=(
            f"{parameters['blocks'][0]:.0f} x {parameters['blocks'][1]:.0f} blocks; streets {parameters['street']:g} m wide between "
            "curbs of "
            f"{1e3 * parameters['curb']:g} mm, crown "
            f"{100.0 * parameters['crown']:g} %, sidewalks {parameters['sidewalk']:g} m at 2 %, corners of {parameters['corner']:g} m, "
            "crossings dropped "
            f"to {1e3 * parameters['dropped']:g} mm",
            "dimensions are those usual in Britain and the U.S.; widths and places of crossings are assumed; lots are lawn or a gravel "
            "yard with buildings, fences, trees and lamp posts; cars are parked on the left of the streets",
        ),
        grid=grid,
        heights=_heights(distance, parameters),
        cover=cover,
        covers=COVERS,
        places=places,
        features=tuple(curbs),
        marks=tuple(mark for line in lines for mark in _street_marks(line, parameters)),
        objects=plan.objects,
        lanes=TownLanes(nodes, parameters, _clear_of_crossing(parameters), CROSSING).lanes,
    )


def _places(nodes: Array, parameters: dict) -> dict[str, Place]:
    """Return the start positions: on the right side of a street in the middle, and at a right angle to a curb."""
    a, b = nodes[len(nodes) // 2, 0], nodes[len(nodes) // 2, 1]
    yaw = math.atan2(b[1] - a[1], b[0] - a[0])
    right = 0.25 * parameters["street"] * np.array((math.sin(yaw), -math.cos(yaw)))
    street, curb = 0.7 * a + 0.3 * b + right, 0.5 * (a + b) + 0.3 * right
    return {
        "street": Place(np.round(street, 2), round(math.degrees(yaw), 2), "on the right side of a street"),
        "curb": Place(np.round(curb, 2), round(math.degrees(yaw), 2) + 90.0, "at a right angle to a curb"),
    }


def _crossings(parameters: dict, seed: int) -> Array:
    """Return the crossings of the streets (rows, columns, 2) [m], around the origin."""
    columns, rows = (int(n) for n in parameters["blocks"])
    random = np.random.default_rng(seed)
    size = np.asarray(parameters["block"], float)
    widths = [np.cumsum([0.0, *(size[k] * random.uniform(0.85, 1.15, n))]) for k, n in ((0, columns), (1, rows))]
    x, y = np.meshgrid(widths[0] - widths[0].mean(), widths[1] - widths[1].mean())
    return np.dstack((x, y)) + parameters["bend"] * size * random.uniform(-1.0, 1.0, (rows + 1, columns + 1, 2))


def _lots(nodes: Array, half: float) -> list[Array]:
    """Return the corners (4, 2) of the curb lines between four streets, counterclockwise."""
    lots = []
    for j in range(nodes.shape[0] - 1):
        for i in range(nodes.shape[1] - 1):
            quad = np.array((nodes[j, i], nodes[j, i + 1], nodes[j + 1, i + 1], nodes[j + 1, i]))
            lots.append(offset_polygon(quad, half))
    return lots


def _from_middle(lines: list[Array], grid: Grid, reach: float) -> NDArray[np.float32]:
    """Return the distance in m of the nodes from the middle of the nearest street, up to `reach`."""
    distance = np.full(grid.shape, np.inf, np.float32)
    place = np.zeros(grid.shape, np.float32)
    for line in lines:
        mark(np.ascontiguousarray(line), reach, np.array(grid.corner), np.full(2, grid.spacing), distance, place)
    return distance


def _heights(distance: Array, parameters: dict) -> Array:
    """Return heights: streets with a crown; sidewalks and lots without the curb, which is a feature that blends into the base height."""
    half = 0.5 * parameters["street"]
    short = np.maximum(half - distance, 0.0)
    crown = parameters["crown"] * (half - (np.sqrt(short**2 + ROUNDING**2) - ROUNDING))
    crown = np.minimum(crown, parameters["crown"] * half)
    behind = -distance - parameters["sidewalk"]
    walk = SIDEWALK_FALL * np.clip(-distance, 0.0, parameters["sidewalk"]) + parameters["curb"] * smooth_step(behind / FALL_LENGTH)
    return np.where(distance > 0.0, np.maximum(crown, 0.0), walk)


def _curb(corners: Array, parameters: dict) -> Entry:
    """Return the curb around a lot as a closed line with lower heights at the crossings."""
    arcs = circumscribed(corners, parameters["corner"], ARC_PARTS)
    points: list[Array] = []
    heights: list[float] = []
    for k, arc in enumerate(arcs):
        points += list(arc)
        heights += [parameters["curb"]] * len(arc)
        a, b = arc[-1], arcs[(k + 1) % len(arcs)][0]
        length = float(np.hypot(*(b - a)))
        clear = float(np.hypot(*(arc[1] - arc[0]))) + SET_BACK  # the arc at the last corner needs up to half of the next edge
        if length > 2.0 * (clear + 2.0 * TAPER + CROSSING):
            first = np.cumsum([clear, TAPER, CROSSING, TAPER])
            points += [a + (b - a) * s / length for s in (*first, *(length - first[::-1]))]
            heights += [parameters["curb"], parameters["dropped"], parameters["dropped"], parameters["curb"]] * 2
    points.append(points[0])
    heights.append(heights[0])
    curb = {
        "type": "curb",
        "points": np.round(points, 4).tolist(),
        "height": heights,
        "width": parameters["sidewalk"],
        "fall": FALL_LENGTH,
        "corner": parameters["corner"],
    }
    return Entry(curb)


def _clear_of_crossing(parameters: dict) -> float:
    """Return the distance [m] from the middle of a crossing to the ramps of the dropped curbs."""
    tangent = parameters["corner"] * math.tan(0.25 * math.pi / ARC_PARTS)
    return float(0.5 * parameters["street"] + parameters["corner"] + tangent + SET_BACK + TAPER)


def _street_marks(line: Array, parameters: dict) -> list[Entry]:
    """Return the markings of a street along its crossings (n, 2), where its ends have zebra crossings.

    The markings are zebra crossings, stop lines before them, dashes between the two lanes, and a line along the parking strip.
    """
    out = []
    clear, half = _clear_of_crossing(parameters), 0.5 * parameters["street"]
    strip = STRIP if has_strip(parameters) else 0.0
    for a, b in pairwise(line):
        length = float(np.hypot(*(b - a)))
        along = (b - a) / length
        left = np.array((-along[1], along[0]))
        if not has_zebras(length, clear, CROSSING):
            continue

        first, last = clear + CROSSING, length - clear - CROSSING
        # distances along the street and to the left of its middle [m]; traffic keeps to the right
        lines: list[tuple[float, float, float, float, dict[str, Any]]] = [
            *(
                (s, 0.3 - half, s, half - 0.3, {"width": CROSSING, "dash": [0.5, 0.5]})
                for s in (first - 0.5 * CROSSING, last + 0.5 * CROSSING)
            ),
            (first + 1.0, -0.5 * strip, last - 1.0, -0.5 * strip, {"width": 0.12, "dash": [3.0, 3.0]}),
            (first + STOP_LINE, 0.1 - 0.5 * strip, first + STOP_LINE, half - strip - 0.2, {"width": 0.3}),
            (last - STOP_LINE, 0.3 - half, last - STOP_LINE, -0.1 - 0.5 * strip, {"width": 0.3}),
            *([(first + 1.0, half - strip, last - 1.0, half - strip, {"width": 0.1})] if strip else []),
        ]
        for s0, d0, s1, d1, look in lines:
            ends = [np.round(a + along * s + left * d, 3).tolist() for s, d in ((s0, d0), (s1, d1))]
            out.append(Entry({"points": ends, **look}))
    return out
