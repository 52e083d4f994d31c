"""Tasks of a benchmark world: start, goal, limits; a CSV table beside the terrain file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass

Point = tuple[float, float, float]

COLUMNS = (
    "task", "start_x_m", "start_y_m", "start_z_m", "start_yaw_deg", "goal_x_m", "goal_y_m", "goal_z_m", "goal_radius_m", "time_limit_s",
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One task.

    Attributes
    ----------
    name : name of the start in `places` of the terrain file
    start, goal : x, y, z of the reference point of the vehicle [m]
    yaw : heading at the start [rad]
    radius : distance to the goal at which the task is reached [m]
    limit : time limit [s]
    """

    name: str
    start: Point
    yaw: float
    goal: Point
    radius: float
    limit: float


def tasks_text(tasks: Iterable[Task]) -> str:
    """Return the CSV text of tasks."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in tasks:
        numbers = (*one.start, math.degrees(one.yaw), *one.goal, one.radius, one.limit)
        writer.writerow((one.name, *(repr(round(float(number), 6) + 0.0) for number in numbers)))
    return out.getvalue()
