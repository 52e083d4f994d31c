"""Rendered images for sensors: what a sensor can ask for, without a dependence on OpenGL. The builder of a session provides it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.records import Record
from terrain.objects.object_set import ObjectSet


class View(NamedTuple):
    """Camera without distortion; the centers of pixels are at integers."""

    width: int
    height: int
    focal: tuple[float, float]
    """fx, fy [pixels]"""
    center: tuple[float, float]
    """cx, cy [pixels]"""
    inside: bool = False
    """True = shows what the driver sees of the vehicle: cab and steering wheel, no panes"""
    shows_vehicle: bool = True


class Rendered(NamedTuple):
    """Images (height, width), top row first; those that were not asked for are empty."""

    color: NDArray[np.uint8]
    """(height, width, 3) sRGB"""
    object: NDArray[np.int32]
    """number of the object; 0 = ground, -1 = nothing, -2 = own vehicle"""
    depth: NDArray[np.float32]
    """m, along the optical axis; inf = nothing"""


class MovingPart(NamedTuple):
    """Part of the drawn vehicle that moves relative to the chassis."""

    triangles: Callable[[Record], Array]
    """Returns the triangles (n, 3, 3) [m], in axes P of the part, for a READOUT record, which tells the sides of the wheels"""
    pose: Callable[[Record], tuple[Array, Array]]
    """Returns p_BP (3,) [m] and R_BP (3, 3) for a READOUT record"""


@dataclass(frozen=True, eq=False)
class VehicleShape:
    """Drawn vehicle without window panes and suspension links."""

    body: Array
    """(n, 3, 3) triangles of body and frame, in B [m]"""
    moving: tuple[MovingPart, ...]
    """Wheels, or for the view from inside the steering wheel"""


class ImageRenderer(Protocol):
    """Renders images of a session. May be used by several threads."""

    @property
    def renderer(self) -> str:
        """Name of the renderer, for example llvmpipe; waits until it is ready. Empty: images cannot be rendered."""

    def shape(self, inside: bool) -> VehicleShape:
        """Return the drawn vehicle, as seen from outside or inside."""

    def eye(self) -> tuple[Array, Array]:
        """Return the position of the driver's eyes (3,) [m] and the axes (3, 3) of the line of sight (x), in B."""

    def open(self, view: View) -> None:
        """Announce a view; each one is closed once."""

    def close(self, view: View) -> None:
        """Close a view."""

    def render(
        self,
        view: View,
        pose: tuple[Array, Array],
        seen: tuple[Record, ObjectSet, Record],
        color: bool,
        objects: bool,
        taken: Callable[[], None],
    ) -> Rendered:
        """Return images; waits until they are rendered.

        Parameters
        ----------
        pose : position p_WC (3,) [m] and optical axes R_WC (3, 3), in W
        seen : READOUT of the vehicle, whose time is that of the images; objects, and states of the other vehicles
            (`simulator.view.vehicle_states.VEHICLE`) at this time
        color, objects : whether to render colors; objects and depths
        taken : called when the state of the world was read, ruts included, and only the images are missing

        Raises DeviceError: images cannot be rendered, see `simulator.view.camera_process.CameraProcess.render`.
        """
