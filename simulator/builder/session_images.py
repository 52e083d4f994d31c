"""Rendered images for the sensors of a session: the drawn vehicle and the process that renders, for `simulator.sensors.rendering`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.records import Record, record
from simulator.sensors.rendering import MovingPart, Rendered, VehicleShape, View
from simulator.weather import CLEAR, Weather
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.rut_memory import SoilMemory

if TYPE_CHECKING:
    from simulator.view.bodies.contract import Body
    from simulator.view.camera_process import CameraProcess


class SessionImages:
    """Image renderer of the sessions of one vehicle on one ground (`simulator.sensors.rendering.ImageRenderer`).

    The process starts with the first image and ends with the last view. `keep` lets it live on until `release`, for a further session.

    Parameters
    ----------
    ground : of the sessions
    geometry : returns the rows of `simulator.view.vehicle_geometry.GEOMETRY`, called when the first image is needed
    weather : of the sessions

    Attributes
    ----------
    soil : ruts to show, those of the present session
    """

    def __init__(self, ground: Ground, geometry: Callable[[], Mapping[str, Any]], weather: Weather = CLEAR) -> None:
        self._ground, self._geometry_of, self._weather = ground, geometry, weather
        self.soil: SoilMemory | None = None
        self._users = 0

    @cached_property
    def _geometry(self) -> Mapping[str, Any]:
        return self._geometry_of()

    @cached_property
    def _process(self) -> CameraProcess:
        from simulator.view.camera_process import CameraProcess

        return CameraProcess(self._ground, self._geometry, self._weather)

    @cached_property
    def _body(self) -> Body:
        from simulator.view.bodies.kinds import body_of
        from simulator.view.vehicle_geometry import checked_geometry

        return body_of(checked_geometry(self._geometry))

    @property
    def renderer(self) -> str:
        """Name of the renderer, see `simulator.sensors.rendering.ImageRenderer`."""
        return self._process.renderer

    def eye(self) -> tuple[Array, Array]:
        """Return position and axes of the driver's eyes, see `simulator.sensors.rendering.ImageRenderer`."""
        from simulator.view.camera import LOOKS_DOWN
        from simulator.view.poses import spin

        return np.asarray(self._body.eye(self._geometry["p_BH"]), float), spin(math.atan(LOOKS_DOWN))

    def shape(self, inside: bool) -> VehicleShape:
        """Return the drawn vehicle, see `simulator.sensors.rendering.ImageRenderer`."""
        body = self._body
        if inside:
            parts = (MovingPart(lambda _: _triangles(body.steering_wheel), partial(_steering_wheel_pose, body)),)
            return VehicleShape(_triangles(body.shell, body.cabin.mesh), parts)
        count = len(self._geometry["tire_radius"])
        wheels = tuple(MovingPart(partial(self._wheel, k), partial(_wheel_pose, k)) for k in range(count))
        return VehicleShape(_triangles(body.shell, body.fittings, body.frame), wheels)

    def _wheel(self, k: int, readout: Record) -> Array:
        """Return the triangles of a wheel, as `simulator.view.vehicle_renderer` draws it."""
        from simulator.view.meshes import mirrored

        mesh = self._body.wheel(float(self._geometry["tire_radius"][k]), float(self._geometry["tire_width"][k]))
        return _triangles(mirrored(mesh) if readout[0]["p_BK"][k, 1] < 0.0 else mesh)

    def open(self, view: View) -> None:
        """Announce a view."""
        self._users += 1
        self._process.reserve(_camera(view))

    def close(self, view: View) -> None:
        """Close a view."""
        self.release()

    def keep(self) -> None:
        """Let the process live on without a view until `release`."""
        self._users += 1

    def release(self) -> None:
        """End what `keep` or `open` has begun."""
        self._users -= 1
        if self._users == 0 and "_process" in self.__dict__:
            self._process.close()

    def render(
        self,
        view: View,
        pose: tuple[Array, Array],
        seen: tuple[Record, ObjectSet, Record],
        color: bool,
        objects: bool,
        taken: Callable[[], None],
    ) -> Rendered:
        """Return images, see `simulator.sensors.rendering.ImageRenderer`."""
        self._process.soil = self.soil
        images = self._process.render(_camera(view), pose, *seen, color=color, numbers=objects, taken=taken)
        numbers: NDArray[np.int32] = np.where(images.number > 0, images.number + np.int32(seen[1].first - 1), images.number)
        return Rendered(images.color, numbers, images.depth)


def _camera(view: View) -> Record:
    from simulator.view.camera_images import CAMERA

    out = record(CAMERA)
    c = out[0]
    c["width"], c["height"], c["focal"], c["center"] = view.width, view.height, view.focal, view.center
    c["inside"], c["shows_vehicle"] = view.inside, view.shows_vehicle
    return out


def _triangles(*meshes: NDArray[Any]) -> Array:
    """Return the triangles (n, 3, 3) of meshes of `simulator.view.meshes`."""
    triangles: Array = np.concatenate([np.asarray(mesh, float)[:, :3] for mesh in meshes]).reshape(-1, 3, 3)
    return triangles


def _wheel_pose(k: int, readout: Record) -> tuple[Array, Array]:
    from simulator.view.poses import spin

    s = readout[0]
    return s["p_BK"][k].copy(), s["R_BK"][k] @ spin(float(s["wheel_angle"][k]))


def _steering_wheel_pose(body: Body, readout: Record) -> tuple[Array, Array]:
    from simulator.view.poses import steering_wheel_rotation

    return np.asarray(body.steering_place, float), steering_wheel_rotation(body.steering_tilt, float(readout[0]["steering_wheel_angle"]))
