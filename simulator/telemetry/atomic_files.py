"""Atomic writing of files, writing to devices and pipes, and the creation of folders."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from simulator.base import cleanup
from simulator.base.errors import OutputError
from simulator.base.output_target import STANDARD_OUTPUT, is_stream, open_stream


def create_folder(folder: Path) -> None:
    """Create a folder with its parents, unless it exists. Raises OutputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be created: {error.strerror or error}") from None


def write_whole(file: Path, write: Callable[[Path], Any], durable: bool = False) -> None:
    """Call `write` for a temporary file next to `file`, then rename it: the file is complete or does not exist.

    A symbolic link stays, and its target is replaced. A device, a pipe or a standard stream receives the content when `write` has ended.
    `durable` waits until the data is on disk before the rename, for a file whose source is removed afterwards.

    Raises
    ------
    OutputError : the folder or the disk refuses; the temporary file is removed and an older `file` is unchanged
    BrokenPipeError : the reader of the standard output has closed it
    """
    try:
        if is_stream(file):
            _write_stream(file, write)
        else:
            _replace(Path(os.path.realpath(file)) if file.is_symlink() else file, write, durable)
    except OSError as error:
        if file == STANDARD_OUTPUT and isinstance(error, BrokenPipeError):
            raise
        name = "standard output" if file == STANDARD_OUTPUT else file
        reason = os.strerror(error.errno) if error.errno else error  # with a number, pyarrow adds texts of its own
        raise OutputError(f"{name}: cannot be written: {reason}") from None


def _replace(file: Path, write: Callable[[Path], Any], durable: bool) -> None:
    """Write a regular file, or replace it. Raises OSError."""
    temporary = file.with_name(f".{file.name}.part")
    unregister = cleanup.register_cleanup(lambda: temporary.unlink(missing_ok=True))
    try:
        write(temporary)
        if durable:
            with open(temporary, "rb+") as stream:
                os.fsync(stream.fileno())
        os.replace(temporary, file)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        unregister()


def _write_stream(file: Path, write: Callable[[Path], Any]) -> None:
    """Write a file into a temporary folder, then copy it to a device, a pipe or a standard stream. Raises OSError."""
    with cleanup.defer_exit():
        folder = tempfile.mkdtemp(prefix="jounce-")
        unregister = cleanup.register_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    try:
        temporary = Path(folder) / "part"
        write(temporary)
        with open(temporary, "rb") as source, open_stream(file) as target:
            shutil.copyfileobj(source, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        unregister()


def write_text(file: Path, text: str) -> None:
    """Write `text` as UTF-8 with \\n line ends, atomically; bytes of file names that are not UTF-8 become escapes. Raises OutputError."""
    write_whole(file, lambda path: path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n"))


def write_bytes(file: Path, content: bytes) -> None:
    """Write bytes atomically. Raises OutputError."""
    write_whole(file, lambda path: path.write_bytes(content))


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
