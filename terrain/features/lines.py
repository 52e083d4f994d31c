"""Lines of curbs, walls and ditches: straight segments joined by arcs, so that the signed distance (+ = left) is C1 at corners, too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.base.values import Values
from terrain.features.shapes import SLACK

MIN_TURN = 1e-6
"""rad. Corners that turn less are treated as straight."""
MAX_TURN = math.radians(170.0)
"""rad. Corners that turn more are rejected, because the line reverses."""


def line_of(k: Any, values: Values) -> None:
    """Write the cross-section of a line into its record."""
    if values["type"] == "ditch":
        if not values["bottom"] < values["width"]:
            raise values.error("bottom", "a width below that at the top")
        k["height"], k["width"], k["bottom"] = -values["depth"], values["width"], values["bottom"]
        k["face"] = 0.5 * (values["width"] - values["bottom"])
        return
    k["height"], k["face"] = np.max(values["height"]), values["face"]
    k["width"] = values["width"] if values["type"] == "curb" else values["thickness"]
    if k["face"] > k["width"]:
        raise values.error("face", "at most {}, the width", k["width"])
    k["fall"] = max(values.get("fall", 0.0), values["face"])


def chain(line: Record, values: Values) -> list[Record]:
    """Return the segments of a line: straight segments, and at each corner an arc tangent to both.

    The tangent length of an arc is at most half of the shorter adjacent segment, so close corners get smaller arcs.
    """
    points: NDArray[np.float64] = values["points"]
    closed = len(points) > 3 and bool((points[0] == points[-1]).all())
    steps = np.diff(points, axis=0)
    lengths = np.hypot(*steps.T)
    if not (lengths > 10.0 * SLACK).all():
        raise values.error("points", "points at distinct positions")
    axes = steps / lengths[:, None]
    cut = np.zeros((len(axes), 2))  # tangent lengths at the start and end of each straight segment
    arcs: list[Record] = []
    corners: list[int] = []
    for n in range(len(axes) if closed else len(axes) - 1):
        after = (n + 1) % len(axes)
        turn = math.atan2(axes[n, 0] * axes[after, 1] - axes[n, 1] * axes[after, 0], float(axes[n] @ axes[after]))
        if abs(turn) < MIN_TURN:
            continue
        if abs(turn) > MAX_TURN:
            expected = f"corners that turn by less than {math.degrees(MAX_TURN):g} deg"
            raise ConfigError(values.file, values.path(f"points[{n + 1}]"), points[n + 1].tolist(), expected)
        tangent = min(values["corner"] * math.tan(0.5 * abs(turn)), 0.5 * lengths[n], 0.5 * lengths[after])
        if tangent <= SLACK:
            continue
        cut[n, 1] = cut[after, 0] = tangent
        corners.append(n + 1)
        arcs.append(_arc(line, points[n + 1], axes[n], axes[after], turn, tangent))
    heights = _heights_at(values, points)
    straight = _straight(line, points, axes, lengths, cut, closed)
    if heights is not None:
        for n, segment in enumerate(straight):
            segment[0]["height"], segment[0]["rise"] = heights[n], heights[n + 1] / heights[n] - 1.0
        for arc, n in zip(arcs, corners, strict=True):
            arc[0]["height"] = heights[n]
    return [*straight, *arcs]


def _heights_at(values: Values, points: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the heights (n,) of a curb at its points, None if it has a single height. Raises ConfigError."""
    heights = np.asarray(values.get("height", 0.0), np.float64)
    if heights.ndim == 0:
        return None
    if len(heights) != len(points):
        raise ConfigError(
            values.file, values.path("height"), f"{len(heights)} numbers", f"one number, or {len(points)} numbers (one per point)"
        )
    return heights


def _straight(
    line: Record,
    points: NDArray[np.float64],
    axes: NDArray[np.float64],
    lengths: NDArray[np.float64],
    cut: NDArray[np.float64],
    closed: bool,
) -> list[Record]:
    """Return the straight segments, shortened by the arcs."""
    out = []
    for n, axis in enumerate(axes):
        p = line.copy()
        k = p[0]
        k["origin"], k["axis"] = points[n] + cut[n, 0] * axis, axis
        k["length"] = lengths[n] - cut[n].sum()
        k["open_start"], k["open_end"] = not closed and n == 0, not closed and n == len(axes) - 1
        out.append(p)
    return out


def _arc(
    line: Record, corner: NDArray[np.float64], before: NDArray[np.float64], after: NDArray[np.float64], turn: float, tangent: float
) -> Record:
    """Return the arc that is tangent to two straight segments, `tangent` m before and after their corner."""
    p = line.copy()
    k = p[0]
    radius = tangent / math.tan(0.5 * abs(turn))
    k["arc"] = math.copysign(radius, turn)
    inward = (after - before) / np.hypot(*(after - before))
    k["axis"] = -inward
    k["origin"] = corner + inward * radius / math.cos(0.5 * turn)
    k["half_cosine"] = math.cos(0.5 * abs(turn) + 1e-7)  # a small overlap, see SLACK
    return p
