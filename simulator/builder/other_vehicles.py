"""Creation of the other vehicles of a session (`simulator.session_vehicles`) from the section `vehicles`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.builder.session_builder import SessionBuilder
from simulator.configuration.configuration import Configuration
from simulator.configuration.vehicles_section import OtherOptions
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.kinds import DRIVER_KINDS, FOLLOWER
from simulator.driver.make_driver import DriverContext, new_driver
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.session_vehicles import OtherVehicle
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
    builder: SessionBuilder
    step: float

    def new(self, paced: bool) -> OtherVehicle:
        """Return the vehicle for a session; `paced`: its driver drives in real time."""
        maneuver, speed = self.maneuver, self.options.speed
        if speed is None:
            speed = 0.0 if maneuver is None else maneuver.start.speed
        vehicle = self.vehicle.new_instance()
        vehicle.free_steering(maneuver is not None and maneuver.gives_torque)
        return OtherVehicle(
            self.options.name, vehicle, partial(self._driver, vehicle, paced), self.ground.spawn, speed, self.options.parking_brake
        )

    def _driver(self, vehicle: Vehicle, paced: bool) -> Driver | SensingDriver | None:
        chosen = self.options.driver
        if chosen is None and self.maneuver is None:
            return None
        kind = DRIVER_KINDS.need(FOLLOWER if chosen is None else chosen.name)
        gravity = float(self.ground.p[0]["gravity"])
        traits = self.builder.traits(self.vehicle, gravity, min(self.step, step_stability.USUAL_STEP))
        context = DriverContext(self.ground, self.maneuver, self.seed, traits, vehicle)
        return new_driver(kind, context, paced, {} if chosen is None else chosen.parameters)


def with_others(ground: Ground, others: tuple[OtherParts, ...]) -> Ground:
    """Return the ground with the other vehicles as objects at their starts, so that pictures of a run and replays show them. Raises ConfigError."""
    if not others:
        return ground
    parts: list[WorldObject] = []
    for one in others:
        x, y, yaw = one.ground.spawn
        place = (x, y, ground.height(x, y))
        parts += vehicle_parts(one.options.name, one.vehicle, place, yaw)
    try:
        return replace(ground, objects=ObjectSet((*ground.objects.objects, *parts), ground.objects.first))
    except ObjectError as error:
        raise ConfigError("session", "vehicles", [one.options.name for one in others], f"names that no object has: {error}") from None


def other_parts(
    configuration: Configuration, options: tuple[OtherOptions, ...], builder: SessionBuilder, first: Vehicle, ground: Ground, step: float
) -> tuple[OtherParts, ...]:
    """Return the parts of all other vehicles. Entries with the same file share a vehicle.

    first : the first vehicle, which is the default; ground : as the terrain describes it, with its start

    Raises ConfigError.
    """
    vehicles: dict[str, Vehicle] = {}
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
                maneuver = builder.maneuver(own, vehicle.description) if own.has("maneuver") else None
                start = one.start(ground.spawn)
                start = start if maneuver is None else maneuver.placed(start)
                out.append(OtherParts(one, vehicle, maneuver, replace(ground, spawn=start), n + 1, builder, step))
    return tuple(out)
