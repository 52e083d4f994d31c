"""Shapes of objects: all that a shape means, apart from the kernels.

A shape has a code, by which kernels choose: `terrain.rays.shapes` for rays, `vehicles.contact.bodies` for contact with a vehicle, and
`terrain.objects.broken` for contact of a broken object with the ground. Everything else about a shape is in its class, and its keys
in a file are in its `ShapeKind`. `terrain.objects.shape_kinds` is the registry; a kind of a plugin builds one of these shapes.

Frame O of an object: the origin is the center of a box, a sphere and a capsule, and the center of the base of a cylinder; the points of a
hull and of a mesh are given in O. The axis of a cylinder and of a capsule is z.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Number
from terrain.objects.errors import ObjectError
from terrain.objects.records import BOX, CAPSULE, CYLINDER, HULL, MAX_HULL_VERTICES, MESH, SPHERE

Vector = Sequence[float]

CONTRACT = 1
"""Version of `ShapeKind` and `ShapeRequest`."""
MAX_TRIANGLES = 2_000_000
"""Maximum number of triangles of one mesh."""
FARTHEST = 1e6
"""m. Maximum magnitude of a coordinate."""
UPRIGHT = 1e-12
"""1 - cosine of the tilt below which a box or a cylinder stands upright: its outline is a rectangle or a disc."""
THINNEST = 1e-3
"""m. Half the thickness that the solid of a flat mesh has at least."""
CIRCLE = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0.0, math.tau, 16, endpoint=False)]) / math.cos(math.pi / 16)
"""(16, 2) polygon around the unit circle."""
SIGNS = np.array([(x, y, z) for z in (-1.0, 1.0) for y in (-1.0, 1.0) for x in (-1.0, 1.0)])
"""(8, 3) corners of a cube."""

_LENGTH = Number("m", 0.001, 1e4)
_ANGLE = Number("rad", -math.tau, math.tau)
TILT = (
    Field("pitch", _ANGLE, "rotation about the own y axis, + = nose down", 0.0, written="deg"),
    Field("roll", _ANGLE, "rotation about the own x axis, + = left side up", 0.0, written="deg"),
)
"""Keys of a shape that need not be upright."""


@dataclass(frozen=True)
class ShapeRequest:
    """Arguments of a function that builds a shape."""

    values: Any
    """Checked keys of the object, in SI units."""
    folder: Path
    """Folder of the assets."""
    shared: dict[Any, Any]
    """Results that objects of one file may share, such as the triangles of a mesh file; empty at first."""


@dataclass(frozen=True)
class ShapeKind:
    """A registered shape: what a value of `shape` in a file means."""

    name: str
    build: Callable[[ShapeRequest], Shape]
    """Function that returns one of the shapes below; raises ConfigError for keys that contradict each other."""
    contract: int
    """Version of the contract (CONTRACT) that the kind implements."""
    fields: tuple[Field, ...]
    """Fields of an object of this kind, beside those of all objects; with TILT, the object may have pitch and roll."""
    meaning: str = ""
    """One line for a list of shapes."""


class Shape(ABC):
    """Shape of an object, in O: the convex hull of its corners, widened by a margin, unless the class says otherwise."""

    name: ClassVar[str]
    """`shape` in a file"""
    code: ClassVar[int]
    """number in `terrain.objects.records`"""
    upright: ClassVar[str] = ""
    """message if the shape must not have pitch and roll"""

    @property
    def margin(self) -> float:
        """m, by which the corners are widened"""
        return 0.0

    def check(self) -> None:
        """Raise ObjectError for an impossible size."""
        for name, value in vars(self).items():
            positive(name, (value,), 1)

    @abstractmethod
    def corners(self) -> Array:
        """Return the corners (n, 3) in O."""

    def bounds(self) -> tuple[Array, Array]:
        """Return center and half edges of the bounding box, in O."""
        corners = self.corners()
        low, high = corners.min(axis=0), corners.max(axis=0)
        return 0.5 * (low + high), 0.5 * (high - low) + self.margin

    def size_in_record(self) -> Vector | Array:
        """Return `size` in a record of OBJECT (3,)."""
        return 0.0, 0.0, 0.0

    def lowest(self, down: Array) -> float:
        """Return z of the lowest point from the origin [m]; down (3,): the third row of R_WO."""
        return float((self.corners() @ down).min()) - self.margin

    def outline(self, p: Array, R: Array) -> tuple[Array, float, float, float]:
        """Return the outline from above at a pose: corners (n, 2) in order, radius by which they are widened, minimum and maximum z."""
        corners = p + self.corners() @ R.T
        flat, z = corners[:, :2], corners[:, 2]
        if not self.margin:
            from scipy.spatial import ConvexHull as Hull

            flat = flat[Hull(flat).vertices]
        return flat, self.margin, z.min() - self.margin, z.max() + self.margin

    def solid(self, mass: float) -> tuple[Array, float, Array] | None:
        """Return the mass distribution of the homogeneous solid about the center of the bounding box; None: that of the hull of `vertices`.

        These are principal moments (3,) [kg m2], the distance of the farthest point [m], and points (n, 3) in O of which a ball of the radius
        `margin` may touch the ground.
        """
        return None

    def drawn_size(self) -> Vector:
        """Return factors (3,) of the unit mesh of the view along x, y and z, and the shift of its ends along z [m]."""
        return 1.0, 1.0, 1.0, 0.0

    @classmethod
    def profile(cls, rings: int) -> Array | None:
        """Return the unit mesh of a round shape as rows (n, 5): radius, z, normal outward and up, end -1, 0 or 1; from the lowest point up."""
        return None


@dataclass(frozen=True)
class Box(Shape):
    """Box with its center at the position."""

    name, code = "box", BOX
    size: Vector
    """(3,) m, edges along the own x, y and z axes"""

    def check(self) -> None:
        positive("size", self.size, 3)

    def corners(self) -> Array:
        return 0.5 * SIGNS * self.size

    def bounds(self) -> tuple[Array, Array]:
        return np.zeros(3), 0.5 * np.asarray(self.size, float)

    def size_in_record(self) -> Array:
        return 0.5 * np.asarray(self.size, float)

    def outline(self, p: Array, R: Array) -> tuple[Array, float, float, float]:
        if abs(R[2, 2] - 1.0) >= UPRIGHT:
            return super().outline(p, R)
        corners = p + self.corners() @ R.T
        return corners[[0, 1, 3, 2], :2], 0.0, corners[:, 2].min(), corners[:, 2].max()

    def solid(self, mass: float) -> tuple[Array, float, Array]:
        edges = np.asarray(self.size, float)
        return mass / 12.0 * (edges @ edges - edges**2), 0.5 * float(np.linalg.norm(edges)), self.corners()

    def drawn_size(self) -> Vector:
        return *self.size_in_record(), 0.0


@dataclass(frozen=True)
class Cylinder(Shape):
    """Vertical cylinder, capped, with the center of its base at the position. Its corners are those of polygons around its rims."""

    name, code, upright = "cylinder", CYLINDER, "a cylinder is upright; expected pitch and roll 0, or shape capsule"
    radius: float
    height: float

    def corners(self) -> Array:
        return np.concatenate([np.column_stack((self.radius * CIRCLE, np.full(len(CIRCLE), z))) for z in (0.0, self.height)])

    def bounds(self) -> tuple[Array, Array]:
        return np.array((0.0, 0.0, 0.5 * self.height)), np.array((self.radius, self.radius, 0.5 * self.height))

    def size_in_record(self) -> Vector:
        return self.radius, 0.5 * self.height, 0.0

    def outline(self, p: Array, R: Array) -> tuple[Array, float, float, float]:
        if abs(R[2, 2] - 1.0) >= UPRIGHT:
            return super().outline(p, R)
        return p[None, :2].copy(), self.radius, p[2], p[2] + self.height

    def solid(self, mass: float) -> tuple[Array, float, Array]:
        across = mass / 12.0 * (3.0 * self.radius**2 + self.height**2)
        moments = np.array((across, across, 0.5 * mass * self.radius**2))
        return moments, math.hypot(self.radius, 0.5 * self.height), np.zeros((0, 3))  # the kernel finds the lowest points of the rims

    def drawn_size(self) -> Vector:
        return self.radius, self.radius, self.height, 0.0

    @classmethod
    def profile(cls, rings: int) -> Array:
        return np.array(((0, 0, 0, -1, 0), (1, 0, 0, -1, 0), (1, 0, 1, 0, 0), (1, 1, 1, 0, 0), (1, 1, 0, 1, 0), (0, 1, 0, 1, 0)), float)


@dataclass(frozen=True)
class Sphere(Shape):
    """Sphere with its center at the position."""

    name, code = "sphere", SPHERE
    radius: float

    @property
    def margin(self) -> float:
        return self.radius

    def corners(self) -> Array:
        return np.zeros((1, 3))

    def size_in_record(self) -> Vector:
        return self.radius, 0.0, 0.0

    def solid(self, mass: float) -> tuple[Array, float, Array]:
        return np.full(3, 0.4 * mass * self.radius**2), self.radius, self.corners()

    def drawn_size(self) -> Vector:
        return self.radius, self.radius, self.radius, 0.0

    @classmethod
    def profile(cls, rings: int) -> Array:
        latitude = np.linspace(-0.5 * math.pi, 0.5 * math.pi, rings + 1)
        circle = np.column_stack((np.cos(latitude), np.sin(latitude)))
        return np.hstack((circle, circle, np.zeros((rings + 1, 1))))


@dataclass(frozen=True)
class Capsule(Shape):
    """Cylinder with half spheres at its ends, axis z, with its center at the position."""

    name, code = "capsule", CAPSULE
    radius: float
    length: float
    """m, distance between the centers of the half spheres"""

    @property
    def margin(self) -> float:
        return self.radius

    def corners(self) -> Array:
        return np.array(((0.0, 0.0, -0.5 * self.length), (0.0, 0.0, 0.5 * self.length)))

    def size_in_record(self) -> Vector:
        return self.radius, 0.5 * self.length, 0.0

    def solid(self, mass: float) -> tuple[Array, float, Array]:
        r, length = self.radius, self.length
        middle, ends = math.pi * r * r * length, 4.0 / 3.0 * math.pi * r**3
        middle, ends = mass * middle / (middle + ends), mass * ends / (middle + ends)
        across = middle * (length**2 / 12.0 + 0.25 * r * r) + ends * (0.4 * r * r + 0.25 * length**2 + 0.375 * length * r)
        return np.array((across, across, (0.5 * middle + 0.4 * ends) * r * r)), r + 0.5 * length, self.corners()

    def drawn_size(self) -> Vector:
        return self.radius, self.radius, self.radius, 0.5 * self.length

    @classmethod
    def profile(cls, rings: int) -> Array:
        rows = Sphere.profile(rings)
        out = np.insert(rows, rings // 2, (1.0, 0.0, 1.0, 0.0, 0.0), axis=0)  # the cylinder is between two rings at the equator
        out[:, 4] = np.repeat((-1.0, 1.0), (rings // 2 + 1, len(out) - rings // 2 - 1))
        return out


@dataclass(frozen=True)
class ConvexHull(Shape):
    """Convex hull of points."""

    name, code = "hull", HULL
    points: Array
    """(n, 3) m, in O; only the vertices of the hull are kept, at most MAX_HULL_VERTICES"""

    def check(self) -> None:
        points = self.corners()
        if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
            raise ObjectError(f"points of a hull: shape {points.shape}; expected (n, 3) finite numbers in m")
        if len(self.vertices) > MAX_HULL_VERTICES:
            raise ObjectError(f"points of a hull: {len(self.vertices)} vertices; expected at most {MAX_HULL_VERTICES}; use a mesh")

    @property
    def vertices(self) -> Array:
        """(n, 3) vertices. Raises ObjectError if the points span no volume."""
        found = hull_vertices(self.corners())
        if found is None:
            raise ObjectError(
                f"points of a hull: {len(self.points)} points span no volume; expected at least 4 points that are not in a plane"
            )
        return found

    def corners(self) -> Array:
        return np.asarray(self.points, float)


@dataclass(frozen=True, eq=False)
class TriangleMesh(Shape):
    """Triangle mesh; open meshes and holes are allowed, both sides of a triangle are surfaces. Its mass is that of its convex hull."""

    name, code = "mesh", MESH
    triangles: Array
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

    @property
    def vertices(self) -> Array:
        """(n, 3) vertices of the convex hull; of a flat mesh those of its bounding box, THINNEST in half."""
        found = hull_vertices(self.corners())
        if found is None:
            center, half = self.bounds()
            return center + SIGNS * np.maximum(half, THINNEST)
        return found

    def corners(self) -> Array:
        return np.asarray(self.triangles, float).reshape(-1, 3)


SIMPLE: dict[str, Any] = {one.name: one for one in (Box, Cylinder, Sphere, Capsule)}
"""Shapes of a few lengths, which a table of objects and the generator `scatter` can hold."""
SHAPES = (*SIMPLE.values(), ConvexHull, TriangleMesh)


def hull_vertices(points: Array) -> Array | None:
    """Return the vertices (n, 3) of the convex hull of points; None if they span no volume."""
    from scipy.spatial import ConvexHull as Hull
    from scipy.spatial import QhullError

    try:
        return np.ascontiguousarray(points[Hull(points).vertices])
    except (QhullError, ValueError):
        return None


def positive(name: str, values: Vector, count: int) -> None:
    """Raise ObjectError unless there are `count` lengths above 0 and at most FARTHEST."""
    numbers = all(isinstance(value, int | float | np.number) for value in values)
    if len(values) != count or not numbers or not all(math.isfinite(value) and 0.0 < value <= FARTHEST for value in values):
        shown = list(values) if count > 1 else values[0]
        raise ObjectError(f"{name} {shown}; expected {'numbers' if count > 1 else 'a number'} above 0, at most {FARTHEST:g}, in SI units")


def _simple(shape: type[Any], meaning: str, *keys: Field) -> ShapeKind:
    """Return the kind of a simple shape, whose fields have the names of its keys."""

    def build(request: ShapeRequest) -> Shape:
        given = [request.values[field.name] for field in fields(shape)]
        return shape(*(tuple(map(float, value)) if isinstance(value, np.ndarray) else value for value in given))  # type: ignore[no-any-return]

    return ShapeKind(shape.name, build, CONTRACT, keys, meaning)


def _hull(request: ShapeRequest) -> Shape:
    values, shape = request.values, ConvexHull(request.values["points"])
    try:
        shape.check()
    except ObjectError as error:
        raise ConfigError(values.file, values.path("points"), f"{len(values['points'])} points", str(error)) from None
    return shape


SHIPPED = (
    _simple(
        Box, "box with its center at the position",
        Field("size", Number("m", 0.001, 1e4, shape=(3,)), "edges along the own x, y and z axes"), *TILT,
    ),
    _simple(
        Cylinder, "upright cylinder with the center of its base at the position",
        Field("radius", _LENGTH, "radius"), Field("height", _LENGTH, "height; the axis is vertical"),
    ),
    _simple(Sphere, "sphere with its center at the position", Field("radius", _LENGTH, "radius")),
    _simple(
        Capsule, "cylinder with half spheres at its ends",
        Field("radius", _LENGTH, "radius"),
        Field("length", _LENGTH, "distance between the centers of the half spheres, along the own z axis"), *TILT,
    ),
    ShapeKind(
        ConvexHull.name, _hull, CONTRACT,
        (Field("points", Number("m", -1e4, 1e4, shape=((4, 10 * MAX_HULL_VERTICES), 3)), "points in the frame of the object"), *TILT),
        "convex hull of points",
    ),
)  # fmt: skip
"""Shipped kinds of shapes, without meshes, whose files are read elsewhere."""
