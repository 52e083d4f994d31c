"""Lines of curbs, walls and ditches: straight pieces joined by arcs, so that their signed distance (+ = left) is C1 at corners too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.base.section import Section
from terrain.features.shapes import SLACK

LEAST_TURN = 1e-6
"""rad. Corners of a line that turn less are none."""
SHARPEST = math.radians(170.0)
"""rad. Corners that turn more go back on themselves."""


def line_of(k: Any, section: Section) -> None:
    """Cross-section of a line into its record."""
    said = section.mapping
    if said["type"] == "ditch":
        if not said["bottom"] < said["width"]:
            raise ConfigError(section.file, section.path("bottom"), said["bottom"], "less than the width")
        k["height"], k["width"], k["bottom"] = -said["depth"], said["width"], said["bottom"]
        k["face"] = 0.5 * (said["width"] - said["bottom"])
        return
    k["height"], k["face"] = np.max(said["height"]), said["face"]
    k["width"] = said["width"] if said["type"] == "curb" else said["thickness"]
    if k["face"] > k["width"]:
        raise ConfigError(section.file, section.path("face"), said["face"], f"at most {k['width']:g}, the width")
    k["fall"] = max(said.get("fall", 0.0), said["face"])


def chain(line: Record, section: Section) -> list[Record]:
    """Pieces of a line: straight ones, and at each corner an arc that both touch.

    An arc takes at most half of the shorter of its two neighbors, so close corners get smaller arcs.
    """
    points: NDArray[np.float64] = section.mapping["points"]
    closed = len(points) > 3 and bool((points[0] == points[-1]).all())
    steps = np.diff(points, axis=0)
    lengths = np.hypot(*steps.T)
    if not (lengths > 10.0 * SLACK).all():
        raise ConfigError(section.file, section.path("points"), points.tolist(), "points apart from one another")
    axes = steps / lengths[:, None]
    cut = np.zeros((len(axes), 2))  # of each piece at its start and end
    arcs: list[Record] = []
    corners: list[int] = []
    for n in range(len(axes) if closed else len(axes) - 1):
        after = (n + 1) % len(axes)
        turn = math.atan2(axes[n, 0] * axes[after, 1] - axes[n, 1] * axes[after, 0], float(axes[n] @ axes[after]))
        if abs(turn) < LEAST_TURN:
            continue
        if abs(turn) > SHARPEST:
            expected = f"corners that turn by less than {math.degrees(SHARPEST):g} deg"
            raise ConfigError(section.file, section.path(f"points[{n + 1}]"), points[n + 1].tolist(), expected)
        tangent = min(section.mapping["corner"] * math.tan(0.5 * abs(turn)), 0.5 * lengths[n], 0.5 * lengths[after])
        if tangent <= SLACK:
            continue
        cut[n, 1] = cut[after, 0] = tangent
        corners.append(n + 1)
        arcs.append(_arc(line, points[n + 1], axes[n], axes[after], turn, tangent))
    heights = _heights_at(section, points)
    straight = _straight(line, points, axes, lengths, cut, closed)
    if heights is not None:
        for n, piece in enumerate(straight):
            piece[0]["height"], piece[0]["rise"] = heights[n], heights[n + 1] / heights[n] - 1.0
        for arc, n in zip(arcs, corners, strict=True):
            arc[0]["height"] = heights[n]
    return [*straight, *arcs]


def _heights_at(section: Section, points: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Heights (n,) of a curb at its points; None: it has one. Raises ConfigError."""
    heights = np.asarray(section.mapping.get("height", 0.0), np.float64)
    if heights.ndim == 0:
        return None
    if len(heights) != len(points):
        raise ConfigError(section.file, section.path("height"), f"{len(heights)} numbers", f"one, or {len(points)}: one at every point")
    return heights


def _straight(
    line: Record,
    points: NDArray[np.float64],
    axes: NDArray[np.float64],
    lengths: NDArray[np.float64],
    cut: NDArray[np.float64],
    closed: bool,
) -> list[Record]:
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
    """The arc that touches two pieces `tangent` m before and behind their corner."""
    p = line.copy()
    k = p[0]
    radius = tangent / math.tan(0.5 * abs(turn))
    k["arc"] = math.copysign(radius, turn)
    inward = (after - before) / np.hypot(*(after - before))
    k["axis"] = -inward
    k["origin"] = corner + inward * radius / math.cos(0.5 * turn)
    k["half_cosine"] = math.cos(0.5 * abs(turn) + 1e-7)  # a hair more, see SLACK
    return p
