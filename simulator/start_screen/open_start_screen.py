"""Opening of the start screen in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.base.json_output import json_text
from simulator.view.gl_context import display_available
from simulator.view.user_settings import load_settings

FOLDER = "folder"
"""Key of the current folder, next to the rows, in the input of the process, which runs in another folder."""
LAST_KEY = "last"
"""Key of the last drive, next to the rows."""
WATCH = "watch"
"""Key of the answer that is True if the user watches the last drive."""
CHOICE = "choice"
"""Key of the values of the rows in the answer."""


class LastDrive(NamedTuple):
    """Drive before this start screen.

    folder : run folder; empty without a recorded drive
    text : distance and top speed
    trouble : why the last choice could not be driven or watched, one line; empty without a failure
    """

    folder: str = ""
    text: str = ""
    trouble: str = ""


NO_DRIVE = LastDrive()


def open_start_screen(given: Mapping[str, str], last: LastDrive = NO_DRIVE) -> dict[str, Any] | None:
    """Show the start screen; return the options of `jounce drive` by name with WATCH and CHOICE, or None after the user has quit.

    Parameters
    ----------
    given : values of rows from the command line, or of the last choice
    last : drive that the user can repeat, watch, or save as a video

    Raises
    ------
    DeviceError : no display, or the window cannot be opened
    ConfigError : the settings file of the user has mistakes
    """
    if not display_available():
        raise DeviceError("start screen: no display found (neither DISPLAY nor WAYLAND_DISPLAY is set); expected a desktop")
    load_settings()
    with tempfile.TemporaryFile() as errors:
        process, out = _answered({**given, FOLDER: os.getcwd(), LAST_KEY: last._asdict()}, errors)
        errors.seek(0)
        lines = [line for line in errors.read().decode(errors="replace").splitlines() if line.strip()]
    if process.returncode != 0:
        raise DeviceError(lines[-1] if lines else "the start screen has ended unexpectedly")
    from simulator.start_screen.choice import drive_options

    answer = json.loads(out.splitlines()[-1]) if out.strip() else {}
    choice = answer.get(CHOICE)
    return None if choice is None else {**drive_options(choice), CHOICE: choice, WATCH: bool(answer.get(WATCH))}


def _answered(values: Mapping[str, Any], errors: IO[bytes]) -> tuple[subprocess.Popen, str]:
    """Run the process with these values to its end; return it, and what it has printed. Its input stays open, because its end closes the window."""
    command = [sys.executable, "-m", "simulator.start_screen"]
    root = str(Path(__file__).resolve().parents[2])
    process = cleanup.start_child(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        with contextlib.suppress(BrokenPipeError):  # it has ended already
            process.stdin.write(json_text(values) + "\n")
            process.stdin.flush()
        out = process.stdout.read()
        process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
    return process, out
