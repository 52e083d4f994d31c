"""Mirrors of drawn vehicles: each glass is turned so that the driver looks along the vehicle to the rear; in B."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.view.bodies.contract import Mirror, Pane
from simulator.view.meshes import Builder

BLACK = (20, 20, 22)
CONVEX = 1.4
"""m. Radius of curvature of door mirrors. [UN Regulation 46: at least 1.2 m for this class]"""
FLAT = np.inf
OUTWARDS, DOWN = 0.10, 0.03
"""Slopes of the driver's line of sight behind the middle of a door mirror: away from the vehicle, and down."""


def door_mirror(center: Any, eye: Any, half: tuple[float, float]) -> Mirror:
    """Return a mirror at the side of a vehicle, adjusted for a driver's eye."""
    side = float(np.sign(center[1]))
    return Mirror(_glass(center, eye, (-1.0, side * OUTWARDS, -DOWN), half), CONVEX, inside=False)


def inside_mirror(center: Any, eye: Any, window: Any, half: tuple[float, float]) -> Mirror:
    """Return the mirror at the windshield, adjusted for a driver's eye; its middle shows the middle of the rear window."""
    return Mirror(_glass(center, eye, np.subtract(window, center), half), FLAT, inside=True)


def _glass(center: Any, eye: Any, seen: Any, half: tuple[float, float]) -> Pane:
    """Return the glass that reflects the line of sight from `eye` at its center into the direction `seen`."""
    center = np.asarray(center, float)
    normal = _unit(_unit(np.subtract(eye, center)) + _unit(np.asarray(seen, float)))
    right = _unit(np.cross((0.0, 0.0, 1.0), normal))
    return Pane(center, right, np.cross(normal, right), half)


def _unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v))


def add_housing(b: Builder, mirror: Mirror, color: Any, depth: float, edge: float = 0.008) -> None:
    """Add the housing behind a mirror, and its dark rim."""
    glass = mirror.glass
    rim = glass._replace(half=(glass.half[0] + edge, glass.half[1] + edge))
    back = rim._replace(half=(0.80 * rim.half[0], 0.80 * rim.half[1])).corners(-depth)
    middle, front = rim.corners(-0.45 * depth), rim.corners()
    b.paint(BLACK, 0.3).polygon(front)
    b.paint(color, 0.4)
    for near, far in ((front, middle), (middle, back)):
        for k in range(4):
            b.polygon((near[(k + 1) % 4], near[k], far[k], far[(k + 1) % 4]))
    b.polygon(back[::-1])
