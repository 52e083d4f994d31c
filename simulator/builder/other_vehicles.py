"""Creation of the other vehicles of a session (`simulator.session_vehicles`) from the section `vehicles`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from os.path import isfile
from typing import Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.builder.session_builder import SessionBuilder
from simulator.builder.start_place import Start, check_starts
from simulator.configuration.configuration import Configuration
from simulator.configuration.key_path import parse
from simulator.configuration.layers import Layer, Origin
from simulator.configuration.message_origins import MessageOrigins
from simulator.configuration.session_file import read_vehicles
from simulator.configuration.vehicles_section import OtherOptions
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.internal_model import InternalModel
from simulator.driver.kinds import CRUISE, DRIVER_KINDS, FMU, FOLLOWER, PLANNER, REPLAY
from simulator.driver.make_driver import DriverContext, new_driver
from simulator.faults.contract import FaultContext
from simulator.faults.kinds import FAULT_KINDS
from simulator.faults.planned_fault import PlannedFault, make_faults
from simulator.faults.session_faults import SessionFaults
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.session_vehicles import OtherVehicle
from simulator.telemetry.recorded_preview import log_file
from simulator.view.vehicle_parts import vehicle_parts
from terrain.ground import Ground
from terrain.objects.errors import ObjectError
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import WorldObject
from vehicles import step_stability
from vehicles.vehicle import Vehicle


@dataclass(frozen=True)
class OtherParts:
    """Parts of another vehicle, for any number of sessions."""

    options: OtherOptions
    vehicle: Vehicle
    maneuver: Maneuver | None
    ground: Ground
    """Ground that starts where this vehicle starts."""
    seed: int
    traits: InternalModel
    """The internal model of its drivers, shared with vehicles of the same file."""
    world_faults: tuple[Any, ...] = ()
    """Faults of the session that act where a vehicle is, such as an ice patch."""

    @property
    def takes_actions(self) -> bool:
        """Whether its driver takes the actions of triggers: `cruise`, or that of a maneuver with speeds and a path."""
        name = self.options.driver.name if self.options.driver is not None else FOLLOWER
        return name == CRUISE or (name == FOLLOWER and self.maneuver is not None and self.maneuver.keeps_speeds)

    def new(self, paced: bool, enters: bool = True) -> OtherVehicle:
        """Return the vehicle for a session; `paced`: its driver drives in real time; `enters`: it is in the world from the begin on."""
        maneuver, speed = self.maneuver, self.options.speed
        if speed is None:
            speed = 0.0 if maneuver is None else maneuver.start.speed
        vehicle = self.vehicle.new_instance()
        vehicle.free_steering(maneuver is not None and maneuver.gives_torque)
        options, faults = self.options, SessionFaults(vehicle, self.ground.arrays)
        faults.add(self.new_faults(vehicle))
        driver = partial(self._driver, vehicle, paced)
        return OtherVehicle(
            options.name,
            vehicle,
            driver,
            self.ground.spawn,
            speed,
            options.parking_brake,
            faults if faults.faults else None,
            options.columns,
            enters,
            self._drives_again,
            options.color,
        )

    def new_faults(self, vehicle: Vehicle) -> list[PlannedFault]:
        """Return new faults. Raises ConfigError: a fault that does not fit the vehicle, or belongs to the session."""
        context = FaultContext(vehicle, (), () if self.maneuver is None else self.maneuver.phase_names)
        given = (*(() if self.maneuver is None else self.maneuver.faults), *self.options.faults)
        found = make_faults(given, context, file="session", key="faults")
        for fault in found:
            if fault.kind.of_session:
                expected = f"a fault of one vehicle; {fault.kind.name} belongs to `faults` of the session"
                raise ConfigError("session", "faults", fault.kind.name, expected)
        return [*found, *make_faults(self.world_faults, context, [fault.name for fault in found])]

    @property
    def _drives_again(self) -> bool:
        """Whether the driver has no part that depends on the time of computation, or on a program."""
        name = FOLLOWER if self.options.driver is None else self.options.driver.name
        if name == FOLLOWER:
            return self.maneuver is not None and self.maneuver.task is None
        return DRIVER_KINDS.is_builtin(name) and name != PLANNER

    def _driver(self, vehicle: Vehicle, paced: bool) -> Driver | SensingDriver | None:
        chosen = self.options.driver
        if chosen is None and self.maneuver is None:
            return None
        kind = DRIVER_KINDS.need(FOLLOWER if chosen is None else chosen.name)
        context = DriverContext(self.ground, self.maneuver, self.seed, self.traits, vehicle)
        return new_driver(kind, context, paced, {} if chosen is None else chosen.parameters)


def with_cones(ground: Ground, maneuver: Maneuver | None) -> Ground:
    """Return the ground with the cones of the timed course of a maneuver. Raises ConfigError."""
    cones = maneuver.placed_course.cones() if maneuver is not None and maneuver.placed_course is not None else []
    cones = [replace(one, position=(*one.position[:2], ground.height(*one.position[:2]))) for one in cones]
    try:
        return replace(ground, objects=ObjectSet((*ground.objects.objects, *cones), ground.objects.first)) if cones else ground
    except ObjectError as error:
        raise ConfigError("maneuver", "timed_course", [one.name for one in cones], f"names that no object has: {error}") from None


def with_trailers(ground: Ground, first: Vehicle) -> Ground:
    """Return the ground with the trailers of the first vehicle behind its start, so that pictures of a run and replays show them. Raises
    ConfigError: an object has the name of a trailer."""
    if first.train is None:
        return ground
    parts: list[WorldObject] = []
    for name, one, (x, y, yaw) in zip(first.train.names, first.train.trailers, first.train.starts(*ground.spawn), strict=True):
        parts += vehicle_parts(name, one.vehicle, (x, y, ground.height(x, y)), yaw)
    try:
        return replace(ground, objects=ObjectSet((*ground.objects.objects, *parts), ground.objects.first))
    except ObjectError as error:
        raise ConfigError("vehicle", "trailers", first.train.names, f"names that no object has: {error}") from None


def with_others(ground: Ground, others: tuple[OtherParts, ...], first: Vehicle, origins: MessageOrigins) -> Ground:
    """Return the ground with the other vehicles as objects at their starts, so that pictures of a run and replays show them. Raises ConfigError:
    a name is in use, or a start is occupied."""
    if not others:
        return ground
    parts: list[WorldObject] = []
    starts = []
    for one in others:
        x, y, yaw = one.ground.spawn
        place = (x, y, ground.height(x, y))
        own = vehicle_parts(one.options.name, one.vehicle, place, yaw, one.options.color)
        begin = len(ground.objects) + len(parts)
        starts.append(Start(one.vehicle.description, (x, y, yaw), one.options.position, range(begin, begin + len(own))))
        parts += own
    try:
        ground = replace(ground, objects=ObjectSet((*ground.objects.objects, *parts), ground.objects.first))
    except ObjectError as error:
        raise ConfigError("session", "vehicles", [one.options.name for one in others], f"names that no object has: {error}") from None
    with origins.relative_to():
        check_starts(ground, first.description, starts)
    return ground


def other_parts(
    configuration: Configuration,
    options: tuple[OtherOptions, ...],
    builder: SessionBuilder,
    first: Vehicle,
    ground: Ground,
    step: float,
    faults: Sequence[Any] = (),
) -> tuple[OtherParts, ...]:
    """Return the parts of all other vehicles. Entries with the same file share a vehicle.

    first : the first vehicle, which is the default; ground : as the terrain describes it, with its start; faults : those of the session

    Raises ConfigError.
    """
    vehicles: dict[str, Vehicle] = {}
    gravity, usual = float(ground.p[0]["gravity"]), min(step, step_stability.USUAL_STEP)
    traits = cache(lambda vehicle: builder.traits(vehicle, gravity, usual))
    everywhere = tuple(one for one in faults if FAULT_KINDS.need(one if isinstance(one, str) else one["type"]).by_position)
    out = []
    with ErrorCollector() as errors:
        for n, one in enumerate(options):
            with errors.part():
                own = configuration.section(("vehicles", n))
                vehicle = first
                if own.has("vehicle"):
                    content = repr(own.raw("vehicle"))
                    if content not in vehicles:
                        vehicles[content], places = builder.vehicle(own)
                        builder.check_step(own, vehicles[content], step, places)
                    vehicle = vehicles[content]
                if vehicle.train is not None:
                    expected = "a vehicle without trailers; only the first vehicle of a session pulls trailers"
                    raise configuration.origins.of(f"vehicles[{n}]").wrong(vehicle.description.name, expected)
                maneuver = builder.maneuver(own, vehicle.description) if own.has("maneuver") else None
                start = one.start(ground.spawn)
                if maneuver is not None:
                    start = maneuver.placed(start)
                    maneuver = maneuver.on_ground(ground, start)
                parts = OtherParts(one, vehicle, maneuver, replace(ground, spawn=start), n + 1, traits(vehicle), everywhere)
                with configuration.origins.relative_to(("vehicles", n)):
                    parts.new_faults(vehicle)  # reports faults that do not fit the vehicle
                out.append(parts)
    return tuple(out)


def one_more(
    entry: Mapping[str, Any], known: Sequence[str], given: tuple[SessionBuilder, Vehicle, Ground, float, Sequence[Any]]
) -> tuple[OtherParts, dict[str, Any]]:
    """Return the parts of a vehicle that comes during a session, and its entry with the contents of all files.

    entry : as in the list `vehicles` of a session file; known : names of the vehicles so far; given : last arguments of `other_parts`

    Raises ConfigError.
    """
    configuration = Configuration(Layer({"vehicles": [dict(entry)]}, {(): Origin("vehicle", is_file=False)}))
    note_runs(configuration)
    (parts,) = other_parts(configuration, read_vehicles(configuration, known), *given)
    complete: dict[str, Any] = configuration.complete()["vehicles"][0]
    return parts, {**complete, "name": parts.options.name}


def note_runs(configuration: Configuration) -> None:
    """Replace the runs that drivers repeat, and FMUs that drive, by the paths of the files, and record their digests. Raises ConfigError."""
    vehicles = configuration.raw("vehicles")
    others = [f"vehicles[{n}].driver" for n in range(len(vehicles) if isinstance(vehicles, list) else 0)]
    for place in ("driver", *others):
        driver = configuration.raw(place)
        if isinstance(driver, dict) and driver.get("type") == REPLAY and isinstance(driver.get("run"), str):
            with configuration.origins.relative_to():
                log = log_file(configuration.binary.path_of(f"{place}.run"), "", f"{place}.run")
            configuration.binary.note(f"{place}.run", log)
        elif isinstance(driver, dict) and driver.get("type") == FMU and isinstance(driver.get("file"), str):
            with configuration.origins.relative_to(parse(f"{place}.file")):
                file = configuration.binary.path_of(f"{place}.file")
                if not isfile(file):
                    raise ConfigError("driver", "", str(file), "an FMU (.fmu)")
            configuration.binary.note(f"{place}.file", file)
