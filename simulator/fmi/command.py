"""`jounce fmu`: write a vehicle, a tire or a washout as co-simulation unit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from simulator.base.console import print_line
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import OutputError
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.builder.builder import build, build_tire
from simulator.builder.session_builder import cueing_of
from simulator.builder.warm_up import compile_for_session
from simulator.configuration.configuration import Configuration
from simulator.configuration.file_lookup import find_config
from simulator.configuration.from_arguments import session_of
from simulator.configuration.key_path import parse
from simulator.configuration.layers import Origin
from simulator.configuration.overrides import option, read_settings
from simulator.fmi.archive import archives
from simulator.fmi.content import portable
from simulator.fmi.description import FMI
from simulator.port.schema import DEFAULT_STATE
from simulator.telemetry.atomic_files import create_folder, write_bytes
from vehicles.step_stability import USUAL_STEP

Unit = tuple[str, str, Mapping[str, Any], Mapping[str, Path]]
"""Name, meaning, content and files of a unit, see `archives`."""


def main_fmu(arguments: Any) -> int:
    """Run `jounce fmu` and return 0. Raises JounceError: the configuration cannot be used, or a file exists."""
    versions = FMI if arguments.fmi is None else (arguments.fmi,)
    name = PurePath(arguments.name).stem
    files = {fmi: Path(arguments.out, f"{name}_fmi{fmi}.fmu") for fmi in versions}
    for file in files.values():
        if file.exists() and not arguments.overwrite:
            raise OutputError(f"{file}: file exists; hint: use --overwrite to replace it")
    made = archives(*_UNITS[arguments.kind](arguments, name), versions)
    create_folder(Path(arguments.out))
    for fmi, data in made.items():
        write_bytes(files[fmi], data)
    if arguments.json:
        print_line(json_text({"files": [str(file) for file in files.values()]}))
        return 0
    for fmi, file in files.items():
        print_line(f"{file}: FMI {fmi}.0, co-simulation, {len(made[fmi]) / 1e6:.2f} MB; the host needs a Python with jounce {version()}")
    return 0


def _vehicle(arguments: Any, name: str) -> Unit:
    """Return the unit of a vehicle on its ground."""
    configuration = session_of(arguments, option("NAME", "vehicle", arguments.name))
    compile_for_session(configuration, print_line)
    if configuration.has("maneuver"):
        with configuration.reading("terrain"):  # as for a person: the host drives
            configuration.put("maneuver", None, Origin("jounce", is_file=False))
    build(configuration)
    wanted = [one.strip() for text in arguments.channels for one in text.split(",") if one.strip()]
    content, files = portable(configuration)
    what = f"vehicle {configuration.name('vehicle')} on the terrain {configuration.name('terrain')}"
    return name, what, {"kind": "vehicle", "configuration": content, "channels": wanted or DEFAULT_STATE, "speed": arguments.speed}, files


def _tire(arguments: Any, name: str) -> Unit:
    """Return the unit of a tire on a rig."""
    build_tire(arguments.name, read_settings(arguments.set))  # reports errors about the file of the user
    place = "vehicle.tires"
    configuration = Configuration.of(place, str(find_config("tires", arguments.name)))
    for setting in read_settings(arguments.set):
        configuration.set(setting._replace(path=(*parse(place), *setting.path)))
    with configuration.reading(place):
        content, files = portable(configuration)
    return name, f"tire {name} on hard ground", {"kind": "tire", "configuration": content, "step": arguments.step}, files


def _washout(arguments: Any, name: str) -> Unit:
    """Return the unit of a washout on a platform."""
    configuration = session_of(arguments, option("NAME", "washout", arguments.name))
    cueing_of(configuration, USUAL_STEP, STANDARD_GRAVITY).washout.close()
    complete = portable(configuration)[0]
    content = {key: complete[key] for key in ("recorded", "washout", "platform", "step", "world", "intensity") if key in complete}
    what = f"washout {configuration.name('washout')} on the platform {configuration.name('platform')}"
    return name, what, {"kind": "washout", "configuration": content}, {}


_UNITS = {"vehicle": _vehicle, "tire": _tire, "washout": _washout}
