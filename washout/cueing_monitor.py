"""Values of the motion cueing for displays and logs: the perceived motion, the motion sickness dose, the changes while driving."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from simulator.base.fast_call import compiled_call
from simulator.base.records import Record, record
from washout.motion_sickness import CAB, CAR, DOSE
from washout.online_tuning import OnlineTuner
from washout.perceived_motion import FELT, feel

LIVE = (
    # name                 shape  unit  description
    *DOSE,
    ("cueing_intensity", (), "1", "scale of the washout input"),
    ("cueing_budget", (), "1", "scale of the washout input that limits motion beyond the capability of the legs; 1: no limit active"),
    ("cueing_changes", (), "1", "number of changes of the intensity or of a parameter of the washout", "i8"),
)
"""Log columns of the cueing, in addition to FELT."""


class CueingMonitor:
    """Values of one motion cueing, valid after the last call of `update`.

    Parameters
    ----------
    p, s : PARAMETERS and STATES of the cueing (`washout.cueing`)
    tuner : counts the changes

    Attributes
    ----------
    felt : FELT record, the perceived motion of the rider
    live : LIVE record, sickness dose, intensity and changes
    """

    def __init__(self, p: Record, s: Record, tuner: OnlineTuner) -> None:
        self._p, self._s, self._tuner = p, s, tuner
        self.felt, self.live = record(FELT), record(LIVE)
        self._feel: Callable | None = None

    def update(self, f_H_B: NDArray[Any], w_WB_B: NDArray[Any]) -> Record:
        """Update the values and return `felt`. The errors of the perceived motion refer to the force and rate (3,) of the driver in the vehicle."""
        if self._feel is None:
            self._feel = compiled_call(feel, self._p, self._s, f_H_B, w_WB_B, self.felt)
        self._feel(self._p, self._s, f_H_B, w_WB_B, self.felt)
        live, s = self.live[0], self._s[0]
        live["car_sickness_dose"], live["cab_sickness_dose"] = math.sqrt(s["wf_dose"][CAR]), math.sqrt(s["wf_dose"][CAB])
        live["cueing_intensity"], live["cueing_changes"] = s["intensity"], self._tuner.changes
        live["cueing_budget"] = s["cueing_budget"]
        return self.felt

    def begin_dose(self) -> None:
        """Reset the motion sickness dose of driver and rider."""
        self._s[0]["wf_dose"], self._s[0]["wf_begun"] = 0.0, 0
