"""What a driver sees of the vehicles in the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

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


@runtime_checkable
class SeesVehicles(Protocol):
    """Optional part of a driver: it is told the vehicles before each call of `read`."""

    def see_vehicles(self, vehicles: Sequence[SeenVehicle]) -> None:
        """Receive all vehicles of the session, also the one that this driver drives."""
