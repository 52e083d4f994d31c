"""Session: one vehicle, its driver, the ground, the motion cueing and the outlets. `Session.advance` is the main loop.

    driver -> Command -> vehicle on ground -> washout -> platform pose -> outlets (view, motion stream, telemetry)

Headless runs execute the same ticks with other outlets and without a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from simulator.base.errors import ConfigError, JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.rates import shown_time
from simulator.base.records import Record, Table, record
from simulator.clock import Clock
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.driver_seat import DriverSeat, Ending
from simulator.events.collision import Collision, CollisionList
from simulator.events.event import Event, Origin
from simulator.events.sound_controls import SoundControls
from simulator.faults.fault_set import FaultSet
from simulator.faults.planned_fault import PlannedFault
from simulator.recovery import VehicleRecovery
from simulator.sensors.contract import SensorInput
from simulator.sensors.measurement import Measurements
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.sensors.pose_history import PoseRecorder
from simulator.sensors.sensor_world import WorldSource
from simulator.tick import REMEMBERED, new_watch, platform_ticks, ticks
from simulator.weather import CLEAR, Weather
from terrain.ground import Ground
from terrain.objects.world_object import WorldObject
from terrain.rut_memory import SoilMemory
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing, brake_platform
from washout.cueing_monitor import LIVE
from washout.perceived_motion import FELT
from washout.platform_state_machine import FAULT

if TYPE_CHECKING:
    from simulator.motion.stream import MotionStream

DRIVER_PERIOD = 0.01
"""s between two calls of the driver; the command is constant in between."""


@runtime_checkable
class Streaming(Protocol):
    """Outlet with a motion stream, whose packets a fault may lose or delay."""

    stream: MotionStream
    """The stream."""


class Outlet(Protocol):
    """Consumer of the results of a tick: window, telemetry, motion stream.

    An outlet with an attribute `often` is called `often` times in `every` ticks, at even distances. An outlet with a method
    `hear(session, event)` hears every event of the session, when it takes effect.
    """

    every: int
    """Ticks between two publications."""

    def publish(self, session: Session) -> None:
        """Publish the current state. The session calls this every `every` ticks, after the update of the readout."""

    def close(self) -> None:
        """Release all resources. The session calls this once at the end, also after an error."""


def is_due(outlet: Outlet, tick: int) -> bool:
    """Return whether an outlet is due at a tick; see `simulator.base.rates.TickSchedule`."""
    often: int = getattr(outlet, "often", 1)
    return tick * often % outlet.every < often


class PartError(JounceError):
    """Error in a driver or an outlet; `__cause__` is the original exception.

    The message names the part by its attribute `label`, or by its class if it has none.
    """

    def __init__(self, part: object, error: BaseException) -> None:
        text = str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}".rstrip(": ")
        super().__init__(f"{getattr(part, 'label', type(part).__name__)} failed: {text}")
        self.part = part
        self.__cause__ = error


class Session:
    """Simulation of one vehicle with its driver on a ground, with motion cueing and outlets.

    Parameters
    ----------
    vehicle, ground, driver, cueing : see their classes
    outlets : called in this order
    h : length of a tick [s]; must divide the driver's period
    sensors : measure before the outlets are called
    weather : for the sensors
    """

    def __init__(
        self,
        vehicle: Vehicle,
        ground: Ground,
        driver: Driver | SensingDriver,
        cueing: MotionCueing,
        outlets: Sequence[Outlet],
        h: float = 1e-3,
        sensors: Sequence[MountedSensor] = (),
        weather: Weather = CLEAR,
    ) -> None:
        if h != cueing.h:
            raise ValueError(f"tick lengths differ; session {h} s, motion cueing {cueing.h} s")
        vehicle.use_shared_parameters()
        self.vehicle, self.ground, self.cueing, self.h = vehicle, ground, cueing, h
        self.outlets, self.sensors, self.weather = list(outlets), list(sensors), weather
        self.command: Record = record(COMMAND)
        self.seat = DriverSeat(driver, self.command)
        """The driver, and those who may take over."""
        self.soil = SoilMemory.of(ground)
        """Deformed soil of this session; only this session writes to it."""
        self.objects = ground.objects.for_session()
        """Objects of this session; only this session moves them."""
        self.object_changes: list[dict[str, Any]] = []
        """Objects added or removed since the start: "tick", "objects" (added), "removed" (numbers)."""
        if len(self.objects):
            vehicle.load_object_contact()
        self.collision_list = CollisionList(vehicle.space.object_contact, self.objects)
        self.arrays = ground.arrays._replace(ruts=self.soil.arrays, objects=self.objects.world)
        rows = max(REMEMBERED, *(sensor.every + 1 for sensor in self.sensors)) if self.sensors else REMEMBERED
        self.watch = new_watch(float(ground.p[0]["gravity"]), vehicle.size, rows)
        self._poses, self._worlds = PoseRecorder(self.watch), WorldSource(ground, weather, self.soil.arrays)
        self._faults: FaultSet | None = None
        self.recovery = VehicleRecovery(vehicle, ground, self.soil, self.arrays, self.watch, h)
        self.tick = 0
        self.start_speed = 0.0
        """m/s. Speed of the vehicle after `reset`."""
        self.start_drop: float | None = None
        """m. Height above the ground from which the vehicle falls after `reset`; None: it stands in equilibrium, or rolls."""
        self.message_origins: Callable[[], AbstractContextManager[None]] = nullcontext
        """Context that names the user's file in errors of `reset`."""
        self.fault_maker: Callable[[Sequence[Any], Sequence[PlannedFault]], list[PlannedFault]] | None = None
        """Returns the faults of entries as in a session file, in addition to those present. Raises ConfigError, JounceError."""
        self.sound = SoundControls()
        """Volume, mute and horn, for an outlet that sounds."""
        self.place_check: Callable[[Session, float, float, float], None] | None = None
        """Checks a place (x, y [m], yaw [rad]) of the vehicle. Raises ConfigError: no ground, or an object is there."""
        self.paused = False
        self.platform_stopped = False
        """True after an operator has stopped the platform: it holds its pose, and nothing moves."""
        self.waits = False
        """True before the drive begins, while the vehicle rests and the platform rises."""
        self.clock: Clock | None = None
        self.on_tick: list[Callable[[Session], None]] = []
        """Called after every tick in real time, within a few microseconds."""
        self.driver_every = max(1, round(DRIVER_PERIOD / h))
        self.failures: list[JounceError] = []
        """Errors of outlets, sensors and plugin washouts. The session closed or dropped each failed part and continued without it."""
        self._known_failures: set[str] = set()
        self._heard_collisions, self._has_fault, self._closed = 0, False, False
        vehicle.watch_blocks()
        vehicle.model.steering[0]["input_time"] = (
            self.driver_every * h
        )  # the steering wheel reaches the commanded angle at the next call of the driver
        self._ticks: Callable | None = None

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.vehicle.space.state[0]["time"])

    @property
    def driver(self) -> Driver | SensingDriver:
        """Present driver."""
        return self.seat.driver

    @property
    def collisions(self) -> list[Collision]:
        """Collisions with objects so far. The last ones still grow while the vehicle touches the object."""
        return self.collision_list.found

    @property
    def faults(self) -> tuple[PlannedFault, ...]:
        """Faults of the drive with their present levels."""
        return () if self._faults is None else tuple(self._faults.faults)

    @property
    def measurements(self) -> Measurements:
        """Last delivered measurement of each sensor by its name."""
        return Measurements(self.sensors, self.time)

    @property
    def readout(self) -> Record:
        """READOUT record of the vehicle, up to date whenever an outlet or the driver is called."""
        return self.vehicle.readout

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of all records to log besides readout and command: of vehicle, rider, driver and sensors."""
        felt, live = ("", FELT, self.cueing.monitor.felt), ("", LIVE, self.cueing.monitor.live)
        touched = [self.collision_list.logged] if len(self.objects) else []
        faults = [fault.logged for fault in self.faults]
        sensors = [sensor.logged for sensor in self.sensors]
        return [*self.vehicle.logged, felt, live, *touched, *self.cueing.washout.logged, *self.seat.logged, *sensors, *faults]

    @property
    def heading(self) -> float:
        """Heading of the vehicle over ground [rad]."""
        return self.recovery.heading

    @property
    def moves(self) -> bool:
        """Whether the vehicle moves: False while paused, before the platform is up, and during the rest after an incident."""
        return not (self.paused or self.platform_stopped or self.waits or self.recovery.rests)

    def reset(self) -> None:
        """Settle the vehicle at the start of the ground: at rest in neutral, or rolling in drive at `start_speed`; or hold it at `start_drop`.

        The platform moves smoothly to its neutral pose.
        """
        self._end_faults()
        with self.message_origins():
            if self.start_drop is None:
                self.vehicle.reset(self.ground, *self.ground.spawn, speed=self.start_speed)
            else:
                self.vehicle.drop(self.ground, *self.ground.spawn, self.start_drop)
        self.begin()

    def begin(self) -> None:
        """Begin the drive with the present state of the vehicle, which the caller has set as `reset` does."""
        self._end_faults()
        self.command[:] = np.zeros(1, self.command.dtype)
        self.seat.begin()
        if self.start_speed > 0.0:
            # valid until the first call of the driver
            self.command[0]["selector"], self.command[0]["throttle"] = 1, self.vehicle.start_throttle
        self.objects.reset()
        self.recovery.begin()
        self.collision_list.begin()
        self._reset_motion()

    def add_objects(self, objects: Sequence[WorldObject]) -> list[int]:
        """Add objects to the world and return their numbers. Raises ObjectError: an impossible object, or a name that is in use."""
        first = self.objects.first + len(self.objects)
        self.objects = self.objects.with_added(objects, self.objects.world)
        self.collision_list.objects = self.objects
        self.vehicle.load_object_contact()
        self.object_changes.append({"tick": self.tick, "objects": tuple(objects), "removed": []})
        return list(range(first, first + len(objects)))

    def remove_object(self, number: int) -> None:
        """Remove an object from the world; its number is not used again. Raises ObjectError: no such object."""
        self.objects.remove(number)
        self.object_changes.append({"tick": self.tick, "objects": (), "removed": [number]})

    def add_faults(self, faults: Sequence[PlannedFault], until_reset: bool = False) -> None:
        """Add faults to the drive. Raises JounceError: a fault starts in the past, or its name is in use."""
        if self._faults is None and faults:
            self._faults = FaultSet(self.vehicle, self.arrays)
            self.arrays = self._faults.ground
        for fault in faults:
            assert self._faults is not None
            self._faults.add(fault, self.time if self.tick > 0 else 0.0, until_reset)

    def end_fault(self, name: str) -> None:
        """End a fault of the drive now; its level falls with its ramp. Raises ConfigError: there is no such fault."""
        found = [fault for fault in self.faults if fault.name == name]
        if not found:
            raise ConfigError("faults", "name", name, f"a fault of the drive: {', '.join(fault.name for fault in self.faults) or 'none'}")
        found[0].end_at(self.time)

    def set_upright(self) -> None:
        """Put the vehicle on its wheels at its present position, at rest. The platform moves smoothly to its neutral pose."""
        self.recovery.put_upright()
        self.collision_list.begin()
        self._reset_motion()

    def place(self, x: float, y: float, yaw: float) -> None:
        """Put the vehicle on its wheels at x, y [m] with the heading yaw [rad], at rest. Time, driver, faults and objects go on.

        Raises ConfigError: there is no ground, an object is there, or the vehicle cannot be at rest there; nothing has changed.
        """
        if self.place_check is not None:
            self.place_check(self, x, y, yaw)
        if not self.recovery.put_at(x, y, yaw):
            raise ConfigError("drive", "place", [x, y], "a place at which the vehicle can be at rest; it is too steep there")
        self.collision_list.begin()
        self._reset_motion()

    def warm(self) -> None:
        """Compile or load the kernels of a tick in advance; nothing moves."""
        v = self.vehicle
        self.soil.warm()
        ticks(v.model, v.space, self.arrays, self.cueing.records, self.watch, self.command, False, 0)
        platform_ticks(self.cueing.records, self.watch, 0)
        brake_platform(self.cueing.records.p, self.cueing.records.s, 0)

    def advance(self, count: int = 1) -> None:
        """Simulate `count` ticks, then call the outlets that are due. `count` must not skip a tick at which an outlet or the driver is due.

        Raises
        ------
        PartError : the driver raised; nothing has moved since
        JounceError : the state of the vehicle fails repeatedly, at every position
        """
        if self.tick % self.driver_every == 0:
            self.call_driver()
        before = self.recovery.latest
        self.move(count)
        due = [outlet for outlet in self.outlets if is_due(outlet, self.tick)]
        sensing = [sensor for sensor in self.sensors if self.tick % sensor.every == 0] if self.moves else []
        if (due or sensing or self.tick % self.driver_every == 0) and self.recovery.latest is before:
            self.vehicle.read(self.command)
        for sensor in self.sensors:
            sensor.deliver(self.time, self.clock is None)
            self._record_failure(sensor.trouble)
        self.serve(due, sensing)

    def publish(self, served: Sequence[Outlet] = ()) -> None:
        """Call every outlet with the state before the first tick, except those in `served`."""
        self.vehicle.read(self.command)
        self.serve([outlet for outlet in self.outlets if outlet not in served], self.sensors)

    def run(self, duration: float, keep_going: Callable[[Session], bool] | None = None) -> None:
        """Simulate `duration` seconds as fast as possible, or until an incident, or until the driver ends.

        `keep_going(session)` is called every 0.1 s of simulated time.

        Raises
        ------
        PartError : the driver raised
        """
        outlets = (outlet.every if getattr(outlet, "often", 1) == 1 else 1 for outlet in self.outlets)
        turns = [self.driver_every, self.cueing.washout.every, *outlets, *(sensor.every for sensor in self.sensors)]
        stride = int(np.gcd.reduce(turns))
        left, before = round(duration / self.h), self.recovery.latest
        ending = self.driver if isinstance(self.driver, Ending) else None
        while left > 0 and self.recovery.latest is before:
            count = min(stride - self.tick % stride, left)  # an earlier run may have ended within a stride
            self.advance(count)
            left -= count
            if ending is not None and ending.ended:
                return
            if self.tick % 100 < count and keep_going is not None and not keep_going(self):
                return

    def drive(self, duration: float, keep_going: Callable[[Session], bool]) -> None:
        """Simulate in real time for `duration` seconds or until `keep_going(session)` returns False; it is called every 0.01 s.

        Raises
        ------
        PartError, JounceError : as `advance`
        """
        self.start_clock()
        end = self.time + duration
        go_on = True
        while go_on and self.time < end:
            self.pace(self.driver_every, self.advance)
            go_on = keep_going(self)

    def close(self) -> None:
        """Close every outlet, also after errors. The last outlet is closed first, so that the motion stream ends before logs are written.

        Raises the first failure, after all are closed.
        """
        if not self._closed:
            self._closed = True
            self._announce("end", None)
        self.cueing.washout.close()
        failures: list[JounceError] = []
        closing: list[Any] = [*self.sensors, self.seat, *reversed(self.outlets)]
        for part in closing:
            try:
                part.close()
            except JounceError as error:
                failures.append(error)
            except BaseException as error:  # the other parts are still closed
                failures.append(PartError(part, error))
        if failures:
            raise failures[0]

    def start_clock(self) -> None:
        """Begin real time."""
        self.clock = Clock(self.h)
        self.clock.start()

    def pace(self, count: int, tick: Callable[[], None]) -> None:
        """Run `count` ticks, each at its time."""
        assert self.clock is not None
        for _ in range(count):
            self.clock.wait()
            tick()
            for note in self.on_tick:
                note(self)

    def call_driver(self) -> None:
        """Call the driver, which reads the readout and fills the command; also advance changes of cueing parameters. Raises PartError."""
        self.advance_tuning()
        try:
            self.seat.read(self.time, self.readout, lambda: self.measurements, self.objects, self.collision_list.found)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit of a plugin, because the platform must be parked
            raise PartError(self.driver, error) from error
        if self._faults is not None:
            changed = self._faults.advance(self.time, getattr(self.driver, "phase", ""), self.sensors, self._streams())
            self._faults.correct(self.command)
            for fault in changed:
                self._announce("fault", {"part": fault.name, "begins": fault.level > 0.0})

    def advance_tuning(self) -> None:
        """Advance changes of cueing parameters by a driver period."""
        self.cueing.tuner.advance(self.driver_every * self.h)

    def announce(self, event: Event) -> None:
        """Let every outlet hear an event that has taken effect."""
        for outlet in tuple(self.outlets):
            hear = getattr(outlet, "hear", None)
            if hear is not None:
                self._call(outlet, partial(hear, self, event))

    def _end_faults(self) -> None:
        """Restore all parameters at the begin of a drive."""
        if self._faults is not None:
            self._faults.begin(self.sensors, self._streams())

    def _streams(self) -> list[MotionStream]:
        """Return the motion streams among the outlets."""
        return [outlet.stream for outlet in self.outlets if isinstance(outlet, Streaming)]

    def serve(self, outlets: Sequence[Outlet], sensors: Sequence[MountedSensor] = ()) -> None:
        """Call sensors, then outlets, with the present readout."""
        for sensor in sensors:
            history = partial(self._poses.since, sensor.last_tick)
            sensor.serve(SensorInput(self.time, self.readout, history, partial(self._worlds.world, self.objects)), self.clock is None)
            sensor.last_tick = self._poses.ticks
            self._record_failure(sensor.trouble)
        if outlets:
            self.update_felt_motion()
        for outlet in outlets:
            self.publish_to(outlet)

    def update_felt_motion(self) -> None:
        """Update the motion that the driver's head feels, for the telemetry."""
        seen = self.watch.state[0]
        self.cueing.monitor.update(seen["f_H_B"], seen["w_WB_B"])

    def _record_failure(self, text: str) -> None:
        """Record a failure of a plugin, once per text."""
        if text and text not in self._known_failures:
            self._known_failures.add(text)
            self.failures.append(JounceError(text))

    def publish_to(self, outlet: Outlet) -> None:
        """Call one outlet; an outlet that raises is closed and removed."""
        self._call(outlet, partial(outlet.publish, self))

    def _call(self, outlet: Outlet, call: Callable[[], None]) -> None:
        """Call a method of an outlet, as `publish_to`."""
        try:
            call()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.failures.append(PartError(outlet, error))
            self.outlets.remove(outlet)
            try:
                outlet.close()
            except BaseException as second:
                self.failures[-1].add_note(f"also while closing: {type(second).__name__}: {second}")

    def move(self, count: int) -> None:
        """Run `count` ticks of vehicle and platform. The state is valid afterwards, because an invalid state is replaced."""
        v, runs = self.vehicle, self.moves
        if self.cueing.washout.every:
            # while the platform rises, the preview shows the beginning of the drive
            self.cueing.washout.serve(0.0 if self.waits else self.time, self.clock is None)
            self._record_failure(self.cueing.washout.trouble)
        self.tick += count
        if self.platform_stopped:
            brake_platform(self.cueing.records.p, self.cueing.records.s, count)
            return
        if self.waits and not self.paused:
            platform_ticks(self.cueing.records, self.watch, count)
            return
        arguments = (v.model, v.space, self.arrays, self.cueing.records, self.watch, self.command, runs, count)
        if self._ticks is None:
            self._ticks = compiled_call(ticks, *arguments)
        self._ticks(*arguments)
        if self.tick % self.driver_every < count:
            self._serve_soil()
            self._announce_fault()
        if runs and len(self.objects):
            self.collision_list.read()
            self._announce_collisions()
        if runs:
            before = self.recovery.latest
            try:
                self.recovery.check(self.tick, count)
            except JounceError:
                self.paused = True
                raise
            finally:
                if self.recovery.latest is not None and self.recovery.latest is not before:
                    self._announce("incident", self.recovery.latest.to_json())
        elif self.recovery.rests and not self.paused:
            self.recovery.rest(count, self.cueing.readout[0]["gain"])

    def _announce(self, kind: str, value: Any) -> None:
        """Announce an occurrence of the simulation at the present tick."""
        self.announce(Event(kind, value, Origin.SESSION, self.tick, shown_time(self.time), self.waits))

    def _announce_collisions(self) -> None:
        """Announce new collisions, when they begin."""
        new, self._heard_collisions = self.collisions[self._heard_collisions :], len(self.collisions)
        for collision in new:
            self._announce("collision", collision.to_json())

    def _announce_fault(self) -> None:
        """Announce that the platform has a fault, once."""
        has_fault = self.cueing.procedure.state_number == FAULT
        if has_fault and not self._has_fault:
            self._announce("fault", {"part": "platform", "begins": True})
        self._has_fault = has_fault

    def _serve_soil(self) -> None:
        """Load the ruts around the vehicle into the arrays of the kernels."""
        place = self.vehicle.space.state[0]["p_WB"]
        self.soil.load_tiles_around(float(place[0]), float(place[1]))

    def _reset_motion(self) -> None:
        """Reset ruts, readout and cueing after the vehicle was moved; the acceleration and rotation from before are discarded."""
        self._serve_soil()
        self.vehicle.read(self.command)
        self._poses.begin(self.time, self.readout)
        for sensor in self.sensors:
            sensor.begin()
        self.watch.state[0]["f_H_B"] = self.vehicle.space.out[0]["f_H_B"]
        self.watch.state[0]["w_WB_B"] = 0.0
        self.cueing.reset()
