"""State of a drive that its sound is made of: one record per 10 ms, from the session or from the columns of a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from simulator.sound.surfaces import Surfaces
from vehicles.sound_section import MAX_WHEELS

SOUND_INPUT = (
    # name             shape            unit     description
    ("engine_speed", (), "rad/s", "crankshaft speed; speed of the fastest motor"),
    ("engine_torque", (), "N m", "torque of the engine on its crankshaft"),
    ("throttle", (), "1", "accelerator pedal"),
    ("gear", (), "1", "gear engaged, -1 reverse, 0 neutral", "i8"),
    ("starter", (), "1", "1: the ignition key is turned to start the engine", "i8"),
    ("speed", (), "m/s", "speed of the chassis"),
    ("wheel_spin", (MAX_WHEELS,), "rad/s", "angular velocity of each wheel"),
    ("drive_torque", (MAX_WHEELS,), "N m", "torque of the half shafts"),
    ("slip_ratio", (MAX_WHEELS,), "1", "longitudinal slip"),
    ("slip_angle", (MAX_WHEELS,), "rad", "slip angle"),
    ("F_C", (MAX_WHEELS, 3), "N", "force of the ground on each tire, in the contact frame"),
    ("hardness", (MAX_WHEELS,), "1", "fraction of hard ground under each tire"),
    ("loose", (MAX_WHEELS,), "1", "looseness of the surface under each tire, 1 = gravel"),
    ("sinkage", (MAX_WHEELS,), "m", "sinkage of each wheel into the soil"),
    ("tire_deflection", (MAX_WHEELS,), "m", "radial deflection of each tire"),
    ("spring_length", (MAX_WHEELS,), "m", "length of each spring"),
    ("contact_force", (), "N", "force of objects and of the ground on the body"),
    ("rain", (), "m/s", "rain rate"),
    ("horn", (), "1", "1 while the horn is pressed", "i8"),
    ("inside", (), "1", "1: heard by the driver, 0: from outside", "i8"),
    ("silent", (), "1", "1 in a pause and while muted", "i8"),
    ("volume", (), "1", "volume, 0 to 1"),
    ("jumps", (), "1", "number of times that the vehicle was put to another place", "i8"),
)
"""State of a drive at one time."""
WHEEL_FIELDS = (
    "wheel_spin", "drive_torque", "slip_ratio", "slip_angle", "hardness", "sinkage", "tire_deflection", "spring_length", "F_C",
)  # fmt: skip
"""Fields of READOUT with a row for each wheel."""
NEEDED = (
    *("time", "engine_speed", "engine_torque", "throttle", "gear", "command_starter", "v_WB_B", "p_WC", *WHEEL_FIELDS),
    *("resets", "paused"),
)
"""Fields of a log that the sound needs."""
CONTACTS = ("body_contact_force_B", "collision_force_B")
"""Fields of a log with forces on the body, if it has them."""


def fill_input(readout: Record, starter: int, surfaces: Surfaces, out: Record) -> None:
    """Copy the record READOUT of a vehicle on a ground into a record SOUND_INPUT; the other fields are left."""
    r, x = readout[0], out[0]
    for name in ("engine_speed", "engine_torque", "throttle", "gear"):
        x[name] = r[name]
    x["starter"] = starter
    v = r["v_WB_B"]
    x["speed"] = float(np.sqrt(v @ v))
    count = min(len(r["wheel_spin"]), MAX_WHEELS)
    for name in WHEEL_FIELDS:
        x[name][:count] = r[name][:count]
    x["loose"][:count] = surfaces.looseness(r["p_WC"][:count, 0], r["p_WC"][:count, 1])


def inputs_of_log(columns: Mapping[str, NDArray[Any]], surfaces: Surfaces) -> Record:
    """Return the records SOUND_INPUT of all rows of a log: fields by name, (n,) or (n, k)."""
    rows = len(columns["time"])
    out = record(SOUND_INPUT, rows)
    for name in ("engine_speed", "engine_torque", "throttle", "gear"):
        out[name] = columns[name]
    out["starter"] = columns["command_starter"]
    out["speed"] = np.linalg.norm(columns["v_WB_B"], axis=1)
    count = min(columns["wheel_spin"].shape[1], MAX_WHEELS)
    for name in WHEEL_FIELDS:
        out[name][:, :count] = columns[name].reshape(rows, -1, *out[name].shape[2:])[:, :count]
    points = columns["p_WC"].reshape(rows, -1, 3)[:, :count]
    out["loose"][:, :count] = surfaces.looseness(points[:, :, 0], points[:, :, 1])
    for name in CONTACTS:
        if name in columns:
            out["contact_force"] += np.linalg.norm(columns[name], axis=1)
    out["jumps"], out["silent"] = columns["resets"], columns["paused"]
    return out


def resampled(inputs: Record, period: float, new_period: float) -> Record:
    """Return records at another period [s], see `interpolated`."""
    count = max(1, round(len(inputs) * period / new_period))
    return interpolated(inputs, np.minimum(np.arange(count) * (new_period / period), len(inputs) - 1))


def interpolated(inputs: Record, at: NDArray[np.float64]) -> Record:
    """Return records at rows `at`, which may lie between two rows: linear there; integers of the row before."""
    rows = at.astype(int)
    following, share = np.minimum(rows + 1, len(inputs) - 1), at - rows
    same = inputs["jumps"][rows] == inputs["jumps"][following]
    out = inputs[rows].copy()
    for name in inputs.dtype.names or ():
        if inputs.dtype[name].base.kind == "f":
            a, b = inputs[name][rows], inputs[name][following]
            shape = (-1, *(1,) * (a.ndim - 1))
            out[name] = a + (share * same).reshape(shape) * (b - a)
    return out
