"""Lines of a generic car: the curves and surfaces that its panels follow, scaled to the vehicle; in chassis axes B.

All heights are fractions of the height of the roof above the ground. All positions along the car are relative to axles, ends and driver's
head, so that for any vehicle file the wheels are in the arches and the driver is under the roof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.view.bodies.contract import Size

ARCH = 1.13
"""Radius of a wheel arch divided by that of the tire."""
ARCH_COUNT = 15
"""Points along the edge of a wheel arch"""
SILL = 0.135
"""Height of the lower edge of the sides as a fraction of the roof height."""
ROUND_IN, ROUND_UP = 0.070, 0.035
"""m. Size of the rounding between the sides and the lids: inwards and upwards."""
BUMPER = 0.07
"""m. How far the rear bumper of a body with a bed stands out"""
FLARE = 0.014
"""m. How far the fenders stand out at the wheel arches."""
_SIDE = ((0.0, 0.045), (0.06, 0.016), (0.14, 0.004), (0.36, 0.012), (0.60, 0.004), (0.68, 0.0), (0.71, 0.004), (0.85, 0.022), (1.0, 0.05))
_FRONT = ((0.0, 0.075), (0.10, 0.016), (0.22, 0.0), (0.45, 0.008), (0.62, 0.02), (0.85, 0.05), (1.0, 0.085))
_REAR = ((0.0, 0.085), (0.12, 0.012), (0.25, 0.0), (0.40, 0.002), (0.47, 0.020), (0.70, 0.018), (0.88, 0.010), (1.0, 0.030))
"""Sections of side, front and rear from the sill (0) to the shoulder (1): distance [m] inside the widest plan."""
_NOSE = ((0.0, 0.0), (0.035, 0.35), (0.11, 0.64), (0.25, 0.845), (0.55, 0.955))
_TAIL = ((0.0, 0.0), (0.022, 0.36), (0.075, 0.68), (0.19, 0.87), (0.55, 0.968))
"""Plan of the ends: distance [m] from the foremost or rearmost point, fraction of the half width."""


class Style(NamedTuple):
    """Proportions of a kind of body."""

    paint: Sequence[int]
    """sRGB color"""
    roof: float = 0.25
    """m. From the center of the driver's head to the outside of the roof"""
    cowl: tuple[float, float] = (0.92, 0.25)
    """m. Lower edge of the windshield: ahead of the head, and at least behind the front axle"""
    shield_top: float = 0.18
    """m. Upper edge of the windshield ahead of the head"""
    roof_end: tuple[float, float] = (1.10, 0.30)
    """m. Rear edge of the roof behind the head, at most so much behind the rear axle"""
    back: tuple[float, float] = (1.72, 0.35)
    """m. Lower edge of the rear window behind the head, and at least ahead of the rearmost point"""
    shoulder: tuple[float, ...] = (0.69, 0.68, 0.66, 0.635, 0.585, 0.485)
    """Heights of the shoulder at the tail, the rear window, the head, the cowl, the front axle and the nose"""
    roof_half: float = 0.63
    """Half width of the roof divided by that of the body"""
    blunt: tuple[float, float] = (1.0, 1.0)
    """Depth of the rounding of nose and tail, 1 = that of a sedan"""
    rear_upright: bool = False
    """Tailgate in place of a trunk lid"""
    bed: bool = False
    """Open bed in place of a trunk"""
    doors: int = 2
    """Doors on a side"""
    panel_van: bool = False
    """Sheet metal in place of the windows behind the driver's door"""
    grille: str = "slats"
    """"slats", "bars" or "none" """
    clad: bool = False
    """Unpainted arches and sills"""
    spokes: str = "pairs"
    """Rim: "pairs", "five", "blades" or "steel" """


class Lines:
    """Curves and surfaces of a body. t is the way along the widest plan of its left half, from the middle of the nose to that of the tail."""

    def __init__(self, size: Size, style: Style) -> None:
        self.size, self.style, self.paint, self.bed = size, style, style.paint, style.bed
        self.ground = size.ground
        self.height = float(size.head[2]) + style.roof - size.ground
        head, front, rear = float(size.head[0]), size.axles[0], size.axles[-1]
        self.cowl = min(head + style.cowl[0], front - style.cowl[1])
        self.shield_top, self.pillar = head + style.shield_top, head - 0.28
        self.roof_end = head - style.roof_end[0] if style.bed else max(head - style.roof_end[0], rear - style.roof_end[1])
        self.back = head - style.back[0] if style.bed else max(head - style.back[0], size.rear + style.back[1])
        if style.rear_upright:
            self.roof_end, self.back = size.rear + style.roof_end[1], size.rear + style.back[1]
        at = (size.rear, self.back, head, self.cowl, front, size.front)
        self._shoulder = _curve(np.column_stack((at, style.shoulder)), 12)
        self.roof_half = style.roof_half * size.half_width
        self._plan()
        self.belt_in = 1.0 - (ROUND_IN + 0.05) / size.half_width
        """Half width between the lower edges of the side windows divided by that of the body."""

    def _plan(self) -> None:
        s, half = self.size, self.size.half_width - FLARE
        front = [(s.front - self.style.blunt[0] * x, half * y) for x, y in _NOSE]
        self.tail = s.rear + (BUMPER if self.bed else 0.0)
        """x of the rearmost point without the bumper"""
        rear = [(self.tail + self.style.blunt[1] * x, half * y) for x, y in _TAIL]
        points = [*front, (front[-1][0] - 0.8, half), (rear[-1][0] + 0.8, half), *rear[::-1]]
        mirrored = [(points[1][0], -points[1][1]), *points, (points[-2][0], -points[-2][1])]
        fine = _curve(np.array(mirrored), 24)[24:-24]
        way = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))))
        along = np.gradient(fine, way, axis=0)
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        self._fine, self._way = np.column_stack((fine, along[:, 1], -along[:, 0])), way
        """Points and outward normals of the plan; way to them"""
        self.end_of_plan = float(way[-1])

    def t_of_x(self, x: Any) -> Any:
        """Return t where the plan is at x."""
        return np.interp(-np.asarray(x, float), -self._fine[:, 0], self._way)

    def t_of_y(self, share: Any, front: bool) -> Any:
        """Return t on the front or rear where the plan is at a fraction of the half width."""
        half = len(self._way) // 2
        y, way = self._fine[:, 1], self._way
        y, way = (y[:half], way[:half]) if front else (y[:half:-1], way[:half:-1])
        return np.interp(np.asarray(share, float) * self.size.half_width, y, way)

    def plan(self, t: Any) -> Array:
        """Return x, y of the plan and of its outward normal at t, in a last axis of four."""
        return np.stack([np.interp(t, self._way, self._fine[:, k]) for k in range(4)], axis=-1)

    def z(self, share: Any) -> Any:
        """Return the height in B of a fraction of the roof height."""
        return self.ground + self.height * np.asarray(share, float)

    def shoulder(self, x: Any) -> Any:
        """Return z of the upper edge of the body's side."""
        return self.z(np.interp(x, self._shoulder[:, 0], self._shoulder[:, 1]))

    def level(self, t: Any, share: Any) -> Any:
        """Return z at t of a fraction of the way from the sill, 0, to the shoulder, 1."""
        top = self.shoulder(self.plan(t)[..., 0])
        return self.z(SILL) + np.asarray(share) * (top - self.z(SILL))

    def surface(self, t: Any, z: Any, out: float = 0.0) -> Array:
        """Return the points of the body below the shoulder, `out` in front of it; above the shoulder: on the rounding up to the lids."""
        t, z = np.broadcast_arrays(np.asarray(t, float), np.asarray(z, float))
        x, y, nx, ny = np.moveaxis(self.plan(t), -1, 0)
        low, top = float(self.z(SILL)), self.shoulder(x)
        share = np.clip((z - low) / (top - low), 0.0, 1.0)
        side, front, rear = (np.interp(share, *np.array(part).T) for part in (_SIDE, _FRONT, _REAR))
        if self.bed:
            rear = 0.4 * rear
        inside = ny * ny * side + nx * nx * np.where(nx > 0.0, front, rear)
        for axle in self.size.axles:
            away = np.hypot(x - axle, z - self.size.center) - ARCH * self.size.radius
            inside = inside - FLARE * ny * ny * np.exp(-((away / 0.11) ** 2)) * (1.0 - share)
        up = np.clip((z - top) / ROUND_UP, 0.0, 1.0)
        inside = inside + ROUND_IN * (1.0 - np.sqrt(np.maximum(1.0 - up * up, 0.0))) - out
        return np.stack((x - nx * inside, np.maximum(y - ny * inside, 0.0), z), axis=-1)

    def normals(self, t: Any, z: Any) -> Array:
        """Return the outward normals of `surface`."""
        t, z = np.broadcast_arrays(np.asarray(t, float), np.asarray(z, float))
        step, end = 0.004, self.end_of_plan
        along = self.surface(np.minimum(t + step, end), z) - self.surface(np.maximum(t - step, 0.0), z)
        along[..., 1] = np.where((t < step) | (t > end - step), np.where(t < step, 1.0, -1.0) * np.abs(along[..., 1]), along[..., 1])
        along[..., 0] = np.where((t <= 0.0) | (t >= end), 0.0, along[..., 0])
        up = self.surface(t, z + step) - self.surface(t, z - step)
        n = np.cross(along, up)
        return np.asarray(n / np.maximum(np.linalg.norm(n, axis=-1, keepdims=True), 1e-12))

    def side(self, x: Any, z: Any) -> Any:
        """Return y of the left side."""
        return self.surface(self.t_of_x(x), z)[..., 1]

    def low(self, x: Any) -> Any:
        """Return z of the lower edge of the side: sill and arches."""
        x, radius = np.asarray(x, float), ARCH * self.size.radius
        edge = np.full(x.shape, float(self.z(SILL)))
        for axle in self.size.axles:
            inside = radius**2 - (x - axle) ** 2
            edge = np.where(inside > -4e-5 * radius, np.maximum(edge, self.size.center + np.sqrt(np.maximum(inside, 0.0))), edge)
        return edge

    def rail(self, t: Any) -> Array:
        """Return the upper edge of the rounding, from which lids and cabin begin."""
        return self.surface(t, self.shoulder(self.plan(t)[..., 0]) + ROUND_UP)

    def cabin_side(self, x: float, up: float, out: float = 0.0) -> tuple[float, float, float]:
        """Return a point of the tilted side of the cabin: `up` from the belt, 0, to the edge of the roof, 1."""
        point = self.cabin(x, x, up)
        return float(point[0]), float(point[1]) + out, float(point[2])

    def cabin(self, x_low: Any, x_high: Any, up: Any) -> Array:
        """Return points of the side of the cabin on lines from the belt at x_low to the edge of the roof at x_high."""
        x_low, x_high, up = np.broadcast_arrays(np.asarray(x_low, float), np.asarray(x_high, float), np.asarray(up, float))
        low, high = self.rail(self.t_of_x(x_low)), self.roof_edge(x_high)
        out = low + up[..., None] * (high - low)
        out[..., 0] = x_low + up * (x_high - x_low)
        out[..., 1] += 0.35 * up * (1.0 - up) * (low[..., 1] - high[..., 1])
        return np.asarray(out)

    def roof_edge(self, x: Any) -> Array:
        """Return the left edge of the roof."""
        x = np.asarray(x, float)
        middle, half = 0.5 * (self.shield_top + self.roof_end), 0.5 * (self.shield_top - self.roof_end)
        along = np.clip((x - middle) / half, -1.2, 1.2)
        drop = np.where(along > 0.0, 0.030, 0.018 if self.style.rear_upright or self.bed else 0.045) * np.abs(along) ** 2.5
        y = self.roof_half * (1.0 - 0.05 * along**2)
        return np.stack((x, y, self.z(0.962 - drop)), axis=-1)


def _curve(points: Array, steps: int) -> Array:
    """Return points (m, 2) of a Catmull-Rom curve through points (n, 2), `steps` for each section."""
    p = np.vstack((2.0 * points[0] - points[1], points, 2.0 * points[-1] - points[-2]))
    way = np.maximum(np.linalg.norm(np.diff(p, axis=0), axis=1), 1e-9)
    u = np.linspace(0.0, 1.0, steps, endpoint=False)[:, None]
    parts = []
    for k in range(1, len(p) - 2):
        here = way[k]
        first, second = ((p[j + 1] - p[j]) / way[j] * way[j - 1] + (p[j] - p[j - 1]) / way[j - 1] * way[j] for j in (k, k + 1))
        m0, m1 = (slope * here / (way[j] + way[j - 1]) for slope, j in ((first, k), (second, k + 1)))
        parts.append((2 * u**3 - 3 * u**2 + 1) * p[k] + (u**3 - 2 * u**2 + u) * m0 + (3 * u**2 - 2 * u**3) * p[k + 1] + (u**3 - u**2) * m1)
    return np.vstack((*parts, points[-1:]))


def blended(front: Array, rear: Array, left: Array, right: Array) -> Array:
    """Return the grid (m, n, 3) between four edges: front and rear (n, 3) from right to left, left and right (m, 3) from rear to front.

    Bilinearly blended, [Coons 1967].
    """
    u, a = np.linspace(0.0, 1.0, len(left))[:, None, None], np.linspace(0.0, 1.0, len(front))[None, :, None]
    ruled = (1.0 - u) * rear + u * front + (1.0 - a) * right[:, None] + a * left[:, None]
    return np.asarray(ruled - (1.0 - u) * ((1.0 - a) * rear[0] + a * rear[-1]) - u * ((1.0 - a) * front[0] + a * front[-1]))


def crown(grid: Array, height: float, width: float = 4.0) -> Array:
    """Return a grid of `blended`, higher by `height` in its middle, with its edges where they were."""
    u, a = np.linspace(-1.0, 1.0, grid.shape[0])[:, None], np.linspace(-1.0, 1.0, grid.shape[1])
    out = grid.copy()
    out[..., 2] += height * (1.0 - u**4) * (1.0 - np.abs(a) ** width)
    return out


def arch_points(axle: float, size: Size, count: int = ARCH_COUNT) -> Array:
    """Return x, z (n, 2) of the edge of a wheel arch, from front to rear."""
    angle = np.linspace(0.0, math.pi, count)
    return np.column_stack((axle + ARCH * size.radius * np.cos(angle), size.center + ARCH * size.radius * np.sin(angle)))
