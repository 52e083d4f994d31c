"""Controls of the motion cueing while driving: intensity, parameters of the washout, two sets of them, and the values that need a confirmation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.fields import Anything, Number
from simulator.base.units import tidy
from washout.intensity import MOST
from washout.online_tuning import OnlineTuner, TunableParameter

STEP = 0.1
"""1. Change of the intensity per key press."""
ROUNDING_TOLERANCE = 1e-3
"""1. Relative tolerance of the free range, within which its displayed limits are rounded."""
SETS = ("A", "B")
"""Names of the sets of values; a drive begins with the first one."""
NO_PARAMETERS = "this washout has no parameters that can be changed while driving"
PARAMETER = Anything("a mapping of name (key of the washout file), index (null for a single number) and value (in the unit of the key)")


@dataclass(frozen=True)
class TunedSet:
    """Intensity, and all parameters of a washout [SI]."""

    intensity: float
    parameters: Mapping[TunableParameter, float]


class CueingControls:
    """Selection of a parameter of the washout, the values that a step leads to, and two sets of values.

    Attributes
    ----------
    chosen : index of the selected parameter in the `parameters` of the tuner; -1 before the first selection
    active : name of the active set
    """

    def __init__(self, tuner: OnlineTuner) -> None:
        self.tuner = tuner
        self.chosen = -1
        self.active = SETS[0]
        self._sets: dict[str, TunedSet] = {}

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

    def given_after(self, steps: int) -> dict[str, Any]:
        """Return the value of the event that changes the selected parameter by a number of steps."""
        one = self.parameter
        assert one is not None
        return {"name": one.key, "index": one.index, "value": one.shown(one.turned(self.tuner.value(one), steps))}

    def read(self, given: Any) -> tuple[TunableParameter, float]:
        """Return the parameter and its value [SI] of an event `washout_parameter`.

        A key with its unit has a value in that unit; a key without one has a value in SI units. Raises ConfigError.
        """
        if not isinstance(given, Mapping) or set(given) != {"name", "index", "value"}:
            raise ConfigError("event", "washout_parameter", given, PARAMETER.description())
        value = Number().read(given["value"], "event", "washout_parameter.value")
        for one in self.tuner.parameters:
            if given["name"] in (one.key, one.name) and given["index"] == one.index:
                # the number that is recorded, so that a rerun and a saved file have the same bits
                shown = tidy(value) if given["name"] == one.key else one.shown(value)
                return one, shown * one.factor
        names = dict.fromkeys(one.key for one in self.tuner.parameters)
        raise ConfigError("event", "washout_parameter", given["name"], f"one of {', '.join(names) or 'no parameters'}")

    def switch(self, name: str | None) -> str:
        """Activate a set (None: the other one) within a second, and return its name. A set without values begins as a copy of the present one."""
        new_set = next(one for one in SETS if one != self.active) if name is None else name
        if new_set != self.active:
            tuner = self.tuner
            self._sets[self.active] = here = TunedSet(tuner.intensity, {one: tuner.value(one) for one in tuner.parameters})
            there = self._sets.get(new_set, here)
            changes = {one: value for one, value in there.parameters.items() if value != here.parameters[one]}
            if changes:
                tuner.change_all(changes)
            if there.intensity != here.intensity:
                tuner.intensity = there.intensity
            self.active = new_set
        return new_set

    def parameter_question(self, given: Any) -> str:
        """Return the question about a value outside of the free range around that of the file; empty if there is none. Raises ConfigError."""
        one, value = self.read(given)
        if not one.least <= value <= one.most or _is_free(value, one.free, self.tuner.value(one), one.given):
            return ""
        low, high = (f"{one.shown(limit):.4g}" for limit in one.free)
        unit = one.unit_text
        return f"{one.words} {one.shown(value):.4g}{unit} is outside of {low} to {high}{unit} around {one.shown(one.given):.4g}{unit} of the file"

    def intensity_question(self, value: float) -> str:
        """Return the question about an intensity above its free range; empty if there is none."""
        tuner = self.tuner
        if not 0.0 <= value <= MOST or _is_free(value, (0.0, tuner.free_intensity), tuner.intensity, tuner.given_intensity):
            return ""
        most, given = (f"{100.0 * one:.0f} %" for one in (tuner.free_intensity, tuner.given_intensity))
        return f"motion intensity {100.0 * value:.0f} % is above {most}, for {given} of the session"


def _is_free(value: float, free: tuple[float, float], present: float, given: float) -> bool:
    """Return whether a value needs no confirmation: it is in the free range, or nearer to the file than the present one."""
    low, high = free
    is_inside = low - ROUNDING_TOLERANCE * abs(low) <= value <= high + ROUNDING_TOLERANCE * abs(high)
    return is_inside or min(present, given) <= value <= max(present, given)


def intensity_text(tuner: OnlineTuner) -> str:
    """Return the intensity for the driver."""
    return f"motion intensity {100.0 * tuner.intensity:.0f} %"


def parameter_text(tuner: OnlineTuner, parameter: TunableParameter) -> str:
    """Return a parameter with its value and its free range for the driver."""
    low, value, high = (f"{parameter.shown(number):.3g}" for number in (parameter.free[0], tuner.value(parameter), parameter.free[1]))
    return f"{parameter.words} {value}{parameter.unit_text} ({low} to {high})"
