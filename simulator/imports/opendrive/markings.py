"""Painted lines of the roads as `marks` of a terrain file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.imports.opendrive.document import LaneSection, LaneShape, Road, RoadMark
from simulator.imports.opendrive.layout import border_points, borders, frame, stations
from simulator.imports.opendrive.network import simplified
from simulator.imports.result import Losses
from terrain.generators.generated_terrain import Entry
from terrain.road_markings import COLORS

LINES = {
    "solid": ("solid",),
    "broken": ("broken",),
    "solid solid": ("solid", "solid"),
    "solid broken": ("solid", "broken"),
    "broken solid": ("broken", "solid"),
    "broken broken": ("broken", "broken"),
    "botts dots": ("dots",),
    "edge": ("solid",),
    "custom": ("solid",),
}
"""Lines of each type of marking, from the center outward."""
DASHES = {"broken": (3.0, 6.0), "dots": (0.1, 1.1)}
"""m. Length of a dash and of a gap if the file gives none."""
NOTHING_PAINTED = frozenset(("none", "curb", "grass"))
COLOR_NAMES = {"standard": "white", "white": "white", "yellow": "yellow", "orange": "yellow"}
FIT = 0.02
"""m. Largest distance of a left-out point from the line."""
SHORTEST = 0.3
"""m. Shorter lines are left out."""
MAX_POINTS = 9000
"""Maximum number of points of a line."""
WIDTHS = (0.02, 20.0)
"""m. Range of the width of a line of a terrain."""
DASH_RANGE = (0.05, 100.0)
"""m. Range of the lengths of dashes and gaps of a terrain."""


@dataclass(frozen=True)
class Painter:
    """Maker of the markings of roads.

    Attributes
    ----------
    on_surface : function of points (n, 3) that returns whether they are on the surface
    cell : m, spacing of the nodes: width of the ramp of a curb
    """

    losses: Losses
    on_surface: Callable[[Array], NDArray[np.bool_]]
    cell: float

    def marks(self, roads: Iterable[Road]) -> list[Entry]:
        """Return the markings of roads, where they are on the surface."""
        out: list[Entry] = []
        for road in roads:
            for section in road.sections:
                for marks, side, number in _marked_borders(section):
                    for k, mark in enumerate(marks):
                        end = min(marks[k + 1].begin if k + 1 < len(marks) else section.end, section.end)
                        out += self._entries(road, section, (side, number), (max(mark.begin, section.begin), end), mark)
        return out

    def _entries(self, road: Road, section: LaneSection, border: tuple[int, int], span: tuple[float, float], mark: RoadMark) -> list[Entry]:
        """Return the lines of a marking between two stations."""
        lines = LINES.get(mark.kind, ())
        if not lines or span[1] - span[0] < SHORTEST:
            if mark.kind not in NOTHING_PAINTED and not lines:
                self.losses.add(f"marking of the type {mark.kind}", mark.line)
            return []
        color = COLOR_NAMES.get(mark.color)
        if color is None:
            self.losses.add(f"{mark.color} marking: painted {COLORS[0]}", mark.line)
        side, number = border
        at = frame(road, stations(*span))
        shapes = (section.left, section.right)[side]
        points = border_points(road, shapes, borders(road, section, at.s)[side], at)[number]
        valid = self.on_surface(points)
        outward = np.column_stack((-at.ahead[:, 1], at.ahead[:, 0])) * (1.0 if side == 0 else -1.0)
        out = []
        for k, line in enumerate(lines):
            shift = mark.width * (2 * k - (len(lines) - 1)) - self._inward(shapes, number, mark.width)
            look: dict[str, Any] = {"width": float(np.clip(mark.width, *WIDTHS)), "color": color or COLORS[0]}
            if line in DASHES:
                dash = mark.dash if min(mark.dash) > 0.0 and line == "broken" else DASHES[line]
                look["dash"] = [float(np.clip(length, *DASH_RANGE)) for length in dash]
            for part in _pieces(points[:, :2] + shift * outward, valid):
                out.append(Entry({"points": np.round(part, 3).tolist(), **look}))
        return out

    def _inward(self, shapes: Sequence[LaneShape], number: int, width: float) -> float:
        """Return how far a marking is moved inward [m]: off the ramp of a curb, and off the edge of the road."""
        if number == 0:
            return 0.0
        if number == len(shapes):
            return 0.5 * width
        return 0.5 * width + self.cell if shapes[number].heights != shapes[number - 1].heights else 0.0


def _marked_borders(section: LaneSection) -> Iterable[tuple[Sequence[RoadMark], int, int]]:
    """Yield the marks of each border with the side, 0 left, 1 right, and the number of the border from the center."""
    yield section.center, 0, 0
    for side, lanes in enumerate((section.left, section.right)):
        for k, lane in enumerate(lanes):
            yield lane.marks, side, k + 1


def _pieces(points: Array, valid: NDArray[np.bool_]) -> list[Array]:
    """Return the valid parts of a line without the points that they do not need, in parts of at most MAX_POINTS points."""
    out = []
    for run in np.split(np.arange(len(points)), np.flatnonzero(np.diff(valid.astype(int))) + 1):
        chosen = points[run][simplified(points[run], FIT, 0.0)] if valid[run[0]] else points[:0]
        out += [part for k in range(0, max(len(chosen) - 1, 0), MAX_POINTS - 1) if len(part := chosen[k : k + MAX_POINTS]) > 1]
    return out
