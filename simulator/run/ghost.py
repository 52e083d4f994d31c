"""Ghost of a drive from a recorded drive on the same terrain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from simulator.base.errors import ConfigError
from simulator.configuration.configuration import Configuration
from simulator.run.recording import Recording
from simulator.run.run_configuration import hashes_of
from simulator.view.ghost import FIELDS, MOVES, GhostTrack

PERIOD = 0.02
"""s between two states of a ghost, which is interpolated between them."""


def ghost_of(path: Path, drive: Configuration, waits_for_motion: bool, say: Callable[[str], None]) -> GhostTrack:
    """Return the ghost of a drive.

    Parameters
    ----------
    path : run folder of the recorded drive, or its log
    drive : complete configuration of the drive that shows the ghost
    waits_for_motion : True: the ghost begins to move when the vehicle of the drive does

    Raises ConfigError: no recording, or one on another terrain.
    """
    recording = Recording(path, lambda text: None if "links" in text else say(text))
    check_same_terrain(recording, drive)
    moving = np.flatnonzero(np.abs(recording.columns("v_WB_B_x")["v_WB_B_x"]) > MOVES)
    rows = recording.spaced_rows(PERIOD)
    cuts = np.diff(np.cumsum(recording.cuts)[rows], prepend=0) > 0
    begins = float(recording.positions[moving[0]]) if len(moving) else 0.0
    return GhostTrack(recording.positions[rows], cuts, recording.fields(FIELDS, rows), recording.geometry, begins, waits_for_motion)


def check_same_terrain(recording: Recording, drive: Configuration) -> None:
    """Check that a recording and a drive have the same terrain. Raises ConfigError."""
    name = recording.log.about.get("terrain", "another one")
    ours, theirs = hashes_of(drive.complete())["terrain"], hashes_of(recording.configuration.layer.content)["terrain"]
    files = [_terrain_files(one) for one in (drive.binary.digests, recording.configuration.layer.recorded.get("files", {}))]
    if ours != theirs or files[0] != files[1]:
        same_name = Path(drive.name("terrain")).stem == Path(name).stem
        got = f"a drive on the terrain {name}" + (", which has changed since" if same_name else "")
        raise ConfigError(recording.file, "terrain", got, f"a drive on the same terrain as this one, {drive.name('terrain')}")


def _terrain_files(digests: dict[str, str]) -> dict[str, str]:
    return {path: digest for path, digest in digests.items() if path.startswith("terrain")}
