"""Cone courses: gates of cones on a straight and the evaluation of a run through them.

A course is given in the frame of the spawn pose: x (m) ahead, y (m) to the left. Lane limits are straight lines. The cones are
outside the limits, with their bases tangent to the limit. Each gate has three pairs of cones: at its start, middle and end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.path_length import path_length
from simulator.base.field_classes import entry, group_of
from simulator.base.fields import Choice, ListOf, Number
from simulator.driver.path import LaneChange

CONE_RADIUS = 0.14
"""Half the base of a 500 mm traffic cone [m] (assumed)."""

FINE_STEP = 0.05
"""Distance [m] between the poses that are evaluated; the record of a run is interpolated. A larger step may miss a touched cone."""

APPROACH = 20.0
"""Distance [m] before the first gate over which the path shifts to its y in that gate, if the gate is not straight ahead."""

LENGTH = Number("m", 0.001, 10000.0)
POSITION = Number("m", -1e5, 1e5)


@dataclass(frozen=True)
class Body:
    """Outline of the vehicle from above: a rectangle of `width` and `length`; its front is `front` ahead of the reference point B."""

    width: float = entry(LENGTH, "width of the body", written="m")
    length: float = entry(LENGTH, "length of the body", written="m")
    front: float = entry(LENGTH, "distance of the front of the body ahead of the reference point", written="m")


@dataclass(frozen=True)
class Gate:
    """Lane between cones, from `start` over `length`, `width` wide about y = `center`."""

    start: float = entry(POSITION, "x of the start of the lane", written="m")
    length: float = entry(LENGTH, "length of the lane", written="m")
    center: float = entry(POSITION, "y of the center line of the lane", written="m")
    width: float = entry(LENGTH, "width of the lane", written="m")

    @property
    def end(self) -> float:
        """Return the x of the end of the lane."""
        return self.start + self.length

    def cones(self) -> NDArray[np.float64]:
        """Return the centers of the six cones (6, 2): left, then right, of start, middle and end."""
        half = 0.5 * self.width + CONE_RADIUS
        rows = (self.start, self.start + 0.5 * self.length, self.end)
        return np.array([(x, self.center + side * half) for x in rows for side in (1.0, -1.0)])


@dataclass(frozen=True)
class Course:
    """Gates of a standard or a list of gates, and the intended path through them."""

    standard: str | None = entry(Choice(lambda: STANDARDS), "standard that defines the gates; replaces `gates`", None)
    start: float | None = entry(POSITION, "x of the start of the first gate of the standard", None, written="m")
    side: Literal["left", "right"] = entry(Choice(("left", "right")), "direction of the lane change of the standard", "left")
    overlap: float = entry(Number("m", 0.0, 10.0), "length of the lane change inside the gates before and after it", 3.0, written="m")
    cut: float = entry(
        Number("1", 0.0, 1.0),
        "fraction of the free width in a gate by which the path shifts from the center line toward the neighboring gates",
        0.0,
    )
    gates: tuple[Gate, ...] = entry(ListOf(group_of(Gate)), "gates in driving order", ())


class Track(NamedTuple):
    """Poses of B in the frame of the course and forward speeds of a run: x, y (m), yaw (rad), speed (m/s), each (n,)."""

    x: NDArray
    y: NDArray
    yaw: NDArray
    speed: NDArray


class GateResult(NamedTuple):
    """Result of a gate: speed (m/s) as the front enters, minimum distance (m) of the body to a lane limit (< 0: outside), number of
    touched cones. `clean` is True if the vehicle passed the gate inside the limits and touched no cone."""

    speed: float
    margin: float
    cones: int
    clean: bool


def avtp_03_160w(body: Body, start: float, side: str) -> tuple[Gate, ...]:
    """Return the gates of the lane change of NATO AVTP 03-160W: three lanes, the middle lane shifted by 3.5 m.

        lanes 15, 25, 15 m long; 1.1 w + 0.25, 1.2 w + 0.25, 1.1 w + 0.25 wide; w = width of the vehicle without mirrors
        gaps  vehicle length + 24 m

    The shift is measured between limits on the same side. The text of the standard was not available. Lengths, gaps and the first
    two widths are those of open implementations. The exit is as wide as the entry, as in the test of the FED-Alpha vehicle (one
    implementation has 1.2 w + 0.25).
    """
    narrow, wide = 1.1 * body.width + 0.25, 1.2 * body.width + 0.25
    gap = body.length + 24.0
    offset = (3.5 + 0.5 * (wide - narrow)) * (1.0 if side == "left" else -1.0)
    second = start + 15.0 + gap
    return (Gate(start, 15.0, 0.0, narrow), Gate(second, 25.0, offset, wide), Gate(second + 25.0 + gap, 15.0, 0.0, narrow))


def iso_3888_1(body: Body, start: float, side: str) -> tuple[Gate, ...]:
    """Return the gates of the double lane change of ISO 3888-1: lanes 15, 25 and 15 + 15 m long, gaps 30 and 25 m.

    The lanes are 1.1 w + 0.25, 1.2 w + 0.25 and 1.3 w + 0.25 wide. The middle lane is shifted by 3.5 m, measured between limits on the
    same side, as in `avtp_03_160w`. On the side away from the change, the last lane has the limit of the first lane. The widths are
    those of open implementations; the text of the standard was not available.
    """
    first, second, third = (factor * body.width + 0.25 for factor in (1.1, 1.2, 1.3))
    to = 1.0 if side == "left" else -1.0
    return (
        Gate(start, 15.0, 0.0, first),
        Gate(start + 45.0, 25.0, to * (3.5 + 0.5 * (second - first)), second),
        Gate(start + 95.0, 30.0, to * 0.5 * (third - first), third),
    )


def iso_3888_2(body: Body, start: float, side: str) -> tuple[Gate, ...]:
    """Return the gates of the obstacle avoidance of ISO 3888-2: lanes 12, 11 and 12 m long, gaps 13.5 and 12.5 m.

    The lanes are 1.1 w + 0.25, w + 1 and max(3, 1.3 w + 0.25) wide, with 1 m between the first lane and the second. The minimum width
    of the last lane and its center line on that of the first lane are from memory; the text of the standard was not available.
    """
    first, second, third = 1.1 * body.width + 0.25, body.width + 1.0, max(3.0, 1.3 * body.width + 0.25)
    offset = (0.5 * (first + second) + 1.0) * (1.0 if side == "left" else -1.0)
    return (Gate(start, 12.0, 0.0, first), Gate(start + 25.5, 11.0, offset, second), Gate(start + 49.0, 12.0, 0.0, third))


STANDARDS: dict[str, Callable[[Body, float, str], tuple[Gate, ...]]] = {
    "avtp_03_160w": avtp_03_160w,
    "iso_3888_1": iso_3888_1,
    "iso_3888_2": iso_3888_2,
}
"""Functions that return the gates of a standard for a body, a start (x) and a side of the lane change."""


def way_through(gates: tuple[Gate, ...], cut: float, width: float) -> tuple[float, ...]:
    """Return the y of the path in each gate: the center line, shifted toward the neighboring gates by the fraction `cut` of the free
    width of a vehicle that is `width` m wide."""
    out = []
    for n, gate in enumerate(gates):
        neighbors = [other.center - gate.center for other in (*gates[max(n - 1, 0) : n], *gates[n + 1 : n + 2])]
        toward = sum(neighbors)
        out.append(gate.center + math.copysign(cut * 0.5 * (gate.width - width), toward) * (toward != 0.0))
    return tuple(out)


def lane_changes_between(gates: tuple[Gate, ...], overlap: float, lateral: tuple[float, ...] | None = None) -> list[LaneChange]:
    """Return the lane changes of the reference point between the gates, at the y of `lateral` in each gate (default: center lines)."""
    ys = lateral or tuple(gate.center for gate in gates)
    out = []
    if ys[0] != 0.0:
        begin = max(0.0, gates[0].start - APPROACH)
        out.append(LaneChange(begin, gates[0].start + overlap - begin, ys[0]))
    for a, b, y, next_y in zip(gates, gates[1:], ys, ys[1:], strict=False):
        if next_y != y:
            out.append(LaneChange(a.end - overlap, b.start - a.end + 2.0 * overlap, next_y - y))
    return out


def judge(gates: tuple[Gate, ...], body: Body, track: Track) -> list[GateResult]:
    """Return the result of each gate.

    The test includes the complete outline: the corners inside the length of a gate, the sides at the start and the end of a gate,
    and the rectangle against the base of every cone.
    """
    dense = _dense(gates, body, track)
    return [_evaluate_gate(gate, body, dense, outline(body, dense)) for gate in gates]


def touched_cones(gates: tuple[Gate, ...], body: Body, track: Track) -> list[NDArray[np.bool_]]:
    """Return a mask (6,) of touched cones for each gate, in the order of `Gate.cones`."""
    dense = _dense(gates, body, track)
    return [np.array([_touches(body, dense, cone) for cone in gate.cones()]) for gate in gates]


def _dense(gates: tuple[Gate, ...], body: Body, track: Track) -> Track:
    """Return closely spaced poses near the gates."""
    distance = path_length(track.x, track.y)
    moving = np.concatenate(([True], np.diff(distance) > 0.0))
    fine = np.linspace(0.0, distance[-1], max(2, math.ceil(distance[-1] / FINE_STEP) + 1))
    # no part of the body reaches a gate from other poses
    reach = math.hypot(body.length, body.width) + 1.0
    x = np.interp(fine, distance[moving], track.x[moving])
    fine = fine[(x > min(gate.start for gate in gates) - reach) & (x < max(gate.end for gate in gates) + reach)]
    return Track(*(np.interp(fine, distance[moving], channel[moving]) for channel in track._replace(yaw=np.unwrap(track.yaw))))


def outline(body: Body, track: Track) -> tuple[NDArray, NDArray]:
    """Return x and y (n, 4) of the corners of the body: front left, front right, rear right, rear left."""
    ahead = np.array([body.front, body.front, body.front - body.length, body.front - body.length])
    left = 0.5 * body.width * np.array([1.0, -1.0, -1.0, 1.0])
    c, s = np.cos(track.yaw)[:, None], np.sin(track.yaw)[:, None]
    return track.x[:, None] + c * ahead - s * left, track.y[:, None] + s * ahead + c * left


def _evaluate_gate(gate: Gate, body: Body, track: Track, corners: tuple[NDArray, NDArray]) -> GateResult:
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
    """Return True if the rectangle is closer to the center of the cone than its radius at any of the poses."""
    c, s = np.cos(track.yaw), np.sin(track.yaw)
    east, north = cone[0] - track.x, cone[1] - track.y
    ahead, left = c * east + s * north, c * north - s * east
    beyond = np.maximum(np.maximum(ahead - body.front, body.front - body.length - ahead), 0.0)
    neighbors = np.maximum(np.abs(left) - 0.5 * body.width, 0.0)
    # a tangent base does not count as touched
    return bool((np.hypot(beyond, neighbors) < CONE_RADIUS - 1e-9).any())
