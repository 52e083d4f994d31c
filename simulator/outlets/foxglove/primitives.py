"""Shapes as primitives of a `foxglove.SceneUpdate`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.rotations import quaternion_of_rotation
from simulator.sensors.messages.topic import stamp
from terrain.objects.shapes import Box, Capsule, Cylinder, Shape, Sphere, TriangleMesh

MAX_TRIANGLES = 2000
"""Maximum number of triangles of a mesh; a larger one is drawn as its bounding box."""
LINE_WIDTH = 0.15
"""m."""

Color = Sequence[float]
"""Red, green, blue and opacity, 0 to 1."""


class Piece(NamedTuple):
    """Primitive of a shape."""

    kind: str
    """Field of a `SceneEntity`."""
    center: Array
    """(3,) in the frame of the shape [m]"""
    values: Mapping[str, Any]
    """Fields of the primitive besides pose and color."""


class Placed(NamedTuple):
    """Shape at a pose in the frame of its entity."""

    pieces: Sequence[Piece]
    p: Array
    """(3,) m"""
    R: Array
    """(3, 3)"""
    color: Color


def pieces_of(shape: Shape) -> list[Piece]:
    """Return the primitives of a shape."""
    if isinstance(shape, Cylinder):
        return [_cylinder(shape.radius, shape.height, 0.5 * shape.height)]
    if isinstance(shape, Sphere):
        return [_sphere(shape.radius, 0.0)]
    if isinstance(shape, Capsule):
        return [_cylinder(shape.radius, shape.length, 0.0), *(_sphere(shape.radius, side * shape.length) for side in (-0.5, 0.5))]
    if not isinstance(shape, Box) and (triangles := _triangles(shape)) is not None:
        return [Piece("triangles", np.zeros(3), {"points": _points(triangles.reshape(-1, 3))})]
    center, half = shape.bounds()
    return [Piece("cubes", center, {"size": _vector(2.0 * half)})]


def encoded_scene(time: float, entities: Mapping[str, tuple[str, Iterable[Placed], Array | None]]) -> bytes:
    """Return an encoded `foxglove.SceneUpdate` of entities by their names: frame, shapes and the points (n, 3) of a line in this frame [m].

    An entity replaces the one with its name, also an empty one.
    """
    from foxglove import messages as m

    at = stamp(time)
    made = []
    for name, (frame, shapes, line) in entities.items():
        primitives: dict[str, Any] = {}
        for one in shapes:
            for piece in one.pieces:
                primitives.setdefault(piece.kind, []).append(_primitive(piece, one))
        if line is not None:
            primitives["lines"] = [_line(line)]
        made.append(
            m.SceneEntity(timestamp=m.Timestamp(at["sec"], at["nanosec"]), frame_id=frame, id=name, frame_locked=True, **primitives)
        )
    return m.SceneUpdate(entities=made).encode()


def _primitive(piece: Piece, one: Placed) -> Any:
    from foxglove import messages as m

    q = np.empty(4)
    quaternion_of_rotation(one.R, q)
    w, x, y, z = q.tolist()
    pose = m.Pose(position=_vector(one.p + one.R @ piece.center), orientation=m.Quaternion(x=x, y=y, z=z, w=w))
    r, g, b, a = map(float, one.color)
    kinds = {"cubes": m.CubePrimitive, "spheres": m.SpherePrimitive, "cylinders": m.CylinderPrimitive, "triangles": m.TriangleListPrimitive}
    return kinds[piece.kind](pose=pose, color=m.Color(r=r, g=g, b=b, a=a), **piece.values)


def _line(points: Array) -> Any:
    from foxglove import messages as m

    return m.LinePrimitive(
        type=m.LinePrimitiveLineType.LineStrip,
        pose=m.Pose(position=m.Vector3(), orientation=m.Quaternion(w=1.0)),
        thickness=LINE_WIDTH,
        points=_points(points),
        color=m.Color(r=0.1, g=0.8, b=0.3, a=1.0),
    )


def _cylinder(radius: float, height: float, z: float) -> Piece:
    size = _vector((2.0 * radius, 2.0 * radius, height))
    return Piece("cylinders", np.array((0.0, 0.0, z)), {"size": size, "bottom_scale": 1.0, "top_scale": 1.0})


def _sphere(radius: float, z: float) -> Piece:
    return Piece("spheres", np.array((0.0, 0.0, z)), {"size": _vector((2.0 * radius,) * 3)})


def _triangles(shape: Shape) -> Array | None:
    """Return the triangles (n, 3, 3) [m] of a mesh or a convex hull; None if they are too many, or a hull spans no volume."""
    if isinstance(shape, TriangleMesh):
        found = np.asarray(shape.triangles, float)
        return found if len(found) <= MAX_TRIANGLES else None
    from scipy.spatial import ConvexHull, QhullError

    corners = shape.corners()
    try:
        return corners[ConvexHull(corners).simplices]
    except (QhullError, ValueError):
        return None


def _points(points: Array) -> list[Any]:
    from foxglove.messages import Point3

    return [Point3(x=x, y=y, z=z) for x, y, z in points.tolist()]


def _vector(values: Any) -> Any:
    from foxglove.messages import Vector3

    x, y, z = (float(one) for one in values)
    return Vector3(x=x, y=y, z=z)
