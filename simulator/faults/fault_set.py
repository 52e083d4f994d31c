"""Faults of a session: their levels, and the parameters that they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.records import Record
from simulator.faults.contract import FaultTargets
from simulator.faults.planned_fault import PlannedFault
from terrain.wind import change_wind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.motion.stream import MotionStream
    from simulator.sensors.mounted_sensor import MountedSensor
    from terrain.ground import GroundArrays
    from vehicles.vehicle import Vehicle


SAME = 1e-9
"""s. Tolerance of a time, which is a sum of ticks."""


class FaultSet:
    """Faults of a session.

    Parameters
    ----------
    vehicle : vehicle whose parameters change; it gets records of its own
    ground : ground of the session

    Attributes
    ----------
    faults : in the order in which they are applied
    ground : ground with air of its own
    """

    def __init__(self, vehicle: Vehicle, ground: GroundArrays) -> None:
        self.faults: list[PlannedFault] = []
        self.ground = ground._replace(air=ground.air.copy())
        self._vehicle, self._wind = vehicle, ground.air[0]["wind"].copy()
        self._air = ground.air.copy()
        self._parameters = vehicle.own_parameters()
        self._levels: list[float] = []
        self._throttle = 0.0
        self._until_reset: list[PlannedFault] = []

    def add(self, fault: PlannedFault, time: float, until_reset: bool = False) -> None:
        """Add a fault at a simulated time [s]. Raises JounceError: it starts in the past, or its name is in use."""
        if fault.name in [one.name for one in self.faults]:
            raise JounceError(f"fault {fault.name}: duplicate name; expected a name that no other fault has")
        if not fault.phase and fault.start < time - SAME:
            raise JounceError(f"fault {fault.name}: starts at {fault.start:g} s, in the past; expected {time:g} s or later")
        self.faults.append(fault)
        if until_reset:
            self._until_reset.append(fault)

    def begin(self, sensors: Iterable[MountedSensor], streams: Iterable[MotionStream]) -> None:
        """Begin a drive without any fault; those that were added until the reset are gone."""
        self._levels, self._throttle = [], 0.0
        for gone in self._until_reset:
            self.faults.remove(gone)
            gone.begin()
        self._until_reset = []
        for fault in self.faults:
            fault.begin()
        self._parameters.restore()
        self.ground.air[:] = self._air
        self._tell(FaultTargets(self._parameters, self.ground, self._vehicle.readout), sensors, streams)

    def advance(self, time: float, phase: str, sensors: Iterable[MountedSensor], streams: Iterable[MotionStream]) -> list[PlannedFault]:
        """Change the parameters to the levels at a simulated time [s] in a phase of the maneuver, if they have changed.

        Returns the faults that have begun or ended.
        """
        levels = [fault.level_at(time, phase) for fault in self.faults]
        moving = any(level > 0.0 and fault.kind.by_position for level, fault in zip(levels, self.faults, strict=True))
        if levels == self._levels and not moving:
            return []
        self._levels = levels
        changed = [fault for level, fault in zip(levels, self.faults, strict=True) if (level > 0.0) != (fault.level > 0.0)]
        self._parameters.restore()
        on = FaultTargets(self._parameters, self.ground, self._vehicle.readout, time)
        for level, fault in zip(levels, self.faults, strict=True):
            fault.level = level
            if level > 0.0:
                fault.fault.apply(level, on)
        self._throttle = on.throttle
        change_wind(self.ground.air, self._wind + on.wind, time)
        self._tell(on, sensors, streams)
        return changed

    def correct(self, command: Record) -> None:
        """Change the command of the driver to what reaches the vehicle. Applied twice, it gives the same command, as in a rerun."""
        command[0]["throttle"] = max(command[0]["throttle"], self._throttle)

    @staticmethod
    def _tell(on: FaultTargets, sensors: Iterable[MountedSensor], streams: Iterable[MotionStream]) -> None:
        """Tell sensors and streams what they have lost."""
        for sensor in sensors:
            sensor.lose(on.lost.get(sensor.name, ""))
        for stream in streams:
            stream.disturb(on.packet_loss, on.packet_delay)
