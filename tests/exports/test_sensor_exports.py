"""Do the exports for perception agree with each other: points, images, boxes, and the objects that the images show?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simulator.exports.kitti import frames_of
from simulator.sensors.messages.cdr import encode
from simulator.sensors.messages.definitions import IMAGE
from simulator.sensors.messages.image import image, pixels_of
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.telemetry.sensor_file.writer import MessageWriter
from simulator.tools.sensors.contents import samples
from terrain.objects.labels import LABELS, NAMES
from tests.end_to_end.program import call, refused

SESSION = """
title: exports
vehicle: sedan
terrain: obstacles
maneuver: {base: constant_speed, duration_s: 0.4, terrain: obstacles}
vehicles:
  - {name: target, vehicle: sedan, position_m: [14, 3.5], speed_kph: 40, driver: cruise}
sensors:
  - {type: camera, name: front, rate: 10, width: 320, height: 180, images: [label, object], mount: {position: [1.7, 0, 1], yaw_deg: 10}}
  - {type: lidar, rate: 10, mount: {position: [0, 0, 1.9], roll_deg: 3}}
"""
AHEAD = 10.0
"""Pixels of an object that counts."""
PARKED_CAR = 2
"""Number of an object of the terrain."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a camera without OpenGL: its color images are made of the labels."""
    from simulator.cli.main import main

    folder = tmp_path_factory.mktemp("exports")
    (folder / "session.yaml").write_text(SESSION)
    assert main(["run", "--session", str(folder / "session.yaml"), "--plots", "none", "--out", str(folder / "run")]) == 0
    add_color(folder / "run" / "sensors.mcap")
    return folder / "run"


def add_color(file: Path) -> None:
    """Add color images to a file of sensor data."""
    old = file.rename(file.with_name("old"))
    with SensorFile(old) as source:
        out = MessageWriter(file)
        numbers = {one.topic: out.add_channel(one.topic, one.type, one.metadata) for one in source.topics.values()}
        color = out.add_channel("/front/image_raw", IMAGE, source.topics["/front/label/image_raw"].metadata)
        for one in source.messages():
            out.write(numbers[one.topic], one.log_time, one.publish_time, [one.data])
            if one.topic == "/front/label/image_raw":
                pixels = np.repeat(pixels_of(one.fields)[..., None], 3, axis=2) * np.uint8(10)
                message = image(1e-9 * one.publish_time, "front_optical", np.ascontiguousarray(pixels))
                out.write(color, one.log_time, one.publish_time, [encode(IMAGE, message)])
        out.finish({})
    old.unlink()


@pytest.fixture(scope="module")
def out(run: Path) -> Path:
    from simulator.cli.main import main

    assert main(["export", str(run), "--format", "las,kitti,coco"]) == 0
    return run / "export"


def arrays(run: Path, topic: str) -> list[tuple[float, np.ndarray]]:
    with SensorFile(run / "sensors.mcap") as file:
        return [(one.time, one.values) for one in samples(file, file.topics[topic])]


def masks(run: Path) -> list[dict[int, np.ndarray]]:
    """Pixels of each object in each image."""
    return [{int(one): image == one for one in np.unique(image) if one > 0} for _, image in arrays(run, "/front/object/image_raw")]


def test_las_has_the_points_in_the_world(run, out):
    laspy = pytest.importorskip("laspy", reason="the package laspy is not installed")
    las = laspy.read(out / "lidar.las")
    clouds = [values.reshape(-1) for _, values in arrays(run, "/lidar/points")]
    hits = np.concatenate([cloud[np.isfinite(cloud["x"])] for cloud in clouds])
    assert len(las.points) == len(hits) > 1000
    np.testing.assert_array_equal(las["label"], hits["label"])
    np.testing.assert_array_equal(las["object"], hits["object"])
    np.testing.assert_array_equal(las.intensity, np.round(257.0 * hits["intensity"]))
    assert las.gps_time.min() >= 0.0 and las.gps_time.max() <= 0.4 and len(np.unique(las.gps_time)) > 1000
    ground = las.classification == 2
    assert (ground == (hits["label"] == LABELS["ground"])).all()
    assert abs(np.asarray(las.z)[ground]).max() < 0.1, "the ground is level, though sensor and vehicle are not"
    car = np.asarray(las["object"]) == PARKED_CAR
    scans = np.floor(np.asarray(las.gps_time)[car] / 0.1 + 1e-6)
    rear = [np.asarray(las.x)[car][scans == one].min() for one in np.unique(scans)]
    assert len(rear) >= 3 and np.ptp(rear) < 0.05, "a parked car stands at one place while the vehicle drives"


def kitti_boxes(file: Path) -> list[tuple[str, np.ndarray]]:
    """Type and numbers of each line of a label file."""
    rows = [line.split() for line in file.read_text().splitlines()]
    assert all(len(row) == 15 for row in rows)
    return [(row[0], np.array(row[1:], float)) for row in rows]


def test_kitti_boxes_surround_the_pixels_of_their_objects(run, out):
    labels = [image for _, image in arrays(run, "/front/label/image_raw")]
    found = 0
    for frame, objects in enumerate(masks(run)):
        boxes = [numbers for _, numbers in kitti_boxes(out / "kitti" / "label_2" / f"{frame:06d}.txt")]
        for mask in objects.values():
            label = NAMES[int(np.bincount(labels[frame][mask]).argmax())]
            if label not in ("vehicle", "cone") or mask.sum() < AHEAD:
                continue
            rows, columns = np.nonzero(mask)
            seen = np.array((columns.min(), rows.min(), columns.max(), rows.max()))
            outside = [max(*(box[3:5] - seen[:2]), *(seen[2:] - box[5:7])) for box in boxes]
            assert min(outside) < 1.0, f"frame {frame}: {label} at {seen}"
            found += 1
    assert found >= 8


def test_kitti_boxes_contain_the_points_of_the_lidar(run, out):
    folder = out / "kitti"
    calibration = {
        name: np.array(row.split(), float) for name, row in (line.split(": ") for line in (folder / "calib.txt").read_text().splitlines())
    }
    to_camera, P2 = calibration["Tr_velo_to_cam"].reshape(3, 4), calibration["P2"].reshape(3, 4)
    objects = [image for _, image in arrays(run, "/front/object/image_raw")]
    for frame in range(len(objects)):
        points = np.fromfile(folder / "velodyne" / f"{frame:06d}.bin", np.float32).reshape(-1, 4)
        assert points[:, 3].min() >= 0.0 and points[:, 3].max() <= 1.0
        at = np.column_stack((points[:, :3], np.ones(len(points)))) @ to_camera.T
        cars = [numbers for kind, numbers in kitti_boxes(folder / "label_2" / f"{frame:06d}.txt") if kind == "Car" and numbers[1] == 0]
        assert cars
        for car in cars:
            (height, width, length), place, turn = car[7:10], car[10:13], car[13]
            inside = at - place
            along = inside[:, 0] * np.cos(turn) - inside[:, 2] * np.sin(turn)
            across = inside[:, 0] * np.sin(turn) + inside[:, 2] * np.cos(turn)
            above = (inside[:, 1] < -0.3) & (inside[:, 1] > -height - 0.1)
            close = above & (np.hypot(inside[:, 0], inside[:, 2]) < 0.5 * np.hypot(length, width))
            near = close & (abs(along) < 0.5 * length + 0.05) & (abs(across) < 0.5 * width + 0.05)
            assert near.sum() > 10 and near.sum() > 0.99 * close.sum(), "the points around the middle are in the box"
            image = at[near] @ P2[:, :3].T
            u, v = np.round(image[:, :2] / image[:, 2:]).astype(int).T
            shown = (u >= 0) & (u < 320) & (v >= 0) & (v < 180)
            on_objects = objects[frame][v[shown], u[shown]] > 0
            assert on_objects.mean() > 0.8, "the points of the car fall on pixels of objects"


def test_kitti_poses_times_and_images(run, out):
    folder = out / "kitti"
    poses = np.loadtxt(folder / "poses.txt").reshape(-1, 3, 4)
    times = np.loadtxt(folder / "times.txt")
    np.testing.assert_allclose(times, [time for time, _ in arrays(run, "/front/object/image_raw")])
    np.testing.assert_allclose(poses[0], np.eye(3, 4), atol=1e-12)
    forward = np.array((np.sin(np.radians(10.0)), 0.0, np.cos(np.radians(10.0))))  # the camera looks 10 degrees to the left
    np.testing.assert_allclose(poses[1:, :, 3] @ forward, 13.9 * times[1:], rtol=0.02)
    for frame in range(len(times)):
        assert Image.open(folder / "image_2" / f"{frame:06d}.png").size == (320, 180)


def test_coco_masks_are_the_pixels_of_the_objects(run, out):
    read = json.loads((out / "coco" / "annotations.json").read_text())
    images = {one["id"]: one for one in read["images"]}
    assert all(Image.open(out / "coco" / "images" / one["file_name"]).size == (one["width"], one["height"]) for one in images.values())
    names, labels = {one["id"]: one["name"] for one in read["categories"]}, [image for _, image in arrays(run, "/front/label/image_raw")]
    expected = {(frame, number): mask for frame, objects in enumerate(masks(run)) for number, mask in objects.items()}
    assert len(read["annotations"]) == len(expected) > 10
    for one in read["annotations"]:
        frame = list(images).index(one["image_id"])
        mask = expected[frame, one["track_id"]]
        runs = one["segmentation"]["counts"]
        flat = np.repeat(np.arange(len(runs)) % 2, runs)
        np.testing.assert_array_equal(flat.reshape(mask.shape[::-1]).T, mask)
        assert one["area"] == mask.sum() and NAMES.index(names[one["category_id"]]) == np.bincount(labels[frame][mask]).argmax()


def test_coco_is_read_by_its_own_tools(out):
    coco = pytest.importorskip("pycocotools.coco", reason="the package pycocotools is not installed")
    read = coco.COCO(str(out / "coco" / "annotations.json"))
    for one in read.loadAnns(read.getAnnIds()):
        mask = read.annToMask(one)
        rows, columns = np.nonzero(mask)
        assert mask.sum() == one["area"] and one["bbox"] == [columns.min(), rows.min(), np.ptp(columns) + 1, np.ptp(rows) + 1]


def test_a_part_has_what_was_measured_in_it(run, capsys, tmp_path):
    laspy = pytest.importorskip("laspy", reason="the package laspy is not installed")
    out = tmp_path / "out"
    for form in ("las", "kitti", "coco"):  # images are delivered in it, but were measured before
        told = refused(call(capsys, "export", run, "--format", f"csv,{form}", "--out", out, "--from", 0.11, "--to", 0.19))
        assert "in the interval of --from and --to; expected a longer interval" in told and not out.exists()
    assert call(capsys, "export", run, "--format", "las,kitti,coco", "--out", out, "--from", 0.1, "--to", 0.2)[0] == 0
    clouds = [values.reshape(-1) for time, values in arrays(run, "/lidar/points") if 0.09 < time < 0.21]
    assert len(clouds) == 2 and len(laspy.read(out / "lidar.las").points) == sum(np.isfinite(cloud["x"]).sum() for cloud in clouds)
    np.testing.assert_allclose(np.loadtxt(out / "kitti" / "times.txt"), [0.1, 0.2])
    assert len(list((out / "kitti" / "velodyne").iterdir())) == len(list((out / "kitti" / "image_2").iterdir())) == 2
    assert json.loads((out / "kitti" / "jounce.json").read_text())["run"] == "run"
    images = json.loads((out / "coco" / "annotations.json").read_text())["images"]
    np.testing.assert_allclose([one["time_s"] for one in images], [0.1, 0.2])


def test_each_frame_has_the_nearest_cloud():
    assert frames_of([0.0, 0.04, 0.06, 0.2, 0.3], [0.0, 0.1], 0.1) == [(0.0, 0), (0.04, 0), (0.06, 1), (0.2, 1)]
    assert frames_of([0.0, 0.1], [0.05], 0.1) == [(0.0, 0), (0.1, 0)], "a single cloud"


def test_without_object_images_coco_has_projected_boxes(run, capsys, tmp_path):
    (tmp_path / "run").mkdir()
    for name in ("telemetry.parquet", "events.jsonl"):
        (tmp_path / "run" / name).write_bytes((run / name).read_bytes())
    out = MessageWriter(tmp_path / "run" / "sensors.mcap")
    with SensorFile(run / "sensors.mcap") as source:
        topics = [one for one in source.topics.values() if "object" not in one.topic and "label" not in one.topic]
        numbers = {one.topic: out.add_channel(one.topic, one.type, one.metadata) for one in topics}
        for one in source.messages(list(numbers)):
            out.write(numbers[one.topic], one.log_time, one.publish_time, [one.data])
    out.finish({})
    assert call(capsys, "export", tmp_path / "run", "--format", "coco")[0] == 0
    read = json.loads((tmp_path / "run" / "export" / "coco" / "annotations.json").read_text())
    assert {one["source"] for one in read["annotations"]} == {"projected true box"}
    boxes = [one for one in read["annotations"] if one["image_id"] == 1]
    for number, mask in masks(run)[0].items():
        mine = [one["bbox"] for one in boxes if one["track_id"] == number]
        rows, columns = np.nonzero(mask)
        if mask.sum() >= AHEAD and mine:
            x, y, width, height = mine[0]
            assert x <= columns.min() + 1 and y <= rows.min() + 1 and x + width >= columns.max() and y + height >= rows.max()
    assert len(boxes) >= 3
