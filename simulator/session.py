"""One tick, one run. Read `Session.advance` first: it is the whole program from left to right.

    driver -> Command -> vehicle on ground -> washout -> platform pose -> outlets (view, motion stream, telemetry)

Headless runs are the same ticks with other outlets and no clock.
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
from simulator.tick import SOUND, UNDER_GROUND, brake_platform, cueing_records, new_watch, platform_ticks, ticks
from terrain.composite_height import composed_height_and_normal
from terrain.ground import Ground
from terrain.rut_memory import SoilMemory
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.perceived_motion import FELT

DRIVER_PERIOD = 0.01
"""s between two looks of the driver at the vehicle; the command is held in between."""
PLACE_PERIOD = 0.5
"""s of driving between two places to which the vehicle may be put back."""
HOLD_TIME = 1.0
"""s at least that the vehicle stands where it was put back, and until the platform has faded."""
FADED = 1e-3
"""1. Share of the washout in the platform's pose below which it has faded."""
MOST_IN_A_ROW = 5
"""Incidents without a healthy half second between them after which the vehicle counts as one that cannot be driven."""
BURIED = 3.0
"""m below the ground at which a vehicle has fallen through it."""
CLEARANCE = 0.02
"""m between the ground and the wheels of a vehicle that is put where it finds no equilibrium."""


class Driver(Protocol):
    """Who gives the command: a person, a script, a path follower."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at simulated time t [s] from the READOUT record."""


@runtime_checkable
class Logged(Protocol):
    """A driver who has more to log than the command: the phase of his maneuver, say."""

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) each."""


@runtime_checkable
class Ending(Protocol):
    """A driver who knows when what he drives is over."""

    ended: str
    """How it ended; empty while it goes on."""


class Outlet(Protocol):
    """Something on the right of the tick: window, telemetry, motion stream.

    One that has an attribute `often` has so many turns in `every` ticks, evenly spread.
    """

    every: int
    """Ticks between two publications."""

    def publish(self, session: Session) -> None:
        """Called every `every` ticks, after the readout is up to date."""

    def close(self) -> None:
        """Called once at the end, also after an error."""


def is_due(outlet: Outlet, tick: int) -> bool:
    """Whether a tick is a turn of an outlet; see `simulator.base.rates.Turns`."""
    often: int = getattr(outlet, "often", 1)
    return tick * often % outlet.every < often


class PartError(JounceError):
    """Driver or outlet raised what they should not; `__cause__` is what."""

    def __init__(self, part: object, error: BaseException) -> None:
        text = str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}".rstrip(": ")
        super().__init__(f"{type(part).__name__} failed: {text}")
        self.part = part
        self.__cause__ = error


class Session:
    """A vehicle with its driver on a ground, with motion cueing and outlets.

    Parameters
    ----------
    vehicle, ground, driver, cueing : see their classes
    outlets : called in this order
    h : length of a tick [s]; it divides the driver's period
    sensors : measure before outlets are called
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
            raise ValueError(f"ticks of {h} s, and a motion cueing that was made for ticks of {cueing.h} s")
        self.vehicle, self.ground, self.driver, self.cueing, self.h = vehicle, ground, driver, cueing, h
        self.outlets, self.sensors = list(outlets), list(sensors)
        self.command: Record = record(COMMAND)
        self.soil = SoilMemory.of(ground)
        """What this session remembers of the soil; nobody else writes there."""
        self.arrays = ground.arrays._replace(ruts=self.soil.arrays)
        self.cueing_records = cueing_records(cueing)
        self.watch = new_watch(float(ground.p[0]["gravity"]), vehicle.size)
        self.tick = 0
        self.start_speed = 0.0
        """m/s. Speed at which the vehicle rolls after `reset`."""
        self.paused = False
        self.waits = False
        """Whether the vehicle stands because the drive has not begun: the platform is on its way up."""
        self.clock: Clock | None = None
        self.driver_every = max(1, round(DRIVER_PERIOD / h))
        self.latest: Incident | None = None
        """The last incident so far."""
        self.failures: list[JounceError] = []
        """Of outlets that raised, each closed, and of sensors and a washout from outside that were dropped: the session went on without."""
        self._known_troubles: set[str] = set()
        vehicle.watch_blocks()
        vehicle.model.steering[0]["input_time"] = (
            self.driver_every * h
        )  # the hands are where they are asked to be at the driver's next look
        self._ticks: Callable | None = None
        self._places = Places()
        self._place_every = max(1, round(PLACE_PERIOD / h))
        self._held = 0
        self._in_a_row = 0

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.vehicle.space.state[0]["time"])

    @property
    def readout(self) -> Record:
        """The vehicle's READOUT record, up to date whenever an outlet or the driver is called."""
        return self.vehicle.readout

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """What is worth a log beside readout and command, (prefix, table, record) each: of the vehicle, the rider, the driver and the sensors."""
        own = self.driver.logged if isinstance(self.driver, Logged) else []
        return [*self.vehicle.logged, ("", FELT, self.cueing.felt), *self.cueing.logged, *own, *(sensor.logged for sensor in self.sensors)]

    @property
    def moves(self) -> bool:
        """Whether the vehicle moves: not while paused, nor before the platform is up, nor while it is held after an incident."""
        return not self.paused and not self.waits and self._held == 0

    @property
    def incident(self) -> int:
        """Number of the incident after which the vehicle is held, 0 when all is well."""
        return self.latest.number if self.latest is not None and self._held > 0 else 0

    def reset(self) -> None:
        """Put the vehicle, settled, on the ground's start: at rest and in neutral, or rolling in drive at `start_speed`. The platform glides
        to neutral, it does not step."""
        self.vehicle.reset(self.ground, *self.ground.spawn, speed=self.start_speed)
        self.begin()

    def begin(self) -> None:
        """Have the drive begin with the vehicle as it is, which its owner has put where `reset` would."""
        self.command[:] = np.zeros(1, self.command.dtype)
        if self.start_speed > 0.0:
            # until the driver is asked
            self.command[0]["selector"], self.command[0]["throttle"] = 1, self.vehicle.start_throttle
        self._places.clear()
        self._held = self._in_a_row = 0
        self._jump()

    def upright(self) -> None:
        """Put the vehicle on its wheels where it is, at rest. The platform glides to neutral, it does not step."""
        x, y, _ = self.vehicle.space.state[0]["p_WB"]
        self._stand(float(x), float(y), self._heading())
        self._held = 0
        self._jump()

    def warm(self) -> None:
        """Have the kernels of a tick compiled (or loaded) before the first one is due; nothing moves."""
        v = self.vehicle
        self.soil.warm()
        ticks(v.model, v.space, self.arrays, self.cueing_records, self.watch, self.command, False, 0)
        platform_ticks(self.cueing_records, self.watch, 0)
        brake_platform(self.cueing_records, 0)

    def advance(self, count: int = 1) -> None:
        """`count` ticks, from left to right; outlets and driver are served at their own rates, which `count` must not straddle.

        Raises
        ------
        PartError : the driver raised; nothing has moved since
        JounceError : the vehicle fails again and again wherever it is put
        """
        if self.tick % self.driver_every == 0:
            self.ask_driver()
        before = self.latest
        self._move(count)
        due = [outlet for outlet in self.outlets if is_due(outlet, self.tick)]
        sensing = [sensor for sensor in self.sensors if self.tick % sensor.every == 0] if self.moves else []
        if (due or sensing or self.tick % self.driver_every == 0) and self.latest is before:
            self.vehicle.read(self.command)
        self._serve(due, sensing)

    def raise_platform(self) -> None:
        """Have the platform engaged before the first tick, or the drive would begin without it; nobody is served, and no time passes."""
        every = self.cueing.every
        stride = math.gcd(self.driver_every, every) if every else self.driver_every
        with self._waiting() as rises:
            while rises():
                for _ in range(self.driver_every // stride):
                    self._move(stride)

    def wait_for_platform(self, keep_going: Callable[[], bool], outlets: Sequence[Outlet]) -> None:
        """The same in real time, before `drive`, until `keep_going()` says no; `outlets` are served meanwhile."""

        def tick() -> None:
            self._move(1)
            due = [outlet for outlet in outlets if is_due(outlet, self.tick) and outlet in self.outlets]
            if due:
                self.vehicle.read(self.command)
                self._serve(due, ())

        with self._waiting() as rises:
            self._in_real_time(self.cueing.rise_time, lambda: keep_going() and rises(), tick)
            if self.cueing.state != "engaged":
                self._to_common_turn([outlet for outlet in outlets if hasattr(outlet, "often")], tick)

    def _to_common_turn(self, streams: Sequence[Outlet], tick: Callable[[], None]) -> None:
        """Go on until every stream has its turn in the same tick: where ticks begin anew in between, its next packet would hold more or less
        motion than the time that it says, a jolt for a platform on its way. Rates that meet more seldom than once in a second are left alone."""
        assert self.clock is not None
        stride = math.lcm(self.driver_every, *(stream.every for stream in streams))
        if stride * self.h > 1.0 + 1e-9:
            return
        for _ in range(-self.tick % stride):
            self.clock.wait()
            tick()

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[Callable[[], bool]]:
        """The drive begins with tick 0 when this is left; gives a function that says whether there still is something to wait for."""
        self.waits, last = True, self.tick + round(self.cueing.rise_time / self.h)
        try:
            yield lambda: self.cueing.rises and self.tick < last
        finally:
            self.waits, self.tick = False, 0
            self.cueing.begin_dose()

    def publish(self, served: Sequence[Outlet] = ()) -> None:
        """Serve every outlet now, for the state before the first tick, but for those that were `served` already."""
        self.vehicle.read(self.command)
        self._serve([outlet for outlet in self.outlets if outlet not in served], self.sensors)

    def run(self, duration: float, keep_going: Callable[[Session], bool] | None = None) -> None:
        """Simulate `duration` seconds as fast as the machine can, or until an incident, or until what the driver drives is over.

        `keep_going(session)` is asked every tenth of a second of simulated time.

        Raises
        ------
        PartError : the driver raised
        """
        outlets = (outlet.every if getattr(outlet, "often", 1) == 1 else 1 for outlet in self.outlets)
        turns = [self.driver_every, self.cueing.every, *outlets, *(sensor.every for sensor in self.sensors)]
        stride = int(np.gcd.reduce(turns))
        left, before = round(duration / self.h), self.latest
        ending = self.driver if isinstance(self.driver, Ending) else None
        while left > 0 and self.latest is before:
            count = min(stride - self.tick % stride, left)  # an earlier run may have ended between two strides
            self.advance(count)
            left -= count
            if ending is not None and ending.ended:
                return
            if self.tick % 100 < count and keep_going is not None and not keep_going(self):
                return

    def drive(self, duration: float, keep_going: Callable[[Session], bool]) -> None:
        """Simulate in real time for `duration` seconds or until `keep_going(session)` says no; it is asked a hundred times a second.

        Raises
        ------
        PartError, JounceError : as `advance`
        """
        self.clock = Clock(self.h)
        self.clock.start()
        end = self.time + duration
        go_on = True
        while go_on and self.time < end:
            self._beat(self.advance)
            go_on = keep_going(self)

    def coast(self, duration: float, keep_going: Callable[[], bool], outlets: Sequence[Outlet]) -> None:
        """Go on in real time after `drive` for the platform's way back, until `keep_going()` says no.

        The vehicle does not move, and nobody is asked or served but `outlets`: whatever ended the drive does not end this.
        """
        self.paused = True
        left = [outlet for outlet in outlets if outlet in self.outlets]

        def tick() -> None:
            self._move(1)
            if any(self.tick % outlet.every == 0 for outlet in left):
                self._feel()
            for outlet in left:
                if is_due(outlet, self.tick) and outlet in self.outlets:
                    self._publish(outlet)

        self._in_real_time(duration, keep_going, tick)

    def stop_platform(self, duration: float, outlets: Sequence[Outlet]) -> None:
        """Bring the platform to a stop where it is, as fast as its limits allow, and hold it for the rest of `duration` [s]."""
        self.paused = True

        def tick() -> None:
            brake_platform(self.cueing_records, 1)
            self.tick += 1
            for outlet in outlets:
                if is_due(outlet, self.tick) and outlet in self.outlets:
                    self._publish(outlet)

        self._in_real_time(duration, lambda: True, tick)

    def close(self) -> None:
        """Close every outlet, the last one first (the motion stream ends before logs are written), whatever happens in one of them.

        Raises the first failure, after all are closed.
        """
        self.cueing.close()
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
            except BaseException as error:  # the others are closed all the same
                failures.append(PartError(outlet, error))
        if failures:
            raise failures[0]

    def _in_real_time(self, duration: float, keep_going: Callable[[], bool], tick: Callable[[], None]) -> None:
        if self.clock is None:
            self.clock = Clock(self.h)
            self.clock.start()
        for _ in range(round(duration / self.h / self.driver_every)):
            self._beat(tick)
            if not keep_going():
                return

    def _beat(self, tick: Callable[[], None]) -> None:
        """Ticks of one driver period, each at its time."""
        assert self.clock is not None
        for _ in range(self.driver_every):
            self.clock.wait()
            tick()

    def ask_driver(self) -> None:
        """Have the driver look at the vehicle and give his command; what he has changed of the motion goes on. Raises PartError."""
        self.cueing.adjust(self.driver_every * self.h)
        try:
            self.driver.read(self.time, self.readout, self.command)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit of a plug-in too: the platform still has to be parked
            raise PartError(self.driver, error) from error

    def _serve(self, outlets: Sequence[Outlet], sensors: Sequence[MountedSensor]) -> None:
        """Have sensors measure and outlets publish what the readout says."""
        for sensor in sensors:
            sensor.serve(self.time, self.readout, self.clock is None)
            self._note_trouble(sensor.trouble)
        if outlets:
            self._feel()
        for outlet in outlets:
            self._publish(outlet)

    def _feel(self) -> None:
        """What the rider feels now, beside what the vehicle's driver does."""
        seen = self.watch.state[0]
        self.cueing.feel(seen["f_H_B"], seen["w_WB_B"])

    def _note_trouble(self, text: str) -> None:
        """Of a part from outside, once."""
        if text and text not in self._known_troubles:
            self._known_troubles.add(text)
            self.failures.append(JounceError(text))

    def _publish(self, outlet: Outlet) -> None:
        """One publication; an outlet that raises is closed and left out from then on."""
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
                self.failures[-1].add_note(f"and in closing: {type(second).__name__}: {second}")

    def _move(self, count: int) -> None:
        """`count` ticks of vehicle and platform; afterwards the state is sound, whatever happened in them."""
        v, runs = self.vehicle, self.moves
        if self.cueing.every:
            # what is foreseen while the platform rises is the beginning of the drive
            self.cueing.serve(0.0 if self.waits else self.time, self.clock is None)
            self._note_trouble(self.cueing.trouble)
        self.tick += count
        if self.waits and not self.paused:
            platform_ticks(self.cueing_records, self.watch, count)
            return
        given = (v.model, v.space, self.arrays, self.cueing_records, self.watch, self.command, runs, count)
        if self._ticks is None:
            self._ticks = compiled_call(ticks, *given)
        self._ticks(*given)
        if self.tick % self.driver_every < count:
            self._serve_soil()
        if self.watch.state[0]["verdict"] != SOUND:
            self._recover()
        elif runs and self.tick % self._place_every < count:
            self._remember_place()
        elif self._held > 0 and not self.paused:
            self._held = max(0, self._held - count)
            if self._held == 0 and self.cueing.readout[0]["gain"] > FADED:
                self._held = count

    def _serve_soil(self) -> None:
        """Bring the ruts around the vehicle within reach of the kernels."""
        place = self.vehicle.space.state[0]["p_WB"]
        self.soil.serve(float(place[0]), float(place[1]))

    def _remember_place(self) -> None:
        """Note where the vehicle is, if it is well; one that lies on its roof, or flies, may be so for long."""
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
        """Put the vehicle back, at rest, to where it was last well, and hold it there until the platform has faded."""
        number = 1 if self.latest is None else self.latest.number + 1
        self.latest = incident = new_incident(number, self.watch, self.vehicle.model.corners[0]["ends"]["theta"], self.vehicle.corner_names)
        self.watch.state[0]["verdict"] = SOUND
        self.watch.state[0]["ticks"] = 0
        self.vehicle.space.state[0]["time"] = incident.time
        self._in_a_row += 1
        seen = self.readout.copy()
        place = self._places.take(incident.time)
        while place is not None and not self._settles(*place):
            place = self._places.take(incident.time)
        if place is None:
            self._stand(*self.ground.spawn)
        self._serve_soil()
        self._held = max(1, round(HOLD_TIME / self.h))
        # whoever is served in this tick sees where the vehicle was last well, not yet where it was put
        self.readout[:] = seen
        self.readout[0]["time"] = incident.time
        if self._in_a_row >= MOST_IN_A_ROW:
            self.paused = True
            raise JounceError(f"{incident.message}; it happens again wherever the vehicle is put, and the drive is stopped")

    def _stand(self, x: float, y: float, yaw: float) -> None:
        """The vehicle at rest at a place, in equilibrium; where there is none, just above the ground and parallel to it."""
        if self._settles(x, y, yaw):
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

    def _settles(self, x: float, y: float, yaw: float) -> bool:
        """Bring the vehicle into equilibrium at a place, if there is one; time goes on from where it is."""
        time = self.time
        try:
            self.vehicle.reset(self.ground, x, y, yaw)
        except JounceError:
            return False
        finally:
            self.vehicle.space.state[0]["time"] = time
        return True

    def _heading(self) -> float:
        """Direction of the vehicle's nose over ground [rad], on its roof too."""
        R = _rotation(self.vehicle.space.state[0]["q_WB"])
        return math.atan2(R[1, 0], R[0, 0])

    def _jump(self) -> None:
        """The vehicle is elsewhere and does not turn: what it felt before does not count any more."""
        self._serve_soil()
        self.vehicle.read(self.command)
        self.watch.state[0]["f_H_B"] = self.vehicle.space.out[0]["f_H_B"]
        self.watch.state[0]["w_WB_B"] = 0.0
        self.cueing.reset()


def _rotation(q_WB: Any) -> Any:
    R = np.empty((3, 3))
    rotation_of_quaternion(np.ascontiguousarray(q_WB), R)
    return R
