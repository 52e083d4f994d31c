"""Does `jounce sensors` list, picture and export what a run has recorded?"""

from __future__ import annotations

import io
import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from simulator.cli.main import main
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.cdr import decode, encode, encode_parts
from simulator.sensors.messages.definitions import types
from simulator.telemetry.sensor_file.recorder import STATIC, SUMMARY
from simulator.telemetry.sensor_file.writer import MessageWriter
from simulator.tools.sensors.export import pcd, png
from simulator.tools.sensors.page import local_plane
from simulator.tools.sensors.pictures import LABEL_COLORS
from terrain.objects.labels import LABELS

sys.path.insert(0, str(Path(__file__).parents[1] / "sensors"))
import recorded_kinds as kinds

pytest.importorskip("mcap", reason="the package mcap is not installed")

SETTINGS: Any = type("Settings", (), {"values": {"form": "raw"}, "period": 0.1, "random": np.random.default_rng(5)})


class Seen:
    """Input at a time."""

    def __init__(self, time: float) -> None:
        self.time = time


def write(file: Path, duration: float = 2.0) -> dict[str, list[Any]]:
    """Write a file as the recorder does, and return the arrays by topic."""
    writer, channels, arrays = MessageWriter(file), {}, {}
    recordings = {}
    for name, function in (
        ("lidar", kinds.lidar_messages),
        ("front", kinds.camera_messages),
        ("gnss", kinds.fix_messages),
        ("imu", kinds.imu_messages),
    ):
        settings = type("One", (SETTINGS,), {"name": name})()
        recordings[name] = function(settings)
    channels[STATIC] = writer.add_channel(STATIC, "tf2_msgs/msg/TFMessage", {})
    for name, recording in recordings.items():
        for topic in recording.topics:
            about = {"sensor": name, "kind": f"kind_of_{name}", "rate_hz": "10", "latency_s": "0"}
            channels[name, topic.name] = writer.add_channel(f"/{name}/{topic.name}", topic.type, about)
    makers = {"lidar": kinds.Lidar(SETTINGS), "front": kinds.Camera(SETTINGS)}
    empty = np.zeros(1, [("f_S", "f8", 3), ("w_S", "f8", 3), ("place", "f8", 3), ("returns", "i8")])
    for n in range(round(10 * duration)):
        time = 0.1 * n
        empty["place"] = 48.0 + 1e-6 * n, 11.0 + 1e-6 * n, 500.0 + n
        for name, recording in recordings.items():
            made = makers[name].step(Seen(time), empty) if name in makers else {}
            measured = Measurement(time, time, 0.0, "", empty, made)
            for topic in recording.topics:
                data = encode_parts(topic.type, topic.message(measured))
                writer.write(channels[name, topic.name], round(1e9 * time), round(1e9 * time), data)
            for key, value in made.items():
                arrays.setdefault(f"{name}_{key}", []).append(value)
    counts = {"late": 2, "skipped": 0, "dropped": 1, "trouble": ""}
    writer.finish({SUMMARY: {"lidar": json.dumps(counts)}})
    return arrays


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[Any]]]:
    folder = tmp_path_factory.mktemp("run")
    return folder, write(folder / "sensors.mcap")


def test_the_list_has_sensors_topics_counts_and_the_page(run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensors", str(run[0]), "--json", "--out", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    lidar = found["sensors"][0]
    assert (lidar["name"], lidar["kind"], lidar["rate_hz"], lidar["late"], lidar["dropped"]) == ("lidar", "kind_of_lidar", 10.0, 2, 1)
    assert lidar["topics"] == [{"topic": "/lidar/points", "type": "sensor_msgs/msg/PointCloud2", "messages": 20}]
    assert [one["name"] for one in found["sensors"]] == ["lidar", "front", "gnss", "imu"]
    assert (found["first_s"], found["last_s"]) == pytest.approx((0.0, 1.9))
    page = (tmp_path / "sensors.html").read_text()
    assert page.count("data:image/png") == 3 + 4 * 6, "three views of a cloud, six images of four topics"
    for text in ("by height", "by intensity", "by label", "1.900 s", "20 fixes", "specific force"):
        assert text in page, text
    assert main(["sensors", str(run[0]), "--sensor", "lidar", "--at", "0.55", "--html", str(tmp_path / "one.html")]) == 0
    text = capsys.readouterr().out
    assert "/lidar/points" in text and "2 late, 1 dropped" in text and "/front/depth" not in text
    page = (tmp_path / "one.html").read_text()
    assert "/lidar/points at 0.500 s: 575 of 576 points" in page


def test_export_of_clouds_as_pcd(run: Any, tmp_path: Path) -> None:
    assert main(["sensors", str(run[0]), "--export", "pcd", "--from", "0.3", "--to", "0.5", "--out", str(tmp_path)]) == 0
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert names == [f"lidar_points_{time:011.4f}.pcd" for time in (0.3, 0.4, 0.5)]
    points = run[1]["lidar_points"][4]
    head, _, body = (tmp_path / names[1]).read_bytes().partition(b"DATA binary\n")
    lines = dict(line.split(" ", 1) for line in head.decode().splitlines()[1:])
    assert lines["FIELDS"].split() == list(points.dtype.names) and int(lines["POINTS"]) == points.size
    assert (int(lines["WIDTH"]), int(lines["HEIGHT"])) == (kinds.RINGS, kinds.COLUMNS)
    sizes = [int(size) for size in lines["SIZE"].split()]
    assert len(body) == points.size * sum(sizes)
    at = (5 * kinds.RINGS + 7) * sum(sizes)  # one point, read by hand
    assert struct.unpack_from("<4fHfBfi", body, at) == tuple(points[5, 7])


def test_pcd_packs_a_type_with_gaps() -> None:
    points = np.zeros(
        3, np.dtype({"names": ["x", "y", "z", "w"], "formats": ["f4", "f4", "f4", ("u2", 2)], "offsets": [0, 8, 16, 24], "itemsize": 32})
    )
    points["x"], points["w"] = (1.0, 2.0, 3.0), ((1, 2), (3, 4), (5, 6))
    head, _, body = pcd(points).partition(b"DATA binary\n")
    assert b"SIZE 4 4 4 2\nTYPE F F F U\nCOUNT 1 1 1 2\nWIDTH 3\nHEIGHT 1\n" in head
    assert struct.unpack("<" + "3f2H" * 3, body)[5:10] == (2.0, 0.0, 0.0, 3, 4)


def test_export_of_images_as_png_and_npy(run: Any, tmp_path: Path) -> None:
    for form in ("png", "npy"):
        assert (
            main(["sensors", str(run[0]), "--export", form, "--sensor", "front", "--from", "1", "--to", "1.05", "--out", str(tmp_path)])
            == 0
        )
    arrays = {name: run[1][f"front_{name}"][10] for name in ("color", "depth", "label", "object")}
    for topic, name in (("image_raw", "color"), ("depth", "depth"), ("label", "label"), ("object", "object")):
        stem = f"front_{topic}_{1.0:011.4f}"
        assert np.array_equal(np.load(tmp_path / f"{stem}.npy"), arrays[name])
    pictures = {
        topic: np.asarray(Image.open(tmp_path / f"front_{topic}_{1.0:011.4f}.png")) for topic in ("image_raw", "depth", "label", "object")
    }
    assert np.array_equal(pictures["image_raw"], arrays["color"]) and np.array_equal(pictures["label"], arrays["label"])
    assert np.array_equal(pictures["object"], arrays["object"] + 2)
    seen = np.isfinite(arrays["depth"])
    assert pictures["depth"][~seen].tolist() == [0]
    assert np.abs(pictures["depth"][seen] / 1000.0 - arrays["depth"][seen]).max() <= 5.1e-4
    assert np.asarray(Image.open(io.BytesIO(png(np.array([[70.0, 65.0]], np.float32), "d")))).tolist() == [[0, 65000]]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--export", "pcd", "--sensor", "front"], "no point cloud in front to export as pcd"),
        (["--export", "png", "--from", "50"], "no message of"),
        (["--export", "png", "--from", "1", "--to", "0.5"], "no message of"),
        (["--sensor", "lidr"], "--sensor: unknown 'lidr'"),
        (["--export", "pcd", "--html", "a.html"], "exclude each other"),
        (["--export", "pcd", "--at", "1"], "exclude each other"),
        (["--from", "1"], "need --export"),
        (["--to", "1"], "need --export"),
        (["--at", "100"], "expected a time from 0.000 to 1.900 s"),
        (["--at", "-1"], "expected a time from 0.000 to 1.900 s"),
        (["--at", "nan"], "expected a time from 0.000 to 1.900 s"),
    ],
)
def test_impossible_requests_are_one_line(
    run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], text: str
) -> None:
    code = main(["sensors", str(run[0]), *options])
    err = capsys.readouterr().err
    assert code == 2 and len(err.splitlines()) == 1, err
    assert text in err or "lidar, front, gnss, imu" in err
    assert list(tmp_path.iterdir()) == []


def test_places_without_sensor_data_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sensors.mcap").write_bytes(b"no MCAP")
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "nowhere", tmp_path / "empty", tmp_path, tmp_path / "sensors.mcap"):
        assert main(["sensors", str(place)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("kind", "rate", "counts"),
    [
        ("Imu", "10", {}),
        ("PointCloud2", "10", {}),
        ("PointCloud2", "0", {}),
        ("Imu", "ten", {}),
        ("Imu", "10", {"imu": "[1]"}),
        ("Imu", "10", {"imu": "{"}),
    ],
)
def test_broken_content_is_one_line(kind: str, rate: str, counts: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sensors.mcap"
    writer = MessageWriter(file)
    channel = writer.add_channel("/imu/data", f"sensor_msgs/msg/{kind}", {"sensor": "imu", "rate_hz": rate})
    writer.write(channel, 0, 0, [bytes(4)])
    writer.finish({SUMMARY: counts})
    assert main(["sensors", str(file), "--out", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and f"{file}: " in err and "broken content" in err


def test_the_file_of_a_killed_run_is_repaired_first(run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = (run[0] / "sensors.mcap").read_bytes()
    (tmp_path / "sensors.mcap").write_bytes(whole[: len(whole) * 3 // 4])
    assert main(["sensors", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sensors"][0]["topics"][0]["messages"] == 10 and "late" not in found["sensors"][0]


def test_messages_of_all_types_survive_the_encoding() -> None:
    from simulator.sensors.messages.definitions import fields

    def example(kind: str, n: int = 3) -> Any:
        if kind == "string":
            return "text" * n
        if kind in ("bool", "byte", "float32", "float64") or ("int" in kind and "/" not in kind):
            return n % 2 == 1 if kind == "bool" else n
        return {
            one.name: example(one.type, n + 1) if one.length is None else [example(one.type, k) for k in range(one.length or n)]
            for one in fields(kind)
        }

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items()}
        return [plain(one) for one in value] if isinstance(value, (list, np.ndarray)) else value

    for name in types():
        for count in (0, 1, 3):
            message = example(name, count)
            assert plain(decode(name, encode(name, message))) == message, name
        with pytest.raises(ValueError, match=r"truncated|items|buffer"):
            decode(name, encode(name, message)[:-1])
    rosbags = pytest.importorskip("rosbags.typesys")
    store = rosbags.get_typestore(rosbags.Stores.ROS2_HUMBLE)
    for name in [name for name in types() if not name.startswith("ackermann_msgs/")]:  # a package beside the core of ROS 2
        for count in (0, 1, 3):
            data = encode(name, example(name, count))
            assert bytes(store.serialize_cdr(store.deserialize_cdr(data, name), name)) == data, "as another encoder writes it"


def test_local_plane_agrees_with_a_geodetic_library() -> None:
    pyproj = pytest.importorskip("pyproj")
    lat, lon = np.array([48.0, 48.0005, 48.0]), np.array([11.0, 11.0, 11.001])
    east, north = local_plane(lat, lon)
    geod = pyproj.Geod(ellps="WGS84")
    assert north[1] == pytest.approx(geod.inv(11.0, 48.0, 11.0, 48.0005)[2], abs=2e-3)
    assert east[2] == pytest.approx(geod.inv(11.0, 48.0, 11.001, 48.0)[2], abs=2e-3)
    assert local_plane(np.array([0.0, 0.0]), np.array([179.9999, -179.9999]))[0][1] == pytest.approx(22.26, abs=0.01)


def test_every_label_has_a_color_of_its_own() -> None:
    assert len(LABEL_COLORS) == len(LABELS) == len(np.unique(LABEL_COLORS, axis=0))
