"""Common parts of the motion tests: shipped platforms and washouts, a hard drive, and a check of the legs."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.builder.builder import find_config, read_yaml
from washout.cueing import MotionCueing
from washout.platform import hexapod

H = 1e-3
G = 9.80665
REST = np.array([0.0, 0.0, G])
STILL = np.zeros(3)


def platform_mapping(name: str = "small_hexapod") -> dict[str, Any]:
    return read_yaml(find_config("platforms", name))


def platform(name: str = "small_hexapod") -> Any:
    return hexapod(platform_mapping(name), name)


def washout_mapping(name: str = "small_hexapod") -> dict[str, Any]:
    return read_yaml(find_config("washouts", name))


def cueing(name: str = "small_hexapod", platform_name: str = "small_hexapod", h: float = H) -> MotionCueing:
    return MotionCueing(washout_mapping(name), name, platform(platform_name), h)


def engaged(name: str = "small_hexapod", platform_name: str = "small_hexapod") -> MotionCueing:
    """Cueing that has risen, blended in and stands in neutral."""
    motion = cueing(name, platform_name)
    motion.procedure.arm()
    for _ in range(40000):
        motion.step(REST, STILL, True, H)
        if motion.procedure.state == "engaged":
            return motion
    raise AssertionError("the platform did not engage")


def hard_drive(count: int, h: float = H, seed: int = 5) -> np.ndarray:
    """(count, 3) specific force of a drive with throttle, braking to 6 m/s2, corners and road noise; the same for the same seed."""
    rng = np.random.default_rng(seed)
    t = np.arange(count) * h
    f = np.zeros((count, 3))
    for start, length, a in ((1, 5, 2.5), (8, 3, -6), (14, 5, 3), (21, 3, -6), (26, 4, 3)):
        f[:, 0] += a * (1 / (1 + np.exp(-(t - start) / 0.12)) - 1 / (1 + np.exp(-(t - start - length) / 0.12)))
    for start, length, a in ((3, 4, 4), (10, 3, -5), (18, 3, 5), (24, 4, -5)):
        f[:, 1] += a * np.sin(np.clip((t - start) / length, 0.0, 1.0) * np.pi)
    for frequency in rng.uniform(0.8, 6.0, 12):
        f[:, 2] += 0.4 * np.sin(2 * np.pi * frequency * t + rng.uniform(0, 6))
    return f + REST


def worst_use(p: Any, legs: np.ndarray, h: float = H) -> tuple[float, float, float]:
    """(stroke, speed, acceleration) of legs (n, 6) [m], as shares of the limits, from finite differences; at most 1 is inside."""
    middle = 0.5 * (p[0]["longest_leg"] + p[0]["shortest_leg"])
    half = 0.5 * (p[0]["longest_leg"] - p[0]["shortest_leg"])
    speed = np.diff(legs, axis=0) / h
    acceleration = np.diff(speed, axis=0) / h
    return (
        float(np.abs(legs - middle).max() / half),
        float(np.abs(speed).max(initial=0.0) / p[0]["leg_speed"]),
        float(np.abs(acceleration).max(initial=0.0) / p[0]["leg_acceleration"]),
    )


def worst_use_by_clock(p: Any, times: np.ndarray, legs: np.ndarray) -> tuple[float, float, float]:
    """The same of legs (n, 6) [m] seen at any `times` (n,) [s]: mean speeds, and their change from middle to middle."""
    gaps = np.diff(times)[:, None]
    speed = np.diff(legs, axis=0) / gaps
    acceleration = np.diff(speed, axis=0) / (0.5 * (gaps[1:] + gaps[:-1]))
    return (
        worst_use(p, legs)[0],
        float(np.abs(speed).max(initial=0.0) / p[0]["leg_speed"]),
        float(np.abs(acceleration).max(initial=0.0) / p[0]["leg_acceleration"]),
    )


def worst_jerk(p: Any, legs: np.ndarray, h: float = H) -> float:
    """Share of the leg jerk that legs (n, 6) [m] use, from their third differences; at most 1 is inside."""
    return float(np.abs(np.diff(legs, 3, axis=0)).max(initial=0.0) / h**3 / p[0]["leg_jerk"])


def worst_jerk_by_clock(p: Any, times: np.ndarray, legs: np.ndarray) -> float:
    """The same of legs seen at any `times` (n,) [s]: six times the third divided difference, a mean of the third derivative."""
    divided = legs
    for order in (1, 2, 3):
        divided = np.diff(divided, axis=0) / (times[order:] - times[:-order])[:, None]
    return float(6.0 * np.abs(divided).max(initial=0.0) / p[0]["leg_jerk"])
