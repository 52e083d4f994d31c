"""Kernels that washouts share: scaled and split input, missing acceleration, tilt, attitude and pose of the platform.

The frames are those of `washout.classical`.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import inline
from washout.discrete_filter import discrete

G = STANDARD_GRAVITY
"""m/s2. Gravity at the location of the platform, independent of the world of the vehicle; the reference for tilt."""

TILT_TIME = 0.04
"""s. Time constant of a tilt that neither rate nor acceleration limit. Shorter: more jerk of the legs."""
MAX_TILT_TIME = 0.4
"""1. Upper bound of that time constant, as a fraction of the time to reach the maximum rate."""
BRAKE = 0.8
"""1. Fraction of the acceleration for planned braking; the rest prevents overshoot."""

SLOW_TILT_TIME = 1.0
"""s. Time constant of the non-urgent part of a tilt. Shorter: the tilt follows small forces more closely."""

SPLIT = (
    # name          shape   unit            description
    ("slower", (6,), "m/s2, rad/s", "slow part of the scaled force and rate"),
    ("slower_in", (6,), "m/s2, rad/s", "scaled force and rate in the previous tick"),
)
"""State of the filter that separates fast from slow parts."""

POSE = (
    # name                    shape   unit      description
    ("position", (3,), "m", "position of the platform reference point relative to neutral, in N"),
    ("angles", (3,), "rad", "roll, pitch, yaw of the platform, R_NP = Rz(yaw) Ry(pitch) Rx(roll)"),
    ("velocity", (3,), "m/s", "backward difference of the position"),
    ("angle_rates", (3,), "rad/s", "backward difference of the angles"),
    ("acceleration", (3,), "m/s2", "backward difference of the velocity"),
    ("angle_accelerations", (3,), "rad/s2", "backward difference of the angle rates"),
)


@inline
def scaled(value, gain, limit, knee):
    """Return gain x value up to the fraction `knee` of the limit, then y = k + (L - k) tanh((gain |value| - k) / (L - k)), which approaches the limit."""
    target = gain * value
    free = knee * limit
    if abs(target) <= free:
        return target
    remaining = limit - free
    if remaining <= 0.0:
        return math.copysign(limit, target)
    return math.copysign(free + remaining * math.tanh((abs(target) - free) / remaining), target)


def fast_weights(frequency: float, h: float) -> tuple[float, np.ndarray]:
    """Return (A, b (2,)) of the first-order low-pass for the slow part, for ticks of h [s]."""
    A, b = discrete([[-frequency]], [frequency], h)
    return float(A[0, 0]), b[0]


@inline
def less_fast(slower, slower_in, k, value, A, b, share):
    """Return a value with its fast part multiplied by `share`.

    Advances row k of slower and slower_in (of SPLIT) by one tick; A, b : result of `fast_weights`.
    """
    slower[k] = A * slower[k] + b[0] * slower_in[k] + b[1] * value
    slower_in[k] = value
    return value - (1.0 - share) * (value - slower[k])


@inline
def not_yet_shown(fx, fy, fz, roll, pitch, yaw, heave_by_tilt):
    """Return the acceleration (3,) [m/s2] in N that a platform of this attitude lacks: R_NP f - (0, 0, g), f = (fx, fy, fz + g).

    The vertical contribution of fz is included completely. The rest is due to tilt: the g (1 - cos roll cos pitch) along its own axis that any
    tilted platform lacks, and, while a tilt is delayed, the slope of the direction of fx and fy. The fraction `heave_by_tilt` of the rest is included.
    The complete rest would cause a heave of 0.15 m of a large platform in corners and braking on a level road, without improving the force along the axis.
    """
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    y1 = cr * fy - sr * (fz + G)
    z1 = sr * fy + cr * (fz + G)
    x2 = cp * fx + sp * z1
    up = cr * cp * fz
    return cy * x2 - sy * y1, sy * x2 + cy * y1, up + heave_by_tilt * (cp * z1 - sp * fx - G - up)


@inline
def follow_angle(angle, speed, target, most, a, calm, h):
    """Return (angle, speed) after h seconds of tracking an angle, with a speed of at most `most` [rad/s] and an acceleration of at most a [rad/s2].

    Far from the target, the speed is the maximum from which braking is possible. Close to it, where this speed would exceed error / T, the error decays with
    both poles at 2 / T. The acceleration then changes smoothly for any target signal, so that the legs need little jerk. T is TILT_TIME, or less if
    the acceleration limit is large; without a limit, the target is reached after one tick.

    Of an error, sqrt(error^2 + calm^2) - calm is reduced fast: error^2 / (2 calm) of an error that is small compared with `calm` [rad], all except `calm` of
    a large error. The rest decays within SLOW_TILT_TIME.
    """
    error = target - angle
    time = max(h, min(TILT_TIME, MAX_TILT_TIME * most / a))
    brake = BRAKE * a
    bend = brake * time * time
    off, part = abs(error), h / time
    need = math.sqrt(off * off + calm * calm) - calm
    rate = need / time if need <= bend else math.sqrt(brake * (2.0 * need - bend))
    rate = min(most, rate + (off - need) / SLOW_TILT_TIME)
    change = (math.copysign(rate, error) - speed) * 4.0 * part / ((1.0 + part) * (1.0 + part))  # poles are equal at any tick
    speed += min(a * h, max(-a * h, change))
    return angle + h * speed, speed


@inline
def attitude_rates(wx, wy, wz, roll, pitch):
    """Return the rates of roll, pitch and yaw of a platform that rotates with (wx, wy, wz) [rad/s] in its own axes."""
    cr, sr = math.cos(roll), math.sin(roll)
    yaw_rate = (sr * wy + cr * wz) / max(0.2, math.cos(pitch))
    return wx + math.sin(pitch) * yaw_rate, cr * wy - sr * wz, yaw_rate


@inline
def about_head(p_PH, p_NH, roll, pitch, yaw):
    """Return the position (x, y, z) [m] of the reference point when the head (3,) has moved by p_NH, a tuple [m]: p_NH - (R_NP p_PH - p_PH)."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    hx, hy, hz = p_PH[0], p_PH[1], p_PH[2]
    y1 = cr * hy - sr * hz
    z1 = sr * hy + cr * hz
    x2 = cp * hx + sp * z1
    return (
        p_NH[0] - (cy * x2 - sy * y1 - hx),
        p_NH[1] - (sy * x2 + cy * y1 - hy),
        p_NH[2] - (cp * z1 - sp * hx - hz),
    )


@inline
def move_to(out, position, angles, h):
    """Update a POSE record to the pose h seconds later."""
    for i in range(3):
        velocity = (position[i] - out[0]["position"][i]) / h
        rate = (angles[i] - out[0]["angles"][i]) / h
        out[0]["acceleration"][i] = (velocity - out[0]["velocity"][i]) / h
        out[0]["angle_accelerations"][i] = (rate - out[0]["angle_rates"][i]) / h
        out[0]["velocity"][i] = velocity
        out[0]["angle_rates"][i] = rate
        out[0]["position"][i] = position[i]
        out[0]["angles"][i] = angles[i]
