"""Groups of live topics about the world and the session, each at a rate of its own.

/map                 obstacle map of the driver's mapper; without one, the true map around the vehicle
/objects             objects and other vehicles: those that move at each time, the others when they change and every FULL_PERIOD
/diagnostics         lateness of the ticks, messages that were dropped, failed parts, sensors, platform
/robot_description   the vehicle as a URDF
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import MapperInput, MapperSettings, ObstacleMap
from simulator.autonomy.goal_driver import GoalDriver
from simulator.autonomy.mappers.truth import KIND as TRUTH
from simulator.autonomy.mappers.truth import TruthMapper
from simulator.autonomy.vehicle_traits import vehicle_traits
from simulator.base.fields import read
from simulator.base.records import Record, record
from simulator.driver.vehicle_identification import lazy_internal_model
from simulator.outlets.topic_groups import LATCHED, STATE, LiveTopic, Publish, TopicGroup
from simulator.ros2.robot_description import robot_description
from simulator.ros2.world_messages import DELETE, DELETE_ALL, ERROR, OK, WARN, Placed, Status, diagnostics, marker, markers, occupancy_grid
from simulator.sensors.messages.cdr import encode
from simulator.sensors.messages.definitions import DIAGNOSTICS, MARKERS, OCCUPANCY_GRID, STRING
from simulator.sensors.messages.topic import Message
from simulator.telemetry.sensor_file.recorder import recorded_sensors
from terrain.objects.object_set import ObjectSet
from terrain.objects.pose import POSE
from terrain.objects.records import PATH
from terrain.rays.cast import place_objects
from washout.platform_procedure import STOPPED

if TYPE_CHECKING:
    from simulator.session import Session

FULL_PERIOD = 5.0
"""s between two publications of the objects that do not move, for new readers."""
CHUNK = 500
"""Maximum number of objects in a message."""
DIAGNOSTICS_RATE = 1.0
"""Hz. Usual rate of diagnostics in ROS 2."""
SHOWN = 10
"""Maximum number of failures in a message."""
FAULTY_STATES = ("fault", STOPPED)
Work = Callable[[Publish], None]


class Rate:
    """Times at which a group is due, in simulated time."""

    def __init__(self, rate: float) -> None:
        self._period, self._next = 1.0 / rate, -math.inf

    def is_due(self, time: float, begins: bool) -> bool:
        """Return whether a publication is due, and plan the next one."""
        if not begins and time < self._next - 1e-9:
            return False
        self._next = time + self._period
        return True


class MapTopics:
    """Obstacle map."""

    def __init__(self, session: Session, rate: float) -> None:
        self.topics: Sequence[LiveTopic] = [LiveTopic("/map", OCCUPANCY_GRID, LATCHED)]
        self._rate, self._last = Rate(rate), math.nan
        self._mapper: TruthMapper | None = None
        if not isinstance(session.driver, GoalDriver):
            traits = lazy_internal_model(session.vehicle, float(session.ground.p[0]["gravity"]), session.h)
            vehicle = vehicle_traits(session.vehicle.description, session.vehicle.tires, traits)
            settings = MapperSettings(read(TRUTH.parameters, {}, ""), vehicle, session.ground, np.random.default_rng(0))
            self._mapper = TruthMapper(settings)

    def take(self, session: Session, begins: bool) -> Work | None:
        """Take the last map of the driver, or what the true map needs."""
        if not self._rate.is_due(session.time, begins):
            return None
        driver = session.driver
        if isinstance(driver, GoalDriver):
            found = driver.map
            if found is None or found.time == self._last:
                return None
            self._last = found.time
            return partial(self._publish, lambda: found)
        if self._mapper is None:
            return None  # another driver drives than at the start
        objects = session.objects.snapshot() if len(session.objects) else session.objects
        seen = MapperInput(session.time, session.readout.copy(), {}, objects)
        return partial(self._publish, partial(self._mapper.update, seen))

    def _publish(self, make: Callable[[], ObstacleMap], publish: Publish) -> None:
        publish("/map", lambda: _grid(make()))


def _grid(m: ObstacleMap) -> Any:
    return occupancy_grid(m.time, m.origin, m.cell, {"state": m.state, "cost": m.cost, "elevation": m.elevation})


class ObjectTopics:
    """Objects and other vehicles as markers."""

    def __init__(self, rate: float) -> None:
        self.topics: Sequence[LiveTopic] = [LiveTopic("/objects", MARKERS, STATE)]
        self._rate, self._full = Rate(rate), Rate(1.0 / FULL_PERIOD)
        self._present = np.zeros(0, np.int64)
        self._resting: NDArray[np.int64] | None = None
        self._encoded: list[bytes] = []

    def take(self, session: Session, begins: bool) -> Work | None:
        """Copy the objects that have moved, come or gone."""
        time, objects = session.time, session.objects
        if not self._rate.is_due(time, begins):
            return None
        present, moves = _moving(objects)
        rows, resting = np.flatnonzero(present & moves), np.flatnonzero(present & ~moves)
        now = np.concatenate((rows, resting))
        gone = () if begins else objects.records[np.setdiff1d(self._present, now)][["number", "label"]].tolist()
        self._present = now
        changed = begins or self._resting is None or not np.array_equal(resting, self._resting)
        self._resting = resting
        new = _placed(objects, resting, time) if changed else None
        is_full = self._full.is_due(time, begins) or changed
        return partial(self._publish, begins, gone, _placed(objects, rows, time), new, is_full)

    def _publish(
        self, begins: bool, gone: Sequence[tuple[int, int]], moving: Placed, resting: Placed | None, is_full: bool, publish: Publish
    ) -> None:
        if begins:
            publish("/objects", lambda: {"markers": [marker(0, 0, DELETE_ALL)]})
        if gone:
            publish("/objects", lambda: {"markers": [marker(number, label, DELETE) for number, label in gone]})
        if resting is not None:
            self._encoded = [encode(MARKERS, _marker_array(part)) for part in _chunks(resting)]
        for data in self._encoded if is_full else ():
            publish("/objects", partial(bytes, data))
        for part in _chunks(moving):
            publish("/objects", partial(_marker_array, part))


def _marker_array(placed: Placed) -> Message:
    return {"markers": markers(placed)}


def _moving(objects: ObjectSet) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each object whether it is present, and whether it moves: on a path, broken off, or as a part of a vehicle."""
    r = objects.records
    moves, own = r["motion"] == PATH, r["mass"] > 0.0
    moves[own] |= objects.states["broken"][r["state"][own]] > 0
    return r["present"] > 0, moves


def _placed(objects: ObjectSet, rows: NDArray[np.int64], time: float) -> Placed:
    poses: Record = record(POSE, len(rows))
    if len(rows):
        place_objects(objects.world, rows, poses, time)
    return Placed(objects.records[rows], poses)


def _chunks(placed: Placed) -> list[Placed]:
    return [Placed(placed.records[n : n + CHUNK], placed.poses[n : n + CHUNK]) for n in range(0, len(placed.records), CHUNK)]


class DiagnosticTopics:
    """State of the session."""

    def __init__(self) -> None:
        self.topics: Sequence[LiveTopic] = [LiveTopic("/diagnostics", DIAGNOSTICS, STATE)]
        self._rate, self._overruns, self._dropped = Rate(DIAGNOSTICS_RATE), 0, 0

    def take(self, session: Session, begins: bool) -> Work | None:
        """Copy the state of the parts."""
        if not self._rate.is_due(session.time, begins):
            return None
        failures = [str(one) for one in session.output.failures] + session.vehicle.troubles + session.others.troubles
        state = session.platform_state
        parts = [
            self._ticks(session),
            self._topics(session),
            Status(
                "parts", ERROR if failures else OK, failures[-1] if failures else "all parts work",
                {"failures": len(failures), **{f"failure {n}": text for n, text in enumerate(failures[-SHOWN:], 1)}},
            ),
            Status("platform", ERROR if state in FAULTY_STATES else OK, state, {"incidents": getattr(session.recovery.latest, "number", 0)}),
            Status(
                "driver", OK, session.seat.name or session.seat.label,
                {"collisions": len(session.collisions), "last report": "".join(session.seat.reports[-1:])},
            ),
            *(_sensor(one) for one in session.measuring.sensors),
        ]  # fmt: skip
        return partial(self._publish, session.time, parts)

    def _publish(self, time: float, parts: list[Status], publish: Publish) -> None:
        publish("/diagnostics", lambda: diagnostics(time, parts))

    def _ticks(self, session: Session) -> Status:
        clock = session.clock
        if clock is None:
            return Status("ticks", OK, "faster or slower than real time", {})
        new, self._overruns = clock.overruns - self._overruns, clock.overruns
        values = {
            "real_time_factor": clock.real_time_factor, "overruns": clock.overruns, "worst_lateness_ms": 1e3 * clock.worst_lateness,
            "lateness_p99_ms": 1e3 * clock.lateness.quantile(0.99), "dropped_s": clock.dropped,
        }  # fmt: skip
        return Status("ticks", WARN if new > 0 else OK, f"{new} late ticks" if new > 0 else "on time", values)

    def _topics(self, session: Session) -> Status:
        outlets: list[Any] = list(session.output.outlets)
        dropped = {one.label: one.dropped for one in outlets if hasattr(one, "dropped")}
        new, self._dropped = sum(dropped.values()) - self._dropped, sum(dropped.values())
        text = f"{new} messages dropped" if new > 0 else "no message dropped"
        return Status("topics", WARN if new > 0 else OK, text, {f"dropped, {name}": count for name, count in dropped.items()})


def _sensor(sensor: Any) -> Status:
    trouble = sensor.trouble or sensor.lost
    level = ERROR if sensor.trouble else WARN if sensor.lost else OK
    return Status(f"sensor {sensor.name}", level, trouble or "works", {"late": sensor.late, "skipped": sensor.skipped})


class DescriptionTopics:
    """URDF of the vehicle. Raises JounceError: a sensor has the name of a link."""

    def __init__(self, session: Session) -> None:
        self.topics: Sequence[LiveTopic] = [LiveTopic("/robot_description", STRING, LATCHED)]
        frames = [frame for one in recorded_sensors(session.measuring.sensors)[0] for frame in one.frames]
        self._text = robot_description(session.vehicle.description, session.vehicle.tires, frames)

    def take(self, session: Session, begins: bool) -> Work | None:
        """Return the publication at the begin."""
        return (lambda publish: publish("/robot_description", lambda: {"data": self._text})) if begins else None


def world_groups(session: Session, map_rate: float, objects_rate: float) -> list[TopicGroup]:
    """Return the groups of this module; a rate [Hz] of 0 leaves out its topic."""
    groups: list[TopicGroup] = [DescriptionTopics(session), DiagnosticTopics()]
    if map_rate > 0.0:
        groups.append(MapTopics(session, map_rate))
    if objects_rate > 0.0:
        groups.append(ObjectTopics(objects_rate))
    return groups
