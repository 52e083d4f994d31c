"""Disturbance of the way of packets to their receiver: loss and delay, for tests of a platform and its watchdog."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator

SAME = 1e-9
"""s. Tolerance of a due time."""


class Disturbance:
    """Loss and delay of packets by their number and the time of the stream, so that equal runs lose the same packets.

    Attributes
    ----------
    loss : probability that a packet is lost
    delay : time [s] for which a packet is under way
    lost : number of packets lost so far
    """

    def __init__(self) -> None:
        self.loss = self.delay = 0.0
        self.lost = 0
        self._under_way: deque[tuple[float, bytes]] = deque()

    def packets(self, data: bytes, sequence: int, time: float, ending: bool) -> Iterator[bytes]:
        """Yield the packets that arrive at a time [s] of the stream, with the new packet `data`; at the end of the stream nothing is lost or
        delayed, so that a platform always learns about the end. Packets never overtake each other."""
        if not ending and self.loss > 0.0 and is_lost(sequence, self.loss):
            data = b""
            self.lost += 1
        while self._under_way and (ending or self._under_way[0][0] <= time + SAME):
            yield self._under_way.popleft()[1]
        if data and (self._under_way or (self.delay > 0.0 and not ending)):
            self._under_way.append((time + self.delay, data))
        elif data:
            yield data


def is_lost(sequence: int, probability: float) -> bool:
    """Return whether the packet of this number is lost."""
    digest = hashlib.blake2b(sequence.to_bytes(8, "little"), digest_size=4).digest()
    return int.from_bytes(digest, "little") < probability * 2.0**32
