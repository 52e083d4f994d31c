"""Short drives of the shipped car for the tests of the cueing scores: an even road, gravel, cross-country, stops, lane changes, and
extreme inputs.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from simulator.api.simulation import Simulation
from simulator.tools.cueing.recorded_drives import Drive, read_drive

H = 2e-3
TO_THE_HILLS = {"heading_deg": 50.0}
"""From the paved straight across its shoulder."""


def _keys(seconds: float, seed: int) -> dict[str, Any]:
    """Full throttle, and keyboard steering: from one side to the other and back, or released."""
    rng = np.random.default_rng(seed)
    times, angles = [0.0], [0.0]
    while times[-1] < seconds - 3.0:
        begin = times[-1] + float(rng.uniform(0.4, 2.2))
        times += [round(begin, 2), round(begin + 0.3, 2)]
        angles += [angles[-1], float(rng.choice([-200.0, 0.0, 200.0]))]
    return {"throttle": 1.0, "steering": {"type": "table", "times_s": times, "values_deg": angles}, "lasts_s": seconds, "name": "go"}


def _steady(kph: float) -> list[dict[str, float]]:
    return [{"at_s": 0.0, "speed_kph": kph, "acceleration_mps2": 1.5}]


DRIVES: dict[str, dict[str, Any]] = {
    "even road": {
        "terrain": "jacksboro",
        "duration_s": 10.0,
        "start": {"speed_kph": 36.0},
        "segments": [{"length_m": 400.0}],
        "speed": _steady(36.0),
    },
    "gravel": {
        "terrain": "jacksboro",
        "duration_s": 14.0,
        "start": {"speed_kph": 44.0, "position_m": [1400.0, 440.0], "heading_deg": 160.6},
        "waypoints_m": [[0.0, 0.0], [180.0, 0.0], [354.0, -54.0], [548.0, -70.0]],
        "speed": _steady(44.0),
    },
    "cross-country": {
        "terrain": "jacksboro",
        "duration_s": 13.0,
        "start": {"speed_kph": 30.0, "position_m": [700.0, 200.0], "heading_deg": 100.0},
        "waypoints_m": [[0.0, 0.0], [50.0, 10.0], [95.0, 40.0], [150.0, 40.0], [200.0, 10.0]],
        "speed": _steady(30.0),
    },
    "road": {
        "terrain": "jacksboro",
        "duration_s": 16.0,
        "start": {"speed_kph": 40.0, "position_m": [0.0, -2.0]},
        "speed": [*_steady(52.0), {"at_s": 12.0, "speed_kph": 30.0, "acceleration_mps2": 2.5}],
        "lane_changes": [{"at_s": 5.0, "offset_m": 3.5, "length_m": 44.0}, {"at_s": 9.0, "offset_m": -3.5, "length_m": 40.0}],
    },
    "stops": {
        "terrain": "flat",
        "duration_s": 23.0,
        "segments": [{"length_m": 500.0}],
        "speed": [
            {"at_s": 0.5, "speed_kph": 45.0, "acceleration_mps2": 1.8},
            {"at_s": 9.0, "speed_kph": 10.0, "acceleration_mps2": 4.0},
            {"at_s": 13.0, "speed_kph": 40.0, "acceleration_mps2": 2.0},
            {"at_s": 19.0, "speed_kph": 0.0, "acceleration_mps2": 4.5},
        ],
    },
    "lane changes": {
        "terrain": "flat",
        "duration_s": 18.0,
        "start": {"speed_kph": 55.0},
        "speed": _steady(55.0),
        "lane_changes": [
            {"at_station_m": 50.0, "offset_m": 3.5, "length_m": 40.0},
            {"at_station_m": 115.0, "offset_m": -3.5, "length_m": 40.0},
            {"at_station_m": 190.0, "offset_m": -3.0, "length_m": 36.0},
            {"at_station_m": 250.0, "offset_m": 3.0, "length_m": 40.0},
        ],
    },
    "no mercy": {"terrain": "jacksboro", "duration_s": 16.0, "start": TO_THE_HILLS, "phases": [_keys(16.0, 8)]},
}
"""By name: the maneuver of a drive, less what all have."""

SCORED = ("road", "gravel", "cross-country", "stops", "lane changes")


@functools.cache
def short_drive(name: str) -> Drive:
    """What the driver's head goes through, in rows of H."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "maneuver.yaml"
        file.write_text(yaml.safe_dump({"name": name.replace(" ", "_"), "vehicle": "hmmwv", "seed": 1, **DRIVES[name]}))
        simulation = Simulation(maneuver=str(file), channels=("time", "f_H_B", "w_WB_B"), log_rate=round(1.0 / H))
        simulation.run()
        log = Path(folder) / "telemetry.parquet"
        simulation.log.save(log)
        return read_drive(log, H)
