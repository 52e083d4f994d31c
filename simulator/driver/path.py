"""Following a path: the path (a line plus lane changes), and the driver who steers along it.

Positions are in a plane frame: x and y in metres, heading in rad from x towards y (+ = left). A path is built relative to the spawn
pose (x forward) and then placed in the world.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.fields import Number, entry
from simulator.base.records import Record
from simulator.driver.speed import SpeedControl

SPACING = 0.25
"""m between the stored points of a curved line. Larger: the stored curvature of a tight corner gets coarse."""

LOW_SPEED = 6.0
"""m/s. Well below this an error is taken back over a way, bandwidth / LOW_SPEED per metre, and no longer over a time: tires answer after
a way, not after a time. Smaller: the driver weaves at walking pace. Larger: he cuts slow corners."""


class Spawn(NamedTuple):
    """Where a path starts: position (m) and heading (rad) in the world."""

    x: float
    y: float
    yaw: float


class PathPoint(NamedTuple):
    """Point of a path: position (m), heading (rad), curvature (1/m, + = turns left)."""

    x: float
    y: float
    heading: float
    curvature: float


class Motion(NamedTuple):
    """Pose in the plane (m, m, rad) and its rates: velocity ahead and to the left (m/s), yaw rate (rad/s)."""

    x: float
    y: float
    yaw: float
    v_x: float
    v_y: float
    w: float


class LaneChange(NamedTuple):
    """Sideways shift of a path by `offset` (m, + = left), spread from station `start` (m) over `length` (m)."""

    start: float
    length: float
    offset: float


class TimedLaneChange(NamedTuple):
    """Lane change that starts wherever the vehicle is at time `at` (s)."""

    at: float
    length: float
    offset: float


@dataclass(frozen=True)
class Path:
    """A line with lane changes on it. Station (m) is the distance along the line, without the detour of the lane changes.

    The line is stored at equal distances `spacing`: x, y, heading, curvature. Before its start and behind its end it goes on straight.
    A lane change of offset D is the quintic d = D (10 u^3 - 15 u^4 + 6 u^5) of u = (station - start)/length: position, heading and
    curvature are continuous, the largest sideways acceleration at speed v is 5.77 D v^2 / length^2.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    heading: tuple[float, ...]
    curvature: tuple[float, ...]
    spacing: float
    lane_changes: tuple[LaneChange, ...] = ()

    @staticmethod
    def straight() -> Path:
        """Straight on from the spawn pose."""
        return Path((0.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), 1.0)

    @staticmethod
    def through(points: ArrayLike) -> Path:
        """Smooth line through the way points (n, 2): a natural cubic spline over the chord length, so its curvature is continuous."""
        way = np.asarray(points, dtype=float)
        chord = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(way, axis=0).T))))
        fine = np.linspace(0.0, chord[-1], max(3, math.ceil(chord[-1] / (0.1 * SPACING))))
        curve = _natural_spline(chord, way, fine)
        length = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(curve, axis=0).T))))
        count = max(3, math.ceil(length[-1] / SPACING) + 1)
        station = np.linspace(0.0, length[-1], count)
        x, y = np.interp(station, length, curve[:, 0]), np.interp(station, length, curve[:, 1])
        spacing = station[1]
        heading = np.unwrap(np.arctan2(np.gradient(y, spacing), np.gradient(x, spacing)))
        curvature = np.gradient(heading, spacing)
        return Path(tuple(x.tolist()), tuple(y.tolist()), tuple(heading.tolist()), tuple(curvature.tolist()), float(spacing))

    def placed(self, spawn: Spawn) -> Path:
        """This path, built relative to the spawn pose, in the world."""
        c, s = math.cos(spawn.yaw), math.sin(spawn.yaw)
        x, y = np.array(self.x), np.array(self.y)
        return replace(
            self,
            x=tuple((spawn.x + c * x - s * y).tolist()),
            y=tuple((spawn.y + s * x + c * y).tolist()),
            heading=tuple((np.array(self.heading) + spawn.yaw).tolist()),
        )

    def with_lane_changes(self, changes: Iterable[LaneChange]) -> Path:
        """This path with more lane changes."""
        return replace(self, lane_changes=self.lane_changes + tuple(changes))

    def at(self, station: float) -> PathPoint:
        """Point at a station. Heading and curvature of the shifted line: Werling et al. 2010, appendix I."""
        x, y, heading, k, k_slope = self._line(station)
        if not self.lane_changes:
            return PathPoint(x, y, heading, k)
        d, d1, d2 = self._shift(station)
        x, y = x - d * math.sin(heading), y + d * math.cos(heading)
        along = 1.0 - k * d
        turn = math.atan2(d1, along)
        c = math.cos(turn)
        curvature = ((d2 + (k_slope * d + k * d1) * math.tan(turn)) * c * c / along + k) * c / along
        return PathPoint(x, y, heading + turn, curvature)

    def nearest(self, x: float, y: float, guess: float) -> float:
        """Station of the foot of (x, y) on the path, close to the station `guess`."""
        station = guess
        for _ in range(8):
            p = self.at(station)
            c, s = math.cos(p.heading), math.sin(p.heading)
            ahead, left = c * (x - p.x) + s * (y - p.y), c * (y - p.y) - s * (x - p.x)
            # Newton's step, its slope bounded for a point near the centre of the curve
            step = ahead / max(0.3, 1.0 - p.curvature * left)
            station += step
            if abs(step) < 1e-7:
                break
        return station

    def find(self, x: float, y: float) -> float:
        """Station of the foot of (x, y) on the path, wherever it is."""
        i = int(np.argmin((np.array(self.x) - x) ** 2 + (np.array(self.y) - y) ** 2))
        return self.nearest(x, y, i * self.spacing)

    def offset_of(self, x: float, y: float, station: float) -> float:
        """Distance (m, + = left) of (x, y) from the path at its foot's station."""
        p = self.at(station)
        return math.cos(p.heading) * (y - p.y) - math.sin(p.heading) * (x - p.x)

    def _line(self, station: float) -> tuple[float, float, float, float, float]:
        """x, y, heading, curvature and its slope (1/m2) of the line without lane changes."""
        last = len(self.x) - 1
        place = station / self.spacing
        if place <= 0.0 or place >= last:
            i = 0 if place <= 0.0 else last
            beyond, heading = (place - i) * self.spacing, self.heading[i]
            return self.x[i] + beyond * math.cos(heading), self.y[i] + beyond * math.sin(heading), heading, 0.0, 0.0
        i = int(place)
        f = place - i
        g = 1.0 - f
        return (
            g * self.x[i] + f * self.x[i + 1],
            g * self.y[i] + f * self.y[i + 1],
            g * self.heading[i] + f * self.heading[i + 1],
            g * self.curvature[i] + f * self.curvature[i + 1],
            (self.curvature[i + 1] - self.curvature[i]) / self.spacing,
        )

    def _shift(self, station: float) -> tuple[float, float, float]:
        """Sum of the lane changes at a station (m) and its first two derivatives (1, 1/m)."""
        d = d1 = d2 = 0.0
        for change in self.lane_changes:
            u = (station - change.start) / change.length
            if u >= 1.0:
                d += change.offset
            elif u > 0.0:
                d += change.offset * u * u * u * (10.0 + u * (6.0 * u - 15.0))
                d1 += change.offset / change.length * 30.0 * u * u * (1.0 - u) * (1.0 - u)
                d2 += change.offset / change.length**2 * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)
        return d, d1, d2


@dataclass(frozen=True)
class Steering:
    """How the vehicle answers its steering wheel, and how the driver uses it.

    Defaults: the shipped HMMWV, from steady turns on asphalt (steering input per curvature 6.8 m at 4 m/s, 7.1 m at 10 m/s, 8 to 9.9 m
    at 20 m/s, less the harder the turn) and the half-way time of its yaw rate after a quick turn of the wheel (0.11 to 0.25 s).
    """

    wheelbase: float = entry(Number("m", 0.1, 50.0), "distance of the axles", 3.302)
    gain: float = entry(Number("rad", 0.01, 1.5), "mean angle of the front road wheels at steering input 1", 0.487)
    understeer: float = entry(
        Number("rad s2/m", -0.01, 0.05), "road-wheel angle needed per lateral acceleration beyond that of a slow turn", 0.0025
    )
    preview: float = entry(
        Number("s", 0.0, 2.0), "how far ahead the driver judges his error: about the time the vehicle needs to answer the steering", 0.27
    )
    bandwidth: float = entry(Number("rad/s", 0.01, 20.0), "natural frequency with which an error is taken back", 2.4)
    damping: float = entry(Number("1", 0.01, 5.0), "its damping ratio", 1.2)
    correction: float = entry(
        Number("m/s2", 0.0, 20.0, above=0.0),
        "largest lateral acceleration spent on taking back an error, so that a driver far off the path returns without skidding",
        4.0,
    )
    rate: float = entry(
        Number("1/s", 0.0, above=0.0),
        "largest change of the steering input per second: 1000 deg/s at the rim of a wheel that turns 780 deg from center to lock",
        1.3,
    )


class PathDriver:
    """Driver who follows a path with preview and keeps a speed.

    The pose is extrapolated by the preview time T with the present velocity and yaw rate; there, with e the distance to the left of
    the path, chi the course angle (yaw + sideslip) relative to the path and kappa the curvature of the path,

        k     = bandwidth / sqrt(v^2 + LOW_SPEED^2)         per metre of way
        turn  = kappa - k^2 e - 2 damping k sin(chi)        curvature to drive
        delta = (L + K v^2) turn                            mean road-wheel angle, K the understeer
        input = delta / gain

    so the error obeys e'' + 2 damping bandwidth e' + bandwidth^2 e = 0 for a vehicle that answers after T.
    [MacAdam 1981 for preview as the cure of the vehicle's lag; Kapania and Gerdes 2015 for curvature feed-forward by the handling
    curve with a feedback that sees the sideslip; differs: gains follow from bandwidth and damping at every speed.]

    Parameters
    ----------
    path : in the world
    speed : speed control, called with the station on the path
    steering : numbers of the steering
    timed : lane changes that start at a time, in order of time
    """

    def __init__(self, path: Path, speed: SpeedControl, steering: Steering | None = None, timed: Sequence[TimedLaneChange] = ()) -> None:
        self.path = path
        self.station: float | None = None
        self._speed = speed
        self._steering = steering or Steering()
        self._timed = list(timed)
        self._input = 0.0
        self._time: float | None = None

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s) from the READOUT record of the last tick; nothing but pose and velocity is used. Never raises."""
        motion = _motion(readout)
        if not all(map(math.isfinite, motion)):
            return  # a vehicle without a place: the last command stands until it has one again
        station = self._steer(t, motion)
        out = command[0]
        out["steering"] = self._input
        out["throttle"], out["brake"] = self._speed.pedals(t, station, motion.v_x)
        out["parking_brake"] = 0.0
        out["selector"] = 1

    def steering(self, t: float, readout: Record) -> float:
        """Steering input [-1, 1] at time t (s), for whoever works the pedals himself."""
        self._steer(t, _motion(readout))
        return self._input

    def _steer(self, t: float, motion: Motion) -> float:
        """Turn the wheel; the station on the path."""
        station = self.path.find(motion.x, motion.y) if self.station is None else self.path.nearest(motion.x, motion.y, self.station)
        self.station = station
        while self._timed and t >= self._timed[0].at - 1e-9:
            change = self._timed.pop(0)
            start = station - motion.v_x * (t - change.at)
            self.path = self.path.with_lane_changes([LaneChange(start, change.length, change.offset)])

        wanted = min(max(self._turn(motion, station) / self._steering.gain, -1.0), 1.0)
        most = self._steering.rate * (t - self._time) if self._time is not None else 0.0
        self._time = t
        self._input += min(max(wanted - self._input, -most), most)
        return station

    def _turn(self, now: Motion, station: float) -> float:
        """Road-wheel angle (rad) that brings the extrapolated pose back to the path; `station` is that of the present one."""
        n = self._steering
        x, y, yaw, v_x, v_y, w = now
        middle = yaw + 0.5 * w * n.preview
        c, s = math.cos(middle) * n.preview, math.sin(middle) * n.preview
        x, y = x + c * v_x - s * v_y, y + s * v_x + c * v_y
        here = self.path.at(self.path.nearest(x, y, station + v_x * n.preview))
        e = math.cos(here.heading) * (y - here.y) - math.sin(here.heading) * (x - here.x)
        # sideslip means nothing at a standstill
        course = yaw + w * n.preview + math.atan2(v_y, max(v_x, 0.5 * LOW_SPEED)) - here.heading
        v = math.hypot(max(v_x, 0.0), LOW_SPEED)
        k = n.bandwidth / v
        # far away the driver heads back at a steady angle, from which he can still turn in with less than the correction
        far = 3.0 * n.correction / n.bandwidth**2
        back = -k * k * min(max(e, -far), far) - 2.0 * n.damping * k * math.sin(course)
        most = n.correction / (v * v)
        return (n.wheelbase + n.understeer * v_x * v_x) * (here.curvature + min(max(back, -most), most))


def _motion(readout: Record) -> Motion:
    now = readout[0]
    p, v = now["p_WB"], now["v_WB_B"]
    return Motion(float(p[0]), float(p[1]), float(now["yaw"]), float(v[0]), float(v[1]), float(now["w_WB_B"][2]))


def _natural_spline(knots: NDArray, values: NDArray, where: NDArray) -> NDArray:
    """Natural cubic spline through values (n, 2) at knots (n,), evaluated at `where` (m,). de Boor 1978, chapter IV."""
    n, h = len(knots), np.diff(knots)
    slope = np.diff(values, axis=0) / h[:, None]
    system, right = np.eye(n), np.zeros_like(values)
    for i in range(1, n - 1):
        system[i, i - 1 : i + 2] = h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]
        right[i] = 6.0 * (slope[i] - slope[i - 1])
    bend = np.linalg.solve(system, right)
    j = np.clip(np.searchsorted(knots, where, side="right") - 1, 0, n - 2)
    a, hi = (where - knots[j])[:, None], h[j][:, None]
    linear = slope[j] - hi * (2.0 * bend[j] + bend[j + 1]) / 6.0
    return values[j] + a * (linear + a * (bend[j] / 2.0 + a * (bend[j + 1] - bend[j]) / (6.0 * hi)))
