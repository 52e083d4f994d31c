"""Does a lidar fire as its data sheet says, and each beam from where the sensor is at that moment?"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from simulator.base.errors import ConfigError
from simulator.sensors.lidar.beams import PRESETS, beam_table, firings, read_beams
from simulator.sensors.lidar.poses import motion_of, place_beams, pose_at
from simulator.sensors.lidar.scan import beams_of_history, beams_of_poses, scan
from simulator.sensors.pose_history import PoseHistory
from simulator.validation.reference.scan_files import Twist, read_scan, scan_files
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import Box, WorldObject
from terrain.rays.caster import RayCaster
from tests.terrain.test_rays_on_objects import GROUND

DATA = Path(__file__).parents[1] / "data/sensors"
SENSORS = json.loads((DATA / "rays/sensors.json").read_text())["sensors"]
AT_ORIGIN = np.zeros(3), np.eye(3)


@pytest.mark.parametrize(("name", "reference"), [("vlp_16", "vlp16"), ("hdl_32e", "hdl32e"), ("os1_64", "os1_64")])
def test_the_beams_of_the_presets_are_those_of_the_data_sheets(name: str, reference: str) -> None:
    beams = PRESETS[name].beams
    upward = slice(None, None, -1 if name == "os1_64" else 1)  # ring 0 of an Ouster is its top laser
    np.testing.assert_allclose(np.degrees(beams.elevation[upward]), SENSORS[reference]["elevation_deg"], atol=1e-9)
    np.testing.assert_allclose(np.degrees(beams.azimuth[upward]), SENSORS[reference]["azimuth_offset_deg"], atol=1e-9)


def test_a_vlp_16_fires_every_2304_ns_in_its_order() -> None:
    preset = PRESETS["vlp_16"]
    fired = firings(preset.beams, 1808, 0.1)
    order = np.argsort(fired.time[:16])
    assert np.degrees(preset.beams.elevation[order]).round().tolist() == [-15, 1, -13, 3, -11, 5, -9, 7, -7, 9, -5, 11, -3, 13, -1, 15]
    np.testing.assert_allclose(np.diff(fired.time[order]), 2.304e-6, rtol=1e-9)
    np.testing.assert_allclose(fired.time[16::16], np.arange(1, 1808) * 0.1 / 1808)
    np.testing.assert_allclose(fired.azimuth, math.pi - math.tau * fired.time / 0.1, atol=1e-12)
    seen = np.arctan2(fired.direction[:, 1], fired.direction[:, 0])
    np.testing.assert_allclose(np.sin(seen - fired.azimuth), 0.0, atol=1e-12)
    np.testing.assert_allclose(fired.direction[:, 2], np.sin(np.tile(preset.beams.elevation, 1808)))


@pytest.mark.parametrize("file", scan_files(DATA / "scan"), ids=lambda file: file.stem)
def test_a_scan_from_a_moving_sensor_is_that_of_the_reference(file: Path) -> None:
    """By the closed form of the pose, and by poses at 1 kHz on a vehicle whose reference point is elsewhere."""
    one = read_scan(file)
    caster = RayCaster(one.scene.ground, one.scene.objects)
    p_BS, R_BS = np.array((0.4, -0.7, 1.3)), Rotation.from_euler("xyz", (0.1, -0.2, 2.0)).as_matrix()
    vehicle = on_vehicle(one.motion, p_BS, R_BS, one.fired.period)
    for beams in (beams_of_poses(one.fired, one.motion.pose), beams_of_history(one.fired, vehicle, 0.0, p_BS, R_BS)):
        found = scan(one.fired, beams, caster.cast, one.max_range)
        assert (found.object[one.fair] == one.object[one.fair]).all()
        hit = one.fair & (one.object >= 0)
        np.testing.assert_allclose(found.time, one.time, atol=1e-6)
        np.testing.assert_array_equal(found.ring, one.ring)
        np.testing.assert_allclose(found.range[hit], one.range[hit], atol=1e-3)
        np.testing.assert_allclose(found.points[hit], one.raw[hit], atol=2e-3)
        np.testing.assert_allclose(found.deskewed[hit], one.deskewed[hit], atol=2e-3)
        missed = found.object < 0
        assert missed.any()
        assert np.isinf(found.range[missed]).all()
        assert np.isnan(found.points[missed]).all()
        assert np.isnan(found.deskewed[missed]).all()


def on_vehicle(sensor: Twist, p_BS: np.ndarray, R_BS: np.ndarray, period: float) -> PoseHistory:
    """Return the poses of a vehicle that carries the sensor."""
    time = np.linspace(0.0, period, round(period / 1e-3) + 1)
    p_WS, R_WS = sensor.pose(time)
    R_WB = R_WS @ R_BS.T
    w_B, v_S = R_BS @ sensor.w, R_BS @ sensor.v
    v_B = v_S - np.cross(w_B, p_BS)
    q = Rotation.from_matrix(R_WB).as_quat()[:, (3, 0, 1, 2)]
    q[1::2] *= -1.0  # the other quaternion of the same attitude
    return PoseHistory(time, p_WS - R_WB @ p_BS, q, np.tile(v_B, (len(time), 1)), np.tile(w_B, (len(time), 1)))


def test_a_wall_that_comes_nearer_is_as_far_as_the_time_of_each_point_says() -> None:
    caster = RayCaster(GROUND, ObjectSet([WorldObject("wall", Box((1.0, 80.0, 40.0)), (50.5, 0.0, 0.0))]))
    fired, speed = firings(PRESETS["vlp_16"].beams, 900, 0.1), 30.0
    time = np.linspace(2.0, 2.1, 101)
    p = np.column_stack((speed * (time - 2.0), 0.0 * time, 2.0 + 0.0 * time))
    q, v = np.tile((1.0, 0.0, 0.0, 0.0), (101, 1)), np.tile((speed, 0.0, 0.0), (101, 1))
    poses = PoseHistory(time, p, q, v, np.zeros((101, 3)))
    found = scan(fired, beams_of_history(fired, poses, 2.0, *AT_ORIGIN), caster.cast, 100.0, 2.0)
    wall = found.object == 1
    assert wall.sum() > 1500
    np.testing.assert_allclose(found.points[wall, 0], 50.0 - speed * fired.time[wall], atol=1e-9)
    np.testing.assert_allclose(found.deskewed[wall, 0], 47.0, atol=1e-9)


def test_a_moving_object_is_where_it_is_when_the_beam_meets_it() -> None:
    way = Way(np.array([(20.0, -50.0, 1.0), (20.0, 50.0, 1.0)]), times=np.array([0.0, 4.0]))
    caster = RayCaster(GROUND, ObjectSet([WorldObject("car", Box((4, 2, 3)), (20, -50, 1), motion=way)]))
    fired = firings(PRESETS["os1_64"].beams, 2048, 0.1)
    found = scan(
        fired,
        beams_of_poses(fired, lambda t: (np.tile((0, 0, 1.0), (len(t), 1)), np.tile(np.eye(3), (len(t), 1, 1))), 1.8),
        caster.cast,
        90.0,
        1.8,
    )
    car = found.object == 1
    y = -50.0 + 25.0 * found.time[car]
    assert car.sum() > 100
    assert (np.abs(found.points[car, 1] - y) <= 2.0 + 1e-9).all()
    assert np.ptp(found.time[car]) > 1e-3


def test_poses_between_ticks_are_as_exact_as_stated() -> None:
    """A vehicle with 10 rad/s2 and 1000 m/s4 between ticks of 1 ms."""
    time = np.arange(0.0, 0.05, 1e-3)
    angle, rate = 5.0 * time**2, 10.0 * time
    x, v = 1000.0 / 24.0 * time**4, 1000.0 / 6.0 * time**3
    q = np.column_stack((np.cos(0.5 * angle), 0 * time, 0 * time, np.sin(0.5 * angle)))
    v_B = np.column_stack((np.cos(angle) * v, -np.sin(angle) * v, 0 * time))
    motion = motion_of(PoseHistory(time, np.column_stack((x, 0 * x, 0 * x)), q, v_B, np.column_stack((0 * rate, 0 * rate, rate))))
    t = np.linspace(0.0, 0.049, 1000)
    origins, directions = np.empty((1000, 3)), np.empty((1000, 3))
    place_beams(motion, np.zeros(3), np.tile((1.0, 0.0, 0.0), (1000, 1)), 0.0, t, origins, directions)
    turned = np.arctan2(directions[:, 1], directions[:, 0]) - 5.0 * t**2
    assert np.abs(turned).max() <= 1e-6 / 8.0 * 10.0 * 1.001
    assert np.abs(origins[:, 0] - 1000.0 / 24.0 * t**4).max() <= 1e-12 / 384.0 * 1000.0 * 1.01 + 1e-15
    p, R = pose_at(motion, np.array((1.0, 0.0, 0.0)), np.eye(3), 0.06)
    np.testing.assert_allclose(np.arctan2(R[1, 0], R[0, 0]), angle[-1] + rate[-1] * (0.06 - time[-1]), rtol=1e-6)
    np.testing.assert_allclose(p[0] - R[0, 0], x[-1] + v[-1] * (0.06 - time[-1]), rtol=1e-6)


def test_a_table_of_beams_is_sorted_into_rings(tmp_path: Path) -> None:
    file = tmp_path / "unit.csv"
    file.write_text("elevation_deg,time_offset_us\n5,0\n-5,10\n0,20\n")
    beams = read_beams(file)
    np.testing.assert_allclose(np.degrees(beams.elevation), (-5, 0, 5))
    np.testing.assert_allclose(beams.time, (1e-5, 2e-5, 0.0))
    np.testing.assert_array_equal(beams.azimuth, 0.0)
    assert beam_table(np.array((0.2, -0.1)), 0.3).azimuth.tolist() == [0.3, 0.3]


def test_a_space_behind_a_comma_is_no_part_of_a_cell(tmp_path: Path) -> None:
    file = tmp_path / "unit.csv"
    file.write_text("elevation_deg, azimuth_offset_deg\n-15, 0\n15, 1\n")
    beams = read_beams(file)
    np.testing.assert_allclose(np.degrees([beams.elevation, beams.azimuth]), [[-15, 15], [0, 1]])


def test_a_correction_file_of_hesai_keeps_its_lasers(tmp_path: Path) -> None:
    """Azimuths of Hesai are clockwise from above, ring 0 is laser 1."""
    (tmp_path / "unit.csv").write_text("Laser id,Elevation,Azimuth\r\n2,-1.5,2.25\r\n1,14.882,-1.042\r\n3,-25.0,0\r\n")
    beams = read_beams(tmp_path / "unit.csv")
    np.testing.assert_allclose(np.degrees(beams.elevation), (14.882, -1.5, -25.0))
    np.testing.assert_allclose(np.degrees(beams.azimuth), (1.042, -2.25, 0.0))
    np.testing.assert_array_equal(beams.time, 0.0)


@pytest.mark.parametrize("nested", [0, 1, 2])
def test_the_json_of_an_ouster_keeps_its_lasers(tmp_path: Path, nested: int) -> None:
    content: dict = {"beam_altitude_angles": [15.8, 0.5, -15.8], "beam_azimuth_angles": [3.164, 1.055, -3], "prod_line": "OS-1-64"}
    for _ in range(nested):
        content = {"beam_intrinsics": content, "sensor_info": {}}
    (tmp_path / "unit.json").write_text(json.dumps(content))
    beams = read_beams(tmp_path / "unit.json")
    np.testing.assert_allclose(np.degrees(beams.elevation), (15.8, 0.5, -15.8))
    np.testing.assert_allclose(np.degrees(beams.azimuth), (-3.164, -1.055, 3.0))
    ring = firings(beams, 4, 0.1).ring
    assert ring.tolist() == [0, 1, 2] * 4


def test_the_preset_os1_64_is_the_unit_of_its_json(tmp_path: Path) -> None:
    """The azimuth offsets of the first generation by the manual: 3.164 degrees clockwise for the top laser, in groups of four."""
    angles = {
        "beam_altitude_angles": np.linspace(15.8, -15.8, 64).round(4).tolist(),
        "beam_azimuth_angles": [3.164, 1.055, -1.055, -3.164] * 16,
    }
    (tmp_path / "unit.json").write_text(json.dumps(angles))
    for own, other in zip(PRESETS["os1_64"].beams, read_beams(tmp_path / "unit.json"), strict=True):
        np.testing.assert_allclose(own, other, atol=1e-12)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("{", "unit.json"),
        ("[1]", "an object with beam_altitude_angles"),
        ('{"beam_altitude_angles": [1]}', "beam_azimuth_angles: missing"),
        ('{"beam_altitude_angles": [1, 2], "beam_azimuth_angles": [1]}', "beam_azimuth_angles: .*2 angles"),
        ('{"beam_altitude_angles": [1, "2"], "beam_azimuth_angles": [1, 2]}', r"beam_altitude_angles\[1\]"),
        ('{"beam_altitude_angles": [NaN], "beam_azimuth_angles": [1]}', r"beam_altitude_angles\[0\]"),
        ('{"beam_altitude_angles": [[1]], "beam_azimuth_angles": [1]}', r"beam_altitude_angles\[0\]"),
        ('{"beam_altitude_angles": [], "beam_azimuth_angles": []}', "0 entries"),
        ('{"beam_intrinsics": {}}', "beam_altitude_angles: missing"),
    ],
)
def test_a_wrong_json_of_beams_is_named(tmp_path: Path, content: str, part: str) -> None:
    (tmp_path / "unit.json").write_text(content)
    with pytest.raises(ConfigError, match=part):
        read_beams(tmp_path / "unit.json")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("elevation_deg\n", "1 to 256 rows"),
        ("azimuth_offset_deg\n1\n", "a column elevation_deg"),
        ("elevation,time_offset_us\n1,2\n", "elevation_deg"),
        ("elevation_deg\nabc\n95\n", r"csv:2: elevation_deg: (.|\n)*csv:3: elevation_deg"),
        ("elevation_deg\n" + "1\n" * 300, "more than 256"),
        ("elevation_deg\n-15,5\n15,5\n", "csv:2: .* expected 1 cells.* got '2 cells'"),
        ("elevation_deg,azimuth_offset_deg\n1\n", "csv:2: azimuth_offset_deg: missing"),
        ("Laser id,Elevation,Azimuth\n1,1,0\n3,2,0\n", "Laser id: .*each number from 1"),
        ("Laser id,Elevation,Azimuth\n1,1,0\n1,2,0\n", "Laser id: .*each number from 1"),
        ("Laser id,Elevation,Azimuth\n1,95,0\n", "csv:2: Elevation: .*89.9"),
        ("Laser id,Elevation\n1,5\n", "Laser id, Elevation, Azimuth"),
        ("Laser id,Elevation,Azimuth,AZIMUTH\n1,5,0,90\n", "Laser id, Elevation, Azimuth"),
    ],
)
def test_a_wrong_table_of_beams_is_named(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "unit.csv").write_text(text)
    with pytest.raises(ConfigError, match=part):
        read_beams(tmp_path / "unit.csv")
