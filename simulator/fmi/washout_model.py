"""Model of the FMU of a washout: motion cueing of a platform, whose limiter is the last stage before the legs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import JounceError
from simulator.builder.session_builder import cueing_of
from simulator.configuration.session_file import read_session
from simulator.fmi.content import configuration_of
from simulator.fmi.variables import INPUT, INTEGER, OUTPUT, Variable
from simulator.outlets.telemetry import PLATFORM
from simulator.session import DRIVER_PERIOD
from vehicles.step_stability import USUAL_STEP
from washout.cueing import MotionCueing
from washout.platform_procedure import PLATFORM_STATES

AXES = ("x", "y", "z")
HARDEST, FASTEST = 1000.0, 100.0
"""m/s2 and rad/s. Ranges of the inputs; the cueing itself ignores what no vehicle does."""
_MEANINGS = {row[0]: (row[2], row[3]) for row in PLATFORM}


class WashoutModel:
    """Washout, state machine and limiter of a platform that has risen before the first step.

    Parameters
    ----------
    content : "configuration" with washout, platform, and perhaps step, world.gravity and intensity
    folder : folder of the files of the configuration

    Raises JounceError: the configuration cannot be used.
    """

    def __init__(self, content: dict[str, Any], folder: Path) -> None:
        self._configuration = configuration_of(content, folder)
        self._options = read_session(self._configuration)
        self.step = self._options.step or USUAL_STEP
        self._gravity = STANDARD_GRAVITY if self._options.gravity is None else self._options.gravity
        self._cueing = self._new_cueing()
        force = "specific force at the driver's head, in B"
        self.variables: Sequence[Variable] = (
            *(Variable(f"f_H_B_{one}", INPUT, "m/s2", force, self._gravity if one == "z" else 0.0, -HARDEST, HARDEST) for one in AXES),
            *(Variable(f"w_WB_B_{one}", INPUT, "rad/s", "angular velocity of the chassis, in B", 0.0, -FASTEST, FASTEST) for one in AXES),
            Variable("run", INPUT, "1", "1: the platform follows; 0: the motion fades, and it returns to neutral", 1, 0, 1, INTEGER),
            *(_output(f"p_NP_{one}", "p_NP") for one in AXES),
            *(_output(name, name) for name in ("roll", "pitch", "yaw")),
            *(_output(f"legs_{leg}", "legs") for leg in range(len(self._cueing.legs))),
            *(_output(name, name, INTEGER) for name in ("state", "limited")),
        )

    def _new_cueing(self) -> MotionCueing:
        return cueing_of(self._configuration, self.step, self._gravity, intensity=self._options.intensity)

    def begin(self, values: dict[str, float]) -> None:
        """Let the platform rise to neutral under the first inputs. Raises JounceError: it does not rise."""
        self._cueing.washout.close()
        self._cueing = self._new_cueing()
        procedure, period = self._cueing.procedure, max(1, round(DRIVER_PERIOD / self.step))  # in periods, as before a drive
        procedure.arm()
        periods = round(procedure.rise_time / self.step / period)
        while procedure.rises and periods > 0:
            periods -= 1
            self.advance({**values, "run": 1}, period)
        if procedure.rises:
            raise JounceError(f"the platform does not rise within {procedure.rise_time:g} s; its state is {procedure.state}")

    def advance(self, inputs: dict[str, float], ticks: int) -> None:
        """Run a number of ticks."""
        force, rate = (np.array([inputs[f"{name}_{axis}"] for axis in AXES]) for name in ("f_H_B", "w_WB_B"))
        for _ in range(ticks):
            self._cueing.step(force, rate, inputs["run"] != 0, self.step)

    def outputs(self) -> Sequence[float]:
        """Return pose, legs and states."""
        c = self._cueing
        state = PLATFORM_STATES.index(c.procedure.state)
        return [*c.pose.tolist(), *c.legs.tolist(), state, int(c.readout[0]["limited"])]

    def close(self) -> None:
        """End a washout that runs in the background."""
        self._cueing.washout.close()


def _output(name: str, field: str, kind: str = "real") -> Variable:
    unit, meaning = _MEANINGS[field]
    return Variable(name, OUTPUT, unit, meaning, kind=kind)
