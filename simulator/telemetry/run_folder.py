"""Folder of a run: creation, and removal or renaming of the files of an earlier run."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from simulator.base.errors import OutputError
from simulator.telemetry.atomic_files import create_folder
from simulator.telemetry.folder_lock import FolderLock

RUTS_NAME = "ruts.npz"
"""File with the ruts of a run on soil."""

OBJECTS_NAME = "objects.npz"
"""File with the motion of breakaway objects of a run."""
SENSOR_FILES = ("sensors.mcap", "sensors-[0-9]*.mcap")
"""Patterns of the sensor data of a run, see `simulator.telemetry.sensor_file.names`."""
EVENTS = "events.jsonl"
"""File of the events of a run, see `simulator.telemetry.event_file`."""
RESULTS = (
    "frame_[0-9][0-9][0-9][0-9]_*.png", "incident_*", "failure.txt", "platform.json", "platform.png", "metrics.json", "attitude.png",
    "lateral_acceleration.png", "path.png", "speed.png", "yaw_rate.png", "longitudinal.png", "ride.png", "course.png", "g_g.png",
    "cross_plots.png", "handling.png", "frequency_response.png", "curves.png", "wheel_loads.png", "hand_wheel.png", "pedals.png",
    "steady_turns.png", "tires.png", "obstacle_map.png", "figure.gif", "figure_*s.png", "plot_*.png", "series.png", "report.html", *SENSOR_FILES, "sensors.html",
    "telemetry.csv", EVENTS, RUTS_NAME, OBJECTS_NAME, ".*.part", "platform.png.*.part",
    "frame_[0-9][0-9][0-9][0-9]_*.png.new", "configuration.yaml", "telemetry.parquet",
)  # fmt: skip
"""Patterns of the files of a run, telemetry.parquet last: its presence marks the folder of an earlier run."""


def new_run_folder(root: str | os.PathLike[str] = "runs", now: datetime | None = None) -> Path:
    """Create a new folder root/<date>_<time>, with suffix -2, -3 ... for several runs in one second. Raises OutputError."""
    stem = (now or datetime.now()).strftime("%Y-%m-%d_%H-%M-%S")
    attempt = 1
    while True:
        folder = Path(root) / (stem if attempt == 1 else f"{stem}-{attempt}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if not folder.exists() or not folder.is_dir():
                raise OutputError(f"{folder}: cannot be created: a file with this name exists") from None
            attempt += 1
        except OSError as error:
            raise OutputError(f"{folder}: cannot be created: {error.strerror or error}") from None
        else:
            return folder


def run_folder(requested: Path | None) -> Path:
    """Return the requested folder, created if necessary, or a new one under ``runs``. Raises OutputError, also if it is in use."""
    if requested is None:
        return new_run_folder()
    create_folder(requested)
    FolderLock(requested).release()
    return requested


def rename_old_log(raw: Path, sure: bool) -> Path | None:
    """Rename the raw log of a killed run, its events and its sensor data, with the time of the last row, so that the next run can begin.

    `sure` : no running process writes to the raw log. Returns the new path, None if there was no raw log. Raises OutputError.
    """
    if not raw.exists():
        return None
    if not sure:
        raise OutputError(f"{raw}: log of another run, which may still be running; hint: move the file or choose another folder")
    try:
        stem = f"{raw.stem}_{datetime.fromtimestamp(raw.stat().st_mtime):%Y-%m-%d_%H-%M-%S}"
        attempt, renamed = 1, raw.with_name(f"{stem}{raw.suffix}")
        while renamed.exists():
            attempt += 1
            renamed = raw.with_name(f"{stem}-{attempt}{raw.suffix}")
        os.rename(raw, renamed)
        if (events := raw.with_name(EVENTS)).exists():
            os.rename(events, events_of(renamed))
        for pattern in SENSOR_FILES:
            for file in raw.parent.glob(pattern):
                os.rename(file, file.with_stem(file.stem.replace("sensors", renamed.stem.replace(raw.stem, "sensors"), 1)))
    except OSError as error:
        raise OutputError(f"{raw}: cannot rename the log of a killed run: {error.strerror or error}") from None
    return renamed


def events_of(log: Path) -> Path:
    """Return the file of the events of a log; those of a killed run are renamed with its log."""
    return log.with_name(log.stem.replace("telemetry", Path(EVENTS).stem, 1) + Path(EVENTS).suffix)


def clear_results(folder: Path, was_killed: bool = False) -> None:
    """Remove the results of an earlier run from its folder, so that results of two runs are never mixed. Raises OutputError.

    A folder without telemetry.parquet is not a run folder and is not changed, unless `was_killed` states that a run was killed there.
    """
    if not (folder / RESULTS[-1]).exists() and not was_killed:
        return
    for pattern in RESULTS:
        for file in folder.glob(pattern):
            try:
                file.unlink()
            except OSError as error:
                raise OutputError(f"{file}: cannot remove the result of an earlier run: {error.strerror or error}") from None
