"""Outlet of the motion stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.motion.stream import MotionStream

if TYPE_CHECKING:
    from simulator.session import Session


class MotionStreamOutlet:
    """Sends the pose of the platform over the network."""

    label = "motion stream"
    """Name of the outlet in messages."""

    def __init__(self, stream: MotionStream) -> None:
        self.stream, self.every, self.often = stream, stream.turns.every, stream.turns.often

    def publish(self, session: Session) -> None:
        """Send one packet. Raises JounceError after the protocol was stopped."""
        if self.stream.trouble:
            raise JounceError(f"{self.stream.trouble}; the motion stream has stopped")
        self.stream.send(session.readout, session.cueing, session.moves, session.tick)

    def close(self) -> None:
        """Send the stop flag to the platform and close the stream."""
        self.stream.close()
