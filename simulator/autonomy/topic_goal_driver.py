"""Driver to goals that come by a topic of ROS 2, such as `/goal_pose` of RViz, one after the other; without a goal, the vehicle brakes.

A new goal replaces the old one. Its heading has no effect: a goal is a disc. A goal that is not finite, outside the terrain or in an unknown frame
is ignored, with a line for the user.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.autonomy.contract import Goal, Pose
from simulator.autonomy.goal_driver import GoalDriver, check_on_map
from simulator.autonomy.goal_section import GoalTask
from simulator.autonomy.outcome import ERROR, Judge, Outcome
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.driver.contract import DriverSettings
from simulator.driver.speed import SpeedGains
from simulator.ros2.dds import Node, Quality
from simulator.ros2.options import own_domain
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.definitions import POSE_STAMPED
from simulator.sensors.messages.topic import ODOMETRY, VEHICLE, WORLD
from terrain.ground import Ground

HINT = "driver: {type: planner, goal: {topic: /goal_pose}}"
"""Key of a session with this driver."""
FARTHEST = 1e5
"""m. Largest coordinate of a goal, as in a file."""
MAX_REPORTS = 100
"""Maximum number of lines, after which a node that sends wrong goals is not reported any more."""


class GoalError(ValueError):
    """A message that is no goal."""


def goal_of(message: Mapping[str, Any], here: Pose, ground: Ground, radius: float) -> Goal:
    """Return the goal of a `geometry_msgs/PoseStamped` for a vehicle that is here. Raises GoalError."""
    place, turn = message["pose"]["position"], message["pose"]["orientation"]
    x, y = place["x"], place["y"]
    if not all(map(math.isfinite, (*place.values(), *turn.values()))):
        raise GoalError("not finite")
    frame = message["header"]["frame_id"].lstrip("/")
    if frame == VEHICLE:
        c, s = math.cos(here.yaw), math.sin(here.yaw)
        x, y = here.x + c * x - s * y, here.y + s * x + c * y
    elif frame not in (WORLD, ODOMETRY):
        raise GoalError(f"frame {frame[:40]!r}; expected {WORLD}, {ODOMETRY} or {VEHICLE}")
    goal = Goal(x, y, radius)
    if max(abs(x), abs(y)) > FARTHEST:
        raise GoalError(f"farther than {FARTHEST:g} m")
    try:
        check_on_map(goal, ground)
    except ConfigError as error:
        raise GoalError(f"outside the terrain; expected {error.errors[0].expected}") from None
    return goal


class TopicGoalDriver(GoalDriver):
    """Driver to the goals of a topic; see the module.

    Attributes
    ----------
    reports : lines for the user so far

    Raises JounceError: as `GoalDriver`; the domain cannot be joined.
    """

    rests = True

    def __init__(self, task: GoalTask, settings: DriverSettings, pedals: SpeedGains, steering: Mapping[str, Any]) -> None:
        super().__init__(task, settings, pedals, steering)
        self.reports: list[str] = []
        self._obstruction = ""  # of the start
        self._topic, self._ground = str(task.goal.topic), settings.ground
        self._node = Node(own_domain(settings.values), settings.values["interface"])
        self._goals = self._node.subscription(self._topic, POSE_STAMPED, Quality(depth=1))

    def read(self, t: float, readout: Record, command: Record, sensors: Mapping[str, Measurement]) -> None:
        """Take a new goal, and fill the COMMAND record at time t [s]."""
        now = readout[0]
        here = Pose(float(now["p_WB"][0]), float(now["p_WB"][1]), float(now["yaw"]))
        for message in self._goals.take() if self._failed_at is None else ():
            try:
                self._set_out(t, goal_of(message, here, self._ground, self.goal.radius), int(command[0]["selector"]))
            except GoalError as error:
                self._note(t, f"goal ignored: {error}")
        super().read(t, readout, command, sensors)

    def close(self) -> None:
        """End the threads of mapper and planner, and leave the domain."""
        super().close()
        self._node.close()

    def _set_out(self, t: float, goal: Goal, selector: int) -> None:
        """Drive to another goal; a vehicle under way follows its last plan until there is one to this goal."""
        if self._failed_at is not None or (self._is_under_way and goal == self.goal):
            return
        if not self._is_under_way:
            self.plan = None
            self._follower.resume(None, selector)
        self.goal, self.outcome, self.rests = goal, None, False
        self._reason, self._stuck, self._still_since = "", 0, None
        self._logged[0]["outcome"], self._logged[0]["shortest"] = -1, math.nan
        self._judge = Judge(goal, self._task.endings, self._task.goal.height)
        self._note(t, f"goal x {goal.x:.1f} m, y {goal.y:.1f} m")

    def _end(self, outcome: Outcome | None) -> None:
        """End the drive to a goal, and wait for the next one; a failed mapper or planner ends the drive."""
        if outcome is None or self.outcome is not None:
            return
        if outcome.word == ERROR:
            super()._end(outcome)
            return
        self.outcome, self.rests, self._has_news = outcome, True, True
        self._note(math.nan, outcome.message)

    def _note(self, t: float, text: str) -> None:
        if len(self.reports) < MAX_REPORTS:
            when = "" if math.isnan(t) else f" at {t:.2f} s"
            self.reports.append(f"{self._topic}{when}: {text}")
