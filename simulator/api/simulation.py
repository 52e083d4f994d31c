"""Simulation as a Python object: advance it, read values, set commands, use the log."""

from __future__ import annotations

import html
import math
import os
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.api.command_drivers import DRIVER, HeldCommand, as_driver, split_drivers
from simulator.api.loading import Changes
from simulator.api.notebook import SHOWN, Replay, checks_table, plot_of, table
from simulator.api.own_vehicle import OwnVehicle
from simulator.api.simulation_state import Recipe, SimulationState, Starts
from simulator.api.truth import Truth
from simulator.assistance.assistance import Assistance
from simulator.autonomy.outcome import Outcome, outcome_of
from simulator.base.call_checks import FUNCTION, MAPPING, NAME, NAMES, NUMBER, TEXT, WHOLE, Kind, checks, instance, is_name, optional
from simulator.base.errors import ConfigError, JounceError, OtherVehicleWarning
from simulator.base.graph_state import read_graph
from simulator.base.machine import origin
from simulator.base.rates import shown_time, whole_ticks
from simulator.base.suggestions import did_you_mean
from simulator.builder.builder import data_folder
from simulator.builder.session_parts import SessionParts
from simulator.builder.warm_up import compile_kernels
from simulator.collision import Collision
from simulator.driver.contract import SensingDriver
from simulator.driver.driver_seat import Closing
from simulator.faults.planned_fault import PlannedFault
from simulator.incident import Incident
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.maneuvers.metrics import FEWEST_ROWS, evaluate, too_short
from simulator.maneuvers.phase_driver import DONE, how_ended
from simulator.outlets.telemetry import LiveValues, MemoryRecorder, Source, measuring, session_grip
from simulator.platform_phases import raise_platform
from simulator.run.object_changes import KEY, changes_text, objects_of
from simulator.run.run_configuration import about_run, recorded
from simulator.run.vehicle_changes import KEY as VEHICLES_KEY
from simulator.run.vehicle_changes import changes_text as vehicle_changes_text
from simulator.sensors.measurement import Measurement
from simulator.session import Driver, Session
from simulator.session_vehicles import OtherVehicle
from simulator.telemetry.atomic_files import write_text
from simulator.telemetry.channels import Channel
from simulator.telemetry.log import Log
from simulator.telemetry.writer import LOG_RATE
from simulator.traffic.traffic import Traffic
from terrain.elevation_patch import Patch, heights_around, patch_points
from terrain.ground import Ground
from terrain.objects.world_object import WorldObject
from terrain.rays.caster import Hits, RayCaster
from vehicles.linear_model import LinearModel, linear_model
from vehicles.vehicle import Vehicle

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class DefaultPlatform(Enum):
    """Type of the default of `platform`, which is not None: that means no platform."""

    OF_SESSION = "the platform of the session"


DEFAULT_PLATFORM = DefaultPlatform.OF_SESSION

PLACE = Kind(lambda value: _are_finite(value, 3), "three finite numbers: x [m], y [m], yaw [rad]")
SPEED = Kind(lambda value: _are_finite([value], 1) and float(value) >= 0.0, "a finite speed of 0 or more [m/s]")


def _are_finite(value: Any, count: int) -> bool:
    """Return whether a value is a list of `count` finite numbers."""
    try:
        numbers = np.asarray(value, float)
    except (TypeError, ValueError):
        return False
    return numbers.shape == (count,) and bool(np.isfinite(numbers).all())


class IncidentError(JounceError):
    """The vehicle state became invalid, and the last valid state was restored. `incident` has the details."""

    def __init__(self, incident: Incident) -> None:
        super().__init__(incident.message)
        self.incident = incident


class Reading(NamedTuple):
    """A value with its meaning: a number, or the array of a field."""

    name: str
    value: Any
    unit: str
    frame: str
    meaning: str

    def __str__(self) -> str:
        frame = f" in {self.frame}" if self.frame else ""
        return f"{self.name} = {self.value} {self.unit}{frame} ({self.meaning})"


@dataclass(frozen=True, repr=False)
class Result:
    """Result of a maneuver."""

    maneuver: str
    passed: bool | None
    """True if all limits of the maneuver are satisfied; None without limits."""
    metrics: Mapping[str, float | None]
    """Metrics by name with unit suffix, in SI and in the units of the maneuver file; None for missing values."""
    checks: list[dict[str, Any]]
    """Check of each limit: "metric", "value", "min", "max", "pass"."""
    log: Log
    given_up: str = ""
    """Reason of an early end, if an abort condition of the maneuver ended it."""
    outcome: Outcome | None = None
    """Outcome of a drive to a goal, with `word` and `reason`; None for other maneuvers."""

    def __repr__(self) -> str:
        satisfied = sum(check["pass"] for check in self.checks)
        verdict = (
            "no limits"
            if self.passed is None
            else f"{'passed' if self.passed else 'failed'}, {satisfied} of {len(self.checks)} limits satisfied"
        )
        verdict = self.given_up or (f"{self.outcome.message}, {verdict}" if self.outcome is not None else verdict)
        return f"<Result of {self.maneuver}: {verdict}, {len(self.metrics)} metrics, {self.log.rows} rows>"

    def _repr_html_(self) -> str:
        """Return limits, metrics and a plot of the log, for a notebook."""
        metrics = table(("metric", "value"), self.metrics.items())
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{checks_table(self.checks)}{metrics}{plot_of(self.log)}"


class Simulation:
    """A vehicle on a ground with its driver and its motion platform. It runs faster than real time, with a log in memory.

    Parameters
    ----------
    vehicle, terrain : name or path; default: those of the maneuver or session, else "hmmwv" on "flat"
    maneuver : name or path of the maneuver to drive: its path, speeds and limits
    driver : driver instead of a maneuver: the name of a plugin driver, an object with `read(t, readout, command)` or
        `read(t, readout, command, sensors)` (`simulator.driver.contract`), or a function of (t, readout) that returns a mapping with "steering", "throttle" ...;
        `readout["v_WB_B"]` etc. are the fields of the vehicle readout. It is called 100 times a second. Without maneuver and driver,
        `command` sets a constant command.
    session, washout : name or path
    platform : name or path of the motion platform; None: the simulation has none, and its columns stay at rest; default: that of the session
    sensors : sensors to add, each a name or a mapping as in the list `sensors` of a session file
    others : other vehicles in the same world, each a mapping as in the list `vehicles` of a session file; its `driver` may also be an object
        or a function, as of the simulation
    assistance : driver assistance, a mapping as the section `assistance` of a session file
    traffic : vehicles and pedestrians on the lanes of the terrain, a mapping as the section `traffic` of a session file
    changes : values by key path, which override all files
    channels : log columns: names, fields, patterns with * and ?; empty: all
    log_rate : log rows per second of simulated time; a divisor of the steps per second

    Raises
    ------
    ConfigError : a file, a change or a channel cannot be used
    JounceError : no equilibrium is found at the start

    >>> sim = Simulation(platform=None, changes={"vehicle.chassis.mass": 2600, "soils.asphalt.friction": 0.4})
    >>> sim.command(throttle=0.5)
    >>> sim.advance(0.5)
    >>> sim.time
    0.5
    """

    @checks(
        vehicle=optional(NAME),
        terrain=optional(NAME),
        maneuver=optional(NAME),
        driver=optional(DRIVER),
        session=optional(NAME),
        washout=optional(NAME),
        platform=Kind(lambda value: value is None or isinstance(value, DefaultPlatform) or is_name(value), "a name or a path, or None"),
        sensors=Kind(lambda value: isinstance(value, Sequence) and not isinstance(value, str | bytes), "a list of names or mappings"),
        others=Kind(lambda value: isinstance(value, Sequence) and all(isinstance(one, Mapping) for one in value), "a list of mappings"),
        assistance=optional(MAPPING),
        traffic=optional(MAPPING),
        changes=optional(MAPPING),
        channels=NAMES,
        log_rate=NUMBER,
    )
    def __init__(
        self,
        vehicle: str | None = None,
        terrain: str | None = None,
        *,
        maneuver: str | None = None,
        driver: str | Driver | SensingDriver | Callable[[float, Any], Mapping[str, float]] | None = None,
        session: str | None = None,
        washout: str | None = None,
        platform: str | DefaultPlatform | None = DEFAULT_PLATFORM,
        sensors: Sequence[str | Mapping[str, Any]] = (),
        others: Sequence[Mapping[str, Any]] = (),
        assistance: Mapping[str, Any] | None = None,
        traffic: Mapping[str, Any] | None = None,
        changes: Changes | None = None,
        channels: Collection[str] = (),
        log_rate: float = LOG_RATE,
    ) -> None:
        if maneuver is not None and driver is not None:
            raise JounceError("a simulation cannot have both a maneuver and a driver")
        names = {"vehicle": vehicle, "terrain": terrain, "maneuver": maneuver, "washout": washout}
        if isinstance(platform, str | os.PathLike):
            names["platform"] = platform
        if isinstance(driver, str):
            changes, driver = {**(changes or {}), "driver": driver}, None
        if sensors:
            changes = {**(changes or {}), "sensors": list(sensors)}
        if assistance is not None:
            changes = {**(changes or {}), "assistance": dict(assistance)}
        entries, other_drivers = split_drivers(others)
        if others:
            changes = {**(changes or {}), "vehicles": entries}
        if traffic is not None:
            changes = {**(changes or {}), "traffic": dict(traffic)}
        recipe = Recipe(
            names, dict(changes or {}), session, as_driver(driver), other_drivers, tuple(channels), log_rate, platform is not None
        )
        self._begin(recipe, recipe.parts())

    @classmethod
    def of(cls, parts: SessionParts, channels: Collection[str] = (), log_rate: float = LOG_RATE) -> Simulation:
        """Return a simulation of existing parts, driven by their maneuver if there is one; `channels`, `log_rate` and errors as for the
        class. It can be saved, but not copied."""
        compile_kernels(lambda line: None)
        one = cls.__new__(cls)
        one._begin(Recipe({}, {}, None, None, {}, tuple(channels), log_rate, True, given=True), parts)
        return one

    def _begin(self, recipe: Recipe, parts: SessionParts) -> None:
        self._recipe, self._parts = recipe, parts
        self._has_platform, self._other_drivers = recipe.has_platform, recipe.other_drivers
        self._every = whole_ticks(recipe.log_rate, parts.step, "log", "rate")
        self._channels, self._driver = recipe.channels, recipe.driver
        self._held_command = HeldCommand()
        self._caster = RayCaster(parts.ground)
        self._own_vehicle: OwnVehicle | None = None
        self._starts = Starts(self)
        parts.images.keep()  # a reset does not start the process of the cameras again
        self.reset()

    @property
    def vehicle(self) -> Vehicle:
        """Vehicle of the simulation."""
        return self._parts.vehicle

    @property
    def ground(self) -> Ground:
        """Ground below the vehicle."""
        return self._parts.ground

    @property
    def maneuver(self) -> Maneuver | None:
        """Maneuver, or None."""
        return self._parts.maneuver

    @property
    def session(self) -> Session:
        """Session of the simulation, for advanced use."""
        return self._session

    @property
    def configuration(self) -> dict[str, Any]:
        """Complete configuration of the simulation, including changes, as one mapping."""
        return self._parts.configuration.complete()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return shown_time(self._session.time)

    @property
    def others(self) -> Mapping[str, OtherVehicle]:
        """Other vehicles in the world by name: `vehicle` with its `readout`, `command` of one without driver, `stopped`."""
        return {one.name: one for one in self._session.others.present}

    @property
    def assistance(self) -> Assistance | None:
        """Driver assistance: `occurrences`, `switch(system, on)`, `set_speed(speed)`; None: the session has none."""
        return self._session.assistance

    @property
    def traffic(self) -> Traffic | None:
        """Traffic, or None: `agents` and `walkers` are records of `simulator.traffic.records.AGENT` and `WALKER`."""
        return None if self._session.traffic is None else self._session.traffic.traffic

    @property
    def collisions(self) -> tuple[Collision, ...]:
        """Collisions with objects since the last reset, see `simulator.collision.Collision`. A collision stops nothing and raises nothing."""
        return tuple(self._session.collisions)

    @property
    def sensors(self) -> Mapping[str, Measurement]:
        """Last delivered measurement of each sensor by its name, see `simulator.sensors.measurement.Measurement`."""
        return self._session.measurements

    @checks(sensor=TEXT, call=FUNCTION)
    def on_measurement(self, sensor: str, call: Callable[[Measurement], None]) -> None:
        """Call a function with each measurement of a sensor at its delivery, until the next reset. Raises JounceError: no such sensor."""
        by_name = {one.name: one for one in self._session.measuring.sensors}
        if sensor not in by_name:
            expected = ", ".join(by_name) or "a simulation with sensors"
            raise JounceError(f"sensor {sensor}: no such sensor{did_you_mean(sensor, by_name)}; expected {expected}")
        by_name[sensor].subscribe(call)

    @property
    def log(self) -> Log:
        """Log so far, as a copy."""
        return self._recorder.log(self._about())

    @property
    def columns(self) -> Mapping[str, Channel]:
        """All readable values by name: name, unit, frame, meaning."""
        return self._present.columns

    @checks(at=optional(PLACE), speed=optional(SPEED), seed=optional(WHOLE), changes=optional(MAPPING))
    def reset(
        self, at: Sequence[float] | None = None, speed: float | None = None, *, seed: int | None = None, changes: Changes | None = None
    ) -> None:
        """Restart: the vehicle at rest at the start of the ground, the log empty. Repeated runs are bit-identical.

        Parameters
        ----------
        at : x [m], y [m], yaw [rad] in W in place of the start of the ground
        speed : m/s, forward, at which the vehicle rolls in drive
        seed : seed of the session, from now on
        changes : values by key path, from now on, which override those so far

        A seed or changes build the parts of the simulation anew, the last sets of which are kept; the ground stays if no key concerns it.
        `vehicle` and `ground` are then other objects.

        Raises
        ------
        ConfigError : a change cannot be used; the simulation continues as before
        JounceError : a place or a speed for a maneuver, which has its own; the vehicle has no equilibrium there
        """
        changes = dict(changes or {}) if seed is None else {**(changes or {}), "seed": int(seed)}
        recipe, parts = self._starts.take(changes) if changes else (self._recipe, self._parts)
        maneuver = parts.maneuver
        if maneuver is not None and (at is not None or speed is not None):
            raise JounceError("reset: this simulation has a maneuver, which begins at its own place and speed; hint: change maneuver.start")
        if changes:
            self._end_threads()
            self._recipe, self._parts = recipe, parts
            self._every = whole_ticks(self._recipe.log_rate, parts.step, "log", "rate")
            self._caster, self._own_vehicle = RayCaster(parts.ground), None
        where = None if at is None else tuple(map(float, at)), speed
        if self._starts.put_back(where):
            return
        session = self._session
        session.start_speed = session.start_speed if speed is None else float(speed)
        session.reset(at)
        if self._has_platform:
            self._parts.cueing.procedure.arm()
            raise_platform(session)
        self._recorder = MemoryRecorder(session, self._every, self._channels)
        self._measured: MemoryRecorder | None = None
        if maneuver is not None:
            try:
                self._measured = measuring(session, maneuver)
            except ConfigError:  # the analyses of the maneuver may read columns of the driver that this one replaces
                if self._driver is None:
                    raise
        session.output.outlets += [outlet for outlet in (self._recorder, self._measured) if outlet is not None]
        self._present = LiveValues(session)
        session.publish()
        self._starts.note(where)

    def save(self) -> SimulationState:
        """Return the state: that of vehicle, tires, ruts, objects, drivers, sensors, washout, random streams, log and time.

        Raises JounceError: a part has a state outside the simulation, such as a socket or an open file.
        """
        return SimulationState(self.time, self._recipe, read_graph(self, self._starts.rules))

    @checks(state=instance(SimulationState, "a state, as of save()"))
    def restore(self, state: SimulationState) -> None:
        """Put the simulation into a state of itself, or of one with equal arguments: it continues with the same bits.

        Raises JounceError: the state belongs to another simulation, or as `save`.
        """
        state.put_into(self, self._recipe, self._starts.rules)

    def copy(self) -> Self:
        """Return an independent simulation in the same state, on the same ground. Drivers of the program are copied, too, except functions.

        Raises JounceError: as `save`, or the simulation was made from parts.
        """
        state, recipe = self.save(), self._recipe.others()
        other = type(self).__new__(type(self))
        other._begin(recipe, recipe.parts(like=self._parts))
        other.restore(state)
        return other

    def __deepcopy__(self, _: Any) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {"recipe": self._recipe, "state": self.save()}

    def __setstate__(self, pickled: dict[str, Any]) -> None:
        recipe: Recipe = pickled["recipe"]
        self._begin(recipe, recipe.parts())
        self.restore(pickled["state"])

    def _new_session(self) -> None:
        """Begin a new session with the parts."""
        if hasattr(self, "_session"):
            self._end_threads()
        self._parts = parts = replace(self._parts, cueing=self._parts.new_cueing())
        driver = parts.automatic_driver() if self._driver is None else self._driver
        self._is_driven = driver is not None
        self._held_command.values = HeldCommand().values
        self._added: list[PlannedFault] = []
        self._session = session = parts.session(driver or self._held_command)
        for other in session.others.vehicles:
            if other.name in self._other_drivers:
                other.make_driver = partial(as_driver, self._other_drivers[other.name])

    def close(self) -> None:
        """End the threads and processes of sensors and driver, which otherwise end with the program. The log stays readable."""
        self._end_threads()
        self._parts.images.release()

    def _end_threads(self) -> None:
        """End the threads of sensors and of a driver that this simulation created."""
        for sensor in self._session.measuring.sensors:
            sensor.close()
        if self._driver is None and isinstance(self._session.driver, Closing):
            self._session.driver.close()
        for other in self._session.others.vehicles:
            if other.name not in self._other_drivers:
                other.close()

    def command(self, **values: float | str) -> None:
        """Set parts of the command, which stay constant from now on.

        The parts are: steering [-1, 1] (+ = left), throttle, brake, parking_brake [0, 1], selector -1, 0, 1 or "reverse",
        "neutral", "drive", gear 0 (automatic choice), 1 ..., low_range, center_lock 0, 1, clutch [0, 1] if manual_clutch is 1, starter 0,
        1, drawbar [N] (a backward pull at the tow hook), and steering_torque [N m] (torque of the hands, + = left) instead of steering in
        a session with `steering: torque`. The last one of steering and steering_torque counts, or steering_free selects: 1 (torque) or 0.

        A command takes effect at the next driver update, within 10 ms. Raises JounceError: a driver or a maneuver drives, the part is
        unknown, or the value is invalid.
        """
        if self._is_driven:
            raise JounceError("command: the maneuver or the driver of this simulation drives; expected a simulation without them")
        if not self.vehicle.takes_torque and (values.get("steering_torque") or values.get("steering_free")):
            raise JounceError("command: a steering torque needs a session with `steering: torque`")
        self._held_command.change(values)

    @property
    def objects(self) -> dict[int, WorldObject]:
        """Objects of the world by number, as they were added; `object_position` and `object_rotation` return the present pose of a moving one."""
        own = self._session.objects
        return {own.first + row: one for row, one in enumerate(own.objects) if own.records[row]["present"]}

    @checks(number=WHOLE)
    def object_position(self, number: int) -> NDArray[np.float64]:
        """Return the present position (3,) [m] of the origin of an object, in W. Raises JounceError: no such object."""
        return self._session.objects.position(number, self._session.time)

    @checks(number=WHOLE)
    def object_rotation(self, number: int) -> NDArray[np.float64]:
        """Return the present axes R_WO (3, 3) of an object: x_W = R_WO x_O. Raises JounceError: no such object."""
        return self._session.objects.pose(number, self._session.time)[1]

    def add_object(self, one: WorldObject | Mapping[str, Any]) -> int:
        """Add an object to the world and return its number, which is never used again.

        Parameters
        ----------
        one : mapping with the keys of an entry of `objects` in a terrain file, or a `terrain.objects.world_object.WorldObject`

        Raises
        ------
        JounceError : the object is impossible, or its name is in use
        """
        return self.add_objects([one])[0]

    def add_objects(self, objects: Iterable[WorldObject | Mapping[str, Any]]) -> list[int]:
        """Add many objects at once, which costs less than one by one; return their numbers. See `add_object`."""
        return self._session.world.add(objects_of(self._session, objects, data_folder("assets")), self._session.tick)

    @checks(number=WHOLE)
    def remove_object(self, number: int) -> None:
        """Remove an object from the world. Raises JounceError: no such object."""
        self._session.world.remove(number, self._session.tick)

    @property
    def faults(self) -> tuple[PlannedFault, ...]:
        """Faults of the drive, each with its `name`, times and present `level`."""
        return self._session.injector.faults

    @checks(fault=Kind(lambda value: isinstance(value, str | Mapping), "a name or a mapping"))
    def fault(self, fault: str | Mapping[str, Any], **keys: Any) -> str:
        """Add a fault to the drive, until the next reset, and return its name: its level is the column `fault_NAME`.

        Parameters
        ----------
        fault : name of the kind, or a mapping as in the list `faults` of a session file
        keys : keys of the mapping, for example wheel="FL", ramp_s=2; without `start` and `phase`, the fault begins now

        Raises
        ------
        JounceError : a key is invalid, the fault does not fit the vehicle, or it starts in the past
        """
        given = {**({"type": fault} if isinstance(fault, str) else fault), **keys}
        if not any(key == "phase" or key.partition("_")[0] == "start" for key in given):
            given["start_s"] = self.time
        planned = self._parts.more_faults([given], self.faults)
        self._session.injector.add(planned, self.time if self._session.tick > 0 else 0.0)
        self._added += planned
        self._log_more([one.logged for one in planned], 0.0)
        return planned[0].name

    def _log_more(self, sources: Sequence[Source], before: float) -> None:
        """Add columns to the logs; `before`: value in the rows so far."""
        for recorder in (self._recorder, self._measured):
            if recorder is not None:
                recorder.add_columns(sources, before)
        self._present = LiveValues(self._session)

    @checks(vehicle=MAPPING)
    def add_vehicle(self, vehicle: Mapping[str, Any]) -> str:
        """Add a vehicle to the world, until the next reset, and return its name, which is not used again.

        Parameters
        ----------
        vehicle : mapping as in the argument `others`; `position` is that of a session file

        Raises
        ------
        JounceError : a key is invalid, the name is in use, something is at the place, or no equilibrium exists there
        """
        session = self._session
        (entry,), drivers = split_drivers([vehicle], len(session.others.vehicles))
        other, complete = self._parts.more_vehicle(entry, session)
        self._parts.check_entry(session, other)
        for driver in drivers.values():
            other.make_driver = partial(as_driver, driver)
        session.others.add([other])
        session.others.enter(other.name)
        session.others.changes.append({"tick": session.tick, "vehicle": other.name, "entry": complete})
        self._log_more(other.logged, math.nan)
        return other.name

    @checks(name=TEXT)
    def remove_vehicle(self, name: str) -> None:
        """Take a vehicle out of the world: nothing meets or sees it any more, and its columns of the log are empty from now on (NaN, 0 for
        integers). Raises JounceError: no such vehicle is in the world."""
        session = self._session
        session.others.leave(name)
        session.others.changes.append({"tick": session.tick, "vehicle": name})

    @checks(seconds=NUMBER, progress=optional(FUNCTION))
    def advance(self, seconds: float, progress: Callable[[float, float], None] | None = None) -> None:
        """Simulate a time in seconds, an integer number of steps. `progress`, such as `ProgressBar()`, is called with done and total seconds.

        Raises
        ------
        ConfigError : the time is not an integer number of steps
        IncidentError : the vehicle state became invalid; the last valid state was restored
        JounceError : the driver raised an error

        Another vehicle that stops, or brakes because its driver failed, is an `OtherVehicleWarning`.
        """
        steps = seconds / self._session.h
        if not (0.0 <= steps < 1e12 and abs(steps - round(steps)) < 1e-6 * max(1.0, steps)):
            raise ConfigError("advance", "seconds", seconds, f"a multiple of the step, {self._session.h:g} s")
        before, failed, stops = self._session.recovery.latest, len(self._session.output.failures), len(self._session.others.stops)
        self._session.run(seconds, None if progress is None else partial(_tell, progress, self._session.time, seconds))
        if progress is not None:
            progress(seconds, seconds)
        for stop in self._session.others.stops[stops:]:
            warnings.warn(stop, OtherVehicleWarning, stacklevel=3)
        self.vehicle.read(self._session.command)
        if len(self._session.output.failures) > failed:
            raise self._session.output.failures[failed]
        if self._session.recovery.latest is not None and self._session.recovery.latest is not before:
            raise IncidentError(self._session.recovery.latest)

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: ArrayLike,
        time: ArrayLike | None = None,
        own_vehicle: bool = False,
        **options: bool,
    ) -> Hits:
        """Return the nearest surfaces that rays meet, on the ground and on objects.

        Parameters
        ----------
        origins, directions : (n, 3) or (3,), in W, origins in m
        max_range : [m]
        time : time [s] at which moving objects are placed; default: the present time
        own_vehicle : True = also on the body and the wheels of the own vehicle where they are now (`object` -2)
        options : `ground`, `roughness`, `porous`, `ruts` of `terrain.rays.caster.RayCaster.cast`, with its errors
        """
        hits = self._present_caster().cast(origins, directions, max_range, self.time if time is None else time, **options)
        if not own_vehicle:
            return hits
        if self._own_vehicle is None:
            self._own_vehicle = OwnVehicle(self.vehicle)
        return self._own_vehicle.nearest(hits, origins, directions, max_range)

    def _present_caster(self) -> RayCaster:
        """Return a caster for the present objects and ruts."""
        objects, ruts = self._session.objects, self._session.soil.arrays
        if self._caster.objects is not objects or self._caster.ruts is not ruts:
            self._caster = self._caster.with_objects(objects, ruts)
        return self._caster

    def patch(self, x: tuple[float, float] = (-4.0, 24.0), y: tuple[float, float] = (-10.0, 10.0), spacing: float = 2.0) -> Patch:
        """Return the elevations of the ground around the vehicle, on a grid in its heading: `x`, `y` and `height` (ny, nx) [m].

        Parameters
        ----------
        x, y : range ahead of the chassis reference point, and to its left [m]
        spacing : of the points [m]

        Raises JounceError: the range is empty, or has too many points.
        """
        ahead, left = (patch_points(*span, spacing) for span in (x, y))
        place = self["p_WB_x"], self["p_WB_y"], self["yaw"]
        return Patch(ahead, left, heights_around(self.ground, place, ahead, left)[0])

    def linearize(self) -> LinearModel:
        """Return the linear model of the vehicle at the present state, see `vehicles.linear_model.LinearModel`: x' = A x + B u, y = C x + D u.

        The inputs are steering-wheel angle and torque of the driveshaft, the outputs the accelerations of the chassis reference point. Engine and
        gearbox are left out. The simulation does not change. Raises JounceError: a wheel is on soil.
        """
        return linear_model(self.vehicle.twin(), self._session.injector.arrays, float(self._session.readout[0]["shaft_torque"]))

    @property
    def truth(self) -> Truth:
        """True state of the world now: `truth.boxes(frame, max_range)` returns the boxes of objects, vehicles and persons."""
        return Truth(self._session, self._present_caster(), self.time)

    def replay(self, file: str | os.PathLike[str] = "replay.html") -> Replay:
        """Write a 3-D replay of the log as a page in one file; a notebook shows the result. Raises JounceError: no rows, or columns are missing."""
        from simulator.api.replay_page import replay_page

        write_text(Path(file), replay_page(self.log, self._parts, self._has_platform))
        return Replay(Path(file))

    @checks(progress=optional(FUNCTION))
    def run(self, progress: Callable[[float, float], None] | None = None) -> Result:
        """Run the maneuver from start to end. `progress` is called as by `advance`.

        Raises
        ------
        IncidentError, JounceError : as `advance`, or there is no maneuver
        """
        if self.maneuver is None or self._measured is None:
            missing = "no maneuver" if self.maneuver is None else "a driver without the columns that the metrics of its maneuver need"
            raise JounceError(f"run: this simulation has {missing}; hint: Simulation(maneuver=...)")
        if self._session.tick > 0:
            self.reset()
        self.advance(self.maneuver.duration, progress)
        traits = self._parts.traits if self.maneuver.requested_analyses else None
        measured = self._measured.log()
        outcome = outcome_of(self._session.driver)
        if measured.rows < FEWEST_ROWS and outcome is None:  # a goal that cannot be reached ends a run at once
            raise JounceError(too_short(measured.rows))
        evaluation = evaluate(self.maneuver, measured, self.ground.spawn, traits, session_grip(self._session))
        ended = how_ended(self._session.driver).replace(DONE, "")
        passed = False if ended else evaluation["pass"]
        return Result(self.maneuver.name, passed, evaluation["metrics"], evaluation["checks"], self.log, ended, outcome)

    def __getitem__(self, name: str) -> Any:
        """Return the value of a column ("v_WB_B_x"), or the array of a field ("v_WB_B"), in SI units. Raises NoSuchColumnError."""
        return self._present.value(name)

    @checks(names=NAMES)
    def values(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the values (n,) of columns in SI units, read at once. Raises NoSuchColumnError."""
        return np.array(self._present.numbers(names), float)

    def read(self, name: str) -> Reading:
        """Return a value with its unit, frame and meaning. Raises NoSuchColumnError."""
        column = self._present.column(name)
        return Reading(name, self._present.value(name), column.unit, column.frame, column.meaning)

    def plot(self, *wanted: str, along: str = "time", file: str | os.PathLike[str] | None = None) -> Figure:
        """Plot columns of the log, see `Log.plot`."""
        return self.log.plot(*wanted, along=along, file=file)

    def __repr__(self) -> str:
        name, what = self._parts.configuration.name, f", {self.maneuver.name}" if self.maneuver is not None else ""
        return f"<Simulation of {name('vehicle')} on {name('terrain')}{what}, {self.time:g} s>"

    def _repr_html_(self) -> str:
        """Return the present values and a plot of the log, for a notebook."""
        present = [self.read(name) for name in SHOWN if name in self.columns]
        rows = [(one.name, float(one.value), one.unit, one.meaning) for one in present]
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{table(('', 'value', 'unit', ''), rows)}{plot_of(self.log)}"

    def _about(self) -> dict[str, str]:
        changes = {KEY: changes_text(self._session), VEHICLES_KEY: vehicle_changes_text(self._session)}
        configuration = recorded(self._parts, armed=self._has_platform, raised=self._has_platform)
        if self._added:
            configuration["faults"] = [*(configuration.get("faults") or ()), *(fault.to_json() for fault in self._added)]
        about = about_run(self._parts, configuration)
        return {**origin(), **about, **{key: text for key, text in changes.items() if text}}


def _tell(progress: Callable[[float, float], None], began: float, seconds: float, session: Session) -> bool:
    """Report the simulated time of a run, and let it go on."""
    progress(round(session.time - began, 6), seconds)
    return True


def simulate(maneuver: str, vehicle: str | None = None, terrain: str | None = None, **options: Any) -> Result:
    """Run a maneuver to its end: `Simulation(vehicle, terrain, maneuver=maneuver, **options).run()`, with its parameters and errors."""
    return Simulation(vehicle, terrain, maneuver=maneuver, **options).run()
