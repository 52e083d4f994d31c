"""Packet of a vehicle at rest while the platform is engaged, 250 per second, as a base for tests."""

from __future__ import annotations

from typing import Any

from simulator.motion.protocols.native_packet import MotionPacket

_STANDING: dict[str, Any] = {
    "sequence": 0,
    "stream": 1,
    "state": 5,
    "run": True,
    "interval": 0.004,
    "time": 0.0,
    "force": (0.0, 0.0, 9.8),
    "rates": (0.0,) * 3,
    "pose": (0.0,) * 6,
    "legs": (0.85,) * 6,
}


def still_packet(**changes: Any) -> MotionPacket:
    """The packet, but for the changes."""
    return MotionPacket(**{**_STANDING, **changes})
