"""Loss of a sensor: it measures nothing, and its measurement says why, as after a trouble of its own."""

from __future__ import annotations

from simulator.base.fields import Field, Text
from simulator.base.suggestions import did_you_mean
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets


class SensorLoss:
    """Loss of a sensor while the level is above 0."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._sensor = values["sensor"]
        if self._sensor not in context.sensors:
            known = ", ".join(context.sensors) or "none"
            raise values.error("sensor", f"a sensor of the session: {known}{did_you_mean(self._sensor, context.sensors)}")

    def apply(self, level: float, on: FaultTargets) -> None:
        """Lose the sensor."""
        on.lost[self._sensor] = f"sensor {self._sensor}: lost by a fault"


KIND = FaultKind(
    "sensor_loss",
    (Field("sensor", Text("the name of a sensor"), "sensor"),),
    SensorLoss,
    ramp=0.05,
    of_session=True,
    subject=("sensor",),
    meaning="loss of a sensor: no measurements",
)
