"""Short fixed drives whose end states are recorded (`recorded_states.json`), to detect every change of the vehicle model.

They start from the design position, in motion and slightly above the ground: no start state comes from an iteration of NumPy, whose
last digits depend on the build.
"""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

import llvmlite.binding as llvm
import numba
import numpy as np

from simulator.builder.builder import build_vehicle
from terrain.composite_height import composed_height_and_normal
from terrain.ground import GroundArrays
from tests.laws.vehicle_rig import command, drive, ground
from vehicles.drivetrain.drivetrain import drivetrain_reset
from vehicles.vehicle import Vehicle

FILE = Path(__file__).with_name("recorded_states.json")

SECONDS = 0.5
SPEED = 8.0
"""m/s at the start."""
HEIGHT = 0.02
"""m. Approximate drop height of the wheels."""

ELSEWHERE = 1e-12
"""Maximum `difference` on a platform without a record."""

DRIVES = {
    # name: vehicle, suspension, ground, position x, y [m] of the reference point
    "flat": ("hmmwv", None, "flat", (0.0, 0.0)),
    "hills": ("hmmwv", None, "jacksboro", (300.0, 300.0)),
    "five_link": ("five_link_rear", None, "flat", (0.0, 0.0)),
    "tables": ("hmmwv", "table", "flat", (0.0, 0.0)),
    # rigid half shafts, no lag of the engine: the state of "flat" before there was either
    "rigid": (str(Path(__file__).with_name("hmmwv_rigid.yaml")), None, "flat", (0.0, 0.0)),
}


def end_state(name: str) -> dict[str, list[float]]:
    """Return the numbers of the state, by its fields, after a drive of DRIVES."""
    vehicle_name, suspension, terrain, (x, y) = DRIVES[name]
    vehicle, on = build_vehicle(vehicle_name, suspension=suspension), ground(terrain)
    _start(vehicle, on, x, y)
    drive(vehicle, terrain, command(throttle=0.5, steering=0.15, selector=1), SECONDS)
    state = vehicle.space.state[0]
    return {field: np.ravel(state[field]).tolist() for field in sorted(state.dtype.names)}


def _start(vehicle: Vehicle, on: GroundArrays, x: float, y: float) -> None:
    """Place the vehicle in first gear and in motion, with the lowest wheel HEIGHT above the ground."""
    vehicle.place(np.array([x, y, 0.0]), 0.0, 0.0, 0.3)
    state, radius = vehicle.space.state[0], vehicle.model.tires["radius"]
    normal = np.empty(3)
    c, s = np.cos(0.3), np.sin(0.3)
    hubs = vehicle.space.kinematics[0]["W"]
    under = [
        composed_height_and_normal(on, x + c * hubs[0, i] - s * hubs[1, i], y + s * hubs[0, i] + c * hubs[1, i], normal) for i in range(4)
    ]
    state["p_WB"][2] = max(under[i] + radius[i] - hubs[2, i] for i in range(4)) + HEIGHT
    state["v_WB_B"][0] = SPEED
    state["wheel_spin"] = SPEED / radius
    drivetrain_reset(vehicle.model.drivetrain, vehicle.space.drivetrain, state["wheel_spin"], 1)


def difference(state: dict[str, list[float]], other: dict[str, list[float]]) -> float:
    """Return the maximum difference of two states, over the largest number of the field or 1; infinite if their fields differ."""
    if {field: len(values) for field, values in state.items()} != {field: len(values) for field, values in other.items()}:
        return np.inf
    return max(float(np.abs(np.subtract(values, other[field])).max() / max(1.0, np.abs(values).max())) for field, values in state.items())


def hash_of(state: dict[str, list[float]]) -> str:
    """Return the SHA-256 of all bits of a state, with the names of its fields."""
    digest = hashlib.sha256()
    for field, values in state.items():
        digest.update(field.encode() + np.array(values).tobytes())
    return digest.hexdigest()


def this_platform() -> str:
    """Return the factors on which the bits of a state may depend: processor as seen by the compiler, compiler, and math library."""
    compiler = (
        f"numba {numba.__version__}, LLVM {'.'.join(map(str, llvm.llvm_version_info))}" if not numba.config.DISABLE_JIT else "no compiler"
    )  # type: ignore[attr-defined]
    return ", ".join((platform.machine(), numba.config.CPU_NAME or llvm.get_host_cpu_name(), compiler, " ".join(platform.libc_ver())))  # type: ignore[attr-defined]
