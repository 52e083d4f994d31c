"""Stuck throttle: the throttle does not close below a position, whatever the driver requests."""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets


class StuckThrottle:
    """Smallest position of the throttle."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._position = values["position"]

    def apply(self, level: float, on: FaultTargets) -> None:
        """Raise the smallest position of the throttle."""
        on.throttle = max(on.throttle, level * self._position)


KIND = FaultKind(
    "stuck_throttle",
    (Field("position", Number("1", 0.0, 1.0), "position of the throttle below which it does not close", 1.0),),
    StuckThrottle,
    ramp=0.1,
    meaning="throttle that does not close",
)
