"""From names and files to objects: the only file that knows every class and where its YAML lies."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, InertiaWarning
from simulator.base.records import Record
from simulator.base.yamlfile import read_text, read_yaml
from simulator.maneuvers.maneuver import Maneuver, load_maneuver
from terrain.load import load_terrain
from terrain.surface import Ground
from vehicles.description import Description, read_description
from vehicles.multibody.initial_state import InitialState, resting_state
from vehicles.multibody.mechanism import Mechanism
from vehicles.multibody.mechanism_file import mechanism_from_mapping
from vehicles.multibody.urdf import mechanism_from_urdf
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.platform import hexapod

HERE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """`configs` or `assets`: inside an installed package, or beside it in a checkout."""
    packed = HERE / "_data" / name
    return packed if packed.is_dir() else HERE.parent / name


def find_config(kind: str, name: str, said_by: object = None, key: str = "") -> Path:
    """File of a named thing (`configs/<kind>/<name>.yaml`), or `name` itself when it is a path to a file.

    `said_by` and `key` are the file and the key that name it, for messages. Raises ConfigError.
    """
    if name.endswith((".yaml", ".yml")) or "/" in name or "\\" in name:
        path = Path(name)
        if not _is_file(path):
            raise ConfigError(said_by or name, key, name if said_by else "nothing", "a file")
        return path
    path = data_folder("configs") / kind / f"{name}.yaml"
    if not _is_file(path):
        known = sorted(p.stem for p in path.parent.glob("*.yaml"))
        raise ConfigError(said_by or kind, key, name, "a file, or one of " + ", ".join(known))
    return path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, a folder that may not be entered
        return False


def vehicle_description(name: str) -> Description:
    """Description of a vehicle by name or path. Raises ConfigError."""
    return _description(find_config("vehicles", name))


def _description(path: Path, suspension: str | None = None) -> Description:
    with warnings.catch_warnings():
        if path.is_relative_to(data_folder("configs")):
            warnings.simplefilter("ignore", InertiaWarning)  # said in the shipped files themselves
        mapping = read_yaml(path)
        if suspension is not None and isinstance(mapping, dict):
            mapping["suspension_kinematics"] = suspension
        return read_description(mapping, str(path))


def build_vehicle(name: str, said_by: object = None, suspension: str | None = None) -> Vehicle:
    """Vehicle with its tires and drivetrain, by name or path of its file; `said_by` is the file that names it.

    `suspension` ("closed_form" or "table") stands above the `suspension_kinematics` of the file. Raises ConfigError.
    """
    path = find_config("vehicles", name, said_by, "vehicle")
    description = _description(path, suspension)
    tires = find_config("tires", description.tires, path, "tires")
    drivetrain = find_config("vehicles/parts", description.drivetrain, path, "drivetrain")
    return Vehicle(description, read_yaml(tires), read_yaml(drivetrain), (str(tires), str(drivetrain)))


def build_ground(name: str, said_by: object = None) -> Ground:
    """Ground by name or path of its terrain file; `said_by` is the file that names it. Raises ConfigError."""
    path = find_config("terrains", name, said_by, "terrain")
    soils = {p.stem: read_yaml(p) for p in sorted((data_folder("configs") / "soils").glob("*.yaml"))}
    return load_terrain(read_yaml(path), str(path), data_folder("assets"), soils)


def build_platform(name: str) -> Record:
    """HEXAPOD record of a motion platform by name or path. Raises ConfigError."""
    path = find_config("platforms", name)
    return hexapod(read_yaml(path), str(path))


def build_cueing(washout: str, platform: str, h: float) -> MotionCueing:
    """Motion cueing of a washout for a platform, both by name or path, in ticks of h seconds. Raises ConfigError."""
    path = find_config("washouts", washout)
    return MotionCueing(read_yaml(path), str(path), build_platform(platform), h)


def build_maneuver(name: str, vehicle_name: str | None = None) -> Maneuver:
    """Maneuver by name or path; the outline of the body is that of its vehicle unless the file has its own. Raises ConfigError.

    `vehicle_name` (name or path) stands above the `vehicle` of the file.
    """
    path = find_config("maneuvers", name)
    mapping = read_yaml(path)
    if vehicle_name is not None and isinstance(mapping, dict):
        mapping["vehicle"] = str(find_config("vehicles", vehicle_name))
    if isinstance(mapping, dict) and "body" not in mapping and isinstance(mapping.get("vehicle"), str):
        length, width, overhang = (vehicle := _description(find_config("vehicles", mapping["vehicle"], path, "vehicle"))).outline
        front = float(vehicle.mechanism.corners[0]["design_wheel_x"][0]) + overhang
        mapping = {**mapping, "body": {"length": length, "width": width, "front": front}}
    return load_maneuver(mapping, str(path))


def load_mechanism(name: str) -> tuple[Mechanism, InitialState]:
    """A mechanism and the state it starts from (coordinates of zero for URDF) out of a .yaml, .urdf or .xml file. Raises ConfigError."""
    if name.endswith((".urdf", ".xml")):
        mechanism = mechanism_from_urdf(read_text(name, "a URDF text file"), name)
        return mechanism, resting_state(mechanism)
    return mechanism_from_mapping(read_yaml(name), name)


def view_geometry(vehicle: Vehicle) -> dict[str, Any]:
    """Rows of `simulator.view.vehicle_geometry.GEOMETRY` of a vehicle."""
    tire = vehicle.model.tire[0]
    return {
        **vehicle.description.bushes,
        "p_BH": vehicle.model.body[0]["drivers_head"],
        "tire_radius": tire["radius"],
        "tire_width": tire["width"],
    }
