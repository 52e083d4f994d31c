"""One formulation on a scene: what `jounce bench formulations` runs, times and measures.

Every formulation has a kernel that puts the wheels' forces on, evaluates the accelerations and goes on by one stage of the method. A
`Trial` keeps what such a kernel needs and reads off where the wheels are, how far the loops gape and how much energy there is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.rotations import rotation_of_quaternion
from simulator.research.benchmarks.benchmark_systems import Scene
from simulator.research.benchmarks.wheel_load_cases import RUNGE_KUTTA, Course
from vehicles.multibody.tree.system import Dimensions

Vector = NDArray[np.float64]

GAP_FREQUENCY = 0.2
"""Baumgarte's gaps close with this frequency [rad] per step, as in `vehicles.multibody.motion.stabilization`."""


NONE, BAUMGARTE, PROJECTION, NEWTON, NOT_NEEDED = "none", "Baumgarte", "projection", "Newton", "not needed"
"""What keeps the loops closed."""


class Trial(ABC):
    """A formulation on a scene."""

    label: str
    """What it is, in words."""
    control = NONE
    """How gaps of the loops are kept from growing."""
    closed = True
    """The loops are closed: its motion is that of the mechanism."""
    run_kernel: Any
    """The kernel (arguments, course, evaluations) -> bool."""

    def __init__(self, scene: Scene, arguments: Any, course: Course, dimensions: Dimensions) -> None:
        self.scene, self.arguments, self.course, self.dimensions = scene, arguments, course, dimensions

    def begin(self, method: int, h: float) -> None:
        """Back to the scene's beginning; go on by this method in steps of h seconds."""
        clock = self.course.clock[0]
        clock["t"], clock["h"], clock["method"], clock["stage"] = 0.0, h, method, 0
        clock["gap_frequency"] = GAP_FREQUENCY / h if self.control == BAUMGARTE else 0.0
        clock["projects"] = self.control == PROJECTION
        self.place()

    @abstractmethod
    def place(self) -> None:
        """The state of the scene's beginning."""

    def run(self, evaluations: int) -> None:
        """Evaluate as often as that. Raises JounceError when the motion cannot be followed."""
        if not self.run_kernel(self.arguments, self.course, evaluations):
            raise JounceError(f"{type(self).__name__}: the {self.scene.name} could not be followed at {self.course.clock[0]['t']:g} s")

    def advance(self, steps: int) -> None:
        """Go on by that many steps."""
        self.run(steps * (4 if self.course.clock[0]["method"] == RUNGE_KUTTA else 1))

    @abstractmethod
    def points(self) -> Vector:
        """(n, 3) origin of the chassis (whole vehicle) and wheel centers in the world [m], at the beginning of the last step."""

    @abstractmethod
    def gap(self) -> float:
        """Largest gap of a loop [m] there."""

    @abstractmethod
    def energy(self) -> tuple[float, float]:
        """(kinetic energy, energy) [J] there, the potential of the steady loads included."""


def rotation(q: Vector) -> Vector:
    """(3, 3) rotation matrix of a unit quaternion."""
    R = np.empty((3, 3))
    rotation_of_quaternion(q, R)
    return R
