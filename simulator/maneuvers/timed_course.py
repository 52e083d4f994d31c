"""Timed course of a maneuver: lines to pass in order along its path, laps, penalties, or a leader to follow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.field_classes import entry, group_of
from simulator.base.fields import Flag, ListOf, Number, Text
from simulator.driver.path import Path, Spawn
from simulator.maneuvers.cone_course import CONE_RADIUS, POSITION
from terrain.objects.breakaway import Breakaway
from terrain.objects.world_object import Cylinder, Material, WorldObject

if TYPE_CHECKING:
    from terrain.ground import Ground

MAX_LAPS = 50
MAX_STATION = 1e5
"""m. Limit of a station on a path without an end."""
SPARSE = 8.0
"""m. Minimum distance of the points of a road that its path passes."""
CONE_HEIGHT, CONE_MASS, CONE_FORCE = 0.5, 1.5, 60.0
"""m, kg, N: height and mass of a traffic cone, and the force that tips it over. [assumed]"""
GATE_COLORS = (0.10, 0.55, 0.20), (0.75, 0.12, 0.10)
"""Colors of the cones to the left and to the right of a line."""


@dataclass(frozen=True)
class Line:
    """Line across the way: start, sector, gate or finish."""

    name: str = entry(Text("a name"), "name in results and in the window (default: start, sector or gate with its number, finish)", "")
    station: float | None = entry(POSITION, "distance along the path, in its first lap; this or the position is needed", None, written="m")
    position: Any = entry(
        Number("m", -1e5, 1e5, shape=(2,)), "middle of the line, ahead of and to the left of the start of the terrain", None, written="m"
    )
    heading: float | None = entry(
        Number("rad", -math.tau, math.tau),
        "direction of passing, relative to the start of the terrain, + = left (default: that of the path next to the line)",
        None,
        written="deg",
    )
    width: float = entry(Number("m", 1.0, 1000.0), "width of the line", 12.0, written="m")


@dataclass(frozen=True)
class TimedCourse:
    """Keys of the section."""

    lines: tuple[Line, ...] = entry(ListOf(group_of(Line), least=1), "lines to pass in this order; the first one starts the time")
    laps: int | None = entry(
        Number("", 1, MAX_LAPS, whole=True),
        "number of laps on a closed path, each from the first line to itself (default: one way, from the first line to the last)",
        None,
    )
    corridor: float | None = entry(
        Number("m", 1.0, 1000.0), "width about the path; leaving it costs `leaving_s`, and its lap is no best lap", None, written="m"
    )
    leaving: float = entry(Number("s", 0.0, 3600.0), "penalty for leaving the corridor", 5.0, written="s")
    cone: float = entry(Number("s", 0.0, 3600.0), "penalty for a cone that is knocked over", 2.0, written="s")
    cones: bool = entry(Flag(), "true: a green cone to the left and a red one to the right of each line", False)
    leader: str | None = entry(Text("a name"), "vehicle of the session to follow; the score is the mean distance from its track", None)
    reach: float = entry(Number("m", 1.0, 1000.0), "gap to the leader up to which the person is with it", 25.0, written="m")


@dataclass(frozen=True)
class PlacedCourse:
    """Timed course in the world.

    Attributes
    ----------
    path : path in the world; of a closed course three laps of it
    length : length of a lap, or of the path [m]
    names, centers, headings, widths : of the n lines: name, (n, 2) x, y [m], (n,) direction of passing [rad], (n,) width [m]
    """

    section: TimedCourse
    path: Path
    length: float
    names: tuple[str, ...]
    centers: NDArray[np.float64]
    headings: NDArray[np.float64]
    widths: NDArray[np.float64]

    @property
    def closed(self) -> bool:
        """Whether the course has laps."""
        return self.section.laps is not None

    @cached_property
    def rows(self) -> list[tuple[float, float, float, float, float]]:
        """Middle x, y [m], direction of passing cos, sin, and half of the width [m] of each line."""
        numbers = (*self.centers.T, np.cos(self.headings), np.sin(self.headings), 0.5 * self.widths)
        return list(zip(*(column.tolist() for column in numbers), strict=True))

    def cones(self) -> list[WorldObject]:
        """Return the cones at the ends of the lines, at z = 0, if the course has them."""
        out: list[WorldObject] = []
        for k, name in enumerate(self.names if self.section.cones else ()):
            left = np.array((-math.sin(self.headings[k]), math.cos(self.headings[k])))
            for side, word, color in ((1.0, "left", GATE_COLORS[0]), (-1.0, "right", GATE_COLORS[1])):
                x, y = (self.centers[k] + side * (0.5 * self.widths[k] + CONE_RADIUS) * left).tolist()
                shape, motion = Cylinder(CONE_RADIUS, CONE_HEIGHT), Breakaway(CONE_MASS, CONE_FORCE)
                place = (x, y, 0.0)
                out.append(WorldObject(f"{name} {word}", shape, place, label="cone", material=Material(color=color), motion=motion))
        return out


def check_course(section: TimedCourse | None, has_loop: bool, file: object) -> None:
    """Check the keys of a section against each other; `has_loop`: whether the path may be closed. Raises ConfigError."""
    if section is None:
        return
    with ErrorCollector() as errors:
        if section.laps is None and len(section.lines) < 2:
            errors.add(ConfigError(file, "timed_course.lines", f"{len(section.lines)} line", "a start and a finish, or laps"))
        if section.laps is not None and not has_loop:
            errors.add(ConfigError(file, "timed_course.laps", section.laps, "a closed path: a road, or at least three waypoints"))
        last = -math.inf
        names = line_names(section)
        for n, line in enumerate(section.lines):
            key = f"timed_course.lines[{n}]"
            if (line.station is None) == (line.position is None):
                errors.add(ConfigError(file, key, "neither" if line.station is None else "both", "either station_m or position_m"))
            if line.station is not None:
                if line.station <= last:
                    errors.add(ConfigError(file, f"{key}.station_m", line.station, f"a number in m after the line before it, {last:g}"))
                last = line.station
            if names[n] in names[:n]:
                errors.add(ConfigError(file, f"{key}.name", names[n], "a name that no other line has"))


def line_names(section: TimedCourse) -> tuple[str, ...]:
    """Return the names of the lines."""
    last = len(section.lines) - 1
    word = "sector" if section.laps is not None else "gate"
    usual = ["start" if n == 0 else "finish" if n == last and section.laps is None else f"{word} {n}" for n in range(last + 1)]
    return tuple(line.name or name for line, name in zip(section.lines, usual, strict=True))


def place_course(section: TimedCourse, path: Path, length: float, start: Spawn, file: object) -> PlacedCourse:
    """Return the course in the world.

    path : in the world; of a closed course at least three laps of `length` [m]; start : start of the terrain

    Raises ConfigError: a line beyond the path.
    """
    first = length if section.laps is not None else 0.0
    centers, headings = np.zeros((len(section.lines), 2)), np.zeros(len(section.lines))
    c, s = math.cos(start.yaw), math.sin(start.yaw)
    with ErrorCollector() as errors:
        for n, line in enumerate(section.lines):
            if line.station is not None:
                if not 0.0 <= line.station < length:
                    expected = f"a number in m from 0 to {length:.1f}, the length of the path"
                    errors.add(ConfigError(file, f"timed_course.lines[{n}].station_m", line.station, expected))
                point = path.at(first + line.station)
                centers[n], headings[n] = point[:2], point.heading
            else:
                ahead, left = map(float, line.position)
                centers[n] = start.x + c * ahead - s * left, start.y + s * ahead + c * left
                headings[n] = path.at(path.find(*centers[n])).heading
            if line.heading is not None:
                headings[n] = start.yaw + line.heading
    return PlacedCourse(section, path, length, line_names(section), centers, headings, np.array([line.width for line in section.lines]))


def placed(
    path: Path | None, road: str | None, section: TimedCourse | None, ground: Ground, file: object
) -> tuple[Path, PlacedCourse | None]:
    """Return a path in the world, and the timed course along it.

    path : relative to the start of the ground; None: along the road

    Raises ConfigError: no such road, or a line beyond the path.
    """
    laps = None if section is None else section.laps
    start = Spawn(*ground.spawn)
    way = path.placed(start) if path is not None else _road_path(ground, str(road), laps, file)
    if section is None:
        return way, None
    if laps is None:
        length = way.length if len(way.x) > 2 else MAX_STATION  # a straight path has no end
    else:
        length = (way.length + way.spacing) / (laps + 2)
    return way, place_course(section, way, length, start, file)


def _road_path(ground: Ground, name: str, laps: int | None, file: object) -> Path:
    """Return the path along a road of the ground, in the world; for laps on a closed road one lap before and after them. Raises ConfigError."""
    road = next((one for one in ground.roads if one.name == name), None)
    if road is None:
        names = ", ".join(one.name for one in ground.roads)
        raise ConfigError(file, "road", name, f"a road of the terrain: {names}" if names else "a terrain with a road")
    points = road.points[:, :2]
    every = max(1, round(SPARSE / float(np.hypot(*np.diff(points, axis=0).T).mean())))
    if laps is None:
        return Path.through(np.vstack((points[:-1:every], points[-1:])))
    if np.hypot(*(points[-1] - points[0])) > 1.0:
        raise ConfigError(file, "timed_course.laps", laps, f"a closed road; the ends of {name} are apart")
    return Path.around(points[: -1 - every // 2 : every], laps + 2)


def seen_from(start: Spawn, path: Path) -> Path:
    """Return a path in the world relative to a start."""
    c, s = math.cos(start.yaw), math.sin(start.yaw)
    return path.placed(Spawn(-c * start.x - s * start.y, s * start.x - c * start.y, -start.yaw))
