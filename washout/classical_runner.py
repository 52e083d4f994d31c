"""Runner of the classical washout, which is part of the kernel of the cueing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.records import Record, Table
from washout.classical import FILE, KIND, washout
from washout.online_tuning import OnlineTuner
from washout.perceived_motion import set_aim
from washout.preview.sources import Preview


class ClassicalRunner:
    """Classical washout of a MotionCueing; between the ticks, it only needs its tuner.

    Parameters
    ----------
    values : content of the section `cueing` of the washout file
    file : name of the file, for messages
    p, s : PARAMETERS and STATES of the cueing
    """

    every = 0
    trouble = ""
    logged: tuple[tuple[str, Table, Record], ...] = ()

    def __init__(self, values: Mapping[str, Any], file: object, p: Record, s: Record) -> None:
        h, gravity = float(p[0]["h"]), float(p[0]["gravity"])

        def derive(changed: Mapping[str, Any]) -> list[tuple[Record, Record]]:
            goal = washout(changed, file, h, p.copy(), gravity)
            set_aim(goal, goal)
            return [(p, goal)]

        washout(values, file, h, p, gravity)
        set_aim(p, p)
        self.tuner = OnlineTuner(s, FILE, values, derive)

    def serve(self, time: float = 0.0, wait: bool = True) -> None:
        """Do nothing."""

    def set_preview(self, preview: Preview) -> None:
        """Raise JounceError."""
        raise JounceError(f"washout {KIND.name}: does not use a preview")

    def close(self) -> None:
        """Do nothing."""
