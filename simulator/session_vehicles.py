"""The other vehicles of a session: each has its file, start, driver and part of the log. The first vehicle is that of the driver's seat.

All vehicles move in the same tick (`simulator.tick`). The others are objects of the world for the first one and for each other: they
collide, and rays, maps and the window show them. A vehicle whose state becomes invalid stops alone, and stays as an obstacle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.base.callbacks import address_of
from simulator.base.errors import JounceError
from simulator.base.fast_call import compiled_call, type_of
from simulator.base.record_tree import addresses_in
from simulator.base.records import Record, Table, dtype_of, record, view_as
from simulator.base.suggestions import did_you_mean
from simulator.collision import Collision, CollisionList
from simulator.driver.contract import Driver, SensingDriver
from simulator.driver.driver_seat import DriverChoice, DriverSeat
from simulator.driver.seen_vehicle import FIRST, SeenVehicle, body_box, heading
from simulator.faults.planned_fault import PlannedFault
from simulator.faults.session_faults import SessionFaults
from simulator.incident import verdict_text
from simulator.session_objects import SessionObjects
from simulator.tick import VALID, VEHICLE_ROW, WATCH, StateMonitor, end_step, new_watch, place_others, step_group, step_towed
from simulator.view.vehicle_parts import vehicle_parts
from simulator.view.vehicle_states import NO_STATES, joined, states_of
from terrain.ground import GroundArrays
from terrain.objects.object_set import ObjectSet
from terrain.objects.records import no_world
from vehicles.command import COMMAND
from vehicles.contact.vehicle_objects import bind_objects, list_vehicles
from vehicles.towing.coupling import COUPLING_MEMORY, COUPLING_STATE
from vehicles.vehicle import Vehicle

if TYPE_CHECKING:
    from simulator.session_traffic import SessionTraffic


@dataclass(eq=False, repr=False)
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
    faults : faults of this vehicle; None: it has none
    columns : fields of its readout in the log; empty: all
    enters : whether it is in the world from the begin of a drive on
    drives_again : whether its driver does in a rerun what it did; else the rerun repeats its commands
    color : sRGB color of its body, 0 to 1; None: that of the drawn body
    """

    name: str
    vehicle: Vehicle
    make_driver: Callable[[], Driver | SensingDriver | None]
    start: tuple[float, float, float]
    speed: float = 0.0
    brakes: bool = True
    faults: SessionFaults | None = None
    columns: tuple[str, ...] = ()
    enters: bool = True
    drives_again: bool = False
    color: tuple[float, float, float] | None = None
    present: bool = False
    """Whether it is in the world; nothing meets a vehicle that is not."""
    command: Record = field(default_factory=lambda: record(COMMAND))
    watch: Record = field(default_factory=lambda: record(WATCH))
    reported: bool = False
    """Whether its stop was announced."""
    seat: DriverSeat | None = None
    """Its driver; None: the command stays as the caller sets it."""
    drives: bool = False
    """Whether the driver drives: False without one, and after it has failed."""

    @cached_property
    def types(self) -> Any:
        """Types of its records."""
        return _types(self.vehicle)

    def __repr__(self) -> str:
        return f"<OtherVehicle {self.name}, {self.vehicle.description.name}>"

    def take_driver(self) -> None:
        """Begin a drive with a new driver. Raises JounceError: it cannot be created."""
        if self.seat is not None:
            self.seat.restart()
        elif (driver := self.make_driver()) is not None:
            self.seat = DriverSeat(driver, self.command)
            self.seat.offer_choices([DriverChoice(self.seat.label, lambda _: self._again())])
        self.drives = self.seat is not None

    def _again(self) -> Driver | SensingDriver:
        driver = self.make_driver()
        assert driver is not None
        return driver

    def put(self, ground: GroundArrays, time: float, input_time: float) -> None:
        """Begin a drive at the start, on a ground without objects, at a time [s]; `input_time` is that of the steering. Raises JounceError."""
        v = self.vehicle
        if self.faults is not None:
            self.faults.begin((), ())
        v.reset(ground, *self.start, speed=self.speed)
        v.space.state[0]["time"] = time
        v.model.steering[0]["input_time"] = input_time
        self.take_driver()
        self.command[:], self.watch[:], self.reported = record(COMMAND), record(WATCH), False
        self.command[0]["parking_brake"] = float(self.seat is None and self.brakes)
        if self.speed > 0.0 and self.seat is not None:
            self.command[0]["selector"], self.command[0]["throttle"] = 1, v.start_throttle

    def brake(self) -> None:
        """Leave the driver, and brake to rest."""
        self.close()
        self.command[:] = record(COMMAND)
        self.command[0]["brake"] = 1.0

    def add_fault(self, fault: PlannedFault, arrays: GroundArrays) -> None:
        """Add a fault of this vehicle before the drive; arrays : the ground. Raises JounceError: its name is in use."""
        self.faults = self.faults or SessionFaults(self.vehicle, arrays)
        self.faults.add([fault])

    def close(self) -> None:
        """Close the driver."""
        if self.drives and self.seat is not None:
            self.seat.close()
        self.drives = False

    def forget(self) -> None:
        """Leave the world: all real numbers in the log become NaN, all integers 0."""
        self.close()
        for _, _, shown in self.logged:
            for name in shown.dtype.names or ():
                shown[name] = math.nan if shown.dtype[name].base.kind == "f" else 0

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
        """(prefix, table, record) of its columns: readout, command, driver and faults."""
        v = self.vehicle
        readout = tuple(row for row in v.readout_table if not self.columns or row[0] in self.columns)
        faults = [] if self.faults is None else [fault.logged for fault in self.faults.faults]
        own = [("", readout, v.readout), ("command_", COMMAND, self.command), *(self.seat.logged if self.seat is not None else ()), *faults]
        return [(f"{self.name}_{prefix}", table, shown) for prefix, table, shown in own]


class TowedVehicle(OtherVehicle):
    """A trailer of the first vehicle, whose step moves it: the session draws and logs it, and lets others meet it."""

    def __init__(self, name: str, vehicle: Vehicle, coupling: Record) -> None:
        super().__init__(name, vehicle, lambda: None, (0.0, 0.0, 0.0), brakes=False)
        self._coupling = coupling

    def put(self, ground: GroundArrays, time: float, input_time: float) -> None:
        """Begin a drive; the first vehicle has already put its trailers behind it."""
        self.command[:], self.watch[:], self.reported = record(COMMAND), record(WATCH), False

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of its columns: readout and coupling."""
        v, kind = self.vehicle, dtype_of(COUPLING_MEMORY)
        return [
            (f"{self.name}_", v.readout_table, v.readout),
            (f"{self.name}_coupling_", COUPLING_STATE, view_as(self._coupling, COUPLING_STATE, kind)),
        ]


def trailers_of(vehicle: Vehicle) -> list[TowedVehicle]:
    """Return the trailers of a vehicle for its session."""
    train = vehicle.train
    if train is None:
        return []
    pairs = zip(train.names, train.trailers, strict=True)
    return [TowedVehicle(name, one.vehicle, train.towing[k : k + 1]) for k, (name, one) in enumerate(pairs)]


class Group(NamedTuple):
    """Vehicles with one layout of axles, one after the other in the order of their numbers."""

    arguments: tuple[Any, ...]
    """Rows of VEHICLE_ROW; model and data of one of them, for the types."""
    watch: StateMonitor
    step: Callable[..., None] | None
    """Kernel `step_group`, if there are several layouts."""
    place: Callable[..., None]
    """Kernel `place_others`."""


class SessionVehicles:
    """The other vehicles of one session.

    Parameters
    ----------
    first : the first vehicle
    world : objects of the session, which get the parts of the others

    Attributes
    ----------
    vehicles : all others, also those that are not in the world
    rows : records of VEHICLE_ROW of those that step in the kernel of the first vehicle; none if `mixed`
    traffic : traffic of the session, whose vehicles without models are seen and drawn with the others
    mixed : whether there are vehicles with another layout of axles than the first one: then each layout has a kernel
    """

    def __init__(self, first: Vehicle, world: SessionObjects) -> None:
        self._first, self._world, self._usual = first, world, _types(first)
        self.vehicles: tuple[OtherVehicle, ...] = ()
        self.rows: Record = np.zeros(0, dtype_of(VEHICLE_ROW))
        self.mixed = False
        self.traffic: SessionTraffic | None = None
        self.changes: list[dict[str, Any]] = []
        """Vehicles that a program added or removed since the start: "tick" and "vehicle" (its name), and "entry" of an added one."""
        self._groups: list[Group] = []
        self._end_step: Callable[..., None] | None = None
        self._ground = world.ground.arrays._replace(objects=no_world())
        """Without objects: a vehicle would touch its own parts while it begins to roll."""
        self._rows: dict[str, tuple[Record, Any]] = {}
        self._spans: dict[str, range] = {}
        self._collisions: dict[str, tuple[CollisionList, int]] = {}
        self.stops: list[str] = []
        """Reasons of vehicles that have stopped or brake, one line each."""
        self._changed_faults: list[tuple[str, bool]] = []
        self._seen_at, self._seen_vehicles = math.nan, list[SeenVehicle]()
        self._read_at, self._states, self._shown_at = math.nan, NO_STATES, math.nan
        self._object_views: dict[str, ObjectSet] = {}
        self._views_of: tuple[ObjectSet, int, int] = (world.objects, -1, -1)

    label = "other vehicles"
    """Name in messages."""

    def __len__(self) -> int:
        return len(self.present)

    @property
    def present(self) -> list[OtherVehicle]:
        """Vehicles in the world in the order of their numbers, from 1."""
        return [one for one in self.vehicles if one.present]

    def add(self, others: Sequence[OtherVehicle]) -> None:
        """Add vehicles, whose order does not matter. They are not in the world before the next `begin`, or `enter`."""
        for one in others:
            one.vehicle.load_object_contact()
            self._collisions[one.name] = CollisionList(one.vehicle.space.object_contact, self._world.objects, one.name), 0
            if one.enters:
                self._make_parts(one)
        # a number never changes, because contacts contain it; vehicles with one layout follow one another; trailers have the lowest
        # numbers, which their train does not meet (vehicles.towing.coupling)
        key = lambda one: (not isinstance(one, TowedVehicle), one.types != self._usual, one.vehicle.size, one.name)  # noqa: E731
        self.vehicles = (*self.vehicles, *sorted(others, key=key))

    def _make_parts(self, one: OtherVehicle) -> None:
        """Create the objects of a vehicle, unless the ground has them. Raises ObjectError: an object has the name."""
        parts = vehicle_parts(one.name, one.vehicle, paint=one.color)
        if one.name not in self._world.objects.names:
            self._world.put(parts)
        first = next(row for row, part in enumerate(self._world.objects.objects) if part.name == one.name)
        self._spans[one.name] = range(first, first + len(parts))

    def begin(self) -> None:
        """Put all vehicles at their starts. Raises JounceError: no equilibrium there."""
        for one in self.vehicles:
            one.present = one.enters
            if one.name in self._spans:
                self._world.objects.show(self._spans[one.name], one.present)
            if one.present:
                self._put(one, 0.0)
            else:
                one.forget()
        self._number(self.present)

    def enter(self, name: str) -> None:
        """Put a vehicle that is not in the world at its start. Raises JounceError: no equilibrium there."""
        one = self.find(name)
        if name not in self._spans:
            self._make_parts(one)
        self._put(one, float(self._first.space.state[0]["time"]))
        self._appear(one, True)

    def leave(self, name: str) -> None:
        """Take a vehicle out of the world; its columns of the log are empty from now on. Raises JounceError: it is not in the world."""
        one = self.find(name)
        if isinstance(one, TowedVehicle):
            raise JounceError(f"vehicle {name}: a trailer of the first vehicle; expected another vehicle")
        if not one.present:
            raise JounceError(f"vehicle {name}: not in the world; expected {', '.join(one.name for one in self.present) or 'another one'}")
        one.forget()
        self._appear(one, False)

    def find(self, name: str) -> OtherVehicle:
        """Return a vehicle by its name. Raises JounceError: there is none."""
        for one in self.vehicles:
            if one.name == name:
                return one
        known = [one.name for one in self.vehicles]
        raise JounceError(
            f"vehicle {name}: no such vehicle{did_you_mean(name, known)}; expected {', '.join(known) or 'a vehicle besides the first one'}"
        )

    def _appear(self, one: OtherVehicle, present: bool) -> None:
        """Show or hide a vehicle that has come or gone."""
        one.present = present
        self._world.objects.show(self._spans[one.name], present)
        self._number([one] if present else [])
        self._world.wake()
        for other in self.present:
            wake(other.vehicle)

    def _put(self, one: OtherVehicle, time: float) -> None:
        one.put(self._ground, time, float(self._first.model.steering[0]["input_time"]))
        self._collisions[one.name][0].begin()

    def _number(self, new: Sequence[OtherVehicle]) -> None:
        """Write the rows of the vehicles in the world, and the poses of `new` ones to their objects."""
        objects, present = self._world.objects, self.present
        numbers = {one.name: number for number, one in enumerate(self.vehicles, 1)}
        list_vehicles(objects, [(numbers[one.name], self._spans[one.name]) for one in present])
        for one in new:
            bind_objects(objects, self._spans[one.name], one.vehicle.model.object_contact)
        for one in new:
            self._rows[one.name] = self._row(one, numbers[one.name])
        rows = np.concatenate([np.zeros(0, dtype_of(VEHICLE_ROW)), *(self._rows[one.name][0] for one in present)])
        self.mixed = any(one.types != self._usual or isinstance(one, TowedVehicle) for one in present)
        self.rows, self._groups, begin = rows[:0] if self.mixed else rows, [], 0
        self._seen_at = self._read_at = self._shown_at = math.nan
        for (towed, _), members in groupby(present, lambda one: (isinstance(one, TowedVehicle), one.types)):
            like, count = (some := list(members))[0].vehicle, len(some)
            self._groups.append(self._group(rows[begin : begin + count], like, towed))
            begin += count
        if not new:
            return
        arrays = self._arrays
        if len(new) == len(present):
            arrays.objects[0]["fastest_vehicle"] = 0.0
        chosen = {numbers[one.name] for one in new}
        for group in self._groups:
            own = group.arguments[0]
            group.place(own[np.isin(own["number"], list(chosen))], *group.arguments[1:], arrays, False)

    def _row(self, one: OtherVehicle, number: int) -> tuple[Record, Any]:
        """Return the row of a vehicle for the kernels, and the addresses that it refers to."""
        v, span, rows = one.vehicle, self._spans[one.name], np.zeros(1, dtype_of(VEHICLE_ROW))
        model, data, row = addresses_in(v.model), addresses_in(v.space), rows[0]
        row["model"], row["data"] = address_of(model), address_of(data)
        row["command"], row["watch"] = address_of(one.command), address_of(one.watch)
        row["number"], row["first_object"], row["objects"] = number, span[0], len(span)
        row["first_state"] = self._world.objects.records["state"][span[0]]
        return rows, (model, data)

    @property
    def _arrays(self) -> GroundArrays:
        return self._ground._replace(objects=self._world.objects.world)

    def _group(self, rows: Record, like: Vehicle, towed: bool) -> Group:
        arguments, watch = (rows, like.model, like.space), new_watch(size=like.size, rows=1)
        step = compiled_call(step_towed if towed else step_group, *arguments, self._arrays, watch, 1e-3) if self.mixed else None
        return Group(arguments, watch, step, compiled_call(place_others, *arguments, self._arrays, False))

    def step_mixed(self, arrays: GroundArrays, h: float) -> None:
        """Advance vehicles of several layouts by a tick of h seconds, after the first vehicle."""
        for group in self._groups:
            assert group.step is not None
            group.step(*group.arguments, arrays, group.watch, h)
        if self._end_step is None:
            self._end_step = compiled_call(end_step, self._first.space, arrays, h)
        self._end_step(self._first.space, arrays, h)
        for group in self._groups:
            group.place(*group.arguments, arrays, True)

    def seen(self) -> list[SeenVehicle]:
        """Return all vehicles, the first one and those of the traffic too, as drivers see them."""
        now = float(self._first.space.state[0]["time"])
        if now != self._seen_at:
            self._seen_at, self._seen_vehicles = now, self.competitors()
            if self.traffic is not None:
                self._seen_vehicles += self.traffic.seen(self._world.objects, now)
        return self._seen_vehicles

    def competitors(self) -> list[SeenVehicle]:
        """Return the vehicles with models, the first one too, as drivers see them."""
        return [_seen(FIRST, self._first), *(_seen(one.name, one.vehicle) for one in self.present if not isinstance(one, TowedVehicle))]

    def read(self) -> None:
        """Bring the readouts up to date."""
        now = float(self._first.space.state[0]["time"])
        if now != self._read_at:
            self._read_at, present = now, self.present
            for one in present:
                if isinstance(one, TowedVehicle):  # its lamps are those of the first vehicle
                    one.command[0]["brake"] = self._first.readout[0]["brake"]
                one.vehicle.read(one.command)
            self._states = states_of([self._spans[one.name][0] for one in present], [one.vehicle.readout for one in present])

    @property
    def states(self) -> Record:
        """Present states for pictures, a new record at each time."""
        self.read()
        if self._shown_at != self._read_at:
            self._shown_at = self._read_at
            if self.traffic is not None:
                self._states = joined(self._states, self.traffic.states(self._world.objects, self._read_at))
        return self._states

    def call_drivers(self, time: float, phase: str) -> None:
        """Let the drivers fill the commands of their vehicles, and advance the faults. A vehicle whose driver fails brakes; the others go on.

        phase : phase of the maneuver of the first vehicle, for faults of the session
        """
        for one in self.present:
            if isinstance(one, TowedVehicle):
                continue
            if one.seat is not None and one.drives and not one.stopped:
                try:
                    collisions = self._collisions[one.name][0].all
                    one.seat.read(time, one.vehicle.readout, dict, self._objects_for(one.name), collisions, self.seen)
                except KeyboardInterrupt:
                    raise
                except BaseException as error:  # also SystemExit of a plugin
                    self._brake(one, f"its driver failed at {time:.3f} s: {type(error).__name__}: {error}")
            if not math.isfinite(sum(one.command[0].item())):
                self._brake(one, f"its command was not finite at {time:.3f} s")
            if one.faults is not None:
                own = phase if one.seat is None else getattr(one.seat.driver, "phase", phase)
                changed = one.faults.advance(time, own, one.command, (), ())
                self._changed_faults += [(f"{one.name}_{fault.name}", fault.level > 0.0) for fault in changed]

    def _brake(self, one: OtherVehicle, reason: str) -> None:
        one.brake()
        self.stops.append(f"vehicle {one.name} brakes: {reason}")

    def changed_faults(self) -> list[tuple[str, bool]]:
        """Return the names of the faults that have begun (True) or ended since the last call."""
        found, self._changed_faults = self._changed_faults, []
        return found

    def objects_for_first(self) -> ObjectSet:
        """Return the objects without the trailers of the first vehicle, for its driver."""
        towed = [one.name for one in self.present if isinstance(one, TowedVehicle)]
        return self._objects_for(*towed) if towed else self._world.objects

    def _objects_for(self, *names: str) -> ObjectSet:
        """Return the objects without vehicles, for their driver."""
        objects = self._world.objects
        changes = objects.edits, int(objects.world[0]["broken"])
        if objects is not self._views_of[0] or changes != self._views_of[1:]:
            self._views_of, self._object_views = (objects, *changes), {}
        key = " ".join(names)
        if key not in self._object_views:
            self._object_views[key] = objects.without([row for name in names for row in self._spans[name]])
        return self._object_views[key]

    def places(self) -> list[tuple[float, float]]:
        """Return x, y [m] of the vehicles."""
        return [(float(x), float(y)) for x, y, _ in (one.vehicle.space.state[0]["p_WB"] for one in self.present)]

    @property
    def troubles(self) -> list[str]:
        """Reasons of vehicles that have stopped, and failures of their parts, one line each."""
        return [*self.stops, *(f"vehicle {one.name}: {trouble}" for one in self.vehicles for trouble in one.vehicle.troubles)]

    @property
    def collisions(self) -> list[Collision]:
        """Collisions of these vehicles with objects and with each other; those of the first vehicle are in its own list."""
        return [collision for one, _ in self._collisions.values() for collision in one.all]

    def read_collisions(self) -> list[Collision]:
        """Update the lists of collisions; return those that have begun."""
        new: list[Collision] = []
        for vehicle in self.present:
            one, heard = self._collisions[vehicle.name]
            one.objects = self._world.objects
            one.read()
            new += one.all[heard:]
            self._collisions[vehicle.name] = one, len(one.all)
        return new

    def newly_stopped(self) -> list[OtherVehicle]:
        """Return the vehicles that have stopped since the last call."""
        found = [one for one in self.present if one.stopped and not one.reported and not isinstance(one, TowedVehicle)]
        for one in found:
            one.reported = True
            self._rest(one)
            self.stops.append(f"vehicle {one.name} stopped at {one.to_json()['time_s']:.3f} s: {one.to_json()['reason']}")
        return found

    def _rest(self, one: OtherVehicle) -> None:
        """Let a vehicle that has stopped rest where its parts are, so that drivers, pictures and the log see no state that is not finite."""
        objects, x = self._world.objects, one.vehicle.space.state[0]
        for name in x.dtype.names:
            x[name] = np.nan_to_num(x[name], nan=0.0, posinf=0.0, neginf=0.0)
        parts = objects.states[objects.records["state"][self._spans[one.name][0]]]
        x["p_WB"], x["q_WB"], x["v_WB_B"], x["w_WB_B"] = parts["p_WO"], parts["q_WO"], 0.0, 0.0

    def load_kernels(self) -> None:
        """Load the kernels of the drivers in advance."""
        for one in self.present:
            if one.seat is not None:
                one.seat.load_kernels(one.vehicle.readout)

    def close(self) -> None:
        """Close the drivers."""
        for one in self.vehicles:
            one.close()


def _seen(name: str, vehicle: Vehicle) -> SeenVehicle:
    """Return a vehicle as drivers see it."""
    x, (low, high) = vehicle.space.state[0], body_box(vehicle.model.object_contact)
    place = float(x["p_WB"][0]), float(x["p_WB"][1]), heading(x["q_WB"])
    behind = 0.0 if vehicle.train is None else vehicle.train.length_behind
    return SeenVehicle(name, *place, float(x["v_WB_B"][0]), float(high[0]), max(-float(low[0]), behind))


def _types(vehicle: Vehicle) -> Any:
    """Return the types of the records of a vehicle, which its kernels depend on: they differ with the layout of the axles."""
    return type_of(vehicle.model), type_of(vehicle.space)


def wake(vehicle: Vehicle) -> None:
    """Let the contact of a vehicle look for objects in the next step, because one has appeared."""
    vehicle.space.object_contact[0]["away"] = 0.0
