"""Creation of the traffic of a session (`simulator.session_traffic`) from the section `traffic`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, JounceError
from simulator.base.records import Table
from simulator.builder.session_builder import SessionBuilder
from simulator.configuration.configuration import Configuration
from simulator.configuration.traffic_section import TrafficOptions
from simulator.driver.internal_model import InternalModel
from simulator.driver.traffic_driver import TrafficDriver
from simulator.session_traffic import FullVehicle, RollingShape, SessionTraffic
from simulator.session_vehicles import OtherVehicle
from simulator.traffic.population import CarSize, plan_agents, plan_walkers
from simulator.traffic.records import PARTS
from simulator.traffic.traffic import AgentPlan, Traffic, WalkerPlan
from simulator.view.object_meshes import hull_triangles
from simulator.view.vehicle_parts import DrawnVehicle, VehiclePart, vehicle_parts, view_geometry
from terrain.ground import Ground
from terrain.objects.breakaway import Breakaway
from terrain.objects.errors import ObjectError
from terrain.objects.object_set import ObjectSet
from terrain.objects.section import USUAL_MASS
from terrain.objects.world_object import Capsule, ConvexHull, Material, TriangleMesh, WorldObject
from terrain.roads.network import RoadNetwork, lane_pose
from vehicles import step_stability
from vehicles.contact.vehicle_objects import vehicle_objects
from vehicles.vehicle import Vehicle

if TYPE_CHECKING:
    from terrain.objects.paths import Path

PREFIX = "traffic"
PERSON_RADIUS, PERSON_HEIGHT = 0.25, 1.75
"""m. Pedestrians are capsules."""
PAINTS = (
    (0.85, 0.85, 0.86),
    (0.10, 0.10, 0.11),
    (0.45, 0.46, 0.48),
    (0.55, 0.07, 0.07),
    (0.10, 0.20, 0.45),
    (0.62, 0.64, 0.66),
    (0.16, 0.28, 0.20),
)
CLOTHES = ((0.15, 0.18, 0.30), (0.45, 0.12, 0.12), (0.20, 0.20, 0.20), (0.70, 0.62, 0.45), (0.15, 0.35, 0.25), (0.75, 0.75, 0.78))


@dataclass(frozen=True)
class Shape:
    """Kind of vehicle of the traffic: its model, outline and mesh. The mesh has its origin on the ground below the middle of the rear axle."""

    vehicle: Vehicle
    size: CarSize
    rear: float
    """m, x of the middle of the rear axle in B."""
    mesh: TriangleMesh
    low: float
    """m, z in B of the lowest point of the wheels"""
    geometry: Mapping[str, Any]
    """Rows of `simulator.view.vehicle_geometry.GEOMETRY`"""

    @property
    def origin(self) -> tuple[float, float, float]:
        """Origin of the mesh in B [m]."""
        return self.rear, 0.0, self.low


@dataclass(frozen=True, eq=False)
class TrafficParts:
    """Traffic for any number of sessions."""

    network: RoadNetwork
    agents: Sequence[AgentPlan]
    walkers: Sequence[WalkerPlan]
    shapes: Sequence[Shape]
    """of each agent"""
    seed: int
    ground: Ground
    builder: SessionBuilder
    step: float

    def objects(self) -> list[WorldObject]:
        """Return the objects of the vehicles and pedestrians that are in no model, at their places; then the parts of the others."""
        random = np.random.default_rng((self.seed, 2))
        cars, persons, full = [], [], []
        for n, (one, shape) in enumerate(zip(self.agents, self.shapes, strict=True), 1):
            x, y, yaw = self._place(one, shape)
            position = (x, y, self.ground.height(x, y))
            paint = PAINTS[int(random.integers(len(PAINTS)))]
            contact = shape.vehicle.model.object_contact
            if one.full:
                c, s = np.cos(yaw), np.sin(yaw)
                middle = (x - shape.rear * c, y - shape.rear * s, position[2])
                full += vehicle_parts(f"{PREFIX}_{n}", shape.vehicle, middle, yaw, paint)
            else:
                body = Material(color=paint, stiffness=float(contact[0]["stiffness"]), reflectance=0.5)
                drawn = DrawnVehicle(f"{PREFIX}_{n}", shape.geometry, shape.origin, paint)
                motion = _path(position, float(contact[0]["mass"]))
                cars.append(
                    VehiclePart(drawn.name, shape.mesh, position, yaw, label="vehicle", material=body, motion=motion, vehicle=drawn)
                )
        person = Capsule(PERSON_RADIUS, PERSON_HEIGHT - 2.0 * PERSON_RADIUS)
        for n, walker in enumerate(self.walkers, 1):
            x, y, yaw = lane_pose(self.network.arrays, walker.lane, walker.station)
            position = (x, y, self.ground.height(x, y) + walker.height)
            clothes = Material(color=CLOTHES[int(random.integers(len(CLOTHES)))])
            motion = _path(position, USUAL_MASS["person"])
            persons.append(WorldObject(f"pedestrian_{n}", person, position, yaw, label="person", material=clothes, motion=motion))
        return [*cars, *persons, *full]

    def _place(self, one: AgentPlan, shape: Shape) -> tuple[float, float, float]:
        """Return x, y [m] of the middle of the rear axle of a vehicle at the begin, and its yaw [rad]."""
        x, y, yaw = lane_pose(self.network.arrays, one.lane, one.station - one.overhang - one.wheelbase)
        return float(x), float(y), float(yaw)

    def new(self) -> tuple[SessionTraffic, list[OtherVehicle]]:
        """Return the traffic of a new session, and its vehicles with models of their own."""
        traffic = Traffic(self.network, self.agents, self.walkers, self.seed)
        full, others = [], []
        for k, (one, shape) in enumerate(zip(self.agents, self.shapes, strict=True)):
            if one.full:
                x, y, yaw = self._place(one, shape)
                start = x - shape.rear * float(np.cos(yaw)), y - shape.rear * float(np.sin(yaw)), yaw
                make = partial(self._driver, traffic, k, shape.vehicle)
                others.append(OtherVehicle(f"{PREFIX}_{k + 1}", shape.vehicle.new_instance(), make, start))
                full.append(FullVehicle(k, others[-1].vehicle, shape.rear))
        moving = sum(not one.full for one in self.agents)
        first = next((f"{PREFIX}_{k + 1}" for k, one in enumerate(self.agents) if not one.full), "pedestrian_1")
        return SessionTraffic(traffic, first, moving + len(self.walkers), full, self.rolling), others

    @property
    def full_tables(self) -> dict[str, Table]:
        """Readout tables of the vehicles with models of their own, by name."""
        pairs = enumerate(zip(self.agents, self.shapes, strict=True), 1)
        return {f"{PREFIX}_{n}": shape.vehicle.readout_table for n, (one, shape) in pairs if one.full}

    @property
    def rolling(self) -> list[RollingShape]:
        """Vehicles without models of their own."""
        out = []
        for n, (one, shape) in enumerate(zip(self.agents, self.shapes, strict=True), 1):
            if not one.full:
                front = shape.rear + one.wheelbase + one.overhang
                radii = shape.vehicle.model.tires["radius"].tolist()
                ends = front, one.length - front
                out.append(RollingShape(f"{PREFIX}_{n}", shape.origin, shape.vehicle.wheel_centers.tolist(), radii, ends))
        return out

    def _driver(self, traffic: Traffic, number: int, vehicle: Vehicle) -> TrafficDriver:
        return TrafficDriver(traffic.agents, number, self._traits(vehicle))

    @cached_property
    def _traits(self) -> Callable[[Vehicle], InternalModel]:
        """Internal model of a vehicle, which the drivers of all vehicles of its file share."""
        gravity, step = float(self.ground.p[0]["gravity"]), min(self.step, step_stability.USUAL_STEP)
        return cache(lambda vehicle: self.builder.traits(vehicle, gravity, step))


def with_traffic(ground: Ground, traffic: TrafficParts | None) -> Ground:
    """Return the ground with the vehicles and pedestrians of the traffic as objects at their places. Raises ConfigError."""
    if traffic is None:
        return ground
    try:
        return replace(ground, objects=ObjectSet((*ground.objects.objects, *traffic.objects()), ground.objects.first))
    except ObjectError as error:
        raise ConfigError("session", "traffic", PREFIX, f"names that no object has: {error}") from None


def traffic_parts(
    configuration: Configuration,
    options: TrafficOptions | None,
    builder: SessionBuilder,
    first: Vehicle,
    ground: Ground,
    step: float,
    seed: int,
    others: Sequence[Ground],
) -> TrafficParts | None:
    """Return the traffic of a session; None without any. first : vehicle of the session; others : grounds of the other ones. Raises ConfigError."""
    if options is None:
        return None
    if ground.lanes is None:
        raise configuration.origins.of("traffic").wrong(ground.name, f"a terrain with lanes, for example town; {ground.name} has none")
    shapes: list[Shape] = []
    full: list[bool] = []
    for n, kind in enumerate(options.kinds):
        own = configuration.section(("traffic", "vehicles", n))
        vehicle = first
        if own.has("vehicle"):
            vehicle, places = builder.vehicle(own)
            if kind.full:
                builder.check_step(own, vehicle, step, places)
        shapes += [_shape(vehicle)] * kind.count
        full += [kind.full] * kind.count
    seed = seed if options.seed is None else options.seed
    random = np.random.default_rng((seed, 1))
    try:
        agents = plan_agents(ground.lanes, [one.size for one in shapes], random, [one.spawn[:2] for one in (ground, *others)])
        walkers = plan_walkers(ground.lanes, options.pedestrians, 0.5 * PERSON_HEIGHT, random)
    except JounceError as error:
        raise configuration.origins.of("traffic").wrong(f"{len(shapes)} vehicles, {options.pedestrians} pedestrians", str(error)) from None
    agents = [replace(one, full=is_full) for one, is_full in zip(agents, full, strict=True)]
    return TrafficParts(ground.lanes, agents, walkers, shapes, seed, ground, builder, step)


def _shape(vehicle: Vehicle) -> Shape:
    """Return the outline and the mesh of a vehicle: its collision body and its wheels."""
    centers, contact = vehicle.wheel_centers, vehicle.model.object_contact
    rear, front = float(centers[:, 0].min()), float(centers[:, 0].max())
    low = float(min(center[2] - wheel[0] for center, wheel in zip(centers, contact[0]["wheels"], strict=False)))
    hulls = [one.shape for one in vehicle_objects("shape", contact, centers)]
    points = np.concatenate([hull.points for hull in hulls if isinstance(hull, ConvexHull)])
    triangles = np.concatenate([hull_triangles(np.asarray(hull.points)) for hull in hulls if isinstance(hull, ConvexHull)])
    ends: Array = points.max(axis=0)
    length, overhang = float(ends[0] - points[:, 0].min()), float(ends[0] - front)
    half = float(np.abs(points[:, 1]).max())
    mesh = TriangleMesh(triangles - (rear, 0.0, low), "traffic")
    return Shape(vehicle, CarSize(length, half, front - rear, overhang), rear, mesh, low, view_geometry(vehicle))


def _path(position: tuple[float, float, float], mass: float) -> Path:
    """Return the path of an object at a position [m], which the traffic writes."""
    from terrain.objects.paths import Path  # imported here, because it loads the compiler

    return Path(np.tile(position, (PARTS + 1, 1)), times=np.arange(PARTS + 1.0) - PARTS, turns=False, breakaway=Breakaway(mass))
