"""Builder: creates objects from names and files. It is the only module that knows all classes.

`configuration` merges the contents of files. This module reads the result and creates objects, each in a separate function, the vehicle
in `vehicle_builder`. `build` creates all parts of a session. The functions `build_...` create one object by its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError, ErrorCollector, JounceError
from simulator.base.inputfile import read_any_text
from simulator.base.records import Record
from simulator.base.suggestions import did_you_mean
from simulator.base.yaml_loader import MOST_BYTES
from simulator.base.yaml_reader import read_yaml
from simulator.builder.outline import outline
from simulator.builder.session_images import SessionImages
from simulator.builder.session_objects import put_objects
from simulator.builder.start_place import check_place, check_start
from simulator.builder.vehicle_builder import check_step_of, description_of, vehicle_of
from simulator.configuration.configuration import Configuration
from simulator.configuration.file_lookup import data_folder, find_config
from simulator.configuration.key_path import KeyPath, parse, written
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override, option
from simulator.configuration.session_file import SessionOptions, read_session
from simulator.driver.contract import Driver, DriverKind, SensingDriver
from simulator.driver.internal_model import InternalModel
from simulator.driver.kinds import DRIVER_KINDS, FOLLOWER
from simulator.driver.make_driver import DriverContext, new_driver, without_a_person
from simulator.driver.vehicle_identification import lazy_internal_model
from simulator.faults.contract import FaultContext
from simulator.faults.planned_fault import PlannedFault, make_faults
from simulator.maneuvers.maneuver_file import Maneuver, load_maneuver
from simulator.outlets.kinds import build_outlets
from simulator.outlets.log_outlet_runner import LogOutletRunner
from simulator.outlets.outlet_runner import OutletRunner
from simulator.sensors.make_sensors import SensorContext, make_sensors, mounts_of
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.session import Outlet, Session
from simulator.telemetry.recorded_preview import log_file, preview_of_log
from simulator.telemetry.run_folder import RUTS_NAME
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.soil import soil
from vehicles import step_stability
from vehicles.axle_layout import Axles
from vehicles.corner_layout import axle_of
from vehicles.description import Description, read_description
from vehicles.drivetrain.drivetrain_file import DrivetrainParts, read_parts
from vehicles.multibody.description.initial_state import InitialState, resting_state
from vehicles.multibody.description.mechanism import Mechanism
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.description.urdf import mechanism_from_urdf
from vehicles.tires.tire_file import TireFile, TireSet, tire, tire_set
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.platform import hexapod
from washout.preview import Preview

__all__ = [
    "SessionParts", "build", "build_cueing", "build_ground", "build_maneuver", "build_platform", "build_vehicle", "data_folder", "find_config",
    "load_mechanism", "read_yaml", "vehicle_description", "view_geometry",
]  # fmt: skip

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class SessionParts:
    """Parts of a session."""

    configuration: Configuration
    options: SessionOptions
    vehicle: Vehicle
    ground: Ground
    cueing: MotionCueing
    maneuver: Maneuver | None
    step: float
    """Time step in s."""
    preview: Preview | None
    """Preview of the motion for the washout."""
    ruts: Path | None
    """Rut file loaded at the start of a session."""
    builder: SessionBuilder
    images: SessionImages
    """Rendered images for the sensors."""

    @property
    def gravity(self) -> float:
        """Gravity in m/s2."""
        return float(self.ground.p[0]["gravity"])

    @property
    def terrain(self) -> str:
        """Name of the terrain, also in the files of runs."""
        return Path(self.configuration.name("terrain")).stem

    @cached_property
    def traits(self) -> InternalModel:
        """Internal model of the driver, identified in a test drive."""
        return self.builder.traits(self.vehicle, self.gravity, min(self.step, step_stability.USUAL_STEP))

    @property
    def seed(self) -> int:
        """Default seed of all objects without a seed in a file."""
        if self.options.seed is not None:
            return self.options.seed
        return 0 if self.maneuver is None else self.maneuver.seed

    def ticks(self, period: float) -> int:
        """Return the number of ticks in a period in seconds, at least one."""
        return max(1, round(period / self.step))

    def new_cueing(self) -> MotionCueing:
        """Return a new motion cueing for another run with the same parts."""
        return _cueing(self.configuration, self.step, self.gravity, self.preview, self.options.intensity)

    def new_sensors(self) -> list[MountedSensor]:
        """Return new sensors. Raises ConfigError, JounceError."""
        with self.configuration.origins.relative_to():
            body = self.vehicle.model.object_contact
            context = SensorContext(self.ground, self.step, self.seed, self.vehicle.description, self.options.weather, body, self.images)
            return make_sensors(self.options.sensors, "", context)

    def driver(
        self, kind: DriverKind, *, paced: bool, said: Mapping[str, Any] = NOTHING, here: tuple[float, float, float] | None = None
    ) -> Driver | SensingDriver:
        """Return a new automatic driver; `paced`: in real time; `said`: own parameters of the kind; `here`: pose (x, y, yaw) at which it takes
        over. Raises ConfigError, JounceError."""
        mounts = mounts_of(self.options.sensors)
        context = DriverContext(self.ground, self.maneuver, self.seed, self.traits, self.vehicle, mounts)
        return new_driver(kind, context, paced, said, here)

    def automatic_driver(self) -> Driver | SensingDriver | None:
        """Return a new automatic driver of the session, else the driver of the maneuver, for a run; None without both. Raises as `driver`."""
        chosen = without_a_person(self.options.driver)
        if chosen.name == FOLLOWER:
            return None if self.maneuver is None else self.maneuver_driver()
        return self.driver(DRIVER_KINDS.need(chosen.name), paced=False, said=chosen.parameters)

    def maneuver_driver(self, here: tuple[float, float, float] | None = None) -> Driver | SensingDriver:
        """Return a new driver of the maneuver, for a run; `here` as for `driver`. Raises ConfigError, JounceError."""
        return self.driver(DRIVER_KINDS.need(FOLLOWER), paced=False, here=here)

    def check_equilibrium(self) -> None:
        """Check that the vehicle stands at the start of the ground, by placing it there; a dropped one need not. Raises ConfigError, JounceError."""
        if self.maneuver is not None and self.maneuver.start.drop is not None:
            return
        with self.configuration.origins.at_start():
            self.vehicle.reset(self.ground, *self.ground.spawn)

    def new_faults(self) -> list[PlannedFault]:
        """Return new faults: those of the maneuver, then those of the session. Raises ConfigError, JounceError."""
        planned = () if self.maneuver is None else self.maneuver.faults
        faults: list[PlannedFault] = []
        if not planned and not self.options.faults:
            return faults
        context, origins = self._fault_context, self.configuration.origins
        with ErrorCollector() as errors:
            with errors.part(), origins.about(("maneuver",)):
                faults += make_faults(planned, context)
            with errors.part(), origins.relative_to():
                faults += make_faults(self.options.faults, context, [fault.name for fault in faults])
        return faults

    def more_faults(self, given: Sequence[Any], present: Sequence[PlannedFault]) -> list[PlannedFault]:
        """Return faults, described as in a session file, in addition to those `present`. Raises ConfigError, JounceError."""
        return make_faults(given, self._fault_context, [fault.name for fault in present])

    def check_place(self, session: Session, x: float, y: float, yaw: float) -> None:
        """Check that the vehicle of a session has room at x, y [m] with the heading yaw [rad]. Raises ConfigError."""
        check_place(self.ground, session.objects, session.time, self.vehicle.description, (x, y, yaw))

    @property
    def _fault_context(self) -> FaultContext:
        phases = () if self.maneuver is None else self.maneuver.phase_names
        return FaultContext(self.vehicle, tuple(mounts_of(self.options.sensors)), phases)

    def session(
        self, driver: Driver | SensingDriver, outlets: Iterable[Outlet] = (), sensors: list[MountedSensor] | None = None
    ) -> Session:
        """Return a session with the vehicle in its present state; default: new `sensors`. Raises ConfigError, JounceError."""
        measuring = self.new_sensors() if sensors is None else sensors
        session = Session(self.vehicle, self.ground, driver, self.cueing, list(outlets), self.step, measuring, self.options.weather)
        session.message_origins = self.configuration.origins.at_start
        if self.maneuver is not None:
            session.start_speed, session.start_drop = self.maneuver.start.speed, self.maneuver.start.drop
        session.injector.add(self.new_faults())
        session.injector.make, session.place_check = self.more_faults, self.check_place
        if self.ruts is not None:
            session.soil.load(self.ruts, self.terrain)
        self.images.soil = session.soil
        return session

    def outlets(self, folder: Path) -> list[OutletRunner | LogOutletRunner]:
        """Return the plugin outlets for the folder of a run. Raises ConfigError, JounceError."""
        with self.configuration.origins.relative_to():
            return build_outlets(self.options.outlets, "", folder, self.step, "outlets.plugins")


class SessionBuilder:
    """Creates the parts of a session from a configuration, each time new. Methods raise ConfigError."""

    def vehicle(self, configuration: Configuration) -> tuple[Vehicle, tuple[str, ...]]:
        """Return the vehicle with its tires and drivetrain, the place of its file, and the places of the tires of its wheels."""
        return vehicle_of(configuration, self)

    def description(self, content: Any, file: str) -> Description:
        """Return the description in the vehicle file."""
        return read_description(content, file)

    def tire(self, content: Any, file: str, files: Mapping[str, str]) -> TireFile:
        """Return the tire of a file; `files` are digests of binary files, by the place that names them."""
        return tire(content, file, folders=[data_folder("assets")])

    def tires(self, files: Sequence[TireFile], sides: Sequence[int], contact: str) -> TireSet:
        """Return the tires of a vehicle from those of its wheels, as `tire_set`."""
        return tire_set(files, sides, contact)

    def drivetrain(self, content: Any, file: str, axles: Axles) -> DrivetrainParts:
        """Return drivetrain and brakes of a file, for a vehicle with these axles."""
        return read_parts(content, file, axles)

    def ground(self, configuration: Configuration) -> Ground:
        """Return the ground with the soils of the configuration."""
        return _ground(configuration)

    def maneuver(self, configuration: Configuration, vehicle: Description | None) -> Maneuver:
        """Return the maneuver; the default outline of the body is that of the vehicle."""
        return _maneuver(configuration, vehicle)

    def check_step(self, configuration: Configuration, vehicle: Vehicle, step: float, places: tuple[str, ...]) -> None:
        """Check that a step [s] is stable with the vehicle, whose contents are at `places`."""
        check_step_of(configuration, vehicle, step, places)

    def cueing(self, configuration: Configuration, step: float, gravity: float, preview: Preview | None, intensity: float) -> MotionCueing:
        """Return the motion cueing in ticks of `step` [s], for a gravity [m/s2]."""
        return _cueing(configuration, step, gravity, preview, intensity)

    def traits(self, vehicle: Vehicle, gravity: float, step: float) -> InternalModel:
        """Return the internal model that a driver identifies in a test drive with steps of `step` [s]."""
        return lazy_internal_model(vehicle, gravity, step)


def build(configuration: Configuration, check_step: bool = True, builder: SessionBuilder | None = None) -> SessionParts:
    """Build all parts of a configuration. Defaults are added to the configuration, so that it is complete afterwards.

    Parameters
    ----------
    check_step : whether to check that the step is stable with the vehicle (`vehicles.step_stability`)
    builder : creates the parts (default: a `SessionBuilder`)

    Raises
    ------
    ConfigError : a file or a setting cannot be used, or the step is not stable
    """
    builder = builder or SessionBuilder()
    options = read_session(configuration)
    put_objects(configuration)
    _put_world(configuration, options)
    _put_into_maneuver(configuration, options)
    maneuver, description = None, None
    with ErrorCollector() as faults:
        with faults.part():
            vehicle, places = builder.vehicle(configuration)
            description = vehicle.description
        with faults.part():
            ground = builder.ground(configuration)
        with faults.part():
            if configuration.has("maneuver") and (description is not None or _has_outline(configuration)):
                maneuver = builder.maneuver(configuration, description)
        if faults.errors:
            with faults.part():
                _cueing(configuration, step_stability.USUAL_STEP, STANDARD_GRAVITY).washout.close()
    vehicle.free_steering(_by_torque(configuration, options, maneuver))
    if maneuver is not None:
        ground = replace(ground, spawn=maneuver.placed(ground.spawn))
        maneuver.duration = options.duration or maneuver.duration
    with configuration.origins.relative_to():
        check_start(ground, vehicle.description)
    step = maneuver.step if maneuver is not None else options.step or step_stability.USUAL_STEP
    if check_step:
        builder.check_step(configuration, vehicle, step, places)
    preview = _preview(configuration, options)
    ruts = _ruts(configuration, options, ground)
    cueing = builder.cueing(configuration, step, float(ground.p[0]["gravity"]), preview, options.intensity)
    images = SessionImages(ground, partial(view_geometry, vehicle))
    parts = SessionParts(configuration, options, vehicle, ground, cueing, maneuver, step, preview, ruts, builder, images)
    parts.new_faults()  # reports faults that do not fit the vehicle before anything runs
    return parts


def _by_torque(configuration: Configuration, options: SessionOptions, maneuver: Maneuver | None) -> bool:
    """Return whether a torque may turn the steering wheel. Raises ConfigError: the session excludes it, but the maneuver needs it."""
    needed = maneuver is not None and maneuver.gives_torque
    if needed and options.steering == "angle":
        raise configuration.origins.of("steering").wrong("angle", "torque (needed by this maneuver)")
    return needed or options.steering == "torque"


def _put_world(configuration: Configuration, options: SessionOptions) -> None:
    """Apply the world values of the session, which override those of the terrain."""
    for key, value in (("gravity", options.gravity), ("wind", options.wind), ("gusts", options.gusts)):
        if value is not None:
            configuration.put(
                f"terrain.{key}", list(value) if isinstance(value, tuple) else value, configuration.origins.of(f"world.{key}")
            )
    if options.seed is not None:
        with configuration.reading("terrain") as (content, _):
            places = list(_seeds(content, ("terrain",)))
        for path in places:
            digest = hashlib.sha256(f"{options.seed} {written(path)}".encode()).digest()
            configuration.put(written(path), int.from_bytes(digest[:4], "little"), configuration.origins.of("seed"))


def _put_into_maneuver(configuration: Configuration, options: SessionOptions) -> None:
    """Apply step and seed of the session, which override those of the maneuver."""
    if configuration.has("maneuver"):
        for key in ("step", "seed"):
            value = getattr(options, key)
            if value is not None:
                configuration.put(f"maneuver.{key}", value, configuration.origins.of(key))


def _seeds(value: Any, path: KeyPath) -> Iterator[KeyPath]:
    """Yield the places of the seeds in a content."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "seed":
                yield (*path, key)
            yield from _seeds(item, (*path, key))
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from _seeds(item, (*path, n))


def _ground(configuration: Configuration) -> Ground:
    """Return the ground with the soils of the configuration."""
    with configuration.reading("terrain") as (content, file):
        soils = _Soils(configuration, file)
        ground = load_terrain(content, file, data_folder("assets"), soils)
    _check_soils_used(configuration)
    return ground


def _check_soils_used(configuration: Configuration) -> None:
    """Check that the ground uses all soils in the settings; an unused one is a typo. Raises ConfigError."""
    used = sorted(configuration.named.soils_used)
    for name in configuration.raw("soils") or {}:
        if name not in used and (given := configuration.origins.settings_below(("soils", name))):
            expected = f"a soil of this ground: {', '.join(used) or 'none'}{did_you_mean(name, used)}"
            raise given[-1].wrong(name, expected)


class _Soils(Mapping[str, Any]):
    """Contents of soils by the names in a terrain: those of the configuration, or of files found by name."""

    def __init__(self, configuration: Configuration, said_by: str) -> None:
        self.configuration, self.said_by = configuration, Path(said_by)

    def __getitem__(self, name: str) -> Any:
        content, file = self.configuration.named.soil(name, self.said_by)
        with self.configuration.reading(("soils", name)):
            soil(content, file)
        return content

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            return name in (self.configuration.raw("soils") or {}) or bool(find_config("soils", name, self.said_by))
        except ConfigError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(path.stem for path in (data_folder("configs") / "soils").glob("[!.]*.yaml")))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _platform(configuration: Configuration) -> Record:
    with configuration.reading("platform") as (content, file):
        return hexapod(content, file)


def _preview(configuration: Configuration, options: SessionOptions) -> Preview | None:
    """Return the preview from an earlier run, if the session requests it."""
    requested, place = options.preview, "preview.run"
    if requested is None:
        return None
    with configuration.origins.relative_to():
        log = log_file(configuration.binary.path_of(place), "", place)
        preview = preview_of_log(log, requested.step, requested.points, "", place)
    configuration.binary.note(place, log)
    return preview


def _ruts(configuration: Configuration, options: SessionOptions, ground: Ground) -> Path | None:
    """Return the rut file of the session, or None."""
    if options.ruts is None:
        return None
    if not ground.is_soft:
        raise configuration.origins.of("ruts").wrong(options.ruts, "no ruts, because this terrain has no soil")
    place = configuration.binary.path_of("ruts")
    file = place / RUTS_NAME if place.is_dir() else place
    if not file.is_file():
        raise configuration.origins.of("ruts").wrong(options.ruts, f"the folder of a run on soil, or its {RUTS_NAME}")
    configuration.binary.note("ruts", file)
    return file


def _cueing(
    configuration: Configuration, step: float, gravity: float, preview: Preview | None = None, intensity: float = 1.0
) -> MotionCueing:
    platform = _platform(configuration)
    with configuration.reading("washout") as (content, file):
        cueing = MotionCueing(content, file, platform, step, gravity, intensity)
    if preview is not None:
        try:
            cueing.washout.set_preview(preview)
        except JounceError as error:
            raise configuration.origins.of("preview").wrong(configuration.raw("preview"), f"no preview: {error}") from None
    return cueing


def _maneuver(configuration: Configuration, vehicle: Description | None) -> Maneuver:
    """Return the maneuver; the default outline of the body is that of the vehicle."""
    with configuration.reading("maneuver") as (content, file):
        if isinstance(content, dict):
            for key in ("vehicle", "terrain"):
                if configuration.has(key) and isinstance(content.get(key), str):
                    content[key] = configuration.name(key) or content[key]
            if vehicle is not None and "body" not in content:
                content["body"] = outline(vehicle)
        return load_maneuver(content, file)


def vehicle_description(name: str) -> Description:
    """Return the description of a vehicle by name or path, with the tie-rod lengths of its hardpoints. Raises ConfigError."""
    return description_of(Configuration.of("vehicle", name), {}, SessionBuilder())


def build_vehicle(
    name: str, said_by: object = None, suspension: str | None = None, step: float = step_stability.USUAL_STEP, check_step: bool = True
) -> Vehicle:
    """Return a vehicle with its tires and drivetrain, by name or path of its file; `said_by` is the file that names it.

    Parameters
    ----------
    suspension : "closed_form" or "table", overrides `suspension_kinematics` of the file
    step : time step of the simulation in s
    check_step : whether to check that this step is stable (`vehicles.step_stability`; 5 ms after the step is compiled)

    Raises
    ------
    ConfigError : a file cannot be used, or the step is not stable
    """
    configuration = Configuration.of("vehicle", name, said_by)
    if said_by is not None:
        configuration.layer.put_origins(("step",), {(): Origin(str(said_by), "step")})
        configuration.layer.content["step"] = step
    for setting in option("--suspension", "vehicle.suspension_kinematics", suspension):
        configuration.set(setting)
    vehicle, places = vehicle_of(configuration, SessionBuilder())
    if check_step:
        check_step_of(configuration, vehicle, step, places)
    return vehicle


def build_tire(name: str, settings: Iterable[Override] = ()) -> TireFile:
    """Return a tire with its tire model, by name or path of its file, which may be a tire property file (.tir). `settings` override keys
    of the file.

    Raises ConfigError.
    """
    with _reading_one("vehicle.tires", "tires", name, settings) as (content, label):
        return tire(content, label, folders=[data_folder("assets")])


def build_soil(name: str, settings: Iterable[Override] = ()) -> Record:
    """Return the SOIL record of a soil or a hard surface, by name or path of its file. `settings` override keys of the file. Raises
    ConfigError."""
    with _reading_one("soils.*", "soils", name, settings) as (content, label):
        return soil(content, label)


def _reading_one(place: str, kind: str, name: str, settings: Iterable[Override]) -> AbstractContextManager[tuple[Any, str]]:
    """Return a context with content and file of one object by its name on the command line."""
    configuration = Configuration.of(place, str(find_config(kind, name)))
    for setting in settings:
        configuration.set(setting._replace(path=(*parse(place), *setting.path)))
    return configuration.reading(place)


def build_ground(name: str, said_by: object = None) -> Ground:
    """Return a ground by name or path of its terrain file; `said_by` is the file that names it. Raises ConfigError."""
    return _ground(Configuration.of("terrain", name, said_by))


def build_platform(name: str, content: Any = None) -> Record:
    """Return the HEXAPOD record of a motion platform by name or path, or from its content. Raises ConfigError."""
    return _platform(Configuration.of("platform", name)) if content is None else hexapod(content, name)


def build_cueing(washout: str, platform: str, h: float, gravity: float = STANDARD_GRAVITY) -> MotionCueing:
    """Return the motion cueing of a washout for a platform, both by name or path, in ticks of h seconds, for a gravity. Raises
    ConfigError."""
    configuration = Configuration.of("washout", washout)
    configuration.put("platform", platform, Origin("platforms", is_file=False))
    return _cueing(configuration, h, gravity)


def build_maneuver(name: str) -> Maneuver:
    """Return a maneuver by name or path; the default outline of the body is that of its vehicle. Raises ConfigError."""
    configuration = Configuration.of("maneuver", name)
    return _maneuver(configuration, None if _has_outline(configuration) else description_of(configuration, {}, SessionBuilder()))


def _has_outline(configuration: Configuration) -> bool:
    """Return whether a maneuver can be read without its vehicle."""
    with configuration.reading("maneuver") as (content, _):
        return isinstance(content, dict) and ("body" in content or not isinstance(content.get("vehicle"), str))


def load_mechanism(name: str) -> tuple[Mechanism, InitialState]:
    """Return a mechanism by name or path of its .yaml, .urdf or .xml file, and its initial state (zero coordinates for URDF). Raises
    ConfigError."""
    path = find_config("mechanisms", name)
    if path.suffix.lower() in (".urdf", ".xml"):
        mechanism = mechanism_from_urdf(read_any_text(path, "a URDF text file", MOST_BYTES), str(path))
        return mechanism, resting_state(mechanism)
    return mechanism_from_mapping(read_yaml(path), str(path))


def view_geometry(vehicle: Vehicle) -> dict[str, Any]:
    """Return the rows of `simulator.view.vehicle_geometry.GEOMETRY` for a vehicle."""
    tires, driveline = vehicle.model.tires, vehicle.model.drivetrain[0]
    axles = [axle_of(vehicle.model.drivetrain, wheel) for wheel in range(len(tires))]
    return {
        **vehicle.description.bushes,
        "driven": np.isfinite(driveline["final_ratio"])[axles].astype(float),
        "geared_hub": (driveline["hub_ratio"] < 1.0)[axles].astype(float),
        "drawn_as": vehicle.description.drawn_as,
        "links_as": vehicle.description.links_as,
        "outline": vehicle.description.outline,
        "wheel_x": vehicle.model.corners[0]["design_wheel_x"],
        "wheel_z": vehicle.model.corners[0]["design_wheel_z"],
        "governed_speed": vehicle.drivetrain.governed_speed,
        "by_hand": float(vehicle.hand_gears > 0),
        "p_BH": vehicle.model.body[0]["drivers_head"],
        "tire_radius": tires["radius"],
        "tire_width": tires["width"],
    }
