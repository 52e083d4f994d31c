"""The shipped vehicle on a shipped ground under a constant command; shared by the tests of the complete step."""

from __future__ import annotations

from functools import cache

import numpy as np

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.builder.builder import build_ground, build_vehicle, data_folder, read_yaml
from terrain.ground import GroundArrays
from terrain.load_terrain import load_terrain
from vehicles.command import COMMAND
from vehicles.step import vehicle_step
from vehicles.vehicle import Vehicle

H = 1e-3


@cache
def ground(name: str) -> GroundArrays:
    """Return the kernel arrays of a ground: a shipped terrain, or "SURFACE PERCENT", an endless plane that rises along x."""
    surface, _, grade = name.partition(" ")
    if grade:
        soils = {path.stem: read_yaml(path) for path in (data_folder("configs") / "soils").glob("*.yaml")}
        kind = "soil" if soils[surface]["type"] == "soil" else "surface"
        g = load_terrain({"type": "flat", kind: surface, "grade_percent": float(grade)}, name, data_folder("assets"), soils)
    else:
        g = build_ground(name)
    return g.arrays


def standing(vehicle: str, on: str, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, gear: int = 0) -> Vehicle:
    """Return a vehicle settled at rest."""
    v = build_vehicle(vehicle)
    v.reset(ground(on), x, y, yaw, gear)
    return v


def led(vehicle: Vehicle) -> Vehicle:
    """Return the vehicle, its steering arm led by the input: the column does not twist."""
    vehicle.model.steering[0]["free"] = 0
    return vehicle


def command(**values: float) -> Record:
    """Return a COMMAND record; other fields are zero."""
    c = record(COMMAND)
    for name, value in values.items():
        c[0][name] = value
    return c


def drive(vehicle: Vehicle, on: str, c: Record, seconds: float, h: float = H) -> None:
    """Take steps under a constant command."""
    steps(round(seconds / h), vehicle.model, vehicle.space, ground(on), c, h)


def track(vehicle: Vehicle, on: str, c: Record, seconds: float, h: float = H, every: int = 10) -> Record:
    """Take steps as in `drive`; return STATE records after every so many steps, the first before the first step."""
    n = round(seconds / h) // every
    states = np.zeros(n + 1, vehicle.space.state.dtype)
    states[0] = vehicle.space.state[0]
    for k in range(n):
        steps(every, vehicle.model, vehicle.space, ground(on), c, h)
        states[k + 1] = vehicle.space.state[0]
    return states


@kernel
def steps(n, m, s, on, c, h):
    """Take n steps with one command."""
    for _ in range(n):
        vehicle_step(m, s, on, c, h)


def image(vehicle: Vehicle, shown: bool = True) -> bytes:
    """Return all bits of a vehicle's state and results; `shown` False: without the points computed for the view."""
    space = vehicle.space if shown else vehicle.space._replace(points=np.zeros(0))
    return b"".join(part.tobytes() for part in (*space.of_its_own(), *space.blocks))


def logged(vehicle, prefix: str):
    """The logged record of a part of the vehicle, (1,)."""
    (state,) = [state for one, _, state in vehicle.logged if one == prefix]
    return state
