"""Loss and delay of the packets of all motion streams. In a run without a stream, only the level is logged."""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.values import Values
from simulator.faults.contract import FaultContext, FaultKind, FaultTargets


class PacketLoss:
    """Random loss of packets."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._probability = values["probability"]

    def apply(self, level: float, on: FaultTargets) -> None:
        """Raise the probability of a loss."""
        on.packet_loss = 1.0 - (1.0 - on.packet_loss) * (1.0 - level * self._probability)


class PacketDelay:
    """Delay of packets."""

    def __init__(self, values: Values, context: FaultContext) -> None:
        self._delay = values["delay"]

    def apply(self, level: float, on: FaultTargets) -> None:
        """Delay packets."""
        on.packet_delay += level * self._delay


LOSS = FaultKind(
    "packet_loss",
    (Field("probability", Number("1", 0.0, 1.0), "probability that a packet is lost", 1.0),),
    PacketLoss,
    ramp=0.05,
    of_session=True,
    meaning="loss of packets of the motion streams",
)
DELAY = FaultKind(
    "packet_delay",
    (Field("delay", Number("s", 0.0, 10.0), "delay of a packet on its way", written="s"),),
    PacketDelay,
    ramp=0.05,
    of_session=True,
    meaning="delay of packets of the motion streams",
)
