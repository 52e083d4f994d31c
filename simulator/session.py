"""Session: one vehicle, its driver, the ground, the motion cueing and the outlets. `Session.advance` is the main loop.

    driver -> Command -> vehicle on ground -> washout -> platform pose -> outlets (view, motion stream, telemetry)

Headless runs execute the same ticks with other outlets and without a clock.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.fast_call import compiled_call
from simulator.base.records import Record, Table, record
from simulator.base.rotations import rotation_of_quaternion
from simulator.clock import Clock
from simulator.driver.contract import DriverRunner
from simulator.incident import Incident, Places, is_upright, new_incident
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.tick import UNDER_GROUND, VALID, new_watch, platform_ticks, ticks
from terrain.composite_height import composed_height_and_normal
from terrain.ground import Ground
from terrain.rut_memory import SoilMemory
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing, brake_platform
from washout.cueing_monitor import LIVE
from washout.perceived_motion import FELT

DRIVER_PERIOD = 0.01
"""s between two calls of the driver; the command is constant in between."""
PLACE_PERIOD = 0.5
"""s of driving between two saved positions to which the vehicle may be put back."""
HOLD_TIME = 1.0
"""s. Minimum time for which the vehicle rests after it was put back; it also rests until the platform motion has faded."""
FADED = 1e-3
"""1. Gain of the washout in the platform pose below which the motion counts as faded."""
MAX_IN_A_ROW = 5
"""Number of incidents without half a second of valid driving in between after which the drive is stopped."""
BURIED = 3.0
"""m below the ground at which a vehicle counts as fallen through the ground."""
CLEARANCE = 0.02
"""m between the ground and the wheels of a vehicle that is put at a position without equilibrium."""


class Driver(Protocol):
    """Source of the command: a human driver, a script, a path follower."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at simulated time t [s] from the READOUT record."""


@runtime_checkable
class Logged(Protocol):
    """Driver that logs more than the command, for example the phase of the maneuver."""

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of each logged record."""


@runtime_checkable
class Ending(Protocol):
    """Driver that ends by itself, for example at the end of a maneuver."""

    ended: str
    """Reason of the end; empty while the driver runs."""


class Outlet(Protocol):
    """Consumer of the results of a tick: window, telemetry, motion stream.

    An outlet with an attribute `often` is called `often` times in `every` ticks, at even distances.
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
    """

    def __init__(
        self,
        vehicle: Vehicle,
        ground: Ground,
        driver: Driver,
        cueing: MotionCueing,
        outlets: Sequence[Outlet],
        h: float = 1e-3,
        sensors: Sequence[MountedSensor] = (),
    ) -> None:
        if h != cueing.h:
            raise ValueError(f"tick lengths differ; session {h} s, motion cueing {cueing.h} s")
        self.vehicle, self.ground, self.driver, self.cueing, self.h = vehicle, ground, driver, cueing, h
        self.outlets, self.sensors = list(outlets), list(sensors)
        self.command: Record = record(COMMAND)
        self.soil = SoilMemory.of(ground)
        """Deformed soil of this session; only this session writes to it."""
        self.arrays = ground.arrays._replace(ruts=self.soil.arrays)
        self.watch = new_watch(float(ground.p[0]["gravity"]), vehicle.size)
        self.tick = 0
        self.start_speed = 0.0
        """m/s. Speed of the vehicle after `reset`."""
        self.paused = False
        self.waits = False
        """True before the drive begins, while the vehicle rests and the platform rises."""
        self.clock: Clock | None = None
        self.driver_every = max(1, round(DRIVER_PERIOD / h))
        self.latest: Incident | None = None
        """The latest incident; None without incidents."""
        self.failures: list[JounceError] = []
        """Errors of outlets, sensors and plugin washouts. The session closed or dropped each failed part and continued without it."""
        self._known_failures: set[str] = set()
        vehicle.watch_blocks()
        vehicle.model.steering[0]["input_time"] = (
            self.driver_every * h
        )  # the steering wheel reaches the commanded angle at the next call of the driver
        self._ticks: Callable | None = None
        self._places = Places()
        self._place_every = max(1, round(PLACE_PERIOD / h))
        self._rest_ticks = 0
        self._in_a_row = 0

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.vehicle.space.state[0]["time"])

    @property
    def readout(self) -> Record:
        """READOUT record of the vehicle, up to date whenever an outlet or the driver is called."""
        return self.vehicle.readout

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of all records to log besides readout and command: of vehicle, rider, driver and sensors."""
        own = self.driver.logged if isinstance(self.driver, Logged) else []
        felt, live = ("", FELT, self.cueing.monitor.felt), ("", LIVE, self.cueing.monitor.live)
        return [*self.vehicle.logged, felt, live, *self.cueing.washout.logged, *own, *(sensor.logged for sensor in self.sensors)]

    @property
    def moves(self) -> bool:
        """Whether the vehicle moves: False while paused, before the platform is up, and during the rest after an incident."""
        return not self.paused and not self.waits and self._rest_ticks == 0

    @property
    def incident(self) -> int:
        """Number of the incident after which the vehicle still rests; 0 if there is none."""
        return self.latest.number if self.latest is not None and self._rest_ticks > 0 else 0

    def reset(self) -> None:
        """Settle the vehicle at the start of the ground: at rest in neutral, or rolling in drive at `start_speed`.

        The platform moves smoothly to its neutral pose.
        """
        self.vehicle.reset(self.ground, *self.ground.spawn, speed=self.start_speed)
        self.begin()

    def begin(self) -> None:
        """Begin the drive with the present state of the vehicle, which the caller has set as `reset` does."""
        self.command[:] = np.zeros(1, self.command.dtype)
        if self.start_speed > 0.0:
            # valid until the first call of the driver
            self.command[0]["selector"], self.command[0]["throttle"] = 1, self.vehicle.start_throttle
        self._places.clear()
        self._rest_ticks = self._in_a_row = 0
        self._reset_motion()

    def upright(self) -> None:
        """Put the vehicle on its wheels at its present position, at rest. The platform moves smoothly to its neutral pose."""
        x, y, _ = self.vehicle.space.state[0]["p_WB"]
        self._put(float(x), float(y), self._heading())
        self._rest_ticks = 0
        self._reset_motion()

    def warm(self) -> None:
        """Compile or load the kernels of a tick in advance; nothing moves."""
        v = self.vehicle
        self.soil.warm()
        ticks(v.model, v.space, self.arrays, self.cueing.records, self.watch, self.command, False, 0)
        platform_ticks(self.cueing.records, self.watch, 0)
        brake_platform(*self.cueing.records[:2], 0)

    def advance(self, count: int = 1) -> None:
        """Simulate `count` ticks, then call the outlets that are due. `count` must not skip a tick at which an outlet or the driver is due.

        Raises
        ------
        PartError : the driver raised; nothing has moved since
        JounceError : the state of the vehicle fails repeatedly, at every position
        """
        if self.tick % self.driver_every == 0:
            self.call_driver()
        before = self.latest
        self._move(count)
        due = [outlet for outlet in self.outlets if is_due(outlet, self.tick)]
        sensing = [sensor for sensor in self.sensors if self.tick % sensor.every == 0] if self.moves else []
        if (due or sensing or self.tick % self.driver_every == 0) and self.latest is before:
            self.vehicle.read(self.command)
        self._serve(due, sensing)

    def raise_platform(self) -> None:
        """Engage the platform before the first tick. Without this, the drive would begin with a parked platform.

        No outlet is called, and no simulated time passes.
        """
        every = self.cueing.washout.every
        stride = math.gcd(self.driver_every, every) if every else self.driver_every
        with self._waiting_for_platform() as rises:
            while rises():
                for _ in range(self.driver_every // stride):
                    self._move(stride)

    def wait_for_platform(self, keep_going: Callable[[], bool], outlets: Sequence[Outlet]) -> None:
        """Engage the platform in real time before `drive`, until `keep_going()` returns False; `outlets` are called meanwhile."""

        def tick() -> None:
            self._move(1)
            due = [outlet for outlet in outlets if is_due(outlet, self.tick) and outlet in self.outlets]
            if due:
                self.vehicle.read(self.command)
                self._serve(due, ())

        with self._waiting_for_platform() as rises:
            self._in_real_time(self.cueing.procedure.rise_time, lambda: keep_going() and rises(), tick)
            if self.cueing.procedure.state != "engaged":
                self._to_common_tick([outlet for outlet in outlets if hasattr(outlet, "often")], tick)

    def _to_common_tick(self, streams: Sequence[Outlet], tick: Callable[[], None]) -> None:
        """Continue until every stream is due in the same tick.

        The ticks restart at 0 when the drive begins. Otherwise the next packet of a stream would contain more or less motion than its time
        stamp states, and the platform would jolt. Rates that coincide less than once per second are ignored.
        """
        assert self.clock is not None
        stride = math.lcm(self.driver_every, *(stream.every for stream in streams))
        if stride * self.h > 1.0 + 1e-9:
            return
        for _ in range(-self.tick % stride):
            self.clock.wait()
            tick()

    @contextlib.contextmanager
    def _waiting_for_platform(self) -> Iterator[Callable[[], bool]]:
        """Begin the drive with tick 0 on exit. Yield a function that returns whether the platform still rises."""
        self.waits, last = True, self.tick + round(self.cueing.procedure.rise_time / self.h)
        try:
            yield lambda: self.cueing.procedure.rises and self.tick < last
        finally:
            self.waits, self.tick = False, 0
            self.cueing.monitor.begin_dose()

    def publish(self, served: Sequence[Outlet] = ()) -> None:
        """Call every outlet with the state before the first tick, except those in `served`."""
        self.vehicle.read(self.command)
        self._serve([outlet for outlet in self.outlets if outlet not in served], self.sensors)

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
        left, before = round(duration / self.h), self.latest
        ending = self.driver if isinstance(self.driver, Ending) else None
        while left > 0 and self.latest is before:
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
        self.clock = Clock(self.h)
        self.clock.start()
        end = self.time + duration
        go_on = True
        while go_on and self.time < end:
            self._run_driver_period(self.advance)
            go_on = keep_going(self)

    def coast(self, duration: float, keep_going: Callable[[], bool], outlets: Sequence[Outlet]) -> None:
        """Continue in real time after `drive` while the platform parks, until `keep_going()` returns False.

        The vehicle does not move. The driver is not called, and of the outlets only `outlets`, so that the error that ended the drive
        cannot end this as well.
        """
        self.paused = True
        left = [outlet for outlet in outlets if outlet in self.outlets]

        def tick() -> None:
            self._move(1)
            if any(self.tick % outlet.every == 0 for outlet in left):
                self._update_felt_motion()
            for outlet in left:
                if is_due(outlet, self.tick) and outlet in self.outlets:
                    self._publish(outlet)

        self._in_real_time(duration, keep_going, tick)

    def stop_platform(self, duration: float, outlets: Sequence[Outlet]) -> None:
        """Stop the platform at its present pose as fast as its limits allow, and hold it for the rest of `duration` [s]."""
        self.paused = True

        def tick() -> None:
            brake_platform(*self.cueing.records[:2], 1)
            self.tick += 1
            for outlet in outlets:
                if is_due(outlet, self.tick) and outlet in self.outlets:
                    self._publish(outlet)

        self._in_real_time(duration, lambda: True, tick)

    def close(self) -> None:
        """Close every outlet, also after errors. The last outlet is closed first, so that the motion stream ends before logs are written.

        Raises the first failure, after all are closed.
        """
        self.cueing.washout.close()
        for sensor in self.sensors:
            sensor.close()
        if isinstance(self.driver, DriverRunner):
            self.driver.close()
        failures: list[JounceError] = []
        for outlet in reversed(self.outlets):
            try:
                outlet.close()
            except JounceError as error:
                failures.append(error)
            except BaseException as error:  # the other outlets are still closed
                failures.append(PartError(outlet, error))
        if failures:
            raise failures[0]

    def _in_real_time(self, duration: float, keep_going: Callable[[], bool], tick: Callable[[], None]) -> None:
        if self.clock is None:
            self.clock = Clock(self.h)
            self.clock.start()
        for _ in range(round(duration / self.h / self.driver_every)):
            self._run_driver_period(tick)
            if not keep_going():
                return

    def _run_driver_period(self, tick: Callable[[], None]) -> None:
        """Run the ticks of one driver period, each at its time."""
        assert self.clock is not None
        for _ in range(self.driver_every):
            self.clock.wait()
            tick()

    def call_driver(self) -> None:
        """Call the driver, which reads the readout and fills the command; also advance changes of cueing parameters. Raises PartError."""
        self.cueing.tuner.advance(self.driver_every * self.h)
        try:
            self.driver.read(self.time, self.readout, self.command)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit of a plugin, because the platform must be parked
            raise PartError(self.driver, error) from error

    def _serve(self, outlets: Sequence[Outlet], sensors: Sequence[MountedSensor]) -> None:
        """Call sensors, then outlets, with the present readout."""
        for sensor in sensors:
            sensor.serve(self.time, self.readout, self.clock is None)
            self._record_failure(sensor.trouble)
        if outlets:
            self._update_felt_motion()
        for outlet in outlets:
            self._publish(outlet)

    def _update_felt_motion(self) -> None:
        """Update the motion that the driver's head feels, for the telemetry."""
        seen = self.watch.state[0]
        self.cueing.monitor.update(seen["f_H_B"], seen["w_WB_B"])

    def _record_failure(self, text: str) -> None:
        """Record a failure of a plugin, once per text."""
        if text and text not in self._known_failures:
            self._known_failures.add(text)
            self.failures.append(JounceError(text))

    def _publish(self, outlet: Outlet) -> None:
        """Call one outlet; an outlet that raises is closed and removed."""
        try:
            outlet.publish(self)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.failures.append(PartError(outlet, error))
            self.outlets.remove(outlet)
            try:
                outlet.close()
            except BaseException as second:
                self.failures[-1].add_note(f"also while closing: {type(second).__name__}: {second}")

    def _move(self, count: int) -> None:
        """Run `count` ticks of vehicle and platform. The state is valid afterwards, because an invalid state is replaced."""
        v, runs = self.vehicle, self.moves
        if self.cueing.washout.every:
            # while the platform rises, the preview shows the beginning of the drive
            self.cueing.washout.serve(0.0 if self.waits else self.time, self.clock is None)
            self._record_failure(self.cueing.washout.trouble)
        self.tick += count
        if self.waits and not self.paused:
            platform_ticks(self.cueing.records, self.watch, count)
            return
        arguments = (v.model, v.space, self.arrays, self.cueing.records, self.watch, self.command, runs, count)
        if self._ticks is None:
            self._ticks = compiled_call(ticks, *arguments)
        self._ticks(*arguments)
        if self.tick % self.driver_every < count:
            self._serve_soil()
        if self.watch.state[0]["verdict"] != VALID:
            self._recover()
        elif runs and self.tick % self._place_every < count:
            self._save_place()
        elif self._rest_ticks > 0 and not self.paused:
            self._rest_ticks = max(0, self._rest_ticks - count)
            if self._rest_ticks == 0 and self.cueing.readout[0]["gain"] > FADED:
                self._rest_ticks = count

    def _serve_soil(self) -> None:
        """Load the ruts around the vehicle into the arrays of the kernels."""
        place = self.vehicle.space.state[0]["p_WB"]
        self.soil.serve(float(place[0]), float(place[1]))

    def _save_place(self) -> None:
        """Save the position of the vehicle if it is upright and not below the ground."""
        state = self.vehicle.space.state[0]
        x, y, z = (float(value) for value in state["p_WB"])
        depth = self.ground.height(x, y) - z
        if depth > BURIED:
            self.watch.state[0]["verdict"], self.watch.state[0]["size"] = UNDER_GROUND, depth
            self._recover()
        elif is_upright(state["q_WB"]):
            self._in_a_row = 0
            self._places.add(self.time, x, y, self._heading())

    def _recover(self) -> None:
        """Put the vehicle back at rest at the last valid position, until the platform motion has faded."""
        number = 1 if self.latest is None else self.latest.number + 1
        self.latest = incident = new_incident(number, self.watch, self.vehicle.model.corners[0]["ends"]["theta"], self.vehicle.corner_names)
        self.watch.state[0]["verdict"] = VALID
        self.watch.state[0]["ticks"] = 0
        self.vehicle.space.state[0]["time"] = incident.time
        self._in_a_row += 1
        seen = self.readout.copy()
        place = self._places.take(incident.time)
        while place is not None and not self._settle_at(*place):
            place = self._places.take(incident.time)
        if place is None:
            self._put(*self.ground.spawn)
        self._serve_soil()
        self._rest_ticks = max(1, round(HOLD_TIME / self.h))
        # outlets called in this tick still receive the last valid state, not the new position
        self.readout[:] = seen
        self.readout[0]["time"] = incident.time
        if self._in_a_row >= MAX_IN_A_ROW:
            self.paused = True
            raise JounceError(f"{incident.message}; stopping the drive because the incident repeats at every position")

    def _put(self, x: float, y: float, yaw: float) -> None:
        """Put the vehicle at a position, in equilibrium. Without an equilibrium, put it just above the ground and parallel to it."""
        if self._settle_at(x, y, yaw):
            return
        time, n = self.time, np.empty(3)
        z = float(composed_height_and_normal(self.arrays, x, y, n))
        c, s = math.cos(yaw), math.sin(yaw)
        slope_ahead, slope_left = -(c * n[0] + s * n[1]) / n[2], -(c * n[1] - s * n[0]) / n[2]
        pitch = -math.atan(slope_ahead)
        roll = math.atan(slope_left * math.cos(pitch))
        v = self.vehicle
        v.place(np.array([x, y, z]), roll, pitch, yaw)
        v.read()
        hubs = v.readout[0]["p_WB"] + v.readout[0]["p_BK"] @ _rotation(v.readout[0]["q_WB"]).T
        v.space.state[0]["p_WB"][2] += CLEARANCE + max(
            self.ground.height(hub[0], hub[1]) + radius - hub[2] for hub, radius in zip(hubs, v.model.tires["radius"], strict=True)
        )
        v.space.state[0]["time"], v.space.out[0]["f_H_B"] = time, (0.0, 0.0, self.ground.p[0]["gravity"])

    def _settle_at(self, x: float, y: float, yaw: float) -> bool:
        """Bring the vehicle into equilibrium at a position. Return False if there is none. The simulated time does not change."""
        time = self.time
        try:
            self.vehicle.reset(self.ground, x, y, yaw)
        except JounceError:
            return False
        finally:
            self.vehicle.space.state[0]["time"] = time
        return True

    def _heading(self) -> float:
        """Return the heading of the vehicle over ground [rad], also when it is upside down."""
        R = _rotation(self.vehicle.space.state[0]["q_WB"])
        return math.atan2(R[1, 0], R[0, 0])

    def _reset_motion(self) -> None:
        """Reset ruts, readout and cueing after the vehicle was moved; the acceleration and rotation from before are discarded."""
        self._serve_soil()
        self.vehicle.read(self.command)
        self.watch.state[0]["f_H_B"] = self.vehicle.space.out[0]["f_H_B"]
        self.watch.state[0]["w_WB_B"] = 0.0
        self.cueing.reset()


def _rotation(q_WB: Any) -> Any:
    R = np.empty((3, 3))
    rotation_of_quaternion(np.ascontiguousarray(q_WB), R)
    return R
