"""Roads in a height map: smooth center line, graded profile, road bed with crown and embankments, hard surface."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.path_length import path_length
from simulator.base.jit import kernel

STEP = 2.0
"""m. Distance between the points of a center line."""
CROWN_ROUNDING = 0.5
"""m. Approximate width of the curve that joins the two slopes of a crown."""

BED = (
    # name          shape unit  description
    ("half_width", (), "m", "half of the width with full hardness"),
    ("verge", (), "m", "width on each side over which hard ground fades into soil"),
    ("embankment", (), "m", "width beyond the verge over which the bed meets the natural ground"),
    ("crown", (), "1", "slope of the bed, downward from the center line"),
)


def center_line(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute a smooth curve (n, 2) through the corner points (k, 2), k >= 2, with an even spacing of about `STEP`.

    The curve is a centripetal Catmull-Rom spline [Yuksel, Schaefer and Keyser 2011], which has no loops or cusps for any spacing of the points.
    """
    ends = (2.0 * points[0] - points[1], 2.0 * points[-1] - points[-2])
    q = np.vstack((ends[0], points, ends[1]))
    dense = [points[:1]]
    for k in range(len(points) - 1):
        dense.append(_centripetal(q[k : k + 4]))
    curve = np.vstack(dense)
    s = path_length(*curve.T)
    even = np.linspace(0.0, s[-1], max(2, round(s[-1] / STEP) + 1))
    return np.column_stack((np.interp(even, s, curve[:, 0]), np.interp(even, s, curve[:, 1])))


def _centripetal(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points of the curve between q[1] and q[2] of the four points q, without the first (Barry and Goldman's pyramid)."""
    knots = np.concatenate(([0.0], np.cumsum(np.sqrt(np.hypot(*np.diff(q, axis=0).T)))))
    t = np.linspace(knots[1], knots[2], 65)[1:, None]

    def between(a: NDArray, b: NDArray, i: int, j: int) -> NDArray:
        return ((knots[j] - t) * a + (t - knots[i]) * b) / (knots[j] - knots[i])

    a0, a1, a2 = (between(q[k], q[k + 1], k, k + 1) for k in range(3))
    return between(between(a0, a1, 0, 2), between(a1, a2, 1, 3), 1, 2)


def graded_profile(ground: NDArray[np.float64], smoothing: float) -> NDArray[np.float64]:
    """Smooth the ground heights (n,) along a center line with a Gaussian window of standard deviation `smoothing` m.

    At the ends, the heights are extended by point reflection. A road therefore starts and ends at the height and slope of the ground.
    """
    half = min(math.ceil(3.0 * smoothing / STEP), len(ground) - 1)
    window = np.exp(-0.5 * (np.arange(-half, half + 1) * STEP / max(smoothing, 1e-6)) ** 2)
    before = 2.0 * ground[0] - ground[half:0:-1]
    after = 2.0 * ground[-1] - ground[-2 : -half - 2 : -1]
    return np.convolve(np.concatenate((before, ground, after)), window / window.sum(), mode="valid")


@kernel
def mark(points, reach, origin, spacing, distance, station):
    """Compute distance and station of all nodes within `reach` m of the polyline points (n, 2); other nodes are unchanged.

    distance (ny, nx) must contain larger numbers before the call. station is the position along the polyline, in points. origin, spacing: (2,) [x, y] in m.
    """
    ny, nx = distance.shape
    for k in range(points.shape[0] - 1):
        ax, ay = points[k, 0], points[k, 1]
        bx, by = points[k + 1, 0] - ax, points[k + 1, 1] - ay
        square = bx * bx + by * by
        i_low = max(math.ceil((min(ax, ax + bx) - reach - origin[0]) / spacing[0]), 0)
        i_high = min(math.floor((max(ax, ax + bx) + reach - origin[0]) / spacing[0]), nx - 1)
        j_low = max(math.ceil((min(ay, ay + by) - reach - origin[1]) / spacing[1]), 0)
        j_high = min(math.floor((max(ay, ay + by) + reach - origin[1]) / spacing[1]), ny - 1)
        for j in range(j_low, j_high + 1):
            for i in range(i_low, i_high + 1):
                x = origin[0] + i * spacing[0] - ax
                y = origin[1] + j * spacing[1] - ay
                t = min(max((x * bx + y * by) / square, 0.0), 1.0) if square > 0.0 else 0.0
                d = math.sqrt((x - t * bx) ** 2 + (y - t * by) ** 2)
                if d < distance[j, i]:
                    distance[j, i] = d
                    station[j, i] = k + t


@kernel
def fade(d, full, width):
    """Return 1 for d <= full, 0 for d >= full + width, with a C1 step (3 t^2 - 2 t^3) between them."""
    t = min(max((full + width - d) / max(width, 1e-9), 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


@kernel
def grade(p, distance, station, profile, heights):
    """Write the bed of a road into heights (ny, nx): profile minus crown up to the end of the verge, then blended into the ground.

    `p` is a record of `BED`; distance, station as computed by `mark`; profile (n,) m.
    """
    b = p[0]
    edge = b["half_width"] + b["verge"]
    for j in range(heights.shape[0]):
        for i in range(heights.shape[1]):
            d = distance[j, i]
            if d < edge + b["embankment"]:
                k = min(int(station[j, i]), profile.shape[0] - 2)
                t = station[j, i] - k
                bed = (1.0 - t) * profile[k] + t * profile[k + 1]
                bed -= b["crown"] * (math.sqrt(d * d + CROWN_ROUNDING * CROWN_ROUNDING) - CROWN_ROUNDING)
                w = fade(d, edge, b["embankment"])
                heights[j, i] = w * bed + (1.0 - w) * heights[j, i]


@kernel
def pave(p, distance, gain, hardness, roughness, long_waves, detail):
    """Set hardness and roughness of the nodes of a road.

    hardness (ny, nx) is raised to that of the road. roughness and long_waves, the factors of the random fields, become `gain` on the road and keep
    their values outside the bed. detail, the factor of the bumps of natural ground, fades to 0 on the bed. `p` is a record of `BED`.
    """
    b = p[0]
    edge = b["half_width"] + b["verge"]
    for j in range(distance.shape[0]):
        for i in range(distance.shape[1]):
            d = distance[j, i]
            if d < edge + b["embankment"]:
                w = fade(d, b["half_width"], b["verge"])
                hardness[j, i] = max(hardness[j, i], w)
                roughness[j, i] = w * gain + (1.0 - w) * roughness[j, i]
                long_waves[j, i] = w * gain + (1.0 - w) * long_waves[j, i]
                detail[j, i] = min(detail[j, i], 1.0 - fade(d, edge, b["embankment"]))
