"""Creation of each part of a session from a configuration; `vehicle_builder` creates the vehicle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, JounceError
from simulator.base.records import Record
from simulator.base.suggestions import did_you_mean
from simulator.builder.outline import outline
from simulator.builder.vehicle_builder import check_step_of, vehicle_of
from simulator.configuration.configuration import Configuration
from simulator.configuration.file_lookup import data_folder, find_config
from simulator.driver.internal_model import InternalModel
from simulator.driver.vehicle_identification import lazy_internal_model
from simulator.maneuvers.maneuver_file import Maneuver, load_maneuver
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.soil import soil
from vehicles.axle_layout import Axles
from vehicles.description import Description, read_description
from vehicles.drivetrain.drivetrain_file import DrivetrainParts, read_parts
from vehicles.tires.tire_file import TireFile, TireSet, tire, tire_set
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.platform import hexapod
from washout.preview import Preview


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
        return ground_of(configuration)

    def maneuver(self, configuration: Configuration, vehicle: Description | None) -> Maneuver:
        """Return the maneuver; the default outline of the body is that of the vehicle."""
        return maneuver_of(configuration, vehicle)

    def check_step(self, configuration: Configuration, vehicle: Vehicle, step: float, places: tuple[str, ...]) -> None:
        """Check that a step [s] is stable with the vehicle, whose contents are at `places`."""
        check_step_of(configuration, vehicle, step, places)

    def cueing(self, configuration: Configuration, step: float, gravity: float, preview: Preview | None, intensity: float) -> MotionCueing:
        """Return the motion cueing in ticks of `step` [s], for a gravity [m/s2]."""
        return cueing_of(configuration, step, gravity, preview, intensity)

    def traits(self, vehicle: Vehicle, gravity: float, step: float) -> InternalModel:
        """Return the internal model that a driver identifies in a test drive with steps of `step` [s]."""
        return lazy_internal_model(vehicle, gravity, step)


def ground_of(configuration: Configuration) -> Ground:
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


def platform_of(configuration: Configuration) -> Record:
    """Return the HEXAPOD record of the motion platform."""
    with configuration.reading("platform") as (content, file):
        return hexapod(content, file)


def cueing_of(
    configuration: Configuration, step: float, gravity: float, preview: Preview | None = None, intensity: float = 1.0
) -> MotionCueing:
    """Return the motion cueing in ticks of `step` [s], for a gravity [m/s2]. Raises ConfigError: also a preview that the washout cannot use."""
    platform = platform_of(configuration)
    with configuration.reading("washout") as (content, file):
        cueing = MotionCueing(content, file, platform, step, gravity, intensity)
    if preview is not None:
        try:
            cueing.washout.set_preview(preview)
        except JounceError as error:
            raise configuration.origins.of("preview").wrong(configuration.raw("preview"), f"no preview: {error}") from None
    return cueing


def maneuver_of(configuration: Configuration, vehicle: Description | None) -> Maneuver:
    """Return the maneuver; the default outline of the body is that of the vehicle."""
    with configuration.reading("maneuver") as (content, file):
        if isinstance(content, dict):
            for key in ("vehicle", "terrain"):
                if configuration.has(key) and isinstance(content.get(key), str):
                    content[key] = configuration.name(key) or content[key]
            if vehicle is not None and "body" not in content:
                content["body"] = outline(vehicle)
        return load_maneuver(content, file)
