"""Pictures instead of a window: python -m simulator.view.frames BLOCK KEYS LAND.npz GEOMETRY.npz FOLDER INTERVAL.

A process like the window, attached to the same block of shared memory; it renders off the screen through EGL and writes a PNG every
INTERVAL seconds of simulated time, one camera after the other.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simulator.view.block import EXTRAS, KeyWriter, ViewReader, extras
from simulator.view.camera import CAMERAS
from simulator.view.child import run_child
from simulator.view.land import Land
from simulator.view.launch import ViewProcess, start_process
from simulator.view.offscreen import Offscreen

SIZE = (1280, 720)
LOOK = 0.02
"""s between two looks at the block."""


def write_frames(block: str, keys: str, land: Land, geometry: Mapping[str, Any], folder: str, interval: str) -> int:
    """Write pictures until the host leaves; returns how many.

    Parameters
    ----------
    block, keys : names of the view block and of the key block (only its count of frames is used)
    folder : existing folder; the files are called frame_0001_chase.png and so on
    interval : simulated time between two pictures [s]; both as they stand on the command line

    Raises
    ------
    DeviceError : no EGL, or no such block;  OutputError : the folder cannot be written
    """
    reader, writer = ViewReader(block), KeyWriter(keys)
    count, due = 0, -np.inf
    extra = extras()
    try:
        view = Offscreen(*SIZE, land, geometry)
        while not reader.closed:
            if not reader.read() or float(reader.last[0]["time"]) < due:
                time.sleep(LOOK)
                continue
            due = float(reader.last[0]["time"]) + float(interval)
            view.camera = CAMERAS[count % len(CAMERAS)]
            for name, *_ in EXTRAS:
                extra[0][name] = reader.last[0][name]
            view.render(reader.last, extra)
            count += 1
            view.save_png(Path(folder) / f"frame_{count:04d}_{view.camera}.png")
            writer.beat()
    finally:
        writer.close(closed_by_user=False)
        reader.close()
    return count


def start_pictures_process(block: str, keys: str, ground: Any, geometry: Mapping[str, Any], folder: Path, interval: float) -> ViewProcess:
    """Start `write_frames` in a new Python process; arguments as there and as for `start_view_process`."""
    return start_process("simulator.view.frames", [block, keys], ground, geometry, [str(folder.resolve()), str(interval)])


def main(arguments: list[str]) -> int:
    """Exit code 0 when the host has left, 2 with one line on stderr when no picture could be made."""
    return run_child(arguments, "BLOCK KEYS LAND.npz GEOMETRY.npz FOLDER INTERVAL", write_frames)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
