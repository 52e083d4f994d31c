"""Path to drive: a line with lane changes. `simulator.driver.path_kernels` contains the same for kernels.

Positions are in a plane frame: x and y in meters, heading in rad from x towards y (+ = left). A path is built relative to the spawn
pose (x forward) and then placed in the world.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.algebra.path_length import path_length
from simulator.base.field_classes import entry, group_of
from simulator.base.fields import Choice, ListOf, Number

if TYPE_CHECKING:
    from simulator.driver.path_kernels import Line

SPACING = 0.25
"""m between the stored points of a line through waypoints. Larger: the stored curvature of a tight corner gets coarse."""
CHORD_ERROR = 5e-4
"""m. Maximum distance between an arc and the chord between two stored points, for paths from segments."""
FINEST, COARSEST = 0.1, 1.0
"""m. Minimum and maximum distance of the stored points, regardless of radii."""
STEPS_PER_POINT = 10
"""Integration steps between two stored points."""
SIDES = ("left", "right")


class Spawn(NamedTuple):
    """Start of a path: position (m) and heading (rad) in the world."""

    x: float
    y: float
    yaw: float


class PathPoint(NamedTuple):
    """Point of a path: position (m), heading (rad), curvature (1/m, + = turns left)."""

    x: float
    y: float
    heading: float
    curvature: float


class LaneChange(NamedTuple):
    """Sideways shift of a path by `offset` (m, + = left), spread from station `start` (m) over `length` (m)."""

    start: float
    length: float
    offset: float


class TimedLaneChange(NamedTuple):
    """Lane change that starts at the position of the vehicle at time `at` (s)."""

    at: float
    length: float
    offset: float


@dataclass(frozen=True)
class Segment:
    """Straight or arc of a path. Its first `transition` meters are a clothoid from the curvature of the previous segment to its own."""

    length: float = entry(
        Number("m", 0.0, 1e5, above=0.0), "length of the segment, including the transition; an arc may exceed a full circle", written="m"
    )
    radius: float | None = entry(Number("m", 2.0, 1e5), "radius of an arc (default: straight)", None, written="m")
    side: str = entry(Choice(SIDES), "side to which an arc turns", SIDES[0])
    transition: float = entry(
        Number("m", 0.0, 1e5),
        "length over which the curvature changes from that of the previous segment, at most the length of the segment",
        0.0,
        written="m",
    )

    @property
    def curvature(self) -> float:
        """Curvature of the segment, 1/m, + = left."""
        return 0.0 if self.radius is None else (1.0 if self.side == SIDES[0] else -1.0) / self.radius


SEGMENTS = ListOf(group_of(Segment), least=1)
"""Field type of the file key `segments`; input of `Path.of_segments`."""


@dataclass(frozen=True)
class Path:
    """Line with lane changes. Station (m) is the distance along the line, without the detour of the lane changes.

    The line is stored at equal distances `spacing`: x, y, heading, curvature. It continues straight before its start and after its end.
    A lane change of offset D is the quintic d = D (10 u^3 - 15 u^4 + 6 u^5) of u = (station - start)/length. Position, heading and
    curvature are continuous; the largest lateral acceleration at speed v is 5.77 D v^2 / length^2.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    heading: tuple[float, ...]
    curvature: tuple[float, ...]
    spacing: float
    lane_changes: tuple[LaneChange, ...] = ()

    @staticmethod
    def straight() -> Path:
        """Return a straight path from the spawn pose."""
        return Path((0.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), 1.0)

    @staticmethod
    def of_segments(segments: Sequence[Segment]) -> Path:
        """Return a path of consecutive segments from the spawn pose; the first segment has no transition."""
        sections, before = [], segments[0].curvature
        for segment in segments:
            into = min(segment.transition, segment.length)
            sections += [(into, before, segment.curvature), (segment.length - into, segment.curvature, segment.curvature)]
            before = segment.curvature
        length, first, last = np.array([section for section in sections if section[0] > 0.0]).T
        sharpest = max(abs(segment.curvature) for segment in segments)
        spacing = min(max(math.sqrt(8.0 * CHORD_ERROR / sharpest), FINEST), COARSEST) if sharpest > 0.0 else COARSEST
        count = max(3, math.ceil(length.sum() / spacing) + 1)
        fine = np.linspace(0.0, length.sum(), (count - 1) * STEPS_PER_POINT + 1)
        begin = np.cumsum(length) - length
        turned = np.cumsum(0.5 * length * (first + last)) - 0.5 * length * (first + last)
        i = np.searchsorted(begin, fine, side="right") - 1
        way, change = fine - begin[i], ((last - first) / length)[i]
        curvature = first[i] + change * way
        heading = turned[i] + way * (first[i] + 0.5 * change * way)
        step, middle = fine[1], 0.5 * (heading[1:] + heading[:-1])
        x, y = (np.concatenate(([0.0], np.cumsum(step * along(middle)))) for along in (np.cos, np.sin))
        xs, ys, headings, curvatures = (tuple(column[::STEPS_PER_POINT].tolist()) for column in (x, y, heading, curvature))
        return Path(xs, ys, headings, curvatures, float(step * STEPS_PER_POINT))

    @staticmethod
    def through(points: ArrayLike) -> Path:
        """Return a natural cubic spline through the waypoints (n, 2) over the chord length; its curvature is continuous."""
        way = np.asarray(points, dtype=float)
        chord = path_length(*way.T)
        fine = np.linspace(0.0, chord[-1], max(3, math.ceil(chord[-1] / (0.1 * SPACING))))
        curve = _natural_spline(chord, way, fine)
        length = path_length(*curve.T)
        count = max(3, math.ceil(length[-1] / SPACING) + 1)
        station = np.linspace(0.0, length[-1], count)
        x, y = np.interp(station, length, curve[:, 0]), np.interp(station, length, curve[:, 1])
        spacing = station[1]
        heading = np.unwrap(np.arctan2(np.gradient(y, spacing), np.gradient(x, spacing)))
        curvature = np.gradient(heading, spacing)
        return Path(tuple(x.tolist()), tuple(y.tolist()), tuple(heading.tolist()), tuple(curvature.tolist()), float(spacing))

    @staticmethod
    def around(points: ArrayLike, laps: int) -> Path:
        """Return a closed cubic spline through the waypoints (n, 2), which begins and ends at the first one, for a number of laps."""
        way = np.asarray(points, dtype=float)
        one = Path.through(np.vstack((way, way, way, way[:1])))  # only the ends of a natural spline differ from a closed one
        length = one.length / 3.0
        station = np.linspace(0.0, length, max(4, math.ceil(length / SPACING)) + 1)[:-1]
        at = (station + length) / one.spacing
        stored = np.arange(len(one.x))
        x, y, heading, curvature = (np.interp(at, stored, column) for column in (one.x, one.y, one.heading, one.curvature))
        turn = math.tau * round((one.heading[-1] - one.heading[0]) / (3.0 * math.tau))
        headings = np.concatenate([heading + lap * turn for lap in range(laps)])
        xs, ys, curvatures = (tuple(np.tile(column, laps).tolist()) for column in (x, y, curvature))
        return Path(xs, ys, tuple(headings.tolist()), curvatures, float(station[1]))

    def placed(self, spawn: Spawn) -> Path:
        """Return this path, built relative to the spawn pose, in the world frame."""
        c, s = math.cos(spawn.yaw), math.sin(spawn.yaw)
        x, y = np.array(self.x), np.array(self.y)
        return replace(
            self,
            x=tuple((spawn.x + c * x - s * y).tolist()),
            y=tuple((spawn.y + s * x + c * y).tolist()),
            heading=tuple((np.array(self.heading) + spawn.yaw).tolist()),
        )

    def with_lane_changes(self, changes: Iterable[LaneChange]) -> Path:
        """Return this path with additional lane changes."""
        return replace(self, lane_changes=self.lane_changes + tuple(changes))

    @property
    def length(self) -> float:
        """Length of the stored line, m."""
        return self.spacing * (len(self.x) - 1)

    @cached_property
    def line(self) -> Line:
        """Path as input of the kernels."""
        from simulator.driver.path_kernels import Line

        points = np.column_stack((self.x, self.y, self.heading, self.curvature))
        return Line(np.ascontiguousarray(points), np.array(self.lane_changes, dtype=float).reshape(-1, 3), self.spacing)

    def at(self, station: float) -> PathPoint:
        """Return the point at a station."""
        return PathPoint(*_kernels()[0](self.line, float(station)))

    def nearest(self, x: float, y: float, guess: float) -> float:
        """Return the station of the foot of (x, y) on the path, close to the station `guess`."""
        return _kernels()[1](self.line, float(x), float(y), float(guess))

    def find(self, x: float, y: float) -> float:
        """Return the station of the foot of (x, y) on the whole path; of several equally close feet, as on a circle, the first one."""
        points = self.line.points
        distance = np.hypot(points[:, 0] - x, points[:, 1] - y)
        i = int(np.argmax(distance <= distance.min() + 0.5 * self.spacing))
        while i + 1 < len(distance) and distance[i + 1] < distance[i]:
            i += 1
        return self.nearest(x, y, i * self.spacing)

    def offset_of(self, x: float, y: float, station: float) -> float:
        """Return the distance (m, + = left) of (x, y) from the path at a station, normally that of the foot."""
        p = self.at(station)
        return math.cos(p.heading) * (y - p.y) - math.sin(p.heading) * (x - p.x)


@cache
def _kernels() -> tuple[Callable, Callable]:
    """Return compiled `point_of` and `foot_of` of `simulator.driver.path_kernels`; loaded on first use, as reading files does not need them."""
    from simulator.base.fast_call import compiled_call
    from simulator.driver.path_kernels import Line, foot_of, point_of

    line = Line(np.zeros((2, 4)), np.zeros((0, 3)), 1.0)
    return compiled_call(point_of, line, 0.0), compiled_call(foot_of, line, 0.0, 0.0, 0.0)


def _natural_spline(knots: NDArray, values: NDArray, where: NDArray) -> NDArray:
    """Return the natural cubic spline through values (n, 2) at knots (n,), evaluated at `where` (m,). de Boor 1978, chapter IV."""
    from scipy.linalg import solve_banded

    n, h = len(knots), np.diff(knots)
    slope = np.diff(values, axis=0) / h[:, None]
    system, right = np.zeros((3, n)), np.zeros_like(values)  # rows: above the diagonal, diagonal, below it
    system[1] = 1.0
    system[0, 2:], system[1, 1:-1], system[2, :-2] = h[1:], 2.0 * (h[:-1] + h[1:]), h[:-1]
    right[1:-1] = 6.0 * np.diff(slope, axis=0)
    bend = solve_banded((1, 1), system, right)
    j = np.clip(np.searchsorted(knots, where, side="right") - 1, 0, n - 2)
    a, hi = (where - knots[j])[:, None], h[j][:, None]
    linear = slope[j] - hi * (2.0 * bend[j] + bend[j + 1]) / 6.0
    return values[j] + a * (linear + a * (bend[j] / 2.0 + a * (bend[j + 1] - bend[j]) / (6.0 * hi)))
