"""Faults of the suspension: a damper without oil, a broken spring, a broken link of an anti-roll bar.

Travel stops and hard stops stay, so that the wheel keeps its travel.
"""

from __future__ import annotations

from simulator.base.fields import Field, Number, Text
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets
from simulator.faults.wheels import WHEEL, wheel_of
from vehicles.suspension.anti_roll_bar import NO_BAR

DAMPING = ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end", "damper_pull")
"""Rows of STRUTS that hold damping."""
SPRING = ("spring_rate", "spring_pull")
"""Rows of STRUTS that hold the force of the spring without its stops."""
LEFT = Number("1", 0.0, 1.0)


class WeakStrut:
    """Part of the force of a damper or a spring that is left.

    Parameters
    ----------
    rows : rows of STRUTS that change
    key : key of the fraction that is left
    """

    def __init__(self, values: Values, context: FaultContext, rows: tuple[str, ...], key: str) -> None:
        self._wheel, self._rows, self._left = wheel_of(values, context), rows, values[key]

    def apply(self, level: float, on: FaultTargets) -> None:
        """Reduce the force."""
        for row in self._rows:
            on.parameters.model.struts[0][row][self._wheel] *= 1.0 + level * (self._left - 1.0)


class AntiRollBarLink:
    """Loss of the anti-roll bar of an axle, one of whose links is broken."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        vehicle = context.vehicle
        names = vehicle.description.mechanism.axles.names
        if values["axle"] not in names:
            raise values.error("axle", f"an axle of the vehicle: {', '.join(names)}")
        self._axle = names.index(values["axle"])
        if vehicle.model.struts[0]["anti_roll_bars"]["law"][self._axle] == NO_BAR:
            raise values.error("axle", "an axle with an anti-roll bar")

    def apply(self, level: float, on: FaultTargets) -> None:
        """Reduce the stiffness of the bar."""
        on.parameters.model.struts[0]["anti_roll_bars"]["stiffness"][self._axle] *= 1.0 - level


DAMPER = FaultKind(
    "broken_damper",
    (WHEEL, Field("damping", LEFT, "fraction of the damping that is left", 0.1)),
    lambda values, context: WeakStrut(values, context, DAMPING, "damping"),
    ramp=0.5,
    subject=("wheel",),
    meaning="damper without oil",
)
BROKEN_SPRING = FaultKind(
    "broken_spring",
    (WHEEL, Field("force", LEFT, "fraction of the spring force that is left; the stops stay", 0.5)),
    lambda values, context: WeakStrut(values, context, SPRING, "force"),
    ramp=0.1,
    subject=("wheel",),
    meaning="broken spring",
)
LINK = FaultKind(
    "anti_roll_bar_link",
    (Field("axle", Text("the name of an axle: front, rear ..."), "axle"),),
    AntiRollBarLink,
    ramp=0.1,
    subject=("axle",),
    meaning="broken link of an anti-roll bar: the bar has no effect",
)
