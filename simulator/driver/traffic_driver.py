"""Driver of a vehicle of the traffic with a model of its own: the traffic decides where it goes and how fast (`simulator.traffic`)."""

from __future__ import annotations

import math

from simulator.base.records import Record
from simulator.driver.aim_control import AimControl
from simulator.driver.internal_model import InternalModel


class TrafficDriver:
    """Driver of one vehicle.

    Parameters
    ----------
    agents : records of `simulator.traffic.records.AGENT`
    number : row of this vehicle
    traits : internal model of the vehicle
    """

    label = "traffic"
    """Name of the driver in messages."""

    def __init__(self, agents: Record, number: int, traits: InternalModel) -> None:
        self._agents, self._number, self._rear = agents, number, traits.front_axle - traits.wheelbase
        self._control = AimControl(traits)

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s). While the readout is not finite, the command stays unchanged."""
        x, y, yaw = float(readout[0]["p_WB"][0]), float(readout[0]["p_WB"][1]), float(readout[0]["yaw"])
        speed, one = float(readout[0]["v_WB_B"][0]), self._agents[self._number]
        if math.isfinite(x + y + yaw + speed):
            rear = x + self._rear * math.cos(yaw), y + self._rear * math.sin(yaw), yaw
            self._control.steer(rear, speed, (float(one["aim"][0]), float(one["aim"][1])))
            self._control.write(t, readout, command, float(one["demand"]))
