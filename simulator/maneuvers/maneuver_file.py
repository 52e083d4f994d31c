"""Maneuver file: vehicle, terrain, path, speeds, phases, cones, metrics and pass limits of one run."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from simulator.autonomy.goal_section import ENDINGS, GOAL, PLANNER_MEANING, USUAL_MAPPER, Endings, GoalSection, GoalTask, goal_task
from simulator.autonomy.mappers.kinds import MAPPER
from simulator.autonomy.planners.kinds import PLANNER
from simulator.base.errors import ConfigError, ErrorCollector, JounceError, raise_all
from simulator.base.field_classes import entries, entry, group_of
from simulator.base.fields import Choice, ListOf, Number, Text, read
from simulator.driver.cornering import Cornering, cornering_targets
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import SEGMENTS, LaneChange, Path, Spawn, TimedLaneChange
from simulator.driver.scripted import ScriptedDriver, ScriptRow
from simulator.driver.speed import SpeedControl, SpeedGains, SpeedTarget
from simulator.driver.steering.kinds import STEERING
from simulator.faults.kinds import FAULTS
from simulator.maneuvers.conditions import CONDITIONS, Conditions, conditions
from simulator.maneuvers.cone_course import LENGTH, POSITION, STANDARDS, Body, Course, Gate, lane_changes_between, way_through
from simulator.maneuvers.cross_checks import Written, units_used
from simulator.maneuvers.evaluation_section import (
    LIMITS,
    METRICS_LIST,
    channels_of,
    limit_units,
    rate_of,
    read_analysis_requests,
    read_limits,
)
from simulator.maneuvers.metrics import METRICS_RATE
from simulator.maneuvers.parameters import PARAMETERS, WithParameters, named_in_errors, resolved
from simulator.maneuvers.phases import PhaseSection, own_law, read_phases
from simulator.maneuvers.plots.kinds import PLOT_KINDS, USUAL
from simulator.maneuvers.timed_course import PlacedCourse, TimedCourse, check_course, placed, seen_from
from terrain.objects.section import OBJECTS

GOAL_ANALYSIS = "goal"
"""Analysis of every maneuver with a goal."""
DRIVER_PERIOD = 0.01
"""Time [s] between two calls of a driver; a multiple of the step."""

NAME = Text("a name (letters, digits, . _ / -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]*\Z")
FILE_NAME = Text("a name, or the path of a file", pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*\Z")
TIME = Number("s", 0.0, 86400.0)
FRACTION = Number("1", 0.0, 1.0)


if TYPE_CHECKING:
    from simulator.driver.contract import Driver, DriverSettings, SensingDriver
    from simulator.driver.steering.path_follower import PathFollower
    from terrain.ground import Ground


@dataclass(frozen=True)
class LaneChangeEvent:
    """Lateral shift of the path, from a time or from a station on."""

    offset: float = entry(Number("m", -100.0, 100.0), "lateral shift of the path, + = left", written="m")
    length: float = entry(LENGTH, "length of the shift along the path", written="m")
    at: float | None = entry(TIME, "start time of the shift", None, written="s")
    at_station: float | None = entry(POSITION, "station of the start of the shift", None, written="m")


@dataclass(frozen=True)
class ScriptLine:
    """Inputs at a time, interpolated linearly."""

    at: float = entry(TIME, "when", written="s")
    steering: float = entry(Number("1", -1.0, 1.0), "steering input as a fraction of full lock, + = left", 0.0)
    throttle: float = entry(FRACTION, "position of the throttle pedal", 0.0)
    brake: float = entry(FRACTION, "position of the brake pedal", 0.0)


@dataclass(frozen=True)
class Start:
    """Initial state of a maneuver, relative to the start of the terrain."""

    speed: float = entry(Number("m/s", 0.0, 60.0), "initial speed", 0.0, written="kph")
    position: Any = entry(
        Number("m", -1e5, 1e5, shape=(2,)), "position ahead of and to the left of the start of the terrain", (0.0, 0.0), written="m"
    )
    heading: float = entry(Number("rad", -math.tau, math.tau), "heading relative to the start of the terrain, + = left", 0.0, written="deg")
    drop: float | None = entry(
        Number("m", 0.1, 100.0),
        "height of the reference point above the ground, from which the vehicle falls, level and at rest; higher where wheels or body would touch the "
        "ground; needs no equilibrium; default: the vehicle stands or rolls",
        None,
        written="m",
    )


@dataclass(frozen=True)
class Document:
    """Keys of the file."""

    name: str = entry(NAME, "name of the maneuver")
    vehicle: str = entry(FILE_NAME, "name or path of the vehicle file")
    terrain: str = entry(FILE_NAME, "name or path of the terrain file")
    duration: float = entry(Number("s", 0.001, 86400.0), "simulated time; with phases, the maximum", written="s")
    body: Body = entry(group_of(Body), "outline of the vehicle from above; default: the outline in the vehicle file")
    step: float = entry(Number("s", 0.00005, 0.01), "time step of the simulation; 0.01 s must be a multiple of it", 0.001, written="ms")
    seed: int = entry(Number("", 0, 2**63 - 1, whole=True), "seed of all random numbers of the run", 0)
    title: str = entry(Text("text", empty=True), "title in reports; may contain $name of a parameter", "")
    parameters: Mapping[str, Any] | None = entry(PARAMETERS, "names of numbers and words, used as $name anywhere in the file", None)
    start: Start = entry(group_of(Start), "initial state", Start())
    phases: tuple[PhaseSection, ...] = entry(
        ListOf(group_of(PhaseSection)), "phases in order; replace speed, timed lane changes and the script", ()
    )
    abort: Any = entry(CONDITIONS, "conditions that abort the maneuver; one is sufficient", None)
    speed: tuple[SpeedTarget, ...] = entry(ListOf(group_of(SpeedTarget)), "target speeds in order", ())
    waypoints: tuple[Any, ...] = entry(
        ListOf(Number("m", -1e5, 1e5, shape=(2,))), "points (x, y) of a smooth path that begins at the spawn pose", (), written="m"
    )
    segments: tuple[Any, ...] = entry(SEGMENTS, "straights and arcs of the path; replace waypoints and course", ())
    road: str | None = entry(NAME, "road of the terrain that the path follows; replaces waypoints, segments and course", None)
    cornering: Cornering | None = entry(group_of(Cornering), "limits of the speed in bends of the path; `speed` then has one entry", None)
    timed_course: TimedCourse | None = entry(
        group_of(TimedCourse), "lines to pass in order, laps and penalties; waypoints are then relative to the start of the terrain", None
    )
    lane_changes: tuple[LaneChangeEvent, ...] = entry(ListOf(group_of(LaneChangeEvent)), "lateral shifts of the path", ())
    course: Course | None = entry(group_of(Course), "gates of cones; replace waypoints and lane changes", None)
    script: tuple[ScriptLine, ...] = entry(ListOf(group_of(ScriptLine)), "inputs over time; replace a path", ())
    driver: Mapping[str, Any] = entry(STEERING, "steering model that follows the path", {})
    pedals: SpeedGains = entry(group_of(SpeedGains), "gains of the speed control", SpeedGains())
    metrics: tuple[Any, ...] = entry(METRICS_LIST, "metrics in addition to the usual metrics", ())
    remarks: tuple[str, ...] = entry(ListOf(Text("text")), "notes shown with the results", ())
    plots: tuple[str, ...] = entry(ListOf(Choice(PLOT_KINDS.names)), "names of the plots in the report", USUAL)
    goal: GoalSection | None = entry(GOAL, "goal of the drive: a planner finds the way; replaces path, speed, phases and script", None)
    objects: tuple[Any, ...] = entry(OBJECTS.kind, "objects in addition to those of the terrain", ())
    mapper: Any = entry(MAPPER, "obstacle map of the planner: a name, or a mapping of `type`, `period` and its own keys", USUAL_MAPPER)
    planner: Any = entry(PLANNER, PLANNER_MEANING, None)
    endings: Endings = entry(ENDINGS, "events that end the drive to a goal", Endings())
    faults: tuple[Any, ...] = entry(FAULTS.kind, FAULTS.meaning, ())
    limits: Mapping[str, Any] | None = entry(LIMITS, "pass limits by metric, in the unit suffix of the key", None)


FILE = tuple(replace(field, default=None) if field.name == "body" else field for field in entries(Document))
"""Keys of a file in ``configs/maneuvers``. The caller adds the body from the vehicle if the file has none."""
FILE_TABLE = WithParameters(FILE)
"""Table of a file; parameters may replace its numbers and words."""


class Maneuver:
    """Checked maneuver.

    Attributes
    ----------
    name, title, vehicle, terrain : names as in the file
    duration, step : s
    seed : seed of all random numbers of the run
    body : outline of the vehicle
    gates : gates of the course, in the frame of the spawn pose; empty without a course
    path : path relative to the spawn pose, without the timed lane changes; None for a script
    timed : lane changes that start at a time
    start : initial state
    phase_names : phase names by the number in the column `phase` of the telemetry
    requested_analyses : analyses of the run
    faults : checked entries of `faults`
    limits : pass limits by name of the metric
    remarks : notes for a reader of the results
    pictures : names of the plots in the report, without duplicates
    units : suffixes for the results, by SI unit and, with priority, by name of a metric that has limits
    timed_course, placed_course : section of the file; in the world, after `on_ground`
    file : origin of the maneuver
    """

    def __init__(self, document: Document, written: Written, units: Mapping[str, str] | None = None) -> None:
        self.file = file = written.file
        self.name, self.title = document.name, document.title or document.name
        self.vehicle, self.terrain = document.vehicle, document.terrain
        self.duration, self.step, self.seed = document.duration, document.step, document.seed
        self.body = document.body
        self.remarks = document.remarks
        self.pictures = tuple(dict.fromkeys(document.plots))
        with ErrorCollector() as faults:
            with faults.part():
                self.gates = _gates(document, written)
                self.path = _path(document, self.gates, written) if _has_path(document) else None
            with faults.part():
                given = written.mapping.get("phases") or ()
                self._phases = read_phases(document.phases, given, file, has_path=_has_path(document))
            with faults.part():
                self._aborts = _aborts(document, written)
            with faults.part():
                self.phase_names = tuple(section.name for section in document.phases)
                self.requested_analyses = read_analysis_requests(_requested(document), file, self.phase_names)
                has_course, given_limits = document.course is not None, document.limits or {}
                self.limits = read_limits(given_limits, self.requested_analyses, file, has_path=_has_path(document), has_course=has_course)
                self.units = {**(units or {}), **limit_units(given_limits, self.requested_analyses)}
        self.start, self.timed_course = document.start, document.timed_course
        self.is_timed, self.placed_course = document.timed_course is not None, cast("PlacedCourse | None", None)
        self.task = _task(document, file)
        self.timed = _timed(document)
        self.faults = document.faults
        self._document = document

    def for_another(self, body: Body) -> Maneuver:
        """Return a copy for a vehicle with another outline. Without a course, nothing else changes."""
        one = copy.copy(self)
        one.body, one._document = body, replace(self._document, body=body)
        return one

    def on_ground(self, ground: Ground, start: tuple[float, float, float]) -> Maneuver:
        """Return a copy with road and timed course on a ground, for a vehicle at `start` (x (m), y (m), yaw (rad)). Raises ConfigError."""
        if self.timed_course is None and self._document.road is None:
            return self
        one = copy.copy(self)
        path = None if self._document.road is not None else self.path or Path.straight()
        way, one.placed_course = placed(path, self._document.road, self.timed_course, ground, self.file)
        one.path = None if self.path is None else seen_from(Spawn(*start), way)
        return one

    @property
    def channels(self) -> tuple[str, ...]:
        """Names, fields and patterns of the telemetry that the metrics need in addition to `metrics.columns`."""
        return channels_of(self.requested_analyses)

    @property
    def gives_torque(self) -> bool:
        """True if a phase applies a torque to the steering wheel instead of an angle."""
        return any("steering_torque" in phase.channels for phase in self._phases)

    @property
    def has_place(self) -> bool:
        """True if the maneuver has a path or a goal, which stay where they are when its driver takes over during the drive."""
        return self.path is not None or self.task is not None

    @property
    def keeps_speeds(self) -> bool:
        """True if its driver keeps speeds along the path, without phases."""
        return self.path is not None and not self._phases

    @property
    def rate(self) -> float:
        """Number of rows per second that the metrics need."""
        return rate_of(self.requested_analyses, METRICS_RATE)

    def placed(self, spawn: tuple[float, float, float]) -> Spawn:
        """Return the start pose in the world on a terrain with the start `spawn` (x (m), y (m), yaw (rad))."""
        x, y, yaw = spawn
        ahead, left = (float(one) for one in self.start.position)
        c, s = math.cos(yaw), math.sin(yaw)
        return Spawn(x + c * ahead - s * left, y + s * ahead + c * left, yaw + self.start.heading)

    def driver(
        self,
        spawn: Spawn | tuple[float, float, float],
        traits: InternalModel | None = None,
        settings: DriverSettings | None = None,
    ) -> Driver | SensingDriver:
        """Return a new driver for a vehicle with the internal model `traits` and the start pose `spawn` (x (m), y (m), yaw (rad)).

        Raises JounceError: a maneuver with a goal without `settings`, or its mapper or planner cannot be created.
        """
        if self.task is not None:
            from simulator.autonomy.goal_driver import GoalDriver  # imported here, because it loads the compiler

            if settings is None:
                raise JounceError(f"{self.name}: a maneuver with a goal needs ground and vehicle")
            return GoalDriver(self.task, settings, self._document.pedals, self._document.driver)
        targets = self._document.speed
        if self._document.cornering is not None and self.path is not None:
            targets = cornering_targets(self.path, self._document.cornering, targets[0])
        keeps_speed = bool(self._document.speed) or self.path is not None or any("speed" in phase.channels for phase in self._phases)
        speed = SpeedControl(targets, self._document.pedals, traits if keeps_speed else None)
        if self._phases:
            from simulator.maneuvers.phase_driver import PhaseDriver

            followers: dict[str | None, PathFollower] = (
                {} if self.path is None else {None: self._follower(spawn, speed, traits, self._document.driver)}
            )
            for phase in self._phases if followers else ():
                model = own_law(phase)
                if model is not None:
                    followers[phase.name] = self._follower(spawn, speed, traits, model)
            return PhaseDriver(self._phases, self._aborts, Spawn(*spawn), traits or InternalModel(), speed, followers, self.seed)
        if self.path is None:
            rows = [ScriptRow(line.at, line.steering, line.throttle, line.brake) for line in self._document.script]
            return ScriptedDriver(rows, speed if self._document.speed else None)
        return self._follower(spawn, speed, traits, self._document.driver)

    def _follower(
        self, spawn: Spawn | tuple[float, float, float], speed: SpeedControl, traits: InternalModel | None, model: Mapping[str, Any]
    ) -> PathFollower:
        from simulator.driver.steering.path_follower import PathFollower  # imported here, because it loads the compiler

        assert self.path is not None
        return PathFollower(self.path.placed(Spawn(*spawn)), speed, traits, model, self.timed, self.seed)


def load_maneuver(mapping: Mapping[str, Any], file: object) -> Maneuver:
    """Return the maneuver of a YAML mapping; `file` is the origin for messages.

    Raises
    ------
    ConfigError : unknown or missing key, wrong type, out of range, or keys that contradict each other
    """
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, "", mapping, "a mapping of keys to values")
    with named_in_errors(mapping):
        return _maneuver_of(resolved(mapping, file), file)


def _maneuver_of(mapping: Mapping[str, Any], file: object) -> Maneuver:
    """Return the maneuver of a mapping without parameters. Raises ConfigError."""
    values = read(FILE, mapping, file, fill=False)
    if "body" not in values:
        raise ConfigError(file, "body", "nothing", group_of(Body).description())
    document = Document(**values)
    written = Written(mapping, file)
    with ErrorCollector() as faults:
        with faults.part():
            _check(document, written)
        with faults.part():
            maneuver = Maneuver(document, written, units_used(mapping))
    return maneuver


def _check(document: Document, written: Written) -> None:
    """Check keys against each other. Raises ConfigError."""
    with ErrorCollector() as faults:
        with faults.part():
            _check_times(document, written)
        with faults.part():
            if document.start.drop is not None and document.start.speed > 0.0:
                faults.add(
                    written.wrong(
                        ("start", "drop"), "m", document.start.drop, "no such key together with speed_kph; a dropped vehicle is at rest"
                    )
                )
        with faults.part():
            _check_path(document, written)
        for key, events in (("speed", document.speed), ("lane_changes", document.lane_changes)):
            with faults.part():
                _check_triggers(key, events, document, written)


def _check_times(document: Document, written: Written) -> None:
    wrong = written.wrong
    steps = DRIVER_PERIOD / document.step
    with ErrorCollector() as faults:
        if abs(steps - round(steps)) > 1e-6:
            faults.add(wrong(("step",), "s", document.step, "a step of which {}, the driver period, is a multiple", DRIVER_PERIOD))
        if document.body.front > document.body.length:
            faults.add(wrong(("body", "front"), "m", document.body.front, "at most the length of the body, {}", document.body.length))
        if document.duration < document.step:
            faults.add(wrong(("duration",), "s", document.duration, "at least one step of {}", document.step))


def _check_path(document: Document, written: Written) -> None:
    """Check that exactly one group of keys defines the path."""
    file = written.file
    with ErrorCollector() as faults:
        if document.script:
            for key, value in (
                ("waypoints", document.waypoints),
                ("segments", document.segments),
                ("road", document.road),
                ("lane_changes", document.lane_changes),
                ("course", document.course),
            ):
                if value:
                    faults.add(ConfigError(file, key, "both", f"either script or {key}; a script does not follow a path"))
            times = [line.at for line in document.script]
            for i in range(1, len(times)):
                if times[i] <= times[i - 1]:
                    faults.add(written.wrong(("script", i, "at"), "s", times[i], "a time after the previous line ({})", times[i - 1]))
        elif document.phases:
            for key, value in (("script", document.script), ("speed", document.speed)):
                if value:
                    faults.add(ConfigError(file, key, "both", f"either phases or {key}"))
            for n, event in enumerate(document.lane_changes):
                if event.at is not None:
                    faults.add(ConfigError(file, f"lane_changes[{n}]", "a time", "at_station_m; phases define their own times"))
        elif document.goal is not None:
            for key in ("speed", "waypoints", "segments", "road", "lane_changes", "course"):
                if getattr(document, key):
                    faults.add(ConfigError(file, key, "both", f"either goal or {key}; a planner finds the way to the goal"))
        elif not document.speed:
            faults.add(ConfigError(file, "speed", "nothing", "a list of speeds, phases or a script"))
        if document.abort is not None and not document.phases:
            faults.add(ConfigError(file, "abort", "conditions", "phases in the same file; only phases can be aborted"))
        others = document.waypoints or document.segments or document.lane_changes or document.road
        if document.course is not None and others and not document.script:
            expected = "either course or waypoints, segments and lane_changes; the gates define the path"
            faults.add(ConfigError(file, "course", "both", expected))
        if bool(document.segments) + bool(document.waypoints) + bool(document.road) > 1:
            given = [key for key in ("segments", "waypoints", "road") if getattr(document, key)]
            faults.add(ConfigError(file, given[0], "both", f"either {given[0]} or {given[1]}"))
        if document.cornering is not None and (len(document.speed) != 1 or document.script):
            faults.add(ConfigError(file, "cornering", f"{len(document.speed)} speeds", "one entry of speed, the fastest one"))
        check_course(document.timed_course, bool(document.road) or len(document.waypoints) > 2, file)


def _check_triggers(key: str, events: Sequence[SpeedTarget | LaneChangeEvent], document: Document, written: Written) -> None:
    file, wrong = written.file, written.wrong
    last = -1.0
    with ErrorCollector() as faults:
        for i, event in enumerate(events):
            if (event.at is None) == (event.at_station is None):
                given = "both" if event.at is not None else "neither"
                faults.add(ConfigError(file, f"{key}[{i}]", given, "either at_s or at_station_m"))
                continue
            if event.at_station is not None and document.script:
                faults.add(wrong((key, i, "at_station"), "m", event.at_station, "at_s; a script has no stations"))
            if event.at is not None:
                if event.at < last:
                    faults.add(wrong((key, i, "at"), "s", event.at, "a time not before the previous entry ({})", last))
                elif event.at > document.duration:
                    faults.add(wrong((key, i, "at"), "s", event.at, "a time within the duration of {}", document.duration))
                last = event.at


def _requested(document: Document) -> tuple[Any, ...]:
    """Return the requested analyses; that of the goal first."""
    goal = () if document.goal is None else (METRICS_LIST.item.read({"type": GOAL_ANALYSIS}, "", ""),)
    return (*goal, *document.metrics)


def _task(document: Document, file: object) -> GoalTask | None:
    """Return the drive to the goal, if there is one."""
    if document.goal is None:
        return None
    if document.goal.topic is not None:
        raise ConfigError(
            file, "goal.topic", document.goal.topic, "position or route; goals by a topic are for the driver planner of a session"
        )
    start = float(document.start.position[0]), float(document.start.position[1]), document.start.heading
    return goal_task(document.goal, document.mapper, document.planner, document.endings, start, file)


def _gates(document: Document, written: Written) -> tuple[Gate, ...]:
    course, file, wrong = document.course, written.file, written.wrong
    if course is None:
        return ()
    if (course.standard is None) == (not course.gates):
        raise ConfigError(file, "course", "both" if course.gates else "neither", "either standard or gates")
    if course.standard is not None:
        if course.start is None:
            raise ConfigError(file, "course.start_m", "nothing", "start of the first gate, a number in m ahead of the spawn pose")
        gates = STANDARDS[course.standard](document.body, course.start, course.side)
    else:
        if course.start is not None:
            raise wrong(("course", "start"), "m", course.start, "no such key together with gates, because each gate has its own start")
        gates = course.gates
    _check_gates(gates, course, document.body, written)
    return gates


def _check_gates(gates: Sequence[Gate], course: Course, body: Body, written: Written) -> None:
    """Check that the gates are in order, far enough apart and wide enough. Raises ConfigError."""
    end = center = 0.0
    with ErrorCollector() as faults:
        for i, gate in enumerate(gates):
            # a lane change between two gates extends into both gates
            earliest = end if gate.center == center else end + (1.0 + (i > 0)) * course.overlap
            if gate.start < earliest:
                path = ("course", "gates", i, "start") if course.gates else ("course", "start")
                expected = "at least {}; the previous gate ends at {} and a lane change extends into both gates"
                faults.add(written.wrong(path, "m", gate.start, expected, earliest, end))
            if gate.width <= body.width:
                expected = "more than the vehicle width of {}"
                faults.add(written.wrong(("course", "gates", i, "width"), "m", gate.width, expected, body.width))
            end, center = gate.end, gate.center


def _has_path(document: Document) -> bool:
    """Return True if there is a path to follow. Without phases and script there always is one; the default is straight."""
    if document.goal is not None:
        return False
    given = bool(document.waypoints or document.segments or document.lane_changes or document.course or document.road)
    return given if document.phases else not document.script


def _aborts(document: Document, written: Written) -> Conditions:
    return conditions(document.abort, written.file, "abort", written.mapping["abort"]) if document.abort is not None else ()


def _path(document: Document, gates: tuple[Gate, ...], written: Written) -> Path:
    if gates:
        assert document.course is not None
        lateral_positions = way_through(gates, document.course.cut, document.body.width)
        return Path.straight().with_lane_changes(lane_changes_between(gates, document.course.overlap, lateral_positions))
    path = Path.straight()
    if document.waypoints:
        points = [tuple(point.tolist()) for point in document.waypoints]
        if len(points) < 2:
            raise written.wrong(("waypoints",), "m", points[0], "a list of at least two points")
        close = [i for i in range(1, len(points)) if math.dist(points[i], points[i - 1]) < 1.0]
        raise_all(
            [written.wrong(("waypoints", i), "m", points[i], "a distance of at least {} from the previous point", 1.0) for i in close]
        )
        laps = document.timed_course.laps if document.timed_course is not None else None
        path = Path.through(points) if laps is None else Path.around(points, laps + 2)
    if document.segments:
        path = Path.of_segments(document.segments)
    return path.with_lane_changes(
        LaneChange(event.at_station, event.length, event.offset) for event in document.lane_changes if event.at_station is not None
    )


def _timed(document: Document) -> tuple[TimedLaneChange, ...]:
    return tuple(TimedLaneChange(event.at, event.length, event.offset) for event in document.lane_changes if event.at is not None)
