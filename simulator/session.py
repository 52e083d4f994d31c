"""One tick, one run. Read `Session.advance` first: it is the whole program from left to right.

    driver -> Command -> vehicle on ground -> washout -> platform pose -> outlets (view, motion stream, telemetry)

Headless runs are the same ticks with other outlets and no clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.clock import Clock
from terrain.surface import Ground
from vehicles.command import COMMAND
from vehicles.step import vehicle_step
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing, cueing_step

DRIVER_PERIOD = 0.01
"""s between two looks of the driver at the vehicle; the command is held in between."""


class Driver(Protocol):
    """Who gives the command: a person, a script, a path follower."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at simulated time t [s] from the READOUT record."""


class Outlet(Protocol):
    """Something on the right of the tick: window, telemetry, motion stream."""

    every: int
    """Ticks between two publications."""

    def publish(self, session: Session) -> None:
        """Called every `every` ticks, after the readout is up to date."""

    def close(self) -> None:
        """Called once at the end, also after an error."""


class CueingRecords(NamedTuple):
    """Parameter, state and output records of the motion cueing."""

    p: Record
    s: Record
    washed: Record


@kernel
def ticks(vehicle, space, ground, cueing, command, run, h, count):
    """`count` ticks of h seconds under one command: the vehicle (unless paused), then what its driver's head feels.

    vehicle : Model, space : Space, ground : five arrays of `terrain.surface`, cueing : CueingRecords, command : record of COMMAND
    """
    for _ in range(count):
        if run:
            vehicle_step(vehicle, space, ground, command, h)
        cueing_step(cueing.p, cueing.s, cueing.washed, space.motion[0]["f_H_B"], space.motion[0]["w_WB_B"], run)


class Session:
    """A vehicle with its driver on a ground, with motion cueing and outlets.

    Parameters
    ----------
    vehicle, ground, driver, cueing : see their classes
    outlets : called in this order
    h : length of a tick [s]; it divides the driver's period
    """

    def __init__(
        self, vehicle: Vehicle, ground: Ground, driver: Driver, cueing: MotionCueing, outlets: Sequence[Outlet], h: float = 1e-3
    ) -> None:
        self.vehicle, self.ground, self.driver, self.cueing, self.h = vehicle, ground, driver, cueing, h
        self.outlets = list(outlets)
        self.command: Record = record(COMMAND)
        self.arrays = (ground.p, ground.heights, ground.hardness, ground.soil_ids, ground.soils)
        self.cueing_records = CueingRecords(*cueing.records)
        self.tick = 0
        self.paused = False
        self.clock: Clock | None = None
        self.driver_every = max(1, round(DRIVER_PERIOD / h))

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.vehicle.space.motion[0]["time"])

    @property
    def readout(self) -> Record:
        """The vehicle's READOUT record, up to date whenever an outlet or the driver is called."""
        return self.vehicle.readout

    def reset(self) -> None:
        """Put the vehicle, settled, at rest and in neutral, on the ground's start. The platform glides to neutral, it does not step."""
        self.vehicle.reset(self.arrays, *self.ground.spawn)
        self.command[:] = np.zeros(1, self.command.dtype)
        self.vehicle.read(self.command)
        self.cueing.reset()

    def warm(self) -> None:
        """Have the kernels of a tick compiled (or loaded) before the first one is due; nothing moves."""
        v = self.vehicle
        ticks(v.model, v.space, self.arrays, self.cueing_records, self.command, False, self.h, 0)

    def advance(self, count: int = 1) -> None:
        """`count` ticks, from left to right; outlets and driver are served at their own rates, which `count` must not straddle."""
        if self.tick % self.driver_every == 0:
            self.driver.read(self.time, self.readout, self.command)
        v = self.vehicle
        ticks(v.model, v.space, self.arrays, self.cueing_records, self.command, not self.paused, self.h, count)
        self.tick += count
        due = [outlet for outlet in self.outlets if self.tick % outlet.every == 0]
        if due or self.tick % self.driver_every == 0:
            v.read(self.command)
        for outlet in due:
            outlet.publish(self)

    def publish(self) -> None:
        """Serve every outlet now, for the state before the first tick."""
        self.vehicle.read(self.command)
        for outlet in self.outlets:
            outlet.publish(self)

    def run(self, duration: float, progress: Any = None) -> None:
        """Simulate `duration` seconds as fast as the machine can; `progress(t)` is called every tenth of a second of simulated time.

        Raises
        ------
        JounceError : the state of the vehicle is no longer finite
        """
        stride = int(np.gcd.reduce([self.driver_every, *(outlet.every for outlet in self.outlets)]))
        left = round(duration / self.h)
        while left > 0:
            count = min(stride, left)
            self.advance(count)
            left -= count
            if self.tick % 100 < count:
                self.check()
                if progress is not None:
                    progress(self.time)

    def drive(self, duration: float, keep_going: Any) -> None:
        """Simulate in real time for `duration` seconds or until `keep_going(session)` says no; it is asked a hundred times a second."""
        self.clock = Clock(self.h)
        self.clock.start()
        end = self.time + duration
        while self.time < end and self._beat(lambda: keep_going(self)):
            self.check()

    def coast(self, duration: float, keep_going: Any) -> None:
        """Go on in real time after `drive` without moving the vehicle, for the platform's way back, until `keep_going()` says no."""
        self.paused = True
        for _ in range(round(duration / self.h / self.driver_every)):
            if not self._beat(keep_going):
                return

    def _beat(self, keep_going: Any) -> bool:
        """Ticks of one driver period, each at its time; then whether to go on."""
        assert self.clock is not None
        for _ in range(self.driver_every):
            self.clock.wait()
            self.advance()
        return bool(keep_going())

    def check(self) -> None:
        """Raise JounceError when the vehicle's state is no longer finite; nothing of it may go on to a platform."""
        state = self.vehicle.space.state[0]
        if not all(np.isfinite(state[name]).all() for name in ("p_WB", "v_WB_B", "w_WB_B", "theta", "wheel_spin")):
            self.cueing.trip()
            raise JounceError(f"the vehicle's state is not finite at t = {self.time:.3f} s; the run is stopped")

    def close(self) -> None:
        """Close every outlet, the last one first (the motion stream ends before logs are written), whatever happens in one of them."""
        failures = []
        for outlet in reversed(self.outlets):
            try:
                outlet.close()
            except JounceError as error:
                failures.append(error)
        if failures:
            raise failures[0]
