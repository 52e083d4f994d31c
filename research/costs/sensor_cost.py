"""Command `python -m research bench sensors`: cost of the sensors of a run without a window, on this machine.

A vehicle drives over a map of 2 km with objects, first without sensors, then with each set of them. The cost of a set is the wall time that it
adds to a second of simulated time; sensors compute next to the vehicle where a second core is free. Nothing is recorded.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.api.simulation import Simulation
from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.benchmarks.machine_info import machine

VEHICLE, TERRAIN = "hmmwv", "jacksboro"
OBJECTS = 200
SECONDS = 5.0
"""s of simulated time of one repeat."""
THROTTLE = 0.3

LIDAR = {"type": "lidar", "preset": "vlp_16", "mount": {"position": [-0.5, 0.0, 1.6]}}
CAMERA = {"type": "camera", "preset": "vga", "rate": 10, "mount": {"position": [1.0, 0.0, 1.4]}}
DEPTH = {"type": "camera", "name": "depth", "preset": "vga", "rate": 10, "images": ["depth"], "depth_from": "rays"}
SMALL = ["gnss", {"type": "imu", "preset": "industrial", "rate": 200}, "wheel_encoder", "steering_angle"]
SETS: Mapping[str, Sequence[Any]] = {
    "none": (),
    "lidar VLP-16 at 10 Hz": (LIDAR,),
    "camera 640x480, color, at 10 Hz": (CAMERA,),
    "camera 640x480, depth by rays, at 10 Hz": (DEPTH,),
    "GNSS, IMU, encoders, steering angle": SMALL,
    "lidar, color camera, GNSS, IMU, encoders, steering angle": (LIDAR, CAMERA, *SMALL),
}


def measure(repeats: int) -> dict[str, Any]:
    """Return for each set of SETS the wall time [s] of a simulated second: {"seconds": {name: median}, "machine": {...}}."""
    return {"seconds": {name: _cost(sensors, repeats) for name, sensors in SETS.items()}, "machine": machine()}


def _cost(sensors: Sequence[Any], repeats: int) -> float:
    area = {"x": [-400, 400], "y": [-400, 400], "clearance": 8, "seed": 1}
    posts = {
        "type": "scatter",
        "shape": "cylinder",
        "radius": [0.2, 0.5],
        "height": [2, 8],
        "label": "post",
        "density_pha": 1e4 * OBJECTS / 800.0**2,
        **area,
    }
    sim = Simulation(VEHICLE, TERRAIN, sensors=sensors, changes={"terrain.object_generators": [posts]}, channels=["time"])
    sim.command(throttle=THROTTLE)
    sim.advance(1.0)  # the first measurements start processes and load kernels
    costs = []
    for _ in range(repeats):
        began = time.perf_counter()
        sim.advance(SECONDS)
        costs.append((time.perf_counter() - began) / SECONDS)
    sim.session.close()
    return statistics.median(costs)


def main_bench_sensors(repeats: int, to_json: bool) -> int:
    """Run `python -m research bench sensors`. Return 0."""
    found = measure(repeats)
    if to_json:
        print(json_text(found))
        return 0
    alone = found["seconds"]["none"]
    print_line(f"{VEHICLE} on {TERRAIN} with {OBJECTS} objects; median of {repeats} times {SECONDS:g} s")
    for name, cost in found["seconds"].items():
        print_line(f"  {name:58} {1.0 / cost:6.1f} times real time, {1e3 * (cost - alone):6.0f} ms more per simulated second")
    return 0
