"""Faults of a session: those that are planned, and those that are added or ended during a drive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.faults.fault_set import FaultSet
from simulator.faults.planned_fault import PlannedFault

if TYPE_CHECKING:
    from simulator.motion.stream import MotionStream
    from simulator.sensors.mounted_sensor import MountedSensor
    from terrain.ground import GroundArrays
    from vehicles.vehicle import Vehicle


class SessionFaults:
    """Faults of one session; without faults it costs nothing.

    Parameters
    ----------
    vehicle : vehicle whose parameters the faults change
    arrays : ground of the session

    Attributes
    ----------
    arrays : ground of the session; with faults, it has air of its own
    make : returns the faults of entries as in a session file, in addition to those present, or is None; raises ConfigError, JounceError
    """

    def __init__(self, vehicle: Vehicle, arrays: GroundArrays) -> None:
        self.arrays = arrays
        self.make: Callable[[Sequence[Any], Sequence[PlannedFault]], list[PlannedFault]] | None = None
        self._vehicle = vehicle
        self._set: FaultSet | None = None

    @property
    def faults(self) -> tuple[PlannedFault, ...]:
        """Faults of the drive with their present levels."""
        return () if self._set is None else tuple(self._set.faults)

    def add(self, faults: Sequence[PlannedFault], time: float = 0.0, until_reset: bool = False) -> None:
        """Add faults to a drive that is at `time` [s]. Raises JounceError: a fault starts in the past, or its name is in use."""
        if self._set is None and faults:
            self._set = FaultSet(self._vehicle, self.arrays)
            self.arrays = self._set.ground
        for fault in faults:
            assert self._set is not None
            self._set.add(fault, time, until_reset)

    def end(self, name: str, time: float) -> None:
        """End a fault of the drive at `time` [s]; its level falls with its ramp. Raises ConfigError: there is no such fault."""
        named = [fault for fault in self.faults if fault.name == name]
        if not named:
            raise ConfigError("faults", "name", name, f"a fault of the drive: {', '.join(fault.name for fault in self.faults) or 'none'}")
        named[0].end_at(time)

    def begin(self, sensors: Iterable[MountedSensor], streams: Iterable[MotionStream]) -> None:
        """Restore all parameters at the begin of a drive."""
        if self._set is not None:
            self._set.begin(sensors, streams)

    def advance(
        self, time: float, phase: str, command: Record, sensors: Iterable[MountedSensor], streams: Iterable[MotionStream]
    ) -> list[PlannedFault]:
        """Change parameters and command to the levels at a time [s] in a phase of the maneuver; return the faults that have begun or ended."""
        if self._set is None:
            return []
        changed = self._set.advance(time, phase, sensors, streams)
        self._set.correct(command)
        return changed
