"""Folder of a run with a made-up log and sensor data: a pause, a restart, values that are missing, long and foreign names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from simulator.sensors.messages.cdr import encode
from simulator.sensors.messages.definitions import IMU, TRANSFORMS
from simulator.sensors.messages.navigation import imu
from simulator.sensors.messages.topic import Frame, pose, transform
from simulator.telemetry.channels import Channel
from simulator.telemetry.parquet import write_groups
from simulator.telemetry.sensor_file.writer import MessageWriter

TITLE = "Größe 大"
LONG = "a_rather_long_name_of_a_column_that_no_format_of_other_programs_can_hold_"
FIRST = np.array([0.0, 0.01, 0.02, 0.02, 0.03, 0.04])
"""Times of the first start, with a pause."""
SECOND = np.array([0.0, 0.01, 0.02])
MEANING = {"v_WB_B_x": 'Geschwindigkeit 速度, "längs"', "p_WB_x": "position"}
POSE = [f"{field}_{axis}" for field, axes in (("p_WB", "xyz"), ("q_WB", "wxyz"), ("v_WB_B", "xyz"), ("w_WB_B", "xyz")) for axis in axes]


def columns(rows: int) -> dict[str, tuple[str, str, np.ndarray]]:
    """Return unit, frame and values of each column but the time."""
    k = np.arange(rows, dtype=float)
    out = {name: ("m", "W", k + n) for n, name in enumerate(POSE)}
    out |= {"q_WB_w": ("1", "W", np.ones(rows)), **{f"q_WB_{axis}": ("1", "W", np.zeros(rows)) for axis in "xyz"}}
    out["v_WB_B_x"] = ("m/s", "B", np.where(k == 1, np.nan, 10.0 + k))
    out["gear"] = ("1", "", np.arange(rows) - 1)
    out["empty"] = ("N", "", np.full(rows, np.nan))
    out["end"] = ("1", "", k)
    out[LONG + "left"], out[LONG + "right"] = ("rad", "", k), ("rad", "", -k)
    out["imu_f_S_x"] = ("m/s2", "S", np.floor(0.5 * k))
    return out


def make_run(folder: Path, starts: tuple[np.ndarray, ...] = (FIRST, SECOND), sensors: bool = True) -> Path:
    """Write the log, the events and the sensor data of a run with these starts into a new folder, and return it."""
    folder.mkdir()
    time = np.concatenate((*starts, np.zeros(0)))
    given = {"time": ("s", "", time), **columns(len(time)), "imu_sampled": ("s", "", np.floor(50.0 * time + 1e-9) / 50.0)}
    described = [
        Channel(name, unit, frame, MEANING.get(name, "meaning"), values.dtype, 0, False, name[:-2] if name in POSE else name)
        for name, (unit, frame, values) in given.items()
    ]
    about = {
        "started": "2026-11-29T18:15:14.066+00:00",
        "version": "0.2.0",
        "vehicle": "sedan",
        "terrain": "flat",
        "title": TITLE,
        "ended": "well",
    }
    groups = [{name: values[a : a + 4] for name, (_, _, values) in given.items()} for a in range(0, max(1, len(time)), 4)]
    write_groups(folder / "telemetry.parquet", described, groups, about)
    events = [("pause", True, 2, 0.02), ("reset", None, 5, 0.0), ("bookmark", TITLE, 7, 0.01)]
    head = [json.dumps({"format": "jounce events", "version": 1})]
    lines = [json.dumps({"kind": kind, "value": value, "origin": "window", "tick": tick, "time_s": at}) for kind, value, tick, at in events]
    (folder / "events.jsonl").write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")
    if sensors:
        for number, times in enumerate(starts, 1):
            write_sensors(folder / f"sensors{f'-{number}' if number > 1 else ''}.mcap", times)
    return folder


def write_sensors(file: Path, times: np.ndarray) -> None:
    """Write frames, poses and measurements of an IMU."""
    out = MessageWriter(file)
    numbers = {
        "/tf": out.add_channel("/tf", TRANSFORMS, {}), "/tf_static": out.add_channel("/tf_static", TRANSFORMS, {}, latched=True),
        "/imu/data": out.add_channel("/imu/data", IMU, {"sensor": "imu", "kind": "imu", "rate_hz": "50"}),
    }  # fmt: skip
    static = transform(0.0, Frame("imu", "base_link", np.zeros(3), np.eye(3)))
    out.write(numbers["/tf_static"], 0, 0, [encode(TRANSFORMS, {"transforms": [static]})])
    for k, time in enumerate(np.unique(times)):
        at = round(1e9 * time)
        moving = pose(time, "odom", "base_link", (10.0 * time, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        out.write(numbers["/tf"], at, at, [encode(TRANSFORMS, {"transforms": [moving]})])
        out.write(numbers["/imu/data"], at + 5_000_000, at, [encode(IMU, imu(time, "imu", (k, 0.0, 9.81), (0.0, 0.0, 0.1)))])
    out.finish({})
