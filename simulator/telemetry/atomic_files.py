"""Atomic writing of files, and the folder of a run."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from simulator.base import cleanup
from simulator.base.errors import OutputError
from simulator.telemetry.folder_lock import FolderLock

RUTS_NAME = "ruts.npz"
"""File with the ruts of a run on soil."""

RESULTS = (
    "frame_[0-9][0-9][0-9][0-9]_*.png", "incident_*", "failure.txt", "platform.json", "platform.png", "metrics.json", "attitude.png",
    "lateral_acceleration.png", "path.png", "speed.png", "yaw_rate.png", "longitudinal.png", "ride.png", "course.png", "g_g.png",
    "cross_plots.png", "handling.png", "frequency_response.png", "curves.png", "wheel_loads.png", "hand_wheel.png", "pedals.png",
    "steady_turns.png", "plot_*.png", "series.png", "report.html",
    "telemetry.csv", RUTS_NAME, ".*.part", "platform.png.*.part",
    "frame_[0-9][0-9][0-9][0-9]_*.png.new", "configuration.yaml", "telemetry.parquet",
)  # fmt: skip
"""Patterns of the files of a run, telemetry.parquet last: its presence marks the folder of an earlier run."""


def write_whole(file: Path, write: Callable[[Path], Any], durable: bool = False) -> None:
    """Call `write` for a temporary file next to `file`, then rename it: the file is complete or does not exist.

    `durable` waits until the data is on disk before the rename, for a file whose source is removed afterwards.

    Raises
    ------
    OutputError : the folder or the disk refuses; the temporary file is removed and an older `file` is unchanged
    """
    temporary = file.with_name(f".{file.name}.part")
    unregister = cleanup.register_cleanup(lambda: temporary.unlink(missing_ok=True))
    try:
        write(temporary)
        if durable:
            with open(temporary, "rb+") as stream:
                os.fsync(stream.fileno())
        os.replace(temporary, file)
    except OSError as error:
        raise OutputError(f"{file}: cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        unregister()


def write_text(file: Path, text: str) -> None:
    """Write `text` as UTF-8 with \\n line ends, atomically. Raises OutputError."""
    write_whole(file, lambda path: path.write_text(text, encoding="utf-8", newline="\n"))


def write_bytes(file: Path, content: bytes) -> None:
    """Write bytes atomically. Raises OutputError."""
    write_whole(file, lambda path: path.write_bytes(content))


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
    try:
        requested.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{requested}: cannot be created: {error.strerror or error}") from None
    FolderLock(requested).release()
    return requested


def rename_old_log(raw: Path, sure: bool) -> Path | None:
    """Rename the raw log of a killed run, with the time of its last row, so that the next run can begin.

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
    except OSError as error:
        raise OutputError(f"{raw}: cannot rename the log of a killed run: {error.strerror or error}") from None
    return renamed


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


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C and termination signals until the block ends, then deliver the first one, so that no signal corrupts a file."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[tuple[int, Any]] = []
    handlers = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            handlers[number] = signal.signal(number, lambda number, frame: pending.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if pending:
        number, frame = pending[0]
        handler = handlers[number]
        handler(number, frame) if callable(handler) else signal.raise_signal(number)
