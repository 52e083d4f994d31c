"""One formulation on a scene: base class of the runs of `python -m research bench formulations`.

Each formulation has a kernel that applies the wheel forces, evaluates the accelerations and advances by one stage of the method. A
`Trial` has the arguments of the kernel and returns the wheel positions, the gaps of the loops and the energy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from research.benchmarks.benchmark_systems import Scene
from research.benchmarks.wheel_load_cases import RUNGE_KUTTA, Course
from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.base.rotations import rotation_of_quaternion
from vehicles.multibody.tree.system import Dimensions

GAP_FREQUENCY = 0.2
"""Natural frequency of Baumgarte's feedback [rad] per step, as in `vehicles.multibody.motion.stabilization`."""


NONE, BAUMGARTE, PROJECTION, NEWTON, NOT_NEEDED = "none", "Baumgarte", "projection", "Newton", "not needed"
"""Stabilization of the loops."""


class Trial(ABC):
    """A formulation on a scene."""

    label: str
    """Description of the formulation."""
    control = NONE
    """Stabilization of the loops."""
    closed = True
    """True if the loops are closed, so that the motion is that of the mechanism."""
    run_kernel: Any
    """The kernel (arguments, course, evaluations) -> bool."""

    def __init__(self, scene: Scene, arguments: Any, course: Course, dimensions: Dimensions) -> None:
        self.scene, self.arguments, self.course, self.dimensions = scene, arguments, course, dimensions

    def begin(self, method: int, h: float) -> None:
        """Reset to the initial state of the scene; set the method and the step of h seconds."""
        clock = self.course.clock[0]
        clock["t"], clock["h"], clock["method"], clock["stage"] = 0.0, h, method, 0
        clock["gap_frequency"] = GAP_FREQUENCY / h if self.control == BAUMGARTE else 0.0
        clock["projects"] = self.control == PROJECTION
        self.place()

    @abstractmethod
    def place(self) -> None:
        """Set the initial state of the scene."""

    def run(self, evaluations: int) -> None:
        """Run a number of evaluations. Raises JounceError after a failed evaluation."""
        if not self.run_kernel(self.arguments, self.course, evaluations):
            raise JounceError(f"{type(self).__name__}: the simulation of the {self.scene.name} failed at {self.course.clock[0]['t']:g} s")

    def advance(self, steps: int) -> None:
        """Advance by a number of steps."""
        self.run(steps * (4 if self.course.clock[0]["method"] == RUNGE_KUTTA else 1))

    @abstractmethod
    def points(self) -> Vector:
        """Return (n, 3) the chassis origin (whole vehicle) and wheel centers in the world [m], at the start of the last step."""

    @abstractmethod
    def gap(self) -> float:
        """Return the largest gap of a loop [m] at the start of the last step."""

    @abstractmethod
    def energy(self) -> tuple[float, float]:
        """Return (kinetic energy, energy) [J] at the start of the last step, including the potential of the steady loads."""


def rotation(q: Vector) -> Vector:
    """Return the rotation matrix (3, 3) of a unit quaternion."""
    R = np.empty((3, 3))
    rotation_of_quaternion(q, R)
    return R
