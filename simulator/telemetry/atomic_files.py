"""Writing files so that a reader never meets half of one, and the folder of a run."""

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
"""The ruts that a run which drove on soil has left."""

RESULTS = (
    "frame_[0-9][0-9][0-9][0-9]_*.png", "incident_*", "failure.txt", "platform.json", "platform.png", "metrics.json", "attitude.png",
    "lateral_acceleration.png", "path.png", "speed.png", "yaw_rate.png", "longitudinal.png", "ride.png", "course.png", "g_g.png",
    "cross_plots.png", "handling.png", "frequency_response.png", "curves.png", "wheel_loads.png", "hand_wheel.png", "pedals.png",
    "series.png", "report.html",
    "telemetry.csv", RUTS_NAME, ".*.part", "platform.png.*.part",
    "frame_[0-9][0-9][0-9][0-9]_*.png.new", "configuration.yaml", "telemetry.parquet",
)  # fmt: skip
"""What runs and drives leave in their folder, telemetry.parquet last: as long as it is there, an earlier run is."""


def write_whole(file: Path, write: Callable[[Path], Any], durable: bool = False) -> None:
    """Let `write` fill a temporary file beside `file`, then give it its name: the file is complete or not there.

    `durable` waits until it is on the disk before it gets its name, for a file whose source is removed afterwards.

    Raises
    ------
    OutputError : the folder or the disk refuses; the temporary file is removed and an older `file` stays as it was
    """
    temporary = file.with_name(f".{file.name}.part")
    forget = cleanup.register_cleanup(lambda: temporary.unlink(missing_ok=True))
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
        forget()


def write_text(file: Path, text: str) -> None:
    """Write `text` as UTF-8 with \\n line ends, whole or not at all. Raises OutputError."""
    write_whole(file, lambda path: path.write_text(text, encoding="utf-8", newline="\n"))


def write_bytes(file: Path, content: bytes) -> None:
    """Write bytes, whole or not at all. Raises OutputError."""
    write_whole(file, lambda path: path.write_bytes(content))


def new_run_folder(root: str | os.PathLike[str] = "runs", now: datetime | None = None) -> Path:
    """New folder root/<date>_<time>, with -2, -3 ... behind it when several runs start in one second. Raises OutputError."""
    stem = (now or datetime.now()).strftime("%Y-%m-%d_%H-%M-%S")
    attempt = 1
    while True:
        folder = Path(root) / (stem if attempt == 1 else f"{stem}-{attempt}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if not folder.exists() or not folder.is_dir():
                raise OutputError(f"{folder}: cannot be made: a file of that name is in the way") from None
            attempt += 1
        except OSError as error:
            raise OutputError(f"{folder}: cannot be made: {error.strerror or error}") from None
        else:
            return folder


def run_folder(wanted: Path | None) -> Path:
    """The folder asked for, made if need be, or a new one under ``runs``. Raises OutputError, also when another run writes there."""
    if wanted is None:
        return new_run_folder()
    try:
        wanted.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{wanted}: cannot be made: {error.strerror or error}") from None
    FolderLock(wanted).release()
    return wanted


def set_aside(raw: Path, sure: bool) -> Path | None:
    """Give the raw log of a run that was killed another name, with the time of its last row, so that the next one can begin.

    `sure` says that no run is alive that writes into it. Returns the new name, None when there was none. Raises OutputError.
    """
    if not raw.exists():
        return None
    if not sure:
        raise OutputError(f"{raw}: the log of another run, perhaps one that still goes on; move it away or choose another folder")
    try:
        stem = f"{raw.stem}_{datetime.fromtimestamp(raw.stat().st_mtime):%Y-%m-%d_%H-%M-%S}"
        attempt, aside = 1, raw.with_name(f"{stem}{raw.suffix}")
        while aside.exists():
            attempt += 1
            aside = raw.with_name(f"{stem}-{attempt}{raw.suffix}")
        os.rename(raw, aside)
    except OSError as error:
        raise OutputError(f"{raw}: the log of a run that was killed cannot be renamed: {error.strerror or error}") from None
    return aside


def clear_results(folder: Path, was_killed: bool = False) -> None:
    """Remove what an earlier run left in its folder, so that results of two runs never lie side by side. Raises OutputError.

    A folder without telemetry.parquet is no run's, and nothing is touched, unless the caller knows that a run was killed there.
    """
    if not (folder / RESULTS[-1]).exists() and not was_killed:
        return
    for pattern in RESULTS:
        for file in folder.glob(pattern):
            try:
                file.unlink()
            except OSError as error:
                raise OutputError(f"{file}: the result of an earlier run cannot be removed: {error.strerror or error}") from None


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C and requests to end back until the block is done, then let the first one through: no second one tears a file."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[tuple[int, Any]] = []
    before = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            before[number] = signal.signal(number, lambda number, frame: pending.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if pending:
        number, frame = pending[0]
        handler = before[number]
        handler(number, frame) if callable(handler) else signal.raise_signal(number)
