"""The traffic of a session: it follows the lanes of the ground, and its vehicles and pedestrians are objects of the world.

A vehicle or pedestrian that is hit leaves its path, and is an object on the road for the others from then on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from simulator.driver.seen_vehicle import SeenVehicle, body_box, heading
from simulator.events.turn_signals import LEFT, OFF, RIGHT
from simulator.traffic.records import BODY
from simulator.traffic.traffic import Traffic
from simulator.view.vehicle_states import Rolling, lit_signals
from terrain.ground import Ground, GroundArrays
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.objects.pose import POSE
from terrain.objects.records import PATH, STATIC
from terrain.rays.cast import place_objects
from vehicles.vehicle import Vehicle

NEAR = 4.0
"""m. Objects this close to the middle of a lane may be in the way."""
LOWEST, HIGHEST = 0.15, 1.8
"""m. Vehicles pass over lower objects and below higher ones."""
MOVES = 0.5
"""m/s. A faster object covers what is ahead of its motion."""
BRAKES, STANDS = 0.7, 0.1
"""m/s2, m/s. The stop lamps of a vehicle are lit above this deceleration and below this speed."""
TURN, AHEAD, CHANGES = 0.5, 30.0, 2.5
"""rad, m, s. A vehicle signals a turn by more than this angle from this distance on, and a lane change for this time."""
ROLLS = 0.3
"""m/s. A slower vehicle keeps the angle of its front wheels."""


@dataclass(frozen=True)
class FullVehicle:
    """A vehicle of the traffic with a model of its own."""

    number: int
    """Number of its agent."""
    vehicle: Vehicle
    rear: float
    """m, x of the middle of its rear axle in B."""


@dataclass(frozen=True)
class RollingShape:
    """A vehicle of the traffic without a model of its own, for pictures and drivers."""

    name: str
    origin: tuple[float, float, float]
    """m, origin of its object in B"""
    centers: Sequence[Sequence[float]]
    radii: Sequence[float]
    """m, centers of the wheels in B, and their radii"""
    ends: tuple[float, float]
    """m, distance of its foremost and its last point ahead of and behind B"""


def rolling(rows: Sequence[int] | NDArray[np.int64], shapes: Sequence[RollingShape]) -> Rolling:
    """Return vehicles whose objects are in these rows."""
    return Rolling.of(list(rows), [one.origin for one in shapes], [one.centers for one in shapes], [one.radii for one in shapes])


class SessionTraffic:
    """Traffic of one session.

    Parameters
    ----------
    traffic : vehicles and pedestrians
    first_name : name of the first of its objects, which follow each other in the world
    count : number of these objects
    full : its vehicles with models of their own, which are vehicles of the session
    shapes : shape of each of its other vehicles
    """

    def __init__(self, traffic: Traffic, first_name: str, count: int, full: Sequence[FullVehicle], shapes: Sequence[RollingShape]) -> None:
        self._shapes, self._numbers = tuple(shapes), np.flatnonzero([not one.full for one in traffic.plans])
        self._placed_at, self._placed = math.nan, (np.zeros(0, np.int64), record(POSE, 0))
        self.traffic, self._first_name, self._count, self._full = traffic, first_name, count, tuple(full)
        self._objects: ObjectSet | None = None
        self._edits = -1
        self._watched = np.zeros(0, np.int64)

    def begin(self, ground: Ground, arrays: GroundArrays, objects: ObjectSet, first: Vehicle, others: Sequence[Vehicle]) -> None:
        """Let the traffic drive until it is as at the begin of a drive. first, others : the vehicles of the session."""
        names = [one.name for one in objects.objects] if self._count else []
        start = names.index(self._first_name) if self._count else 0
        rows = range(start, start + self._count)
        part = [one.vehicle for one in self._full]
        vehicles = [first, *(one for one in others if not any(one is own for own in part))]
        self._own = np.array(rows, np.int64)
        self._rolling = rolling(self._own[: len(self._shapes)], self._shapes)
        self._way, self._bend = np.zeros(len(self._shapes)), np.zeros(len(self._shapes))
        self._turn_of = _turns_of_lanes(self.traffic)
        self._time, self._placed_at = 0.0, math.nan
        self._vehicles = [(vehicle, *_extent(vehicle)) for vehicle in vehicles]
        self._ground, self._objects = ground, None
        self._watch(objects)
        self.traffic.begin(arrays, self._bodies(objects, 0.0), self._fixed(objects), objects, rows)

    def advance(self, time: float, objects: ObjectSet) -> None:
        """Advance the traffic to a time [s]."""
        for one in self._full:
            x = one.vehicle.space.state[0]
            yaw = heading(x["q_WB"])
            place = float(x["p_WB"][0]) + one.rear * math.cos(yaw), float(x["p_WB"][1]) + one.rear * math.sin(yaw), yaw
            self.traffic.follow_full(one.number, place, float(x["v_WB_B"][0]))
        if objects is not self._objects or objects.edits != self._edits:
            self._watch(objects)
            self.traffic.set_fixed(self._fixed(objects))
        self.traffic.advance(time, self._bodies(objects, time))
        self._roll(time)

    def _roll(self, time: float) -> None:
        """Turn the wheels of the vehicles without models."""
        a, own = self.traffic.agents, self._numbers
        speed = np.hypot(*a["v_WO"][own, :2].T) * a["active"][own]
        self._way += speed * (time - self._time)
        self._time = time
        rolls = speed > ROLLS
        self._bend[rolls] = a["yaw_rate"][own][rolls] / speed[rolls]

    def _place(self, objects: ObjectSet, time: float) -> tuple[NDArray[np.int64], Record]:
        """Return the vehicles without models that are present, by their order among these, and records of POSE of their objects."""
        if time != self._placed_at:
            some = np.flatnonzero(objects.records["present"][self._rolling.rows] == 1)
            poses = record(POSE, len(some))
            place_objects(objects.world, self._rolling.rows[some], poses, time)
            self._placed_at, self._placed = time, (some, poses)
        return self._placed

    def states(self, objects: ObjectSet, time: float) -> Record:
        """Return the states for pictures of the vehicles without models at a time [s]."""
        some, poses = self._place(objects, time)
        a = self.traffic.agents[self._numbers[some]]
        speed = np.hypot(*a["v_WO"][:, :2].T) * a["active"]
        stops = ((a["demand"] < -BRAKES) | (speed < STANDS)) & (a["active"] == 1)
        way = self._way[some] + speed * (time - self._time)
        turns = lit_signals(self._turns(a, time), time)
        return self._rolling.states(some, (poses["p_WO"], poses["R_WO"]), way, self._bend[some], stops, turns)

    def _turns(self, a: Record, time: float) -> NDArray[np.int64]:
        """Return the turn signals of vehicles: of their turn at a crossing, else of their lane change."""
        lane, following = a["lane"], a["next"]
        near = (following >= 0) & (self.traffic.network.arrays.lanes["length"][lane] - a["station"] < AHEAD)
        turn = np.where(self._turn_of[lane] > 0, self._turn_of[lane], np.where(near, self._turn_of[following], OFF))
        moves = np.where(a["offset"] > 0.0, RIGHT, LEFT)
        signals: NDArray[np.int64] = np.where(turn > 0, turn, np.where(time - a["changed"] < CHANGES, moves, OFF)) * (a["active"] == 1)
        return signals

    def seen(self, objects: ObjectSet, time: float) -> list[SeenVehicle]:
        """Return the vehicles without models at a time [s] as drivers see them."""
        some, poses = self._place(objects, time)
        R, rolling = poses["R_WO"], self._rolling
        place = (poses["p_WO"] - np.einsum("nij,nj->ni", R, rolling.origin[some]))[:, :2]
        yaw, speed = np.arctan2(R[:, 1, 0], R[:, 0, 0]), (poses["v_WO"] * R[:, :, 0]).sum(axis=1)
        rows = zip(some.tolist(), *place.T.tolist(), yaw.tolist(), speed.tolist(), strict=True)
        return [SeenVehicle(self._shapes[k].name, x, y, turn, pace, *self._shapes[k].ends) for k, x, y, turn, pace in rows]

    def _watch(self, objects: ObjectSet) -> None:
        """Choose the objects that may be on a lane and may move, or are persons."""
        self._objects, self._edits = objects, objects.edits
        r = objects.records
        may = (r["present"] == 1) & (r["extinction"] == 0.0) & ((r["motion"] != STATIC) | (r["label"] == LABELS["person"]))
        own = np.zeros(len(r), bool)
        own[self._own] = True
        loose = r["mass"] > 0.0
        own[loose] |= objects.states["vehicle"][r["state"][loose]] > 0
        rows = np.flatnonzero(may & ~own)
        paths = r["motion"][rows] == PATH
        near = _distances(self.traffic, r["p_WO"][rows, :2]) < NEAR
        self._watched = rows[paths | near]

    def _bodies(self, objects: ObjectSet, time: float) -> Record:
        """Return records of BODY of the vehicles that are not part of the traffic, and of objects that may be on the lanes."""
        own = record(BODY, len(self._vehicles))
        for body, (vehicle, front, rear, half) in zip(own, self._vehicles, strict=True):
            x = vehicle.space.state[0]
            body["p_W"], body["yaw"], body["speed"] = x["p_WB"][:2], heading(x["q_WB"]), x["v_WB_B"][0]
            body["front"], body["rear"], body["half_width"] = front, rear, half
        w = objects.world[0]
        broken = objects.broken_rows[int(w["vehicle_parts"]) : int(w["broken"])]
        rows = np.union1d(self._watched, broken) if len(broken) else self._watched
        if not len(rows):
            return own
        return np.concatenate((own, _object_bodies(objects, rows, time)))

    def _fixed(self, objects: ObjectSet) -> Record:
        """Return records of BODY of the objects on the lanes that never move."""
        r = objects.records
        rows = np.flatnonzero((r["present"] == 1) & (r["extinction"] == 0.0) & (r["motion"] == STATIC) & (r["label"] != LABELS["person"]))
        rows = rows[_distances(self.traffic, r["p_WO"][rows, :2]) < NEAR + r["reach"][rows]]
        if not len(rows):
            return record(BODY, 0)
        height = np.array([self._ground.height(float(x), float(y)) for x, y in r["p_WO"][rows, :2]])
        rows = rows[(r["low"][rows, 2] < height + HIGHEST) & (r["high"][rows, 2] > height + LOWEST)]
        return _object_bodies(objects, rows, 0.0) if len(rows) else record(BODY, 0)


def _object_bodies(objects: ObjectSet, rows: NDArray[np.int64], time: float) -> Record:
    """Return records of BODY of some objects at a time [s]."""
    poses, out, r = record(POSE, len(rows)), record(BODY, len(rows)), objects.records[rows]
    place_objects(objects.world, rows, poses, time)
    v = poses["v_WO"][:, :2]
    speed = np.hypot(*v.T)
    yaw = np.where(speed > MOVES, np.arctan2(v[:, 1], v[:, 0]), np.arctan2(poses["R_WO"][:, 1, 0], poses["R_WO"][:, 0, 0]))
    center = poses["p_WO"] + np.einsum("nij,nj->ni", poses["R_WO"], r["center_O"])
    c, s = np.cos(yaw), np.sin(yaw)
    turned = np.stack(
        (
            c[:, None] * poses["R_WO"][:, 0] + s[:, None] * poses["R_WO"][:, 1],
            c[:, None] * poses["R_WO"][:, 1] - s[:, None] * poses["R_WO"][:, 0],
        ),
        1,
    )
    half = np.einsum("nij,nj->ni", np.abs(turned), r["half_O"])
    out["p_W"], out["yaw"], out["speed"] = center[:, :2], yaw, np.where(speed > MOVES, speed, 0.0)
    out["front"] = out["rear"] = half[:, 0]
    out["half_width"] = half[:, 1]
    return out


def _turns_of_lanes(traffic: Traffic) -> NDArray[np.int64]:
    """Return the turn signal of each lane: of one that turns at a crossing."""
    network = traffic.network.arrays
    out = np.zeros(len(network.lanes), np.int64)
    for number, lane in enumerate(network.lanes):
        p = network.points["p_W"][lane["first"] : lane["first"] + lane["count"]]
        (begin_x, begin_y), (end_x, end_y) = p[1] - p[0], p[-1] - p[-2]
        angle = math.atan2(begin_x * end_y - begin_y * end_x, begin_x * end_x + begin_y * end_y)
        if lane["crossing"] >= 0 and abs(angle) > TURN:
            out[number] = LEFT if angle > 0.0 else RIGHT
    return out


def _distances(traffic: Traffic, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance [m] of each place (n, 2) from the nearest lane for vehicles, by points about a meter apart."""
    return np.asarray(traffic.lane_tree.query(places)[0]) if len(places) else np.zeros(0)


def _extent(vehicle: Vehicle) -> tuple[float, float, float]:
    """Return the extent of a vehicle ahead of and behind its reference point, and half its width [m]."""
    low, high = body_box(vehicle.model.object_contact)
    return float(high[0]), -float(low[0]), float(max(high[1], -low[1]))
