"""Behavior of a platform with and without a stream: it moves by the wall clock, independent of the arrival of packets.

Packets give the target; only time moves the platform. Every step lasts as long as the time since the previous step, and ends in the
limiter. The legs therefore keep their limits in real time even if two hosts send, a backlog arrives at once, or steps are late.

While packets arrive, the platform follows them along a smooth curve (`pose_interpolation.py`). When they stop, the platform acts alone:

- from about the fifth missing packet, it lets its motion decay smoothly and holds its pose (*live*, and *fade* from 0.1 s);
- after 0.5 s of silence, it returns to *neutral*;
- after 2 s, it goes down and *parks*.

A last packet with the stop flag starts the return to neutral at once. When packets arrive again, the platform does not jump to
their pose: the difference fades. If the steps of the platform itself were delayed, it does not catch up: it brakes as its drives would,
and continues from *fade*. Software is never the safety function; the emergency stop of a real platform is hard-wired.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import kernel
from simulator.base.records import Record
from simulator.motion.pose_interpolation import PoseCurve
from simulator.motion.protocols.native_packet import MotionPacket
from washout.cueing import limiter_records
from washout.limiter.limiter import brake_step, limit_step
from washout.platform import LARGEST_ANGLE
from washout.platform_state_machine import NEAR, SETTLED, ease

STILL = np.zeros(6)

LIVE, FADE, NEUTRAL, PARK = "live", "fade", "neutral", "park"

HOLD_AFTER, FADE_AFTER, NEUTRAL_AFTER, PARK_AFTER = 0.02, 0.1, 0.5, 2.0
"""Durations of silence [s]."""

HOLD_AFTER_STEPS = 2.5
"""1. Number of intervals of a slow stream after which it counts as silent, if longer than HOLD_AFTER."""

HOLD_RATE = 20.0
"""rad/s. A motion at speed v decays over 2 v / HOLD_RATE and decelerates by at most v HOLD_RATE / e. Larger: shorter, harder."""

RETURN_TIME = 4.0
"""Time [s] for 99 % of the path to neutral or to the rest pose. Shorter: less smooth, still within the limits."""

CATCH_UP_TIME = 2.0
"""Time [s] for 99 % of the difference between the platform and a stream that begins or returns."""

LONGEST_STEP = 0.05
"""Step [s] above which the platform counts as delayed: suspended, or without processor time."""

RESERVE = 0.95
"""1. Used fraction of the limits of leg speed, acceleration and jerk, so that a measurement by another clock finds them satisfied too."""

FASTEST = 2.0
"""1. Multiple of the leg speed up to which the speed of a stream is accepted; a faster change is a jump."""


def stage_of(silence: float, stopped: bool = False) -> str:
    """Return the stage after `silence` seconds without a packet; `stopped`: the last packet had the stop flag."""
    if silence >= PARK_AFTER:
        return PARK
    if silence >= NEUTRAL_AFTER or stopped:
        return NEUTRAL
    return FADE if silence >= FADE_AFTER else LIVE


class FollowingPlatform:
    """Platform that follows a stream; it starts parked. Call `follow` with every new packet, and `step` whenever time has passed."""

    def __init__(self, platform: Record) -> None:
        self.platform = platform
        self._reserved, self.limits = limiter_records(platform)
        """Fields of LIMITER: pose, legs, leg speeds and accelerations of the platform."""
        self.stage = PARK
        self.stopped = False
        self.without_stream = True
        """True if the platform moves independently of the stream."""
        p = platform[0]
        self._reserved[0]["leg_speed"] *= RESERVE
        self._reserved[0]["leg_acceleration"] *= RESERVE
        self._reserved[0]["leg_jerk"] *= RESERVE
        self._reach = np.repeat([float(p["longest_leg"]), LARGEST_ANGLE], 3)
        self._fastest = np.repeat([1.0, 1.0 / float(p["reach"])], 3) * FASTEST * float(p["leg_speed"])
        self._glide = np.zeros((3, 6))
        self._goal = self.limits[0]["pose"].copy()
        self._glide[0] = self._goal
        self._curve = PoseCurve()
        self._difference = np.zeros((3, 6))
        self._last: MotionPacket | None = None
        self._has_new_packet = False
        self._arrived = self._last_contact = -math.inf

    @property
    def parked(self) -> bool:
        """True if the platform is in its rest pose and parked."""
        return self.stage == PARK and self.at_rest

    @property
    def at_rest(self) -> bool:
        """True if the platform is down in its rest pose, in any stage."""
        height = float(self.platform[0]["park_height"])
        pose = self.limits[0]["pose"]
        return bool(abs(pose[2] - height) < NEAR and np.abs(pose[[0, 1, 3, 4, 5]]).max() < NEAR)

    @property
    def lag(self) -> float:
        """Delay [s] between the stream and the platform."""
        return self._curve.lag

    def follow(self, packet: MotionPacket, now: float) -> None:
        """Process a packet, newer than all before, that arrived at `now` [s]. The platform moves only in the next step."""
        last, self._last = self._last, packet
        if packet.stop:
            self.stopped, self._last_contact = True, now
            self._leave_stream()
            return
        steps = packet.sequence - last.sequence if last is not None and last.stream == packet.stream else 0
        pose = _within(np.array(packet.pose), self._reach)
        self._arrived, self._has_new_packet = now, True
        if not self.without_stream and not self._curve.joins(steps, packet.interval):
            self._leave_stream()
        if self.without_stream:
            # the speed of the stream is known after its next packets; until then the platform continues alone
            self._curve.add(pose, steps, packet.interval)
            if self._curve.ready:
                self._follow_stream()
        elif self._curve.is_predicting:
            before = self._read()
            self._curve.add(pose, steps, packet.interval)
            self._add_difference(before)
        else:
            self._curve.add(pose, steps, packet.interval)
        if not self.without_stream:
            self._last_contact = now

    def step(self, now: float, h: float) -> None:
        """Move the platform for the h seconds up to `now` [s]."""
        if h > LONGEST_STEP:
            self._brake_after_delay(now, h)
            return
        silence = now - self._last_contact
        if not self.without_stream and silence >= self._lateness_limit:
            self._leave_stream()
        if self.without_stream:
            self._step_without_stream(silence, h)
        else:
            self._step_along(now, h)

    @property
    def _lateness_limit(self) -> float:
        """Silence [s] in which the next packet counts as late only."""
        return min(FADE_AFTER, max(HOLD_AFTER, HOLD_AFTER_STEPS * self._curve.interval))

    def _brake_after_delay(self, now: float, h: float) -> None:
        """Brake the legs after h seconds without a step. The stream was not silent, but its earlier packets are obsolete."""
        brake_step(self._reserved, self.limits, h)
        self._leave_stream()
        self._glide_from_here()
        silence = max(FADE_AFTER, now - h - self._last_contact)
        self._last_contact = now - silence
        self.stage = self._stage(silence)

    def _stage(self, silence: float) -> str:
        stage = stage_of(silence, self.stopped)
        return PARK if stage == NEUTRAL and self.at_rest else stage  # at rest, the platform need not rise and park again

    def _follow_stream(self) -> None:
        """Follow the stream from now on: the difference in position and speed between stream and platform fades."""
        self._curve.settle(0.0)
        self._difference[:] = 0.0
        self.without_stream = self.stopped = self._has_new_packet = False
        self._add_difference((self.limits[0]["pose"], self.limits[0]["rates"]))

    def _leave_stream(self) -> None:
        """Move without the stream from now on, to where speed v and acceleration a decay as (v + (w v + a) t) exp(-w t)."""
        self._curve.restart()
        if not self.without_stream:
            self.without_stream = True
            self._glide_from_here()
            self._goal[:] = self._glide[0] + (2.0 * self._glide[1] + self._glide[2] / HOLD_RATE) / HOLD_RATE

    def _glide_from_here(self) -> None:
        self._glide[0] = self.limits[0]["pose"]
        self._glide[1] = self.limits[0]["rates"]
        # legs without a jerk limit may step their acceleration to zero
        self._glide[2] = self.limits[0]["accelerations"] if self.platform[0]["leg_jerk"] < math.inf else 0.0

    def _step_without_stream(self, silence: float, h: float) -> None:
        self.stage = self._stage(silence)
        if self.stage in (NEUTRAL, PARK):
            self._goal[:] = 0.0
            self._goal[2] = self.platform[0]["park_height"] if self.stage == PARK else 0.0
            _ease(self._glide, self._goal, SETTLED / RETURN_TIME, h)
        else:
            _ease(self._glide, self._goal, HOLD_RATE, h)
        limit_step(self._reserved, self.limits, self._glide[0], h)

    def _step_along(self, now: float, h: float) -> None:
        self.stage = LIVE
        self._curve.advance(h)
        _ease(self._difference, STILL, SETTLED / CATCH_UP_TIME, h)
        if self._has_new_packet:
            self._has_new_packet = False
            before = self._read()
            self._curve.pull(now - self._arrived)
            self._add_difference(before)
        limit_step(self._reserved, self.limits, self._read()[0] + self._difference[0], h)

    def _read(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return pose and rates of the curve, limited to accepted values."""
        pose, rates = self._curve.read()
        return _within(pose, self._reach), _within(rates, self._fastest)

    def _add_difference(self, before: tuple[NDArray[Any], NDArray[Any]]) -> None:
        """Add the change of the curve from `before` (pose, rates) to the fading difference, so that the platform does not jump."""
        pose, rates = self._read()
        self._difference[0] += before[0] - pose
        self._difference[1] += before[1] - rates


def warm_up(platform: Record) -> None:
    """Compile the kernels that move the platform before the first packet arrives."""
    body, h = FollowingPlatform(platform), 0.004
    rest = body.limits[0]["pose"].tolist()
    zero = (0.0, 0.0, 0.0)
    now = 0.0
    for k in range(6):
        now += h
        body.follow(
            MotionPacket(
                sequence=k,
                stream=0,
                state=1,
                run=False,
                interval=h,
                time=0.0,
                force=zero,
                rates=zero,
                pose=rest,
                legs=body.limits[0]["legs"].tolist(),
            ),
            now,
        )
        body.step(now, h)
    for silence in (FADE_AFTER, NEUTRAL_AFTER, PARK_AFTER):
        body.step(now + silence, h)
    body.step(now + PARK_AFTER + 1.0, 1.0)


@kernel
def _ease(state, goal, w, h):
    """Move position, speed and acceleration (3, 6) of six coordinates toward `goal` (6,); see `ease`."""
    decay = math.exp(-w * h)
    for i in range(6):
        state[0, i], state[1, i], state[2, i] = ease(state[0, i], state[1, i], state[2, i], goal[i], w, h, decay)


def _within(values: NDArray[Any], bounds: NDArray[Any]) -> NDArray[Any]:
    return np.minimum(bounds, np.maximum(-bounds, values))
