"""Rays in the footprint of a beam: one in its center and others on a ring around it, each for an equal area of a uniformly lit disc.

The center stands for the inner disc with 1/n of the area, the ring for the rest: its radius is the root of the mean square of the radii there,
R sqrt((1 + 1/n) / 2), with the radius R = tan(divergence / 2) of the disc at 1 m.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.sensors.lidar.beams import Firings

SIZES = (1, 5, 9)
"""Numbers of rays."""


def with_footprint(fired: Firings, rays: int, divergence: float) -> Firings:
    """Return firings with several rays, index = firing * rays + ray; ray 0 is in the center. `divergence`: full angle [rad]."""
    if rays == 1:
        return fired
    d = fired.direction
    level = np.hypot(d[:, 0], d[:, 1])
    side = np.column_stack((-d[:, 1] / level, d[:, 0] / level, np.zeros(len(d))))  # a laser is never vertical
    up = np.cross(d, side)
    out = np.repeat(d[:, None, :], rays, axis=1)
    radius = math.tan(0.5 * divergence) * math.sqrt(0.5 * (1.0 + 1.0 / rays))
    for k in range(rays - 1):
        angle = math.tau * (k + 0.5) / (rays - 1)
        out[:, k + 1] += radius * (math.cos(angle) * side + math.sin(angle) * up)
    out /= np.linalg.norm(out, axis=2, keepdims=True)
    return fired._replace(
        time=np.repeat(fired.time, rays),
        azimuth=np.repeat(fired.azimuth, rays),
        ring=np.repeat(fired.ring, rays),
        direction=np.ascontiguousarray(out.reshape(-1, 3)),
    )
