"""Online tuning: change the intensity and the parameters of a running washout, with the checks of the file and a ramp.

The values derived from the parameters (such as filter coefficients) move from their present values to those of the changed parameters, along
3 u^2 - 2 u^3 within RAMP seconds. The filters keep their states, whose meaning does not change, so that the pose has no step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Fields, Number
from simulator.base.records import Record
from simulator.base.units import SHOWN, factor_of, tidy
from washout.intensity import MOST

RAMP = 1.0
"""s. Duration of a change."""
FREE = 1.5
"""1. Factor by which a value may differ from that of its file without a confirmation. A larger one lets a slip of the hand reach the platform."""
FREE_OF_ZERO = 0.1
"""1. As FREE for a value that is zero in its file: largest value, as a fraction of the maximum or of 1."""

FORCES, TURNS = ("surge", "sway", "heave"), ("roll", "pitch", "yaw")


@dataclass(frozen=True)
class TunableParameter:
    """One scalar parameter that can be changed while the washout runs."""

    name: str
    """Name of the parameter."""
    index: int | None
    """Index in the parameter if it is an array."""
    least: float
    most: float
    """Minimum and maximum [SI]."""
    written: str
    """Unit (suffix) for display."""
    factor: float
    """Conversion factor from the display unit to SI."""
    key: str
    """Key of the file, with its unit."""
    given: float
    """Value of the file [SI]."""
    spellings: frozenset[str] = frozenset()
    """All spellings of the key, with and without a unit."""

    @property
    def free(self) -> tuple[float, float]:
        """Smallest and largest value [SI] that need no confirmation."""
        spread = (FREE_OF_ZERO * min(1.0, self.most),) if self.given == 0.0 else ()
        around = (self.given / FREE, self.given * FREE, *spread, *(-one for one in spread))
        return max(self.least, min(around)), min(self.most, max(around))

    def shown(self, value: float) -> float:
        """Return a value [SI] in the unit of the key."""
        return tidy(value / self.factor)

    @property
    def unit_text(self) -> str:
        """Unit after a number for display, with a space; empty without a unit."""
        return "" if self.written == "1" else f" {SHOWN.get(self.written, self.written)}"

    @property
    def words(self) -> str:
        """Name of the parameter for messages."""
        axes = TURNS if self.name.startswith(("rate_", "rotation_", "turn_", "angle_")) else FORCES
        return " ".join(self.name.split("_")) + ("" if self.index is None else f" {axes[self.index]}")

    def turned(self, value: float, steps: int) -> float:
        """Return a value [SI] changed by a number of steps of 10 %, within the limits."""
        smallest_step = 0.01 * min(1.0, self.most)
        for _ in range(abs(steps)):
            value = max(1.1 * value, value + smallest_step) if steps > 0 else min(value / 1.1, value - smallest_step)
        return min(self.most, max(self.least, value))


class OnlineTuner:
    """Changes the intensity and the parameters of a running washout.

    Parameters
    ----------
    s : STATES of the cueing, with the intensity
    fields : fields of the section `cueing` of the washout file
    values : content of the section, in SI, without unit suffixes in the keys
    derive : function of such a content that returns pairs of an active record and its new value; raises ConfigError

    Attributes
    ----------
    changes : number of changes so far
    parameters : parameters of the washout that can be changed while it runs
    given_intensity : intensity at the start of the session
    """

    def __init__(
        self,
        s: Record,
        fields: Fields,
        values: Mapping[str, Any],
        derive: Callable[[Mapping[str, Any]], Sequence[tuple[Record, Record]]],
    ) -> None:
        self._s, self.changes = s[0], 0
        self.given_intensity = float(self._s["intensity_wanted"])
        self._values = {name: np.array(value, dtype=float) if np.ndim(value) else value for name, value in values.items()}
        self._derive = derive
        self._ramps: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        self._passed = RAMP
        self.parameters = tuple(_tunable(fields, self._values))

    @property
    def intensity(self) -> float:
        """Target value of the scale of the washout input, 0 to MOST. The scale reaches it within a second; filters keep their states."""
        return float(self._s["intensity_wanted"])

    @intensity.setter
    def intensity(self, target: float) -> None:
        """Set the target value. Raises ConfigError if it is outside its limits."""
        if not 0.0 <= target <= MOST:
            raise ConfigError("cueing", "intensity", target, f"a number from 0 to {MOST:g}")
        self._s["intensity_wanted"] = target
        self.changes += 1

    def value(self, parameter: TunableParameter) -> float:
        """Return the value that was set last [SI]."""
        return float(self._values[parameter.name] if parameter.index is None else self._values[parameter.name][parameter.index])

    @property
    def free_intensity(self) -> float:
        """Largest intensity that needs no confirmation; less motion needs none."""
        return min(MOST, max(FREE * self.given_intensity, FREE_OF_ZERO))

    def change(self, parameter: TunableParameter, value: float) -> None:
        """Change a parameter to a value [SI], see `change_all`."""
        self.change_all({parameter: value})

    def change_all(self, changes: Mapping[TunableParameter, float]) -> None:
        """Change parameters to values [SI] within a second; filters keep their states. Raises ConfigError if a value is outside its limits."""
        values = dict(self._values)
        for parameter, value in changes.items():
            if parameter.index is None:
                values[parameter.name] = value
            else:
                values[parameter.name] = values[parameter.name].copy()
                values[parameter.name][parameter.index] = value
        goals = self._derive({name: one.tolist() if isinstance(one, np.ndarray) else one for name, one in values.items()})
        self._values, self._ramps, self._passed = values, [], 0.0
        for works, goal in goals:
            for name in goal.dtype.names or ():
                place, now, then = works[name], works[name].copy(), goal[name].copy()
                if now.dtype.kind == "f" and (now != then).any():
                    self._ramps.append((place, now != then, now, then))
        self.changes += 1

    def advance(self, passed: float) -> None:
        """Advance parameters that are changing by `passed` seconds."""
        if not self._ramps:
            return
        self._passed = min(RAMP, self._passed + passed)
        u = self._passed / RAMP
        for place, which, before, after in self._ramps:
            np.copyto(place, before + u * u * (3.0 - 2.0 * u) * (after - before) if u < 1.0 else after, where=which)
        if u >= 1.0:
            self._ramps = []


def _tunable(fields: Fields, values: Mapping[str, Any]) -> list[TunableParameter]:
    """Return all parameters except integers, in the order of the file."""
    out = []
    for field in fields:
        kind, value = field.kind, values.get(field.name)
        if not isinstance(kind, Number) or kind.whole or value is None or np.ndim(value) > 1:
            continue
        factor = factor_of(kind.unit, field.written) if field.written else 1.0
        for index in range(len(value)) if np.ndim(value) else (None,):
            given = float(value if index is None else value[index])
            unit = field.written or kind.unit
            spellings = frozenset(field.spellings)
            out.append(TunableParameter(field.name, index, kind.least, kind.most, unit, factor or 1.0, field.usual, given, spellings))
    return out
