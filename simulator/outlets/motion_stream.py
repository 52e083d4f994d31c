"""Outlet of the motion stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.motion.stream import MotionStream

if TYPE_CHECKING:
    from simulator.session import Session


class MotionStreamOutlet:
    """Sends the platform's pose over the network."""

    def __init__(self, stream: MotionStream) -> None:
        self.stream, self.every, self.often = stream, stream.turns.every, stream.turns.often

    def publish(self, session: Session) -> None:
        """One packet. Raises JounceError once the protocol was dropped."""
        if self.stream.trouble:
            raise JounceError(f"{self.stream.trouble}; nothing is sent any more")
        self.stream.send(session.readout, session.cueing, session.moves, session.tick)

    def close(self) -> None:
        """Tell the platform that the stream ends."""
        self.stream.close()
