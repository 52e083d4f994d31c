"""Courses: gates of cones on a straight, and whether a vehicle passed them clean.

A course lies in the frame of the spawn pose: x (m) ahead, y (m) to the left. Lane limits are straight lines; the cones stand outside
them, their bases tangent to the limit, in three pairs per gate: at its start, middle and end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Choice, ListOf, Number, entry, group_of
from simulator.driver.path import LaneChange

CONE_RADIUS = 0.14
"""m, half the base of a 500 mm traffic cone (assumed)."""

FINE_STEP = 0.05
"""m of way between the poses that are judged; the record of a run is interpolated to it. Larger: a corner may pass a cone unseen."""

APPROACH = 20.0
"""m before the first gate on which the way comes to its place there, when that is not straight ahead."""

LENGTH = Number("m", 0.001, 10000.0)
POSITION = Number("m", -1e5, 1e5)


@dataclass(frozen=True)
class Body:
    """Outline of the vehicle seen from above: a rectangle of `width` and `length`, its front `front` ahead of the reference point B."""

    width: float = entry(LENGTH, "width of the body", written="m")
    length: float = entry(LENGTH, "length of the body", written="m")
    front: float = entry(LENGTH, "how far its front is ahead of the reference point", written="m")


@dataclass(frozen=True)
class Gate:
    """Lane between cones: from `start` over `length`, `width` wide about y = `center`."""

    start: float = entry(POSITION, "x where the lane begins", written="m")
    length: float = entry(LENGTH, "length of the lane", written="m")
    center: float = entry(POSITION, "y of its middle", written="m")
    width: float = entry(LENGTH, "width of the lane", written="m")

    @property
    def end(self) -> float:
        """x where the lane ends."""
        return self.start + self.length

    def cones(self) -> NDArray[np.float64]:
        """Centers of the six cones (6, 2): left then right of start, middle and end."""
        half = 0.5 * self.width + CONE_RADIUS
        rows = (self.start, self.start + 0.5 * self.length, self.end)
        return np.array([(x, self.center + side * half) for x in rows for side in (1.0, -1.0)])


@dataclass(frozen=True)
class Course:
    """Gates by name of a standard, or one by one, and the way that the driver means to take through them."""

    standard: str | None = entry(Choice(lambda: STANDARDS), "gates of a standard; instead of `gates`", None)
    start: float | None = entry(POSITION, "x where the first gate of the standard begins", None, written="m")
    side: Literal["left", "right"] = entry(Choice(("left", "right")), "side to which the standard's lane change goes", "left")
    overlap: float = entry(Number("m", 0.0, 10.0), "how far the driver's turn reaches into the gates at either end", 3.0, written="m")
    cut: float = entry(
        Number("1", 0.0, 1.0), "share of the room beside the vehicle in a gate by which the way lies nearer to the gates next to it", 0.0
    )
    gates: tuple[Gate, ...] = entry(ListOf(group_of(Gate)), "gates one by one, from the first on", ())


class Track(NamedTuple):
    """Poses of B in the frame of the course and forward speeds of a run: x, y (m), yaw (rad), speed (m/s), each (n,)."""

    x: NDArray
    y: NDArray
    yaw: NDArray
    speed: NDArray


class GateResult(NamedTuple):
    """How a gate was passed: speed (m/s) as the front enters, smallest distance (m) of the body to a lane limit (< 0: over it), cones
    touched, and clean = passed, inside and no cone touched."""

    speed: float
    margin: float
    cones: int
    clean: bool


def avtp_03_160w(body: Body, start: float, side: str) -> tuple[Gate, ...]:
    """Lane change of NATO AVTP 03-160W: three lanes, the middle one 3.5 m aside, measured between limits of the same side.

        lanes 15, 25, 15 m long; 1.1 w + 0.25, 1.2 w + 0.25, 1.1 w + 0.25 wide; w the vehicle's width without mirrors
        gaps  vehicle length + 24 m

    The standard itself was not read: lengths, gaps and the first two widths as open implementations have them; the exit as wide as the
    entry, as it was run for the FED-Alpha vehicle (one implementation has 1.2 w + 0.25).
    """
    narrow, wide = 1.1 * body.width + 0.25, 1.2 * body.width + 0.25
    gap = body.length + 24.0
    aside = (3.5 + 0.5 * (wide - narrow)) * (1.0 if side == "left" else -1.0)
    second = start + 15.0 + gap
    return (Gate(start, 15.0, 0.0, narrow), Gate(second, 25.0, aside, wide), Gate(second + 25.0 + gap, 15.0, 0.0, narrow))


def iso_3888_1(body: Body, start: float, side: str) -> tuple[Gate, ...]:
    """Double lane change of ISO 3888-1: lanes 15, 25 and 15 + 15 m long, gaps 30 and 25 m, the middle lane 3.5 m aside.

    1.1 w + 0.25, 1.2 w + 0.25, 1.3 w + 0.25 wide. The offset is measured between limits of the same side, as in `avtp_03_160w`, and the limit
    of the last lane on the side away from the change is that of the first: so the widths are those of open implementations [the standard was
    not read].
    """
    first, second, third = (share * body.width + 0.25 for share in (1.1, 1.2, 1.3))
    to = 1.0 if side == "left" else -1.0
    return (
        Gate(start, 15.0, 0.0, first),
        Gate(start + 45.0, 25.0, to * (3.5 + 0.5 * (second - first)), second),
        Gate(start + 95.0, 30.0, to * 0.5 * (third - first), third),
    )


def iso_3888_2(body: Body, start: float, side: str) -> tuple[Gate, ...]:
    """Obstacle avoidance of ISO 3888-2: lanes 12, 11 and 12 m long, gaps 13.5 and 12.5 m, 1 m between the first lane and the second.

    1.1 w + 0.25, w + 1, max(3, 1.3 w + 0.25) wide: the least width of the last is from memory, and so is that it lies about the middle of the
    first [the standard was not read].
    """
    first, second, third = 1.1 * body.width + 0.25, body.width + 1.0, max(3.0, 1.3 * body.width + 0.25)
    aside = (0.5 * (first + second) + 1.0) * (1.0 if side == "left" else -1.0)
    return (Gate(start, 12.0, 0.0, first), Gate(start + 25.5, 11.0, aside, second), Gate(start + 49.0, 12.0, 0.0, third))


STANDARDS: dict[str, Callable[[Body, float, str], tuple[Gate, ...]]] = {
    "avtp_03_160w": avtp_03_160w,
    "iso_3888_1": iso_3888_1,
    "iso_3888_2": iso_3888_2,
}
"""Gates of a standard for the body of a vehicle, from a start on, with the lane change to a side."""


def way_through(gates: tuple[Gate, ...], cut: float, width: float) -> tuple[float, ...]:
    """y in each gate of the way through them: its middle, or nearer to the gates beside it by a share of the room that a vehicle `width` m
    wide has there."""
    out = []
    for n, gate in enumerate(gates):
        beside = [other.center - gate.center for other in (*gates[max(n - 1, 0) : n], *gates[n + 1 : n + 2])]
        toward = sum(beside)
        out.append(gate.center + math.copysign(cut * 0.5 * (gate.width - width), toward) * (toward != 0.0))
    return tuple(out)


def lane_changes_between(gates: tuple[Gate, ...], overlap: float, way: tuple[float, ...] | None = None) -> list[LaneChange]:
    """Lane changes of the reference point from one gate to the next: at the y of `way` in each, in their middles when not given."""
    ys = way or tuple(gate.center for gate in gates)
    out = []
    if ys[0] != 0.0:
        begin = max(0.0, gates[0].start - APPROACH)
        out.append(LaneChange(begin, gates[0].start + overlap - begin, ys[0]))
    for a, b, y, then in zip(gates, gates[1:], ys, ys[1:], strict=False):
        if then != y:
            out.append(LaneChange(a.end - overlap, b.start - a.end + 2.0 * overlap, then - y))
    return out


def judge(gates: tuple[Gate, ...], body: Body, track: Track) -> list[GateResult]:
    """How each gate was passed.

    The whole outline is tested: its corners while they are inside the length of a gate, its sides where they cross the start and the end
    of a gate, and the rectangle against the base of every cone.
    """
    dense = _dense(gates, body, track)
    return [_judge_gate(gate, body, dense, outline(body, dense)) for gate in gates]


def touched_cones(gates: tuple[Gate, ...], body: Body, track: Track) -> list[NDArray[np.bool_]]:
    """Which cones of each gate (6,) were touched, in the order of `Gate.cones`."""
    dense = _dense(gates, body, track)
    return [np.array([_touches(body, dense, cone) for cone in gate.cones()]) for gate in gates]


def _dense(gates: tuple[Gate, ...], body: Body, track: Track) -> Track:
    """The poses that are judged: close to each other, and near the gates."""
    way = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(track.x), np.diff(track.y)))))
    moving = np.concatenate(([True], np.diff(way) > 0.0))
    fine = np.linspace(0.0, way[-1], max(2, math.ceil(way[-1] / FINE_STEP) + 1))
    # elsewhere no part of the body is near a gate
    reach = math.hypot(body.length, body.width) + 1.0
    x = np.interp(fine, way[moving], track.x[moving])
    fine = fine[(x > min(gate.start for gate in gates) - reach) & (x < max(gate.end for gate in gates) + reach)]
    return Track(*(np.interp(fine, way[moving], channel[moving]) for channel in track._replace(yaw=np.unwrap(track.yaw))))


def outline(body: Body, track: Track) -> tuple[NDArray, NDArray]:
    """x and y (n, 4) of the corners of the body: front left, front right, rear right, rear left."""
    ahead = np.array([body.front, body.front, body.front - body.length, body.front - body.length])
    left = 0.5 * body.width * np.array([1.0, -1.0, -1.0, 1.0])
    c, s = np.cos(track.yaw)[:, None], np.sin(track.yaw)[:, None]
    return track.x[:, None] + c * ahead - s * left, track.y[:, None] + s * ahead + c * left


def _judge_gate(gate: Gate, body: Body, track: Track, corners: tuple[NDArray, NDArray]) -> GateResult:
    corners_x, corners_y = corners
    half = 0.5 * gate.width
    inside = (corners_x >= gate.start) & (corners_x <= gate.end)
    margins = [half - np.abs(corners_y[inside] - gate.center)]
    for front, rear in ((0, 3), (1, 2)):
        for plane in (gate.start, gate.end):
            ahead, behind = corners_x[:, front] - plane, corners_x[:, rear] - plane
            crosses = (ahead > 0.0) & (behind < 0.0)
            f = ahead[crosses] / (ahead[crosses] - behind[crosses])
            side_y = corners_y[crosses, front] + f * (corners_y[crosses, rear] - corners_y[crosses, front])
            margins.append(half - np.abs(side_y - gate.center))
    margin = min((float(m.min()) for m in margins if m.size), default=-math.inf)
    cones = sum(_touches(body, track, cone) for cone in gate.cones())
    passed = bool((corners_x.max(axis=1) < gate.start).any() and (corners_x.min(axis=1) > gate.end).any())
    enters = np.flatnonzero(corners_x.max(axis=1) >= gate.start)
    entry = float(track.speed[enters[0]]) if passed else math.nan
    return GateResult(entry, margin, cones, passed and margin >= 0.0 and cones == 0)


def _touches(body: Body, track: Track, cone: NDArray) -> bool:
    """Whether the rectangle comes closer to the cone's center than its radius, at any of the poses."""
    c, s = np.cos(track.yaw), np.sin(track.yaw)
    east, north = cone[0] - track.x, cone[1] - track.y
    ahead, left = c * east + s * north, c * north - s * east
    beyond = np.maximum(np.maximum(ahead - body.front, body.front - body.length - ahead), 0.0)
    beside = np.maximum(np.abs(left) - 0.5 * body.width, 0.0)
    # a base that is just tangent is not touched
    return bool((np.hypot(beyond, beside) < CONE_RADIUS - 1e-9).any())
