"""Building blocks of generated terrains: smooth steps, distances, profiles, random fields. Arrays in, arrays out; m and rad."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Array
from terrain.generators.generated_terrain import Grid
from terrain.heightmap_detail import TILE, rough_field


def smooth_step(t: Any) -> Array:
    """Return 0 up to t = 0, 1 from t = 1, and the C1 step 3 t^2 - 2 t^3 between."""
    t = np.clip(t, 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t), np.float64)


def smooth_ramp(d: Any, radius: float) -> Array:
    """Return max(d, 0) with a parabola over +- radius at the corner, C1."""
    d = np.asarray(d, np.float64)
    return np.where(np.abs(d) < radius, (d + radius) ** 2 / (4.0 * radius), np.maximum(d, 0.0))


def within(x: Array, low: float, high: float, fade: float) -> Array:
    """Return 1 between low and high, decreasing to 0 over `fade` outside, C1."""
    return smooth_step(1.0 + np.minimum(x - low, high - x) / fade)


def slope_profile(corners: list[tuple[float, float]], curve: float, x: Array) -> Array:
    """Return the heights at x of a road with slope changes: (position, slope from there on), each linear over a length of `curve` m around
    it.

    Vertical curves are parabolas, as in road design; height and slope are 0 before the first change.
    """
    out = np.zeros_like(x)
    before = 0.0
    for place, slope in corners:
        out += (slope - before) * smooth_ramp(x - place, 0.5 * curve)
        before = slope
    return out


def field(shape: tuple[int, int], spacing: float, waviness: float, longest: float, shortest: float, seed: int) -> Array:
    """Return a section (rows, columns) of an isotropic random field with standard deviation 1 and mean 0.

    See `terrain.heightmap_detail.rough_field`. The field repeats only if the section is larger than TILE nodes.
    """
    tile = rough_field(1.0, waviness, min(longest, TILE * spacing), shortest, spacing, seed).astype(np.float64)
    repeats = tuple(-(-n // TILE) for n in shape)
    part = np.tile(tile, repeats)[: shape[0], : shape[1]]
    part -= part.mean()
    return np.asarray(part / part.std(), np.float64)


def rolling(grid: Grid, relief: float, shortest: float, seed: int) -> Array:
    """Return smooth heights (rows, columns) from 0 to `relief` [m] of a square grid, with waves from `shortest` [m] to its side."""
    if relief == 0.0:
        return np.zeros(grid.shape)
    land = field(grid.shape, grid.spacing, 3.0, -2.0 * grid.corner[0], shortest, seed)
    return np.asarray(relief * (land - land.min()) / np.ptp(land))


def blurred(values: Array, deviation: float) -> Array:
    """Smooth values (rows, columns) with a Gaussian window of this standard deviation in nodes; mirrored at the border."""
    from scipy.ndimage import gaussian_filter

    return np.asarray(gaussian_filter(values, deviation, radius=max(1, round(3.0 * deviation))), np.float64)


def polygon_distance(corners: Array, x: Any, y: Any) -> Array:
    """Return the signed distance in m of points from a convex polygon (n, 2), counterclockwise: negative inside."""
    outside = np.full(np.broadcast(x, y).shape, np.inf)
    deepest = np.full(outside.shape, -np.inf)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = (b - a) / np.hypot(*(b - a))
        dx, dy = x - a[0], y - a[1]
        across = dx * along[1] - dy * along[0]  # + = outside
        t = np.clip(dx * along[0] + dy * along[1], 0.0, np.hypot(*(b - a)))
        outside = np.minimum(outside, np.hypot(dx - t * along[0], dy - t * along[1]))
        deepest = np.maximum(deepest, across)
    return np.where(deepest > 0.0, outside, deepest)


def offset_polygon(corners: Array, distances: Any) -> Array:
    """Return the convex polygon (n, 2), counterclockwise, with edge k, after corner k, moved inward by distances[k]."""
    ahead = np.roll(corners, -1, axis=0) - corners
    along = ahead / np.hypot(*ahead.T)[:, None]
    inward = np.column_stack((-along[:, 1], along[:, 0]))
    points = corners + inward * np.broadcast_to(distances, len(corners))[:, None]
    out = np.empty_like(corners)
    for k in range(len(corners)):  # intersection of the previous edge and this edge
        a, b, u, v = points[k - 1], points[k], along[k - 1], along[k]
        s = ((b - a)[0] * v[1] - (b - a)[1] * v[0]) / (u[0] * v[1] - u[1] * v[0])
        out[k] = a + s * u
    return out


def circumscribed(corners: Array, radius: float, parts: int) -> list[Array]:
    """Return points (parts, 2) for each corner of a convex polygon, on a line around the rounding arc of this radius, tangent parts + 1
    times.

    A line through these points with its own corners rounded by this radius (`terrain.features.lines`) is the arc.
    """
    middle = offset_polygon(corners, radius)
    ahead = np.roll(corners, -1, axis=0) - corners
    angle = np.arctan2(ahead[:, 1], ahead[:, 0])
    out = []
    for k in range(len(corners)):
        turn = (angle[k] - angle[k - 1]) % (2.0 * np.pi)
        step = turn / parts
        t = angle[k - 1] + step * (np.arange(parts) + 0.5)
        out.append(middle[k] + radius / np.cos(0.5 * step) * np.column_stack((np.sin(t), -np.cos(t))))
    return out
