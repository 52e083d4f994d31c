"""Network of lanes from roads and junctions: a lane of a section, or a part of it with one speed limit, is a lane of the network.

Names are `road3_0_-1`: road, part, lane; the parts of a road are numbered from its begin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.path_length import path_length
from simulator.base.arrays import Array
from simulator.base.errors import one_line
from simulator.imports.opendrive.document import OTHER_SPEED, Document, LaneSection, LaneShape, Link, Road, RoadMark
from simulator.imports.opendrive.layout import border_points, borders, frame, stations
from simulator.imports.opendrive.sidewalks import joined_sidewalks
from simulator.imports.opendrive.surface import DRIVING
from simulator.imports.result import Losses
from terrain.roads.lane_table import MAX_GAP, is_beside, misfit
from terrain.roads.network import Lane

WALKING = frozenset(("sidewalk", "walking"))
"""Types of lanes for persons."""
NARROWEST, NARROWEST_WALK = 1.5, 0.5
"""m. Minimum of the largest width of a lane for vehicles, and for persons."""
WIDEST = 50.0
"""m. Largest width of a lane of a terrain."""
LIMITS = (1.0 / 3.6, 400.0 / 3.6)
"""m/s. Range of speed limits of a table of lanes."""
WALKING_SPEED = 1.4
"""m/s. Speed limit of sidewalks; usual."""
STEP, FIT = 0.5, 0.01
"""m. Distance of stations, and largest distance of the points that are left out from the polyline of the others."""
END = 0.2
"""m. Length of the first and last segment, whose direction is nearly the tangent."""
CLOSED, CLOSED_PART = 2.5, 0.2
"""m, 1. Largest distance by which the end of a lane is moved to its next lane, half of a wide lane that begins or ends there, and the largest
part of the length of the lane."""
SHORTEST = 0.05
"""m. A shorter part is left out, and the lanes before it continue with those after it."""
MAX_SKIPPED = 20
"""Maximum number of such parts in a row."""
NO_CHANGE = frozenset(("solid", "solid solid", "curb", "edge", "grass"))
"""Markings without an attribute laneChange that vehicles do not cross."""
YIELD_SIGNS = frozenset(("205", "206", "R1-1", "R1-2"))
"""Types of signals: give way and stop, of the German catalog, which many files use, and of the U.S. one."""
NEAR_END = 50.0
"""m. Largest distance of such a sign from the end of the road."""


@dataclass(frozen=True)
class Part:
    """A part of a section with one speed limit on each lane."""

    road: Road
    section: LaneSection
    begin: float
    end: float
    number: int


Place = tuple[Part, int]
"""A part and the id of a lane."""


@dataclass
class NetworkMaker:
    """Maker of the lanes of a network; `lanes` is the result, `tracks` the points (n, 3) of their center lines, without omissions."""

    document: Document
    losses: Losses
    lanes: dict[str, Lane] = field(default_factory=dict)
    tracks: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make all lanes."""
        self.parts = {road.id: _parts(road) for road in self.document.roads.values()}
        self.yields = _yielding(self.document)
        self.places: dict[str, Place] = {}
        for road in self.document.roads.values():
            if not any(
                road.element.all(path) for path in ("type/speed", "lanes/laneSection/left/lane/speed", "lanes/laneSection/right/lane/speed")
            ):
                self.losses.add(
                    "road without a speed limit: that of its type or of the road before it, else 50 km/h",
                    road.element.line,
                    f"road {road.id}",
                )
        for part in (one for parts in self.parts.values() for one in parts):
            for lane in (*part.section.left, *part.section.right):
                if lane.kind in DRIVING or lane.kind in WALKING:
                    self._add(part, lane)
        for name, place in self.places.items():
            if not self.lanes[name].walk:
                self._connect(name, self._after(*place))
        self.lanes |= joined_sidewalks(self.lanes)
        for name, place in self.places.items():
            self._set_neighbors(name, *place)

    def _add(self, part: Part, lane: LaneShape) -> None:
        """Add a lane, if it is wide and long enough."""
        walk = lane.kind in WALKING
        length = part.end - part.begin
        if length < SHORTEST:
            return
        s = np.unique(
            np.concatenate(
                (stations(part.begin, part.end, STEP), part.begin + np.array((min(END, 0.3 * length), length - min(END, 0.3 * length))))
            )
        )
        sides = borders(part.road, part.section, s)
        side, number = (0, lane.id) if lane.id > 0 else (1, -lane.id)
        rows = sides[side][[number - 1, number]]
        width = np.abs(rows[1] - rows[0])
        if width.max() < (NARROWEST_WALK if walk else NARROWEST):
            self.losses.add(
                f"lane of the type {lane.kind} that is narrower than {NARROWEST_WALK if walk else NARROWEST:g} m: not in the network",
                lane.line,
                name_of(part, lane.id),
            )
            return
        at = frame(part.road, s)
        shapes = (part.section.left, part.section.right)[side]
        points = border_points(part.road, shapes, sides[side], at)[[number - 1, number]].mean(axis=0)
        if not _is_forward(part.road, lane):
            points, width = points[::-1], width[::-1]
        chosen = simplified(points, FIT, END)
        if len(chosen) < 2:
            return
        name = name_of(part, lane.id)
        typical = float(np.clip(np.median(width), NARROWEST_WALK, WIDEST))
        limit = WALKING_SPEED if walk else self._limit(part, lane)
        crossing = f"junction{_word(part.road.junction)}" if part.road.junction and not walk else None
        yields = part.road.id in self.yields and crossing is not None
        self.lanes[name] = Lane(name, points[chosen][:, :2], typical, limit, crossing=crossing, yields=yields, walk=walk)
        self.tracks[name] = points
        self.places[name] = (part, lane.id)
        if lane.kind == "bidirectional":
            self.losses.add("lane for both directions: in one direction only", lane.line, name)

    def _limit(self, part: Part, lane: LaneShape) -> float:
        """Return the speed limit of a lane in the middle of a part [m/s], within the range of a table of lanes."""
        middle, road = 0.5 * (part.begin + part.end), part.road
        before = self.document.roads.get(road.predecessor.id) if road.predecessor and road.predecessor.kind == "road" else None
        usual = before.speeds[-1][1] if before and before.speeds else OTHER_SPEED / 3.6
        limit = [usual, *(one for speeds in (road.speeds, lane.speeds) for begin, one in speeds if begin <= middle)][-1]
        return limit if limit == math.inf else float(np.clip(limit, *LIMITS))

    def _after(self, part: Part, number: int, depth: int = 0) -> list[str]:
        """Return the names of the lanes that the file gives as the next ones in the direction of travel."""
        lane = part.section.lane(number)
        assert lane is not None
        forward = _is_forward(part.road, lane)
        names = []
        for other, other_number in self._beyond(part, lane, forward):
            shape = other.section.lane(other_number)
            if shape is None or shape.kind not in DRIVING:
                continue
            name = name_of(other, other_number)
            if name in self.lanes:
                names.append(name)
            elif other.end - other.begin < SHORTEST and depth < MAX_SKIPPED:
                names += self._after(other, other_number, depth + 1)
        return list(dict.fromkeys(names))

    def _beyond(self, part: Part, lane: LaneShape, forward: bool) -> Iterable[Place]:
        """Yield the parts and lanes that a lane is linked with at its end, for travel along the road or against it."""
        road, parts = part.road, self.parts[part.road.id]
        number = part.number + (1 if forward else -1)
        linked = lane.successors if forward else lane.predecessors
        if 0 <= number < len(parts):
            other = parts[number]
            same = other.section is part.section
            yield from ((other, k) for k in ((lane.id,) if same else linked))
            return
        link = road.successor if forward else road.predecessor
        if link is None:
            return
        if link.kind != "junction":
            yield from self._first(link.id, link.contact, linked)
            return
        junction = self.document.junctions.get(link.id)
        if junction is None:
            return
        for one in junction.connections:
            if one.incoming == road.id:
                yield from self._first(one.connecting, one.contact, [k for begin, k in one.lanes if begin == lane.id])
            elif one.connecting == road.id and junction.kind == "direct" and (before := self.document.roads.get(one.incoming)):
                at_end = before.successor is not None and before.successor.kind == "junction" and before.successor.id == junction.id
                yield from self._first(before.id, "end" if at_end else "start", [begin for begin, k in one.lanes if k == lane.id])

    def _first(self, road: str, contact: str, numbers: Iterable[int]) -> Iterable[Place]:
        """Yield lanes of the part of a road at its begin or end, if they lead away from there."""
        parts = self.parts.get(road)
        if not parts:
            return
        part = parts[-1] if contact == "end" else parts[0]
        for number in numbers:
            lane = part.section.lane(number)
            if lane is not None and _is_forward(part.road, lane) == (contact != "end"):
                yield part, number

    def _connect(self, name: str, names: Sequence[str]) -> None:
        """Set the successors that begin where a lane ends. The only successor may begin somewhat to the side: then, the end of the lane moves."""
        if len(names) == 1 and misfit(self.lanes[name], self.lanes[names[0]]):
            self._move_end(name, self.lanes[names[0]].points[0])
        fitting = [after for after in names if not misfit(self.lanes[name], self.lanes[after])]
        for after in names:
            if after not in fitting:
                what = "lane whose next lane begins elsewhere or in another direction: they are not joined"
                self.losses.add(what, self.places[name][0].road.element.line, f"{name}, {after}")
        self.lanes[name] = replace(self.lanes[name], successors=tuple(fitting))

    def _move_end(self, name: str, to: Array) -> None:
        """Move the end of a lane to a place beside it, if the place is near: the shift grows smoothly along the lane."""
        track = self.tracks[name]
        way = path_length(*track[:, :2].T)
        gap = to - track[-1, :2]
        far = float(np.hypot(*gap))
        if not MAX_GAP < far <= min(CLOSED, CLOSED_PART * float(way[-1])):
            return
        part = way / way[-1]
        moved = track.copy()
        moved[:, :2] += (part**3 * (10.0 - 15.0 * part + 6.0 * part**2))[:, None] * gap
        chosen = simplified(moved, FIT, END)
        if len(chosen) > 1:
            self.tracks[name] = moved
            self.lanes[name] = replace(self.lanes[name], points=moved[chosen][:, :2])
            self.losses.add(
                f"lane whose next lane begins up to {CLOSED:g} m beside its end: the end is moved",
                self.places[name][0].road.element.line,
                name,
            )

    def _set_neighbors(self, name: str, part: Part, number: int) -> None:
        """Set the lanes beside a lane that vehicles may change to."""
        lane = part.section.lane(number)
        assert lane is not None
        if lane.kind in WALKING or part.road.junction:
            return
        forward = _is_forward(part.road, lane)
        for step in (1, -1):  # to the left and to the right of the road
            other_number = number + step or number + 2 * step
            other = part.section.lane(other_number)
            beside = name_of(part, other_number)
            if other is None or beside not in self.lanes or other.kind not in DRIVING or _is_forward(part.road, other) != forward:
                continue
            if not _may_change(part, number, other_number):
                continue
            side = "left" if (step > 0) == forward else "right"
            if is_beside(self.lanes[name], self.lanes[beside], 1.0 if side == "left" else -1.0):
                own = self.lanes[name]
                self.lanes[name] = replace(own, left=beside) if side == "left" else replace(own, right=beside)


def name_of(part: Part, number: int) -> str:
    """Return the name of a lane."""
    return f"road{_word(part.road.id)}_{part.number}_{number}"


def _word(text: str) -> str:
    """Return an id without blanks and semicolons."""
    return one_line(re.sub(r"[\s;,]+", "_", text))


def _is_forward(road: Road, lane: LaneShape) -> bool:
    """Return whether traffic on a lane moves along the road."""
    return ((lane.id < 0) != road.left_hand) != (lane.direction == "reversed")


def _parts(road: Road) -> list[Part]:
    """Return the parts of a road: its sections, divided where a speed limit changes."""
    cuts = {begin for begin, _ in road.speeds}
    cuts |= {begin for section in road.sections for lane in (*section.left, *section.right) for begin, _ in lane.speeds}
    parts: list[Part] = []
    for section in road.sections:
        limits = sorted({section.begin, section.end, *(s for s in cuts if section.begin + SHORTEST < s < section.end - SHORTEST)})
        parts += [Part(road, section, a, b, len(parts) + k) for k, (a, b) in enumerate(pairwise(limits if len(limits) > 1 else limits * 2))]
    return parts


def _may_change(part: Part, number: int, other: int) -> bool:
    """Return whether a marking between two lanes permits a change from one to the other somewhere in a part."""
    inner = number if abs(number) < abs(other) else other
    if number * other < 0:
        marks: tuple[RoadMark, ...] = part.section.center
    else:
        shape = part.section.lane(inner)
        marks = shape.marks if shape else ()
    valid = [a for k, a in enumerate(marks) if a.begin < part.end and (k + 1 == len(marks) or marks[k + 1].begin > part.begin)]
    way = "increase" if other > number else "decrease"
    return not valid or any(mark.lane_change in ("both", way) or (not mark.lane_change and mark.kind not in NO_CHANGE) for mark in valid)


def _yielding(document: Document) -> set[str]:
    """Return the roads through junctions on which vehicles give way: by priority, by a sign on them, or at the end of the road before them."""
    found = {road for junction in document.junctions.values() for road in junction.low}
    signs = {
        one.get("id"): one
        for road in document.roads.values()
        for one in road.element.all("signals/signal")
        if one.get("type") in YIELD_SIGNS
    }
    for road in document.roads.values():
        near: set[str] = set()
        for one in (*road.element.all("signals/signal"), *road.element.all("signals/signalReference")):
            if one.get("id") not in signs:
                continue
            s, ways = one.number("s", 0.0), {"+": ("end",), "-": ("begin",)}.get(one.get("orientation", "none"), ("begin", "end"))
            near |= {way for way in ways if (road.length - s if way == "end" else s) <= NEAR_END}
        if not near:
            continue
        if road.junction:
            found.add(road.id)
        links: list[Link | None] = [road.successor if way == "end" else road.predecessor for way in near]
        junctions = [document.junctions.get(link.id) for link in links if link is not None and link.kind == "junction"]
        found |= {one.connecting for junction in junctions if junction for one in junction.connections if one.incoming == road.id}
    return found


def simplified(points: Array, fit: float, end: float) -> NDArray[np.intp]:
    """Return the rows of points (n, 2 or 3) of a polyline that stays within `fit` [m] of all points; the second and the last but one remain if
    they are about `end` [m] from the ends."""
    flat = points[:, :2]
    if len(flat) < 3:
        return np.arange(len(flat)) if len(flat) == 2 and np.hypot(*(flat[1] - flat[0])) > 1e-3 else np.zeros(0, int)
    keep = np.zeros(len(points), bool)
    keep[[0, -1]] = True
    length = float(np.hypot(*np.diff(flat, axis=0).T).sum())
    if length < 1e-3:
        return np.zeros(0, int)
    for row, other in ((1, 0), (-2, -1)):
        keep[row] = 0.5 * min(end, 0.3 * length) <= np.hypot(*(flat[row] - flat[other])) <= 1.5 * end
    stack = [tuple(pair) for pair in pairwise(np.flatnonzero(keep).tolist())]
    while stack:
        a, b = stack.pop()
        if b - a < 2:
            continue
        chord, away = points[b] - points[a], points[a + 1 : b] - points[a]
        part = np.clip(away @ chord / max(float(chord @ chord), 1e-12), 0.0, 1.0)
        distance = np.linalg.norm(away - part[:, None] * chord, axis=1)
        worst = int(np.argmax(distance))
        if distance[worst] > fit:
            keep[a + 1 + worst] = True
            stack += [(a, a + 1 + worst), (a + 1 + worst, b)]
    rows = np.flatnonzero(keep)
    apart = np.concatenate(([True], np.hypot(*np.diff(flat[rows], axis=0).T) > 1e-3))
    return rows[apart] if apart.sum() > 1 else np.zeros(0, int)
