"""Choice of the level of detail by a measurement: images of the world are drawn for about two seconds before the first drive."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from simulator.base.records import Record, record, sized
from simulator.view.detail import LEVELS
from simulator.view.shared_state import STATE
from simulator.view.terrain_data import TerrainData

SECONDS, FRAMES, WARM_UP = 0.7, 40, 3
"""s and number of frames after which the measurement of a level ends, and frames before it, in which drivers compile."""
FIRST_CAMERAS = ("driver", "suspension", "platform")
"""Cameras that draw other things than the chase camera."""
IN_TIME = 1.0 / 60.0
"""s. A level is in time if its frames take less than this: the drive itself needs the processor, too."""


def measured_scene(terrain: TerrainData, geometry: Mapping[str, Any], first: str, size: tuple[int, int]) -> tuple[Any, str]:
    """Return the scene with the finest level that is drawn in time, and the name of this level; the lowest one if none is.

    Parameters
    ----------
    first : name of the level to begin with
    size : pixels of the images, which are drawn into the window
    """
    from simulator.view.scene import Scene  # needs a context

    names = list(LEVELS)

    def made(level: str) -> tuple[Any, float]:
        scene = Scene(terrain, geometry, detail=LEVELS[level])
        return scene, frame_time(scene, state_at_start(terrain, geometry), size)

    return finest_in_time(names, names.index(first), made)


def finest_in_time(names: list[str], number: int, made: Callable[[str], tuple[Any, float]]) -> tuple[Any, str]:
    """Return the result of `made` for the finest level in time, and its name. made(name) returns a result and its frame time [s]."""
    best, seconds = made(names[number])
    while seconds >= IN_TIME and number > 0:
        number -= 1
        best, seconds = made(names[number])
        if seconds < IN_TIME:
            return best, names[number]  # the next finer one was too slow
    while seconds < IN_TIME and number + 1 < len(names):
        finer, seconds = made(names[number + 1])
        if seconds < IN_TIME:
            best, number = finer, number + 1
    return best, names[number]


def frame_time(scene: Any, state: Record, size: tuple[int, int]) -> float:
    """Return the median time of a frame of the present window [s]."""
    from pyglet import gl

    times: list[float] = []
    began = time.perf_counter()
    while len(times) < WARM_UP + FRAMES and (len(times) <= WARM_UP or time.perf_counter() - began < SECONDS):
        before = time.perf_counter()
        scene.draw(state, 0.0, 0, *size)
        gl.glFinish()
        times.append(time.perf_counter() - before)
        began = time.perf_counter() if len(times) == WARM_UP else began
    return float(np.median(times[WARM_UP:]))


def draw_all_once(scene: Any, state: Record, size: tuple[int, int]) -> None:
    """Draw an image of each camera whose programs differ: drivers compile a program at its first use, which would delay a frame of the drive."""
    kind = scene.camera.kind
    for other in FIRST_CAMERAS:
        scene.camera.kind = other
        scene.cut()
        scene.draw(state, 0.0, 0, *size)
    scene.camera.kind = kind
    scene.cut()


def state_at_start(terrain: TerrainData, geometry: Mapping[str, Any]) -> Record:
    """Return a state with the vehicle at rest on the origin of the terrain."""
    state = record(sized(STATE, wheels=len(np.atleast_1d(geometry["tire_radius"]))))
    state[0]["q_WB"][0] = state[0]["q_platform"][0] = 1.0
    state[0]["R_BK"] = np.eye(3)
    state[0]["p_WB"] = 0.0, 0.0, terrain.height(0.0, 0.0) + 0.7
    return state
