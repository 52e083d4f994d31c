"""Receiver of a motion stream with statistics: received, lost, late, duplicate, corrupt and foreign packets, jitter, use of the legs.

The receiver locks one stream and its source address. Until that stream was silent for a while or has ended, packets of other senders
are refused and counted. Packets of the stream with an implausible sequence or interval are refused, too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import StreamError
from simulator.base.records import Record
from simulator.motion.protocols.native_packet import MotionPacket, decode
from washout.platform import leg_lengths

MAX_STORED = 4096
"""Number of stored sequence numbers, to distinguish a late packet from a duplicate."""

LOCK_TIME = 0.5
"""Silence [s] after which another stream, or one from another address, is accepted."""

JUMP, JUMP_SHARE = 64, 2.0
"""1, 1. Limits of the number of missing packets: absolute, and as a multiple of the number that the silence explains."""

INTERVALS = (1e-4, 1.0)
"""Range of plausible times between packets [s]."""

CAP = 1e9
"""Limit of reported ratios; packets may contain numbers whose differences are not finite."""


class Receiver:
    """Returns the packets that a platform may follow: valid, of the locked stream, and newer than all before.

    Parameters
    ----------
    platform : HEXAPOD record with the limits of the legs
    """

    def __init__(self, platform: Record) -> None:
        self._platform = platform
        self.received = self.lost = self.reordered = self.duplicate = self.corrupt = self.streams = 0
        self.strangers = 0
        """Number of packets refused because another stream is locked."""
        self.implausible = 0
        """Number of packets of the stream refused because of an implausible sequence or interval."""
        self._stream: int | None = None
        self._source: Any = None
        self._last_time = -math.inf
        self._deaf = 0.0
        self._over = True
        self._newest = -1
        self._missing: dict[int, None] = {}
        self._gaps, self._deviations = Spread(), Spread()
        self._legs = LegUse(platform)
        self._disagreement = 0.0
        self._check = np.zeros(6)

    def take(self, data: bytes, now: float, source: Any = None) -> MotionPacket | None:
        """Return the packet of a datagram from `source` at `now` [s]; None if it is refused, corrupt, late or duplicate."""
        silence = now - self._last_time
        locked = not self._over and silence - self._deaf <= LOCK_TIME
        if locked and source != self._source:
            self.strangers += 1
            return None
        try:
            packet = decode(data)
        except StreamError:
            self.corrupt += 1
            return None
        same = packet.stream == self._stream and source == self._source
        if locked and not same:
            self.strangers += 1
            return None
        step = packet.sequence - self._newest
        if same and step <= 0 and silence <= LOCK_TIME:
            self._count_old(packet.sequence)
            return None
        runs_away = step > JUMP + JUMP_SHARE * silence / packet.interval
        if not INTERVALS[0] <= packet.interval <= INTERVALS[1] or (locked and runs_away):
            self.implausible += 1
            return None
        if not same or step <= 0 or runs_away:
            self._begin(packet, source)
            step = 1
        self._count(packet, step, now)
        return packet

    def deaf(self, duration: float) -> None:
        """Exclude a time [s] without listening from the silence of the stream, so that no other stream replaces it."""
        self._deaf += duration

    def _count(self, packet: MotionPacket, step: int, now: float) -> None:
        self._miss(packet.sequence - step + 1, packet.sequence)
        if step == 1 and self._last_time > -math.inf:
            self._gaps.add(now - self._last_time)
            self._deviations.add(abs(now - self._last_time - packet.interval))
        self.received += 1
        self._last_time, self._deaf = now, 0.0
        self._over = packet.stop
        self._newest = packet.sequence
        self._update_legs(packet, step)

    def _begin(self, packet: MotionPacket, source: Any) -> None:
        self.streams += 1
        self._stream, self._source = packet.stream, source
        self._last_time = -math.inf
        self._missing.clear()
        self._legs.begin()

    def _update_legs(self, packet: MotionPacket, step: int) -> None:
        """Update the use of the legs; speeds need successive packets, and the pose of a last packet is not followed."""
        if packet.stop:
            self._legs.begin()
            return
        legs = np.array(packet.legs)
        leg_lengths(self._platform, np.array(packet.pose), self._check)
        with np.errstate(all="ignore"):
            self._disagreement = max(self._disagreement, _number(np.abs(self._check - legs).max()))
            self._legs.add(legs, packet.interval if step == 1 else None)

    def _miss(self, first: int, end: int) -> None:
        """Count the sequence numbers from `first` to before `end` as lost until they arrive."""
        self.lost += end - first
        for sequence in range(max(first, end - MAX_STORED), end):
            self._missing[sequence] = None
        while len(self._missing) > MAX_STORED:
            del self._missing[next(iter(self._missing))]

    def _count_old(self, sequence: int) -> None:
        if sequence in self._missing:
            del self._missing[sequence]
            self.lost -= 1
            self.received += 1
            self.reordered += 1
        else:
            self.duplicate += 1

    def summary(self) -> dict[str, Any]:
        """Return counts, packets per second, deviation of the time between packets [ms], requested use of the legs."""
        mean = self._gaps.mean
        return {
            "received": self.received,
            "lost": self.lost,
            "reordered": self.reordered,
            "duplicate": self.duplicate,
            "corrupt": self.corrupt,
            "strangers": self.strangers,
            "implausible": self.implausible,
            "streams": self.streams,
            "rate_hz": 1.0 / mean if mean > 0.0 else 0.0,
            "jitter_ms": {
                "p50": 1000.0 * self._deviations.percentile(50.0),
                "p99": 1000.0 * self._deviations.percentile(99.0),
                "max": 1000.0 * self._deviations.largest,
            },
            "legs": {**self._legs.summary(), "pose_error_m": self._disagreement},
        }


class Spread:
    """Distribution of times in a histogram of constant size: 40 bins per decade, so that percentiles are accurate within 6 %."""

    SMALLEST, BINS, PER_DECADE = 1e-6, 400, 40

    def __init__(self) -> None:
        self._bins = np.zeros(self.BINS, dtype=np.int64)
        self._count, self._total = 0, 0.0
        self.largest = 0.0
        """Maximum time [s]."""

    def add(self, value: float) -> None:
        """Add a time [s], not negative."""
        bin_index = 0 if value < self.SMALLEST else 1 + int(self.PER_DECADE * math.log10(value / self.SMALLEST))
        self._bins[min(bin_index, self.BINS - 1)] += 1
        self._count += 1
        self._total += value
        self.largest = max(self.largest, value)

    @property
    def mean(self) -> float:
        """Mean time [s]; 0 without data."""
        return self._total / self._count if self._count else 0.0

    def percentile(self, share: float) -> float:
        """Return the time [s] that `share` percent do not exceed, rounded up to the end of the bin."""
        if not self._count:
            return 0.0
        bin_index = int(np.searchsorted(np.cumsum(self._bins), share / 100.0 * self._count))
        return min(self.largest, self.SMALLEST * 10.0 ** (bin_index / self.PER_DECADE) if bin_index else 0.0)


class LegUse:
    """Stroke, speed, acceleration and jerk of legs as fractions of the limits of the platform."""

    def __init__(self, platform: Record) -> None:
        self._p = platform
        self._shortest, self._longest = np.full(6, np.inf), np.full(6, -np.inf)
        self._speed = self._acceleration = self._jerk = 0.0
        self.begin()

    def begin(self) -> None:
        """Restart the differences with the next legs."""
        self._last: NDArray[Any] | None = None
        self._last_speed: NDArray[Any] | None = None
        self._last_acceleration: NDArray[Any] | None = None
        self._last_step = self._step_before = 0.0

    def add(self, legs: NDArray[Any], step: float | None) -> None:
        """Add legs (6,) [m], `step` seconds after the last ones; None: no differences to the last ones.

        Speeds are means over a step. Their changes are divided by the time between the centers of the steps, changes of the
        acceleration by a third of three steps.
        """
        np.minimum(self._shortest, legs, out=self._shortest)
        np.maximum(self._longest, legs, out=self._longest)
        if self._last is None or step is None:
            self.begin()
            self._last = legs
            return
        speed = (legs - self._last) / step
        self._speed = max(self._speed, _number(np.abs(speed).max()))
        if self._last_speed is not None:
            acceleration = (speed - self._last_speed) / (0.5 * (step + self._last_step))
            self._acceleration = max(self._acceleration, _number(np.abs(acceleration).max()))
            if self._last_acceleration is not None:
                third = (step + self._last_step + self._step_before) / 3.0
                self._jerk = max(self._jerk, _number(np.abs(acceleration - self._last_acceleration).max() / third))
            self._last_acceleration = acceleration
        self._last, self._last_speed, self._last_step, self._step_before = legs, speed, step, self._last_step

    def summary(self) -> dict[str, Any]:
        """Return the stroke per leg, 0 retracted to 1 extended; maximum speed, acceleration and jerk as fractions; `within`: all below 1."""
        p = self._p[0]
        if not (self._shortest <= self._longest).all():
            return {"within": True, "stroke_low": [], "stroke_high": [], "speed": 0.0, "acceleration": 0.0, "jerk": 0.0}
        stroke = float(p["longest_leg"] - p["shortest_leg"])
        with np.errstate(over="ignore"):
            low = np.clip((self._shortest - float(p["shortest_leg"])) / stroke, -CAP, CAP)
            high = np.clip((self._longest - float(p["shortest_leg"])) / stroke, -CAP, CAP)
        speed, acceleration = min(CAP, self._speed / float(p["leg_speed"])), min(CAP, self._acceleration / float(p["leg_acceleration"]))
        jerk = min(CAP, self._jerk / float(p["leg_jerk"]))
        return {
            "within": bool(low.min() >= 0.0 and high.max() <= 1.0 and max(speed, acceleration, jerk) <= 1.0),
            "stroke_low": low.round(4).tolist(),
            "stroke_high": high.round(4).tolist(),
            "speed": round(speed, 4),
            "acceleration": round(acceleration, 4),
            "jerk": round(jerk, 4),
        }


def _number(value: Any) -> float:
    """Return a finite float for JSON."""
    return CAP if math.isnan(value) else min(CAP, float(value))
