"""A drive with its log, for tests of what is made from the log; the fixture `driven` in conftest.py is one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import Override
from simulator.run.folder import RunFolder
from simulator.run.frames import FrameState, States
from simulator.run.run_configuration import open_log
from simulator.telemetry.writer import LogOptions

SECONDS, EVERY = 8.0, 500


def silent(text: str) -> None:
    """Ignore a message."""


def drive(
    folder: Path, terrain: str, seconds: float, channels: tuple[str, ...] = (), vehicles: tuple[Any, ...] = ()
) -> tuple[list[FrameState], object]:
    """A drive with its log; returns what the view would draw every EVERY ticks."""
    settings = [("maneuver", "scripted_drive"), ("terrain", terrain), ("vehicle", "hmmwv")]
    overrides = [Override((key,), value, "test") for key, value in settings]
    if channels:
        overrides.append(Override(("outlets", "telemetry", "channels"), list(channels), "test"))
    if vehicles:
        overrides.append(Override(("vehicles",), [dict(one) for one in vehicles], "test"))
    parts = build(configuration(None, overrides))
    session = parts.session(parts.maneuver_driver())
    session.reset()
    states = States(EVERY)
    session.output.outlets.append(states)
    run_folder = RunFolder(folder)
    open_log(parts, session, run_folder, False, LogOptions())
    run_folder.began()
    session.publish()
    session.run(seconds)
    session.close()
    run_folder.release()
    return states.at(range(len(states.kept))), parts


def copied(driven: tuple[Path, object], folder: Path) -> Path:
    """Copy the run of the fixture `driven` into a folder."""
    return Path(shutil.copytree(driven[0], folder / "copy"))
