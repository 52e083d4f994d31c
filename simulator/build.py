"""From names and files to objects: the only file that reads YAML and knows every class."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import yaml

from simulator.base.errors import ConfigError, InertiaWarning
from simulator.base.records import Record
from simulator.maneuvers.maneuver import Maneuver, load_maneuver
from terrain.load import load_terrain
from terrain.surface import Ground
from vehicles.description import Description, read_description
from vehicles.vehicle import Vehicle
from washout.cueing import MotionCueing
from washout.platform import hexapod

HERE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """`configs` or `assets`: inside an installed package, or beside it in a checkout."""
    packed = HERE / "_data" / name
    return packed if packed.is_dir() else HERE.parent / name


def find_config(kind: str, name: str) -> Path:
    """File of a named thing (`configs/<kind>/<name>.yaml`), or `name` itself when it is a path to a file. Raises ConfigError."""
    if name.endswith((".yaml", ".yml")) or "/" in name or "\\" in name:
        path = Path(name)
        if not path.is_file():
            raise ConfigError(name, "", "nothing", "a file")
        return path
    path = data_folder("configs") / kind / f"{name}.yaml"
    if not path.is_file():
        known = sorted(p.stem for p in path.parent.glob("*.yaml"))
        raise ConfigError(kind, "", name, "a file, or one of " + ", ".join(known))
    return path


def read_yaml(path: str | Path) -> Any:
    """Content of a YAML file. Raises ConfigError when it is missing, not text, or malformed."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(path, "", error.strerror or "nothing", "a file that can be read") from None
    except UnicodeDecodeError:
        raise ConfigError(path, "", "bytes that are not UTF-8", "a YAML text file") from None
    try:
        return yaml.load(text, Loader=_StrictLoader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(path, line, error.problem or "malformed YAML", "well-formed YAML") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(path, "", str(error).splitlines()[0], "well-formed YAML") from None


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            try:
                repeated = key in seen
            except TypeError:
                raise yaml.constructor.ConstructorError(None, None, "a key that is not a plain value", key_node.start_mark) from None
            if repeated:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is given twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def vehicle_description(name: str) -> Description:
    """Description of a vehicle by name or path. Raises ConfigError."""
    path = find_config("vehicles", name)
    with warnings.catch_warnings():
        if path.is_relative_to(data_folder("configs")):
            warnings.simplefilter("ignore", InertiaWarning)  # said in the shipped files themselves
        return read_description(read_yaml(path), str(path))


def build_vehicle(name: str) -> Vehicle:
    """Vehicle with its tires and drivetrain, by name or path of its file. Raises ConfigError."""
    description = vehicle_description(name)
    tires, drivetrain = find_config("tires", description.tires), find_config("vehicles/parts", description.drivetrain)
    return Vehicle(description, read_yaml(tires), read_yaml(drivetrain), (str(tires), str(drivetrain)))


def build_ground(name: str) -> Ground:
    """Ground by name or path of its terrain file. Raises ConfigError."""
    path = find_config("terrains", name)
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


def build_maneuver(name: str) -> Maneuver:
    """Maneuver by name or path. Raises ConfigError."""
    path = find_config("maneuvers", name)
    return load_maneuver(read_yaml(path), str(path))
