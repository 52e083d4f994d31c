"""What an environment consists of: rows of observations and actions with units, worlds of a pool, and a task, which judges many vehicles at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import JounceError
from terrain.ground import Ground

if TYPE_CHECKING:
    from simulator.learning.arena import Arena

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
    count: int = 1


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
    """(n,) 0 = the episode goes on; else row of `Task.outcomes` plus 1"""


class Task:
    """What the vehicles of an environment see and shall do. Tasks are written for n vehicles at once, in arrays.

    A subclass sets the class variables, and defines `worlds`, `observe` and `judge`.
    """

    vehicle: ClassVar[str] = "sedan"
    terrains: ClassVar[tuple[str, ...]] = ("flat",)
    ground_changes: ClassVar[Mapping[str, Any]] = {}
    """Changes of the terrain by key path below `terrain`."""
    seconds: ClassVar[float] = 30.0
    """s, longest episode"""
    n_worlds: ClassVar[int] = 32
    """Worlds of the pool, unless the user says otherwise."""
    actions: ClassVar[tuple[Row, ...]] = (STEERING, PEDAL)
    observations: tuple[Row, ...] = ()
    outcomes: ClassVar[tuple[str, ...]] = ()
    """Names of the ends of an episode; the first one is a success."""
    camera: ClassVar[str] = "chase"

    def worlds(self, grounds: Sequence[Ground], count: int, rng: np.random.Generator) -> list[World]:
        """Return `count` worlds, drawn from `rng` only."""
        raise NotImplementedError

    def begin(self, arena: Arena, chosen: Numbers) -> None:
        """Prepare for the episodes of the chosen vehicles, which stand at the starts of their worlds."""

    def observe(self, arena: Arena, chosen: Numbers) -> Array:
        """Return the observations (len(chosen), k) of vehicles now; called once after each step or reset."""
        raise NotImplementedError

    def judge(self, arena: Arena, chosen: Numbers) -> Verdicts:
        """Return rewards and ends of the last step of vehicles; called after `observe`."""
        raise NotImplementedError

    def memory(self) -> dict[str, NDArray[Any]]:
        """Return the arrays (n, ...) that the task keeps of the episodes, by name."""
        return {}
