"""Starts the view as a process of its own, so that the vehicle goes on when the window hangs or dies."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base import leftovers
from simulator.base.errors import DeviceError
from simulator.view.context import display_available
from simulator.view.land import Land, land_of
from simulator.view.vehicle_geometry import checked_geometry


class ViewProcess:
    """A running view and the files it was started with."""

    def __init__(self, process: subprocess.Popen, folder: tempfile.TemporaryDirectory) -> None:
        self._process, self._folder = process, folder

    @property
    def alive(self) -> bool:
        """Is the window still there?"""
        return self._process.poll() is None

    @property
    def complaint(self) -> str:
        """What a view that ended badly said on its way out, one line; empty otherwise."""
        if self.alive or self._process.returncode == 0:
            return ""
        lines = [line for line in _read(self._folder.name, "errors.txt").splitlines() if line.strip()]
        return lines[-1] if lines else f"the view ended with code {self._process.returncode}"

    def close(self, patience: float = 2.0) -> None:
        """Wait for it to go (it goes when the host closes the view block), then end it, and remove its files."""
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()


def start_view_process(block: str, keys: str, ground: Any, geometry: Mapping[str, Any], title: str = "") -> ViewProcess:
    """Open the window in a new Python process that imports neither physics nor numba.

    Parameters
    ----------
    block, keys : names of the view block and of the key block, made by the caller
    ground : a `terrain.surface.Ground`, or a `Land` made from one
    geometry : rows of `simulator.view.vehicle_geometry.GEOMETRY`
    title : what stands in the title bar

    Raises DeviceError when there is no display, ConfigError for a wrong geometry.
    """
    if not display_available():
        raise DeviceError("window: no display found (neither DISPLAY nor WAYLAND_DISPLAY is set); expected a desktop, or use --offscreen")
    return start_process("simulator.view", [block, keys], ground, geometry, [title])


def start_process(module: str, blocks: Sequence[str], ground: Any, geometry: Mapping[str, Any], rest: Sequence[str]) -> ViewProcess:
    """Start `python -m module BLOCK KEYS LAND.npz GEOMETRY.npz rest...`; arguments as for `start_view_process`."""
    with leftovers.making():
        folder = tempfile.TemporaryDirectory(prefix="jounce-view-", ignore_cleanup_errors=True)
        leftovers.keep(folder.cleanup)
    land_file, geometry_file = Path(folder.name) / "land.npz", Path(folder.name) / "geometry.npz"
    (ground if isinstance(ground, Land) else land_of(ground)).save(land_file)
    np.savez(geometry_file, **checked_geometry(geometry))  # type: ignore[arg-type]
    command = [sys.executable, "-m", module, *blocks, str(land_file), str(geometry_file), *rest]
    root = str(Path(__file__).resolve().parents[2])
    with open(Path(folder.name) / "errors.txt", "wb") as errors:
        process = leftovers.start_child(command, cwd=root, stdin=subprocess.DEVNULL, stderr=errors)
    return ViewProcess(process, folder)


def _read(folder: str, name: str) -> str:
    path = Path(folder) / name
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
