"""What a platform does with a stream, and without one.

While packets come it follows their poses. When they stop it acts alone, always within the limits of its legs:

- from the fifth missing packet or so it lets its motion run out softly and holds (*live*, and *fade* from 0.1 s);
- after 0.5 s of silence it returns to *neutral*;
- after 2 s it goes down and *parks*.

A last packet with the stop flag starts the return to neutral at once. When packets come again, the platform does not jump to
their pose: the difference fades. Software is never the safety function; the emergency stop of a real platform is hard-wired.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.motion.packets import MotionPacket
from washout.limiter import limit_step, limiter
from washout.procedure import NEAR, SETTLED, ease

LIVE, FADE, NEUTRAL, PARK = "live", "fade", "neutral", "park"

HOLD_AFTER, FADE_AFTER, NEUTRAL_AFTER, PARK_AFTER = 0.02, 0.1, 0.5, 2.0
"""s of silence."""

HOLD_RATE = 20.0
"""rad/s. A motion at speed v runs out over 2 v / HOLD_RATE and decelerates by at most v HOLD_RATE / e. Larger: shorter, harder."""

RETURN_TIME = 4.0
"""s. Time in which it has gone 99 % of the way to neutral or to its rest. Shorter: rougher, still within the limits."""

CATCH_UP_TIME = 2.0
"""s. The same for the difference between the platform and a stream that begins or comes back."""

LONGEST_STEP = 0.02
"""s. Longer intervals, after lost packets for instance, are taken in several steps."""


def stage_of(silence: float, stopped: bool = False) -> str:
    """What to do after `silence` seconds without a packet; `stopped`: the last one said that there will be no more."""
    if silence >= PARK_AFTER:
        return PARK
    if silence >= NEUTRAL_AFTER or stopped:
        return NEUTRAL
    return FADE if silence >= FADE_AFTER else LIVE


class FollowingPlatform:
    """A platform behind a stream; starts parked. Call `follow` with every new packet, and `alone` when it is time for a step without."""

    def __init__(self, platform: Record) -> None:
        self.platform = platform
        self.limits = limiter(platform)
        """LIMITER record: pose, legs, leg speeds and accelerations of the platform."""
        self.stage = PARK
        self.stopped = False
        self.alone_now = True
        """Whether the platform moves by itself, not by the stream."""
        self._glide = np.zeros((3, 6))
        self._goal = self.limits[0]["pose"].copy()
        self._glide[0] = self._goal
        self._difference = np.zeros((3, 6))
        self._pose = np.zeros(6)
        self._last: MotionPacket | None = None

    @property
    def parked(self) -> bool:
        """Whether the platform is at its rest and nobody moves it."""
        return self.stage == PARK and self.at_rest

    @property
    def at_rest(self) -> bool:
        """Whether the platform is down at its rest, whoever brought it there."""
        height = float(self.platform[0]["park_height"])
        pose = self.limits[0]["pose"]
        return bool(abs(pose[2] - height) < NEAR and np.abs(pose[[0, 1, 3, 4, 5]]).max() < NEAR)

    def follow(self, packet: MotionPacket) -> None:
        """Move to the pose of a packet in the time since the one before."""
        last, self._last = self._last, packet
        self.stopped = packet.stop
        neighbor = last is not None and last.stream == packet.stream and last.sequence < packet.sequence
        if self.alone_now and not (neighbor and self.stage == LIVE):
            # the speed of the stream shows with the second packet; until then the platform goes on by itself
            self.stage = LIVE
            self._glide_on(HOLD_RATE, packet.interval)
            return
        assert last is not None
        duration = min(0.1, max(1, packet.sequence - last.sequence) * packet.interval)
        pose = np.array(packet.pose)
        if self.alone_now:
            self._pose[:] = last.pose
            self._difference[0] = self.limits[0]["pose"] - self._pose
            self._difference[1] = self.limits[0]["rates"] - (pose - self._pose) / duration
            self._difference[2] = 0.0
            self.alone_now = False
        self.stage = LIVE
        self._advance(pose, duration)

    def alone(self, silence: float, h: float) -> None:
        """A step of h seconds after `silence` seconds without a packet. Does nothing while the next packet may only be late."""
        if silence < HOLD_AFTER and not self.stopped:
            return
        if not self.alone_now:
            self._let_go()
        stage = stage_of(silence, self.stopped)
        self.stage = PARK if stage == NEUTRAL and self.at_rest else stage  # at rest it need not rise to come down again
        if self.stage in (NEUTRAL, PARK):
            self._goal[:] = 0.0
            self._goal[2] = self.platform[0]["park_height"] if self.stage == PARK else 0.0
            self._glide_on(SETTLED / RETURN_TIME, h)
        else:
            self._glide_on(HOLD_RATE, h)

    def _let_go(self) -> None:
        """From here the platform moves by itself: to where its speed v falls as v (1 + w t) exp(-w t)."""
        self.alone_now = True
        self._glide[0] = self.limits[0]["pose"]
        self._glide[1] = self.limits[0]["rates"]
        self._glide[2] = 0.0
        self._goal[:] = self._glide[0] + 2.0 / HOLD_RATE * self._glide[1]

    def _glide_on(self, w: float, h: float) -> None:
        _ease(self._glide, self._goal, w, h)
        limit_step(self.platform, self.limits, self._glide[0], h)

    def _advance(self, pose: NDArray[Any], duration: float) -> None:
        """Move to `pose` plus what is left of the difference, in steps short enough for the limiter."""
        count = max(1, math.ceil(duration / LONGEST_STEP - 1e-9))
        h = duration / count
        start = self._pose.copy()
        for k in range(count):
            self._pose[:] = start + (k + 1) / count * (pose - start)
            _ease(self._difference, np.zeros(6), SETTLED / CATCH_UP_TIME, h)
            limit_step(self.platform, self.limits, self._pose + self._difference[0], h)


def _ease(state: NDArray[Any], goal: NDArray[Any], w: float, h: float) -> None:
    """Move position, speed and acceleration (3, 6) of six coordinates towards `goal` (6,); see `ease`."""
    decay = math.exp(-w * h)
    for i in range(6):
        state[:, i] = ease(state[0, i], state[1, i], state[2, i], goal[i], w, h, decay)
