"""Controls of the motion cueing while driving: steps of the intensity, and of one selected parameter of the washout."""

from __future__ import annotations

from simulator.base.units import SHOWN
from washout.intensity import MOST
from washout.online_tuning import OnlineTuner, TunableParameter

STEP = 0.1
"""1. Change of the intensity per key press."""
NO_PARAMETERS = "this washout has no parameters that can be changed while driving"


class CueingControls:
    """Selection of a parameter of the washout, and the values that a step leads to; changes nothing itself.

    Attributes
    ----------
    chosen : index of the selected parameter in the `parameters` of the tuner; -1 before the first selection
    """

    def __init__(self, tuner: OnlineTuner) -> None:
        self.tuner = tuner
        self.chosen = -1

    @property
    def parameter(self) -> TunableParameter | None:
        """Selected parameter; None before the first selection."""
        return self.tuner.parameters[self.chosen] if self.chosen >= 0 else None

    @property
    def text(self) -> str:
        """Selected parameter with its value and limits, for the driver."""
        return NO_PARAMETERS if self.parameter is None else parameter_text(self.tuner, self.parameter)

    def select_next(self) -> None:
        """Select the next parameter; the first one follows the last one."""
        if self.tuner.parameters:
            self.chosen = (self.chosen + 1) % len(self.tuner.parameters)

    def intensity_after(self, steps: int) -> float:
        """Return the intensity after a number of steps, within its limits."""
        intensity = round(self.tuner.intensity / STEP + steps) * STEP
        return min(MOST, max(0.0, round(intensity, 6)))


def intensity_text(tuner: OnlineTuner) -> str:
    """Return the intensity for the driver."""
    return f"motion intensity {100.0 * tuner.intensity:.0f} %"


def parameter_text(tuner: OnlineTuner, parameter: TunableParameter) -> str:
    """Return a parameter with its value and limits for the driver."""
    unit = SHOWN.get(parameter.written, parameter.written)
    low, value, high = (f"{number / parameter.factor:.3g}" for number in (parameter.least, tuner.value(parameter), parameter.most))
    return f"{parameter.words} {value}{'' if unit == '1' else f' {unit}'} ({low} to {high})"
