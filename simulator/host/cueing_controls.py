"""What a person changes of the motion while driving: the intensity, and one number of the washout after the other."""

from __future__ import annotations

from simulator.base.units import SHOWN
from washout.cueing import MotionCueing
from washout.intensity import MOST

STEP = 0.1
"""1. Of the intensity, per strike of a key."""


class CueingControls:
    """The keys for a motion cueing; `obey` answers with a line for the driver.

    Attributes
    ----------
    chosen : place of the number to be changed among the `knobs` of the cueing; -1 before one is chosen
    """

    def __init__(self, cueing: MotionCueing) -> None:
        self.cueing = cueing
        self.chosen = -1

    def obey(self, event: str) -> str | None:
        """Do what a key asks for. Returns what is to be said about it; None for a key that is none of these."""
        if event in ("intensity_up", "intensity_down"):
            return self._turn(1 if event == "intensity_up" else -1)
        if event in ("washout_next", "washout_up", "washout_down"):
            return self._change(event)
        return None

    def _turn(self, steps: int) -> str:
        wanted = round(self.cueing.intensity / STEP + steps) * STEP
        self.cueing.intensity = min(MOST, max(0.0, round(wanted, 6)))
        return f"intensity of the motion {100.0 * self.cueing.intensity:.0f} %"

    def _change(self, event: str) -> str:
        knobs = self.cueing.knobs
        if not knobs:
            return "this washout cannot be changed while it runs"
        if event == "washout_next" or self.chosen < 0:
            self.chosen = (self.chosen + 1) % len(knobs)
        else:
            knob = knobs[self.chosen]
            self.cueing.change(knob, knob.turned(self.cueing.value(knob), 1 if event == "washout_up" else -1))
        knob = knobs[self.chosen]
        unit = SHOWN.get(knob.written, knob.written)
        low, value, high = (f"{number / knob.factor:.3g}" for number in (knob.least, self.cueing.value(knob), knob.most))
        return f"{knob.words} {value}{'' if unit == '1' else f' {unit}'} ({low} to {high})"
