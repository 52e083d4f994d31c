"""Contract of drawn bodies: the dimensions that a body receives, and the meshes that it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array

HOOD = (0.10, 0.20)
"""m. Place of the hood camera: in front of the windshield, and above the hood."""


class Size(NamedTuple):
    """Dimensions of a vehicle for its drawn body; m, in B."""

    front: float
    """x of the foremost point of the body"""
    rear: float
    """x of the rearmost point of the body"""
    half_width: float
    axles: tuple[float, ...]
    """x of the wheel centers, from the front"""
    driven: tuple[float, ...]
    """x of the wheel centers with half shafts"""
    center: float
    """z of the wheel centers"""
    radius: float
    """Radius of the largest tire"""
    head: Array
    """(3,) position of the driver's head"""

    @property
    def ground(self) -> float:
        """Approximate z of level ground: tire deflection is about 2 % of the radius."""
        return self.center - 0.98 * self.radius


class Pane(NamedTuple):
    """Flat rectangle in B, with its axes as one sees them who looks at it."""

    center: Array
    right: Array
    """Unit vector"""
    up: Array
    """Unit vector"""
    half: tuple[float, float]
    """m. Half width and half height"""

    @property
    def normal(self) -> Array:
        """Unit vector towards the viewer."""
        return np.cross(self.right, self.up)

    def corners(self, out: float = 0.0) -> Array:
        """Return the corners (4, 3), counterclockwise from the lower left one, `out` m in front of the rectangle."""
        across, high = self.half[0] * self.right, self.half[1] * self.up
        return self.center + out * self.normal + np.array((-across - high, across - high, across + high, high - across))


class Mirror(NamedTuple):
    """Mirror of a vehicle."""

    glass: Pane
    radius: float
    """m. Radius of curvature of its convex glass; inf = flat"""
    inside: bool
    """True: sees the inside of the vehicle"""


class Lever(NamedTuple):
    """Part of the cabin that the driver moves."""

    mesh: Array
    """In its own axes, which are those of B, about its hinge"""
    hinge: tuple[float, float, float]
    """In B"""
    moves_by: str
    """throttle, brake, or gear"""


@dataclass(frozen=True)
class Cabin:
    """Inside of a body, for who sits in it."""

    mesh: Array
    """What one sees besides the shell, in place of the fittings"""
    levers: tuple[Lever, ...]
    """Pedals and gear lever"""
    gauges: Pane
    """Place of the gauges"""
    top_speed: float
    """m/s. End of the scale of the speedometer"""
    mirrors: tuple[Mirror, ...]


@dataclass(frozen=True)
class Body:
    """Drawn body: meshes (n, 10) in B, see `simulator.view.meshes`."""

    shell: Array
    """Sheet metal"""
    fittings: Array
    """Mounted parts: mirrors, seats, dashboard"""
    glass: Array
    """Window panes, visible only from outside"""
    frame: Array
    """Frame and mounts of the suspension"""
    steering_wheel: Array
    """Steering wheel about its own center; its axle is x, which points forward and down when mounted"""
    steering_place: tuple[float, float, float]
    """Center of the steering wheel, in B"""
    steering_tilt: float
    """rad. Tilt of the axle of the steering wheel above the horizontal, towards the driver"""
    cab: Array
    """(2, 3) lower and upper corner of the possible positions of the driver's eyes, in B"""
    wheel: Callable[[float, float], Array]
    """Returns the mesh of a wheel with a radius and width [m]; its axle is y, +y is the outside"""
    paint: Sequence[int]
    """sRGB color, 0 to 255, of the parts that have another color on a vehicle with a paint of its own"""
    cabin: Cabin
    caliper: Callable[[float, float], Array] | None = None
    """As `wheel`: the part of a brake that is visible through the wheel and does not turn with it"""
    lining: Array | None = None
    """Inside of the sheet metal, so near to it that coarser meshes of a distant vehicle leave it out"""

    inner_shell: Array | None = None
    """Sheet metal that the driver sees, around the cabin; None: the shell"""
    seats: bool = True
    """Whether a driver sits in it"""

    def eye(self, head: Array) -> Array:
        """Return the position of the driver's eyes (3,), in B: the head, limited to the cab of this body."""
        return np.clip(head, *self.cab)

    def hood(self) -> Array:
        """Return the place of a camera on the hood (3,), in B: in front of the windshield, above the sheet metal there."""
        x = float(self.glass[:, 0].max()) + HOOD[0] if len(self.glass) else float(self.cab[1, 0]) + 1.0
        return np.array([x, 0.0, _top_at(self.shell, x) + HOOD[1]])


def _top_at(mesh: Array, x: float) -> float:
    """Return the greatest z of a mesh above (x, 0); that of all corners beyond x without a triangle there."""
    p = np.asarray(mesh, float)[:, :3].reshape(-1, 3, 3)
    a, b, c = p[:, 0], p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
    area = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
    safe = np.where(np.abs(area) > 1e-9, area, 1.0)
    u = ((x - a[:, 0]) * c[:, 1] + a[:, 1] * c[:, 0]) / safe
    v = -((x - a[:, 0]) * b[:, 1] + a[:, 1] * b[:, 0]) / safe
    over = (np.abs(area) > 1e-9) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
    z = (a[:, 2] + u * b[:, 2] + v * c[:, 2])[over] if over.any() else p[..., 2][p[..., 0] > x - 0.3]
    return float(z.max(initial=float(p[..., 2].min())))
