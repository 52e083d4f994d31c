"""Lanes of a generated town: two on each street, the ways through the crossings, sidewalks and zebra crossings. Traffic keeps to the right.

The lanes of a street end before the zebra crossings. A turn is tangent to both lanes; its curvature rises, stays and falls, and it is as wide
as the curb inside of it allows. At a crossing, a street that ends there gives way; else the street along y does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from terrain.generators.shapes import offset_polygon
from terrain.generators.town_objects import LAMP_INSET, LAMP_RADIUS, STRIP, has_strip
from terrain.roads.network import Lane

STOP_GAP = 1.0
"""m. Distance of the end of a lane from the zebra crossing."""
SIDE_ACCELERATION = 2.0
"""m/s2. Lateral acceleration in turns, which limits their speed; comfortable in a car [assumed]."""
WALKING = 1.4
"""m/s. Speed on sidewalks; usual."""
RAMP = 0.2
"""1. Part of the length of a turn over which its curvature rises, and over which it falls."""
TURN_PARTS, ARC_PARTS = 24, 4
"""Number of segments of a turn, and of a sidewalk around a corner."""
CUT, NARROW = 0.1, 1.35
"""m. By how much less than half a lane a turn keeps from the curb, which makes it wider, and the minimum of what is left."""
SMALL_TURN = 1e-3
"""rad. A way through a crossing that turns by less is straight."""
LONGEST_TURN = 14.0
"""m. Maximum distance of the ends of a turn from the place where both lanes would meet."""
SHORTEST_TURN = 1.0
"""m. Minimum of that distance; where less room is left, the way is straight from lane to lane."""
ARMS = ("east", "north", "west", "south")


class Arm(NamedTuple):
    """Street at a crossing, seen from it: direction away from it, names of the lanes that end and begin there, and its station there [m]."""

    away: Array
    entry: str
    exit: str
    along_x: bool
    reach: float
    """m. Distance of the ends of its lanes from the middle of the crossing."""
    right: tuple[float, float]
    """m. Distances of the lane into the crossing, and of the lane away from it, from the middle of the street, both to the right of their
    travel."""


@dataclass
class TownLanes:
    """Lanes of a town, street by street.

    Parameters
    ----------
    nodes : (rows, columns, 2) crossings [m]
    parameters : of `terrain.generators.town.TOWN`
    clear, zebra : m. Distance from the middle of a crossing to a zebra crossing, and its width
    """

    nodes: Array
    parameters: Mapping
    clear: float
    zebra: float
    lanes: list[Lane] = field(default_factory=list)
    _successors: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Build all lanes."""
        strip = STRIP if has_strip(self.parameters) else 0.0
        self.half = 0.5 * float(self.parameters["street"])
        self.width = 0.5 * (2.0 * self.half - strip)
        # distances from the middle of the street, to the right of the travel along the line and against it; cars park on its left
        self.right = self.half - 0.5 * self.width, self.half - strip - 0.5 * self.width
        arms: dict[tuple[int, int], dict[str, Arm]] = {}
        rows, columns = self.nodes.shape[:2]
        for j in range(rows):
            for a, b in pairwise((j, i) for i in range(columns)):
                self._street(arms, f"x{j}", a, b, along_x=True)
        for i in range(columns):
            for a, b in pairwise((j, i) for j in range(rows)):
                self._street(arms, f"y{i}", a, b, along_x=False)
        for node, found in arms.items():
            self._crossing(node, found)
        self.lanes = [replace(lane, successors=tuple(self._successors.get(lane.name, lane.successors))) for lane in self.lanes]
        self._sidewalks()

    def _street(self, arms: dict, name: str, a: tuple[int, int], b: tuple[int, int], along_x: bool) -> None:
        """Add both lanes of a street between two crossings, and its arms at both."""
        k = 1 if along_x else 0
        names = f"{name}_{a[k]}_{b[k]}", f"{name}_{b[k]}_{a[k]}"
        p, q = self.nodes[a], self.nodes[b]
        length = math.dist(p, q)
        along = (q - p) / length
        reach = min(self.clear + self.zebra + STOP_GAP, 0.45 * length)
        for lane, start, end, direction, right in zip(names, (p, q), (q, p), (along, -along), self.right, strict=True):
            side = right * np.array((direction[1], -direction[0]))
            points = np.array((start + reach * direction + side, end - reach * direction + side))
            self.lanes.append(Lane(lane, points, self.width, float(self.parameters["speed_limit"])))
        forth, back = names
        first, last = (ARMS[0], ARMS[2]) if along_x else (ARMS[1], ARMS[3])
        arms.setdefault(a, {})[first] = Arm(along, back, forth, along_x, reach, self.right[::-1])
        arms.setdefault(b, {})[last] = Arm(-along, forth, back, along_x, reach, self.right)

    def _crossing(self, node: tuple[int, int], arms: Mapping[str, Arm]) -> None:
        """Add the lanes through a crossing."""
        name = f"crossing_{node[0]}_{node[1]}" if len(arms) > 2 else None
        streets = [arm.along_x for arm in arms.values()]
        y_yields = streets.count(False) == 1 or streets.count(True) > 1
        for source, arm in arms.items():
            for target, out in arms.items():
                if target != source:
                    points, radius = self._way(self.nodes[node], arm, out)
                    speed = min(float(self.parameters["speed_limit"]), math.sqrt(SIDE_ACCELERATION * radius))
                    lane = f"{name or f'bend_{node[0]}_{node[1]}'}_{source}_{target}"
                    yields = name is not None and arm.along_x != y_yields
                    self.lanes.append(Lane(lane, points, self.width, speed, (out.exit,), crossing=name, yields=yields))
                    self._successors.setdefault(arm.entry, []).append(lane)

    def _way(self, middle: Array, arm: Arm, out: Arm) -> tuple[Array, float]:
        """Return the center line (n, 2) of the way from one arm to another, and its minimum radius [m]."""
        d0, d1 = -arm.away, out.away
        right = np.array(((d0[1], -d0[0]), (d1[1], -d1[0])))
        begin, end = middle - arm.reach * d0 + arm.right[0] * right[0], middle + out.reach * d1 + out.right[1] * right[1]
        turn = math.atan2(d0[0] * d1[1] - d0[1] * d1[0], float(d0 @ d1))
        if abs(turn) < SMALL_TURN:
            return np.array((begin, end)), math.inf
        corner = middle + np.linalg.solve(right, (arm.right[0], out.right[1]))
        room = min(float((corner - begin) @ d0), float((end - corner) @ d1), LONGEST_TURN)
        if room < SHORTEST_TURN:
            return np.array((begin, end)), SHORTEST_TURN
        shape, tangent, radius = turn_shape(turn)
        shape = shape @ np.array((d0, (-d0[1], d0[0])))
        sizes = np.linspace(room, SHORTEST_TURN, 60)[:, None, None]
        ways = corner - sizes * d0 + sizes / tangent * shape
        k = 0
        if arm.along_x != out.along_x:  # the curb between two streets
            edge = math.copysign(self.half + float(self.parameters["corner"]), -turn)
            least = float(self.parameters["corner"]) + min(0.5 * self.width, max(0.5 * self.width - CUT, NARROW))
            away = np.hypot(*np.moveaxis(ways - (middle + np.linalg.solve(right, (edge, edge))), -1, 0)).min(axis=1)
            k = int(np.argmax(away >= min(float(away.max()), least)))
        points = np.vstack((begin, ways[k], end))
        kept = np.concatenate(([True], np.hypot(*np.diff(points, axis=0).T) > 1e-3))
        kept[-2], kept[-1] = kept[-2] and kept[-1], True
        return points[kept], float(sizes[k, 0, 0]) / tangent * radius

    def _sidewalks(self) -> None:
        """Add the sidewalk around each lot, and the zebra crossings between lots."""
        inset, walk = LAMP_INSET + LAMP_RADIUS, float(self.parameters["sidewalk"])
        depth, width = 0.5 * (inset + walk), walk - inset
        rows, columns = self.nodes.shape[:2]
        begins: dict[str, str] = {}
        rings = []
        for j in range(rows - 1):
            for i in range(columns - 1):
                ring = self._ring((j, i), depth)
                zebras = [k for k, (_, zebra) in enumerate(ring) if zebra]
                cuts = zebras or [0]
                for n, (first, last) in enumerate(zip(cuts, [*cuts[1:], cuts[0] + len(ring)], strict=True)):
                    points = np.array([ring[k % len(ring)][0] for k in range(first, last + 1)])
                    name = f"walk_{j}_{i}_{n}"
                    rings.append((name, points, ring[last % len(ring)][1], f"walk_{j}_{i}_{(n + 1) % len(cuts)}"))
                    begins[ring[first][1]] = name
        ends = {zebra: points[-1] for _, points, zebra, _ in rings if zebra}
        for name, points, zebra, following in rings:
            crossed = (zebra,) if zebra.endswith("_from") else ()
            after = (following, *(z.removesuffix("_from") for z in crossed))
            self.lanes.append(Lane(name, points, width, WALKING, after, walk=True))
        for zebra, point in ends.items():
            if zebra.endswith("_from"):
                other = zebra.removesuffix("_from") + "_to"
                line = np.array((point, ends[other]))
                self.lanes.append(Lane(zebra.removesuffix("_from"), line, self.zebra, WALKING, (begins[other],), walk=True))

    def _ring(self, lot: tuple[int, int], depth: float) -> list[tuple[Array, str]]:
        """Return the points of the sidewalk around a lot, counterclockwise, each with the end of the zebra crossing that is there, or "".

        Zebra crossings lead to the other side alternately: from the lot in the south or west at the begin of a street, to it at the end.
        """
        j, i = lot
        around = ((j, i), (j, i + 1), (j + 1, i + 1), (j + 1, i))
        quad = offset_polygon(np.array([self.nodes[node] for node in around]), self.half)
        radius = max(float(self.parameters["corner"]) - depth, 0.1)
        middle = offset_polygon(quad, depth + radius)
        sides = np.roll(quad, -1, axis=0) - quad
        angles = np.arctan2(sides[:, 1], sides[:, 0])
        out: list[tuple[Array, str]] = []
        for k in range(4):
            turn = (angles[k] - angles[k - 1]) % math.tau
            at = angles[k - 1] + turn * np.linspace(0.0, 1.0, ARC_PARTS + 1)
            out += [(point, "") for point in middle[k] + radius * np.column_stack((np.sin(at), -np.cos(at)))]
            out += self._zebra_ends(k, lot, around[k], around[(k + 1) % 4], depth)
        return out

    def _zebra_ends(self, k: int, lot: tuple[int, int], a: tuple[int, int], b: tuple[int, int], depth: float) -> list[tuple[Array, str]]:
        """Return the ends of the zebra crossings on side k of a lot, along the street from a to b."""
        (j, i), (rows, columns) = lot, self.nodes.shape[:2]
        beside = (j > 0, i + 2 < columns, j + 2 < rows, i > 0)[k]
        p, q = self.nodes[a], self.nodes[b]
        length = math.dist(p, q)
        if not beside or not has_zebras(length, self.clear, self.zebra):
            return []
        along = (q - p) / length
        inward = np.array((-along[1], along[0]))
        street = (f"x{a[0]}_{min(a[1], b[1])}", f"y{a[1]}_{min(a[0], b[0])}")[k % 2]
        out = []
        for s, near_a in ((self.clear + 0.5 * self.zebra, True), (length - self.clear - 0.5 * self.zebra, False)):
            at_begin = near_a == (k in (0, 1))  # sides 0 and 1 run along their street, the others against it
            leaves = at_begin == (k in (1, 2))  # the lot is to the west of street y or to the south of street x on sides 1 and 2
            out.append(
                (
                    p + along * s + inward * (self.half + depth),
                    f"zebra_{street}_{'begin' if at_begin else 'end'}_{'from' if leaves else 'to'}",
                )
            )
        return out


def has_zebras(length: float, clear: float, zebra: float) -> bool:
    """Return whether a street of this length [m] has zebra crossings at its ends."""
    return length >= 2.0 * (clear + zebra) + 4.0


def turn_shape(turn: float) -> tuple[Array, float, float]:
    """Return points (n, 2) of a turn of length 1 by an angle [rad], which begins at the origin along x, the distance from its ends to the meeting
    point of its tangents, and its minimum radius."""
    s = np.linspace(0.0, 1.0, TURN_PARTS * 10 + 1)
    sharpest = turn / (1.0 - RAMP)
    curvature = sharpest * np.minimum(1.0, np.minimum(s, 1.0 - s) / RAMP)
    heading = np.concatenate(([0.0], np.cumsum(0.5 * (curvature[1:] + curvature[:-1])) * s[1]))
    middle = 0.5 * (heading[1:] + heading[:-1])
    points = np.vstack(((0.0, 0.0), np.cumsum(np.column_stack((np.cos(middle), np.sin(middle))), axis=0) * s[1]))
    return points[::10], float(points[-1, 0]) / (1.0 + math.cos(turn)), 1.0 / abs(sharpest)
