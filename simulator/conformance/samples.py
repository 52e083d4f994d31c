"""Inputs of the conformance suite: states of a vehicle, ordinary ones and extreme ones that are still legal, and a ground."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import Record, Table, record
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from vehicles.readout import READOUT

SEED = 7
"""Seed of the random inputs."""
CALLS = 120
"""Number of calls of one object in a check. Larger: faults that appear late are found, and the checks take longer."""
TYPICAL_MAGNITUDES = {
    "m": 1.0, "rad": 0.3, "m/s": 10.0, "rad/s": 10.0, "m/s2": 3.0, "rad/s2": 3.0, "N": 5e3, "N m": 300.0, "Pa": 3e6, "degC": 100.0, "1": 0.5,
}  # fmt: skip
"""Typical magnitude of a value by its unit."""
EXTREME = 30.0
"""Factor from typical to extreme magnitudes: a vehicle that flies off a cliff, not a typo."""


def random_values(table: Table, out: Record, random: np.random.Generator, factor: float) -> None:
    """Fill the floating-point fields of a record with random values of either sign, up to `factor` times the typical magnitude."""
    for name, _, unit, *_ in table:
        values = out[0][name] if out.dtype[name].shape else out[name]
        if values.dtype.kind == "f":
            values[...] = factor * TYPICAL_MAGNITUDES.get(unit, 1.0) * random.uniform(-1.0, 1.0, values.shape)


def readouts() -> list[tuple[str, Record]]:
    """Return copies of READOUT records with descriptions: at rest, driving, extreme, and at rest far from the origin."""
    return [(description, readout.copy()) for description, readout in _readouts()]


def readout_of(call: int) -> tuple[str, Record]:
    """Return the readout of a call, one of `readouts` in turn, with its description."""
    description, readout = _readouts()[call % len(_readouts())]
    return description, readout.copy()


@functools.cache
def _readouts() -> list[tuple[str, Record]]:
    random = np.random.default_rng(SEED)
    rest, far = _posed(record(READOUT), random, 0.0), _posed(record(READOUT), random, 0.0)
    far[0]["p_WB"], far[0]["time"] = (1e5, -1e5, 5e3), 1e5
    moving = [(f"driving {n + 1}", _moving(random, 1.0)) for n in range(4)]
    extreme = [(f"extreme motion {n + 1}", _moving(random, EXTREME)) for n in range(4)]
    return [("a vehicle at rest", rest), *moving, *extreme, ("a vehicle far from the origin", far)]


def _moving(random: np.random.Generator, factor: float) -> Record:
    out = record(READOUT)
    random_values(READOUT, out, random, factor)
    for name in ("throttle", "brake", "hardness"):
        out[0][name] = np.abs(random.uniform(0.0, 1.0, out.dtype[name].shape))
    out[0]["steering"], out[0]["gear"] = random.uniform(-1.0, 1.0), random.integers(-1, 6)
    out[0]["engine_speed"], out[0]["time"] = abs(out[0]["engine_speed"]) * 20.0, random.uniform(0.0, 100.0)
    return _posed(out, random, np.pi)


def _posed(out: Record, random: np.random.Generator, angle: float) -> Record:
    """Set a consistent attitude within an angle [rad], and the frames of the wheels."""
    half = 0.5 * random.uniform(-angle, angle, 3)
    (a, b, c), (d, e, f) = np.cos(half), np.sin(half)
    o = out[0]
    o["roll"], o["pitch"], o["yaw"] = 2.0 * half
    o["q_WB"] = a * b * c + d * e * f, d * b * c - a * e * f, a * e * c + d * b * f, a * b * f - d * e * c
    o["R_BK"], o["p_WC"] = np.eye(3), o["p_WB"] + o["p_BK"]
    if angle == 0.0:
        o["f_H_B"], o["hardness"], o["p_WB"] = (0.0, 0.0, STANDARD_GRAVITY), 1.0, (0.0, 0.0, 0.6)
    return out


@functools.cache
def level_ground() -> Ground:
    """Return an endless level plane."""
    return load_terrain({"type": "flat"}, "level.yaml", Path(), {})
