"""What the page of a run says of its making: what was driven by which code, on which machine, and how fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from simulator.base.inputfile import read_bytes
from simulator.base.machine import origin
from simulator.builder.builder import SessionParts
from simulator.maneuvers.report.page import RunInfo
from simulator.run.run_configuration import FILE_NAME, fingerprint, recorded
from simulator.session import Session

INTEGRATOR = "semi-implicit Euler, velocities first; tires and spins of the wheels implicit"
"""As ARCHITECTURE.md says it of the order of a step."""
MOST_BYTES = 1 << 24
"""Of a configuration."""


Frames = Sequence[tuple[bytes, str]]
"""Pictures (JPEG), each with a line."""


def told_of(
    parts: SessionParts, session: Session, folder: Path, machine: Mapping[str, Any], dropped: Sequence[str], frames: Frames
) -> RunInfo:
    """What is told of a run that is over; `machine` as in metrics.json. Raises ConfigError: its configuration.yaml cannot be read."""
    text = read_bytes(folder / FILE_NAME, "the configuration of this run", MOST_BYTES).decode("utf-8")
    return RunInfo([*_driven(parts, session), *_made(parts, session, machine)], text, dropped, frames)


def _driven(parts: SessionParts, session: Session) -> list[tuple[str, str]]:
    c = parts.configuration
    names = {place: c.name(place) for place in ("maneuver", "vehicle", "terrain", "platform", "washout") if c.has(place)}
    said = list(names.items())
    settings = ", ".join(c.settings)
    return [*said, *([("settings", settings)] if settings else []), ("driven", f"{session.time:.4g} s")]


def _made(parts: SessionParts, session: Session, machine: Mapping[str, Any]) -> list[tuple[str, str]]:
    code = origin()
    return [
        ("configuration", fingerprint(recorded(parts, armed=True, raised=True))),
        ("seed", str(parts.seed)),
        ("step", f"{1000.0 * session.h:.4g} ms"),
        ("integrator", INTEGRATOR),
        ("log", f"{parts.options.log.rate:.4g} rows a second"),
        ("real-time factor", f"{machine['real_time_factor']:.3g}"),
        ("wall time", f"{machine['wall_time_s']:.3g} s"),
        ("date", datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %z")),
        ("version", code["version"]),
        ("software", code["software"]),
        ("machine", code["machine"]),
        ("processor", code["processor"]),
    ]
