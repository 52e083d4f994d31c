"""The other vehicles of a session: each has its file, start, driver and part of the log. The first vehicle is that of the driver's seat.

All vehicles move in the same tick (`simulator.tick`). The others are objects of the world for the first one and for each other: they
collide, and rays, maps and the window show them. A vehicle whose state becomes invalid stops alone, and stays as an obstacle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.base.callbacks import address_of
from simulator.base.errors import JounceError
from simulator.base.fast_call import compiled_call, type_of
from simulator.base.record_tree import addresses_in
from simulator.base.records import Record, Table, dtype_of, record
from simulator.collision import Collision, CollisionList
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.driver_seat import DriverSeat
from simulator.driver.seen_vehicle import FIRST, SeenVehicle
from simulator.incident import verdict_text
from simulator.session_objects import SessionObjects
from simulator.tick import VALID, VEHICLE_ROW, WATCH, place_others
from simulator.view.vehicle_parts import vehicle_parts
from simulator.view.vehicle_states import NO_STATES, states_of
from terrain.ground import Ground, GroundArrays
from terrain.objects.object_set import ObjectSet
from vehicles.command import COMMAND
from vehicles.contact.vehicle_objects import bind_objects
from vehicles.vehicle import Vehicle


@dataclass(eq=False)
class OtherVehicle:
    """A vehicle but the first one.

    Parameters
    ----------
    name : name of its objects, and the begin of its columns of the log
    vehicle : an instance of its own
    make_driver : returns a driver at each begin of a drive; None: its command stays as the caller sets it
    start : x, y [m], yaw [rad]
    speed : m/s at the start
    brakes : whether a vehicle without driver holds its parking brake
    """

    name: str
    vehicle: Vehicle
    make_driver: Callable[[], Driver | SensingDriver | None]
    start: tuple[float, float, float]
    speed: float = 0.0
    brakes: bool = True
    command: Record = field(default_factory=lambda: record(COMMAND))
    watch: Record = field(default_factory=lambda: record(WATCH))
    reported: bool = False
    """Whether its stop was announced."""
    seat: DriverSeat | None = None
    """Its driver; None: the command stays as the caller sets it."""

    def take_driver(self) -> None:
        """Begin a drive with a new driver. Raises JounceError: it cannot be created."""
        self.close()
        driver = self.make_driver()
        self.seat = None if driver is None else DriverSeat(driver, self.command)

    def brake(self) -> None:
        """Leave the driver, and brake to rest."""
        self.close()
        self.command[:] = record(COMMAND)
        self.command[0]["brake"] = 1.0

    def close(self) -> None:
        """Close the driver."""
        if self.seat is not None:
            self.seat.close()
        self.seat = None

    @property
    def stopped(self) -> bool:
        """Whether its state became invalid."""
        return bool(self.watch[0]["verdict"] != VALID)

    def to_json(self) -> dict[str, Any]:
        """Return the description of a stop: name, time, reason, place."""
        return {
            "vehicle": self.name,
            "time_s": float(self.vehicle.space.state[0]["time"]),
            "reason": verdict_text(self.watch[0]),
        }

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of its columns."""
        return [(f"{self.name}_", self.vehicle.readout_table, self.vehicle.readout)]


class SessionVehicles:
    """The other vehicles of one session.

    Parameters
    ----------
    first : the first vehicle
    world : objects of the session, which get the parts of the others

    Attributes
    ----------
    rows : records of VEHICLE_ROW for the kernel
    """

    def __init__(self, first: Vehicle, world: SessionObjects) -> None:
        self._first, self._world = first, world
        self.vehicles: tuple[OtherVehicle, ...] = ()
        self.rows: Record = np.zeros(0, dtype_of(VEHICLE_ROW))
        self._addresses: list[Any] = []
        self._objects: list[tuple[int, int]] = []
        self._collisions: list[tuple[CollisionList, int]] = []
        self._stops: list[str] = []
        self._seen_at, self._seen_vehicles = math.nan, list[SeenVehicle]()
        self._read_at, self._states = math.nan, NO_STATES
        self._object_views: dict[int, ObjectSet] = {}
        self._views_of: tuple[ObjectSet, int, int] = (world.objects, -1, -1)
        self._place: Callable[..., None] | None = None

    label = "other vehicles"
    """Name in messages."""

    def __len__(self) -> int:
        return len(self.vehicles)

    def add(self, others: Sequence[OtherVehicle]) -> None:
        """Add vehicles before the drive begins; their order does not matter. Raises JounceError: another layout of axles than the first vehicle."""
        for one in sorted(others, key=lambda other: other.name):
            if type_of(one.vehicle.space) != type_of(self._first.space) or type_of(one.vehicle.model) != type_of(self._first.model):
                raise JounceError(
                    f"vehicle {one.name}: {one.vehicle.description.name} has another layout of axles than the first vehicle, "
                    f"{self._first.description.name}; expected the same numbers of axles and wheels"
                )
            parts = vehicle_parts(one.name, one.vehicle)
            if one.name not in self._world.objects.names:
                self._world.put(parts)
            first = next(row for row, part in enumerate(self._world.objects.objects) if part.name == one.name)
            self._objects.append((first, len(parts)))
            one.vehicle.load_object_contact()
            self._collisions.append((CollisionList(one.vehicle.space.object_contact, self._world.objects, one.name), 0))
            self.vehicles = (*self.vehicles, one)

    def begin(self, ground: Ground) -> None:
        """Put all vehicles at their starts. Raises JounceError: no equilibrium there."""
        self.rows = np.zeros(len(self.vehicles), dtype_of(VEHICLE_ROW))
        self._addresses, self._seen_at, self._read_at = [], math.nan, math.nan
        for number, (one, (first, count)) in enumerate(zip(self.vehicles, self._objects, strict=True), 1):
            v = one.vehicle
            v.reset(ground, *one.start, speed=one.speed)
            v.model.steering[0]["input_time"] = self._first.model.steering[0]["input_time"]
            self._collisions[number - 1][0].begin()
            one.take_driver()
            one.command[:], one.watch[:], one.reported = record(COMMAND), record(WATCH), False
            one.command[0]["parking_brake"] = float(one.seat is None and one.brakes)
            if one.speed > 0.0 and one.seat is not None:
                one.command[0]["selector"], one.command[0]["throttle"] = 1, v.start_throttle
            row, model, data = self.rows[number - 1], addresses_in(v.model), addresses_in(v.space)
            self._addresses += [model, data]
            row["model"], row["data"] = address_of(model), address_of(data)
            row["command"], row["watch"] = address_of(one.command), address_of(one.watch)
            row["objects"] = count
            row["first_state"] = bind_objects(self._world.objects, range(first, first + count), number, v.model.object_contact)

    def place(self, arrays: GroundArrays) -> None:
        """Write the poses of the vehicles to their objects."""
        if len(self.rows):
            if self._place is None:
                self._place = compiled_call(place_others, self.rows, self._first.model, self._first.space, arrays)
            self._place(self.rows, self._first.model, self._first.space, arrays)

    def seen(self) -> list[SeenVehicle]:
        """Return all vehicles, the first one too, as drivers see them."""
        now = float(self._first.space.state[0]["time"])
        if now != self._seen_at:
            vehicles = [(FIRST, self._first), *((one.name, one.vehicle) for one in self.vehicles)]
            self._seen_at, self._seen_vehicles = now, [_seen(name, vehicle) for name, vehicle in vehicles]
        return self._seen_vehicles

    def read(self) -> None:
        """Bring the readouts up to date."""
        now = float(self._first.space.state[0]["time"])
        if now != self._read_at:
            self._read_at = now
            for one in self.vehicles:
                one.vehicle.read(one.command)
            self._states = states_of([first for first, _ in self._objects], [one.vehicle.readout for one in self.vehicles])

    @property
    def states(self) -> Record:
        """Present states for pictures, a new record at each time."""
        self.read()
        return self._states

    def call_drivers(self, time: float) -> None:
        """Let the drivers fill the commands of their vehicles. A vehicle whose driver fails brakes; the others go on."""
        self.read()
        for number, one in enumerate(self.vehicles, 1):
            if one.seat is None or one.stopped:
                continue
            try:
                one.seat.read(time, one.vehicle.readout, dict, self._objects_for(number), self._collisions[number - 1][0].all, self.seen)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # also SystemExit of a plugin
                one.brake()
                self._stops.append(f"vehicle {one.name} brakes: its driver failed at {time:.3f} s: {type(error).__name__}: {error}")

    def _objects_for(self, number: int) -> ObjectSet:
        """Return the objects without the vehicle with this number, for its driver."""
        objects = self._world.objects
        changes = objects.edits, int(objects.world[0]["broken"])
        if objects is not self._views_of[0] or changes != self._views_of[1:]:
            self._views_of, self._object_views = (objects, *changes), {}
        if number not in self._object_views:
            first, count = self._objects[number - 1]
            self._object_views[number] = objects.without(range(first, first + count))
        return self._object_views[number]

    def places(self) -> list[tuple[float, float]]:
        """Return x, y [m] of the vehicles."""
        return [(float(x), float(y)) for x, y, _ in (one.vehicle.space.state[0]["p_WB"] for one in self.vehicles)]

    @property
    def troubles(self) -> list[str]:
        """Reasons of vehicles that have stopped, and failures of their parts, one line each."""
        return [*self._stops, *(f"vehicle {one.name}: {trouble}" for one in self.vehicles for trouble in one.vehicle.troubles)]

    @property
    def collisions(self) -> list[Collision]:
        """Collisions of these vehicles with objects and with each other; those of the first vehicle are in its own list."""
        return [collision for one, _ in self._collisions for collision in one.all]

    def read_collisions(self) -> list[Collision]:
        """Update the lists of collisions; return those that have begun."""
        new: list[Collision] = []
        for n, (one, heard) in enumerate(self._collisions):
            one.objects = self._world.objects
            one.read()
            new += one.all[heard:]
            self._collisions[n] = one, len(one.all)
        return new

    def newly_stopped(self) -> list[OtherVehicle]:
        """Return the vehicles that have stopped since the last call."""
        found = [one for one in self.vehicles if one.stopped and not one.reported]
        for one in found:
            one.reported = True
            self._stops.append(f"vehicle {one.name} stopped at {one.to_json()['time_s']:.3f} s: {one.to_json()['reason']}")
        return found

    def load_kernels(self) -> None:
        """Load the kernels of the drivers in advance."""
        for one in self.vehicles:
            if one.seat is not None:
                one.seat.load_kernels(one.vehicle.readout)

    def close(self) -> None:
        """Close the drivers."""
        for one in self.vehicles:
            one.close()


def _seen(name: str, vehicle: Vehicle) -> SeenVehicle:
    """Return a vehicle as drivers see it."""
    x, c = vehicle.space.state[0], vehicle.model.object_contact[0]
    w, i, j, k = x["q_WB"].tolist()
    yaw = math.atan2(2.0 * (i * j + w * k), 1.0 - 2.0 * (j * j + k * k))
    low, high = c["parts"]["center"] - c["parts"]["half"], c["parts"]["center"] + c["parts"]["half"]
    parts = slice(int(c["count"]))
    front, rear = float(high[parts, 0].max()), -float(low[parts, 0].min())
    return SeenVehicle(name, float(x["p_WB"][0]), float(x["p_WB"][1]), yaw, float(x["v_WB_B"][0]), front, rear)
