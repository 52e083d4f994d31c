"""Shaping of inputs: dead zones, curves, ranges and rates. Pure functions of numbers and simulated time.

Steering is a fraction of full lock in [-1, 1], + = left. Pedals are in [0, 1]. A raw axis is in [-1, 1] as in SDL.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulator.base.field_classes import entry
from simulator.base.fields import Number
from simulator.driver.input_devices.handling import HMMWV, Handling

SECONDS = Number("s", 0.0, 10.0, above=0.0)

LONGEST_STEP = 0.1
"""s. Maximum time step between two reads, so that a pause of the program does not become a jump of the steering wheel."""


@dataclass(frozen=True, kw_only=True)
class SteeringFeel:
    """Steering by a key or a stick, which has no absolute angle.

    A larger lateral acceleration makes the vehicle nervous; with a smaller one it cannot take tight bends.
    """

    lateral_acceleration: float | None = entry(
        Number("m/s2", 0.1, 50.0),
        "lateral acceleration at full deflection and high speed (default: by track and height of the vehicle)",
        None,
    )
    turning_radius: float | None = entry(
        Number("m", 0.5, 100.0), "turning radius at full lock for this range (default: that of the vehicle)", None
    )
    wheel_speed: float = entry(
        Number("rad/s", math.radians(30.0), math.radians(7200.0)),
        "largest speed of the steering wheel of the vehicle",
        math.radians(720.0),
        written="degps",
    )
    time_to_full: float = entry(SECONDS, "time from the center to the end of the range", 0.6)
    time_to_center: float = entry(SECONDS, "time from the end of the range to the center", 0.35)
    dead_zone: float = entry(Number("1", 0.0, 1.0, below=1.0), "fraction of the stick travel without effect; not for keys", 0.0)
    curve: float = entry(Number("1", 0.0, 1.0), "shape of the response, 0 = linear, 1 = cubic (finer near the center)", 0.0)


@dataclass(frozen=True, kw_only=True)
class PedalFeel:
    """Movement of a pedal by a key."""

    press: float = entry(SECONDS, "time from released to fully pressed while the key is down", 0.6)
    release: float = entry(SECONDS, "time from fully pressed to released", 0.2)
    slip: float = entry(
        Number("1", 0.02, 1.0), "slip of the tires above which a driver does not press the pedal further; 1: full pedal", 1.0
    )


def clip(value: float, low: float, high: float) -> float:
    """Return `value` clipped to [low, high]; `low` for NaN."""
    return min(high, value) if value > low else low


def elapsed(before: float | None, t: float) -> float:
    """Return the simulated time between two reads in s, in [0, LONGEST_STEP]; 0 at the first read, for decreasing time and for NaN."""
    return 0.0 if before is None else clip(t - before, 0.0, LONGEST_STEP)


def approach(value: float, target: float, step: float) -> float:
    """Return `value` moved toward `target` by at most `step` (>= 0)."""
    return target if abs(target - value) <= step else value + math.copysign(step, target - value)


def dead_zone(x: float, zone: float) -> float:
    """Return x in [-1, 1] with a dead zone |x| <= zone; the rest is stretched, so that the result is continuous and reaches 1."""
    return math.copysign(max(0.0, abs(x) - zone) / (1.0 - zone), x)


def response_curve(x: float, curve: float) -> float:
    """Return (1 - curve) x + curve x^3: monotonic, odd, 1 at 1; the slope at the center is 1 - curve."""
    return (1.0 - curve) * x + curve * x * x * x


def steering_range(speed: float, feel: SteeringFeel, handling: Handling = HMMWV) -> float:
    """Return the fraction of full lock that is available at `speed` (m/s).

        range = (1 + K v^2 / L) / sqrt(1 + (v^2 / (a R))^2), at most 1

    1 at standstill, and strictly falling with the speed below 1. At high speed it is the steering of the lateral acceleration a, with the
    radius R at full lock, the understeer K and the length L of the vehicle. Continuous. The maximum of 1 acts at walking speed, where an
    understeering vehicle would need more than full lock for the circle of a slow turn.
    """
    lateral = handling.lateral_acceleration if feel.lateral_acceleration is None else feel.lateral_acceleration
    radius = handling.turning_radius if feel.turning_radius is None else feel.turning_radius
    ratio = speed * speed / (lateral * radius)
    return min(1.0, handling.angle_over_neutral(speed) / math.sqrt(1.0 + ratio * ratio))


def key_steering(steering: float, direction: float, speed: float, dt: float, feel: SteeringFeel, handling: Handling = HMMWV) -> float:
    """Return the next steering for a pressed steering key (`direction` +1 left, -1 right) or none (0); the return ramp is faster."""
    reach = steering_range(speed, feel, handling)
    returning = direction == 0.0 or direction * steering < 0.0 or abs(steering) > reach
    return approach(steering, direction * reach, dt * _rate(steering, reach, returning, feel, handling))


def stick_steering(steering: float, x: float, speed: float, dt: float, feel: SteeringFeel, handling: Handling = HMMWV) -> float:
    """Return the next steering for a stick at x in [-1, 1], + = left: dead zone, curve, range at this speed, then the rate limit."""
    reach = steering_range(speed, feel, handling)
    target = reach * response_curve(dead_zone(x, feel.dead_zone), feel.curve)
    returning = abs(target) < abs(steering) or target * steering < 0.0
    return approach(steering, target, dt * _rate(steering, reach, returning, feel, handling))


def _rate(steering: float, reach: float, returning: bool, feel: SteeringFeel, handling: Handling) -> float:
    """Return the maximum steering rate in 1/s: of the range, but not above the speed of the hands on the steering wheel.

    It is higher for a return from beyond the reach, after the speed has increased.
    """
    rate = max(reach, abs(steering)) / feel.time_to_center if returning else reach / feel.time_to_full
    return min(rate, feel.wheel_speed / handling.steering_wheel_lock)


def key_pedal(pedal: float, down: bool, dt: float, feel: PedalFeel) -> float:
    """Return the next position of a pedal that is operated by a key."""
    return approach(pedal, 1.0, dt / feel.press) if down else approach(pedal, 0.0, dt / feel.release)


def wheel_steering(x: float, ratio: float) -> float:
    """Return the steering for a steering wheel at x in [-1, 1] of its travel; `ratio` = its rotation from lock to lock / the vehicle's.

    Around the center, the angles of device and vehicle are equal. A wheel with more rotation than the vehicle's ends at the vehicle's lock.
    A wheel with less rotation is progressive, ratio x + (1 - ratio) x^3, so that it also reaches full lock.
    """
    if ratio >= 1.0:
        return clip(ratio * x, -1.0, 1.0)
    return response_curve(x, 1.0 - ratio)


def axis_to_steering(raw: float, left: float, center: float, right: float, zone: float = 0.0) -> float:
    """Return the position of a wheel or stick in [-1, 1], + = left, from the raw values at its left end, center and right end."""
    offset = raw - center
    x = offset / (left - center) if offset * (left - center) > 0.0 else -offset / (right - center)
    return dead_zone(clip(x, -1.0, 1.0), zone)


def axis_to_pedal(raw: float, released: float, pressed: float, zone: float = 0.0) -> float:
    """Return the position of a pedal in [0, 1] from the raw values at both ends, in either order; `zone`: initial travel without effect."""
    return dead_zone(clip((raw - released) / (pressed - released), 0.0, 1.0), zone)
