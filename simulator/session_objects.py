"""Objects of a session: those that are there, those that come and go during it, and the collisions with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.collision import Collision, CollisionList
from terrain.ground import Ground
from terrain.objects.world_object import WorldObject
from vehicles.vehicle import Vehicle


class SessionObjects:
    """Objects of one session.

    Parameters
    ----------
    ground : ground with the objects at the start
    vehicle : vehicle that may touch them

    Attributes
    ----------
    objects : all objects; only this session moves them
    changes : objects added or removed since the start: "tick", "objects" (added), "removed" (numbers)
    collisions : list of the collisions with objects
    """

    def __init__(self, ground: Ground, vehicle: Vehicle) -> None:
        self._vehicle, self.ground = vehicle, ground
        self.objects = ground.objects.for_session()
        self.changes: list[dict[str, Any]] = []
        if len(self.objects):
            vehicle.load_object_contact()
        self.collisions = CollisionList(vehicle.space.object_contact, self.objects)
        self._heard = 0

    def add(self, objects: Sequence[WorldObject], tick: int) -> list[int]:
        """Add objects to the world at a tick; return their numbers. Raises ObjectError: an impossible object, or a name that is in use."""
        first = self.objects.first + len(self.objects)
        self.put(objects)
        self.changes.append({"tick": tick, "objects": tuple(objects), "removed": []})
        return list(range(first, first + len(objects)))

    def put(self, objects: Sequence[WorldObject]) -> None:
        """Add objects that belong to the session from its begin. Raises as `add`."""
        self.objects = self.objects.with_added(objects, self.objects.world)
        self.collisions.objects = self.objects
        self._vehicle.load_object_contact()
        self.wake()

    def wake(self) -> None:
        """Let the contact of the vehicle look for objects in the next step, because one has appeared."""
        self._vehicle.space.object_contact[0]["away"] = 0.0

    def remove(self, number: int, tick: int) -> None:
        """Remove an object from the world at a tick; its number is not used again. Raises ObjectError: no such object."""
        self.objects.remove(number)
        self.changes.append({"tick": tick, "objects": (), "removed": [number]})

    def read_collisions(self) -> list[Collision]:
        """Update the list of the collisions; return those that have begun."""
        if not len(self.objects):
            return []
        self.collisions.read()
        all_collisions = self.collisions.all
        new, self._heard = all_collisions[self._heard :], len(all_collisions)
        return new
