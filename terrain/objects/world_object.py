"""Objects as Python values: shape, pose, label, material and motion. `terrain.objects.object_set` makes records of them.

The shapes of `terrain.objects.shapes` are offered here, too: a generator needs both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.arrays import Array
from terrain.objects.breakaway import Breakaway
from terrain.objects.errors import ObjectError
from terrain.objects.labels import COLORS, usual_label
from terrain.objects.shapes import FARTHEST, Box, Capsule, ConvexHull, Cylinder, Shape, Sphere, TriangleMesh, Vector, positive

if TYPE_CHECKING:
    from terrain.objects.paths import Path

__all__ = ["Box", "Capsule", "ConvexHull", "Cylinder", "Material", "Shape", "Sphere", "TriangleMesh", "WorldObject"]

MATERIAL_RANGES = {
    "friction": (0.0, 2.0),
    "restitution": (0.0, 1.0),
    "stiffness": (1e5, 1e12),
    "reflectance": (0.0, 1.0),
    "extinction": (0.0, 1e3),
    "radar_cross_section": (0.0, 1e6),
}
"""Minimum and maximum of each number of a material, in SI units."""


@dataclass(frozen=True)
class Material:
    """Surface and interior of an object."""

    friction: float = 0.6
    """1, friction coefficient"""
    restitution: float = 0.1
    """1, coefficient of restitution"""
    stiffness: float = 5e7
    """N/m, of the object alone; a vehicle is softer"""
    color: Vector | None = None
    """red, green, blue, 0 to 1; None: color of the label"""
    reflectance: float = 0.3
    """1, diffuse reflectance for lidar"""
    extinction: float = 0.0
    """1/m, weakening of a ray inside; 0 = solid"""
    radar_cross_section: float = 1.0
    """m2"""

    def check(self) -> None:
        """Raise ObjectError for a value out of range."""
        for name, (low, high) in MATERIAL_RANGES.items():
            _within(name, getattr(self, name), low, high)
        if self.color is not None and (len(self.color) != 3 or not all(0.0 <= part <= 1.0 for part in self.color)):
            raise ObjectError(f"color {list(self.color)}; expected red, green, blue, 0 to 1")


@dataclass(frozen=True)
class WorldObject:
    """One object.

    Parameters
    ----------
    name : name for messages and logs
    position : x, y, z of the origin of O in W at time 0 [m]
    yaw, pitch, roll : attitude R_WO = Rz(yaw) Ry(pitch) Rx(roll) [rad]; a cylinder is upright
    motion : None = static
    """

    name: str
    shape: Shape
    position: Vector
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0
    label: str = "other"
    material: Material = field(default_factory=Material)
    motion: Path | Breakaway | None = None

    def check(self) -> None:
        """Raise ObjectError with the name of the object for values that are impossible."""
        if not self.name.isprintable() or not self.name.strip():
            raise ObjectError(f"object {self.name!r}: a name with control characters, or empty; expected printable characters")
        try:
            self.shape.check()
            numbers: list[Any] = [*self.position, self.yaw, self.pitch, self.roll]
            if len(self.position) != 3 or not all(math.isfinite(number) for number in numbers):
                raise ObjectError(f"position {list(self.position)}, yaw {self.yaw}; expected three finite numbers in m, and angles in rad")
            if max(map(abs, self.position)) > FARTHEST:
                raise ObjectError(f"position {list(self.position)}; expected at most {FARTHEST:g} m from the origin")
            if self.shape.upright and (self.pitch or self.roll):
                raise ObjectError(self.shape.upright)
            if usual_label(self.label) not in COLORS:
                raise ObjectError(f"label {self.label}; expected one of {', '.join(COLORS)}")
            self.material.check()
            if self.motion is not None and not isinstance(self.motion, Breakaway):
                self.motion.check()
            if self.breakaway is not None:
                positive("mass", (self.breakaway.mass,), 1)
                _within("force", self.breakaway.force, 0.0, 1e7)
                if self.material.extinction > 0.0:
                    raise ObjectError("a breakaway object is solid; expected extinction 0")
        except ObjectError as error:
            raise ObjectError(f"object {self.name}: {error}") from None

    @property
    def breakaway(self) -> Breakaway | None:
        """Mass and force with which the object breaks off or leaves its path; None = it does neither."""
        return self.motion if self.motion is None or isinstance(self.motion, Breakaway) else self.motion.breakaway

    def rotation(self) -> Array:
        """Return R_WO (3, 3) at time 0."""
        cy, sy, cp, sp, cr, sr = (f(a) for a in (self.yaw, self.pitch, self.roll) for f in (math.cos, math.sin))
        return np.array(
            (
                (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
                (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
                (-sp, cp * sr, cp * cr),
            )
        )


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ObjectError(f"{name} {value:g}; expected a number from {low:g} to {high:g}, in SI units")
