"""Gust: an additional wind for some time. Random gusts of the terrain move with the changed wind."""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets
from terrain.wind import FASTEST_WIND


class Gust:
    """Additional wind."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._velocity = values["velocity"]

    def apply(self, level: float, on: FaultTargets) -> None:
        """Add to the wind."""
        on.wind += level * self._velocity


KIND = FaultKind(
    "gust",
    (Field("velocity", Number("m/s", -FASTEST_WIND, FASTEST_WIND, shape=(3,)), "velocity that is added to the wind", frame="the world"),),
    Gust,
    ramp=0.5,
    of_session=True,
    meaning="additional wind",
)
