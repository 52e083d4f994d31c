"""Weather of a session: rain, visibility and the time of day. Sensors read it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from simulator.base.fields import Field, Number

FIELDS = (
    Field("rain", Number("m/s", 0.0, 200.0 / 3.6e6), "rain rate", 0.0, written="mmph"),
    Field(
        "visibility",
        Number("m", 10.0, 1e6),
        "visibility by Koschmieder: distance at which 2 % of the contrast remain (default: unlimited)",
        None,
    ),
    Field("time_of_day", Number("h", 0.0, 24.0, below=24.0), "local time, 14.5 is half past two", 12.0, written="h"),
)
"""Keys of the section `weather` of a session."""


class Weather(NamedTuple):
    """Weather, constant during a session."""

    rain: float = 0.0
    """Rain rate [m/s]; 1 mm/h is 2.78e-7 m/s."""
    visibility: float = math.inf
    """Distance at which 2 % of the contrast remain [m], Koschmieder: extinction 3.912 / visibility at 550 nm."""
    time_of_day: float = 12.0
    """Local time [h]."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Weather:
        """Return the weather of a section read with FIELDS."""
        return cls(values["rain"], values.get("visibility", math.inf), values["time_of_day"])

    @property
    def rain_mmph(self) -> float:
        """Rain rate [mm/h], the unit of weather reports and of rain models."""
        return 3.6e6 * self.rain


CLEAR = Weather()
"""No rain, unlimited visibility, noon."""
