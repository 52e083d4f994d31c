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

from simulator.base import leftovers
from simulator.base.errors import OutputError


def write_whole(file: Path, write: Callable[[Path], Any]) -> None:
    """Let `write` fill a temporary file beside `file`, then give it its name: the file is complete or not there.

    Raises
    ------
    OutputError : the folder or the disk refuses; the temporary file is removed and an older `file` stays as it was
    """
    temporary = file.with_name(f".{file.name}.part")
    forget = leftovers.keep(lambda: temporary.unlink(missing_ok=True))
    try:
        write(temporary)
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
    """The folder asked for, made if need be, or a new one under ``runs``. Raises OutputError."""
    if wanted is None:
        return new_run_folder()
    try:
        wanted.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{wanted}: cannot be made: {error.strerror or error}") from None
    return wanted


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the block is done, then let it through, so that a second Ctrl-C does not tear a file in closing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[tuple[int, Any]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pending.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pending and callable(before):
        before(*pending[0])
