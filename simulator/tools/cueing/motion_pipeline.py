"""Complete motion chain: washout, platform state machine, limiter and actuators, from the motion of the car to the motion of the head.

The perceived motion follows from the actual pose of the platform, not from the state of a washout. Position and attitude are
differentiated at the head,

    f_H_P = R_NP^T (d2 p_NH / dt2 + g e_z),   p_NH = p_NP + R_NP p_PH,   w_NP_P from the rates of roll, pitch and yaw,

by central differences, which have no delay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.base.jit import kernel
from simulator.base.records import Record
from washout.cueing import MotionCueing, cueing_step
from washout.platform_state_machine import BLEND, ENGAGED, KNEE
from washout.plugin_runner import WashoutRunner

ENGAGING = 120.0
"""s. Time limit for the platform to rise."""
SETTLING = 5.0
"""s after the washout counts as blended in, until its blending factor is 1 to within rounding."""

INNER = 0.02
"""s between two samples of the internal values of a washout."""
INNER_PREFIX = "washout_"
"""Prefix of the columns that a washout logs."""

G = STANDARD_GRAVITY


@dataclass(frozen=True)
class PlatformMotion:
    """Motion of a platform in ticks of h [s]."""

    h: float
    pose: Array
    """(n, 6) x, y, z [m], roll, pitch, yaw [rad] of P in N, actuators included."""
    legs: Array
    """(n, 6) commanded leg lengths [m]."""
    limited: NDArray[np.int64]
    """(n,) `limited` of the limiter: 0 where the limiter was inactive."""
    drawn: NDArray[np.bool_]
    """(n,) where the state machine reduced the pose because the stroke limit is near."""
    inner: Mapping[str, Array] = field(default_factory=dict)
    """(m,) by name: values that the washout logs, every INNER; empty for a washout that logs no values."""


@dataclass(frozen=True)
class Felt:
    """Motion of the head on a platform; all (n, 3)."""

    force: Array
    """Specific force less gravity along P: R^T (a + g e_z) - g e_z [m/s2]."""
    rate: Array
    """Angular velocity, in P [rad/s]."""
    acceleration: Array
    """Acceleration of the head in N [m/s2], without the tilt contribution."""


class Traces(NamedTuple):
    """Arrays of `PlatformMotion` while they are filled."""

    pose: Array
    legs: Array
    limited: NDArray[np.int64]
    drawn: NDArray[np.bool_]


@kernel
def follow(cueing, where, f, w, span, traces):
    """Run the ticks of a span (first, end) with forces and rates (n, 3) from CueingRecords and fill Traces.

    `where` (6,) is the view of the state that contains the platform pose.
    """
    p, q = cueing.p[0], cueing.s[0]
    middle = 0.5 * (p["longest_leg"] + p["shortest_leg"])
    half = 0.5 * (p["longest_leg"] - p["shortest_leg"]) - p["stroke_margin"]
    for i in range(span[0], span[1]):
        cueing_step(cueing.p, cueing.s, cueing.washout_pose, f[i], w[i], True)
        traces.limited[i] = q["limited"]
        use = 0.0
        for j in range(6):
            use += ((q["requested_legs"][j] - middle) / half) ** 16  # same formula as in `washout.platform_state_machine.compose_request`
        traces.drawn[i] = use > KNEE**16
        for j in range(6):
            traces.pose[i, j] = where[j]
            traces.legs[i, j] = q["legs"][j]


class CueingPipeline:
    """A washout on a platform that has risen and follows.

    Parameters
    ----------
    make : returns a MotionCueing in its initial state
    force, rate : (3,) specific force [m/s2] and angular velocity [rad/s] until the platform follows; default: at rest

    Raises JounceError: the platform does not rise, or the washout was stopped.
    """

    def __init__(self, make: Callable[[], MotionCueing], force: Array | None = None, rate: Array | None = None) -> None:
        self.cueing = make()
        self.h = self.cueing.h
        self._ticks, self._driven, self._follows = 0, 0, False
        p, s, _ = self.cueing.records
        gravity = float(p[0]["gravity"])
        f = np.array([0.0, 0.0, gravity]) if force is None else np.asarray(force, dtype=float)
        w = np.zeros(3) if rate is None else np.asarray(rate, dtype=float)
        self.cueing.procedure.arm()
        second = round(1.0 / self.h) or 1
        held = np.tile(f, (second, 1)), np.tile(w, (second, 1))
        while s[0]["state"] != ENGAGED:
            self.follow(*held)
            if self._ticks * self.h > ENGAGING:
                raise JounceError(f"the platform does not follow after {ENGAGING:g} s; state {self.cueing.procedure.state}")
        for _ in range(round(SETTLING)):
            self.follow(*held)
        self._follows = True

    def follow(self, f: Array, w: Array) -> PlatformMotion:
        """Run specific forces [m/s2] and angular velocities [rad/s] (n, 3) of the car, one row per tick, and return the motion.

        Raises JounceError.
        """
        f, w = np.ascontiguousarray(f, dtype=float), np.ascontiguousarray(w, dtype=float)
        n = len(f)
        traces = Traces(np.empty((n, 6)), np.empty((n, 6)), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_))
        records, where = self.cueing.records, actual_pose(self.cueing)
        every, first = self.cueing.washout.every, 0
        looked: list[Array] = []
        own = [one for one in self.cueing.washout.logged if one[0] == INNER_PREFIX]
        inner = max(1, round(INNER / self.h)) if own else 0
        washout = self.cueing.washout
        alone = bool(own) and every == 1 and isinstance(washout, WashoutRunner) and washout.kind.planner is None
        turns = [turn for turn in (0 if alone else every, inner) if turn]  # a kernel in every tick runs without Python code
        while first < n:
            end = min([n, *(first + turn - self._ticks % turn for turn in turns)])
            self.cueing.washout.serve(self._driven * self.h)
            follow(records, where, f, w, (first, end), traces)
            self._ticks += end - first
            self._driven += end - first if self._follows else 0
            first = end
            if own and self._ticks % inner == 0:
                looked.append(np.concatenate([state[0][row[0]].ravel() for _, table, state in own for row in table]))
        if self.cueing.washout.trouble:
            raise JounceError(self.cueing.washout.trouble)
        if self._follows and self.cueing.procedure.state_number not in (BLEND, ENGAGED):
            raise JounceError(f"the platform stopped following; state {self.cueing.procedure.state}")
        names = [column for prefix, table, _ in own for row in table for column in _columns(prefix + row[0], row[1])]
        return PlatformMotion(self.h, *traces, dict(zip(names, np.array(looked).T, strict=True)) if looked else {})

    def close(self) -> None:
        """Stop the thread of a washout in Python."""
        self.cueing.washout.close()


def _columns(name: str, shape: tuple[int, ...]) -> list[str]:
    """Return the column names of a field with one axis or none."""
    return [f"{name}_{i}" for i in range(shape[0])] if shape else [name]


def actual_pose(cueing: MotionCueing) -> Array:
    """Return a (6,) view of the platform pose: behind the actuators if the platform file has their lag, else the commanded pose."""
    p, s, _ = cueing.records
    return s[0]["actual" if p[0]["actuated"] == 1 else "pose"]


def head_of(platform: Record) -> Array:
    """Return the position (3,) [m] of the head of the rider from the reference point of the platform, in P."""
    return np.array(platform[0]["felt_at"])


def rotations(angles: Array) -> Array:
    """Return rotations (n, 3, 3) R_NP = Rz(yaw) Ry(pitch) Rx(roll) of angles (n, 3) [rad]."""
    cr, cp, cy = np.cos(angles).T
    sr, sp, sy = np.sin(angles).T
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def felt(pose: Array, head: Array, h: float) -> Felt:
    """Return the motion of a head (3,) [m] on poses (n, 6) in steps of h [s]; the first and last rows repeat their neighbors."""
    R = rotations(pose[:, 3:])
    p_NH = pose[:, :3] + R @ head
    a = np.empty_like(p_NH)
    a[1:-1] = (p_NH[2:] - 2.0 * p_NH[1:-1] + p_NH[:-2]) / (h * h)
    a[0], a[-1] = a[1], a[-2]
    force = np.einsum("nji,nj->ni", R, a + [0.0, 0.0, G]) - [0.0, 0.0, G]
    roll, pitch, yaw = np.gradient(pose[:, 3:], h, axis=0).T
    cr, sr = np.cos(pose[:, 3]), np.sin(pose[:, 3])
    cp, sp = np.cos(pose[:, 4]), np.sin(pose[:, 4])
    rate = np.stack([roll - yaw * sp, pitch * cr + yaw * cp * sr, yaw * cp * cr - pitch * sr], axis=1)
    return Felt(force, rate, a)


def gains(cueing: MotionCueing) -> tuple[Array, Array]:
    """Return the target scales (3,) of force (surge, sway, heave) and rate (roll, pitch, yaw) of a washout: `force_gain` and `rate_gain`."""
    p = cueing.records[0]
    return np.array(p[0]["aim_force_gain"]), np.array(p[0]["aim_rate_gain"])


def used(platform: Record, ride: PlatformMotion) -> Mapping[str, Any]:
    """Return the used fractions of stroke, leg speed and leg acceleration, and the travel along each axis."""
    p = platform[0]
    speed = np.diff(ride.legs, axis=0) / ride.h
    change = np.diff(speed, axis=0) / ride.h
    middle, half = 0.5 * (p["longest_leg"] + p["shortest_leg"]), 0.5 * (p["longest_leg"] - p["shortest_leg"])
    names = ("surge", "sway", "heave", "roll", "pitch", "yaw")
    rates = np.diff(ride.pose, axis=0) / ride.h
    return {
        "stroke": float(np.abs(ride.legs - middle).max() / half),
        "leg_speed": float(np.abs(speed).max() / p["leg_speed"]),
        "leg_acceleration": float(np.abs(change).max() / p["leg_acceleration"]),
        "least": dict(zip(names, ride.pose.min(axis=0), strict=True)),
        "most": dict(zip(names, ride.pose.max(axis=0), strict=True)),
        "fastest": dict(zip(names, np.abs(rates).max(axis=0), strict=True)),
        "limited_share": float((ride.limited > 0).mean()),
        "drawn_in_share": float(ride.drawn.mean()),
    }
