"""A vehicle as objects for other vehicles: the convex parts of its body, and its wheels, which move with the suspension but do not turn.

Contact, rays, maps, the window and the console then meet it as any other object. The parts are broken objects that their vehicle moves: it
writes its pose to their states, and takes the impulses that others have left there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import rotated, unrotated
from simulator.base.algebra.vectors import cross, dot, sub, vector
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.rotations import rotation_of_quaternion
from terrain.objects.breakaway import Breakaway
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import ConvexHull, Material, WorldObject

CORNERS = 12
"""Corners of each end of a wheel."""
LABEL = "vehicle"
RUBBER = (0.08, 0.08, 0.08)
"""Color of the wheels."""


def vehicle_objects(
    name: str, contact: Record, centers: NDArray[np.float64], position: Sequence[float] = (0.0, 0.0, 0.0), yaw: float = 0.0
) -> list[WorldObject]:
    """Return the parts of a vehicle as objects; the first one has the name of the vehicle.

    contact : record of `vehicles.contact.records.OBJECT_CONTACT`; centers : (wheels, 3) centers of the wheels in B, in the design position
    [m]; position : x, y [m], and z [m] of the ground below; yaw [rad]
    """
    c = contact[0]
    hulls = [part["points"][: part["count"]].copy() for part in c["parts"][: c["count"]]]
    hulls += [_wheel(center, float(r), float(half)) for center, (r, half) in zip(centers, c["wheels"], strict=False)]
    stands = max((float(c["wheels"][n, 0] - center[2]) for n, center in enumerate(centers)), default=0.0)
    place = (position[0], position[1], position[2] + stands)
    motion, body = Breakaway(float(c["mass"])), Material(stiffness=float(c["stiffness"]))
    rubber = replace(body, color=RUBBER)
    names = [name, *(f"{name} {n}" for n in range(1, len(hulls)))]
    return [
        WorldObject(one, ConvexHull(points), place, yaw, label=LABEL, material=body if n < c["count"] else rubber, motion=motion)
        for n, (one, points) in enumerate(zip(names, hulls, strict=True))
    ]


def _wheel(center: NDArray[np.float64], radius: float, half: float) -> NDArray[np.float64]:
    """Return the corners (2 CORNERS, 3) of a wheel whose axle is along y."""
    angles = math.tau * (np.arange(CORNERS) + 0.5) / CORNERS
    ring = radius * np.column_stack((np.cos(angles), np.zeros(CORNERS), np.sin(angles)))
    return np.concatenate([center + ring + (0.0, side * half, 0.0) for side in (-1.0, 1.0)])


def bind_objects(objects: ObjectSet, rows: Sequence[int], contact: Record) -> None:
    """Let a vehicle move the objects in these consecutive rows.

    contact : record of OBJECT_CONTACT; the chassis resists the pushes of others, so that a contact sees the same mass from both sides
    """
    c, states = contact[0], objects.records["state"][list(rows)]
    inverse = np.asarray(c["inverse_inertia"], float)
    bodies, own = (one[states[0] : states[-1] + 1] for one in (objects.bodies, objects.states))
    bodies["com_O"] = c["com"]
    bodies["inertia"], bodies["inverse_inertia"] = _six(np.linalg.inv(inverse)), _six(inverse)
    own["impulse_W"] = own["angular_impulse_W"] = 0.0
    objects.records["number"][list(rows)] = objects.records["number"][rows[0]]  # a vehicle is one object for collisions and rays


def list_vehicles(objects: ObjectSet, vehicles: Sequence[tuple[int, Sequence[int]]]) -> None:
    """Let the vehicles in the world be those with these numbers, whose parts are the objects in these rows; the broken objects stay."""
    w = objects.world[0]
    loose = objects.broken_rows[int(w["vehicle_parts"]) : int(w["broken"])].copy()
    rows = np.array([row for _, parts in vehicles for row in parts], np.int64)
    objects.broken_rows[: len(rows) + len(loose)] = np.concatenate((rows, loose))
    states = objects.records["state"][rows]
    objects.states["broken"][states] = 1
    objects.states["vehicle"][states] = [number for number, parts in vehicles for _ in parts]
    w["broken"], w["vehicle_parts"], w["vehicles"] = len(rows) + len(loose), len(rows), len(vehicles)


def _six(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return xx, yy, zz, xy, xz, yz of a symmetric matrix (3, 3)."""
    return np.array([matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 1], matrix[0, 2], matrix[1, 2]])


@inline
def take_impulses(states, first, q):
    """Move the impulses that other vehicles have left in the states of the parts of a vehicle to its input; those of a vehicle whose state
    has become invalid, which are not finite, do not count.

    states : records of `terrain.objects.records.STATE` up to the last part; first : row of the first part; q : row of OBJECT_CONTACT_STATE
    """
    for j in range(3):
        q["impulse_W"][j] = q["angular_impulse_W"][j] = 0.0
    for k in range(first, len(states)):
        J, L = states[k]["impulse_W"], states[k]["angular_impulse_W"]
        valid = abs(J[0] + J[1] + J[2] + L[0] + L[1] + L[2]) < math.inf
        for j in range(3):
            q["impulse_W"][j] += J[j] if valid else 0.0
            q["angular_impulse_W"][j] += L[j] if valid else 0.0
            J[j] = L[j] = 0.0


@inline
def place_parts(states, first, x, reach):
    """Write pose and velocity of a vehicle (row of its STATE) to the states of its parts. Return a bound on the speed of its points [m/s].

    reach : distance of its farthest point from the chassis reference point [m]
    """
    for k in range(first, len(states)):
        s = states[k]
        rotation_of_quaternion(x["q_WB"], s["R_WO"])
        v, w = rotated(s["R_WO"], vector(x["v_WB_B"])), rotated(s["R_WO"], vector(x["w_WB_B"]))
        for j in range(3):
            s["p_WO"][j], s["v_WO"][j], s["w_WO"][j] = x["p_WB"][j], v[j], w[j]
        for j in range(4):
            s["q_WO"][j] = x["q_WB"][j]
    v, w = vector(x["v_WB_B"]), vector(x["w_WB_B"])
    return math.sqrt(dot(v, v)) + reach * math.sqrt(dot(w, w))


@inline
def halt_parts(states, first):
    """Let the parts of a vehicle rest at their last pose."""
    for k in range(first, len(states)):
        for j in range(3):
            states[k]["v_WO"][j] = states[k]["w_WO"][j] = 0.0


@inline
def place_wheel(state, body, center, p, q, wheel):
    """Move a wheel among the parts of a vehicle to its present place; its axis stays that of the chassis.

    state, body : rows of STATE and RIGID_BODY of the wheel; center : (3,) m, its center in the design position in B; p, q : rows of
    OBJECT_CONTACT and OBJECT_CONTACT_STATE with the pose at which `wheel`, a row of WHEEL, was computed
    """
    shift = sub(unrotated(q["R_WB"], sub(vector(wheel["p_WK"]), vector(q["p_WB"]))), vector(center))
    arm = rotated(state["R_WO"], shift)
    swing = cross(vector(state["w_WO"]), arm)
    for j in range(3):
        state["p_WO"][j] += arm[j]
        state["v_WO"][j] += swing[j]
        body["com_O"][j] = p["com"][j] - shift[j]
