"""What a driver sees of the vehicles in the world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from simulator.base.arrays import Array
from simulator.base.records import Record

FIRST = "first"
"""Name of the first vehicle of a session, which has none in the file."""


class SeenVehicle(NamedTuple):
    """A vehicle at the present time."""

    name: str
    x: float
    y: float
    """m, position of the chassis reference point in W"""
    yaw: float
    """rad, heading"""
    speed: float
    """m/s, forward speed"""
    front: float
    rear: float
    """m, distance of its foremost and its last point ahead of and behind the reference point"""


def heading(q: Record) -> float:
    """Return the yaw [rad] of an attitude, a quaternion (4,)."""
    w, i, j, k = q.tolist()
    return math.atan2(2.0 * (i * j + w * k), 1.0 - 2.0 * (j * j + k * k))


def body_box(contact: Record) -> tuple[Array, Array]:
    """Return the lowest and the highest corner (3,) [m] of the box around the collision body of a vehicle, in B.

    contact : record of OBJECT_CONTACT
    """
    parts = contact[0]["parts"][: int(contact[0]["count"])]
    return (parts["center"] - parts["half"]).min(axis=0), (parts["center"] + parts["half"]).max(axis=0)


@runtime_checkable
class SeesVehicles(Protocol):
    """Optional part of a driver: it is told the vehicles before each call of `read`."""

    def see_vehicles(self, vehicles: Sequence[SeenVehicle]) -> None:
        """Receive all vehicles of the session, also the one that this driver drives."""
