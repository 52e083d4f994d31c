"""Camera: color images by OpenGL, depth, label and object images by rays or by OpenGL.

All pixels show the same time, that of the measurement (global shutter); there is no motion blur and no noise. Sensor axes S are x forward, y left, z up;
images are those of the optical axes of `geometry`. A distorted color image is resampled (`resample`), a distorted depth image has one ray for each
distorted pixel.
"""

from __future__ import annotations

import math
import warnings
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import DeviceError, InsideBodyWarning, JounceError, SensorWarning
from simulator.base.jit import kernel
from simulator.base.records import Record
from simulator.base.rotations import rotation_of_quaternion
from simulator.sensors.camera.geometry import R_SC, Intrinsics, all_pixels, rays_of
from simulator.sensors.camera.own_vehicle import OwnVehicle
from simulator.sensors.camera.parameters import DRIVER_EYE, OPENGL, PARAMETERS, RAW, intrinsics_of
from simulator.sensors.camera.ray_images import PixelRays, RayImages, cast_images
from simulator.sensors.contract import ArrayOutput, Mount, SensorInput, SensorKind, SensorSettings
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.definitions import CAMERA_INFO, COMPRESSED_IMAGE, IMAGE
from simulator.sensors.messages.image import camera_info, compressed_image, image
from simulator.sensors.messages.topic import Frame, Message, Recording, Topic
from simulator.sensors.ray_threads import RayThreads
from simulator.sensors.rendering import Rendered, View
from terrain.rays.caster import labels_of
from vehicles.contact.vehicle_rays import is_inside_body

OUTPUT = (
    ("rendered", (), "1", "1 if the measurement has a color image", "i8"),
    ("color_crc", (), "1", "CRC-32 of the color image, to compare runs; 0 without one", "i8"),
    (
        "renderer",
        (),
        "1",
        "CRC-32 of the name of the renderer of OpenGL; 0 without one. Another renderer makes slightly other images",
        "i8",
    ),
    ("object_crc", (), "1", "CRC-32 of depth, label and object images; 0 without them", "i8"),
)
ARRAYS = (
    ArrayOutput("color", "u1", ("rows", "columns", "rgb"), "1", "", "sRGB colors, top row first"),
    ArrayOutput("depth", "f4", ("rows", "columns"), "m", "C", "depth along the optical axis; inf = nothing within max_range"),
    ArrayOutput("label", "u1", ("rows", "columns"), "1", "", "number of the label of the object, see docs/objects.md"),
    ArrayOutput("object", "i4", ("rows", "columns"), "1", "", "number of the object; 0 = ground, -1 = nothing, -2 = own vehicle"),
)


# Distorted color images: a wider image without distortion is rendered and resampled.
#
# The table of the places is computed once from `geometry`. Colors are interpolated between the four nearest pixels (bilinear), in sRGB.
BORDER = 2
"""Pixels around the part of the ideal image that is used."""
MOST = 4.0
"""Maximum number of pixels of the ideal image divided by that of the distorted one; a wider image has a smaller scale."""


class Resampler:
    """Makes distorted images of ideal ones.

    Attributes
    ----------
    ideal : intrinsics of the ideal image
    """

    def __init__(self, camera: Intrinsics) -> None:
        rays = rays_of(camera, all_pixels(camera))
        seen = np.isfinite(rays[:, 0])
        xy = rays[seen, :2]
        low, high = xy.min(axis=0), xy.max(axis=0)
        focal = np.array((camera.fx, camera.fy))
        pixels = float(np.prod((high - low) * focal))
        focal *= min(1.0, math.sqrt(MOST * camera.width * camera.height / max(pixels, 1.0)))
        size = np.ceil((high - low) * focal).astype(int) + 1 + 2 * BORDER
        center = BORDER - low * focal
        self.ideal = Intrinsics(int(size[0]), int(size[1]), float(focal[0]), float(focal[1]), float(center[0]), float(center[1]))
        self._places: Array = np.full((len(seen), 2), -1.0)
        self._places[seen] = xy * focal + center
        self._shape = camera.height, camera.width

    def distorted(self, color: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the distorted image (height, width, 3) of an ideal one; pixels without a ray are black."""
        out = np.zeros((*self._shape, 3), np.uint8)
        resample(color, self._places, out.reshape(-1, 3))
        return out


@kernel
def resample(color, places, out):
    """Write the colors at places (n, 2) u, v of an image (height, width, 3) to `out` (n, 3); places with u < 0 are left out."""
    for n in range(len(places)):
        u, v = places[n, 0], places[n, 1]
        if u < 0.0:
            continue
        i, j = int(u), int(v)
        a, b = u - i, v - j
        for k in range(3):
            upper = (1.0 - a) * color[j, i, k] + a * color[j, i + 1, k]
            lower = (1.0 - a) * color[j + 1, i, k] + a * color[j + 1, i + 1, k]
            out[n, k] = int((1.0 - b) * upper + b * lower + 0.5)


# Images of a camera in the file of sensor data: topics as those of a camera driver in ROS, in the optical frame of the camera.
#
# image_raw, or image_raw/compressed     color
# depth/image_raw, label/image_raw, object/image_raw     32FC1 [m], mono8, 32SC1
# camera_info                            intrinsics, with each image
def recording(settings: SensorSettings) -> Recording:
    """Return the topics of a camera."""
    values, frame = settings.values, f"{settings.name}_optical"
    camera, form = intrinsics_of(values), values["color_format"]
    rendered = {} if settings.renderer is None else {"renderer": settings.renderer.renderer}
    topics = []
    for name in values["images"]:
        by_opengl = name == "color" or values["depth_from"] == OPENGL
        raw = name != "color" or form == RAW
        where = ("" if name == "color" else f"{name}/") + ("image_raw" if raw else "image_raw/compressed")
        made = _raw(name, frame) if raw else _compressed(name, frame, form)
        topics.append(Topic(where, IMAGE if raw else COMPRESSED_IMAGE, made, rendered if by_opengl else {}))
    size = camera.width, camera.height

    def info(one: Measurement) -> Message | None:
        return camera_info(one.time, frame, size, camera.K, camera.D) if one.arrays else None

    topics.append(Topic("camera_info", CAMERA_INFO, info))
    return Recording(tuple(topics), (Frame(frame, settings.name, np.zeros(3), R_SC),))


def _raw(name: str, frame: str) -> Callable[[Measurement], Message | None]:
    return lambda one: image(one.time, frame, one.arrays[name]) if name in one.arrays else None


def _compressed(name: str, frame: str, form: str) -> Callable[[Measurement], Message | None]:
    return lambda one: compressed_image(one.time, frame, one.arrays[name], form) if name in one.arrays else None


class Camera:
    """Camera with the model of this module. Parameters: see `parameters`.

    Attributes
    ----------
    intrinsics : size, focal lengths and distortion of the images
    mount : position and axes; with the preset driver_eye, those of the settings are relative to the driver's eyes and line of sight
    """

    def __init__(self, settings: SensorSettings) -> None:
        values = settings.values
        self.intrinsics = intrinsics_of(values)
        self._name, self._shapes = settings.name, settings.renderer
        self._renderer = settings.renderer
        """None = renders nothing, or no more"""
        self._images: tuple[str, ...] = tuple(values["images"])
        self._by_opengl = values["depth_from"] == OPENGL
        self._max_range, self._own_vehicle = float(values["max_range"]), bool(values["own_vehicle"])
        self._inside = values["preset"] == DRIVER_EYE
        self.mount = self._mount_of(settings.mount)
        self._warn_inside_body(settings)
        if self._by_opengl and self.intrinsics.is_distorted:
            raise JounceError("depth_from: opengl with a distortion; expected rays, or no distortion")
        self._resampler = Resampler(self.intrinsics) if self.intrinsics.is_distorted and "color" in self._images else None
        ideal = self.intrinsics if self._resampler is None else self._resampler.ideal
        self._view = _view(ideal, self._inside, self._own_vehicle)
        self._rays = PixelRays(self.intrinsics) if self._has_objects else None
        self._own = self._own_body() if not self._by_opengl else None
        self._threads = RayThreads(int(values["threads"]))
        if self._renderer is not None and self._renders:
            self._renderer.open(self._view)

    @property
    def _has_objects(self) -> bool:
        return any(name != "color" for name in self._images)

    @property
    def _renders(self) -> bool:
        return "color" in self._images or (self._has_objects and self._by_opengl)

    def _mount_of(self, mount: Mount) -> Mount:
        if not self._inside or self._renderer is None:
            return mount
        p_BE, R_BE = self._renderer.eye()
        return Mount(p_BE + R_BE @ mount.p_BS, R_BE @ mount.R_BS)

    def _warn_inside_body(self, settings: SensorSettings) -> None:
        """Warn if the camera shows the own vehicle from inside its body; the driver's view has a cab."""
        if self._inside or not self._own_vehicle or settings.body is None or not is_inside_body(settings.body, self.mount.p_BS):
            return
        text = f"its position {self.mount.p_BS.tolist()} is inside the body of the vehicle, which hides the view"
        hint = "set mount, or own_vehicle: false"
        warnings.warn(f"sensor {settings.name}: {text}; hint: {hint}", InsideBodyWarning, stacklevel=2)

    def step(self, seen: SensorInput, out: Record) -> Mapping[str, NDArray[Any]]:
        """Take the images. Only a renderer reads the ruts; rays see the world of the input without them."""
        if self._renderer is None or not self._renders:
            seen.release()
        p_WS, R_WS = self._pose(seen.readout)
        rendered = self._rendered(seen, p_WS, R_WS @ R_SC)
        arrays: dict[str, NDArray[Any]] = {}
        if rendered is not None and "color" in self._images:
            arrays["color"] = rendered.color if self._resampler is None else self._resampler.distorted(rendered.color)
        if self._has_objects:
            images = self._cast(seen, p_WS, R_WS) if rendered is None or not self._by_opengl else self._from(rendered, seen)
            arrays |= {name: getattr(images, name) for name in self._images if name != "color"}
        values = out[0]
        values["rendered"] = "color" in arrays
        values["color_crc"] = _crc(arrays["color"]) if "color" in arrays else 0
        values["renderer"] = zlib.crc32(self._renderer.renderer.encode()) if rendered is not None and self._renderer is not None else 0
        values["object_crc"] = 0
        for name in ("depth", "label", "object"):
            if name in arrays:
                values["object_crc"] = _crc(arrays[name], int(values["object_crc"]))
        return arrays

    def close(self) -> None:
        """End the threads, and release the renderer."""
        self._threads.close()
        self._close_view()

    def _close_view(self) -> None:
        if self._renderer is not None and self._renders:
            self._renderer.close(self._view)

    def _pose(self, readout: Record) -> tuple[Array, Array]:
        """Return p_WS and R_WS."""
        R_WB = np.empty((3, 3))
        rotation_of_quaternion(readout[0]["q_WB"], R_WB)
        return readout[0]["p_WB"] + R_WB @ self.mount.p_BS, R_WB @ self.mount.R_BS

    def _rendered(self, seen: SensorInput, p_WC: Array, R_WC: Array) -> Rendered | None:
        """Return the rendered images; None where none are needed, or they cannot be rendered and rays do without.

        Raises DeviceError: they cannot be rendered, and the camera has only colors.
        """
        if self._renderer is None or not self._renders:
            return None
        color, objects = "color" in self._images, self._has_objects and self._by_opengl
        try:
            world = seen.readout, seen.world.objects, seen.world.vehicles
            return self._renderer.render(self._view, (p_WC, R_WC), world, color, objects, seen.release)
        except DeviceError as error:
            if not self._has_objects:
                raise
            self._give_up(error)
            return None

    def _give_up(self, error: DeviceError) -> None:
        """Continue without OpenGL."""
        self._close_view()
        self._renderer = None
        text = f"sensor {self._name}: no color images, other images by rays: {error}"
        warnings.warn(text, SensorWarning, stacklevel=2)

    def _cast(self, seen: SensorInput, p_WS: Array, R_WS: Array) -> RayImages:
        assert self._rays is not None
        if self._own is None:
            self._own = self._own_body()
        own = None if self._own is None else self._own.ranges(seen.readout)
        return cast_images(self._rays, seen.world.caster, p_WS, R_WS, self._max_range, seen.time, own, self._threads)

    def _own_body(self) -> OwnVehicle | None:
        """Return the own vehicle for the rays; None without it."""
        if not self._own_vehicle or self._shapes is None or self._rays is None:
            return None
        return OwnVehicle(self._shapes.shape(self._inside), self.mount, self._rays.directions_S)

    def _from(self, rendered: Rendered, seen: SensorInput) -> RayImages:
        """Return rendered objects and depths, limited to the maximum range, with labels."""
        assert self._rays is not None
        stretch = self._rays.stretch.reshape(rendered.depth.shape)
        far = rendered.depth * stretch > self._max_range
        numbers, depth = np.where(far, np.int32(-1), rendered.object), np.where(far, np.float32(np.inf), rendered.depth)
        return RayImages(depth, numbers, labels_of(numbers, seen.world.objects))


def _crc(image: NDArray[Any], before: int = 0) -> int:
    return zlib.crc32(np.ascontiguousarray(image).data, before)


def _view(camera: Intrinsics, inside: bool, own_vehicle: bool) -> View:
    return View(camera.width, camera.height, (camera.fx, camera.fy), (camera.cx, camera.cy), inside, own_vehicle)


KIND = SensorKind(
    "camera",
    PARAMETERS,
    OUTPUT,
    Camera,
    contract=2,
    rate=10.0,
    meaning="color, depth, label and object images, with distortion",
    arrays=ARRAYS,
    latency=0.05,
    in_thread=True,
    messages=recording,
    made_arrays=lambda settings: settings.values["images"],
)
