"""Response of a washout to a sustained force step: transition to tilt, and false cues after the end of the step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.tools.cueing.motion_pipeline import CueingPipeline, felt, gains, head_of
from simulator.tools.cueing.omct import rest
from simulator.tools.cueing.scores import up_to
from washout.cueing import MotionCueing

SIZE = 1.0
"""m/s2"""
TIME_BEFORE, PUSH_TIME, TIME_AFTER = 1.0, 15.0, 14.0
"""s"""
TILT_ANGLES = {"surge": (4, -1.0), "sway": (3, 1.0)}
"""By axis: index of the tilt angle in the pose, and the sign of the tilt for a positive force."""


@dataclass(frozen=True)
class Push:
    """Response to a force step along an axis, in ticks of h [s]; arrays (n,)."""

    axis: str
    h: float
    wanted: Array
    """Target of the washout: K times the force step [m/s2]."""
    force: Array
    """Force at the head, less gravity, 0 to 10 Hz [m/s2]."""
    tilt: Array
    """Tilt angle [rad]."""

    @property
    def times(self) -> Array:
        """Times [s]."""
        return self.h * np.arange(len(self.force), dtype=float)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON data: final tilt and asin(K a / g), maximum tilt rate, and the false cue after the end of the step."""
        end = round((TIME_BEFORE + PUSH_TIME) / self.h)
        force = float(self.wanted.max())
        return {
            "axis": self.axis,
            "push": SIZE,
            "wanted": force,
            "tilt": float(self.tilt[end - 1]),
            "tilt_wanted": math.asin(force / STANDARD_GRAVITY),
            "tilt_rate": float(np.abs(np.diff(self.tilt)).max() / self.h),
            "least_while_it_lasts": float(self.force[round(TIME_BEFORE / self.h) : end].min()),
            "most_while_it_lasts": float(self.force[round(TIME_BEFORE / self.h) : end].max()),
            "false_cue_after": float(self.force[end:].min()),
        }


def push(make: Callable[[], MotionCueing], axis: str) -> Push:
    """Run a force step of SIZE along surge or sway through a washout on its platform, which has risen and follows. Raises JounceError."""
    chain = CueingPipeline(make)
    try:
        h, k = chain.h, ("surge", "sway").index(axis)
        f, w = rest(h, round((TIME_BEFORE + PUSH_TIME + TIME_AFTER) / h))
        lasts = slice(round(TIME_BEFORE / h), round((TIME_BEFORE + PUSH_TIME) / h))
        f[lasts, k] += SIZE
        ride = chain.follow(f, w)
    finally:
        chain.close()
    aim = float(gains(chain.cueing)[0][k])
    turn, sign = TILT_ANGLES[axis]
    head = felt(ride.pose, head_of(chain.cueing.platform), h)
    return Push(axis, h, aim * f[:, k], up_to(head.force[:, k], h), sign * ride.pose[:, turn])
