"""Cache of a worker between runs: vehicles, grounds and maneuvers by their configuration, and states of vehicles at the start.

Every run receives its own vehicle. State that changes during a run is never shared, so the order of runs does not change results.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np

from simulator.base.json_output import content_key
from simulator.base.records import Record, Table, dtype_of
from simulator.base.section_cache import SectionCache
from simulator.builder.builder import build_cueing
from simulator.builder.outline import outline
from simulator.builder.session_builder import SessionBuilder
from simulator.configuration.configuration import Configuration
from simulator.configuration.references import DEFAULTS
from simulator.driver.internal_model import InternalModel
from simulator.maneuvers.cone_course import Body
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.outlets.telemetry import PLATFORM
from simulator.session import Session
from simulator.telemetry.channels import Channels
from terrain.ground import Ground
from vehicles.axle_layout import Axles
from vehicles.command import COMMAND
from vehicles.description import Description, read_description
from vehicles.drivetrain.drivetrain_file import DrivetrainParts
from vehicles.state_memory import Bytes
from vehicles.tires.tire_file import TireFile, TireSet
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.cueing_monitor import LIVE
from washout.perceived_motion import FELT
from washout.preview.sources import Preview

T = TypeVar("T")

MOTION = (*FELT, *LIVE)
"""Log columns of the motion cueing, in addition to the platform pose."""

VEHICLES, AXLES, GROUNDS, MANEUVERS, STARTS = 16, 48, 8, 64, 64
"""Number of cached objects of each kind; a large map takes a hundred megabytes."""


class LruCache(Generic[T]):
    """Least-recently-used cache of `size` objects."""

    def __init__(self, size: int) -> None:
        self._most = size
        self._things: OrderedDict[Hashable, T] = OrderedDict()

    def take(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the object of a key, created if needed. If `make` raises an error, the cache stays unchanged."""
        if key not in self._things:
            self._things[key] = make()
            if len(self._things) > self._most:
                self._things.popitem(last=False)
        self._things.move_to_end(key)
        return self._things[key]


@dataclass
class KnownVehicle:
    """A vehicle in its initial state, and results computed for it."""

    initial: Vehicle
    places: tuple[str, ...]
    stable_steps: set[float] = field(default_factory=set)
    """Time steps in s with which the vehicle is stable."""
    traits: dict[tuple[float, float], InternalModel] = field(default_factory=dict)
    """Internal models by gravity [m/s2] and step [s]."""


class Start(NamedTuple):
    """State of a vehicle at the start of a run."""

    saved: list[Bytes]
    readout: Record
    throttle: float


class CachingBuilder(SessionBuilder):
    """Session builder that reuses equal objects. Configurations must hold contents, not file names.

    Attributes
    ----------
    channels : requested log columns of the next run
    sections : cache of file sections
    has_motion : whether the last run may need columns of the motion platform, which is left out otherwise
    """

    def __init__(self) -> None:
        self.channels: tuple[str, ...] = ()
        self.has_motion = True
        self.sections = SectionCache(msgspec.msgpack.encode)
        self._vehicles: LruCache[KnownVehicle] = LruCache(VEHICLES)
        self._axles: LruCache[Any] = LruCache(AXLES)
        self._tires: LruCache[TireFile] = LruCache(VEHICLES)
        self._tire_sets: LruCache[tuple[Sequence[TireFile], TireSet]] = LruCache(VEHICLES)
        self._drivetrains: LruCache[DrivetrainParts] = LruCache(VEHICLES)
        self._grounds: LruCache[Ground] = LruCache(GROUNDS)
        self._maneuvers: LruCache[Maneuver] = LruCache(MANEUVERS)
        self._starts: LruCache[Start] = LruCache(STARTS)
        self._looked_at: LruCache[bool] = LruCache(MANEUVERS)
        self._known: KnownVehicle | None = None
        """Most recently requested vehicle. All later requests refer to it."""
        self._at = b"", b""
        """Keys of the most recently requested vehicle and ground."""

    def vehicle(self, configuration: Configuration) -> tuple[Vehicle, tuple[str, ...]]:
        """Return the vehicle in its initial state."""
        key = _content_key(configuration, "vehicle")
        self._known = known = self._vehicles.take(key, lambda: self._made(configuration))
        self._at = (key, b"")
        return known.initial.new_instance(
            known.initial.space.windows
        ), known.places  # runs are sequential, so the terrain cache can be shared

    def description(self, content: Any, file: str) -> Description:
        """Return the description of a vehicle; axles and suspensions that are cached are not read again."""
        return read_description(content, file, self._axles.take)

    def tire(self, content: Any, file: str, files: Mapping[str, str]) -> TireFile:
        """Return the tire file. Vehicles do not modify it."""
        key = (content_key([content, dict(files)]), file)
        return self._tires.take(key, lambda: super(CachingBuilder, self).tire(content, file, files))

    def tires(self, files: Sequence[TireFile], sides: Sequence[int], contact: str) -> TireSet:
        """Return the tire set. Runs do not modify it."""
        key = (*map(id, files), *sides, contact)  # `id` is unique, because the cache keeps the files alive
        return self._tire_sets.take(key, lambda: (files, super(CachingBuilder, self).tires(files, sides, contact)))[1]

    def drivetrain(self, content: Any, file: str, axles: Axles) -> DrivetrainParts:
        """Return the drivetrain. Runs do not modify it."""
        key = (content_key(content), file, axles)
        return self._drivetrains.take(key, lambda: super(CachingBuilder, self).drivetrain(content, file, axles))

    def ground(self, configuration: Configuration) -> Ground:
        """Return the ground. Runs do not modify it."""
        key = _content_key(configuration, "terrain", "soils")
        self._at = (self._at[0], key)
        return self._grounds.take(key, lambda: super(CachingBuilder, self).ground(configuration))

    def maneuver(self, configuration: Configuration, vehicle: Description | None) -> Maneuver:
        """Return the maneuver. The caller may change its duration and title. It depends on the vehicle only by outline and name."""
        given, body = configuration.raw("maneuver"), None
        if vehicle is not None and isinstance(given, Mapping) and "body" not in given:
            body = Body(**outline(vehicle))
        in_common = body is None or (body.front <= body.length and given.get("course") is None)
        names = tuple(configuration.name(key) for key in ("vehicle", "terrain") if configuration.has(key))
        key = (None if in_common else body, names, _content_key(configuration, "maneuver"))
        maneuver = self._maneuvers.take(key, lambda: super(CachingBuilder, self).maneuver(configuration, vehicle))
        channels = (*maneuver.channels, *self.channels)
        axles = None if vehicle is None else vehicle.mechanism.axles
        self.has_motion = self._looked_at.take((axles, channels), lambda: self._needs_motion(channels))
        return copy.copy(maneuver) if body is None else maneuver.for_another(body)

    def check_step(self, configuration: Configuration, vehicle: Vehicle, step: float, places: tuple[str, ...]) -> None:
        """Check a time step once for each vehicle."""
        known = self._known_as(vehicle)
        if step not in known.stable_steps:
            super().check_step(configuration, vehicle, step, places)
            known.stable_steps.add(step)

    def traits(self, vehicle: Vehicle, gravity: float, step: float) -> InternalModel:
        """Return the internal model, computed once on the vehicle in its initial state."""
        known = self._known_as(vehicle)
        if (gravity, step) not in known.traits:
            known.traits[gravity, step] = super().traits(vehicle, gravity, step)
        return known.traits[gravity, step]

    def begin(self, session: Session) -> None:
        """Reset the session. The state is restored from the cache if the vehicle started at the same place before. Raises as
        `Session.reset`."""
        vehicle = session.vehicle
        key = (self._at, tuple(session.ground.spawn), session.start_speed, session.start_drop, vehicle.steering_is_free)
        start = self._starts.take(key, lambda: _reset(session))
        saved, vehicle.readout[:], vehicle.start_throttle = start
        vehicle.restore(saved)
        session.begin()

    def cueing(self, configuration: Configuration, step: float, gravity: float, preview: Preview | None, intensity: float) -> MotionCueing:
        """Return the motion cueing of the configuration, or a default one at rest if no column needs it."""
        if self.has_motion:
            return super().cueing(configuration, step, gravity, preview, intensity)
        return _usual_cueing(step)

    def _made(self, configuration: Configuration) -> KnownVehicle:
        known = KnownVehicle(*super().vehicle(configuration))
        known.initial.read()  # loads the kernels
        return known

    def _needs_motion(self, names: Sequence[str]) -> bool:
        return self._known is None or _may_be_of_motion(names, self._known.initial)

    def _known_as(self, vehicle: Vehicle) -> KnownVehicle:
        assert self._known is not None and self._known.initial.description is vehicle.description
        return self._known


@cache
def _usual_cueing(step: float) -> MotionCueing:
    """Return a default motion cueing, shared by all runs with ticks of `step` [s]. The vehicle does not depend on it."""
    return build_cueing(DEFAULTS["washout"], DEFAULTS["platform"], step)


def _may_be_of_motion(names: Sequence[str], vehicle: Vehicle) -> bool:
    """Return whether a requested column may belong to the motion platform, the washout or the rider rather than to the vehicle."""
    own, platform = _names(vehicle.readout_table, ""), _names(MOTION, "") | _names(PLATFORM, "platform_")
    own |= _names(COMMAND, "command_")
    return any(not _fits(pattern, own) or _fits(pattern, platform) for pattern in names)


def _fits(pattern: str, names: Set[str]) -> bool:
    return pattern in names or any(fnmatchcase(name, pattern) for name in names)


@cache
def _names(table: Table, prefix: str) -> frozenset[str]:
    """Return the names of the columns and fields of a table."""
    columns = Channels([(prefix, table, np.zeros(1, dtype_of(table)))]).columns
    return frozenset(name for column in columns for name in (column.name, column.field))


def _content_key(configuration: Configuration, *places: str) -> bytes:
    """Return a key of the contents at the given places, including the digests of binary files."""
    assert isinstance(configuration.raw(places[0]), dict), f"{places[0]}: a name; expected its content"
    files = configuration.layer.recorded.get("files", {})
    return content_key([[configuration.raw(place) for place in places], files])


def _reset(session: Session) -> Start:
    session.reset()
    vehicle = session.vehicle
    return Start(vehicle.copied_state(), vehicle.readout.copy(), vehicle.start_throttle)
