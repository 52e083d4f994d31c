"""A maneuver: one YAML file that says who drives what, where, how fast, around which cones, and what counts as passed."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from simulator.base.errors import ConfigError, ErrorCollector, raise_all
from simulator.base.fields import Choice, ListOf, Number, Text, entries, entry, group_of, read
from simulator.base.records import Record
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import SEGMENTS, LaneChange, Path, Spawn, TimedLaneChange
from simulator.driver.scripted import ScriptedDriver, ScriptRow
from simulator.driver.speed import SpeedControl, SpeedGains, SpeedTarget
from simulator.driver.steering.kinds import STEERING
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
from simulator.maneuvers.parameters import PARAMETERS, resolved
from simulator.maneuvers.phases import PhaseSection, own_law, read_phases
from simulator.maneuvers.plots.kinds import PLOT_KINDS, USUAL

DRIVER_PERIOD = 0.01
"""s between two calls of a driver; the step must divide it."""

NAME = Text("a name (letters, digits, . _ / -)", pattern=r"^[A-Za-z0-9][A-Za-z0-9_./-]*\Z")
FILE_NAME = Text("a name, or the path of a file", pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*\Z")
TIME = Number("s", 0.0, 86400.0)
SHARE = Number("1", 0.0, 1.0)


if TYPE_CHECKING:
    from simulator.driver.steering.path_follower import PathFollower


class Driver(Protocol):
    """Who gives the command: called at 100 Hz, the command is held in between."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        """Fill the COMMAND record at time t (s) from the READOUT record."""


@dataclass(frozen=True)
class LaneChangeEvent:
    """Sideways shift of the path, from a time or from a station on."""

    offset: float = entry(Number("m", -100.0, 100.0), "how far the path shifts, + = left", written="m")
    length: float = entry(LENGTH, "way over which it shifts", written="m")
    at: float | None = entry(TIME, "from this time on", None, written="s")
    at_station: float | None = entry(POSITION, "from this station of the path on", None, written="m")


@dataclass(frozen=True)
class ScriptLine:
    """Inputs at a time, straight lines in between."""

    at: float = entry(TIME, "when", written="s")
    steering: float = entry(Number("1", -1.0, 1.0), "share of full lock, + = left", 0.0)
    throttle: float = entry(SHARE, "throttle pedal", 0.0)
    brake: float = entry(SHARE, "brake pedal", 0.0)


@dataclass(frozen=True)
class Start:
    """How a maneuver begins, from the start of the terrain."""

    speed: float = entry(Number("m/s", 0.0, 60.0), "rolling at this speed", 0.0, written="kph")
    position: Any = entry(Number("m", -1e5, 1e5, shape=(2,)), "so far ahead and to the left", (0.0, 0.0), written="m")
    heading: float = entry(Number("rad", -math.tau, math.tau), "turned to the left by so much", 0.0, written="deg")


@dataclass(frozen=True)
class Document:
    """The file, key by key."""

    name: str = entry(NAME, "name of the maneuver")
    vehicle: str = entry(FILE_NAME, "vehicle, by name or path of its file")
    terrain: str = entry(FILE_NAME, "terrain, by name or path of its file")
    duration: float = entry(Number("s", 0.001, 86400.0), "simulated time; of phases the longest", written="s")
    body: Body = entry(group_of(Body), "outline of the vehicle from above, that of the vehicle's file when left out")
    step: float = entry(Number("s", 0.00005, 0.01), "tick of the simulation; it divides 0.01 s", 0.001, written="ms")
    seed: int = entry(Number("", 0, 2**63 - 1, whole=True), "for everything random in the run", 0)
    title: str = entry(Text("text", empty=True), "what is shown to people; $name of a parameter is put in", "")
    parameters: Mapping[str, Any] | None = entry(PARAMETERS, "names for numbers and words, which stand as $name anywhere in the file", None)
    start: Start = entry(group_of(Start), "how it begins", Start())
    phases: tuple[PhaseSection, ...] = entry(
        ListOf(group_of(PhaseSection)), "what is done, one after the other; instead of speed, lane changes at a time, or a script", ()
    )
    abort: Any = entry(CONDITIONS, "conditions of which any gives the maneuver up", None)
    speed: tuple[SpeedTarget, ...] = entry(ListOf(group_of(SpeedTarget)), "speeds to drive, in order", ())
    waypoints: tuple[Any, ...] = entry(
        ListOf(Number("m", -1e5, 1e5, shape=(2,))), "x, y that a smooth path goes through, from the spawn pose", (), written="m"
    )
    segments: tuple[Any, ...] = entry(SEGMENTS, "straights and arcs that make the path; instead of waypoints and a course", ())
    lane_changes: tuple[LaneChangeEvent, ...] = entry(ListOf(group_of(LaneChangeEvent)), "sideways shifts of the path", ())
    course: Course | None = entry(group_of(Course), "gates of cones; instead of waypoints and lane changes", None)
    script: tuple[ScriptLine, ...] = entry(ListOf(group_of(ScriptLine)), "inputs over time; instead of a path", ())
    driver: Mapping[str, Any] = entry(STEERING, "who steers along the path", {})
    pedals: SpeedGains = entry(group_of(SpeedGains), "who keeps the speed", SpeedGains())
    metrics: tuple[Any, ...] = entry(METRICS_LIST, "what is looked at besides the usual metrics", ())
    remarks: tuple[str, ...] = entry(ListOf(Text("text")), "what a reader of the results has to know, shown with them", ())
    plots: tuple[str, ...] = entry(ListOf(Choice(tuple(PLOT_KINDS))), "pictures of the report, by name", USUAL)
    limits: Mapping[str, Any] | None = entry(LIMITS, "pass marks by metric; the numbers are in the unit behind its name", None)


FILE = tuple(replace(field, default=None) if field.name == "body" else field for field in entries(Document))
"""Of a file in ``configs/maneuvers``. Whoever knows the vehicle gives the body that the file leaves out."""


class Maneuver:
    """A checked maneuver.

    Attributes
    ----------
    name, title, vehicle, terrain : names as in the file
    duration, step : s
    seed : for everything random in the run
    body : outline of the vehicle
    gates : of the course, in the frame of the spawn pose; empty without a course
    path : relative to the spawn pose, without the timed lane changes; None for a script
    timed : lane changes that start at a time
    start : how it begins
    phase_names : by the number in the column `phase` of its telemetry
    asked : analyses of its drive
    limits : pass marks by name of the metric
    remarks : what a reader of its results has to know
    pictures : of the report, each once
    units : suffix with which results are written, by SI unit and, over that, by name of a metric that has limits
    file : where it was read from
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
                said = written.mapping.get("phases") or ()
                self._phases = read_phases(document.phases, said, file, has_path=_has_path(document))
            with faults.part():
                self._aborts = _aborts(document, written)
            with faults.part():
                self.phase_names = tuple(section.name for section in document.phases)
                self.asked = read_analysis_requests(document.metrics, file, self.phase_names)
                has_course, said_limits = document.course is not None, document.limits or {}
                self.limits = read_limits(said_limits, self.asked, file, has_path=_has_path(document), has_course=has_course)
                self.units = {**(units or {}), **limit_units(said_limits, self.asked)}
        self.start = document.start
        self.timed = _timed(document)
        self._document = document

    def for_another(self, body: Body) -> Maneuver:
        """The same for a vehicle with another outline, with which nothing else changes where there is no course."""
        one = copy.copy(self)
        one.body, one._document = body, replace(self._document, body=body)
        return one

    @property
    def channels(self) -> tuple[str, ...]:
        """Of the telemetry, names, fields and patterns that its metrics need beyond `metrics.columns`."""
        return channels_of(self.asked)

    @property
    def gives_torque(self) -> bool:
        """Whether a phase gives a torque to the steering wheel instead of an angle."""
        return any("steering_torque" in phase.channels for phase in self._phases)

    @property
    def rate(self) -> float:
        """Rows per second that its metrics need."""
        return rate_of(self.asked, METRICS_RATE)

    def placed(self, spawn: tuple[float, float, float]) -> Spawn:
        """Where it begins in the world, on a terrain with that start (x (m), y (m), yaw (rad))."""
        x, y, yaw = spawn
        ahead, left = (float(one) for one in self.start.position)
        c, s = math.cos(yaw), math.sin(yaw)
        return Spawn(x + c * ahead - s * left, y + s * ahead + c * left, yaw + self.start.heading)

    def driver(self, spawn: Spawn | tuple[float, float, float], traits: InternalModel | None = None) -> Driver:
        """New driver for a vehicle, with those traits, whose reference point starts at spawn = (x (m), y (m), yaw (rad)) in the world."""
        keeps_speed = bool(self._document.speed) or self.path is not None or any("speed" in phase.channels for phase in self._phases)
        speed = SpeedControl(self._document.speed, self._document.pedals, traits if keeps_speed else None)
        if self._phases:
            from simulator.maneuvers.phase_driver import PhaseDriver

            followers: dict[str | None, PathFollower] = (
                {} if self.path is None else {None: self._follower(spawn, speed, traits, self._document.driver)}
            )
            for phase in self._phases if followers else ():
                own = own_law(phase)
                if own is not None:
                    followers[phase.name] = self._follower(spawn, speed, traits, own)
            return PhaseDriver(self._phases, self._aborts, Spawn(*spawn), traits or InternalModel(), speed, followers, self.seed)
        if self.path is None:
            rows = [ScriptRow(line.at, line.steering, line.throttle, line.brake) for line in self._document.script]
            return ScriptedDriver(rows, speed if self._document.speed else None)
        return self._follower(spawn, speed, traits, self._document.driver)

    def _follower(
        self, spawn: Spawn | tuple[float, float, float], speed: SpeedControl, traits: InternalModel | None, law: Mapping[str, Any]
    ) -> PathFollower:
        from simulator.driver.steering.path_follower import PathFollower  # which needs the compiler; whoever only reads the file does not

        assert self.path is not None
        return PathFollower(self.path.placed(Spawn(*spawn)), speed, traits, law, self.timed, self.seed)


def load_maneuver(mapping: Mapping[str, Any], file: object) -> Maneuver:
    """Maneuver out of an already read YAML mapping; `file` is named in messages.

    Raises
    ------
    ConfigError : unknown or missing key, wrong type, out of range, or keys that contradict each other
    """
    if not isinstance(mapping, Mapping):
        raise ConfigError(file, "", mapping, "a mapping of keys to values")
    mapping = resolved(mapping, file)
    values = read(FILE, mapping, file, fill=False)
    if "body" not in values:
        raise ConfigError(file, "body", "nothing", group_of(Body).words())
    document = Document(**values)
    written = Written(mapping, file)
    with ErrorCollector() as faults:
        with faults.part():
            _check(document, written)
        with faults.part():
            maneuver = Maneuver(document, written, units_used(mapping))
    return maneuver


def _check(document: Document, written: Written) -> None:
    """What no single key can tell. Raises ConfigError."""
    with ErrorCollector() as faults:
        with faults.part():
            _check_times(document, written)
        with faults.part():
            _check_way(document, written)
        for key, events in (("speed", document.speed), ("lane_changes", document.lane_changes)):
            with faults.part():
                _check_triggers(key, events, document, written)


def _check_times(document: Document, written: Written) -> None:
    wrong = written.wrong
    steps = DRIVER_PERIOD / document.step
    with ErrorCollector() as faults:
        if abs(steps - round(steps)) > 1e-6:
            faults.add(wrong(("step",), "s", document.step, "a step that divides {}, the period of the driver", DRIVER_PERIOD))
        if document.body.front > document.body.length:
            faults.add(wrong(("body", "front"), "m", document.body.front, "at most the length of the body, {}", document.body.length))
        if document.duration < document.step:
            faults.add(wrong(("duration",), "s", document.duration, "at least one step of {}", document.step))


def _check_way(document: Document, written: Written) -> None:
    """Where to drive is said in one way."""
    file = written.file
    with ErrorCollector() as faults:
        if document.script:
            for key, value in (
                ("waypoints", document.waypoints),
                ("segments", document.segments),
                ("lane_changes", document.lane_changes),
                ("course", document.course),
            ):
                if value:
                    faults.add(ConfigError(file, key, "both", f"either script or {key}: a script steers without looking"))
            times = [line.at for line in document.script]
            for i in range(1, len(times)):
                if times[i] <= times[i - 1]:
                    faults.add(written.wrong(("script", i, "at"), "s", times[i], "later than the line before ({})", times[i - 1]))
        elif document.phases:
            for key, value in (("script", document.script), ("speed", document.speed)):
                if value:
                    faults.add(ConfigError(file, key, "both", f"either phases or {key}"))
            for n, event in enumerate(document.lane_changes):
                if event.at is not None:
                    faults.add(ConfigError(file, f"lane_changes[{n}]", "a time", "at_station_m: phases have their own times"))
        elif not document.speed:
            faults.add(ConfigError(file, "speed", "nothing", "a list of speeds to drive, phases, or a script"))
        if document.abort is not None and not document.phases:
            faults.add(ConfigError(file, "abort", "conditions", "phases with it: nothing else is given up"))
        others = document.waypoints or document.segments or document.lane_changes
        if document.course is not None and others and not document.script:
            expected = "either a course or waypoints, segments and lane_changes: the gates make the path"
            faults.add(ConfigError(file, "course", "both", expected))
        if document.segments and document.waypoints:
            faults.add(ConfigError(file, "segments", "both", "either segments or waypoints"))


def _check_triggers(key: str, events: Sequence[SpeedTarget | LaneChangeEvent], document: Document, written: Written) -> None:
    file, wrong = written.file, written.wrong
    last = -1.0
    with ErrorCollector() as faults:
        for i, event in enumerate(events):
            if (event.at is None) == (event.at_station is None):
                found = "both" if event.at is not None else "neither"
                faults.add(ConfigError(file, f"{key}[{i}]", found, "either at_s or at_station_m"))
                continue
            if event.at_station is not None and document.script:
                faults.add(wrong((key, i, "at_station"), "m", event.at_station, "at_s: a script knows no station"))
            if event.at is not None:
                if event.at < last:
                    faults.add(wrong((key, i, "at"), "s", event.at, "not before the one above ({})", last))
                elif event.at > document.duration:
                    faults.add(wrong((key, i, "at"), "s", event.at, "within the duration of {}", document.duration))
                last = event.at


def _gates(document: Document, written: Written) -> tuple[Gate, ...]:
    course, file, wrong = document.course, written.file, written.wrong
    if course is None:
        return ()
    if (course.standard is None) == (not course.gates):
        raise ConfigError(file, "course", "both" if course.gates else "neither", "either standard or gates")
    if course.standard is not None:
        if course.start is None:
            raise ConfigError(file, "course.start_m", "nothing", "where the first gate begins, a number in m ahead of the spawn pose")
        gates = STANDARDS[course.standard](document.body, course.start, course.side)
    else:
        if course.start is not None:
            raise wrong(("course", "start"), "m", course.start, "nothing: each gate has its own start")
        gates = course.gates
    _check_gates(gates, course, document.body, written)
    return gates


def _check_gates(gates: Sequence[Gate], course: Course, body: Body, written: Written) -> None:
    """Gates must be one after the other, with room to turn, and let the vehicle through. Raises ConfigError."""
    end = center = 0.0
    with ErrorCollector() as faults:
        for i, gate in enumerate(gates):
            # a turn between two gates reaches into both of them
            least = end if gate.center == center else end + (1.0 + (i > 0)) * course.overlap
            if gate.start < least:
                place = ("course", "gates", i, "start") if course.gates else ("course", "start")
                expected = "at least {}: {} are taken, and a turn reaches into both gates"
                faults.add(written.wrong(place, "m", gate.start, expected, least, end))
            if gate.width <= body.width:
                expected = "more than the vehicle's width of {}"
                faults.add(written.wrong(("course", "gates", i, "width"), "m", gate.width, expected, body.width))
            end, center = gate.end, gate.center


def _has_path(document: Document) -> bool:
    """Whether there is a path to follow. Without phases and script there always is one, be it straight on."""
    said = bool(document.waypoints or document.segments or document.lane_changes or document.course)
    return said if document.phases else not document.script


def _aborts(document: Document, written: Written) -> Conditions:
    return conditions(document.abort, written.file, "abort", written.mapping["abort"]) if document.abort is not None else ()


def _path(document: Document, gates: tuple[Gate, ...], written: Written) -> Path:
    if gates:
        assert document.course is not None
        way = way_through(gates, document.course.cut, document.body.width)
        return Path.straight().with_lane_changes(lane_changes_between(gates, document.course.overlap, way))
    path = Path.straight()
    if document.waypoints:
        points = [tuple(point.tolist()) for point in document.waypoints]
        if len(points) < 2:
            raise written.wrong(("waypoints",), "m", points[0], "at least two points")
        near = [i for i in range(1, len(points)) if math.dist(points[i], points[i - 1]) < 1.0]
        raise_all([written.wrong(("waypoints", i), "m", points[i], "at least {} from the point before", 1.0) for i in near])
        path = Path.through(points)
    if document.segments:
        path = Path.of_segments(document.segments)
    return path.with_lane_changes(
        LaneChange(event.at_station, event.length, event.offset) for event in document.lane_changes if event.at_station is not None
    )


def _timed(document: Document) -> tuple[TimedLaneChange, ...]:
    return tuple(TimedLaneChange(event.at, event.length, event.offset) for event in document.lane_changes if event.at is not None)
