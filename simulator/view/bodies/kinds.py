"""Bodies of vehicles as they are drawn, by the name that a vehicle file gives: each is built to the size of its vehicle. No OpenGL here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulator.view.meshes import Array


class Size(NamedTuple):
    """What of a vehicle its drawn body is built to; m, in B."""

    front: float
    """x of the foremost point of the body"""
    rear: float
    """x of the rearmost one"""
    half_width: float
    axles: tuple[float, ...]
    """x of the wheel centers, from the front"""
    driven: tuple[float, ...]
    """x of those that half shafts come to"""
    center: float
    """z of the wheel centers"""
    radius: float
    """Of the largest tire"""
    head: Array
    """(3,) driver's head"""

    @property
    def ground(self) -> float:
        """z of level ground, about: tires give by a fiftieth of their radius under the vehicle."""
        return self.center - 0.98 * self.radius


@dataclass(frozen=True)
class Body:
    """A drawn body: meshes (n, 10) in B, see `simulator.view.meshes`."""

    shell: Array
    """Sheet metal"""
    fittings: Array
    """What is bolted to it: mirrors, seats, dashboard"""
    glass: Array
    """Panes, to be seen from outside only"""
    frame: Array
    """What the suspension hangs on"""
    steering_wheel: Array
    """About its own center; its axle is x, which points forward and down when mounted"""
    steering_place: tuple[float, float, float]
    """Center of the steering wheel, in B"""
    steering_tilt: float
    """rad. Lean of its axis above the horizontal, towards the driver"""
    cab: Array
    """(2, 3) lower and upper corner of where the eyes of someone seated in it can be, in B"""
    wheel: Callable[[float, float], Array]
    """Mesh of a wheel of that radius and width [m]; its axle is y, +y is the outside"""

    def eye(self, head: Array) -> Array:
        """Where the driver looks from (3,), in B: at his head, or as near to it as he can be in this body."""
        return np.clip(head, *self.cab)


def size_of(geometry: Mapping[str, Any]) -> Size:
    """Size of a vehicle from the checked rows of `simulator.view.vehicle_geometry.GEOMETRY`."""
    length, width, overhang = (float(v) for v in geometry["outline"])
    x, z = np.asarray(geometry["wheel_x"], float), np.asarray(geometry["wheel_z"], float)
    front = float(x[0]) + overhang
    axles, driven = (
        tuple(sorted({round(float(place), 6) for place in places}, reverse=True)) for places in (x, x[np.asarray(geometry["driven"]) > 0.0])
    )
    radius = float(np.max(geometry["tire_radius"]))
    return Size(front, front - length, 0.5 * width, axles, driven, float(z.mean()), radius, np.asarray(geometry["p_BH"], float))


def body_of(geometry: Mapping[str, Any]) -> Body:
    """The drawn body of a vehicle."""
    from simulator.view.bodies.car import car, pickup
    from simulator.view.bodies.hmmwv import hmmwv

    return {"car": car, "pickup": pickup, "hmmwv": hmmwv}[str(geometry["drawn_as"])](size_of(geometry))
