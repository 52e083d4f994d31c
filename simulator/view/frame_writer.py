"""Images instead of a window: python -m simulator.view.frame_writer BLOCK KEYS TERRAIN.npz GEOMETRY.npz FOLDER INTERVAL.

The process reads the same block of shared memory as the window. It renders offscreen through EGL and writes a PNG file every INTERVAL
seconds of simulated time, with alternating cameras.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simulator.view.camera_names import CAMERAS
from simulator.view.drive_lock import DriveLock, HostWatch
from simulator.view.launch import ViewProcess, start_process
from simulator.view.object_follower import ObjectFollower
from simulator.view.offscreen import Offscreen
from simulator.view.shared_keys import KeyWriter
from simulator.view.shared_state import EXTRAS, ViewReader, extras
from simulator.view.terrain_data import TerrainData
from simulator.view.view_process import run_child

SIZE = (1280, 720)
LOOK = 0.02
"""s between two checks of the block."""
UNFINISHED = "frame_*.png.new"
"""Pattern of the files of unfinished images."""


def write_frames(
    block: str, keys: str, terrain: TerrainData, geometry: Mapping[str, Any], host: HostWatch, folder: str, interval: str
) -> int:
    """Write images until the host leaves; return their number.

    When the host leaves, the last state is drawn with every camera that has not drawn yet, so that even a short drive on a slow machine
    leaves images.

    Parameters
    ----------
    block, keys : names of the view block and of the key block (only its count of frames is used)
    host : watch on the host process; if the host has crashed, no further image is drawn
    folder : existing folder; the files are named frame_0001_chase.png and so on
    interval : simulated time between two images [s]; folder and interval as on the command line

    Raises
    ------
    DeviceError : no EGL, or the block does not exist;  OutputError : the folder cannot be written
    """
    reader, writer = ViewReader(block), KeyWriter(keys)
    try:
        objects, view = ObjectFollower(reader, host.folder), Offscreen(*SIZE, terrain, geometry)
        from simulator.view.inset_renderer import Insets

        view.scene.hud.insets = Insets.of_drive(host.folder)
        view.scene.show_ghost(host.folder)
        pictures = _Images(reader, writer, view, Path(folder), objects)
        while not (reader.closed or host.gone):
            if not pictures.draw(float(interval)):
                time.sleep(LOOK)
        if not host.gone:
            pictures.finish()
        if view.scene.hud.insets is not None:
            view.scene.hud.insets.close()
    finally:
        writer.close(closed_by_user=False)
        reader.close()
    return pictures.count


class _Images:
    """Images of the states in a view block, with alternating cameras."""

    def __init__(self, reader: ViewReader, writer: KeyWriter, view: Offscreen, folder: Path, objects: ObjectFollower) -> None:
        self.objects = objects
        self.reader, self.writer, self.view, self.folder = reader, writer, view, folder
        self.count, self.drawn = 0, -np.inf
        self._extra = extras()

    def draw(self, interval: float) -> bool:
        """Draw the latest state if it is later than the last image by `interval`, or earlier after a reset; return whether it was drawn."""
        self.reader.read()
        now = float(self.reader.last[0]["time"])
        if not self.reader.published or 0.0 <= now - self.drawn < interval:
            return False
        self.drawn = now
        while len((tiles := self.reader.new_ruts()).places):
            self.view.scene.show_ruts(tiles)
        self.objects.update(self.view.scene)
        self.view.scene.place_vehicles(self.reader.vehicles)
        self.view.camera = CAMERAS[self.count % len(CAMERAS)]
        for name, *_ in EXTRAS:
            self._extra[0][name] = self.reader.last[0][name]
        self.view.render(self.reader.last, self._extra)
        self.count += 1
        self.view.save_png(self.folder / f"frame_{self.count:04d}_{self.view.camera}.png")
        self.writer.beat()
        return True

    def finish(self) -> None:
        """Draw the last state if it is new, and with every camera that has not drawn yet."""
        self.draw(1e-9)
        while self.count < len(CAMERAS) and self.draw(0.0):
            pass


def start_pictures_process(
    block: str, keys: str, ground: Any, geometry: Mapping[str, Any], folder: Path, interval: float, drive_lock: DriveLock | None = None
) -> ViewProcess:
    """Start `write_frames` in a new Python process; arguments as for `write_frames` and `start_view_process`."""
    return start_process("simulator.view.frame_writer", [block, keys], ground, geometry, [str(folder.resolve()), str(interval)], drive_lock)


def main(arguments: list[str]) -> int:
    """Return exit code 0 when the host has left, 2 with one line on stderr when no image could be written."""
    return run_child(arguments, "BLOCK KEYS TERRAIN.npz GEOMETRY.npz FOLDER INTERVAL", write_frames)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
