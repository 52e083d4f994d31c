"""What an environment consists of: rows of observations and actions with units, worlds of a pool, verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import JounceError

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class ActionError(JounceError, ValueError):
    """An action that is not a finite number, or has a wrong shape."""


class Row(NamedTuple):
    """A number of an observation or an action, or several in a row with the same meaning. Values beyond the limits are clipped to them."""

    name: str
    low: float
    high: float
    unit: str
    meaning: str
    repeated: int = 1
    """how often it is in the row"""


STEERING = Row("steering", -1.0, 1.0, "1", "steering input, + = left, full lock at 1")
PEDAL = Row("pedal", -1.0, 1.0, "1", "> 0 accelerator pedal, < 0 brake pedal")
DIRECTION = Row("direction", -1.0, 1.0, "1", ">= 0 drive, < 0 reverse; the selector waits until the vehicle is slower than 0.5 m/s")


@dataclass(frozen=True)
class World:
    """A start in a pool, and what the task keeps of it."""

    ground: int
    """Number of its ground."""
    pose: tuple[float, float, float]
    """x, y [m], yaw [rad]"""
    speed: float = 0.0
    """m/s"""
    data: Any = None


class Verdicts(NamedTuple):
    """What a task says after a step."""

    reward: Array
    """(n,)"""
    outcome: Numbers
    """(n,) 0 = the episode goes on; else row of `simulator.learning.arena.Task.outcomes` plus 1"""
