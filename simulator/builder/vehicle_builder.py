"""The vehicle of a configuration: out of its own file, those of its tires and its drivetrain, with its tie rods set and its step shown to be stable."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.configuration.configuration import Configuration, is_one_for_each
from simulator.configuration.file_lookup import data_folder
from simulator.configuration.key_path import parse
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from vehicles import step_stability
from vehicles.alignment import aligned_vehicle
from vehicles.description import Description, expected_axles
from vehicles.drivetrain.drivetrain_file import read_parts
from vehicles.suspension.mechanism.section import MechanismFile
from vehicles.tires.tire_file import TireFile
from vehicles.vehicle import Vehicle

if TYPE_CHECKING:
    from simulator.builder.builder import SessionBuilder


def vehicle_of(configuration: Configuration, workshop: SessionBuilder) -> tuple[Vehicle, tuple[str, ...]]:
    """The vehicle with its tires and drivetrain; the place of its own file and those of the tires of its wheels."""
    places: dict[str, str] = {}
    tires: dict[str, TireFile] = {}
    with ErrorCollector() as faults:
        with faults.part():
            description = description_of(configuration, places, workshop)
        for name, place in places.items():
            with faults.part(), configuration.reading(place) as (content, file):
                tires[name] = workshop.tire(content, file, configuration.files)
        if faults.errors:
            with faults.part():
                _check_drivetrain(configuration)
        faults.need_all()
        with configuration.reading("vehicle.drivetrain") as (content, file):
            pass  # as a vehicle it is read below, where complaints about its own file are understood too
        of_wheels = workshop.tires([tires[name] for name in description.tires], _sides(description), description.contact)
        with configuration.about("vehicle"):
            parts = workshop.drivetrain(content, file, description.mechanism.axles)
            vehicle = aligned_vehicle(description, of_wheels, parts, file, _level)
    return vehicle, ("vehicle", *(places[name] for name in description.tires))


def _sides(description: Description) -> list[int]:
    """Of the wheels, 1 left and -1 right; one in the middle counts as left."""
    return [-1 if name.endswith("R") else 1 for name in description.mechanism.axles.corners]


def _check_drivetrain(configuration: Configuration) -> None:
    """Read the drivetrain of a vehicle in which something else is wrong, if that is possible. Raises ConfigError."""
    axles = expected_axles(configuration.raw("vehicle"))
    if axles is not None and isinstance(configuration.raw("vehicle.drivetrain"), str | dict):
        with configuration.reading("vehicle.drivetrain") as (content, file):
            read_parts(content, file, axles)


def description_of(configuration: Configuration, places: dict[str, str], workshop: SessionBuilder) -> Description:
    """What the vehicle's own file says; `places` gets where each of the tires that it names stands."""
    with configuration.reading("vehicle") as (content, file):
        if not isinstance(content, dict):
            return workshop.description(content, file)  # which says what is wrong with it
        if "axles" in content:
            content["axles"] = _with_mechanisms(configuration, content["axles"])
        tires = content.get("tires")
        if isinstance(tires, dict) and is_one_for_each(tires):
            content["tires"] = {key: _name_of(one, f"vehicle.tires.{key}", places) for key, one in tires.items()}
        elif isinstance(tires, str | dict):
            content["tires"] = _name_of(tires, "vehicle.tires", places)
        if isinstance(content.get("drivetrain"), dict):
            content["drivetrain"] = "vehicle.drivetrain"
        return workshop.description(content, file)


def _name_of(value: str | dict[str, Any], place: str, places: dict[str, str]) -> str:
    """A name for what stands at a place: the one it is said by, or the place itself where the content is said."""
    name = value if isinstance(value, str) else place
    places.setdefault(name, place)
    return name


def _with_mechanisms(configuration: Configuration, axles: Any) -> Any:
    """The axles of a vehicle with the files of the `mechanism` ones read. Raises ConfigError."""
    if not isinstance(axles, dict):
        return axles  # whoever checks it says what is missing
    read = dict(axles)
    for name, axle in axles.items():
        if isinstance(axle, dict) and axle.get("suspension") == "mechanism" and isinstance(axle.get("file"), str | dict):
            with configuration.reading(f"vehicle.axles.{name}.file") as (content, file):
                read[name] = {**axle, "file": MechanismFile(file, content)}
    return read


@cache
def _level() -> Ground:
    """Level, even ground, on which vehicles are set up and tried."""
    return load_terrain({"type": "flat"}, "flat", data_folder("assets"), {})


def check_step_of(configuration: Configuration, vehicle: Vehicle, step: float, places: tuple[str, ...]) -> None:
    """Make sure that a step [s] is stable with the vehicle, whose numbers stand at `places`. Raises ConfigError about the one to blame."""
    try:
        step_stability.check_step(vehicle, _level().arrays, step, places, "step")
    except ConfigError as error:
        if error.file != "step":
            raise configuration.wrong(parse(error.file), error) from None
        asked_by = "step" if configuration.has("step") else "maneuver.step"
        raise configuration.origin(asked_by).wrong(error.value, error.expected) from None
