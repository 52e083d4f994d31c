"""Start of the view in a separate process, so that a window that hangs or crashes does not stop the vehicle."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.view.drive_lock import DriveLock
from simulator.view.gl_context import display_available
from simulator.view.make_terrain_data import make_terrain_data
from simulator.view.terrain_data import TerrainData
from simulator.view.vehicle_geometry import checked_geometry

TERRAIN_FILE, OBJECTS_FILE, GEOMETRY, ERRORS = "land.npz", "objects.npz", "geometry.npz", "errors.txt"
"""Names of files in the folder of a drive."""
HURRY_TIME = 0.5
"""s for a view to end after a further signal; an image that it is drawing is then lost."""


class ViewProcess:
    """Running view process, and the folder with its files."""

    def __init__(self, process: subprocess.Popen, drive_lock: DriveLock) -> None:
        self._process, self._drive_lock = process, drive_lock

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Pipes to the standard input and from the standard output of the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    @property
    def by_signal(self) -> bool:
        """Whether a signal ended the process; a new process may then succeed."""
        return not self.alive and self._process.returncode < 0

    @property
    def complaint(self) -> str:
        """Last error line of a view that failed; empty otherwise."""
        if self.alive or self._process.returncode == 0:
            return ""
        path = self._drive_lock.folder / ERRORS
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else f"the view ended with code {self._process.returncode}"

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()

    def end(self, timeout: float = 2.0, hurry: Callable[[], bool] = lambda: False) -> None:
        """Wait until the process ends, as it does when the host closes the view block; then end it. After `hurry()`, wait at most HURRY_TIME."""
        until = time.monotonic() + timeout
        while self.alive and time.monotonic() < until:
            time.sleep(0.01)
            if hurry():
                until = min(until, time.monotonic() + HURRY_TIME)
                hurry = _never
        if self.alive:
            self._process.terminate()
            try:
                self._process.wait(0.5)
            except subprocess.TimeoutExpired:
                self.kill()

    def close(self, timeout: float = 2.0) -> None:
        """`end` the process and remove its files."""
        self.end(timeout)
        self._drive_lock.release()


def start_view_process(
    block: str,
    keys: str,
    ground: Any,
    geometry: Mapping[str, Any],
    title: str = "",
    drive_lock: DriveLock | None = None,
    camera: str = "chase",
) -> ViewProcess:
    """Open the window in a new Python process that imports neither physics nor numba.

    Parameters
    ----------
    block, keys : names of the view block and of the key block, created by the caller
    ground : a `terrain.ground.Ground`, or a `TerrainData` made from one
    geometry : rows of `simulator.view.vehicle_geometry.GEOMETRY`
    title : text for the title bar
    drive_lock : folder of the drive; None: a new one
    camera : first camera

    Raises DeviceError without a display, ConfigError for an invalid geometry.
    """
    if not display_available():
        raise DeviceError("window: no display found (neither DISPLAY nor WAYLAND_DISPLAY is set); expected a desktop, or use --offscreen")
    return start_process("simulator.view", [block, keys], ground, geometry, [title, camera], drive_lock)


def start_process(
    module: str,
    blocks: Sequence[str],
    ground: Any,
    geometry: Mapping[str, Any],
    rest: Sequence[str],
    drive_lock: DriveLock | None = None,
    pipes: bool = False,
) -> ViewProcess:
    """Start `python -m module BLOCK KEYS TERRAIN.npz GEOMETRY.npz rest...`; arguments as for `start_view_process`.

    pipes : True = `ViewProcess.pipes` are connected to the standard input and output of the process
    """
    if drive_lock is None:
        with cleanup.defer_exit():
            drive_lock = DriveLock()
            cleanup.register_cleanup(drive_lock.release)
    terrain_file, geometry_file = drive_lock.folder / TERRAIN_FILE, drive_lock.folder / GEOMETRY
    (ground if isinstance(ground, TerrainData) else make_terrain_data(ground)).save(terrain_file)
    np.savez(geometry_file, **checked_geometry(geometry))  # type: ignore[arg-type]
    command = [sys.executable, "-m", module, *blocks, str(terrain_file), str(geometry_file), *rest]
    root = str(Path(__file__).resolve().parents[2])
    with open(drive_lock.folder / ERRORS, "wb") as errors:
        out = subprocess.PIPE if pipes else None
        process = cleanup.start_child(command, cwd=root, stdin=out or subprocess.DEVNULL, stdout=out, stderr=errors)
    return ViewProcess(process, drive_lock)


def _never() -> bool:
    return False
