"""What a worker keeps between runs: vehicles, grounds and maneuvers by what is said of them, and how a vehicle stood at the start.

Whoever asks for a vehicle gets one of his own: what a drive changes is never shared, so the order of the runs changes no number.
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
from simulator.builder.builder import SessionBuilder, build_cueing, outline
from simulator.configuration.configuration import DEFAULTS, Configuration
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
from washout.cueing import LIVE, MotionCueing
from washout.perceived_motion import FELT
from washout.preview import Preview

T = TypeVar("T")

MOTION = (*FELT, *LIVE)
"""What a log says of the motion cueing beside the pose of the platform."""

VEHICLES, AXLES, GROUNDS, MANEUVERS, STARTS = 16, 48, 8, 64, 64
"""How many of each are kept; a large map takes a hundred megabytes."""


class Kept(Generic[T]):
    """What was made lately, by a key, `most` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[Hashable, T] = OrderedDict()

    def take(self, key: Hashable, make: Callable[[], T]) -> T:
        """The thing of that key, made if need be; what `make` raises is not kept."""
        if key not in self._things:
            self._things[key] = make()
            if len(self._things) > self._most:
                self._things.popitem(last=False)
        self._things.move_to_end(key)
        return self._things[key]


@dataclass
class KnownVehicle:
    """A vehicle as it was made, and what was found out about it."""

    made: Vehicle
    places: tuple[str, ...]
    sound_steps: set[float] = field(default_factory=set)
    """s, with which it is stable."""
    traits: dict[tuple[float, float], InternalModel] = field(default_factory=dict)
    """By gravity [m/s2] and step [s]."""


class Start(NamedTuple):
    """A vehicle where a drive begins."""

    memory: Bytes
    readout: Record
    throttle: float


class CachingBuilder(SessionBuilder):
    """A workshop that makes what is the same only once. For configurations that hold contents, not names of files.

    Attributes
    ----------
    channels : columns of the log that the next run is to leave
    sections : of files, that were read already
    has_motion : whether a column that the last run needs may be one of the motion platform, which is left out otherwise
    """

    def __init__(self) -> None:
        self.channels: tuple[str, ...] = ()
        self.has_motion = True
        self.sections = SectionCache(msgspec.msgpack.encode)
        self._vehicles: Kept[KnownVehicle] = Kept(VEHICLES)
        self._axles: Kept[Any] = Kept(AXLES)
        self._tires: Kept[TireFile] = Kept(VEHICLES)
        self._tire_sets: Kept[tuple[Sequence[TireFile], TireSet]] = Kept(VEHICLES)
        self._drivetrains: Kept[DrivetrainParts] = Kept(VEHICLES)
        self._grounds: Kept[Ground] = Kept(GROUNDS)
        self._maneuvers: Kept[Maneuver] = Kept(MANEUVERS)
        self._starts: Kept[Start] = Kept(STARTS)
        self._looked_at: Kept[bool] = Kept(MANEUVERS)
        self._known: KnownVehicle | None = None
        """The vehicle asked for last, which all else that is asked for belongs to."""
        self._at = b"", b""
        """Keys of the vehicle and the ground asked for last."""

    def vehicle(self, configuration: Configuration) -> tuple[Vehicle, tuple[str, ...]]:
        """As it was made, with nothing of an earlier drive."""
        key = _said(configuration, "vehicle")
        self._known = known = self._vehicles.take(key, lambda: self._made(configuration))
        self._at = (key, b"")
        return known.made.new_instance(known.made.space.windows), known.places  # one run after the other

    def description(self, content: Any, file: str) -> Description:
        """Axles and suspensions that are described as before are not read anew."""
        return read_description(content, file, self._axles.take)

    def tire(self, content: Any, file: str, files: Mapping[str, str]) -> TireFile:
        """Nothing is written into it by a vehicle."""
        key = (content_key([content, dict(files)]), file)
        return self._tires.take(key, lambda: super(CachingBuilder, self).tire(content, file, files))

    def tires(self, files: Sequence[TireFile], sides: Sequence[int], contact: str) -> TireSet:
        """Nothing is written into them by a drive."""
        key = (*map(id, files), *sides, contact)  # of files that live as long as what is kept
        return self._tire_sets.take(key, lambda: (files, super(CachingBuilder, self).tires(files, sides, contact)))[1]

    def drivetrain(self, content: Any, file: str, axles: Axles) -> DrivetrainParts:
        """Nothing is written into it by a drive."""
        key = (content_key(content), file, axles)
        return self._drivetrains.take(key, lambda: super(CachingBuilder, self).drivetrain(content, file, axles))

    def ground(self, configuration: Configuration) -> Ground:
        """Nothing is written into it by a drive."""
        key = _said(configuration, "terrain", "soils")
        self._at = (self._at[0], key)
        return self._grounds.take(key, lambda: super(CachingBuilder, self).ground(configuration))

    def maneuver(self, configuration: Configuration, vehicle: Description | None) -> Maneuver:
        """Its owner may change the duration and the title. Of the vehicle it has no more than the outline and the name."""
        said, body = configuration.raw("maneuver"), None
        if vehicle is not None and isinstance(said, Mapping) and "body" not in said:
            body = Body(**outline(vehicle))
        in_common = body is None or (body.front <= body.length and said.get("course") is None)
        names = tuple(configuration.name(key) for key in ("vehicle", "terrain") if configuration.has(key))
        key = (None if in_common else body, names, _said(configuration, "maneuver"))
        maneuver = self._maneuvers.take(key, lambda: super(CachingBuilder, self).maneuver(configuration, vehicle))
        wanted = (*maneuver.channels, *self.channels)
        axles = None if vehicle is None else vehicle.mechanism.axles
        self.has_motion = self._looked_at.take((axles, wanted), lambda: self._needs_motion(wanted))
        return copy.copy(maneuver) if body is None else maneuver.for_another(body)

    def check_step(self, configuration: Configuration, vehicle: Vehicle, step: float, places: tuple[str, ...]) -> None:
        """Once for each step."""
        known = self._known_as(vehicle)
        if step not in known.sound_steps:
            super().check_step(configuration, vehicle, step, places)
            known.sound_steps.add(step)

    def traits(self, vehicle: Vehicle, gravity: float, step: float) -> InternalModel:
        """Found out once, on the vehicle as it was made."""
        known = self._known_as(vehicle)
        if (gravity, step) not in known.traits:
            known.traits[gravity, step] = super().traits(vehicle, gravity, step)
        return known.traits[gravity, step]

    def begin(self, session: Session) -> None:
        """As `Session.reset`; a vehicle that stood there before is put there as it stood. Raises what that raises."""
        vehicle = session.vehicle
        key = (self._at, tuple(session.ground.spawn), session.start_speed, vehicle.steering_is_free)
        start = self._starts.take(key, lambda: _reset(session))
        vehicle.piece.memory[:], vehicle.readout[:], vehicle.start_throttle = start
        session.begin()

    def cueing(self, configuration: Configuration, step: float, gravity: float, preview: Preview | None, intensity: float) -> MotionCueing:
        """That of the configuration, or where nobody looks at it a usual one, which stands still."""
        if self.has_motion:
            return super().cueing(configuration, step, gravity, preview, intensity)
        return _usual_cueing(step)

    def _made(self, configuration: Configuration) -> KnownVehicle:
        known = KnownVehicle(*super().vehicle(configuration))
        known.made.read()  # which has it look up its kernels
        return known

    def _needs_motion(self, wanted: Sequence[str]) -> bool:
        return self._known is None or _may_be_of_motion(wanted, self._known.made)

    def _known_as(self, vehicle: Vehicle) -> KnownVehicle:
        assert self._known is not None and self._known.made.description is vehicle.description
        return self._known


@cache
def _usual_cueing(step: float) -> MotionCueing:
    """Motion cueing that nobody looks at, one for all runs in ticks of `step` [s]: no number of the vehicle depends on it."""
    return build_cueing(DEFAULTS["washout"], DEFAULTS["platform"], step)


def _may_be_of_motion(wanted: Sequence[str], vehicle: Vehicle) -> bool:
    """Whether a column that is wanted may be one of the motion platform, its washout or a rider: if it is not the vehicle's."""
    own, platform = _names(vehicle.readout_table, ""), _names(MOTION, "") | _names(PLATFORM, "platform_")
    own |= _names(COMMAND, "command_")
    return any(not _fits(pattern, own) or _fits(pattern, platform) for pattern in wanted)


def _fits(pattern: str, names: Set[str]) -> bool:
    return pattern in names or any(fnmatchcase(name, pattern) for name in names)


@cache
def _names(table: Table, prefix: str) -> frozenset[str]:
    """Of the columns and fields of a table."""
    columns = Channels([(prefix, table, np.zeros(1, dtype_of(table)))]).columns
    return frozenset(name for column in columns for name in (column.name, column.field))


def _said(configuration: Configuration, *places: str) -> bytes:
    """All that is said at places, and which files that are no text belong to it."""
    assert isinstance(configuration.raw(places[0]), dict), f"{places[0]}: a name, expected its content"
    files = configuration.recorded.get("files", {})
    return content_key([[configuration.raw(place) for place in places], files])


def _reset(session: Session) -> Start:
    session.reset()
    vehicle = session.vehicle
    return Start(vehicle.piece.memory.copy(), vehicle.readout.copy(), vehicle.start_throttle)
