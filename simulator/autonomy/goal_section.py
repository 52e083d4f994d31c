"""Sections of a maneuver with a goal: goal, endings, mapper and planner."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.autonomy.mappers.kinds import DEFAULT as USUAL_MAPPER
from simulator.autonomy.mappers.kinds import MAPPER
from simulator.autonomy.planners.kinds import DEFAULT as USUAL_PLANNER
from simulator.autonomy.planners.kinds import LANES, PLANNER
from simulator.base.errors import NOTHING, ConfigError
from simulator.base.field_classes import entry, group_of
from simulator.base.fields import Either, Field, Fields, Flag, ListOf, Number, Text
from simulator.ros2.options import TOPIC_NAME

if TYPE_CHECKING:
    from simulator.driver.path import Spawn


_NAME = Text("the name of a place or lane")


@dataclass(frozen=True)
class GoalSection:
    """Goal of a maneuver."""

    position: Any = entry(
        Number("m", -1e5, 1e5, shape=(2,)),
        "position ahead of and to the left of the start of the terrain, or route, or topic",
        None,
        written="m",
    )
    route: Any = entry(
        Either((_NAME, ListOf(_NAME, least=1))),
        "name of a place or lane of the terrain, or a list of them in order: the way along the lanes through them is the route, its end the goal",
        None,
    )
    topic: str | None = entry(
        TOPIC_NAME, "topic of ROS 2 by which goals come during the drive, for example /goal_pose (docs/ros2.md)", None
    )
    radius: float = entry(
        Number("m", 0.5, 100.0), "distance of the reference point from the goal at which the goal is reached", 3.0, written="m"
    )
    low_range: bool = entry(
        Flag(), "true: in low range of the transfer case, with locked differentials where the vehicle locks them there", False
    )
    height: float | None = entry(
        Number("m", -1e4, 1e4), "z of the goal in W: the distance is then in space; default: the horizontal distance", None, written="m"
    )


@dataclass(frozen=True)
class Endings:
    """Events that end a maneuver with a goal."""

    collision: bool = entry(Flag(), "true: a collision with an object ends the run", True)
    stuck_speed: float = entry(Number("m/s", 0.0, 10.0), "speed below which a vehicle may be stuck", 0.5, written="mps")
    stuck_time: float = entry(Number("s", 0.1, 3600.0), "time below this speed after which the vehicle is stuck", 20.0, written="s")
    stuck_area: float = entry(
        Number("m", 0.0, 1000.0),
        "a vehicle that stays within this radius for twice that time is stuck, although it moves; 0: never",
        8.0,
        written="m",
    )
    roll: float = entry(Number("rad", 0.1, math.pi), "roll or pitch angle of a vehicle that has rolled", math.radians(60.0), written="deg")


PLANNER_MEANING = (
    "planner: a name, or a mapping of `type`, `period`, `speed`, `margin` and its own keys; default: `arc`, with a route `lanes`"
)
GOAL, ENDINGS = group_of(GoalSection), group_of(Endings)
SECTIONS: Fields = (
    Field("goal", GOAL, "goal of the drive: a planner finds the way; replaces path, speed, phases and script", None),
    Field("mapper", MAPPER, "obstacle map of the planner: a name, or a mapping of `type`, `period` and its own keys", USUAL_MAPPER),
    Field("planner", PLANNER, PLANNER_MEANING, None),
    Field("endings", ENDINGS, "events that end the drive to a goal", Endings()),
)
"""Keys of a maneuver file, and of the driver `planner` in a session."""


@dataclass(frozen=True)
class GoalTask:
    """Drive to a goal, from the sections of a file."""

    goal: GoalSection
    mapper: Mapping[str, Any]
    """`type`, `period` and the parameters of the kind; a missing key has no value"""
    planner: Mapping[str, Any]
    """`type`, `period`, `speed`, `margin` and the parameters of the kind"""
    endings: Endings
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Start pose ahead of and to the left of the start of the terrain, and heading relative to it."""

    @property
    def route(self) -> tuple[str, ...]:
        """Names of the places and lanes of the route; none for a goal at a position."""
        given = self.goal.route
        return (given,) if isinstance(given, str) else tuple(given or ())

    def goal_from(self, spawn: Spawn | tuple[float, float, float]) -> tuple[float, float]:
        """Return x, y [m] of the goal at a position in W, for a start pose (x, y, yaw) in W; that of the start, if goals come by a topic."""
        x, y, yaw = spawn
        if self.goal.position is None:
            return x, y
        yaw -= self.start[2]
        ahead, left = float(self.goal.position[0]) - self.start[0], float(self.goal.position[1]) - self.start[1]
        return x + math.cos(yaw) * ahead - math.sin(yaw) * left, y + math.sin(yaw) * ahead + math.cos(yaw) * left


def goal_task(
    goal: GoalSection, mapper: Any, planner: Any, endings: Endings, start: tuple[float, float, float] = (0.0, 0.0, 0.0), file: object = ""
) -> GoalTask:
    """Return the task of checked sections; a name alone stands for a kind with its defaults. Raises ConfigError."""
    given = [name for name in ("position", "route", "topic") if getattr(goal, name) is not None]
    if len(given) != 1:
        raise ConfigError(file, "goal", " and ".join(given) or NOTHING, "either position, route or topic")
    if planner is None:
        planner = USUAL_PLANNER if goal.route is None else LANES
    task = GoalTask(goal, values_of(MAPPER, mapper, file, "mapper"), values_of(PLANNER, planner, file, "planner"), endings, start)
    if task.planner["type"] == LANES and not task.route:
        raise ConfigError(file, "planner", LANES, "another planner; this one needs goal.route")
    return task


def values_of(section: Any, given: Any, file: object, key: str) -> Mapping[str, Any]:
    """Return the values of a section that is a name or a mapping."""
    return section.kinds[1].read({"type": given} if isinstance(given, str) else given, file, key)
