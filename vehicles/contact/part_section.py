"""Parts of a vehicle that touch objects, from the section `body` of its file and its outline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ErrorCollector
from simulator.base.fields import Field, Group, ListOf, Number
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.contact.records import MAX_PART_POINTS, MAX_PARTS, MAX_WHEELS, OBJECT_CONTACT
from vehicles.multibody.description.rigid_body import RigidBody

FARTHEST = 100.0
"""m. Maximum magnitude of a coordinate of a part."""
CRUSH_PULSE = 40.0
"""Default force at which the body yields, as a multiple of the vehicle weight [assumed]: the peak deceleration of passenger cars in frontal
impacts into a rigid wall at 56 km/h is 30 to 50 g."""
CRUSH_DEPTH = 0.6
"""m. Default depth to which a frontal impact at CRUSH_SPEED crushes the body [assumed]; it gives the default stiffness."""
CRUSH_SPEED = 15.6
"""m/s."""
HOOD = 0.45
"""Default height of the hood, as a part of the height from the wheel centers to the roof [assumed]."""
HOOD_LENGTH = 0.28
"""Default length of the front block, as a part of the length of the body [assumed]."""

_POINT = Number("m", -FARTHEST, FARTHEST, shape=(3,))
_PART = (
    Field("low", _POINT, "minimum x, y, z of a box", None, frame="the chassis frame"),
    Field("high", _POINT, "maximum x, y, z of the box", None, frame="the chassis frame"),
    Field(
        "points_left",
        Number("m", -FARTHEST, FARTHEST, shape=((2, MAX_PART_POINTS // 2), 3)),
        "instead of a box, vertices of the left side of a convex part; the right side is the mirror image",
        None,
        "the chassis frame",
    ),
)
PART_FIELDS = (
    Field("parts", ListOf(Group(_PART)), "convex parts of the body that touch objects; default: two blocks from the outline", None),
    Field(
        "crush_stiffness",
        Number("N/m", 0.0, 1e9, above=0.0),
        "stiffness of the body against objects; default: a frontal impact at 56 km/h crushes the body by 0.6 m",
        None,
    ),
    Field(
        "crush_force", Number("N", 0.0, 1e9, above=0.0), "force at which the body yields; default: 40 times the weight of the vehicle", None
    ),
)
"""Contact fields of the section `body` of a vehicle file."""


def read_object_contact(body: Values, mass: float, chassis: RigidBody, box: tuple[Vector, Vector]) -> Record:
    """Return the record of OBJECT_CONTACT from the section `body` of a vehicle file, without wheels.

    Parameters
    ----------
    mass : total mass of the vehicle [kg]
    box : minimum and maximum x, y, z of the body, in B [m]

    Raises
    ------
    ConfigError : every part that is no box and no hull
    """
    p = record(OBJECT_CONTACT)
    given = body.get("parts")
    parts = default_parts(*box) if given is None else _read_parts(body, given)
    fill_parts(p, parts, np.zeros((0, 2)), np.zeros((0, 3)))
    fill_mass(p, chassis.mass, chassis.p_BoBcm, chassis.I_BBcm)
    p[0]["stiffness"] = body.get("crush_stiffness", mass * (CRUSH_SPEED / CRUSH_DEPTH) ** 2)
    p[0]["strength"] = body.get("crush_force", CRUSH_PULSE * mass * STANDARD_GRAVITY)
    return p


def _read_parts(body: Values, given: Sequence[Values]) -> list[Vector]:
    """Return the vertices (n, 3) of each part. Raises ConfigError."""
    out: list[Vector] = []
    if not 1 <= len(given) <= MAX_PARTS:
        raise body.error("parts", f"1 to {MAX_PARTS} parts")
    with ErrorCollector() as faults:
        for part in given:
            with faults.part():
                out.append(_vertices(part))
    return out


def _vertices(part: Values) -> Vector:
    """Return the vertices (n, 3) of a part. Raises ConfigError."""
    left: Vector | None = part.get("points_left")
    if left is not None:
        if "low" in part or "high" in part:
            raise part.error("points_left", "either points_left, or low and high")
        if (left[:, 1] < 0.0).any():
            raise part.error("points_left", "points with y >= 0; the right side is their mirror image")
        points = np.concatenate([left, left[left[:, 1] > 0.0] * [1.0, -1.0, 1.0]])
        if np.linalg.matrix_rank(points - points[0], tol=1e-3) < 3:
            raise part.error("points_left", "points that span a volume")
        return points
    low, high = part.needed("low", "minimum x, y, z of a box, or points_left"), part.needed("high", "maximum x, y, z of the box")
    if not (high > low).all():
        raise part.error("high", f"values above those of low, {low.tolist()}")
    return box_corners(low, high)


def box_corners(low: Vector, high: Vector) -> Vector:
    """Return the corners (8, 3) of a box."""
    return np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def default_parts(low: Vector, high: Vector) -> list[Vector]:
    """Return the corners of a front block below the hood and of a cabin block, from the box of the body."""
    hood, wall = low[2] + HOOD * (high[2] - low[2]), high[0] - HOOD_LENGTH * (high[0] - low[0])
    front = box_corners(np.array((wall, low[1], low[2])), np.array((high[0], high[1], hood)))
    cabin = box_corners(low, np.array((wall, high[1], high[2])))
    return [front, cabin]


def fill_parts(p: Record, parts: Sequence[Vector], wheels: Vector, centers: Vector) -> None:
    """Write parts and wheels to a record of OBJECT_CONTACT.

    Parameters
    ----------
    parts : vertices (n, 3) of each part, in B [m]
    wheels : (n, 2) radius and half the width of each wheel [m]
    centers : (n, 3) wheel centers in the design position, in B [m]
    """
    q = p[0]
    q["count"] = len(parts)
    for out, points in zip(q["parts"], parts, strict=False):
        low, high = points.min(axis=0), points.max(axis=0)
        out["count"], out["points"][: len(points)] = len(points), points
        out["center"], out["half"] = 0.5 * (low + high), 0.5 * (high - low)
        out["radius"] = np.linalg.norm(out["half"])
    q["reach"] = max(np.linalg.norm(points, axis=1).max() for points in parts)
    fill_wheels(p, wheels, centers)


def fill_wheels(p: Record, wheels: Vector, centers: Vector) -> None:
    """Write the wheels to a record of OBJECT_CONTACT; see `fill_parts`."""
    q = p[0]
    q["wheels"][: len(wheels)] = wheels[:MAX_WHEELS]
    if len(wheels):
        travel = 1.0  # m, upper bound of the travel of a wheel
        q["reach"] = max(q["reach"], (np.linalg.norm(centers, axis=1) + np.hypot(*wheels.T)).max() + travel)


def fill_mass(p: Record, mass: float, com: Vector, inertia: Vector) -> None:
    """Write the mass properties of the chassis to a record of OBJECT_CONTACT."""
    q = p[0]
    q["mass"], q["com"], q["inverse_inertia"] = mass, com, np.linalg.inv(inertia)
    q["slowest_turn"] = np.linalg.eigvalsh(q["inverse_inertia"]).max()
