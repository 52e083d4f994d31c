"""Recorded configuration of a run, and configuration from a recorded run.

The complete mapping, with file contents instead of names, is in the metadata of the log as JSON, which preserves all bits of its numbers, and
in configuration.yaml for readers. The mapping is a valid session file. Its key `recorded` describes the origin.
"""

from __future__ import annotations

import hashlib
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
from simulator.builder.session_parts import SessionParts
from simulator.configuration.configuration import Configuration
from simulator.configuration.key_path import parse
from simulator.configuration.layers import Layer, Origin
from simulator.outlets.event_file import EventFileOutlet
from simulator.outlets.kinds import CSV, build_outlets
from simulator.outlets.object_file import ObjectFileOutlet
from simulator.outlets.rut_file import RutFileOutlet
from simulator.outlets.sensor_file import sensor_files
from simulator.outlets.telemetry import TelemetryOutlet
from simulator.run.folder import RunFolder
from simulator.session import Session
from simulator.telemetry.atomic_files import write_text
from simulator.telemetry.metadata import CONFIGURATION, recorded_configuration
from simulator.telemetry.recover import LogInfo, read_logs
from simulator.telemetry.writer import PLAIN, LogOptions

FILE_NAME = "configuration.yaml"
"""Name of the configuration file in a run folder; also in `simulator.telemetry.run_folder.RESULTS`."""
KEY = CONFIGURATION
"""Key in the metadata of a log."""
JOINED = "platform_joined"
"""Key in the metadata of a log: tick of a drive at which the platform joined."""
HASHED = ("vehicle", "terrain")
"""Sections of the configuration whose digests a log has."""
DRIVERS = "drivers"
"""Key in the metadata of the log of a drive in real time: names of its drivers, the first one first."""
DROPPED = "dropped"
"""Key in the metadata of a log: parts that the session has dropped, such as a sensor of a plugin."""
FINGERPRINT = 12
"""Number of hexadecimal digits of a fingerprint."""

_HEAD = "# Complete configuration of this run: a session file with the contents of all named files.\n"


def recorded(parts: SessionParts, armed: bool, raised: bool) -> dict[str, Any]:
    """Return the configuration of a session for a log; `armed`, `raised` as for `open_log`."""
    c = parts.configuration
    about = {
        "version": version(),
        "armed": armed,
        "raised": raised,
        "seed": parts.seed,
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "settings": c.settings,
        "names": {**c.layer.recorded.get("names", {}), **c.named.names},
        "hashes": hashes_of(c.complete()),
        "files": c.binary.digests,
    }
    return {"recorded": about, **c.complete()}


def fingerprint(configuration: Mapping[str, Any]) -> str:
    """Return a digest of everything in a recorded configuration that affects the numbers: all keys, the seed and the binary files."""
    about = configuration.get("recorded", {})
    relevant = {**configuration, "recorded": {key: about.get(key) for key in ("seed", "files", "armed", "raised")}}
    text = json_text(relevant, in_order=True)
    return hashlib.sha256(text.encode()).hexdigest()[:FINGERPRINT]


def hashes_of(configuration: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of vehicle and terrain of a complete configuration."""
    return {key: hashlib.sha256(json_text(configuration.get(key), in_order=True).encode()).hexdigest()[:FINGERPRINT] for key in HASHED}


def check_hashes(configuration: Configuration, log: Path) -> None:
    """Check that vehicle and terrain in the configuration of a log are those of the run. Raises ConfigError: they were changed after it."""
    recorded_hashes = configuration.layer.recorded.get("hashes", {})
    if not isinstance(recorded_hashes, Mapping):
        raise ConfigError(log, f"{KEY}.recorded.hashes", recorded_hashes, "a mapping of sections to their digests")
    for key, digest in hashes_of(configuration.layer.content).items():
        if recorded_hashes.get(key, digest) != digest:
            raise ConfigError(log, f"{KEY}.{key}", f"another {key} (hash {digest})", f"the {key} of the run (hash {recorded_hashes[key]})")


def open_log(
    parts: SessionParts, session: Session, folder: RunFolder, armed: bool, options: LogOptions = PLAIN, raised: bool = False
) -> TelemetryOutlet:
    """Begin the log of a session as its last outlet, and its sensor data; write the configuration into the folder. The ruts follow at the end.

    Parameters
    ----------
    armed : True if the motion platform follows from the first tick
    options : additional metadata and the message function; the lock is that of the folder
    raised : True if the platform was raised before the first tick, so that it did not rise during the run

    Raises OutputError.
    """
    configuration = recorded(parts, armed, raised)
    about = {**about_run(parts, configuration), **options.about}
    options = replace(options, choice=parts.options.log, about=about, lock=folder.lock)
    every = ticks_per_row(parts)
    vehicle = parts.vehicle
    log = TelemetryOutlet(folder.path, session.readout, session.command, every, options, session.logged, vehicle.readout_table)
    events = EventFileOutlet(session, folder.path, options.say)
    if parts.options.log.csv:
        session.output.outlets.extend(build_outlets([CSV], "", folder.path, parts.step))
    ruts = RutFileOutlet(session, folder.path, parts.terrain)
    objects = [ObjectFileOutlet(session, folder.path, options.say)] if len(session.objects) else []
    session.output.outlets.extend([events, ruts, *objects, *sensor_files(session, folder.path, options), log])
    write_configuration(folder.path, configuration)
    return log


def ticks_per_row(parts: SessionParts) -> int:
    """Return the number of ticks between two rows of the log. Raises ConfigError: the tick rate is not a multiple of the log rate."""
    try:
        return whole_ticks(parts.options.log.rate, parts.step, "log", "rate")
    except ConfigError as error:
        c, key = parts.configuration, "outlets.telemetry.rate"
        raise c.origins.wrong(parse(key) if c.has(key) else (), error) from None


def about_run(parts: SessionParts, configuration: dict[str, Any]) -> dict[str, str]:
    """Return the run metadata for a log."""
    c = parts.configuration
    names = {key: c.name(key) for key in ("vehicle", "terrain", "maneuver", "washout", "platform") if c.has(key)}
    details = {"title": parts.options.title, "settings": ", ".join(c.settings)}
    return {
        **names,
        **{key: value for key, value in details.items() if value},
        "seed": str(parts.seed),
        "version": version(),
        KEY: json_text(configuration),
    }


def write_configuration(folder: Path, configuration: dict[str, Any]) -> None:
    """Write the configuration as YAML for readers. Raises OutputError."""
    text = yaml.safe_dump(configuration, sort_keys=False, allow_unicode=True, width=130, default_flow_style=None)
    write_text(folder / FILE_NAME, _HEAD + text)


def read_recorded(path: Path) -> tuple[LogInfo, Configuration]:
    """Return the log of a run and its configuration. Raises ConfigError: there is no readable log or configuration."""
    log = read_logs(path)[0]
    content = recorded_configuration(log.about, log.file)
    if content is None:
        raise ConfigError(log.file, KEY, "nothing", "a log with its configuration, as written by this version")
    return log, Configuration(Layer(content, {(): Origin(str(log.file))}))
