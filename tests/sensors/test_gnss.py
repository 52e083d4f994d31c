"""Does a GNSS receiver in a session know where it is, lose the sky under a roof, and send sentences?"""

from __future__ import annotations

import math
import socket
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.base.records import Record, record
from simulator.base.rotations import quaternion_of_rotation, rotation_of_euler
from simulator.builder.builder import build_ground
from simulator.sensors.contract import SensorInput
from simulator.sensors.gnss import LocationWarning
from simulator.sensors.make_sensors import SensorContext, make_sensors
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.sensors.nmea import is_valid
from simulator.sensors.sensor_world import SensorWorld
from simulator.weather import CLEAR
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Box, Cylinder, WorldObject
from terrain.rays.caster import RayCaster
from vehicles.readout import READOUT

LATITUDE, LONGITUDE = 47.3, 8.5
ROOF = WorldObject("roof", Box((20.0, 20.0, 0.2)), (0.0, 0.0, 5.0))
TRUNK = WorldObject("trunk", Cylinder(0.3, 12.0), (3.0, 0.0, 0.0))


def ground(**said: Any) -> Ground:
    return load_terrain(
        {"type": "flat", "latitude_deg": LATITUDE, "longitude_deg": LONGITUDE, "altitude_m": 400.0, **said}, "t.yaml", Path(), {}
    )


def gnss(seed: int = 0, on: Ground | None = None, **said: Any) -> MountedSensor:
    context = SensorContext(ground() if on is None else on, 1e-3, seed)
    return make_sensors([{"type": "gnss", "latency": 0.0, **said}], "session.yaml", context)[0]


def at(position: Any = (0.0, 0.0, 1.0), velocity: Any = (0.0, 0.0, 0.0), yaw_deg: float = 0.0) -> Record:
    r, R = record(READOUT), np.empty((3, 3))
    rotation_of_euler(0.0, 0.0, math.radians(yaw_deg), R)
    quaternion_of_rotation(R, r[0]["q_WB"])
    r[0]["p_WB"], r[0]["v_WB_B"] = position, velocity
    return r


def measured(sensor: MountedSensor, readout: Record, time: float = 0.0, *objects: WorldObject) -> Record:
    world = SensorWorld(RayCaster(ground(), ObjectSet(objects)), CLEAR)
    sensor.serve(SensorInput(time, readout, world=lambda: world), wait=True)
    assert sensor.trouble == ""
    return sensor.out.copy()


def test_an_ideal_receiver_measures_its_antenna_in_true_directions() -> None:
    """The vehicle stands at the origin and heads north-west; the antenna is 2 m behind the reference point and 1.5 m above."""
    sensor = gnss(preset="ideal", mount={"position": [-2.0, 0.0, 1.5]})
    readout = at((0.0, 0.0, 1.0), (10.0, 0.0, 0.0), yaw_deg=135.0)
    readout[0]["w_WB_B"] = (0.0, 0.0, 0.5)
    o = measured(sensor, readout)[0]
    s = math.sqrt(0.5)
    assert (o["latitude_deg"] - LATITUDE) * 111_170 == pytest.approx(-2.0 * s, abs=0.01)
    assert (o["longitude_deg"] - LONGITUDE) * 75_590 == pytest.approx(2.0 * s, abs=0.01)
    assert o["altitude"] == pytest.approx(402.5, abs=1e-6)
    assert o["velocity"] == pytest.approx([-10.0 * s + s, 10.0 * s + s, 0.0], abs=1e-5)  # w x r = (0, -1, 0) in B
    assert (o["quality"], o["satellites"]) == (1, 12)


def test_under_a_roof_there_is_no_fix_and_beside_a_trunk_there_is() -> None:
    sensor = gnss(preset="ideal")
    o = measured(sensor, at(), 0.0, ROOF)[0]
    assert o["quality"] == 0
    assert o["satellites"] < 4
    assert math.isnan(o["latitude_deg"])
    assert np.isnan(o["velocity"]).all()
    beside = measured(sensor, at(), 0.1, TRUNK)[0]
    assert beside["quality"] == 1
    assert 8 <= beside["satellites"] <= 12
    edge = measured(sensor, at((10.5, 0.0, 1.0)), 0.2, ROOF)[0]  # half the sky
    assert 4 <= edge["satellites"] < 11
    assert edge["hdop"] > measured(sensor, at(), 0.3)[0]["hdop"]


@pytest.mark.parametrize(("preset", "quality", "spread"), [("consumer", 1, 1.24), ("sbas", 2, 0.82), ("rtk", 4, 0.0086)])
def test_presets_have_the_accuracy_of_the_data_sheet(preset: str, quality: int, spread: float) -> None:
    """50 % of the horizontal errors of many receivers are within 1.177 standard deviations: 1.5 m, 1.0 m, 0.01 m."""
    found = np.array([measured(gnss(seed, preset=preset), at())[0] for seed in range(150)])
    assert {int(one) for one in found["quality"]} == {quality}
    north = (found["latitude_deg"] - LATITUDE) * 111_170
    east = (found["longitude_deg"] - LONGITUDE) * 75_590
    assert np.median(np.hypot(north, east)) == pytest.approx(1.1774 * spread, rel=0.25)


def test_the_same_seed_gives_the_same_fixes_and_the_default_is_no_ideal_receiver() -> None:
    def series(seed: int, **said: Any) -> bytes:
        sensor = gnss(seed, **said)
        return b"".join(measured(sensor, at(), 0.1 * k, TRUNK).tobytes() for k in range(10))

    assert series(1) == series(1)
    assert len({series(1), series(2), series(1, name="other"), series(1, preset="ideal")}) == 4


def test_a_terrain_without_a_position_gets_one_and_a_warning() -> None:
    with pytest.warns(LocationWarning, match="flat has no position on Earth"):
        sensor = gnss(on=build_ground("flat"), preset="ideal")
    o = measured(sensor, at())[0]
    assert (o["latitude_deg"], o["longitude_deg"]) == pytest.approx((45.0, 0.0), abs=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gnss()


def fields(sentence: str) -> list[str]:
    assert is_valid(sentence)
    return sentence.split("*", maxsplit=1)[0].split(",")


def test_sentences_by_udp_are_those_of_a_simulator_by_default() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(2.0)
        sensor = gnss(preset="ideal", nmea=f"127.0.0.1:{receiver.getsockname()[1]}", geoid_height_m=47.5, date="2027-03-04")
        measured(sensor, at(velocity=(0.0, 10.0, 0.0)), 1.5)
        gga, rmc, vtg = (fields(receiver.recv(200).decode("ascii").removesuffix("\r\n")) for _ in range(3))
        measured(sensor, at(), 1.6, ROOF)
        lost = [fields(receiver.recv(200).decode("ascii").removesuffix("\r\n")) for _ in range(3)]
        sensor.close()
    # half past two of mean solar time at 8.5 degrees east
    assert gga[:7] == ["$GPGGA", "135601.50", "4718.0000000", "N", "00830.0000000", "E", "8"]
    assert gga[9:13] == ["353.50", "M", "47.50", "M"]
    assert (rmc[2], rmc[9], rmc[-1], vtg[-1]) == ("A", "040327", "S", "S")
    assert (float(rmc[7]), float(vtg[1])) == (pytest.approx(10.0 / 1852 * 3600, abs=1e-3), 0.0)
    assert (lost[0][2], lost[0][6], lost[1][2], lost[1][3]) == ("", "0", "V", "")


def test_a_file_has_the_quality_of_a_receiver(tmp_path: Path) -> None:
    path = tmp_path / "track.nmea"
    sensor = gnss(preset="rtk", nmea_file=str(path), nmea_quality="receiver")
    for k in range(5):
        measured(sensor, at((k, 0.0, 1.0)), 0.1 * k)
    sensor.close()
    lines = path.read_bytes().decode("ascii").splitlines()
    assert len(lines) == 15
    assert {fields(line)[6] for line in lines if "GGA" in line} == {"4"}
    assert {fields(line)[-1] for line in lines if "RMC" in line} == {"R"}


def test_sentences_leave_when_the_measurement_is_delivered(tmp_path: Path) -> None:
    path = tmp_path / "track.nmea"
    sensor = gnss(rate=1.0, latency=0.1, nmea_file=str(path))
    world = SensorWorld(RayCaster(ground(), ObjectSet(())), CLEAR)
    sensor.serve(SensorInput(0.0, at(), world=lambda: world), wait=True)
    for tick in (50, 99):
        sensor.deliver(0.001 * tick, wait=True)
        assert not path.exists()
    sensor.deliver(0.1, wait=True)
    assert len(path.read_bytes().splitlines()) == 3


def test_a_disk_that_is_full_is_told_once_and_the_drive_goes_on() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    sensor = gnss(nmea_file="/dev/full")
    with pytest.warns(UserWarning, match="/dev/full: No space left on device; no further NMEA sentences are written") as told:
        for k in range(3):
            measured(sensor, at(), 0.1 * k)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"nmea": "a:b"}, r"sensors\[0\]\.nmea: .*HOST or HOST:PORT"),
        ({"nmea": "127.0.0.1:99999"}, r"nmea: .*HOST or HOST:PORT with a port from 1 to 65535"),
        ({"nmea": "no.such.host.invalid:10110"}, r"nmea: .*a name or an address in the network"),
        ({"nmea_file": "/no/such/folder/file.nmea"}, r"nmea_file: .*the path of a file that can be written"),
        ({"date": "2026-02-30"}, r"date: .*a date from .* such as 2026-06-21"),
        ({"preset": "gps"}, r"preset: .*consumer, sbas, rtk, ideal"),
        ({"mask_angle_deg": 91.0}, r"mask_angle_deg"),
    ],
)
def test_an_impossible_receiver_is_an_error(said: dict[str, Any], problem: str) -> None:
    with pytest.raises((ConfigError, JounceError), match=problem):
        gnss(**said)


def test_before_the_first_delivery_there_is_no_position() -> None:
    sensor = gnss(latency=0.1)
    world = SensorWorld(RayCaster(ground()), CLEAR)
    sensor.serve(SensorInput(0.0, at(), world=lambda: world), wait=True)
    assert np.isnan([sensor.out[0]["sampled"], sensor.out[0]["latitude_deg"]]).all()
    sensor.deliver(0.1, wait=True)
    assert sensor.out[0]["sampled"] == 0.0
    assert sensor.out[0]["latitude_deg"] == pytest.approx(LATITUDE, abs=1e-3)


def test_messages_have_degrees_variances_and_no_velocity_without_a_fix() -> None:
    sensor = gnss(preset="sbas")
    assert sensor.kind.messages is not None
    recording = sensor.kind.messages(sensor.settings)
    fix, velocity = (topic.message for topic in recording.topics)
    measured(sensor, at())
    seen = sensor.latest(0.0)
    message = fix(seen)
    assert message is not None
    assert (message["latitude"], message["longitude"]) == pytest.approx((LATITUDE, LONGITUDE), abs=1e-4)
    assert message["status"]["status"] == 1  # SBAS
    assert np.asarray(message["position_covariance"]).reshape(3, 3) == pytest.approx(np.diag(np.square(seen.values[0]["deviation"])))
    assert velocity(seen) is not None
    measured(sensor, at(), 0.1, ROOF)
    lost = fix(sensor.latest(0.1))
    assert lost is not None
    assert lost["status"]["status"] == -1
    assert velocity(sensor.latest(0.1)) is None


def test_the_frame_of_the_velocity_is_turned_by_the_grid_convergence() -> None:
    pytest.importorskip("pyproj")
    grid = {"origin": [-50, -50], "spacing": 10.0, "count": [11, 11]}
    reference = {"crs": "EPSG:32632", "origin": [680_000.0, 5_240_000.0]}  # convergence of 1.75 degrees
    on = load_terrain({"type": "heightmap", "grid": grid, "friction": 0.8, "georeference": reference}, "t.yaml", Path(), {})
    sensor = gnss(on=on, preset="ideal")
    o = measured(sensor, at(velocity=(0.0, 10.0, 0.0)))[0]  # along y, to grid north
    assert math.degrees(math.atan2(o["velocity"][0], o["velocity"][1])) == pytest.approx(1.7496, abs=1e-3)
    assert sensor.kind.messages is not None
    (enu,) = sensor.kind.messages(sensor.settings).frames
    assert enu.R @ o["velocity"] == pytest.approx([0.0, 10.0, 0.0], abs=1e-4)
