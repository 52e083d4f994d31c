"""Sensors of a session: the calls at which they measure and deliver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from simulator.base.records import Record
from simulator.sensors.contract import SensorInput
from simulator.sensors.measurement import Measurements
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.sensors.pose_history import PoseHistory
from simulator.sensors.sensor_world import WorldSource
from simulator.tick import StateMonitor
from simulator.weather import Weather
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.rut_memory import SoilMemory


class SessionSensors:
    """Calls the sensors of a session.

    Parameters
    ----------
    sensors : measure in this order
    watch : monitor of the state, whose history has the poses between ticks
    ground, weather, soil : what sensors see besides objects
    note : called with the failure of a sensor, or an empty text
    """

    def __init__(
        self,
        sensors: Sequence[MountedSensor],
        watch: StateMonitor,
        ground: Ground,
        weather: Weather,
        soil: SoilMemory,
        note: Callable[[str], None],
    ) -> None:
        self.sensors = list(sensors)
        self._note = note
        self._poses, self._worlds = PoseRecorder(watch), WorldSource(ground, weather, soil.arrays)

    def begin(self, time: float, readout: Record) -> None:
        """Begin again after the vehicle was moved."""
        self._poses.begin(time, readout)
        for sensor in self.sensors:
            sensor.begin()

    def due(self, tick: int) -> list[MountedSensor]:
        """Return the sensors that measure at a tick."""
        return [sensor for sensor in self.sensors if tick % sensor.every == 0]

    def deliver(self, time: float, wait: bool) -> None:
        """Deliver the measurements whose latency is over."""
        for sensor in self.sensors:
            sensor.deliver(time, wait)
            self._note(sensor.trouble)

    def measure(
        self, sensors: Sequence[MountedSensor], time: float, readout: Record, objects: ObjectSet, vehicles: Callable[[], Record], wait: bool
    ) -> None:
        """Let some of the sensors measure; `vehicles` returns the states of the others; `wait` for plugins, not in real time."""
        for sensor in sorted(sensors, key=lambda one: not one.runs_beside):  # these compute while the others measure
            history = partial(self._poses.since, sensor.last_tick)
            sensor.serve(SensorInput(time, readout, history, partial(self._worlds.world, objects, vehicles)), wait)
            sensor.last_tick = self._poses.ticks
            self._note(sensor.trouble)

    def measurements(self, time: float) -> Measurements:
        """Return the last delivered measurement of each sensor by its name."""
        return Measurements(self.sensors, time)


class PoseRecorder:
    """Reads poses from the ring of the last states of a session.

    Parameters
    ----------
    watch : state monitor of the session, whose ring holds the longest interval between two measurements
    """

    def __init__(self, watch: StateMonitor) -> None:
        self._watch = watch
        self._first = 0
        self._start: PoseHistory | None = None

    @property
    def ticks(self) -> int:
        """Number of ticks of the vehicle so far; pass it to `since`."""
        return int(self._watch.state[0]["ticks"])

    def begin(self, time: float, readout: Record) -> None:
        """Begin a new history with the present pose: the vehicle was put there, poses from before do not lead to it."""
        self._first, self._start = self.ticks, PoseHistory.of_readout(time, readout)

    def since(self, tick: int) -> PoseHistory:
        """Return the poses from `tick` to now, both included, as new arrays; from the begin of the history if it is later."""
        assert self._start is not None
        ring, now = self._watch.history, self.ticks
        first = max(tick, self._first, now - len(ring) + 1)
        rows = np.arange(max(first - 1, self._first), now) % len(ring)
        out = [ring[name][rows] for name in PoseHistory._fields]
        if first == self._first:
            out = [np.concatenate(pair) for pair in zip(self._start, out, strict=True)]
        return PoseHistory(*out)
