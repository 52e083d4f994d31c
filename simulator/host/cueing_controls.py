"""Controls of the motion cueing while driving: the intensity (scale of the washout input) and the tunable parameters of the washout."""

from __future__ import annotations

from simulator.base.units import SHOWN
from washout.intensity import MOST
from washout.online_tuning import OnlineTuner

STEP = 0.1
"""1. Change of the intensity per key press."""


class CueingControls:
    """Keys for the motion cueing; `handle_event` returns a line for the driver.

    Attributes
    ----------
    chosen : index of the selected parameter in the `parameters` of the tuner; -1 before the first selection
    """

    def __init__(self, tuner: OnlineTuner) -> None:
        self.tuner = tuner
        self.chosen = -1

    def handle_event(self, event: str) -> str | None:
        """Apply the event of a key. Return a line for the driver, or None for an event of other controls."""
        if event in ("intensity_up", "intensity_down"):
            return self._change_intensity(1 if event == "intensity_up" else -1)
        if event in ("washout_next", "washout_up", "washout_down"):
            return self._change_parameter(event)
        return None

    def _change_intensity(self, steps: int) -> str:
        intensity = round(self.tuner.intensity / STEP + steps) * STEP
        self.tuner.intensity = min(MOST, max(0.0, round(intensity, 6)))
        return f"motion intensity {100.0 * self.tuner.intensity:.0f} %"

    def _change_parameter(self, event: str) -> str:
        parameters = self.tuner.parameters
        if not parameters:
            return "this washout has no parameters that can be changed while driving"
        if event == "washout_next" or self.chosen < 0:
            self.chosen = (self.chosen + 1) % len(parameters)
        else:
            parameter = parameters[self.chosen]
            self.tuner.change(parameter, parameter.turned(self.tuner.value(parameter), 1 if event == "washout_up" else -1))
        parameter = parameters[self.chosen]
        unit = SHOWN.get(parameter.written, parameter.written)
        low, value, high = (f"{number / parameter.factor:.3g}" for number in (parameter.least, self.tuner.value(parameter), parameter.most))
        return f"{parameter.words} {value}{'' if unit == '1' else f' {unit}'} ({low} to {high})"
