"""Parameters of a washout that runs, changed one at a time: checked as those of a file, and ramped.

What follows from the parameters (the numbers of the filters, say) goes from where it is to where the changed parameters have it, along
3 u^2 - 2 u^3 within RAMP seconds. The filters keep their states, which mean the same before and after, so that the pose does not step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Fields, Number
from simulator.base.records import Record
from simulator.base.units import factor_of

RAMP = 1.0
"""s."""

FORCES, TURNS = ("surge", "sway", "heave"), ("roll", "pitch", "yaw")


@dataclass(frozen=True)
class TunableParameter:
    """One number that can be changed while the washout runs."""

    name: str
    """Of the parameter."""
    index: int | None
    """Place in it, where it is several."""
    least: float
    most: float
    """Both allowed [SI]."""
    written: str
    """Unit (suffix) in which it is shown."""
    factor: float
    """Of that unit, to SI."""

    @property
    def words(self) -> str:
        """How it is called in a line."""
        axes = TURNS if self.name.startswith(("rate_", "rotation_", "turn_", "angle_")) else FORCES
        return " ".join(self.name.split("_")) + ("" if self.index is None else f" {axes[self.index]}")

    def turned(self, value: float, steps: int) -> float:
        """A value [SI] some steps of a tenth further up or down, within the limits."""
        grain = 0.01 * min(1.0, self.most)
        for _ in range(abs(steps)):
            value = max(1.1 * value, value + grain) if steps > 0 else min(value / 1.1, value - grain)
        return min(self.most, max(self.least, value))


class OnlineTuner:
    """What changes a washout's parameters.

    Parameters
    ----------
    fields : of the section `cueing` of the washout's file
    values : its content, in SI under bare keys
    derive : of such a content, pairs of a record that the washout works with and where it has to go; raises ConfigError
    """

    def __init__(
        self, fields: Fields, values: Mapping[str, Any], derive: Callable[[Mapping[str, Any]], Sequence[tuple[Record, Record]]]
    ) -> None:
        self._values = {name: np.array(value, dtype=float) if np.ndim(value) else value for name, value in values.items()}
        self._derive = derive
        self._moving: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        self._passed = RAMP
        self.knobs = tuple(_knobs(fields, self._values))

    def value(self, knob: TunableParameter) -> float:
        """What it was set to last [SI]."""
        return float(self._values[knob.name] if knob.index is None else self._values[knob.name][knob.index])

    def change(self, knob: TunableParameter, value: float) -> None:
        """Set a number [SI]. Raises ConfigError: it is not within its limits."""
        values = dict(self._values)
        if knob.index is None:
            values[knob.name] = value
        else:
            values[knob.name] = values[knob.name].copy()
            values[knob.name][knob.index] = value
        goals = self._derive({name: one.tolist() if isinstance(one, np.ndarray) else one for name, one in values.items()})
        self._values, self._moving, self._passed = values, [], 0.0
        for works, goal in goals:
            for name in goal.dtype.names or ():
                place, now, then = works[name], works[name].copy(), goal[name].copy()
                if now.dtype.kind == "f" and (now != then).any():
                    self._moving.append((place, now != then, now, then))

    def advance(self, passed: float) -> bool:
        """So many seconds have passed; whether anything was on its way."""
        if not self._moving:
            return False
        self._passed = min(RAMP, self._passed + passed)
        u = self._passed / RAMP
        for place, which, before, after in self._moving:
            np.copyto(place, before + u * u * (3.0 - 2.0 * u) * (after - before) if u < 1.0 else after, where=which)
        if u >= 1.0:
            self._moving = []
        return True


def _knobs(fields: Fields, values: Mapping[str, Any]) -> list[TunableParameter]:
    """Every number that is not a whole one, in the order of the file."""
    out = []
    for field in fields:
        kind, value = field.kind, values.get(field.name)
        if not isinstance(kind, Number) or kind.whole or value is None or np.ndim(value) > 1:
            continue
        factor = factor_of(kind.unit, field.written) if field.written else 1.0
        for index in range(len(value)) if np.ndim(value) else (None,):
            out.append(TunableParameter(field.name, index, kind.least, kind.most, field.written or kind.unit, factor or 1.0))
    return out
