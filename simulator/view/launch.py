"""Starts the view as a process of its own, so that the vehicle goes on when the window hangs or dies."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base import cleanup
from simulator.base.errors import DeviceError
from simulator.view.drive_lock import DriveLock
from simulator.view.gl_context import display_available
from simulator.view.terrain_data import TerrainData, land_of
from simulator.view.vehicle_geometry import checked_geometry

LAND, GEOMETRY, ERRORS = "land.npz", "geometry.npz", "errors.txt"
"""Files in the folder of a drive."""
HURRY = 0.5
"""s that a view is given to go when somebody is waiting; a picture that it draws is then lost."""


class ViewProcess:
    """A running view and the folder it was started with."""

    def __init__(self, process: subprocess.Popen, claim: DriveLock) -> None:
        self._process, self._claim = process, claim

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Is the window still there?"""
        return self._process.poll() is None

    @property
    def by_signal(self) -> bool:
        """Whether a signal ended it: nothing says that another one would not do."""
        return not self.alive and self._process.returncode < 0

    @property
    def complaint(self) -> str:
        """What a view that ended badly said on its way out, one line; empty otherwise."""
        if self.alive or self._process.returncode == 0:
            return ""
        path = self._claim.folder / ERRORS
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else f"the view ended with code {self._process.returncode}"

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()

    def end(self, patience: float = 2.0, hurry: Callable[[], bool] = lambda: False) -> None:
        """Wait for it to go (it goes when the host leaves the view block), then end it; not longer than HURRY once `hurry` says so."""
        until = time.monotonic() + patience
        while self.alive and time.monotonic() < until:
            time.sleep(0.01)
            if hurry():
                until = min(until, time.monotonic() + HURRY)
                hurry = _not_again
        if self.alive:
            self._process.terminate()
            try:
                self._process.wait(0.5)
            except subprocess.TimeoutExpired:
                self.kill()

    def close(self, patience: float = 2.0) -> None:
        """`end` it and remove its files."""
        self.end(patience)
        self._claim.release()


def start_view_process(
    block: str, keys: str, ground: Any, geometry: Mapping[str, Any], title: str = "", claim: DriveLock | None = None
) -> ViewProcess:
    """Open the window in a new Python process that imports neither physics nor numba.

    Parameters
    ----------
    block, keys : names of the view block and of the key block, made by the caller
    ground : a `terrain.ground.Ground`, or a `TerrainData` made from one
    geometry : rows of `simulator.view.vehicle_geometry.GEOMETRY`
    title : what stands in the title bar
    claim : folder of the drive; a new one when not given

    Raises DeviceError when there is no display, ConfigError for a wrong geometry.
    """
    if not display_available():
        raise DeviceError("window: no display found (neither DISPLAY nor WAYLAND_DISPLAY is set); expected a desktop, or use --offscreen")
    return start_process("simulator.view", [block, keys], ground, geometry, [title], claim)


def start_process(
    module: str, blocks: Sequence[str], ground: Any, geometry: Mapping[str, Any], rest: Sequence[str], claim: DriveLock | None = None
) -> ViewProcess:
    """Start `python -m module BLOCK KEYS LAND.npz GEOMETRY.npz rest...`; arguments as for `start_view_process`."""
    if claim is None:
        with cleanup.defer_exit():
            claim = DriveLock()
            cleanup.register_cleanup(claim.release)
    land_file, geometry_file = claim.folder / LAND, claim.folder / GEOMETRY
    (ground if isinstance(ground, TerrainData) else land_of(ground)).save(land_file)
    np.savez(geometry_file, **checked_geometry(geometry))  # type: ignore[arg-type]
    command = [sys.executable, "-m", module, *blocks, str(land_file), str(geometry_file), *rest]
    root = str(Path(__file__).resolve().parents[2])
    with open(claim.folder / ERRORS, "wb") as errors:
        process = cleanup.start_child(command, cwd=root, stdin=subprocess.DEVNULL, stderr=errors)
    return ViewProcess(process, claim)


def _not_again() -> bool:
    return False
