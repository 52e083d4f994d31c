"""Vehicles, tires, soils, grounds and mechanisms by their names, without a session."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from simulator.base.inputfile import read_any_text
from simulator.base.records import Record
from simulator.base.yaml_loader import MAX_BYTES
from simulator.base.yaml_reader import read_yaml
from simulator.builder.ground_builder import ground_of
from simulator.builder.vehicle_builder import VehicleParts, check_step_of, description_of, vehicle_of
from simulator.configuration.configuration import Configuration
from simulator.configuration.file_lookup import data_folder, find_config
from simulator.configuration.key_path import parse
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import Override, option
from terrain.ground import Ground
from terrain.soil import soil
from vehicles import step_stability
from vehicles.description import Description
from vehicles.multibody.description.initial_state import InitialState, resting_state
from vehicles.multibody.description.mechanism import Mechanism
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.description.urdf import mechanism_from_urdf
from vehicles.tires.tire_file import TireFile, tire
from vehicles.vehicle import Vehicle


def vehicle_description(name: str) -> Description:
    """Return the description of a vehicle by name or path, with the tie-rod lengths of its hardpoints. Raises ConfigError."""
    return description_of(Configuration.of("vehicle", name), {}, VehicleParts())


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
    vehicle, places = vehicle_of(configuration, VehicleParts())
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
    return ground_of(Configuration.of("terrain", name, said_by))


def load_mechanism(name: str) -> tuple[Mechanism, InitialState]:
    """Return a mechanism by name or path of its .yaml, .urdf or .xml file, and its initial state (zero coordinates for URDF). Raises
    ConfigError."""
    path = find_config("mechanisms", name)
    if path.suffix.lower() in (".urdf", ".xml"):
        mechanism = mechanism_from_urdf(read_any_text(path, "a URDF text file", MAX_BYTES), str(path))
        return mechanism, resting_state(mechanism)
    return mechanism_from_mapping(read_yaml(path), str(path))
