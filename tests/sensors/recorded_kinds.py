"""Kinds of sensors for the tests of the recording: a lidar, a camera, an IMU, a GNSS receiver with made-up measurements, and one without messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.fields import Choice, Field
from simulator.base.records import Record
from simulator.sensors.contract import ArrayOutput, SensorInput, SensorKind, SensorSettings
from simulator.sensors.messages import definitions as names
from simulator.sensors.messages.image import camera_info, compressed_image, image
from simulator.sensors.messages.navigation import GPS, SBAS_FIX, imu, nav_sat_fix
from simulator.sensors.messages.point_cloud import point_cloud
from simulator.sensors.messages.topic import Frame, Recording, Topic

POINT = np.dtype(
    [
        ("x", "f4"),
        ("y", "f4"),
        ("z", "f4"),
        ("intensity", "f4"),
        ("ring", "u2"),
        ("time", "f4"),
        ("label", "u1"),
        ("range", "f4"),
        ("object", "i4"),
    ]
)
COLUMNS, RINGS = 36, 16
WIDTH, HEIGHT = 64, 48
K = np.array(((50.0, 0.0, 31.5), (0.0, 50.0, 23.5), (0.0, 0.0, 1.0)))
D = np.array((-0.1, 0.01, 0.001, -0.002, 0.0))
R_SC = np.array(((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)))


class Lidar:
    """Scan of a ring of points, one of them a miss."""

    def __init__(self, settings: SensorSettings) -> None:
        self._random = settings.random

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, np.ndarray]:
        points = np.zeros((COLUMNS, RINGS), POINT)
        azimuth = np.linspace(0.0, 2.0 * np.pi, COLUMNS, endpoint=False)[:, None]
        points["x"], points["y"] = 10.0 * np.cos(azimuth), 10.0 * np.sin(azimuth)
        points["z"] = np.linspace(-1.0, 1.0, RINGS)
        points["intensity"] = self._random.uniform(0.0, 255.0, points.shape)
        points["ring"], points["time"] = np.arange(RINGS), 0.1 * azimuth / (2.0 * np.pi)
        points["label"], points["range"], points["object"] = np.arange(RINGS) % 5, 10.0, -1
        points["x"][3, 2] = points["y"][3, 2] = points["z"][3, 2] = np.nan
        points["range"][3, 2] = np.inf
        out[0]["returns"] = points.size - 1
        return {"points": points}


class Camera:
    """Images of a gradient that moves with the time."""

    def __init__(self, settings: SensorSettings) -> None:
        self._settings = settings

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, np.ndarray]:
        rows, columns = np.mgrid[:HEIGHT, :WIDTH]
        color = np.stack((columns * 4, rows * 5, np.full_like(rows, int(100 * seen.time) % 256)), axis=-1).astype(np.uint8)
        depth = (1.0 + rows + 0.01 * columns).astype(np.float32)
        depth[0, 0] = np.inf
        return {"color": color, "depth": depth, "label": (rows % 7).astype(np.uint8), "object": (columns - 1).astype(np.int32)}


class Nothing:
    """Measures nothing."""

    def __init__(self, settings: SensorSettings) -> None:
        pass

    def step(self, seen: SensorInput, out: Record) -> None:
        out[0]["height"] = seen.readout[0]["p_WB"][2]


class Still(Nothing):
    """IMU at rest."""

    def step(self, seen: SensorInput, out: Record) -> None:
        out[0]["f_S"], out[0]["w_S"] = (0.1, 0.2, 9.8), (0.0, 0.01, 0.02)


class Receiver(Nothing):
    """GNSS receiver at a fixed place."""

    def step(self, seen: SensorInput, out: Record) -> None:
        out[0]["place"] = 48.5, 11.25, 512.0


class Grid(Nothing):
    """Arrays without messages."""

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, np.ndarray]:
        odd = np.zeros(2, [("a", "f8"), ("b", "c16")])
        return {"heights": np.arange(24, dtype=np.float64).reshape(2, 3, 4), "hits": np.zeros(5, POINT), "odd": odd}


def lidar_messages(settings: SensorSettings) -> Recording:
    """Cloud with the time of the start of the scan."""
    return Recording(
        (Topic("points", names.POINT_CLOUD, lambda one: point_cloud(one.time - settings.period, settings.name, one.arrays["points"])),)
    )


def camera_messages(settings: SensorSettings) -> Recording:
    """Images in the optical frame."""
    form, frame = settings.values["form"], f"{settings.name}_optical"
    if form == "raw":
        color = Topic("image_raw", names.IMAGE, lambda one: image(one.time, frame, one.arrays["color"]))
    else:
        color = Topic(
            "image_raw/compressed", names.COMPRESSED_IMAGE, lambda one: compressed_image(one.time, frame, one.arrays["color"], form)
        )
    others = [
        Topic(name, names.IMAGE, lambda one, name=name: image(one.time, frame, one.arrays[name])) for name in ("depth", "label", "object")
    ]
    info = Topic("camera_info", names.CAMERA_INFO, lambda one: camera_info(one.time, frame, (WIDTH, HEIGHT), K, D))
    return Recording((color, info, *others), (Frame(frame, settings.name, np.zeros(3), R_SC),))


def imu_messages(settings: SensorSettings) -> Recording:
    """Message of the scalars."""
    return Recording((Topic("data", names.IMU, lambda one: imu(one.time, settings.name, one["f_S"], one["w_S"])),))


def fix_messages(settings: SensorSettings) -> Recording:
    """Message of the scalars."""
    assert GPS == 1
    return Recording(
        (Topic("fix", names.NAV_SAT_FIX, lambda one: nav_sat_fix(one.time, settings.name, one["place"], (1.0, 2.0, 3.0), SBAS_FIX)),)
    )


def wrong_messages(settings: SensorSettings) -> Recording:
    """Message without its fields."""
    return Recording((Topic("data", names.IMU, lambda one: {"header": {}}),))


_VECTORS = (("f_S", (3,), "m/s2", "specific force"), ("w_S", (3,), "rad/s", "angular rate"))
_HEIGHT = (("height", (), "m", "height"),)
_FORM = (Field("form", Choice(("raw", "png", "jpeg")), "form of color images", "raw"),)


def _array(name: str, dtype: Any, *dimensions: str) -> ArrayOutput:
    return ArrayOutput(name, dtype, dimensions, "1", "S", name)


_IMAGES = (
    _array("color", "u1", "rows", "columns", "channels"), _array("depth", "f4", "rows", "columns"), _array("label", "u1", "rows", "columns"),
    _array("object", "i4", "rows", "columns"),
)  # fmt: skip
_GRID = (
    _array("heights", "f8", "layers", "rows", "columns"), _array("hits", POINT, "hits"), _array("odd", [("a", "f8"), ("b", "c16")], "items"),
)  # fmt: skip
KINDS = {
    one.name: one
    for one in (
        SensorKind(
            "test_lidar",
            (),
            (("returns", (), "1", "returns", "i8"),),
            Lidar,
            2,
            10.0,
            arrays=(_array("points", POINT, "columns", "rings"),),
            messages=lidar_messages,
        ),
        SensorKind("test_camera", _FORM, (), Camera, 2, 10.0, arrays=_IMAGES, latency=0.02, messages=camera_messages),
        SensorKind("test_imu", (), _VECTORS, Still, 2, 100.0, messages=imu_messages),
        SensorKind("test_gnss", (), (("place", (3,), "1", "place"),), Receiver, 2, 5.0, messages=fix_messages),
        SensorKind("test_grid", (), _HEIGHT, Grid, 2, 10.0, arrays=_GRID),
        SensorKind("test_scalar", (), _HEIGHT, Nothing, 2, 10.0),
        SensorKind("test_wrong", (), _VECTORS, Still, 2, 10.0, messages=wrong_messages),
    )
}
