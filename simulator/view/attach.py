"""`jounce view`: a new window on a drive that runs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import DeviceError
from simulator.view.drive_lock import HostWatch, running, sweep
from simulator.view.gl_context import display_available
from simulator.view.launch import GEOMETRY, LAND
from simulator.view.shared_state import KeyReader
from simulator.view.terrain_data import TerrainData
from simulator.view.window import run_window

LISTEN = 1.5
"""s in which the window that a drive has must have drawn a frame to keep its keys."""


def main_view(pid: int | None) -> int:
    """Command line of `jounce view`: open a window on the drive with that process id, or on the only one; 0 when it was closed.

    Raises DeviceError: no such drive, several to choose from, no display.
    """
    sweep()
    drive = _chosen(running(), pid)
    if not display_available():
        raise DeviceError("window: no display found (neither DISPLAY nor WAYLAND_DISPLAY is set); expected a desktop")
    folder = Path(drive["folder"])
    host = HostWatch(folder, leave=True)
    looks_on = _has_window(drive["keys"])
    said = (
        "it has a window already, whose keys count: this one looks on" if looks_on else "keys as in the window of the drive, H shows them"
    )
    print(f"view of the drive {drive['pid']} ({drive['title']}); {said}", flush=True)
    with np.load(folder / GEOMETRY) as geometry:
        run_window(drive["block"], drive["keys"], TerrainData.load(folder / LAND), dict(geometry), host, drive["title"], looks_on)
    return 0


def _chosen(drives: list[dict[str, Any]], pid: int | None) -> dict[str, Any]:
    if not drives:
        raise DeviceError("no drive with a view is running; expected one that was started with 'jounce drive' by the same user")
    names = ", ".join(f"{drive['pid']} ({drive['title']})" for drive in drives)
    if pid is None and len(drives) > 1:
        raise DeviceError(f"several drives are running: {names}; expected 'jounce view' with the number of one")
    for drive in drives:
        if pid in (None, drive["pid"]):
            return drive
    raise DeviceError(f"no drive {pid} is running; expected one of {names}")


def _has_window(keys: str) -> bool:
    """Does the driver's window still draw?"""
    reader = KeyReader(keys, create=False)
    try:
        frames, end = reader.frames, time.monotonic() + LISTEN
        while reader.owner and time.monotonic() < end:
            if reader.frames != frames:
                return True
            time.sleep(0.02)
        return False
    finally:
        reader.close()
