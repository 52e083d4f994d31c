"""A push that lasts and ends: how a washout takes it over by tilt, and what it gives falsely when the push is gone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.tools.cueing.motion_pipeline import CueingPipeline, felt, gains, head_of
from simulator.tools.cueing.omct import rest
from simulator.tools.cueing.scores import up_to
from washout.cueing import MotionCueing

Array = NDArray[np.float64]

SIZE = 1.0
"""m/s2"""
BEFORE, LASTS, AFTER = 1.0, 15.0, 14.0
"""s"""
TURNS = {"surge": (4, -1.0), "sway": (3, 1.0)}
"""By axis: the angle of a pose that tilts for it, and its sign for a push along the axis."""


@dataclass(frozen=True)
class Push:
    """A push along an axis through a washout, in ticks of h [s]; arrays (n,)."""

    axis: str
    h: float
    wanted: Array
    """What the washout aims at: K times the push [m/s2]."""
    force: Array
    """Felt at the head, less gravity, 0 to 10 Hz [m/s2]."""
    tilt: Array
    """Angle whose share of gravity is the force [rad]."""

    @property
    def times(self) -> Array:
        """s"""
        return self.h * np.arange(len(self.force), dtype=float)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: where the tilt comes to beside asin(K a / g), its fastest rate, and the false cue after the end of the push."""
        end = round((BEFORE + LASTS) / self.h)
        wanted = float(self.wanted.max())
        return {
            "axis": self.axis,
            "push": SIZE,
            "wanted": wanted,
            "tilt": float(self.tilt[end - 1]),
            "tilt_wanted": math.asin(wanted / STANDARD_GRAVITY),
            "tilt_rate": float(np.abs(np.diff(self.tilt)).max() / self.h),
            "least_while_it_lasts": float(self.force[round(BEFORE / self.h) : end].min()),
            "most_while_it_lasts": float(self.force[round(BEFORE / self.h) : end].max()),
            "false_cue_after": float(self.force[end:].min()),
        }


def push(make: Callable[[], MotionCueing], axis: str) -> Push:
    """A push of SIZE along surge or sway through a washout on its platform, which has risen and follows. Raises JounceError."""
    chain = CueingPipeline(make)
    try:
        h, k = chain.h, ("surge", "sway").index(axis)
        f, w = rest(h, round((BEFORE + LASTS + AFTER) / h))
        lasts = slice(round(BEFORE / h), round((BEFORE + LASTS) / h))
        f[lasts, k] += SIZE
        ride = chain.follow(f, w)
    finally:
        chain.close()
    aim = float(gains(chain.cueing)[0][k])
    turn, sign = TURNS[axis]
    head = felt(ride.pose, head_of(chain.cueing.platform), h)
    return Push(axis, h, aim * f[:, k], up_to(head.force[:, k], h), sign * ride.pose[:, turn])
