"""Driver `planner` of a session: the driver of maneuvers with a goal, without a maneuver."""

from __future__ import annotations

from dataclasses import replace

from simulator.autonomy.goal_driver import GoalDriver
from simulator.autonomy.goal_section import SECTIONS, goal_task
from simulator.autonomy.topic_goal_driver import TopicGoalDriver
from simulator.base.fields import REQUIRED
from simulator.driver.contract import CONTRACT, Driver, DriverKind, DriverSettings, SensingDriver
from simulator.driver.speed import SpeedGains
from simulator.driver.steering.kinds import STEERING
from simulator.ros2.options import INTERFACE, OWN_DOMAIN

GOAL, *OTHERS = SECTIONS
PARAMETERS = (
    replace(GOAL, meaning="goal of the drive: a planner finds the way", default=REQUIRED),
    *OTHERS,
    replace(OWN_DOMAIN, meaning="goal.topic: domain of ROS 2 (default: ROS_DOMAIN_ID, else 0)"),
    replace(INTERFACE, meaning="goal.topic: network interface; the loopback reaches this machine only"),
)
FILE = "driver planner"


def _make(settings: DriverSettings) -> Driver | SensingDriver:
    given = settings.values
    task = goal_task(given["goal"], given["mapper"], given.get("planner"), given["endings"], file=FILE)
    kind = GoalDriver if task.goal.topic is None else TopicGoalDriver
    return kind(task, settings, SpeedGains(), STEERING.read({}, FILE, "driver"))


KIND = DriverKind("planner", _make, CONTRACT, parameters=PARAMETERS, meaning="drives to a goal: obstacle map and planner")
