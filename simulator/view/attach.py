"""`jounce view`: a new window on a running drive."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import DeviceError
from simulator.view.drive_lock import HostWatch, running, sweep
from simulator.view.gl_context import display_available
from simulator.view.launch import GEOMETRY, TERRAIN_FILE
from simulator.view.shared_keys import KeyReader
from simulator.view.terrain_data import TerrainData
from simulator.view.user_settings import users_key
from simulator.view.window import run_window

WAIT = 1.5
"""s within which the existing window of a drive must draw a frame to keep its keys."""


def main_view(pid: int | None) -> int:
    """Run `jounce view`: open a window on the drive with this process id, or on the only drive; return 0 when it was closed.

    Raises DeviceError: no such drive, several drives, no display.
    """
    sweep()
    drive = _select(running(), pid)
    if not display_available():
        raise DeviceError("window: no display found (neither DISPLAY nor WAYLAND_DISPLAY is set); expected a desktop")
    folder = Path(drive["folder"])
    host = HostWatch(folder, leave=True)
    read_only = _has_window(drive["keys"])
    notice = (
        "the drive already has a window; this window ignores keys"
        if read_only
        else f"keys as in the window of the drive; press {users_key('help')} to show them"
    )
    print(f"view of the drive {drive['pid']} ({drive['title']}); {notice}", flush=True)
    with np.load(folder / GEOMETRY) as geometry:
        run_window(
            drive["block"],
            drive["keys"],
            TerrainData.load(folder / TERRAIN_FILE),
            dict(geometry),
            host,
            drive["title"],
            read_only=read_only,
        )
    return 0


def _select(drives: list[dict[str, Any]], pid: int | None) -> dict[str, Any]:
    if not drives:
        raise DeviceError("no drive with a view is running; expected a drive started with 'jounce drive' by the same user")
    names = ", ".join(f"{drive['pid']} ({drive['title']})" for drive in drives)
    if pid is None and len(drives) > 1:
        raise DeviceError(f"several drives are running: {names}; hint: add the number of one to 'jounce view'")
    for drive in drives:
        if pid in (None, drive["pid"]):
            return drive
    raise DeviceError(f"no drive {pid} is running; expected one of {names}")


def _has_window(keys: str) -> bool:
    """Return whether the driver's window still draws."""
    reader = KeyReader(keys, create=False)
    try:
        frames, end = reader.frames, time.monotonic() + WAIT
        while reader.owner and time.monotonic() < end:
            if reader.frames != frames:
                return True
            time.sleep(0.02)
        return False
    finally:
        reader.close()
