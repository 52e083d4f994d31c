"""Circuit: a closed asphalt course with corners of different radius, barriers behind run-off areas, brake boards, a grandstand and trees."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number, Values
from terrain.generators.generated_terrain import Cover, Entry, GeneratedTerrain, Grid, Place
from terrain.generators.scattering import scattered
from terrain.generators.shapes import rolling
from terrain.generators.site import Footprint, Site
from terrain.objects.table_text import ON_GROUND
from terrain.objects.trees import tree
from terrain.objects.world_object import Box, Breakaway, Material, WorldObject
from terrain.roads.network import Lane
from terrain.roads.road_bed import mark

CIRCUIT = (
    Field("size", Number("m", 200.0, 2000.0), "length of a side", 640.0),
    Field("spacing", Number("m", 0.25, 4.0), "distance between nodes", 0.5),
    Field("width", Number("m", 6.0, 20.0), "width of the course; 9 to 15 m are usual", 11.0),
    Field("corners", Number("1", 5, 20, whole=True), "number of points between which the course bends", 11),
    Field("radius", Number("m", 12.0, 200.0), "minimum radius of the center line", 20.0),
    Field("run_off", Number("m", 2.0, 30.0), "distance from the edge of the course to the barriers", 9.0),
    Field("relief", Number("m", 0.0, 40.0), "height difference of the lowest and the highest point of the ground", 8.0),
    Field("trees", Number("1", 0, 5000, whole=True), "number of trees outside of the barriers", 220),
)
COVERS = (Cover("grenville_loam", False), Cover("gravel", True))
LOAM, GRAVEL = range(2)
STEP = 4.0
"""m. Distance of the points of the center line."""
MAX_ROUNDS = 4000
"""Maximum rounds of smoothing toward the minimum radius."""
TIGHT_RADIUS = 60.0
"""m. Radius below which a bend has brake boards, a painted apex and a gravel trap. [assumed]"""
BOARDS = (150.0, 100.0, 50.0)
"""m. Distances of the brake boards from the start of a bend."""
BARRIER = (0.4, 0.9)
"""m. Thickness and height of the barriers."""
BOARD_FORCE = 300.0
"""N. Force at which a brake board breaks off. [assumed]"""
RED, WHITE = Material(color=(0.75, 0.12, 0.10)), Material(color=(0.88, 0.88, 0.86))
STAND = Material(color=(0.55, 0.57, 0.60))


def circuit(parameters: Values, seed: int) -> GeneratedTerrain:
    """Generate a circuit from the parameters of `CIRCUIT`."""
    half = 0.5 * parameters["size"]
    grid = Grid.over((-half, -half), (half, half), parameters["spacing"])
    line = _center_line(parameters, seed)
    distance = _distance(line, grid, 0.5 * parameters["width"] + parameters["run_off"])
    heights = rolling(grid, parameters["relief"], 60.0, seed)
    bends = _bends(line)
    road = {
        "name": "course", "surface": "asphalt", "width": parameters["width"], "verge": 0.5, "embankment": 12.0, "crown_percent": 1.0,
        "smoothing": 40.0, "points": np.round(np.vstack((line, line[:1])), 2).tolist(),
    }  # fmt: skip
    heading = math.degrees(math.atan2(*(line[1] - line[0])[::-1]))
    return GeneratedTerrain(
        about=(
            f"circuit, {STEP * len(line):.0f} m long, {parameters['width']:g} m wide, bends of {parameters['radius']:g} m or more",
            "the course is invented; run-off areas, barriers and boards have assumed dimensions",
        ),
        grid=grid,
        heights=heights,
        cover=_cover(grid, distance, line, bends, parameters),
        covers=COVERS,
        places={"start": Place(np.round(line[0], 2), round(heading, 2), "on the start line")},
        roads=(Entry(road),),
        marks=_marks(line, bends, parameters),
        objects=_objects(line, bends, (grid, heights), parameters, seed),
        lanes=(Lane("course", np.vstack((line, line[:1])), parameters["width"], successors=("course",)),),
    )


def _center_line(parameters: Values, seed: int) -> Array:
    """Return the closed center line (n, 2), counterclockwise, smoothed to the minimum radius; it begins in its longest straight."""
    from scipy.interpolate import CubicSpline

    random = np.random.default_rng(seed)
    corners = int(parameters["corners"])
    reach = 0.5 * parameters["size"] - parameters["width"] - parameters["run_off"] - 25.0
    angle = 2.0 * math.pi * (np.arange(corners) + random.uniform(-0.25, 0.25, corners)) / corners
    points = (reach * random.uniform(0.5, 1.0, corners))[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    closed = np.vstack((points, points[:1]))
    at = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))))
    line = _spaced(CubicSpline(at, closed, bc_type="periodic")(np.linspace(0.0, at[-1], 4000)))
    for _ in range(MAX_ROUNDS):
        tight = np.abs(_curvature(line)) > 1.0 / parameters["radius"]
        if not tight.any():
            break
        near = np.convolve(np.concatenate((tight[-8:], tight, tight[:8])), np.ones(17), "valid") > 0.0
        line[near] += 0.25 * (np.roll(line, 1, axis=0) + np.roll(line, -1, axis=0) - 2.0 * line)[near]
    length = float(np.hypot(*np.diff(np.vstack((line, line[:1])), axis=0).T).sum())
    if not length > 2.0 * math.pi * parameters["radius"]:  # no closed curve of this minimum radius is shorter
        raise parameters.error("radius", f"a circuit that fits into the size, within {max(reach, 0.0):g} m of its center")
    line = _spaced(np.vstack((line, line[:1])))
    straight = np.convolve(np.abs(np.concatenate((_curvature(line), _curvature(line)))), np.ones(25), "valid")[: len(line)]
    return np.roll(line, -int(straight.argmin()) - 6, axis=0)


def _spaced(closed: Array) -> Array:
    """Return the points of a closed line, whose last point is the first, at equal distances of about STEP."""
    at = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))))
    want = np.linspace(0.0, at[-1], round(at[-1] / STEP) + 1)[:-1]
    return np.column_stack([np.interp(want, at, closed[:, k]) for k in (0, 1)])


def _curvature(line: Array) -> Array:
    """Return the curvature (n,) [1/m] of a closed line, + = left."""
    ahead = np.roll(line, -1, axis=0) - line
    angle = np.arctan2(ahead[:, 1], ahead[:, 0])
    turn = (angle - np.roll(angle, 1) + math.pi) % (2.0 * math.pi) - math.pi
    return np.asarray(turn / np.hypot(*ahead.T), np.float64)


def _left(line: Array) -> Array:
    """Return the unit vectors (n, 2) to the left of a closed line."""
    along = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    along /= np.hypot(*along.T)[:, None]
    return np.column_stack((-along[:, 1], along[:, 0]))


def _bends(line: Array) -> list[tuple[int, int, int]]:
    """Return start, apex and end (exclusive, maybe beyond the last point) of the bends with radii below TIGHT_RADIUS."""
    bent = np.abs(_curvature(line))
    tight, count = bent > 1.0 / TIGHT_RADIUS, len(line)
    out = []
    for start in np.flatnonzero(tight & ~np.roll(tight, 1)).tolist():
        end = next(k for k in range(start + 1, start + count + 1) if not tight[k % count])
        if end - start >= 3:
            out.append((start, start + int(bent[np.arange(start, end) % count].argmax()), end))
    return out


def _distance(line: Array, grid: Grid, reach: float) -> Array:
    """Return the distance [m] of the nodes from the center line, up to `reach`; infinite beyond."""
    distance, station = np.full(grid.shape, np.inf, np.float32), np.zeros(grid.shape, np.float32)
    mark(np.vstack((line, line[:1])), reach, np.array(grid.corner), np.full(2, grid.spacing), distance, station)
    return np.asarray(distance, np.float64)


def _cover(grid: Grid, distance: Array, line: Array, bends: list[tuple[int, int, int]], parameters: dict) -> np.ndarray:
    """Return the soil of the nodes: gravel traps on the outside of the bends, loam elsewhere."""
    cover = np.full(grid.shape, LOAM, np.uint8)
    left, bent = _left(line), _curvature(line)
    for start, apex, end in bends:
        middle = line[np.arange(start, end) % len(line)] - math.copysign(1.0, bent[apex % len(line)]) * left[
            np.arange(start, end) % len(line)
        ] * (0.5 * parameters["width"] + 0.6 * parameters["run_off"])
        for point in middle:
            reach = 0.5 * parameters["run_off"]
            part = grid.part(*((point[k] - reach, point[k] + reach) for k in (0, 1)))
            near = np.hypot(grid.x[part[1]] - point[0], grid.y[part[0]][:, None] - point[1]) < reach
            cover[part][near & (distance[part] > 0.5 * parameters["width"] + 1.0)] = GRAVEL
    return cover


def _marks(line: Array, bends: list[tuple[int, int, int]], parameters: dict) -> list[Entry]:
    """Return the edge lines, the start line and dashes at the apexes."""
    left, half = _left(line), 0.5 * parameters["width"]
    closed = np.arange(len(line) + 1) % len(line)
    out = [
        Entry({"points": np.round((line + side * (half - 0.3) * left)[closed], 2).tolist(), "width": 0.15}, "edge of the course")
        for side in (1.0, -1.0)
    ]
    ends = [np.round(line[0] + side * (half - 0.4) * left[0], 2).tolist() for side in (-1.0, 1.0)]
    out.append(Entry({"points": ends, "width": 1.0, "dash": [0.5, 0.5]}, "start line"))
    bent = _curvature(line)
    for start, apex, end in bends:
        at = np.arange(start, end + 1) % len(line)
        inside = line[at] + math.copysign(half - 0.6, bent[apex % len(line)]) * left[at]
        out.append(Entry({"points": np.round(inside, 2).tolist(), "width": 0.6, "dash": [1.0, 1.0], "color": "yellow"}, "inside of a bend"))
    return out


def _objects(line: Array, bends: list[tuple[int, int, int]], ground: tuple[Grid, Array], parameters: dict, seed: int) -> list[WorldObject]:
    """Return barriers, boards, the grandstand and trees; `ground` is the grid with its heights."""
    out = [one for side in (1.0, -1.0) for one in _barriers(line, side, parameters)]
    out += _boards(line, bends, parameters)
    stand = _stand(line, parameters)
    return [*out, *stand, *_trees(line, stand, ground, parameters, seed)]


def _barriers(line: Array, side: float, parameters: dict) -> list[WorldObject]:
    """Return the barriers on one side: boxes from point to point, which follow the course where there is room for them."""
    offset = 0.5 * parameters["width"] + parameters["run_off"]
    points = line + side * offset * _left(line)
    clear = np.array([np.hypot(*(line - point).T).min() for point in points]) > offset - 0.5
    points = points[clear]
    out = []
    for k, (a, b) in enumerate(zip(points, np.roll(points, -1, axis=0), strict=True)):
        length = float(np.hypot(*(b - a)))
        if not 0.2 < length < 6.0 * STEP:
            continue
        yaw, middle = math.atan2(*(b - a)[::-1]), 0.5 * (a + b)
        out.append(
            WorldObject(
                f"barrier_{'left' if side > 0.0 else 'right'}_{k}", Box((length, *BARRIER)), (*map(float, middle), ON_GROUND), yaw,
                label="barrier", material=RED if k % 2 else WHITE,
            )
        )  # fmt: skip
    return out


def _boards(line: Array, bends: list[tuple[int, int, int]], parameters: dict) -> list[WorldObject]:
    """Return the boards before the bends, on the outside; a board breaks off when it is hit."""
    left, bent = _left(line), _curvature(line)
    out = []
    taken = {k % len(line) for start, _, end in bends for k in range(start, end)}
    for number, (start, apex, _) in enumerate(bends):
        for distance in BOARDS:
            k = (start - round(distance / STEP)) % len(line)
            if k in taken:
                continue
            taken.add(k)
            outside = -math.copysign(0.5 * parameters["width"] + 1.5, bent[apex % len(line)])
            x, y = map(float, line[k] + outside * left[k])
            yaw = math.atan2(*left[k][::-1])
            out.append(
                WorldObject(
                    f"board_{number + 1}_{distance:.0f}", Box((0.9, 0.06, 1.1)), (x, y, ON_GROUND), yaw, label="sign", material=WHITE,
                    motion=Breakaway(12.0, BOARD_FORCE),
                )
            )  # fmt: skip
    return out


def _stand(line: Array, parameters: dict) -> list[WorldObject]:
    """Return the steps of a grandstand beside the start line, outside of the course."""
    out = []
    along, left = line[1] - line[0], _left(line)[0]
    for k in range(4):
        x, y = map(float, line[0] - (0.5 * parameters["width"] + parameters["run_off"] + 4.0 + 2.0 * k) * left)
        yaw = math.atan2(along[1], along[0])
        out.append(WorldObject(f"stand_{k + 1}", Box((36.0, 2.0, 1.2 * (k + 1))), (x, y, ON_GROUND), yaw, label="building", material=STAND))
    return out


def _trees(line: Array, stand: list[WorldObject], ground: tuple[Grid, Array], parameters: dict, seed: int) -> list[WorldObject]:
    """Return the trees outside of the barriers."""
    from scipy.interpolate import RegularGridInterpolator
    from scipy.spatial import cKDTree

    random, half = np.random.default_rng([seed, 2]), 0.5 * parameters["size"] - 2.0
    clear = 0.5 * parameters["width"] + parameters["run_off"] + 5.0
    site, nearest = Site(), cKDTree(line)
    for one in stand:
        site.take(Footprint(one.position[0], one.position[1], 20.0))
    sizes = random.uniform(0.1, 0.3, int(parameters["trees"]))

    def region(x: Array, y: Array) -> np.ndarray:
        return np.asarray(nearest.query(np.column_stack((x, y)))[0] > clear)

    places = scattered(site, sizes, 2.0, region, ((-half, -half), (half, half)), random)
    heights = RegularGridInterpolator((ground[0].y, ground[0].x), ground[1])(places[:, ::-1])
    out: list[WorldObject] = []
    for k, radius in enumerate(sizes.tolist()):
        point = float(places[k, 0]), float(places[k, 1])
        out += tree(f"tree_{k + 1}", point, 4.0 + 40.0 * radius, radius, bool(random.random() < 0.5), float(heights[k]))
    return out
