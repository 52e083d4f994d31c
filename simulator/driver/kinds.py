"""Registry of automatic drivers: those of maneuvers, to a goal, behind a vehicle and of a recorded run, and plugin drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.registry import Registry
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS

if TYPE_CHECKING:
    from simulator.driver.contract import DriverKind

FOLLOWER = "scripted"
"""Name of the driver that is used without a human driver."""
PLANNER = "planner"
"""Name of the driver to a goal."""
REPLAY = "replay"
"""Name of the driver that repeats a run."""
FOLLOW = "follow"
"""Name of the driver that drives behind another vehicle."""
ROS2 = "ros2"
"""Name of the driver whom a ROS 2 node commands."""
FMU = "fmu"
"""Name of the driver from an FMU."""
CRUISE = "cruise"
"""Name of the driver that keeps a speed along a path, and takes actions."""
BACK_UP = "back_up"
"""Name of the driver that backs a trailer."""


def _problem(kind: DriverKind) -> str:
    return f"an input source called {kind.name} already exists" if kind.name in INPUT_SOURCE_KINDS.names() else ""


DRIVER_KINDS: Registry[DriverKind] = Registry(
    "driver",
    "jounce.drivers",
    {
        FOLLOWER: "simulator.driver.maneuver_driver:KIND",
        PLANNER: "simulator.autonomy.planner_driver:KIND",
        FOLLOW: "simulator.driver.following_driver:KIND",
        REPLAY: "simulator.maneuvers.replay_driver:KIND",
        CRUISE: "simulator.driver.cruise_driver:KIND",
        ROS2: "simulator.driver.ros2_driver:KIND",
        FMU: "simulator.fmi.fmu_driver:KIND",
        BACK_UP: "simulator.driver.trailer_driver:KIND",
    },
    contract="simulator.driver.contract",
    problem=_problem,
)
register = DRIVER_KINDS.add
"""Register a kind of driver."""
