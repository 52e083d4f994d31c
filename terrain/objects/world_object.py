"""Objects as Python values: shape, pose, label, material and motion. `terrain.objects.object_set` makes records of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from terrain.objects.breakaway import Breakaway
from terrain.objects.errors import ObjectError
from terrain.objects.labels import COLORS, usual_label

if TYPE_CHECKING:
    from terrain.objects.paths import Path

FloatArray = NDArray[np.float64]
Vector = Sequence[float]

MAX_HULL_VERTICES = 64
MAX_TRIANGLES = 2_000_000
"""Maximum number of triangles of one mesh."""
FARTHEST = 1e6
"""m. Maximum magnitude of a coordinate."""


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
class Box:
    """Box with its center at the position."""

    size: Vector
    """(3,) m, edges along the own x, y and z axes"""

    def check(self) -> None:
        """Raise ObjectError for an impossible size."""
        _positive("size", self.size, 3)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return center and half edges of the bounding box, in O."""
        return np.zeros(3), 0.5 * np.asarray(self.size, float)


@dataclass(frozen=True)
class Cylinder:
    """Vertical cylinder, capped, with the center of its base at the position."""

    radius: float
    height: float

    def check(self) -> None:
        """Raise ObjectError for an impossible size."""
        _positive("radius", (self.radius,), 1)
        _positive("height", (self.height,), 1)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return center and half edges of the bounding box, in O."""
        return np.array((0.0, 0.0, 0.5 * self.height)), np.array((self.radius, self.radius, 0.5 * self.height))


@dataclass(frozen=True)
class Sphere:
    """Sphere with its center at the position."""

    radius: float

    def check(self) -> None:
        """Raise ObjectError for an impossible size."""
        _positive("radius", (self.radius,), 1)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return center and half edges of the bounding box, in O."""
        return np.zeros(3), np.full(3, float(self.radius))


@dataclass(frozen=True)
class Capsule:
    """Cylinder with half spheres at its ends, axis z, with its center at the position."""

    radius: float
    length: float
    """m, distance between the centers of the half spheres"""

    def check(self) -> None:
        """Raise ObjectError for an impossible size."""
        _positive("radius", (self.radius,), 1)
        _positive("length", (self.length,), 1)

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return center and half edges of the bounding box, in O."""
        return np.zeros(3), np.array((self.radius, self.radius, self.radius + 0.5 * self.length))


@dataclass(frozen=True)
class ConvexHull:
    """Convex hull of points."""

    points: FloatArray
    """(n, 3) m, in O; only the vertices of the hull are kept, at most MAX_HULL_VERTICES"""

    def check(self) -> None:
        """Raise ObjectError for points that are not finite or that span no volume."""
        points = np.asarray(self.points, float)
        if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
            raise ObjectError(f"points of a hull: shape {points.shape}; expected (n, 3) finite numbers in m")
        if len(self.vertices) > MAX_HULL_VERTICES:
            raise ObjectError(f"points of a hull: {len(self.vertices)} vertices; expected at most {MAX_HULL_VERTICES}; use a mesh")

    @property
    def vertices(self) -> FloatArray:
        """(n, 3) vertices. Raises ObjectError if the points span no volume."""
        from scipy.spatial import ConvexHull as Hull
        from scipy.spatial import QhullError

        points = np.asarray(self.points, float)
        try:
            return np.ascontiguousarray(points[Hull(points).vertices])
        except (QhullError, ValueError):
            raise ObjectError(
                f"points of a hull: {len(points)} points span no volume; expected at least 4 points that are not in a plane"
            ) from None

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return center and half edges of the bounding box, in O."""
        return _bounds(np.asarray(self.points, float))


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangle mesh; open meshes and holes are allowed, both sides of a triangle are surfaces."""

    triangles: FloatArray
    """(n, 3, 3) m, corners, in O"""
    file: str = ""
    """name of the file, for messages"""

    def check(self) -> None:
        """Raise ObjectError for an empty or too large mesh, and for corners that are not finite."""
        corners = np.asarray(self.triangles, float)
        if corners.ndim != 3 or corners.shape[1:] != (3, 3) or not len(corners):
            raise ObjectError(f"mesh: array of shape {corners.shape}; expected (n, 3, 3), n triangles with three corners, at least one")
        if len(corners) > MAX_TRIANGLES:
            raise ObjectError(f"mesh: {len(corners)} triangles; expected at most {MAX_TRIANGLES}")
        if not np.isfinite(corners).all():
            raise ObjectError("mesh: a corner that is not finite; expected finite numbers in m")

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return center and half edges of the bounding box, in O."""
        return _bounds(np.asarray(self.triangles, float).reshape(-1, 3))


Shape = Box | Cylinder | Sphere | Capsule | ConvexHull | TriangleMesh


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
            if isinstance(self.shape, Cylinder) and (self.pitch or self.roll):
                raise ObjectError("a cylinder is upright; expected pitch and roll 0, or shape capsule")
            if usual_label(self.label) not in COLORS:
                raise ObjectError(f"label {self.label}; expected one of {', '.join(COLORS)}")
            self.material.check()
            if self.motion is not None and not isinstance(self.motion, Breakaway):
                self.motion.check()
            if self.breakaway is not None:
                _positive("mass", (self.breakaway.mass,), 1)
                _within("force", self.breakaway.force, 0.0, 1e7)
                if self.material.extinction > 0.0:
                    raise ObjectError("a breakaway object is solid; expected extinction 0")
        except ObjectError as error:
            raise ObjectError(f"object {self.name}: {error}") from None

    @property
    def breakaway(self) -> Breakaway | None:
        """Mass and force with which the object breaks off or leaves its path; None = it does neither."""
        return self.motion if self.motion is None or isinstance(self.motion, Breakaway) else self.motion.breakaway

    def rotation(self) -> FloatArray:
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


def _positive(name: str, values: Vector, count: int) -> None:
    numbers = all(isinstance(value, int | float | np.number) for value in values)
    if len(values) != count or not numbers or not all(math.isfinite(value) and 0.0 < value <= FARTHEST for value in values):
        shown = list(values) if count > 1 else values[0]
        raise ObjectError(f"{name} {shown}; expected {'numbers' if count > 1 else 'a number'} above 0, at most {FARTHEST:g}, in SI units")


def _bounds(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    low, high = points.min(axis=0), points.max(axis=0)
    return 0.5 * (low + high), 0.5 * (high - low)
