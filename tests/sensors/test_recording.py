"""Does the file of sensor data contain what was measured: messages, frames, times and units, and does a drive go on when the disk is full?"""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_kinds import COLUMNS, HEIGHT, POINT, R_SC, RINGS, WIDTH, D, K
from scipy.spatial.transform import Rotation

from simulator.base.records import Record
from simulator.builder.builder import build_cueing, build_ground, build_vehicle
from simulator.outlets import sensor_file
from simulator.outlets.sensor_file import SensorFileOutlet, sensor_files
from simulator.real_time import drive_in_real_time
from simulator.sensors.make_sensors import SensorContext, make_sensors
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.generic import array_of
from simulator.sensors.messages.image import pixels_of
from simulator.sensors.messages.navigation import origin_of
from simulator.sensors.messages.point_cloud import points_of
from simulator.session import Session
from simulator.telemetry.sensor_file import recorder as recording
from simulator.telemetry.sensor_file import writer as writing
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.telemetry.writer import LogOptions

pytest.importorskip("mcap", reason="the package mcap is not installed")
pytestmark = pytest.mark.usefixtures("recorded_kinds")

H = 1e-3
MOUNT = {"position": [1.2, -0.3, 1.9], "yaw_deg": 90.0, "pitch_deg": 10.0}
ALL = (
    "test_lidar", {"type": "test_camera", "name": "front", "mount": MOUNT}, "test_imu", {"type": "test_gnss", "name": "gnss"}, "test_grid",
    "test_scalar", {"type": "test_imu", "name": "hidden", "record": False},
)  # fmt: skip


class Rolling:
    """Driver that accelerates."""

    def read(self, t: float, readout: Record, command: Record) -> None:
        command[0]["throttle"], command[0]["selector"] = 1.0, 1


def session(*sensors: Any) -> Session:
    ground = build_ground("flat")
    made = make_sensors(sensors, "test", SensorContext(ground, H, 7))
    vehicle, cueing = build_vehicle("hmmwv", check_step=False), build_cueing("small_hexapod", "small_hexapod", H)
    out = Session(vehicle, ground, Rolling(), cueing, [], H, made)
    out.reset()
    return out


class Lines:
    """Messages for the user."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.options = LogOptions(say=self.failures.append, note=self.notes.append)


def record(folder: Path, sensors: tuple[Any, ...] = ALL, duration: float = 1.5, lines: Lines | None = None) -> Session:
    """Run a session with its recording."""
    one = session(*sensors)
    one.output.outlets += sensor_files(one, folder, (lines or Lines()).options)
    one.publish()
    one.run(duration)
    one.close()
    return one


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Lines, dict[str, list[Measurement]], list[np.ndarray]]]:
    """A run of 1.5 s: its file, the lines for the user, what the subscribers saw, and the poses every 10 ms."""
    from recorded_kinds import KINDS

    from simulator.sensors.kinds import SENSOR_KINDS

    patch = pytest.MonkeyPatch()
    patch.setattr(SENSOR_KINDS, "_kinds", {**SENSOR_KINDS._kinds, **KINDS})
    patch.setattr(SENSOR_KINDS, "_sources", {**SENSOR_KINDS._sources, **dict.fromkeys(KINDS, SENSOR_KINDS._sources["imu"])})
    folder, lines, poses = tmp_path_factory.mktemp("run"), Lines(), []
    one, seen = session(*ALL), {}
    one.output.outlets += sensor_files(one, folder, lines.options)

    class Poses:
        every = 10

        def publish(self, s: Session) -> None:
            poses.append(np.concatenate(([s.time], s.readout[0]["p_WB"], s.readout[0]["q_WB"])))

        def close(self) -> None:
            pass

    one.output.outlets.append(Poses())
    for sensor in one.measuring.sensors:
        seen[sensor.name] = []
        sensor.subscribe(seen[sensor.name].append)
    one.publish()
    one.run(1.5)
    one.close()
    patch.undo()
    assert not one.output.failures
    yield folder / "sensors.mcap", lines, seen, poses


@pytest.fixture(scope="module")
def ros(run: Any) -> dict[str, list[Any]]:
    """Messages of the run by topic, decoded by rosbags with the definitions of ROS 2 Humble: (log time, message)."""
    rosbag2 = pytest.importorskip("rosbags.rosbag2", reason="the package rosbags is not installed")
    from rosbags.typesys import Stores, get_typestore

    store, found = get_typestore(Stores.ROS2_HUMBLE), {}
    with rosbag2.Reader(run[0]) as reader:
        for connection, log_time, data in reader.messages():
            found.setdefault(connection.topic, []).append((log_time, store.deserialize_cdr(data, connection.msgtype)))
    return found


def seconds(stamp: Any) -> float:
    return stamp.sec + 1e-9 * stamp.nanosec


def test_the_file_has_the_topics_of_all_recorded_sensors_with_their_rates(run: Any, ros: dict[str, list[Any]]) -> None:
    counts = {topic: len(messages) for topic, messages in ros.items()}
    images = dict.fromkeys(("/front/image_raw", "/front/camera_info", "/front/depth", "/front/label", "/front/object"), 15)  # 20 ms late
    expected = {
        "/tf_static": 1, "/tf": 151, "/test_lidar/points": 15, "/test_imu/data": 151, "/gnss/fix": 8, "/test_grid/heights": 16,
        "/test_grid/hits": 16, **images,
    }  # fmt: skip
    assert counts == expected
    with SensorFile(run[0]) as file:
        assert {name: topic.messages for name, topic in file.topics.items()} == expected
        about = file.topics["/front/depth"].metadata
        assert (about["sensor"], about["kind"], about["rate_hz"], about["latency_s"]) == ("front", "test_camera", "10", "0.02")
        assert file.summary()["front"] == {"late": 0, "skipped": 0, "dropped": 0, "trouble": ""}
    assert run[1].failures == []
    assert run[1].notes[0] == "sensor test_grid: array odd is not recorded; it has fields that no message has"
    assert "per hour of drive" in run[1].notes[1] and len(run[1].notes) == 2


def test_clouds_keep_order_fields_and_misses_and_the_stamp_is_the_start_of_the_scan(run: Any, ros: dict[str, list[Any]]) -> None:
    # the first scan began before the simulation
    for (log_time, message), measured in zip(ros["/test_lidar/points"], run[2]["test_lidar"][1:], strict=True):
        assert log_time == round(measured.delivered * 1e9)
        assert seconds(message.header.stamp) == pytest.approx(measured.time - 0.1, abs=1e-9)
        assert (message.height, message.width, message.point_step) == (COLUMNS, RINGS, POINT.itemsize)
        assert not message.is_dense and not message.is_bigendian and message.row_step == RINGS * POINT.itemsize
        assert [field.name for field in message.fields] == list(POINT.names)
        assert message.data.tobytes() == measured.arrays["points"].tobytes()
        x = next(field for field in message.fields if field.name == "x")
        assert (x.offset, x.datatype, x.count) == (0, 7, 1)
    with SensorFile(run[0]) as file:
        read = points_of(next(file.messages(["/test_lidar/points"])).fields)
    assert read.shape == (COLUMNS, RINGS) and np.isnan(read["x"][3, 2]) and np.isinf(read["range"][3, 2])


def test_images_come_back_with_their_encodings_and_intrinsics(run: Any, ros: dict[str, list[Any]]) -> None:
    encodings = {"image_raw": ("rgb8", "color"), "depth": ("32FC1", "depth"), "label": ("mono8", "label"), "object": ("32SC1", "object")}
    with SensorFile(run[0]) as file:
        for name, (encoding, array) in encodings.items():
            messages = ros[f"/front/{name}"]
            decoded = [pixels_of(one.fields) for one in file.messages([f"/front/{name}"])]
            for (log_time, message), pixels, measured in zip(messages, decoded, run[2]["front"], strict=True):
                assert message.encoding == encoding and (message.height, message.width) == (HEIGHT, WIDTH)
                assert message.data.tobytes() == measured.arrays[array].tobytes()
                assert np.array_equal(pixels, measured.arrays[array])
                assert (seconds(message.header.stamp), log_time) == (pytest.approx(measured.time), round((measured.time + 0.02) * 1e9))
                assert message.header.frame_id == "front_optical"
    info = ros["/front/camera_info"][0][1]
    assert (info.width, info.height, info.distortion_model) == (WIDTH, HEIGHT, "plumb_bob")
    assert np.array_equal(info.k, K.ravel()) and np.array_equal(info.d, D)
    assert np.array_equal(info.p.reshape(3, 4)[:, :3], K) and np.array_equal(info.r, np.eye(3).ravel())


def test_imu_and_fix_have_si_units_and_marks_for_what_is_not_measured(ros: dict[str, list[Any]]) -> None:
    imu = ros["/test_imu/data"][5][1]
    assert (imu.linear_acceleration.x, imu.linear_acceleration.y, imu.linear_acceleration.z) == (0.1, 0.2, 9.8)
    assert (imu.angular_velocity.x, imu.angular_velocity.y, imu.angular_velocity.z) == (0.0, 0.01, 0.02)
    assert imu.orientation_covariance[0] == -1.0 and imu.header.frame_id == "test_imu" and seconds(imu.header.stamp) == pytest.approx(0.05)
    fix = ros["/gnss/fix"][0][1]
    assert (fix.latitude, fix.longitude, fix.altitude) == (48.5, 11.25, 512.0)
    assert (fix.status.status, fix.status.service, fix.position_covariance_type) == (1, 1, 2)
    assert np.array_equal(fix.position_covariance, np.diag([1.0, 4.0, 9.0]).ravel())


def test_arrays_without_messages_are_multi_arrays_with_the_names_of_their_axes(run: Any, ros: dict[str, list[Any]]) -> None:
    message = ros["/test_grid/heights"][0][1]
    assert [(axis.label, axis.size, axis.stride) for axis in message.layout.dim] == [("layers", 2, 24), ("rows", 3, 12), ("columns", 4, 4)]
    assert np.array_equal(message.data, np.arange(24.0))
    with SensorFile(run[0]) as file:
        assert array_of(next(file.messages(["/test_grid/heights"])).fields).shape == (2, 3, 4)


def test_the_transform_tree_leads_from_the_map_to_every_frame(run: Any, ros: dict[str, list[Any]]) -> None:
    static = {one.child_frame_id: one for one in ros["/tf_static"][0][1].transforms}
    assert {name: one.header.frame_id for name, one in static.items()} == {
        "odom": "map", "test_lidar": "base_link", "front": "base_link", "front_optical": "front", "test_imu": "base_link", "gnss": "base_link",
        "test_grid": "base_link",
    }  # fmt: skip
    assert len(ros["/tf"]) == len(run[3]) == 151
    for (log_time, message), expected in zip(ros["/tf"], run[3], strict=True):
        (one,) = message.transforms
        assert (one.header.frame_id, one.child_frame_id) == ("odom", "base_link")
        t, q = one.transform.translation, one.transform.rotation
        assert [seconds(one.header.stamp), t.x, t.y, t.z, q.w, q.x, q.y, q.z] == pytest.approx(expected, abs=1e-12)
        assert log_time == round(expected[0] * 1e9)
    # a point straight ahead of the camera, in the optical frame and in the axes of the vehicle
    lens, body = static["front_optical"].transform, static["front"].transform
    R_SC_read, R_BS = (Rotation.from_quat([one.rotation.x, one.rotation.y, one.rotation.z, one.rotation.w]) for one in (lens, body))
    assert R_SC_read.as_matrix() == pytest.approx(R_SC, abs=1e-12)
    ahead = R_BS.apply(R_SC_read.apply((0.0, 0.0, 5.0))) + (body.translation.x, body.translation.y, body.translation.z)
    c, s = np.cos(np.radians(10.0)), np.sin(np.radians(10.0))
    assert ahead == pytest.approx(np.array((1.2, -0.3, 1.9)) + 5.0 * np.array((0.0, c, -s)), abs=1e-9)  # to the left, 10 degrees down


def test_another_library_reads_the_file_with_the_schemas_in_it(run: Any, ros: dict[str, list[Any]]) -> None:
    reader = pytest.importorskip("mcap_ros2.reader", reason="the package mcap-ros2-support is not installed")
    found: dict[str, list[Any]] = {}
    for one in reader.read_ros2_messages(str(run[0])):
        found.setdefault(one.channel.topic, []).append(one)
    assert {topic: len(messages) for topic, messages in found.items()} == {topic: len(messages) for topic, messages in ros.items()}
    for topic in ("/test_lidar/points", "/front/image_raw"):
        assert found[topic][3].ros_msg.data == ros[topic][3][1].data.tobytes()
    measured = run[2]["front"][3]
    assert (found["/front/depth"][3].publish_time_ns, found["/front/depth"][3].log_time_ns) == (
        round(measured.time * 1e9), round(measured.delivered * 1e9),
    )  # fmt: skip


def test_built_in_navigation_sensors_are_recorded_in_si_units(tmp_path: Path) -> None:
    sensors = ("imu", {"type": "gnss", "preset": "rtk", "latency": 0.0}, {"type": "wheel_encoder", "pulses": 100}, "steering_angle")
    with pytest.warns(UserWarning, match="no position on Earth"):
        one = session(*sensors)
    seen: dict[str, list[Measurement]] = {sensor.name: [] for sensor in one.measuring.sensors}
    for sensor in one.measuring.sensors:
        sensor.subscribe(seen[sensor.name].append)
    one.output.outlets += sensor_files(one, tmp_path, Lines().options)
    one.publish()
    one.run(3.0)
    one.close()
    assert not one.output.failures
    with SensorFile(tmp_path / "sensors.mcap") as file:
        last = {name: list(file.messages([name]))[-1].fields for name in file.topics}
        world = origin_of(file.topics["/gnss/fix"].metadata)
    r = one.readout[0]
    force = last["/imu/data"]["linear_acceleration"]
    assert [force[axis] for axis in "xyz"] == seen["imu"][-1]["f_S"].tolist() and force["z"] == pytest.approx(9.8, abs=0.5)
    fix = last["/gnss/fix"]
    assert (fix["status"]["status"], fix["position_covariance_type"]) == (2 if seen["gnss"][-1]["quality"] in (4, 5) else 0, 2)
    assert fix["position_covariance"][[0, 4, 8]] == pytest.approx(seen["gnss"][-1]["deviation"] ** 2)
    place = world.point(np.radians(fix["latitude"]), np.radians(fix["longitude"]), fix["altitude"])
    assert place == pytest.approx(r["p_WB"], abs=3.0) and np.hypot(*r["p_WB"][:2]) > 3.0, "the fix is where the vehicle is on the map"
    speed = last["/gnss/velocity"]["twist"]["linear"]
    assert [speed[axis] for axis in "xyz"] == seen["gnss"][-1]["velocity"].tolist()
    joints = last["/wheel_encoder/joints"]
    assert joints["name"] == ["wheel_FL", "wheel_FR", "wheel_RL", "wheel_RR"]
    assert joints["position"] == pytest.approx(r["wheel_angle"], abs=2.0 * np.pi / 100), "the angle of the last edge"
    assert joints["velocity"] == pytest.approx(r["wheel_spin"], abs=0.5)
    steering = last["/steering_angle/joints"]
    assert steering["name"][:2] == ["steering_wheel", "steering_FL"] and len(steering["position"]) == 5
    assert steering["position"] == pytest.approx([r["steering_wheel_angle"], *r["road_wheel_angle"]], abs=np.radians(0.1))


def test_definitions_are_those_of_ros() -> None:
    typesys = pytest.importorskip("rosbags.typesys", reason="the package rosbags is not installed")
    from simulator.sensors.messages import definitions

    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    for name in definitions.types():
        if name.startswith("ackermann_msgs/"):  # a package beside the core of ROS 2
            continue
        own = typesys.get_types_from_msg(definitions.schema(name), name)[name]
        assert own[1] == store.fielddefs[name][1], name


def test_equal_runs_give_equal_files(run: Any, tmp_path: Path) -> None:
    record(tmp_path)
    assert (tmp_path / "sensors.mcap").read_bytes() == run[0].read_bytes()


@pytest.mark.parametrize(("form", "largest"), [("png", 0), ("jpeg", 24)])
def test_compressed_images(tmp_path: Path, form: str, largest: int) -> None:
    one = session({"type": "test_camera", "form": form})
    seen: list[Measurement] = []
    one.measuring.sensors[0].subscribe(seen.append)
    one.output.outlets += sensor_files(one, tmp_path, Lines().options)
    one.publish()
    one.run(0.3)
    one.close()
    with SensorFile(tmp_path / "sensors.mcap") as file:
        messages = list(file.messages(["/test_camera/image_raw/compressed"]))
    assert len(messages) == len(seen) == 3
    for message, measured in zip(messages, seen, strict=True):
        assert message.fields["format"] == f"rgb8; {form} compressed"
        difference = np.abs(pixels_of(message.fields).astype(int) - measured.arrays["color"])
        assert difference.max() <= largest and len(message.data) < WIDTH * HEIGHT * 3 / 2


def test_sensors_without_messages_make_no_file(tmp_path: Path) -> None:
    record(tmp_path, ("test_scalar", {"type": "test_lidar", "record": False}), 0.05)
    assert list(tmp_path.iterdir()) == []


def test_without_the_package_one_line_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensor_file, "is_installed", lambda: False)
    lines = Lines()
    one = record(tmp_path, ALL, 0.05, lines)
    assert list(tmp_path.iterdir()) == [] and not one.output.failures and not lines.failures
    assert len(lines.notes) == 1 and "mcap is not installed; hint: run" in lines.notes[0]


def the_failure(one: Session, lines: Lines) -> str:
    """Return the one failure of a session. The thread of the file finds it during the drive or, on a busy machine, at the close, which also says it."""
    (text,) = map(str, one.output.failures)
    assert lines.failures in ([], [text])
    return text


def test_a_topic_of_a_plugin_that_fails_is_left_out_with_one_line(tmp_path: Path) -> None:
    lines = Lines()
    one = record(tmp_path, ("test_wrong", "test_imu"), 0.4, lines)
    assert the_failure(one, lines) == "topic /test_wrong/data is not recorded from 0.000 s on: KeyError: 'stamp'"
    with SensorFile(tmp_path / "sensors.mcap") as file:
        assert (file.topics["/test_wrong/data"].messages, file.topics["/test_imu/data"].messages) == (0, 41)


@pytest.mark.parametrize("limit", [3_000, 60_000, 100_000])
def test_a_full_disk_ends_the_recording_with_one_line_and_a_readable_file(tmp_path: Path, limit: int) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limits[1]))
    try:
        lines = Lines()
        one = record(tmp_path, ("test_lidar", "test_imu"), 3.0, lines)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert one.time == pytest.approx(3.0), "the drive goes on"
    text = the_failure(one, lines)
    assert "the recording ended at" in text and "File too large; the drive goes on without it" in text
    assert (tmp_path / "sensors.mcap").stat().st_size <= limit
    with SensorFile(tmp_path / "sensors.mcap") as file:
        messages = list(file.messages())
    assert len(messages) >= (0 if limit < 60_000 else 100)


def test_in_real_time_a_slow_disk_drops_measurements_and_counts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, write = threading.Event(), writing.Disk.write

    def slow(self: writing.Disk, data: bytes) -> None:
        if self.size > 1000:
            gate.wait(20.0)
        write(self, data)

    monkeypatch.setattr(writing.Disk, "write", slow)
    monkeypatch.setattr(recording, "QUEUE_BYTES", 40_000)
    monkeypatch.setattr(writing, "CHUNK_TIME", 100_000_000)
    lines, one = Lines(), session("test_lidar")
    one.output.outlets += sensor_files(one, tmp_path, lines.options)
    one.publish()
    drive_in_real_time(one, 1.2, lambda session: True)
    assert one.clock is not None and one.clock.worst_lateness < 0.5, "no tick waits for the disk"
    gate.set()
    one.close()
    outlet = next(outlet for outlet in one.output.outlets if isinstance(outlet, SensorFileOutlet))
    dropped = outlet.recorder.dropped["test_lidar"]
    assert dropped > 3
    assert lines.failures == [f"sensor test_lidar: {dropped} measurements are not recorded; the disk was too slow"]
    with SensorFile(tmp_path / "sensors.mcap") as file:
        assert file.topics["/test_lidar/points"].messages + dropped == 12
        assert file.summary()["test_lidar"]["dropped"] == dropped


def test_a_run_waits_for_a_slow_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = writing.Disk.write

    def slow(self: writing.Disk, data: bytes) -> None:
        time.sleep(0.01)
        write(self, data)

    monkeypatch.setattr(writing.Disk, "write", slow)
    monkeypatch.setattr(recording, "QUEUE_BYTES", 40_000)
    monkeypatch.setattr(writing, "CHUNK_TIME", 100_000_000)
    record(tmp_path, ("test_lidar",), 1.0)
    with SensorFile(tmp_path / "sensors.mcap") as file:
        assert file.topics["/test_lidar/points"].messages == 10


def test_a_restart_begins_a_new_file(tmp_path: Path) -> None:
    one = session("test_imu")
    one.output.outlets += sensor_files(one, tmp_path, Lines().options)
    for duration in (0.5, 0.2, 0.3):
        one.reset()
        one.publish()
        one.run(duration)
    one.close()
    for name, count in (("sensors.mcap", 51), ("sensors-2.mcap", 21), ("sensors-3.mcap", 31)):
        with SensorFile(tmp_path / name) as file:
            assert file.topics["/test_imu/data"].messages == count, name
            assert file.topics["/tf_static"].messages == 1
