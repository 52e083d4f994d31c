"""Command `jounce bench picture`: time of an image by level of detail, and the processor time of its parts."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from simulator.api.simulation import Simulation
from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.base.records import Record
from simulator.benchmarks.machine_info import machine
from simulator.builder.builder import view_geometry
from simulator.view.detail import LEVELS
from simulator.view.offscreen import Offscreen

WORLDS, VEHICLE = ("town", "forest"), "sedan"
CAMERAS = ("chase", "driver")
SIZE = (1280, 720)
FRAMES, WARM_UP = 40, 5


def main_bench_picture(as_json: bool) -> int:
    """Run the command. Return 0. Raises DeviceError: no EGL."""
    rows: list[dict[str, Any]] = []
    renderer = ""
    for world in WORLDS:
        sim = Simulation(VEHICLE, world, platform=None, changes={"sensors": []})
        sim.advance(0.5)
        for level in LEVELS:
            view = Offscreen(*SIZE, sim.ground, view_geometry(sim.vehicle), samples=1, detail=LEVELS[level])
            renderer = view.renderer
            view.scene.cockpit.take_turns()  # as in the window
            for camera in CAMERAS:
                rows.append({"world": world, "level": level, "camera": camera, **measure_camera(view, sim.vehicle.readout, camera)})
                if not as_json:
                    print_line(_line(rows[-1]))
            view.close()
        sim.close()
    if as_json:
        print_line(json_text({"table": "picture", "machine": machine(), "renderer": renderer, "size": SIZE, "rows": rows}))
    else:
        print_line(f"{renderer}, {SIZE[0]} x {SIZE[1]} pixels")
    return 0


def measure_camera(view: Offscreen, readout: Record, camera: str) -> dict[str, Any]:
    """Return the median times of an image of a vehicle that drives straight on from a state [ms]: "frame", "cpu", and "parts": processor
    time of each part."""
    view.camera = camera
    state = readout.copy()
    wall, cpu = [], []
    for _ in range(WARM_UP + FRAMES):
        before, used = time.perf_counter(), time.process_time()
        view.draw(state)
        view.finish()
        wall.append(time.perf_counter() - before)
        cpu.append(time.process_time() - used)
        _advance(state)
    parts: list[tuple[str, float]] = []
    last = 0.0

    def mark(part: str) -> None:
        nonlocal last
        view.finish()
        now = time.process_time()
        parts.append((part, now - last))
        last = now

    view.scene.mark = mark
    for _ in range(FRAMES):
        last = time.process_time()
        view.draw(state)
        _advance(state)
    view.scene.mark = lambda part: None
    names = list(dict.fromkeys(name for name, _ in parts))
    return {
        "frame": 1e3 * float(np.median(wall[WARM_UP:])),
        "cpu": 1e3 * float(np.median(cpu[WARM_UP:])),
        "parts": {name: 1e3 * float(np.median([spent for one, spent in parts if one == name])) for name in names},
    }


def _advance(state: Record) -> None:
    """Move the vehicle on by a frame."""
    heading = float(state[0]["yaw"])
    state[0]["time"] += 1.0 / 60.0
    state[0]["p_WB"][:2] += 0.1 * np.cos(heading), 0.1 * np.sin(heading)
    state[0]["wheel_angle"] += 0.2


def _line(row: dict[str, Any]) -> str:
    parts = ", ".join(f"{name} {spent:.1f}" for name, spent in row["parts"].items() if spent >= 0.05)
    return f"{row['world']:<8}{row['level']:<8}{row['camera']:<8}{row['frame']:7.1f} ms a frame, {row['cpu']:6.1f} ms CPU: {parts}"
