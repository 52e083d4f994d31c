"""Book-keeping of a received motion stream: what came, what was lost, late, double or broken, how evenly, and how the legs are used."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.errors import StreamError
from simulator.base.records import Record
from simulator.motion.packets import MotionPacket, decode
from washout.platform import leg_lengths

REMEMBERED = 4096
"""Sequence numbers kept to tell a packet that is late from one that comes twice."""


class Receiver:
    """Takes datagrams, gives the packets that a platform may follow: sound, and newer than all before.

    Parameters
    ----------
    platform : HEXAPOD record against whose limits the legs are judged
    """

    def __init__(self, platform: Record) -> None:
        self._platform = platform
        self.received = self.lost = self.reordered = self.duplicate = self.corrupt = self.streams = 0
        self._stream: int | None = None
        self._newest = -1
        self._missing: dict[int, None] = {}
        self._arrivals: list[float] = []
        self._gaps: list[float] = []
        self._interval = 0.0
        self._legs = LegUse(platform)

    def take(self, data: bytes, now: float) -> MotionPacket | None:
        """Packet of a datagram that arrived at `now` [s], or None when it is broken, late or double."""
        try:
            packet = decode(data)
        except StreamError:
            self.corrupt += 1
            return None
        if packet.stream != self._stream:
            self._begin(packet)
        elif packet.sequence <= self._newest:
            self._old(packet.sequence)
            return None
        step = packet.sequence - self._newest
        self._miss(self._newest + 1, packet.sequence)
        if self._arrivals and step == 1:
            self._gaps.append(now - self._arrivals[-1])
        self.received += 1
        self._arrivals.append(now)
        self._newest = packet.sequence
        self._interval = packet.interval
        self._legs.add(packet, step)
        return packet

    def _begin(self, packet: MotionPacket) -> None:
        self.streams += 1
        self._stream = packet.stream
        self._newest = packet.sequence - 1
        self._missing.clear()
        self._legs.begin()
        if self._arrivals:
            self._arrivals = self._arrivals[:1]

    def _miss(self, first: int, end: int) -> None:
        """Note the sequence numbers from `first` to before `end` as lost, for the time being."""
        self.lost += end - first
        for sequence in range(max(first, end - REMEMBERED), end):
            self._missing[sequence] = None
        while len(self._missing) > REMEMBERED:
            del self._missing[next(iter(self._missing))]

    def _old(self, sequence: int) -> None:
        if sequence in self._missing:
            del self._missing[sequence]
            self.lost -= 1
            self.received += 1
            self.reordered += 1
        else:
            self.duplicate += 1

    def summary(self) -> dict[str, Any]:
        """Counts, packets per second, deviation of the time between packets [ms], use of the legs."""
        gaps = np.array(self._gaps)
        deviation = 1000.0 * np.abs(gaps - self._interval) if len(gaps) else np.zeros(1)
        return {
            "received": self.received,
            "lost": self.lost,
            "reordered": self.reordered,
            "duplicate": self.duplicate,
            "corrupt": self.corrupt,
            "streams": self.streams,
            "rate_hz": float(1.0 / gaps.mean()) if len(gaps) else 0.0,
            "jitter_ms": {
                "p50": float(np.percentile(deviation, 50)),
                "p99": float(np.percentile(deviation, 99)),
                "max": float(deviation.max()),
            },
            "legs": self._legs.summary(),
        }


class LegUse:
    """How far, fast and hard the legs of the packets move, as shares of the platform's limits."""

    def __init__(self, platform: Record) -> None:
        self._p = platform
        self._shortest, self._longest = np.full(6, np.inf), np.full(6, -np.inf)
        self._speed = self._acceleration = self._disagreement = 0.0
        self._check = np.zeros(6)
        self.begin()

    def begin(self) -> None:
        """A new stream: no differences across its start."""
        self._last: Any = None
        self._last_speed: Any = None

    def add(self, packet: MotionPacket, step: int) -> None:
        """Next packet, `step` sequence numbers after the last; speeds are taken over neighbors only."""
        legs = np.array(packet.legs)
        self._shortest = np.minimum(self._shortest, legs)
        self._longest = np.maximum(self._longest, legs)
        leg_lengths(self._p, np.array(packet.pose), self._check)
        self._disagreement = max(self._disagreement, float(np.abs(self._check - legs).max()))
        if self._last is None or step != 1:
            self._last, self._last_speed = legs, None
            return
        speed = (legs - self._last) / packet.interval
        self._speed = max(self._speed, float(np.abs(speed).max()))
        if self._last_speed is not None:
            self._acceleration = max(self._acceleration, float(np.abs(speed - self._last_speed).max() / packet.interval))
        self._last, self._last_speed = legs, speed

    def summary(self) -> dict[str, Any]:
        """Stroke used per leg, 0 retracted to 1 extended; peak speed and acceleration as shares of the limits; within: all below 1."""
        p = self._p[0]
        if not np.isfinite(self._shortest).all():
            return {"within": True, "stroke_low": [], "stroke_high": [], "speed": 0.0, "acceleration": 0.0, "pose_error_m": 0.0}
        stroke = float(p["longest_leg"] - p["shortest_leg"])
        low = (self._shortest - float(p["shortest_leg"])) / stroke
        high = (self._longest - float(p["shortest_leg"])) / stroke
        speed, acceleration = self._speed / float(p["leg_speed"]), self._acceleration / float(p["leg_acceleration"])
        return {
            "within": bool(low.min() >= 0.0 and high.max() <= 1.0 and speed <= 1.0 and acceleration <= 1.0),
            "stroke_low": low.round(4).tolist(),
            "stroke_high": high.round(4).tolist(),
            "speed": round(speed, 4),
            "acceleration": round(acceleration, 4),
            "pose_error_m": self._disagreement,
        }
