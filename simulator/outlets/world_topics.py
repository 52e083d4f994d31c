"""Groups of live topics about the world and the session, each at a rate of its own.

/map                 obstacle map of the driver's mapper; without one, the true map around the vehicle
/objects             objects and other vehicles: those that move at each time, the others when they change and every FULL_PERIOD
/diagnostics         lateness of the ticks, messages that were dropped, failed parts, sensors, platform
/robot_description   the vehicle as a URDF
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar

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
from simulator.outlets.topic_groups import LATCHED, MOVING, STATE, LiveTopic, Publish, TopicGroup
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

CELL = 0.5
"""m. Side length of a cell of the true map. Smaller: a map in cells of 0.25 m makes one tick late."""
FULL_PERIOD = 5.0
"""s in which each object that does not move is published once, for new readers."""
CHUNK, PAUSE = 50, 1e-3
"""Maximum number of objects in a message, and pause after it [s], in which the ticks have the interpreter for themselves."""
DIAGNOSTICS_RATE = 1.0
"""Hz. Usual rate of diagnostics in ROS 2."""
SHOWN = 10
"""Maximum number of failures in a message."""
FAULTY_STATES = ("fault", STOPPED)
Work = Callable[[Publish], None]
One = TypeVar("One")


class Rate:
    """Times at which a group is due, in simulated time; `shift` [s] keeps groups apart, so that no tick has to copy for all of them."""

    def __init__(self, rate: float, shift: float = 0.0) -> None:
        self._period, self._shift, self._next = 1.0 / rate, shift, -math.inf

    def is_due(self, time: float, begins: bool) -> bool:
        """Return whether a publication is due, and plan the next one."""
        if not begins and time < self._next - 1e-9:
            return False
        self._next = time + self._period + (self._shift if begins else 0.0)
        return True


class MapTopics:
    """Obstacle map."""

    def __init__(self, session: Session, rate: float) -> None:
        self.topics: Sequence[LiveTopic] = [LiveTopic("/map", OCCUPANCY_GRID, LATCHED)]
        self._rate, self._last = Rate(rate, 0.31), math.nan
        self._seen: tuple[ObjectSet, int, ObjectSet] | None = None
        self._mapper: TruthMapper | None = None
        if not isinstance(session.driver, GoalDriver):
            traits = lazy_internal_model(session.vehicle, float(session.ground.p[0]["gravity"]), session.h)
            vehicle = vehicle_traits(session.vehicle.description, session.vehicle.tires, traits)
            settings = MapperSettings(read(TRUTH.parameters, {"cell": CELL}, ""), vehicle, session.ground, np.random.default_rng(0))
            self._mapper = TruthMapper(settings)
            self._mapper.update(_place_of(session))  # loads the kernels before the first tick

    def take(self, session: Session, begins: bool) -> Work | None:
        """Take the last map of the driver, or what the true map needs."""
        if not self._rate.is_due(session.time, begins):
            return None
        driver = session.driver
        if isinstance(driver, GoalDriver):
            found = driver.map
            if found is None or (found.time == self._last and not begins):
                return None
            self._last = found.time
            return partial(self._publish, lambda: found)
        if self._mapper is None:
            return None  # another driver drives than at the start
        seen = MapperInput(session.time, session.readout.copy(), {}, self._copy_of(session.objects))
        return partial(self._publish, partial(self._mapper.update, seen))

    def _copy_of(self, objects: ObjectSet) -> ObjectSet:
        """Return the objects as they are now; the last copy if none has come, gone, broken off or been steered since."""
        lasts = not len(objects.steered_rows) and not int(objects.world[0]["broken"])
        if self._seen is None or not lasts or self._seen[0] is not objects or self._seen[1] != objects.edits:
            self._seen = objects, objects.edits, objects.snapshot() if len(objects) else objects
        return self._seen[2]

    def _publish(self, make: Callable[[], ObstacleMap], publish: Publish) -> None:
        publish("/map", lambda: _grid(make()))


def _place_of(session: Session) -> MapperInput:
    """Return the input of a mapper for a vehicle at the start."""
    readout = session.readout.copy()
    readout[0]["p_WB"][:2] = session.ground.spawn[:2]
    return MapperInput(0.0, readout, {}, session.objects)


def _grid(m: ObstacleMap) -> Any:
    return occupancy_grid(m.time, m.origin, m.cell, {"state": m.state, "cost": m.cost, "elevation": m.elevation})


class ObjectTopics:
    """Objects and other vehicles as markers. Those that do not move are encoded in blocks, once, and published in turn."""

    def __init__(self, session: Session, rate: float) -> None:
        self.topics: Sequence[LiveTopic] = [LiveTopic("/objects", MARKERS, MOVING)]
        self._rate, self._turn, self._turns = Rate(rate), 0, max(1, round(FULL_PERIOD * rate))
        self._seen: tuple[ObjectSet, int, int] | None = None
        self._moving = self._present = np.zeros(0, np.int64)
        self._blocks: dict[int, list[int]] = {}
        """Rows of the objects that do not move, by block; for the thread of the ticks."""
        self._encoded: dict[int, bytes] = {}
        """Messages of the blocks; for the thread of the outlet."""
        self._look(session.objects)
        self._encode(self._changed_blocks(session.objects, 0.0))  # before the first tick, as it takes a while
        _placed(session.objects, self._moving, 0.0)

    def take(self, session: Session, begins: bool) -> Work | None:
        """Copy the objects that have moved, come or gone."""
        time, objects = session.time, session.objects
        if not self._rate.is_due(time, begins):
            return None
        before, changed, gone = self._present, [], ()
        if self._look(objects):
            changed = self._changed_blocks(objects, time)
            gone = objects.records[np.setdiff1d(before, self._present)][["number", "label"]].tolist()
        self._turn = (self._turn + 1) % self._turns
        return partial(self._publish, begins, gone, _placed(objects, self._moving, time), changed, self._turn)

    def _look(self, objects: ObjectSet) -> bool:
        """Find the rows of the objects that are present and of those that move; return whether they may have changed."""
        seen = objects, objects.edits, int(objects.world[0]["broken"])
        if self._seen is not None and seen[0] is self._seen[0] and seen[1:] == self._seen[1:]:
            return False
        self._seen, r = seen, objects.records
        moves, own = r["motion"] == PATH, r["mass"] > 0.0
        moves[own] |= objects.states["broken"][r["state"][own]] > 0
        present = r["present"] > 0
        self._present, self._moving = np.flatnonzero(present), np.flatnonzero(present & moves)
        return True

    def _changed_blocks(self, objects: ObjectSet, time: float) -> list[tuple[int, Placed]]:
        """Return the blocks of objects at rest that have changed, with their objects."""
        rows: dict[int, list[int]] = {}
        for row in np.setdiff1d(self._present, self._moving).tolist():
            rows.setdefault(row // CHUNK, []).append(row)
        blocks, self._blocks = self._blocks, rows
        changed = [block for block in {*rows, *blocks} if rows.get(block) != blocks.get(block)]
        return [(block, _placed(objects, np.array(rows.get(block, []), np.int64), time)) for block in sorted(changed)]

    def _encode(self, blocks: Iterable[tuple[int, Placed]]) -> None:
        for block, placed in blocks:
            self._encoded[block] = encode(MARKERS, _marker_array(placed))

    def _publish(
        self,
        begins: bool,
        gone: Sequence[tuple[int, int]],
        moving: Placed,
        changed: Sequence[tuple[int, Placed]],
        turn: int,
        publish: Publish,
    ) -> None:
        if begins:
            publish("/objects", lambda: {"markers": [marker(0, 0, DELETE_ALL)]})
        if gone and not begins:
            publish("/objects", lambda: {"markers": [marker(number, label, DELETE) for number, label in gone]})
        self._encode(_with_pauses(changed))
        new = {block for block, _ in changed}
        due = [data for block, data in self._encoded.items() if begins or block in new or block % self._turns == turn]
        for data in _with_pauses(due):
            publish("/objects", partial(bytes, data))
        parts = range(0, len(moving.records), CHUNK)
        for n in _with_pauses(parts):
            publish("/objects", partial(_marker_array, Placed(moving.records[n : n + CHUNK], moving.poses[n : n + CHUNK])))


def _marker_array(placed: Placed) -> Message:
    return {"markers": markers(placed)}


def _placed(objects: ObjectSet, rows: NDArray[np.int64], time: float) -> Placed:
    poses: Record = record(POSE, len(rows))
    if len(rows):
        place_objects(objects.world, rows, poses, time)
    return Placed(objects.records[rows], poses)


def _with_pauses(parts: Iterable[One]) -> Iterator[One]:
    """Return parts one after the other, with a pause before each but the first."""
    for number, part in enumerate(parts):
        if number:
            sleep(PAUSE)
        yield part


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
        groups.append(ObjectTopics(session, objects_rate))
    return groups
