"""Session: one vehicle, its driver, the ground, the motion cueing and the outlets. `Session.advance` is the main loop.

    driver -> Command -> vehicle on ground -> washout -> platform pose -> outlets (view, motion stream, telemetry)

Headless runs execute the same ticks with other outlets and without a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from simulator.assistance.assistance import Assistance
from simulator.base.errors import ConfigError, JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.rates import shown_time
from simulator.base.records import Record, Table, record
from simulator.clock import Clock
from simulator.collision import Collision
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.driver_seat import Closing, DriverSeat, Ending
from simulator.driver.make_driver import PERSON
from simulator.events.event import Event, Origin
from simulator.events.sound_controls import SoundControls
from simulator.events.turn_signals import OFF, TurnSignals
from simulator.faults.session_faults import SessionFaults
from simulator.recovery import VehicleRecovery
from simulator.sensors.measurement import Measurements
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.session_course import SessionCourse
from simulator.session_objects import SessionObjects
from simulator.session_outlets import Outlet, PartError, SessionOutlets, is_due
from simulator.session_sensors import SessionSensors
from simulator.session_traffic import SessionTraffic
from simulator.session_vehicles import SessionVehicles
from simulator.tick import REMEMBERED, VALID, new_watch, platform_ticks, ticks
from simulator.triggers.session_triggers import SessionTriggers
from simulator.weather import CLEAR, Weather
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.rut_memory import SoilMemory
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing, brake_platform
from washout.cueing_monitor import LIVE
from washout.perceived_motion import FELT
from washout.platform_procedure import STOPPED
from washout.platform_state_machine import FAULT

__all__ = ["DRIVER_PERIOD", "Outlet", "PartError", "Session", "is_due"]

DRIVER_PERIOD = 0.01
"""s between two calls of the driver; the command is constant in between."""


class Session:
    """Simulation of one vehicle with its driver on a ground, with motion cueing and outlets.

    Parameters
    ----------
    vehicle, ground, driver, cueing : see their classes
    outlets : called in this order
    h : length of a tick [s]; must divide the driver's period
    sensors : measure before the outlets are called
    weather : for sensors, sound and pictures
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
        self.weather = weather
        self.output = SessionOutlets(outlets)
        """Outlets, and the failures of parts that the session has dropped."""
        self.command: Record = record(COMMAND)
        self.seat = DriverSeat(driver, self.command)
        """The driver, and those who may take over."""
        self.soil = SoilMemory.of(ground)
        """Deformed soil of this session; only this session writes to it."""
        self.world = SessionObjects(ground, vehicle)
        """Objects of this session, and the collisions with them."""
        self.others = SessionVehicles(vehicle, self.world)
        """The other vehicles of this session."""
        self.assistance: Assistance | None = None
        """Driver assistance of the vehicle; None: it has none."""
        self.triggers = SessionTriggers(vehicle, self.others, self.world)
        """Triggers of this session."""
        self.course: SessionCourse | None = None
        """Timed course of this session; None without one."""
        self.preview: Closing | None = None
        """Preview of the plan of the driver, for the washout; None: another one, or none."""
        self.traffic: SessionTraffic | None = None
        """The traffic of this session, if it has any."""
        self.injector = SessionFaults(vehicle, ground.arrays._replace(ruts=self.soil.arrays, objects=self.objects.world))
        """Faults of this session."""
        rows = max(REMEMBERED, *(sensor.every + 1 for sensor in sensors)) if sensors else REMEMBERED
        self.watch = new_watch(float(ground.p[0]["gravity"]), vehicle.size, rows)
        self.measuring = SessionSensors(sensors, self.watch, ground, weather, self.soil, self.output.note_failure)
        """Sensors of this session."""
        self.recovery = VehicleRecovery(vehicle, ground, self.soil, self.injector.arrays, self.watch, h)
        self.tick = 0
        self.start_speed = 0.0
        """m/s. Speed of the vehicle after `reset`."""
        self.start_drop: float | None = None
        """m. Height above the ground from which the vehicle falls after `reset`; None: it stands in equilibrium, or rolls."""
        self.message_origins: Callable[[], AbstractContextManager[None]] = nullcontext
        """Context that names the user's file in errors of `reset`."""
        self.sound = SoundControls()
        """Volume, mute and horn, for an outlet that sounds."""
        self.turn_signals = TurnSignals()
        """Turn signals of the vehicle, for pictures."""
        self.place_check: Callable[[Session, float, float, float], None] | None = None
        """Checks a place (x, y [m], yaw [rad]) of the vehicle. Raises ConfigError: no ground, or an object is there."""
        self.paused = False
        self.platform_stopped = False
        """True after an operator has stopped the platform: it holds its pose, and nothing moves."""
        self.end_reason = ""
        """Reason for the end of the drive; empty while it continues."""
        self.waits = False
        """True before the drive begins, while the vehicle rests and the platform rises."""
        self.clock: Clock | None = None
        self.on_tick: list[Callable[[Session], None]] = []
        """Called after every tick in real time, within a few microseconds."""
        self._has_fault = self._closed = False
        vehicle.watch_blocks()
        self.call_driver_every(max(1, round(DRIVER_PERIOD / h)))
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
    def objects(self) -> ObjectSet:
        """Objects of this session; only this session moves them."""
        return self.world.objects

    @property
    def collisions(self) -> list[Collision]:
        """Collisions with objects so far. The last ones still grow while the vehicle touches the object."""
        return self.world.collisions.all

    @property
    def measurements(self) -> Measurements:
        """Last delivered measurement of each sensor by its name."""
        return self.measuring.measurements(self.time)

    @property
    def readout(self) -> Record:
        """READOUT record of the vehicle, up to date whenever an outlet or the driver is called."""
        return self.vehicle.readout

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of all records to log besides readout and command: of vehicle, rider, driver and sensors."""
        felt, live = ("", FELT, self.cueing.monitor.felt), ("", LIVE, self.cueing.monitor.live)
        touched = [self.world.collisions.logged] if len(self.objects) else []
        faults = [fault.logged for fault in self.injector.faults]
        sensors = [sensor.logged for sensor in self.measuring.sensors]
        others = [row for one in self.others.vehicles for row in one.logged]
        course = [] if self.course is None else [self.course.logged]
        assistance = [] if self.assistance is None else self.assistance.logged
        more = [*self.seat.logged, *assistance, *sensors, *faults, *others, *course, *self.triggers.logged]
        return [*self.vehicle.logged, felt, live, *touched, *self.cueing.washout.logged, *more]

    @property
    def platform_state(self) -> str:
        """State of the platform, one of `washout.platform_procedure.PLATFORM_STATES`."""
        return STOPPED if self.platform_stopped else self.cueing.procedure.state

    @property
    def moves(self) -> bool:
        """Whether the vehicle moves: False while paused, before the platform is up, and during the rest after an incident."""
        return not (self.paused or self.platform_stopped or self.waits or self.recovery.rests)

    def call_driver_every(self, ticks: int) -> None:
        """Call the driver every `ticks` ticks; the steering wheel reaches the commanded angle at the next call."""
        self.driver_every = ticks
        self.vehicle.model.steering[0]["input_time"] = ticks * self.h

    def reset(self, at: Sequence[float] | None = None) -> None:
        """Settle the vehicle at the start of the ground, or at (x [m], y [m], yaw [rad]) in W: at rest in neutral, or rolling in drive at
        `start_speed`; or hold it at `start_drop`.

        The platform moves smoothly to its neutral pose.
        """
        self.injector.begin(self.measuring.sensors, self.output.streams)
        x, y, yaw = self.ground.spawn if at is None else at
        with self.message_origins():
            if self.start_drop is None:
                self.vehicle.reset(self.ground, x, y, yaw, speed=self.start_speed)
            else:
                self.vehicle.drop(self.ground, x, y, yaw, self.start_drop)
        self.begin()

    def begin(self) -> None:
        """Begin the drive with the present state of the vehicle, which the caller has set as `reset` does."""
        self.injector.begin(self.measuring.sensors, self.output.streams)
        self.command[:] = np.zeros(1, self.command.dtype)
        self.seat.begin()
        self.turn_signals.switch(OFF)
        if self.start_speed > 0.0:
            # valid until the first call of the driver
            self.command[0]["selector"], self.command[0]["throttle"] = 1, self.vehicle.start_throttle
        if self.assistance is not None:
            self.assistance.begin(self.command)
        self.objects.reset()
        self.others.begin()
        if self.traffic is not None:
            self.traffic.begin(self.ground, self.injector.arrays, self.objects, self.vehicle, [one.vehicle for one in self.others.vehicles])
        self.recovery.begin()
        self.world.collisions.begin()
        self.triggers.begin()
        if self.course is not None:
            self.course.begin([one.name for one in self.others.competitors()], len(self.collisions))
        self._reset_motion()

    def set_upright(self) -> None:
        """Put the vehicle on its wheels at its present position, at rest. The platform moves smoothly to its neutral pose."""
        self.recovery.put_upright()
        self.world.collisions.begin()
        self._reset_motion()

    def place(self, x: float, y: float, yaw: float) -> None:
        """Put the vehicle on its wheels at x, y [m] with the heading yaw [rad], at rest. Time, driver, faults and objects go on.

        Raises ConfigError: there is no ground, an object is there, or the vehicle cannot be at rest there; nothing has changed.
        """
        if self.place_check is not None:
            self.place_check(self, x, y, yaw)
        if not self.recovery.put_at(x, y, yaw):
            raise ConfigError("drive", "place", [x, y], "a place at which the vehicle can be at rest; it is too steep there")
        self.world.collisions.begin()
        self._reset_motion()

    def warm(self) -> None:
        """Compile or load the kernels of a tick and of the driver in advance; nothing moves."""
        self.soil.warm()
        self._run_ticks(False, 0)
        platform_ticks(self.cueing.records, self.watch, 0)
        brake_platform(self.cueing.records.p, self.cueing.records.s, 0)
        self.recovery.load_kernels()
        self.seat.load_kernels(self.readout)
        if self.assistance is not None:
            self.assistance.load_kernels(self.readout)
        self.others.load_kernels()

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
        due = self.output.due(self.tick)
        sensing = self.measuring.due(self.tick) if self.moves else []
        if (due or sensing or self.tick % self.driver_every == 0) and self.recovery.latest is before:
            self.vehicle.read(self.command)
            self.others.read()
        self.measuring.deliver(self.time, self.clock is None)
        self.serve(due, sensing)

    def publish(self, served: Sequence[Outlet] = ()) -> None:
        """Call every outlet with the state before the first tick, except those in `served`."""
        self.vehicle.read(self.command)
        self.others.read()
        self.serve([outlet for outlet in self.output.outlets if outlet not in served], self.measuring.sensors)

    def run(self, duration: float, keep_going: Callable[[Session], bool] | None = None) -> None:
        """Simulate `duration` seconds as fast as possible, or until an incident, or until the driver or a trigger ends it.

        `keep_going(session)` is called every 0.1 s of simulated time.

        Raises
        ------
        PartError : the driver raised
        """
        outlets = (outlet.every if getattr(outlet, "often", 1) == 1 else 1 for outlet in self.output.outlets)
        turns = [self.driver_every, self.cueing.washout.every, *outlets, *(sensor.every for sensor in self.measuring.sensors)]
        stride = int(np.gcd.reduce(turns))
        left, before = round(duration / self.h), self.recovery.latest
        ending = self.driver if isinstance(self.driver, Ending) else None
        while left > 0 and self.recovery.latest is before:
            count = min(stride - self.tick % stride, left)  # an earlier run may have ended within a stride
            self.advance(count)
            left -= count
            if self.triggers.ended or (ending is not None and ending.ended):
                return
            if self.tick % 100 < count and keep_going is not None and not keep_going(self):
                return

    def close(self) -> None:
        """Close every outlet, also after errors. The last outlet is closed first, so that the motion stream ends before logs are written.

        Raises the first failure, after all are closed.
        """
        if not self._closed:
            self._closed = True
            self._announce("end", self.end_reason or None)
        self.cueing.washout.close()
        failures: list[JounceError] = []
        last = [] if self.preview is None else [self.preview]
        closing: list[Any] = [*last, *self.measuring.sensors, self.seat, self.others, *reversed(self.output.outlets)]
        for part in closing:
            try:
                part.close()
            except JounceError as error:
                failures.append(error)
            except BaseException as error:  # the other parts are still closed
                failures.append(PartError(part, error))
        if failures:
            raise failures[0]

    def call_driver(self) -> None:
        """Call the driver, which reads the readout and fills the command; also advance changes of cueing parameters. Raises PartError."""
        self.cueing.tuner.advance(self.driver_every * self.h)
        if self.course is not None:
            self.course.note(self.time, self.others.competitors(), self.objects, self.collisions, self._announce, self.seat.name)
        if self.traffic is not None:
            self.traffic.advance(self.time, self.objects)
        if self.assistance is not None:
            self.assistance.restore(self.command)
        try:
            objects = self.others.objects_for_first()
            self.seat.read(self.time, self.readout, lambda: self.measurements, objects, self.collisions, self.others.seen)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit of a plugin, because the platform must be parked
            raise PartError(self.driver, error) from error
        self.turn_signals.follow(float(self.readout[0]["steering_wheel_angle"]))
        phase = getattr(self.driver, "phase", "")
        if self.course is not None:
            self.course.hold(self.command, self.seat.name == PERSON)
        if self.assistance is not None:
            for occurrence in self.assistance.apply(self.time, self.readout, self.command, self.objects, self.driver):
                self._announce("assistance", occurrence)
        for acted in self.triggers.advance(self.time):
            self._announce("trigger", acted)
        self.others.call_drivers(self.time, phase)
        changed = self.injector.advance(self.time, phase, self.command, self.measuring.sensors, self.output.streams)
        for fault in changed:
            self._announce("fault", {"part": fault.name, "begins": fault.level > 0.0})

    def announce(self, event: Event) -> None:
        """Let every outlet hear an event that has taken effect."""
        self.output.announce(self, event)

    def serve(self, outlets: Sequence[Outlet], sensors: Sequence[MountedSensor] = ()) -> None:
        """Call sensors, then outlets, with the present readout."""
        self.measuring.measure(sensors, self.time, self.readout, self.objects, lambda: self.others.states, self.clock is None)
        if outlets:
            seen = self.watch.state[0]
            self.cueing.monitor.update(seen["f_H_B"], seen["w_WB_B"])  # the motion that the driver's head feels
        self.output.publish(self, outlets)

    def move(self, count: int) -> None:
        """Run `count` ticks of vehicle and platform. The state is valid afterwards, because an invalid state is replaced."""
        runs = self.moves
        if self.cueing.washout.every:
            # while the platform rises, the preview shows the beginning of the drive
            self.cueing.washout.serve(0.0 if self.waits else self.time, self.clock is None)
            self.output.note_failure(self.cueing.washout.trouble)
        self.tick += count
        if self.platform_stopped:
            brake_platform(self.cueing.records.p, self.cueing.records.s, count)
            return
        if self.waits and not self.paused:
            platform_ticks(self.cueing.records, self.watch, count)
            return
        self._run_ticks(runs, count)
        if self.tick % self.driver_every < count:
            self._serve_soil()
            self._announce_fault()
            self._announce_others()
        for collision in self.world.read_collisions() if runs else ():
            self._announce("collision", collision.to_json())
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

    def _run_ticks(self, runs: bool, count: int) -> None:
        """Run `count` ticks; the vehicle moves if `runs`."""
        v, arrays, others = self.vehicle, self.injector.arrays, self.others
        arguments = (v.model, v.space, arrays, self.cueing.records, self.watch, self.command, others.rows)
        if self._ticks is None:
            self._ticks = compiled_call(ticks, *arguments, runs, count)
        if not others.mixed:
            self._ticks(*arguments, runs, count)
            return
        for _ in range(count):
            self._ticks(*arguments, runs, 1)
            if runs:
                others.step_mixed(arrays, self.h)
                runs = bool(self.watch.state[0]["verdict"] == VALID)

    def _announce(self, kind: str, value: Any) -> None:
        """Announce an occurrence of the simulation at the present tick."""
        self.announce(Event(kind, value, Origin.SESSION, self.tick, shown_time(self.time), self.waits))

    def _announce_fault(self) -> None:
        """Announce that the platform has a fault, once."""
        has_fault = self.cueing.procedure.state_number == FAULT
        if has_fault and not self._has_fault:
            self._announce("fault", {"part": "platform", "begins": True})
        self._has_fault = has_fault

    def _announce_others(self) -> None:
        """Announce collisions and stops of the other vehicles."""
        for collision in self.others.read_collisions():
            self._announce("collision", collision.to_json())
        for one in self.others.newly_stopped():
            self._announce("vehicle_stopped", one.to_json())
        for fault, begins in self.others.changed_faults():
            self._announce("fault", {"part": fault, "begins": begins})

    def _serve_soil(self) -> None:
        """Load the ruts around the vehicles into the arrays of the kernels."""
        place = self.vehicle.space.state[0]["p_WB"]
        self.soil.load_tiles_around(float(place[0]), float(place[1]), self.others.places())

    def _reset_motion(self) -> None:
        """Reset ruts, readout and cueing after the vehicle was moved; the acceleration and rotation from before are discarded."""
        self._serve_soil()
        self.vehicle.read(self.command)
        self.measuring.begin(self.time, self.readout)
        self.watch.state[0]["f_H_B"] = self.vehicle.space.out[0]["f_H_B"]
        self.watch.state[0]["w_WB_B"] = 0.0
        self.cueing.reset()
