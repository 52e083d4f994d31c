"""Do GNSS, IMU and encoders agree with the drive, lose the sky under a roof, and repeat?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.api.simulation import Simulation
from simulator.sensors.measurement import Measurement

TERRAIN = """
type: flat
latitude_deg: 60.0
longitude_deg: 10.0
objects:
  - {name: roof, shape: box, position: [20, 0, 4], size: [14, 40, 0.2]}
"""
SENSORS: list[dict[str, Any]] = [
    {"type": "gnss", "preset": "rtk"},
    {"type": "gnss", "name": "exact", "preset": "ideal", "latency": 0.0},
    {"type": "wheel_encoder"},
    {"type": "imu", "preset": "industrial"},
]
RADIUS, LATITUDE = 6_378_137.0, math.radians(60.0)


def driven(terrain: Path, seconds: float) -> tuple[dict[str, list[Measurement]], list[np.ndarray]]:
    """Return the measurements by sensor, and the positions at those of `exact`, of a drive along x from rest."""
    sim = Simulation("hmmwv", str(terrain), sensors=SENSORS)
    sim.command(throttle=0.6)
    found: dict[str, list[Measurement]] = {name: [] for name in ("gnss", "exact", "wheel_encoder", "imu")}
    places: list[np.ndarray] = []
    for name, one in found.items():
        sim.on_measurement(name, one.append)
    sim.on_measurement("exact", lambda _: places.append(np.array(sim["p_WB"])))
    sim.advance(seconds)
    return found, places


@pytest.mark.slow
def test_the_sensors_of_a_drive_under_a_roof(tmp_path: Path) -> None:
    terrain = tmp_path / "bridge.yaml"
    terrain.write_text(TERRAIN)
    found, places = driven(terrain, 9.0)
    exact = [one.values[0] for one in found["exact"]]
    seen = [not math.isnan(one["latitude_deg"]) for one in exact]
    assert seen[0]
    assert seen[-1]
    assert 5 <= seen.count(False) <= 40
    for o, p in zip(exact, places, strict=True):
        if o["quality"]:
            east = (
                math.radians(o["longitude_deg"] - 10.0) * RADIUS / math.sqrt(1 - 0.00669438 * math.sin(LATITUDE) ** 2) * math.cos(LATITUDE)
            )
            assert east == pytest.approx(p[0], abs=1e-3)
    assert {one["quality"] for one in (m.values[0] for m in found["gnss"])} == {0, 4, 5}
    assert [one.delivered - one.time for one in found["gnss"]] == pytest.approx([0.1] * len(found["gnss"]))
    last = found["wheel_encoder"][-1].values[0]
    radius = places[-1][0] / (2.0 * math.pi / 48 * last["counts"].mean())
    assert radius == pytest.approx(0.464, abs=0.01)  # m, rolling radius of the tires
    assert exact[-1]["velocity"][0] == pytest.approx(radius * last["speed"].mean(), rel=0.03)
    again, _ = driven(terrain, 1.0)
    for name, measurements in again.items():
        assert [one.values.tobytes() for one in measurements] == [one.values.tobytes() for one in found[name][: len(measurements)]]
