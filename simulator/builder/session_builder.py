"""Creation of each part of a session from a configuration; `vehicle_builder` and `ground_builder` create vehicle and ground."""

from __future__ import annotations

from simulator.base.errors import JounceError
from simulator.base.records import Record
from simulator.builder.ground_builder import ground_of
from simulator.builder.outline import outline
from simulator.builder.vehicle_builder import VehicleParts, check_step_of
from simulator.configuration.configuration import Configuration
from simulator.driver.internal_model import InternalModel
from simulator.driver.vehicle_identification import lazy_internal_model
from simulator.maneuvers.maneuver_file import Maneuver, load_maneuver
from terrain.ground import Ground
from vehicles.description import Description
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.platform import hexapod
from washout.preview.sources import Preview


class SessionBuilder(VehicleParts):
    """Creates the parts of a session from a configuration, each time new. Methods raise ConfigError."""

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
        use_preview(configuration, cueing, preview)
    return cueing


def use_preview(configuration: Configuration, cueing: MotionCueing, preview: Preview) -> None:
    """Let the washout use a preview. Raises ConfigError: it uses none."""
    try:
        cueing.washout.set_preview(preview)
    except JounceError as error:
        raise configuration.origins.of("preview").wrong(configuration.raw("preview"), f"no preview: {error}") from None


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
