"""From names and files to objects: the only file that knows every class and where its YAML lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from os.path import isfile
from pathlib import Path
from typing import Any

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.base.words import did_you_mean, nearest
from simulator.base.yamlfile import read_text, read_yaml
from simulator.maneuvers.maneuver import Maneuver, load_maneuver
from terrain.load import load_terrain
from terrain.soil import soil
from terrain.surface import Ground
from vehicles import step_stability
from vehicles.description import Description, read_description
from vehicles.multibody.description.initial_state import InitialState, resting_state
from vehicles.multibody.description.mechanism import Mechanism
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.description.urdf import mechanism_from_urdf
from vehicles.suspension.mechanism.section import MechanismFile
from vehicles.tires.tire_file import tire, tire_set
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.platform import hexapod

HERE = Path(__file__).resolve().parent

SUFFIXES = (".yaml", ".yml", ".urdf", ".xml")
"""Of files that can be named by their path alone."""


def data_folder(name: str) -> Path:
    """`configs` or `assets`: inside an installed package, or beside it in a checkout."""
    packed = HERE / "_data" / name
    return packed if packed.is_dir() else HERE.parent / name


def find_config(kind: str, name: str, said_by: object = None, key: str = "") -> Path:
    """File of a named thing; docs/files.md says where it is looked for.

    A name that a file says is looked up beside that file, then among the shipped files (`configs/<kind>/<name>.yaml`). A name on the
    command line is that of a shipped file, or the path of a file from the current folder.

    Parameters
    ----------
    kind : folder of `configs`
    name : bare name, or path of a file (it has a suffix or a separator)
    said_by, key : the file and the key that say it; none for the command line

    Raises
    ------
    ConfigError : there is no such file
    """
    shipped = data_folder("configs") / kind
    suffixed = name.lower().endswith(SUFFIXES)
    is_path = suffixed or "/" in name or "\\" in name
    spellings = [Path(name)] if suffixed else [Path(f"{name}.yaml"), Path(name)]
    if said_by is not None:
        places = [folder / written for folder in (Path(str(said_by)).parent, shipped) for written in spellings]
    elif is_path:
        places = spellings
    else:
        places = [shipped / spellings[0], spellings[1]]
    for path in places:  # isfile, unlike the method of paths, takes names that are too long and folders that may not be entered
        if isfile(path) and not _is_same(path, said_by):
            return path
    known = sorted(p.stem for p in shipped.glob("*.yaml"))
    if said_by is None:
        raise ConfigError(kind, "", name, _expected_on_the_line(name, is_path, spellings[0], known))
    beside = Path(str(said_by)).parent
    names = {
        *known,
        *(Path(n).stem for n in _names_in(beside) if n.endswith(".yaml") and not is_path and not _is_same(beside / n, said_by)),
    }
    raise ConfigError(said_by, key, name, f"a file beside this one, or one of {', '.join(known)}{did_you_mean(name, names)}")


def _expected_on_the_line(name: str, is_path: bool, written: Path, known: list[str]) -> str:
    """What a name on the command line could have been."""
    if is_path:
        folder = written.parent
        near = nearest(written.name, _names_in(folder))
        return f"a file (did you mean {folder / near}?)" if near else "a file"
    here = f" (the file here is {Path('.', written).as_posix()!r} with its suffix)" if isfile(written) else did_you_mean(name, known)
    return f"a file, or one of {', '.join(known)}{here}"


def _names_in(folder: Path) -> list[str]:
    """Names of the files of a folder, the first thousand; none of one that cannot be read."""
    try:
        return [path.name for path in islice(folder.iterdir(), 1000)]
    except (OSError, ValueError):
        return []


def _is_same(path: Path, other: object) -> bool:
    """A file that says a name does not mean itself."""
    return other is not None and isfile(str(other)) and path.samefile(str(other))


class _SoilFiles(Mapping[str, Any]):
    """Contents of soil files by the name that a terrain file says, looked up as all names are."""

    def __init__(self, said_by: Path) -> None:
        self.said_by = said_by
        self.folders = (said_by.parent, data_folder("configs") / "soils")

    def __getitem__(self, name: str) -> Any:
        path = find_config("soils", name, self.said_by)
        content = read_yaml(path)
        soil(content, str(path))
        return content

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(find_config("soils", name, self.said_by))
        except ConfigError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(path.stem for path in self.folders[1].glob("*.yaml")))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def vehicle_description(name: str) -> Description:
    """Description of a vehicle by name or path. Raises ConfigError."""
    return _description(find_config("vehicles", name))


def _description(path: Path, suspension: str | None = None) -> Description:
    mapping = read_yaml(path)
    if suspension is not None and isinstance(mapping, dict):
        mapping["suspension_kinematics"] = suspension
    return read_description(with_mechanisms(mapping, path), str(path))


def with_mechanisms(mapping: Any, path: Path) -> Any:
    """The content of a vehicle file with the files of its `mechanism` axles read. Raises ConfigError."""
    if not isinstance(mapping, dict) or not isinstance(mapping.get("axles"), dict):
        return mapping  # whoever checks it says what is missing
    axles = dict(mapping["axles"])
    for name, axle in axles.items():
        if isinstance(axle, dict) and axle.get("suspension") == "mechanism" and isinstance(axle.get("file"), str):
            file = find_config("mechanisms", axle["file"], path, f"axles.{name}.file")
            axles[name] = {**axle, "file": MechanismFile(str(file), read_yaml(file))}
    return {**mapping, "axles": axles}


def build_vehicle(
    name: str, said_by: object = None, suspension: str | None = None, step: float = step_stability.USUAL_STEP, check_step: bool = True
) -> Vehicle:
    """Vehicle with its tires and drivetrain, by name or path of its file; `said_by` is the file that names it.

    Parameters
    ----------
    suspension : "closed_form" or "table", stands above the `suspension_kinematics` of the file
    step : s, with which it will be driven
    check_step : whether to make sure that this step is stable (`vehicles.step_stability`; 0.02 s, once the step is compiled)

    Raises
    ------
    ConfigError : a file cannot be used, or the step is not stable
    """
    path = find_config("vehicles", name, said_by, "vehicle")
    description = _description(path, suspension)
    files = {name: find_config("tires", name, path, "tires") for name in description.tires}
    tires = {name: tire(read_yaml(file), str(file)) for name, file in files.items()}
    drivetrain = find_config("vehicles/parts", description.drivetrain, path, "drivetrain")
    vehicle = Vehicle(description, tire_set([tires[name] for name in description.tires]), read_yaml(drivetrain), str(drivetrain))
    if check_step:
        flat = build_ground("flat")
        arrays = (flat.p, flat.heights, flat.hardness, flat.soil_ids, flat.soils)
        step_stability.check_step(vehicle, arrays, step, (str(path), *(str(files[name]) for name in description.tires)), said_by)
    return vehicle


def build_ground(name: str, said_by: object = None) -> Ground:
    """Ground by name or path of its terrain file; `said_by` is the file that names it. Raises ConfigError."""
    path = find_config("terrains", name, said_by, "terrain")
    return load_terrain(read_yaml(path), str(path), data_folder("assets"), _SoilFiles(path))


def build_platform(name: str) -> Record:
    """HEXAPOD record of a motion platform by name or path. Raises ConfigError."""
    path = find_config("platforms", name)
    return hexapod(read_yaml(path), str(path))


def build_cueing(washout: str, platform: str, h: float, gravity: float = STANDARD_GRAVITY) -> MotionCueing:
    """Motion cueing of a washout for a platform, both by name or path, in ticks of h seconds, for a world of that gravity. Raises ConfigError."""
    path = find_config("washouts", washout)
    return MotionCueing(read_yaml(path), str(path), build_platform(platform), h, gravity)


def build_maneuver(name: str, vehicle_name: str | None = None) -> Maneuver:
    """Maneuver by name or path; the outline of the body is that of its vehicle unless the file has its own. Raises ConfigError.

    `vehicle_name` (name or path) stands above the `vehicle` of the file.
    """
    path = find_config("maneuvers", name)
    mapping = read_yaml(path)
    if vehicle_name is not None and isinstance(mapping, dict):
        mapping["vehicle"] = str(find_config("vehicles", vehicle_name).absolute())
    if isinstance(mapping, dict) and "body" not in mapping and isinstance(mapping.get("vehicle"), str):
        length, width, overhang = (vehicle := _description(find_config("vehicles", mapping["vehicle"], path, "vehicle"))).outline
        front = float(vehicle.mechanism.corners[0]["design_wheel_x"][0]) + overhang
        mapping = {**mapping, "body": {"length": length, "width": width, "front": front}}
    return load_maneuver(mapping, str(path))


def load_mechanism(name: str) -> tuple[Mechanism, InitialState]:
    """A mechanism, by name or path of its .yaml, .urdf or .xml file, and the state it starts from (coordinates of zero for URDF). Raises
    ConfigError."""
    path = find_config("mechanisms", name)
    if path.suffix.lower() in (".urdf", ".xml"):
        mechanism = mechanism_from_urdf(read_text(path, "a URDF text file"), str(path))
        return mechanism, resting_state(mechanism)
    return mechanism_from_mapping(read_yaml(path), str(path))


def view_geometry(vehicle: Vehicle) -> dict[str, Any]:
    """Rows of `simulator.view.vehicle_geometry.GEOMETRY` of a vehicle."""
    tires = vehicle.model.tires
    return {
        **vehicle.description.bushes,
        "p_BH": vehicle.model.body[0]["drivers_head"],
        "tire_radius": tires["radius"],
        "tire_width": tires["width"],
    }
