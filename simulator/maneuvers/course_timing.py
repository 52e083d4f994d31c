"""Time of a vehicle on a timed course: lines passed in order, laps, penalties, distance from a leader's track.

The front of the vehicle passes a line when it crosses the line in its direction. Between two calls the vehicle moves on a straight at constant
speed, so that the time of a crossing is exact to some microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simulator.maneuvers.timed_course import PlacedCourse

LARGEST_MOVE = 3.0
"""m between two calls, above which the vehicle was put to another place and has crossed no line."""
TRACK_SPACING = 0.5
"""m between two stored points of the track of the leader."""
MOST_POINTS = 1000
"""Stored points of the track."""


class Lap(NamedTuple):
    """A completed lap, or the whole way of a course without laps."""

    number: int
    began: float
    """s, simulated time of its start"""
    splits: tuple[float, ...]
    """s from its start to each further line, the last one is its end"""
    clean: bool
    """True if the vehicle stayed in the corridor"""

    @property
    def time(self) -> float:
        """Time of the lap [s]."""
        return self.splits[-1]

    @property
    def sectors(self) -> tuple[float, ...]:
        """Times of the sectors [s]."""
        return tuple(b - a for a, b in zip((0.0, *self.splits), self.splits, strict=False))


class Passing(NamedTuple):
    """Something that happened at a line or on the way."""

    what: str
    """start, line, lap, finish, missed (a line before it), void (a lap with missed lines), back (in the wrong direction), left (the corridor), cone"""
    time: float
    """s, simulated time"""
    text: str
    """For the driver."""


@dataclass
class CourseTiming:
    """Time of one vehicle on a course.

    Attributes
    ----------
    next_line : line to pass next
    began, lap_began : simulated time of the first line, and of the present lap [s]; NaN before it
    ended : simulated time of the end [s]; NaN before it
    laps : completed laps
    leavings, cones : how often the vehicle has left the corridor; cones that it has knocked over
    """

    course: PlacedCourse
    next_line: int = 0
    began: float = math.nan
    lap_began: float = math.nan
    ended: float = math.nan
    laps: list[Lap] = field(default_factory=list)
    leavings: int = 0
    cones: int = 0
    _splits: list[float] = field(default_factory=list)
    _clean: bool = True
    _inside: bool = True
    _behind: bool = False
    """Whether the vehicle has gone back over the line that it passed last."""
    _before: tuple[float, float, float] | None = None
    """Time, x, y of the last call."""
    _station: float = math.nan
    _cones_before: int = 0

    @property
    def runs(self) -> bool:
        """Whether the time runs."""
        return math.isfinite(self.began) and not math.isfinite(self.ended)

    @property
    def finished(self) -> bool:
        """Whether the vehicle has passed the last line."""
        return math.isfinite(self.ended)

    @property
    def penalty(self) -> float:
        """Penalties [s]."""
        section = self.course.section
        return self.leavings * section.leaving + self.cones * section.cone

    @property
    def lap(self) -> int:
        """Number of the present lap, 0 before the start."""
        return 0 if not math.isfinite(self.began) else min(len(self.laps) + 1, self.course.section.laps or 1)

    @property
    def best(self) -> Lap | None:
        """Fastest lap within the corridor."""
        return min((lap for lap in self.laps if lap.clean), key=lambda lap: lap.time, default=None)

    def elapsed(self, now: float) -> float:
        """Return the time since the first line [s], without penalties; 0 before it."""
        return (self.ended if self.finished else now) - self.began if math.isfinite(self.began) else 0.0

    def note(self, now: float, x: float, y: float) -> list[Passing]:
        """Take the place x, y [m] of the front of the vehicle at a simulated time [s]; return what has happened since the last call."""
        before, self._before = self._before, (now, x, y)
        if before is None or now <= before[0] or math.dist(before[1:], (x, y)) > LARGEST_MOVE:
            self._station = math.nan
            return []
        out: list[Passing] = []
        for _, line, time, forward in sorted(self._crossings(before, (now, x, y))):
            out += self._pass(line, time) if forward else self._go_back(line, time)
        return out + self._check_corridor(now, x, y)

    def note_cones(self, now: float, count: int) -> list[Passing]:
        """Take the number of cones knocked over since the start of the drive; those before the first line do not count."""
        if not self.runs:
            self._cones_before = count if not self.finished else self._cones_before
            return []
        new = count - self._cones_before - self.cones
        if new <= 0:
            return []
        self.cones += new
        return [Passing("cone", now, f"cone: +{new * self.course.section.cone:g} s")]

    def _crossings(self, a: tuple[float, float, float], b: tuple[float, float, float]) -> list[tuple[float, int, float, bool]]:
        """Return fraction of the step, line, time and whether it is forward, of the lines crossed between two places."""
        out = []
        for k, (cx, cy, c, s, half) in enumerate(self.course.rows):
            d0, d1 = c * (a[1] - cx) + s * (a[2] - cy), c * (b[1] - cx) + s * (b[2] - cy)
            if (d0 < 0.0) == (d1 < 0.0):
                continue
            f = d0 / (d0 - d1)
            px, py = a[1] + f * (b[1] - a[1]) - cx, a[2] + f * (b[2] - a[2]) - cy
            if abs(c * py - s * px) <= half:
                out.append((f, k, a[0] + f * (b[0] - a[0]), d0 < 0.0))
        return out

    def _pass(self, line: int, time: float) -> list[Passing]:
        """Take a line crossed in its direction."""
        course, names = self.course, self.course.names
        last = (self.next_line - 1) % len(names)
        if self.finished or not (math.isfinite(self.began) or line == 0):
            return []
        if not math.isfinite(self.began):
            self.began = time
            self._begin_lap(time)
            return [Passing("start", time, "go")]
        if self._behind and line == last:
            self._behind = False
            return []
        if line == self.next_line:
            return [self._advance(time)]
        if line == 0 and course.closed:
            missed = names[self.next_line]
            self._begin_lap(time)
            return [Passing("void", time, f"{missed} missed: the lap does not count")]
        if line > self.next_line or (self.next_line == 0 and line != last):
            return [Passing("missed", time, f"{names[self.next_line]} missed: go back to it")]
        return []

    def _advance(self, time: float) -> Passing:
        """Take the next line, in its direction."""
        course, line = self.course, self.next_line
        self._splits.append(time - self.lap_began)
        ends = line == (0 if course.closed else len(course.names) - 1)
        if not ends:
            self.next_line = (line + 1) % len(course.names)
            return Passing("line", time, f"{course.names[line]}: {clock(self._splits[-1])}")
        lap = Lap(len(self.laps) + 1, self.lap_began, tuple(self._splits), self._clean)
        self.laps.append(lap)
        if len(self.laps) == (course.section.laps or 1):
            self.ended = time
            return Passing("finish", time, f"finish: {clock(self.ended - self.began + self.penalty)}")
        self._begin_lap(time)
        return Passing("lap", time, f"lap {lap.number}: {clock(lap.time)}")

    def _begin_lap(self, time: float) -> None:
        self.lap_began, self.next_line = time, 1 % len(self.course.names)
        self._splits, self._clean, self._behind = [], self._inside, False

    def _go_back(self, line: int, time: float) -> list[Passing]:
        """Take a line crossed against its direction."""
        if not self.runs or self._behind or line != (self.next_line - 1) % len(self.course.names):
            return []
        self._behind = True
        return [Passing("back", time, "wrong way")]

    def _check_corridor(self, now: float, x: float, y: float) -> list[Passing]:
        """Note whether the vehicle is inside the corridor."""
        course, corridor = self.course, self.course.section.corridor
        if corridor is None:
            return []
        station = course.path.nearest(x, y, self._station) if math.isfinite(self._station) else course.path.find(x, y)
        if course.closed and not 0.5 * course.length <= station <= 1.5 * course.length:
            station += course.length if station < course.length else -course.length
        inside = abs(course.path.offset_of(x, y, station)) <= 0.5 * corridor
        left, self._inside, self._station = self._inside and not inside, inside, station
        if not (left and self.runs):
            return []
        self.leavings, self._clean = self.leavings + 1, False
        return [Passing("left", now, f"off the course: +{course.section.leaving:g} s")]

    def to_json(self) -> dict[str, Any]:
        """Return the result, with units in the keys; times of a course that was not finished are null."""
        best = self.best
        total = self.ended - self.began if self.finished else None
        return {
            "finished": self.finished,
            "time_s": total,
            "penalty_s": self.penalty,
            "total_s": None if total is None else total + self.penalty,
            "leavings": self.leavings,
            "cones": self.cones,
            "laps": [
                {"lap": lap.number, "began_s": lap.began, "time_s": lap.time, "sectors_s": list(lap.sectors), "clean": lap.clean}
                for lap in self.laps
            ],
            "best_lap_s": None if best is None else best.time,
        }


class Following:
    """Distance of a vehicle from the track of its leader while the time of the course runs.

    Attributes
    ----------
    deviation : distance from the track at the last call [m]; gap : distance from the leader [m]
    """

    def __init__(self, reach: float) -> None:
        self._reach = reach
        self._points, self._count = np.empty((MOST_POINTS, 2)), 0
        self._time = self._near = self._sum = 0.0
        self.deviation = self.gap = 0.0

    @property
    def mean(self) -> float:
        """Mean distance from the track [m]."""
        return self._sum / self._time if self._time > 0.0 else 0.0

    @property
    def near(self) -> float:
        """Fraction of the time within reach of the leader."""
        return self._near / self._time if self._time > 0.0 else 1.0

    def note(self, step: float, own: tuple[float, float], leader: tuple[float, float], counts: bool) -> None:
        """Take both places [m] after a time step [s]; `counts`: whether the time of the course runs."""
        if not self._count or math.dist(self._points[self._count - 1], leader) >= TRACK_SPACING:
            if self._count == MOST_POINTS:  # the older half is far behind
                self._points[: MOST_POINTS // 2], self._count = self._points[MOST_POINTS // 2 :], MOST_POINTS // 2
            self._points[self._count], self._count = leader, self._count + 1
        self.gap = math.dist(own, leader)
        self.deviation = _distance(self._points[: self._count], own)
        if counts:
            self._time += step
            self._sum += step * self.deviation
            self._near += step * (self.gap <= self._reach)

    def to_json(self) -> dict[str, Any]:
        """Return the result, with units in the keys."""
        return {"mean_deviation_m": self.mean, "near": self.near}


def _distance(points: Any, place: tuple[float, float]) -> float:
    """Return the distance of a place from a polyline (n, 2) [m]."""
    if len(points) == 1:
        return math.dist(points[0], place)
    a, along = points[:-1], np.diff(points, axis=0)
    f = np.clip(((place - a) * along).sum(axis=1) / np.maximum((along * along).sum(axis=1), 1e-12), 0.0, 1.0)
    return float(np.hypot(*(a + f[:, None] * along - place).T).min())


def ranking(timings: Sequence[tuple[str, CourseTiming]], places: dict[str, tuple[float, float]]) -> list[str]:
    """Return the names of the vehicles, the leading one first; `places`: x, y [m] of their fronts."""

    def key(one: tuple[str, CourseTiming]) -> tuple[float, float, float]:
        name, timing = one
        if timing.finished:
            return -math.inf, timing.ended - timing.began + timing.penalty, 0.0
        passed = (timing.next_line - 1) % len(timing.course.names) if timing.runs else -1
        return -len(timing.laps), -passed, math.dist(places[name], timing.course.centers[timing.next_line])

    return [name for name, _ in sorted(timings, key=key)]


def clock(seconds: float) -> str:
    """Return a time in minutes and seconds with milliseconds.

    >>> clock(62.4812), clock(3.0)
    ('1:02.481', '0:03.000')
    """
    milliseconds = round(1000.0 * seconds)
    return f"{milliseconds // 60000}:{milliseconds // 1000 % 60:02d}.{milliseconds % 1000:03d}"
