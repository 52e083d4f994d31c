"""Process that renders the cameras of a session: python -m simulator.view.camera_worker STATES IMAGES TERRAIN.npz GEOMETRY.npz.

`simulator.view.camera_process` starts it. It renders the state in the block STATES with the camera in the block IMAGES whenever the host writes a
byte to its standard input, and answers with a byte. It ends when the host closes the pipe.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.records import record
from simulator.view.camera_block import CameraBlock
from simulator.view.camera_images import CAMERA, CameraImages
from simulator.view.drive_lock import HostWatch
from simulator.view.object_follower import ObjectFollower
from simulator.view.shared_state import ViewReader
from simulator.view.terrain_data import TerrainData
from simulator.view.view_process import run_child

NICE = 5
"""Lower priority of this process: a software renderer takes all cores."""
READY = b"r"
"""Byte in both directions: render; rendered, or ready to render."""


def render_cameras(states: str, images: str, terrain: TerrainData, geometry: Mapping[str, Any], host: HostWatch) -> None:
    """Render until the host closes the pipe. Raises DeviceError: no EGL, or a block does not exist."""
    _yield_to_ticks()
    answers = os.dup(1)
    os.dup2(2, 1)  # what a graphics driver prints is no answer
    reader, block = ViewReader(states), CameraBlock(images)
    try:
        view = CameraImages(terrain, geometry)
        objects = ObjectFollower(reader, host.folder)
        block.request[0]["renderer"] = view.renderer.encode()
        _warm_up(view, reader)
        os.write(answers, READY)
        while os.read(0, 1):
            _render(view, reader, block, objects)
            os.write(answers, READY)
    finally:
        block.close()
        reader.close()


def _yield_to_ticks() -> None:
    """Leave the processor to the ticks: no real-time priority, which the host may have passed on, and a lower priority than other processes."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.nice(NICE)


def _render(view: CameraImages, reader: ViewReader, block: CameraBlock, objects: ObjectFollower) -> None:
    """Render the last state for the request in the block."""
    reader.read()
    r = block.request[0]
    if r["smooth"]:
        view.scene.smooth_out()
    while len((tiles := reader.new_ruts()).places):
        view.scene.show_ruts(tiles)
    objects.update(view.scene)
    view.scene.place_vehicles(reader.vehicles)
    camera = record(CAMERA)
    for name, *_ in CAMERA:
        camera[0][name] = r[name]
    images = view.render(camera, r["p_WC"], r["R_WC"], reader.last, bool(r["color"]), bool(r["numbers"]))
    block.images.write(images)


def _warm_up(view: CameraImages, reader: ViewReader) -> None:
    """Render once in each way: drivers compile shaders at their first use, which takes seconds."""
    camera = record(CAMERA)
    camera[0]["width"] = camera[0]["height"] = 16
    camera[0]["focal"], camera[0]["center"] = 8.0, 7.5
    for inside in (0, 1):
        camera[0]["inside"], camera[0]["shows_vehicle"] = inside, 1
        view.render(camera, np.array((0.0, 0.0, 2.0)), np.array(((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0))), reader.last)


def main(arguments: list[str]) -> int:
    """Return exit code 0 when the host has left, 2 with one line on stderr when no image can be rendered."""
    return run_child(arguments, "STATES IMAGES TERRAIN.npz GEOMETRY.npz", render_cameras)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
