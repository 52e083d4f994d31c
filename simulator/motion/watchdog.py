"""What a platform does with a stream, and without one: it moves by the wall clock, whatever comes and when.

Packets say where to go; only time moves the platform. Every step takes as long as passed since the step before, and ends in the
limiter, so that the legs keep their limits by the clock even if two hosts send, a backlog comes at once, or steps come late.

While packets come the platform follows them along a smooth curve (`pose_interpolation.py`). When they stop it acts alone:

- from the fifth missing packet or so it lets its motion run out softly and holds (*live*, and *fade* from 0.1 s);
- after 0.5 s of silence it returns to *neutral*;
- after 2 s it goes down and *parks*.

A last packet with the stop flag starts the return to neutral at once. When packets come again, the platform does not jump to
their pose: the difference fades. When the platform itself was held up, it does not make up for it: it brakes as its drives would,
and goes on from *fade*. Software is never the safety function; the emergency stop of a real platform is hard-wired.
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
from washout.limiter.limiter import brake_step, limit_step, limiter
from washout.platform import LARGEST_ANGLE
from washout.platform_state_machine import NEAR, SETTLED, ease

STILL = np.zeros(6)

LIVE, FADE, NEUTRAL, PARK = "live", "fade", "neutral", "park"

HOLD_AFTER, FADE_AFTER, NEUTRAL_AFTER, PARK_AFTER = 0.02, 0.1, 0.5, 2.0
"""s of silence."""

HOLD_AFTER_STEPS = 2.5
"""1. A slow stream is missed after this many of its intervals, if that is longer than HOLD_AFTER."""

HOLD_RATE = 20.0
"""rad/s. A motion at speed v runs out over 2 v / HOLD_RATE and decelerates by at most v HOLD_RATE / e. Larger: shorter, harder."""

RETURN_TIME = 4.0
"""s. Time in which it has gone 99 % of the way to neutral or to its rest. Shorter: rougher, still within the limits."""

CATCH_UP_TIME = 2.0
"""s. The same for the difference between the platform and a stream that begins or comes back."""

LONGEST_STEP = 0.05
"""s. After longer without a step the platform was held up: stopped by somebody, or starved of the processor."""

RESERVE = 0.95
"""1. Share of the legs' speed, acceleration and jerk that is used, so that one who looks with another clock finds them within theirs too."""

FASTEST = 2.0
"""1. Multiple of the leg speed up to which the speed of a stream is believed; beyond, it is a jump."""


def stage_of(silence: float, stopped: bool = False) -> str:
    """What to do after `silence` seconds without a packet; `stopped`: the last one said that there will be no more."""
    if silence >= PARK_AFTER:
        return PARK
    if silence >= NEUTRAL_AFTER or stopped:
        return NEUTRAL
    return FADE if silence >= FADE_AFTER else LIVE


class FollowingPlatform:
    """A platform behind a stream; starts parked. Call `follow` with every new packet, and `step` whenever time has passed."""

    def __init__(self, platform: Record) -> None:
        self.platform = platform
        self.limits = limiter(platform)
        """LIMITER record: pose, legs, leg speeds and accelerations of the platform."""
        self.stage = PARK
        self.stopped = False
        self.alone_now = True
        """Whether the platform moves by itself, not by the stream."""
        p = platform[0]
        self._reserved = platform.copy()
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
        self._fresh = False
        self._arrived = self._heard = -math.inf

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

    @property
    def lag(self) -> float:
        """Delay [s] with which the stream is followed."""
        return self._curve.lag

    def follow(self, packet: MotionPacket, now: float) -> None:
        """A packet, newer than all before, that came at `now` [s]. Nothing moves until the next step."""
        last, self._last = self._last, packet
        if packet.stop:
            self.stopped, self._heard = True, now
            self._let_go()
            return
        steps = packet.sequence - last.sequence if last is not None and last.stream == packet.stream else 0
        pose = _within(np.array(packet.pose), self._reach)
        self._arrived, self._fresh = now, True
        if not self.alone_now and not self._curve.joins(steps, packet.interval):
            self._let_go()
        if self.alone_now:
            # the speed of the stream shows with its next packets; until then the platform goes on by itself
            self._curve.add(pose, steps, packet.interval)
            if self._curve.ready:
                self._take_up()
        elif self._curve.foretells:
            before = self._read()
            self._curve.add(pose, steps, packet.interval)
            self._add_difference(before)
        else:
            self._curve.add(pose, steps, packet.interval)
        if not self.alone_now:
            self._heard = now

    def step(self, now: float, h: float) -> None:
        """The h seconds up to `now` [s] have passed."""
        if h > LONGEST_STEP:
            self._held_up(now, h)
            return
        silence = now - self._heard
        if not self.alone_now and silence >= self._patience:
            self._let_go()
        if self.alone_now:
            self._go_alone(silence, h)
        else:
            self._go_along(now, h)

    @property
    def _patience(self) -> float:
        """Silence [s] in which the next packet may only be late."""
        return min(FADE_AFTER, max(HOLD_AFTER, HOLD_AFTER_STEPS * self._curve.interval))

    def _held_up(self, now: float, h: float) -> None:
        """Nobody has moved the legs for h seconds. That is no silence of the stream, but what it said before is of no use any more."""
        brake_step(self._reserved, self.limits, h)
        self._let_go()
        self._glide_from_here()
        silence = max(FADE_AFTER, now - h - self._heard)
        self._heard = now - silence
        self.stage = self._stage(silence)

    def _stage(self, silence: float) -> str:
        stage = stage_of(silence, self.stopped)
        return PARK if stage == NEUTRAL and self.at_rest else stage  # at rest it need not rise to come down again

    def _take_up(self) -> None:
        """Follow the stream from here: what differs between it and the platform, in place and speed, fades."""
        self._curve.settle(0.0)
        self._difference[:] = 0.0
        self.alone_now = self.stopped = self._fresh = False
        self._add_difference((self.limits[0]["pose"], self.limits[0]["rates"]))

    def _let_go(self) -> None:
        """From here the platform moves by itself: to where its speed v and acceleration a fall as (v + (w v + a) t) exp(-w t)."""
        self._curve.forget()
        if not self.alone_now:
            self.alone_now = True
            self._glide_from_here()
            self._goal[:] = self._glide[0] + (2.0 * self._glide[1] + self._glide[2] / HOLD_RATE) / HOLD_RATE

    def _glide_from_here(self) -> None:
        self._glide[0] = self.limits[0]["pose"]
        self._glide[1] = self.limits[0]["rates"]
        # legs without a largest jerk may let their acceleration step to nothing
        self._glide[2] = self.limits[0]["accelerations"] if self.platform[0]["leg_jerk"] < math.inf else 0.0

    def _go_alone(self, silence: float, h: float) -> None:
        self.stage = self._stage(silence)
        if self.stage in (NEUTRAL, PARK):
            self._goal[:] = 0.0
            self._goal[2] = self.platform[0]["park_height"] if self.stage == PARK else 0.0
            _ease(self._glide, self._goal, SETTLED / RETURN_TIME, h)
        else:
            _ease(self._glide, self._goal, HOLD_RATE, h)
        limit_step(self._reserved, self.limits, self._glide[0], h)

    def _go_along(self, now: float, h: float) -> None:
        self.stage = LIVE
        self._curve.advance(h)
        _ease(self._difference, STILL, SETTLED / CATCH_UP_TIME, h)
        if self._fresh:
            self._fresh = False
            before = self._read()
            self._curve.pull(now - self._arrived)
            self._add_difference(before)
        limit_step(self._reserved, self.limits, self._read()[0] + self._difference[0], h)

    def _read(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Pose and rates of the curve, as far as they are believed."""
        pose, rates = self._curve.read()
        return _within(pose, self._reach), _within(rates, self._fastest)

    def _add_difference(self, before: tuple[NDArray[Any], NDArray[Any]]) -> None:
        """The curve was `before` (pose, rates) and is another now: the platform does not notice at once."""
        pose, rates = self._read()
        self._difference[0] += before[0] - pose
        self._difference[1] += before[1] - rates


def warm_up(platform: Record) -> None:
    """Compile what moves the platform before the first packet comes, not while packets wait."""
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
    """Move position, speed and acceleration (3, 6) of six coordinates towards `goal` (6,); see `ease`."""
    decay = math.exp(-w * h)
    for i in range(6):
        state[0, i], state[1, i], state[2, i] = ease(state[0, i], state[1, i], state[2, i], goal[i], w, h, decay)


def _within(values: NDArray[Any], bounds: NDArray[Any]) -> NDArray[Any]:
    return np.minimum(bounds, np.maximum(-bounds, values))
