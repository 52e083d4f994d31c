"""From fingers and feet to a command: dead zones, curves, ranges and rates. Pure functions of numbers and of simulated time.

Steering is a share of full lock in [-1, 1], + = left. Pedals are in [0, 1]. A raw axis is in [-1, 1] as SDL gives it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulator.base.fields import Number, entry

SECONDS = Number("s", 0.0, 10.0, above=0.0)

LONGEST_STEP = 0.1
"""s. A longer gap between two reads counts as this much, so that a stall of the program does not turn into a jump of the wheel."""


@dataclass(frozen=True, kw_only=True)
class SteeringFeel:
    """How a key or a stick, which has no angle of its own, moves the steering wheel.

    A larger lateral acceleration makes the vehicle nervous; with a smaller one it no longer makes tight bends.
    """

    lateral_acceleration: float = entry(Number("m/s2", 0.1, 50.0), "that the full deflection asks for at speed", 4.5)
    turning_radius: float = entry(Number("m", 0.5, 100.0), "of the vehicle at full lock", 7.6)
    time_to_full: float = entry(SECONDS, "from the center to the end of the range", 0.6)
    time_to_center: float = entry(SECONDS, "from the end of the range back to the center", 0.35)
    dead_zone: float = entry(Number("1", 0.0, 1.0, below=1.0), "share of a stick's travel that does nothing; keys have none", 0.0)
    curve: float = entry(Number("1", 0.0, 1.0), "0 = linear, 1 = cubic: finer near the center", 0.0)


@dataclass(frozen=True, kw_only=True)
class PedalFeel:
    """How a key, which is up or down, moves a pedal."""

    press: float = entry(SECONDS, "from released to the floor while the key is down", 0.6)
    release: float = entry(SECONDS, "from the floor to released", 0.2)


def clip(value: float, low: float, high: float) -> float:
    """`value` held within [low, high]; NaN gives `low`."""
    return min(high, value) if value > low else low


def elapsed(before: float | None, t: float) -> float:
    """Simulated time between two reads in s, within [0, LONGEST_STEP]; 0 at the first read, when time went back, or when t is NaN."""
    return 0.0 if before is None else clip(t - before, 0.0, LONGEST_STEP)


def approach(value: float, target: float, step: float) -> float:
    """`value` moved toward `target` by at most `step` (>= 0)."""
    return target if abs(target - value) <= step else value + math.copysign(step, target - value)


def dead_zone(x: float, zone: float) -> float:
    """x in [-1, 1] with the part |x| <= zone taken out and the rest stretched, so that the result starts at 0 and still reaches 1."""
    return math.copysign(max(0.0, abs(x) - zone) / (1.0 - zone), x)


def response_curve(x: float, curve: float) -> float:
    """(1 - curve) x + curve x^3: monotonic, odd, 1 at 1; the slope at the center is 1 - curve."""
    return (1.0 - curve) * x + curve * x * x * x


def steering_range(speed: float, feel: SteeringFeel) -> float:
    """Share of full lock within reach at `speed` (m/s).

        range = 1 / sqrt(1 + (v^2 / (a R))^2)

    1 at standstill; a R / v^2 at high speed, which is the curvature of lateral acceleration a, with R the radius at full lock and
    neutral steering assumed (an understeering vehicle needs more angle and so gets less acceleration). Smooth, no threshold.
    """
    ratio = speed * speed / (feel.lateral_acceleration * feel.turning_radius)
    return 1.0 / math.sqrt(1.0 + ratio * ratio)


def key_steering(steering: float, direction: float, speed: float, dt: float, feel: SteeringFeel) -> float:
    """Next steering when a steering key is held (`direction` +1 left, -1 right) or none is (0): a ramp out, a quicker ramp home."""
    reach = steering_range(speed, feel)
    homeward = direction == 0.0 or direction * steering < 0.0 or abs(steering) > reach
    return approach(steering, direction * reach, dt * _rate(steering, reach, homeward, feel))


def stick_steering(steering: float, x: float, speed: float, dt: float, feel: SteeringFeel) -> float:
    """Next steering for a stick at x in [-1, 1], + = left: dead zone, curve, range at this speed, then the rate limit."""
    reach = steering_range(speed, feel)
    target = reach * response_curve(dead_zone(x, feel.dead_zone), feel.curve)
    homeward = abs(target) < abs(steering) or target * steering < 0.0
    return approach(steering, target, dt * _rate(steering, reach, homeward, feel))


def _rate(steering: float, reach: float, homeward: bool, feel: SteeringFeel) -> float:
    """Largest rate of the steering in 1/s; on the way home from beyond the reach, when the vehicle has become faster, it is higher."""
    return max(reach, abs(steering)) / feel.time_to_center if homeward else reach / feel.time_to_full


def key_pedal(pedal: float, down: bool, dt: float, feel: PedalFeel) -> float:
    """Next position of a pedal worked by a key."""
    return approach(pedal, 1.0, dt / feel.press) if down else approach(pedal, 0.0, dt / feel.release)


def wheel_steering(x: float, ratio: float) -> float:
    """Steering for a steering wheel at x in [-1, 1] of its own travel; `ratio` = its rotation from lock to lock / the vehicle's.

    Angle for angle around the center in both cases. A wheel that turns further than the vehicle's stops at the vehicle's lock;
    one that turns less is progressive toward its end, ratio x + (1 - ratio) x^3, so that it reaches full lock too.
    """
    if ratio >= 1.0:
        return clip(ratio * x, -1.0, 1.0)
    return response_curve(x, 1.0 - ratio)


def axis_to_steering(raw: float, left: float, center: float, right: float, zone: float = 0.0) -> float:
    """Position of a wheel or stick in [-1, 1], + = left, from the raw values at its left end, center and right end."""
    offset = raw - center
    x = offset / (left - center) if offset * (left - center) > 0.0 else -offset / (right - center)
    return dead_zone(clip(x, -1.0, 1.0), zone)


def axis_to_pedal(raw: float, released: float, pressed: float, zone: float = 0.0) -> float:
    """Position of a pedal in [0, 1] from the raw values at both ends, in either order; the first `zone` of its travel does nothing."""
    return dead_zone(clip((raw - released) / (pressed - released), 0.0, 1.0), zone)
