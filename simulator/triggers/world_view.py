"""What triggers and encounters see of a session: the bodies of its vehicles and objects by their names."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from simulator.base.records import Record
from simulator.collision import Collision
from simulator.driver.seen_vehicle import FIRST, body_box
from simulator.session_objects import SessionObjects
from simulator.session_vehicles import SessionVehicles
from simulator.triggers.bodies import Body
from terrain.objects.records import PATH
from terrain.objects.waiting_path import path_motion
from vehicles.vehicle import Vehicle


class WorldView:
    """View of a session.

    Parameters
    ----------
    first, others, world : vehicles and objects of the session
    start : x, y [m] and yaw [rad] of the start of the terrain

    Attributes
    ----------
    t : simulated time [s] of the view
    collisions : those of the first vehicle in this drive
    """

    def __init__(self, first: Vehicle, others: SessionVehicles, world: SessionObjects, start: tuple[float, float, float]) -> None:
        self.t = 0.0
        self.collisions: Sequence[Collision] = ()
        self._first, self._others, self._world, self._start = first, others, world, start
        self._seen: dict[str, Body | None] = {}
        self._rectangles: dict[str, tuple[float, float, float, float]] = {}
        self._numbers: dict[str, int] = {}

    def look(self, t: float, collisions: Sequence[Collision]) -> None:
        """See the session at a time [s] with these collisions."""
        self.t, self.collisions, self._seen = t, collisions, {}

    def body(self, name: str) -> Body | None:
        """Return a vehicle or an object; None for one that is not in the world."""
        if name not in self._seen:
            other = next((one for one in self._others.vehicles if one.name == name), None)
            if other is not None and not other.present:
                self._seen[name] = None
            elif other is not None or name == FIRST:
                self._seen[name] = self._body_of(name, self._first if other is None else other.vehicle)
            else:
                self._seen[name] = self._object(name)
        return self._seen[name]

    def from_start(self, x: float, y: float) -> tuple[float, float]:
        """Return a place in W ahead of and to the left of the start of the terrain, m."""
        c, s, dx, dy = math.cos(self._start[2]), math.sin(self._start[2]), x - self._start[0], y - self._start[1]
        return c * dx + s * dy, c * dy - s * dx

    def in_world(self, ahead: float, left: float) -> tuple[float, float]:
        """Return a place relative to the start of the terrain in W, m."""
        c, s = math.cos(self._start[2]), math.sin(self._start[2])
        return self._start[0] + c * ahead - s * left, self._start[1] + s * ahead + c * left

    def _body_of(self, name: str, vehicle: Vehicle) -> Body:
        """Return the body of a vehicle."""
        if name not in self._rectangles:
            self._rectangles[name] = _rectangle(vehicle.model.object_contact)
        ahead, left, half_length, half_width = self._rectangles[name]
        x = vehicle.space.state[0]
        w, i, j, k = x["q_WB"].tolist()
        u, v, up = x["v_WB_B"].tolist()
        yaw = math.atan2(2.0 * (i * j + w * k), 1.0 - 2.0 * (j * j + k * k))
        c, s, place = math.cos(yaw), math.sin(yaw), (float(x["p_WB"][0]), float(x["p_WB"][1]))
        v_x = (1.0 - 2.0 * (j * j + k * k)) * u + 2.0 * (i * j - w * k) * v + 2.0 * (i * k + w * j) * up
        v_y = 2.0 * (i * j + w * k) * u + (1.0 - 2.0 * (i * i + k * k)) * v + 2.0 * (j * k - w * i) * up
        center = place[0] + c * ahead - s * left, place[1] + s * ahead + c * left
        return Body(*center, yaw, half_length, half_width, v_x, v_y, place)

    def _object(self, name: str) -> Body | None:
        """Return the body of an object."""
        objects = self._world.objects
        if name not in self._numbers:
            self._numbers[name] = objects.first + next(row for row, one in enumerate(objects.objects) if one.name == name)
        number = self._numbers[name]
        r = objects.records[number - objects.first]
        if not r["present"]:
            return None
        p, R = objects.pose(number, self.t)
        yaw, center = math.atan2(R[1, 0], R[0, 0]), p + R @ r["center_O"]
        c, s = math.cos(yaw), math.sin(yaw)
        half = np.abs(np.array(((c, s, 0.0), (-s, c, 0.0))) @ R) @ r["half_O"]  # of one that has toppled, too
        v_x, v_y = self._velocity(number - objects.first)
        return Body(float(center[0]), float(center[1]), yaw, float(half[0]), float(half[1]), v_x, v_y, (float(p[0]), float(p[1])))

    def _velocity(self, row: int) -> tuple[float, float]:
        """Return the velocity [m/s] of the object in a row in W."""
        objects = self._world.objects
        r = objects.records[row]
        state = objects.states[r["state"]]
        if r["mass"] > 0.0 and state["broken"]:
            return float(state["v_WO"][0]), float(state["v_WO"][1])
        if r["motion"] != PATH:
            return 0.0, 0.0
        at = path_motion(objects, row, self.t)
        return float(at[4]), float(at[5])


def _rectangle(contact: Record) -> tuple[float, float, float, float]:
    """Return center (ahead, left) and half the length and width [m] of the body of a vehicle in B."""
    low, high = body_box(contact)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    return float(middle[0]), float(middle[1]), float(half[0]), float(half[1])
