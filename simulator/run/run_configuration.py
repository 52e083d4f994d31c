"""What a run leaves of its configuration, and a configuration out of what a run has left.

The whole mapping, contents in the place of names, goes into the metadata of the log as JSON, whose numbers come back bit for bit, and as
configuration.yaml, for people, beside it. It is a session file itself. The key `recorded` says where it comes from.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.base.rates import whole_ticks
from simulator.builder.builder import SessionParts
from simulator.configuration.configuration import Configuration
from simulator.configuration.key_path import parse
from simulator.configuration.layers import Layer, Origin
from simulator.outlets.rut_file import RutFileOutlet
from simulator.outlets.telemetry import TelemetryOutlet
from simulator.run.folder import RunFolder
from simulator.session import Session
from simulator.telemetry.atomic_files import write_text
from simulator.telemetry.recover import LogInfo, read_logs
from simulator.telemetry.writer import PLAIN, LogOptions

FILE_NAME = "configuration.yaml"
"""In the folder of a run; `simulator.telemetry.atomic_files.RESULTS` has it too."""
KEY = "configuration"
"""In the metadata of a log."""
FINGERPRINT = 12
"""Hexadecimal digits."""

_HEAD = "# All that this run was made of: a session file, with every file that it names put in the place of the name.\n"


def recorded(parts: SessionParts, armed: bool, raised: bool) -> dict[str, Any]:
    """The configuration of a session as a log keeps it; `armed`, `raised` as for `open_log`."""
    c = parts.configuration
    about = {
        "version": version(),
        "armed": armed,
        "raised": raised,
        "seed": parts.seed,
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "settings": c.settings,
        "names": {**c.recorded.get("names", {}), **c.names},
        "files": c.files,
    }
    return {"recorded": about, **c.complete()}


def fingerprint(configuration: Mapping[str, Any]) -> str:
    """Digest of a configuration as a log keeps it, of what decides about the numbers: all of it, the seed and the files that are no text."""
    about = configuration.get("recorded", {})
    whole = {**configuration, "recorded": {key: about.get(key) for key in ("seed", "files", "armed", "raised")}}
    plain = json_text(whole, in_order=True)
    return hashlib.sha256(plain.encode()).hexdigest()[:FINGERPRINT]


def open_log(
    parts: SessionParts, session: Session, folder: RunFolder, armed: bool, options: LogOptions = PLAIN, raised: bool = False
) -> TelemetryOutlet:
    """Begin the log of a session, as its last outlet, and leave the configuration in the folder; the ruts follow when it ends.

    Parameters
    ----------
    armed : whether the motion platform follows from the first tick on
    options : what goes into the metadata besides, and who is told; the folder's own lock is used
    raised : whether it was up before that, and did not rise while the vehicle drove

    Raises OutputError.
    """
    configuration = recorded(parts, armed, raised)
    about = {**about_run(parts, configuration), **options.about}
    options = replace(options, choice=parts.options.log, about=about, lock=folder.lock)
    every = ticks_per_row(parts)
    vehicle = parts.vehicle
    log = TelemetryOutlet(folder.path, session.readout, session.command, every, options, session.logged, vehicle.readout_table)
    session.outlets += [RutFileOutlet(session, folder.path, parts.terrain), log]
    write_configuration(folder.path, configuration)
    return log


def ticks_per_row(parts: SessionParts) -> int:
    """Ticks between two rows of the log. Raises ConfigError: the rate does not divide that of the ticks."""
    try:
        return whole_ticks(parts.options.log.rate, parts.step, "log", "rate")
    except ConfigError as error:
        c, place = parts.configuration, "outlets.telemetry.rate"
        raise c.wrong(parse(place) if c.has(place) else (), error) from None


def about_run(parts: SessionParts, configuration: dict[str, Any]) -> dict[str, str]:
    """What the metadata of a log say of its run."""
    c = parts.configuration
    names = {place: c.name(place) for place in ("vehicle", "terrain", "maneuver", "washout", "platform") if c.has(place)}
    said = {"title": parts.options.title, "settings": ", ".join(c.settings)}
    return {
        **names,
        **{key: value for key, value in said.items() if value},
        "seed": str(parts.seed),
        "version": version(),
        KEY: json_text(configuration),
    }


def write_configuration(folder: Path, configuration: dict[str, Any]) -> None:
    """The same for people. Raises OutputError."""
    text = yaml.safe_dump(configuration, sort_keys=False, allow_unicode=True, width=130, default_flow_style=None)
    write_text(folder / FILE_NAME, _HEAD + text)


def read_recorded(place: Path) -> tuple[LogInfo, Configuration]:
    """The log of a run and the configuration it was made with. Raises ConfigError: there is none, or none that can be read."""
    log = read_logs(place)[0]
    try:
        content = json.loads(log.about[KEY])
    except (KeyError, ValueError):
        raise ConfigError(log.file, KEY, "nothing", "a log that holds its configuration, as those of this version do") from None
    if not isinstance(content, dict):
        raise ConfigError(log.file, KEY, content, "a mapping of keys to values")
    return log, Configuration(Layer(content, {(): Origin(str(log.file))}))
