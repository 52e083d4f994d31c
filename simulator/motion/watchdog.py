"""What a platform does with a stream, and without one.

While packets come it follows their poses. When they stop it acts alone, always within the limits of its legs:

- for 0.1 s it goes on waiting at the last pose;
- then it brakes and holds (*fade*);
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
from washout.limiter import brake_step, limit_step, limiter
from washout.procedure import NEAR, SETTLED, ease

LIVE, FADE, NEUTRAL, PARK = "live", "fade", "neutral", "park"

FADE_AFTER, NEUTRAL_AFTER, PARK_AFTER = 0.1, 0.5, 2.0
"""s of silence."""

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
        self._difference = np.zeros((3, 6))
        self._glide = np.zeros((3, 6))
        self._sequence = -1
        self._pose = np.zeros(6)

    @property
    def parked(self) -> bool:
        """Whether the platform is at its rest and nobody moves it."""
        return self.stage == PARK and self._at_rest()

    def _at_rest(self) -> bool:
        height = float(self.platform[0]["park_height"])
        pose = self.limits[0]["pose"]
        return bool(abs(pose[2] - height) < NEAR and np.abs(pose[[0, 1, 3, 4, 5]]).max() < NEAR)

    def follow(self, packet: MotionPacket) -> None:
        """Move to the pose of a packet in the time since the one before."""
        pose = np.array(packet.pose)
        fresh = self.stage != LIVE
        if fresh:
            self._difference[0] = self.limits[0]["pose"] - pose
            self._difference[1] = self.limits[0]["rates"]
            self._difference[2] = 0.0
            self._pose[:] = pose
        steps = 1 if fresh else max(1, min(packet.sequence - self._sequence, round(0.1 / packet.interval)))
        self.stage = LIVE
        self.stopped = packet.stop
        self._sequence = packet.sequence
        self._advance(pose, steps * packet.interval)

    def alone(self, silence: float, h: float) -> None:
        """A step of h seconds after `silence` seconds without a packet. Does nothing while the stream counts as alive."""
        stage = stage_of(silence, self.stopped)
        if stage == LIVE and self.stage == LIVE:
            return
        if stage == NEUTRAL and self._at_rest():
            stage = PARK  # it never left its rest, so it need not rise first
        if stage in (NEUTRAL, PARK) and self.stage in (LIVE, FADE):
            self._glide[0] = self.limits[0]["pose"]
            self._glide[1] = self.limits[0]["rates"]
            self._glide[2] = 0.0
        if not (stage in (LIVE, FADE) and self.stage in (NEUTRAL, PARK)):
            self.stage = stage
        if self.stage == FADE:
            brake_step(self.platform, self.limits, h)
            return
        goal = np.zeros(6)
        goal[2] = self.platform[0]["park_height"] if self.stage == PARK else 0.0
        _ease(self._glide, goal, SETTLED / RETURN_TIME, h)
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
