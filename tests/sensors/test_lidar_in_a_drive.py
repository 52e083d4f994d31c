"""Does a lidar on a vehicle scan what the vehicle passes, and is a drive with it repeated to the bit?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from simulator.base.errors import JounceError
from simulator.sensors.lidar.sensor import KIND
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.point_cloud import points_of

WALL = """
name: wall
type: flat
surface: asphalt
objects:
  - {name: wall, shape: box, size: [1, 200, 20], position: [30.5, 0, 5], label: building, reflectance: 0.6}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wall.yaml").write_text(WALL)
    (tmp_path / "three.csv").write_text("elevation_deg,time_offset_us\n-10,0\n0,20\n3,40\n")
    return tmp_path


def drive(folder: Path, **keys: object) -> tuple[list[Measurement], jounce.Simulation]:
    """Return the scans of 2.5 seconds towards the wall, from standstill with full throttle."""
    sensor = {"type": "lidar", "mount": {"position": [0.0, 0.0, 2.2], "pitch_deg": 5.0}, "range_step": 0.0, **keys}
    sim = jounce.Simulation("hmmwv", str(folder / "wall.yaml"), sensors=[sensor])
    found: list[Measurement] = []
    sim.on_measurement("lidar", found.append)
    sim.command(throttle=1.0)
    sim.advance(2.5)
    return found, sim


def test_a_wall_is_as_far_as_the_vehicle_was_at_the_time_of_each_point(folder: Path) -> None:
    scans, sim = drive(folder, noise=False, deskewed=True, preset="os1_64", columns=512)
    assert [one.time for one in scans] == pytest.approx(np.arange(1, 26) * 0.1)
    log = sim.log
    for one in scans[15:]:
        points = one.arrays["points"]
        assert one.values[0]["start"] == pytest.approx(one.time - 0.1)
        hit = points["object"] == 1
        assert hit.sum() > 500
        time = one.values[0]["start"] + points["time"][hit].astype(float)
        x = np.interp(time, log["time"], log["p_WB_x"])
        pitch = np.interp(time, log["time"], log["pitch"])
        yaw = np.interp(time, log["time"], log["yaw"])
        # the wall's normal in sensor axes: pitch of car and mount; roll is small and does not change x along the normal
        angle = pitch + np.radians(5.0)
        ahead = np.cos(yaw) * (np.cos(angle) * points["x"][hit] + np.sin(angle) * points["z"][hit]) - np.sin(yaw) * points["y"][hit]
        mast = np.cos(yaw) * np.sin(pitch) * 2.2
        np.testing.assert_allclose(x + mast + ahead, 30.0, atol=0.02)
        assert np.ptp(x) > 0.02
        still = one.arrays["points_deskewed"][hit]
        end = np.cos(pitch[-1] + np.radians(5.0)) * still["x"] + np.sin(pitch[-1] + np.radians(5.0)) * still["z"]
        assert np.ptp(end) < 0.1


def test_a_drive_is_repeated_to_the_bit_and_its_table_of_beams_is_recorded(folder: Path) -> None:
    (first, one), (second, _) = (drive(folder, beams=str(folder / "three.csv"), footprint_rays=5) for _ in range(2))
    assert first[3].arrays["points"].shape[1] == 3
    for a, b in zip(first, second, strict=True):
        assert a.arrays["points"].tobytes() == b.arrays["points"].tobytes()
    assert one.log["lidar_returns"][-1] == first[-1].values[0]["returns"]


def test_the_own_vehicle_hides_the_ground_below(folder: Path) -> None:
    mount = {"position": [0.0, 0.0, 1.9], "pitch_deg": 25.0}
    blocked, _ = drive(folder, noise=False, mount=mount)
    free, _ = drive(folder, noise=False, mount=mount, own_vehicle="transparent")
    assert blocked[5].values[0]["blocked"] > 500
    assert free[5].values[0]["returns"] - blocked[5].values[0]["returns"] > 500
    assert free[5].values[0]["blocked"] == 0


def test_a_wrong_key_is_named(folder: Path) -> None:
    for keys, part in (({"preset": "vlp16"}, "vlp_16"), ({"beams": "missing.csv"}, "missing.csv"), ({"divergence": 3.0}, "divergence")):
        with pytest.raises(JounceError, match=part):
            drive(folder, **keys)


def test_clouds_in_the_file_of_sensor_data_have_the_stamp_from_which_their_times_count(folder: Path) -> None:
    scans, sim = drive(folder, deskewed=True, columns=60)
    settings = sim.session.measuring.sensors[0].settings
    assert KIND.messages is not None
    raw, deskewed = (topic.message(scans[4]) for topic in KIND.messages(settings).topics)
    assert raw is not None and deskewed is not None
    assert (raw["height"], raw["width"], raw["is_dense"], raw["header"]["frame_id"]) == (60, 16, False, "lidar")
    assert [message["header"]["stamp"]["nanosec"] for message in (raw, deskewed)] == [400_000_000, 500_000_000]
    first, last = points_of(raw)["time"], points_of(deskewed)["time"]
    assert 0.0 <= first.min() < first.max() < 0.1
    np.testing.assert_allclose(first - last, 0.1, atol=1e-6)
    assert raw["fields"][:6] == [
        {"name": name, "offset": 4 * n, "datatype": kind, "count": 1}
        for n, (name, kind) in enumerate((("x", 7), ("y", 7), ("z", 7), ("intensity", 7), ("ring", 4), ("time", 7)))
    ]


def test_a_dense_cloud_has_the_returns_only(folder: Path) -> None:
    clouds = []
    for dense in (False, True):
        scans, sim = drive(folder, deskewed=True, columns=60, dense=dense)
        assert KIND.messages is not None
        messages = [topic.message(scans[4]) for topic in KIND.messages(sim.session.measuring.sensors[0].settings).topics]
        assert [message["is_dense"] for message in messages if message is not None] == [dense] * 2
        clouds.append([points_of(message) for message in messages if message is not None])
    for organized, returns in zip(*clouds, strict=True):
        assert returns.ndim == 1 and 0 < len(returns) < organized.size
        for name in ("x", "y", "z", "range"):
            assert np.isfinite(returns[name]).all()
        np.testing.assert_array_equal(returns, organized[np.isfinite(organized["x"])])
