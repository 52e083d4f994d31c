"""Mapper from a scanning lidar: ground and objects of each scan, means of the ground, evidence of objects that fades, unknown space.

It knows the true pose of the vehicle, but nothing of the world that the sensor has not measured: no labels, no soil. Limits: an object lower
than the beams between two rings is not seen; a curb is seen only where several rings meet its edge, near the vehicle.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import CONTRACT, FREE, OBSTACLE, UNKNOWN, MapperInput, MapperKind, MapperSettings, ObstacleMap, PlanError
from simulator.autonomy.mappers.moving_objects import MovingObjects, cells_of
from simulator.autonomy.mappers.scan_kernels import MEASURED, SCAN, Cells, enter_scan
from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from simulator.base.fields import Field, Fields, Number, Text
from simulator.base.records import Record, record
from terrain.truth_map import map_of

MAX_AGE = 1.0
"""s. Age of a measurement beyond which the sensor has failed."""
OBSTACLE_EVIDENCE = 1.5
"""Evidence from which on a cell is an obstacle."""
HOLE = 1.0
"""Half the width of a hole in the known ground that counts as ground, over the radius of a wheel: a wheel spans it."""
HIDDEN = 0.6
"""Least cost of ground between returns, where a pit may be that the beams pass over: a route prefers ground that was measured."""
FALL = 0.5
"""Slope from the edges of ground between returns, over the unevenness of the measured ground."""
BELOW_LIMIT = 0.99
"""Largest cost of a free cell."""
START = 10.0
"""s. Time after the start by which the first measurement has to be there."""


class LidarMapper:
    """Mapper from the array `points` of a lidar. Raises JounceError: no sensor has its name."""

    def __init__(self, settings: MapperSettings) -> None:
        values = settings.values
        self._sensor = str(values["sensor"])
        if self._sensor not in settings.mounts:
            raise JounceError(f"mapper lidar: no sensor called {self._sensor}; {_hint(self._sensor, list(settings.mounts))}")
        self._mount, self._vehicle = settings.mounts[self._sensor], settings.vehicle
        self._cell, self._strength, self._memory = float(values["cell"]), float(values["strength"]), float(values["memory"])
        self._count = max(2, round(float(values["extent"]) / self._cell))
        usual = settings.vehicle.limits(self._cell)
        given = {"slope": values.get("max_slope"), "step": values.get("max_step"), "object_height": values.get("max_object")}
        self.limits = replace(usual, **{name: float(value) for name, value in given.items() if value is not None})
        self._p = record(SCAN)
        q = self._p[0]
        q["cell"], q["slope"], q["object_height"] = self._cell, math.tan(self.limits.slope), self.limits.object_height
        q["vehicle_height"], q["gap"], q["blind"] = self.limits.vehicle_height, float(values["gap"]), float(values["blind"])
        q["noise"] = float(values["noise"])
        self._hole = max(1, round(HOLE * settings.vehicle.wheel_radius / self._cell))
        self._corner: tuple[int, int] | None = None
        self._cells, self._moving, self._prediction = self._empty(), MovingObjects(self._cell), float(values["prediction"])
        self._measured = math.nan
        self._reach = max(settings.vehicle.front, settings.vehicle.rear)
        self._hit = math.nan
        """s. Time of the last scan with a return; at first that of the first scan."""

    def update(self, seen: MapperInput) -> ObstacleMap:
        """Return the map with the last scan. Raises PlanError: the sensor has failed."""
        self._move(*(math.floor(place / self._cell + 0.5) - self._count // 2 for place in seen.position))
        measured = seen.sensors[self._sensor]
        if measured.trouble:
            raise PlanError(measured.trouble)
        has_measured = not math.isnan(measured.time)
        if measured.age > MAX_AGE and (has_measured or seen.time > START):
            raise PlanError(f"sensor {self._sensor}: no measurement for {min(measured.age, seen.time):.1f} s")
        if has_measured and "points" not in measured.arrays:
            raise PlanError(f"sensor {self._sensor}: has no points; expected a lidar")
        if has_measured and measured.time != self._measured:
            self._measured = measured.time
            if math.isnan(self._hit) or _has_returns(measured.arrays["points"], self._reach):
                self._hit = measured.time
            if measured.time - self._hit > MAX_AGE:
                raise PlanError(f"sensor {self._sensor}: no returns for {measured.time - self._hit:.1f} s")
            self._enter(seen, measured.arrays["points"], float(measured.values[0]["start"]))
        return self._map(seen.time)

    def _empty(self) -> Cells:
        shape = self._count, self._count
        height, weight, seen, evidence, top = (np.zeros(shape) for _ in range(5))
        return Cells(height, weight, seen, evidence, top, np.full(shape, -math.inf), np.zeros(shape, np.int64), np.zeros(shape, np.int64))

    def _move(self, column: int, row: int) -> None:
        """Move the window to the cell (column, row) of the raster of the world; cells that leave it are forgotten."""
        if self._corner is not None and self._corner != (column, row):
            shift = column - self._corner[0], row - self._corner[1]
            fresh = self._empty()
            if max(map(abs, shift)) < self._count:
                to, since = zip(*(_overlap(one, self._count) for one in shift[::-1]), strict=True)
                for new, old in zip(fresh, self._cells, strict=True):
                    new[to] = old[since]
            self._cells = fresh
        self._corner = column, row
        self._p[0]["x"], self._p[0]["y"] = column * self._cell, row * self._cell

    def _enter(self, seen: MapperInput, points: NDArray, start: float) -> None:
        """Enter a scan, whose points are in the axes of the sensor at their times."""
        mount = self._mount
        times = start + points["time"].mean(axis=1)
        p_WB, R_WB = seen.poses_at(times)
        p_WS = p_WB + np.einsum("nij,j->ni", R_WB, mount.p_BS)
        R_WS = R_WB @ mount.R_BS
        local = np.stack((points["x"], points["y"], points["z"]), axis=-1).astype(float)
        world = np.einsum("nij,nkj->nki", R_WS, local) + p_WS[:, None]
        sensor = seen.readout[0]["p_WB"] + R_WB[-1] @ mount.p_BS
        plane = ground_plane(seen.readout)
        q = self._p[0]
        q["time"], q["plane"], q["standing"] = seen.time, plane[:2], 0.5 * self._vehicle.wheelbase
        q["foot_W"] = sensor[0], sensor[1], sensor @ (*plane[:2], 0.0) + plane[2]
        order = np.argsort(_elevations(local), kind="stable")
        enter_scan(self._p, np.ascontiguousarray(world), order, self._below(seen, plane), self._cells)
        self._moving.enter(seen.time, self._origin, self._cells)

    @property
    def _origin(self) -> Array:
        """Corner of cell (0, 0) [m]."""
        return np.array((self._p[0]["x"], self._p[0]["y"]))

    def _below(self, seen: MapperInput, plane: Array) -> Array:
        """Return points (n, 3) [m] of the ground below the vehicle; none while no wheel touches the ground."""
        if math.isnan(plane[2]):
            return np.empty((0, 3))
        v, (x, y), yaw = self._vehicle, seen.position, float(seen.readout[0]["yaw"])
        sides = ((-v.rear, v.front), (-0.5 * v.width, 0.5 * v.width))
        ahead, left = (
            one.ravel() for one in np.meshgrid(*(np.linspace(a, b, 2 + math.ceil((b - a) / (0.7 * self._cell))) for a, b in sides))
        )
        px, py = x + math.cos(yaw) * ahead - math.sin(yaw) * left, y + math.sin(yaw) * ahead + math.cos(yaw) * left
        return np.column_stack((px, py, plane[0] * px + plane[1] * py + plane[2]))

    def _map(self, time: float) -> ObstacleMap:
        """Return the map of the cells."""
        cells = self._cells
        fresh = time - cells.seen <= self._memory
        measured = np.where((cells.weight >= MEASURED) & fresh, cells.height, np.nan)
        near, is_near = filled(measured, self._hole)
        guessed = np.where((cells.weight > 0.0) & fresh, cells.height, np.nan)
        height, known = filled(np.where(is_near, near, guessed), self._hole)
        origin = float(self._p[0]["x"]), float(self._p[0]["y"])
        self._p[0]["fall"] = FALL * unevenness(measured, self._cell, float(self._p[0]["noise"]))
        true = map_of(np.pad(height, 1, mode="edge"), origin, self._cell, (), self.limits)
        solid = (cells.evidence >= OBSTACLE_EVIDENCE) & fresh
        # ground that was not measured is a guess: a step or slope at its edge is none; so is the difference to a cell that was not seen
        edge = largest_step(measured) > self.limits.step
        with np.errstate(invalid="ignore"):
            edge |= map_of(np.pad(measured, 1, mode="edge"), origin, self._cell, (), self.limits).slope > self.limits.slope
        state = np.where(known, np.where(edge, OBSTACLE, FREE), UNKNOWN).astype(np.uint8)
        state[solid] = OBSTACLE
        slope, step, cost = (np.where(known, np.nan_to_num(one), np.nan) for one in (true.slope, true.step, true.cost))
        hidden = known & ~is_near
        cost[hidden] = np.maximum(cost[hidden], HIDDEN)
        cost[state == FREE] = np.minimum(cost[state == FREE], BELOW_LIMIT)
        cost[state == OBSTACLE] = 1.0
        strength, tops = np.where(known, self._strength, np.nan), np.where(solid, cells.top, 0.0)
        for places, top in self._moving.ahead(time, self._prediction):
            there = cells_of(places, self._origin, self._cell, state.shape)
            state[there], cost[there], tops[there] = OBSTACLE, 1.0, top
        return ObstacleMap(time, origin, self._cell, height, slope, step, tops, strength, cost, state)


def ground_plane(readout: Record) -> Array:
    """Return a, b, c of the plane z = a x + b y + c [m] through the contact points of the wheels with load; level with less than three, NaN with none."""
    r = readout[0]
    points = np.asarray(r["p_WC"], float)
    points = points[np.isfinite(points).all(axis=1) & (np.asarray(r["F_C"])[:, 2] > 0.0)]
    if not len(points):
        return np.full(3, math.nan)
    middle = points.mean(axis=0)
    slopes = np.linalg.lstsq(points[:, :2] - middle[:2], points[:, 2] - middle[2], rcond=None)[0] if len(points) > 2 else np.zeros(2)
    return np.array((*slopes, middle[2] - slopes @ middle[:2]))


def largest_step(height: Array) -> Array:
    """Return the largest difference (ny, nx) [m] of the height from one of the 4 neighbors; 0 where none of them is known."""
    out = np.zeros(height.shape)
    for axis in (0, 1):
        step = np.nan_to_num(np.abs(np.diff(height, axis=axis)))
        low, high = (np.s_[:-1], np.s_[1:]) if axis == 0 else (np.s_[:, :-1], np.s_[:, 1:])
        out[low], out[high] = np.maximum(out[low], step), np.maximum(out[high], step)
    return out


def unevenness(height: Array, cell: float, noise: float) -> float:
    """Return the standard deviation [1] of the slope of heights (ny, nx) [m], NaN = unknown, beyond their noise [m]; 0 for a plane."""
    rises = [(one[2:] - one[:-2]) / (2.0 * cell) for one in (height, height.T)]
    spread = sum(float(one[np.isfinite(one)].var()) if np.isfinite(one).any() else 0.0 for one in rises)
    return math.sqrt(max(spread - 0.5 * (noise / cell) ** 2, 0.0))


def filled(height: Array, reach: int) -> tuple[Array, NDArray[np.bool_]]:
    """Return heights [m] and which of them are known, after small holes, NaN, have got the mean of the heights around them.

    A small hole is narrower than twice the reach [cells], in the sense of a morphological closing.
    """
    from scipy.ndimage import maximum_filter, minimum_filter, uniform_filter

    known, size = np.isfinite(height), 2 * reach + 1
    closed = minimum_filter(maximum_filter(known, size), size, mode="constant", cval=True) | known
    holes = closed & ~known
    if not holes.any():
        return height, known
    total, count = uniform_filter(np.where(known, height, 0.0), size), uniform_filter(known.astype(float), size)
    holes &= count > 0.5 / size**2
    out = height.copy()
    out[holes] = total[holes] / count[holes]
    return out, known | holes


def _has_returns(points: NDArray, own: float) -> bool:
    """Return whether a scan has a return beyond the own vehicle [m]."""
    away = np.sqrt(points["x"] ** 2 + points["y"] ** 2 + points["z"] ** 2)
    return bool((away > own).any())


def _hint(missing_name: str, names: list[str]) -> str:
    """Return the remedy for a missing lidar; `names` are those of the sensors with a mount."""
    if names:
        return f"sensors: {', '.join(names)}; hint: set `mapper: {{type: lidar, sensor: {names[0]}}}`"
    name = "" if missing_name == "lidar" else f"name: {missing_name}, "
    return f"hint: add one, for example --sensor '{{type: lidar, {name}mount: {{position: [0, 0, 1.6]}}}}'"


def _elevations(points: Array) -> Array:
    """Return the mean sine of the elevation (rings,) of the returns (columns, rings, 3) of each ring; 2 for a ring without returns."""
    length = np.linalg.norm(points, axis=-1)
    hit = np.isfinite(length) & (length > 0.0)
    count = hit.sum(axis=0)
    total = np.divide(points[..., 2], length, out=np.zeros(length.shape), where=hit).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), 2.0)


def _overlap(shift: int, count: int) -> tuple[slice, slice]:
    """Return the part of the new axis that the old one covers, and that part of the old one."""
    return slice(max(-shift, 0), count - max(shift, 0)), slice(max(shift, 0), count - max(-shift, 0))


PARAMETERS: Fields = (
    Field("sensor", Text("the name of a sensor"), "name of the lidar", "lidar"),
    Field("extent", Number("m", 10.0, 400.0), "length and width of the map", 80.0, written="m"),
    Field("cell", Number("m", 0.05, 5.0), "side length of a cell", 0.25, written="m"),
    Field("gap", Number("m", 0.1, 50.0), "distance of two returns up to which the ground between them counts as known", 6.0, written="m"),
    Field(
        "blind", Number("m", 0.0, 50.0), "distance of the first return up to which the ground before it counts as known", 12.0, written="m"
    ),
    Field("noise", Number("m", 0.0, 1.0), "differences of the height that may be noise", 0.06, written="m"),
    Field("memory", Number("s", 0.1, 1e4), "time after which a cell that is not seen again is unknown", 60.0, written="s"),
    Field("prediction", Number("s", 0.0, 10.0), "time for which the places of small moving objects are predicted", 4.0, written="s"),
    Field("strength", Number("1", 0.01, 2.0), "assumed tractive force over weight, which a lidar does not measure", 0.6),
    Field("max_slope", Number("rad", 0.01, 1.5), "slope of an obstacle (default: of the vehicle)", None, written="deg"),
    Field("max_step", Number("m", 0.01, 5.0), "step of an obstacle (default: of the vehicle)", None, written="m"),
    Field("max_object", Number("m", 0.0, 5.0), "height of an object that is an obstacle (default: of the vehicle)", None, written="m"),
)
KIND = MapperKind("lidar", LidarMapper, CONTRACT, PARAMETERS, period=0.2, meaning="ground and objects from the points of a lidar")
