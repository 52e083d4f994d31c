"""Points of a scan as a structured array."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.jit import kernel
from simulator.sensors.lidar.signal import FALSE, HIGHEST, LOWEST

WEATHER = -3
"""Object of a false return from rain or fog."""
POINT = np.dtype(
    [
        *((name, np.float32) for name in ("x", "y", "z", "intensity")),
        ("ring", np.uint16),
        ("time", np.float32),
        ("range", np.float32),
        ("object", np.int32),
        ("label", np.uint8),
    ],
    align=True,
)
"""A point: x, y, z [m], intensity (100 = white), ring, time after the start of the scan [s] (of de-skewed points: after its
end, so negative), measured range [m], number of the object, number of the label."""


@kernel
def fill_points(central, directions, ranges, strengths, ray, numbers, rays, points):
    """Fill points (n,) of POINT, all but their labels.

    Parameters
    ----------
    central : `simulator.sensors.lidar.beams.Firings`
    directions : (n, 3) unit vectors
    ranges, strengths, ray : (n,) see `simulator.sensors.lidar.signal.Work`
    numbers : (n * rays,) object that each ray of the footprints meets
    """
    for n in range(len(points)):
        p, r = points[n], ranges[n]
        hit = r < math.inf
        for_xyz = r if hit else math.nan
        p["x"], p["y"], p["z"] = for_xyz * directions[n, 0], for_xyz * directions[n, 1], for_xyz * directions[n, 2]
        p["intensity"] = min(max(math.floor(100.0 * strengths[n] + 0.5), LOWEST), HIGHEST)
        p["ring"], p["time"], p["range"] = central.ring[n], central.time[n], r
        p["object"] = numbers[n * rays + ray[n]] if ray[n] >= 0 else (WEATHER if ray[n] == FALSE else -1)


@kernel
def fill_deskewed(origins, directions, p_WS, R_WS, ranges, late, points):
    """Write the positions of points (n,) of POINT in the sensor axes R_WS (3, 3) at p_WS (3,), in W, and make their times earlier by `late` [s].

    origins, directions : (n, 3) of the beams in W, directions are unit vectors
    """
    for n in range(len(points)):
        p, r = points[n], ranges[n]
        p["time"] -= late
        if r < math.inf:
            x, y, z = (
                origins[n, 0] + r * directions[n, 0] - p_WS[0],
                origins[n, 1] + r * directions[n, 1] - p_WS[1],
                origins[n, 2] + r * directions[n, 2] - p_WS[2],
            )
            p["x"] = R_WS[0, 0] * x + R_WS[1, 0] * y + R_WS[2, 0] * z
            p["y"] = R_WS[0, 1] * x + R_WS[1, 1] * y + R_WS[2, 1] * z
            p["z"] = R_WS[0, 2] * x + R_WS[1, 2] * y + R_WS[2, 2] * z
