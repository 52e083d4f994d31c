"""Keys that name a wheel or an axle of the vehicle."""

from __future__ import annotations

from simulator.base.fields import Field, Text
from simulator.base.suggestions import did_you_mean
from simulator.base.values import Values
from simulator.faults.contract import FaultContext

WHEEL = Field("wheel", Text("the name of a wheel: FL, FR, RL, RR ..."), "wheel")


def wheel_of(values: Values, context: FaultContext) -> int:
    """Return the number of the wheel of an entry. Raises ConfigError: the vehicle has no such wheel."""
    names = context.vehicle.corner_names
    if values["wheel"] not in names:
        raise values.error("wheel", f"a wheel of the vehicle: {', '.join(names)}{did_you_mean(values['wheel'], names)}")
    return names.index(values["wheel"])
