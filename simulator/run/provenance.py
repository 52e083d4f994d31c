"""Facts about a run for its page: inputs, code version, machine and speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from simulator.base.inputfile import read_bytes
from simulator.base.machine import origin
from simulator.builder.session_parts import SessionParts
from simulator.maneuvers.report.page import RunInfo
from simulator.run.run_configuration import FILE_NAME, fingerprint, recorded
from simulator.session import Session

INTEGRATOR = "semi-implicit Euler, velocities first; tires and spins of the wheels implicit"
"""Description of the time step as in ARCHITECTURE.md."""
MAX_BYTES = 1 << 24
"""Maximum size of a configuration file in bytes."""


Frames = Sequence[tuple[bytes, str]]
"""Rendered images (JPEG) with captions."""


def run_info(
    parts: SessionParts, session: Session, folder: Path, machine: Mapping[str, Any], dropped: Sequence[str], frames: Frames
) -> RunInfo:
    """Return the page facts of a finished run; `machine` as in metrics.json. Raises ConfigError: configuration.yaml cannot be read."""
    text = read_bytes(folder / FILE_NAME, "the configuration of this run", MAX_BYTES).decode("utf-8")
    return RunInfo([*_inputs(parts, session), *_environment(parts, session, machine)], text, dropped, frames)


def _inputs(parts: SessionParts, session: Session) -> list[tuple[str, str]]:
    c = parts.configuration
    names = {place: c.name(place) for place in ("maneuver", "vehicle", "terrain", "platform", "washout") if c.has(place)}
    items = list(names.items())
    settings = ", ".join(c.settings)
    return [
        *items,
        *([("settings", settings)] if settings else []),
        ("simulated time", f"{session.time:.4g} s"),
        *_faults(session),
        *_collisions(session),
    ]


def _faults(session: Session) -> list[tuple[str, str]]:
    return [(f"fault {fault.name}", fault.words) for fault in session.injector.faults]


def _collisions(session: Session) -> list[tuple[str, str]]:
    return [(f"collision {one.number}", one.message.partition(": ")[2] + f", at t = {one.time:.3f} s") for one in session.collisions]


def _environment(parts: SessionParts, session: Session, machine: Mapping[str, Any]) -> list[tuple[str, str]]:
    code = origin()
    return [
        ("configuration", fingerprint(recorded(parts, armed=True, raised=True))),
        ("seed", str(parts.seed)),
        ("step", f"{1000.0 * session.h:.4g} ms"),
        ("integrator", INTEGRATOR),
        ("log", f"{parts.options.log.rate:.4g} rows per second"),
        ("real-time factor", f"{machine['real_time_factor']:.3g}"),
        ("wall time", f"{machine['wall_time_s']:.3g} s"),
        ("date", datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %z")),
        ("version", code["version"]),
        ("software", code["software"]),
        ("machine", code["machine"]),
        ("processor", code["processor"]),
    ]
