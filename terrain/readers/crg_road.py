"""Surface of an OpenCRG road: positions along and across the road, and heights, compatible with the library of ASAM OpenCRG 1.2.

The reference line is a polygon with equal steps in u. Points at v are on the bisectors of its corners, at a distance of v over the cosine of half the
turn; between two corners they are on the straight line that joins them. Modifiers of the file, or default modifiers, move and scale the data once.
Options define the heights beyond the borders. If the library has unexpected behavior for numbers that are missing in the header, this module
reproduces it; comments mark these places.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from terrain.readers.crg_file import CrgFile

DEFAULT_MODIFIERS = {"grid_nan_mode": 2.0, "refpoint_x": 0.0, "refpoint_y": 0.0, "refpoint_z": 0.0, "refpoint_phi": 0.0}
"""Modifiers of a file without a section ROAD_CRG_MODS: gaps are filled from neighbors, the right corner at the start is at the origin, and the road
heads along x."""
REFPOINT = (
    "refpoint_x",
    "refpoint_y",
    "refpoint_z",
    "refpoint_phi",
    "refpoint_u",
    "refpoint_u_fraction",
    "refpoint_v",
    "refpoint_v_fraction",
)
OFFSETS = ("refline_offset_x", "refline_offset_y", "refline_offset_z", "refline_offset_phi")
NONE, ZERO, HOLD, REPEAT, MIRROR = range(5)
"""Border modes."""
COARSE = 10
"""Step in nodes of the reference line for the initial search of the nearest node."""
CLOSE = 1e-8
"""m. Tolerance within which a point counts as on the border in v."""
PARALLEL = 1e-6
"""Sine of the angle between the extended ends of a line below which the ends count as parallel."""
BEND = 0.5
"""m. Length of road over which the heading at a reference point is evaluated."""


@dataclass
class _Line:
    """Reference line: header values of its ends, and its nodes."""

    first: Array
    """x, y of the start in the header"""
    last: Array
    """x, y of the end"""
    phi_first: float
    phi_last: float
    """rad; 0 without a header value, even for a line with phi; the library extends the line in this direction"""
    xy: Array
    """(n, 2) nodes"""


class CrgRoad:
    """Road of an OpenCRG file.

    Parameters
    ----------
    file : content of the file
    raw : True: ignore modifiers, so that all positions are those of the header
    """

    def __init__(self, file: CrgFile, raw: bool = False) -> None:
        entries = file.line
        self.options, self.numbered = file.options, file.numbered
        self.v, self.z = file.v.copy(), file.z.astype(np.float64)
        self.u0, self.step, self.n = entries.get("start_u", 0.0), entries["increment"], len(file.z)
        self.lift = 0.0
        self._phi = None if file.phi is None else np.concatenate(([entries.get("start_phi", 0.0)], file.phi[1:]))
        self._slope, self._bank = file.slope, file.banking
        self._header, self._end_z = dict(entries), entries.get("end_z", 0.0)
        self._prepare()
        if not raw:
            modifiers = DEFAULT_MODIFIERS if file.modifiers is None else file.modifiers
            self._scale(modifiers)
            self._fill(modifiers)
            self._prepare()
            self._move(modifiers)

    @property
    def u1(self) -> float:
        """u of the end."""
        return self.u0 + self.step * (self.n - 1)

    def _prepare(self) -> None:
        """Compute nodes, heights and banking along the reference line from header and channels."""
        entries = self._header
        phi0 = entries.get("start_phi", 0.0)
        first = np.array((entries.get("start_x", 0.0), entries.get("start_y", 0.0)))
        end = np.array((entries["end_x"], entries["end_y"])) if {"end_x", "end_y"} <= set(entries) else None
        phi_last = entries.get("end_phi", 0.0)
        if self._phi is None:
            xy = first + np.outer(np.arange(self.n) * self.step, (math.cos(phi0), math.sin(phi0)))
        else:
            steps = self.step * np.column_stack((np.cos(self._phi[1:]), np.sin(self._phi[1:])))
            xy = _integrated(first, steps, end)
        self.line = _Line(first, xy[-1].copy() if end is None else end, phi0, phi_last, xy)
        self.height = self._heights_of_line()
        self.bank = np.full(self.n, entries.get("start_b", 0.0)) if self._bank is None else self._bank

    def _heights_of_line(self) -> Array:
        """Return z of the nodes of the reference line."""
        entries = self._header
        start, end = entries.get("start_z", 0.0), entries.get("end_z")
        if self._slope is None and entries.get("start_s", 0.0) == 0.0:
            return np.full(self.n, start)
        slope = np.full(self.n, entries.get("start_s", 0.0)) if self._slope is None else self._slope
        rises = self.step * slope[1:]
        forth = np.concatenate(([start], start + np.cumsum(rises)))
        if end is None:
            return forth
        back = end - np.concatenate((np.cumsum(rises[::-1])[::-1], [0.0]))
        out = np.empty(self.n)
        out[0], out[-1] = start, end
        for i in range(self.n - 2):
            weight = i / (self.n - 1)
            out[i + 1] = (1.0 - weight) * (out[i] + rises[i]) + weight * back[i + 1]
        return out

    def _scale(self, modifiers: dict[str, float]) -> None:
        """Scale heights, slope, banking, length, width and curvature; header values of the end become invalid."""
        entries = self._header
        self.z *= modifiers.get("scale_z_grid", 1.0)
        self.v *= modifiers.get("scale_width", 1.0)
        gain = modifiers.get("scale_slope", 1.0)
        self._slope = None if self._slope is None else self._slope * gain
        entries["start_s"] = entries.get("start_s", 0.0) * gain
        gain = modifiers.get("scale_banking", 1.0)
        self._bank = None if self._bank is None else self._bank * gain
        entries["start_b"] = entries.get("start_b", 0.0) * gain
        self.step *= modifiers.get("scale_length", 1.0)
        if "scale_curvature" in modifiers:
            phi = np.array([entries.get("start_phi", 0.0)]) if self._phi is None else self._phi
            phi = phi[0] + modifiers["scale_curvature"] * (phi - phi[0])
            self._phi = None if self._phi is None else phi
            entries["end_phi"] = float(phi[-1])
        dropped = {"scale_slope": ("end_z",), "scale_length": ("end_x", "end_y", "end_z"), "scale_curvature": ("end_x", "end_y")}
        for key, ends in dropped.items():
            for end in ends if key in modifiers else ():
                entries.pop(end, None)

    def _fill(self, modifiers: dict[str, float]) -> None:
        """Process gaps in the grid: keep them (0), set them to a height (1), or copy the last value from the right, then from the left (2)."""
        offset = modifiers.get("grid_nan_offset", 0.0)
        mode = int(modifiers.get("grid_nan_mode", 2 if "grid_nan_offset" in modifiers else 0))
        if mode == 1:
            self.z[np.isnan(self.z)] = offset
        if mode != 2:
            return
        begins = np.isnan(self.z[:, 0]) & ~np.isnan(self.z).all(axis=1)
        done = np.concatenate(([False], begins[:-1]))  # the library inherits this state from the previous section
        for k in range(1, len(self.v)):
            done |= self._fill_from(k, k - 1, offset, done)
        done = np.zeros(self.n, bool)
        for k in range(len(self.v) - 1, 0, -1):
            done |= self._fill_from(k - 1, k, offset, done)

    def _fill_from(self, k: int, other: int, offset: float, done: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Fill gaps of a long section from another one; the first value at a position gets the offset. Return a mask of the filled gaps."""
        gap = np.isnan(self.z[:, k]) & ~np.isnan(self.z[:, other])
        self.z[gap, k] = self.z[gap, other] + np.where(done[gap], 0.0, offset)
        return gap

    def _move(self, modifiers: dict[str, float]) -> None:
        """Rotate and shift the road: move a point to a position (refpoint), else apply offsets (refline_offset)."""
        if any(key in modifiers for key in REFPOINT):
            u, v = self._reference(modifiers)
            at = np.concatenate([*self.places(np.array([u]), np.array([v])).T])
            z = self.heights_along(np.array([u]), np.array([v]))[0]
            turn = modifiers.get("refpoint_phi", 0.0) - self._heading(u)
            target = np.array((modifiers.get("refpoint_x", 0.0), modifiers.get("refpoint_y", 0.0)))
            self._moved(at, turn, target - at, modifiers.get("refpoint_z", 0.0) - z)
        elif any(key in modifiers for key in OFFSETS):
            start = self.line.first
            center = np.array((modifiers.get("refline_rotcenter_x", start[0]), modifiers.get("refline_rotcenter_y", start[1])))
            dx, dy, dz, turn = (modifiers.get(key, 0.0) for key in OFFSETS)
            self._moved(center, turn, np.array((dx, dy)), dz)

    def _reference(self, modifiers: dict[str, float]) -> tuple[float, float]:
        """Return u and v of the reference point; default: start of the road at its right border, as the library has after checking modifiers."""
        u = self.u0 + modifiers.get("refpoint_u_fraction", 0.0) * (self.u1 - self.u0) + modifiers.get("refpoint_u_offset", 0.0)
        v = self.v[0] + modifiers.get("refpoint_v_fraction", 0.0) * (self.v[-1] - self.v[0]) + modifiers.get("refpoint_v_offset", 0.0)
        if "refpoint_u_fraction" not in modifiers and "refpoint_u" in modifiers:
            u = modifiers["refpoint_u"]
        if "refpoint_v_fraction" not in modifiers and "refpoint_v" in modifiers:
            v = modifiers["refpoint_v"]
        return u, v

    def _heading(self, u: float) -> float:
        """Return the heading at u: that of the segment before it, because the library assigns phi to the segment that ends at a node; near the ends
        the heading of the end."""
        place = int(np.clip(np.floor((u - self.u0) / self.step), 0, self.n - 2))
        bend = max(1, int(BEND / self.step))
        if bend > place:
            return self.line.phi_first
        if self._phi is None or place + bend >= self.n:
            return self.line.phi_last
        return float(self._phi[place])

    def _moved(self, center: Array, turn: float, shift: Array, lift: float) -> None:
        """Rotate the line by `turn` about `center`, then shift it."""
        c, s = math.cos(turn), math.sin(turn)
        rotation = np.array(((c, s), (-s, c)))  # for row vectors
        line = self.line
        line.xy, line.first, line.last = ((p - center) @ rotation + center + shift for p in (line.xy, line.first, line.last))
        line.phi_first += turn
        line.phi_last += turn
        self.lift += lift

    def places(self, u: Array, v: Array) -> Array:
        """Return x, y (m, 2) of positions on the road."""
        xy = self.line.xy
        f = (self._wrapped(u) - self.u0) / self.step
        i = np.clip(np.floor(f), 0, self.n - 2).astype(np.intp)
        f = f - i
        p1, p2 = xy[i], xy[i + 1]
        n12 = _normals(p2 - p1)
        a = p1 + v[:, None] * _mitred(_normals(p2 - xy[np.maximum(i - 1, 0)]), n12)
        b = p2 + v[:, None] * _mitred(_normals(xy[np.minimum(i + 2, self.n - 1)] - p1), n12)
        out = a + f[:, None] * (b - a)
        for beyond, at, phi, du in (
            (f < 0.0, self.line.first, self.line.phi_first, f),
            (f > 1.0, self.line.last, self.line.phi_last, f - 1.0),
        ):
            along, across = np.array((math.cos(phi), math.sin(phi))), np.array((-math.sin(phi), math.cos(phi)))
            out[beyond] = at + np.outer(du[beyond] * self.step, along) + np.outer(v[beyond], across)
        return out

    def coordinates(self, x: Array, y: Array) -> Array:
        """Return u, v (m, 2) of points."""
        xy, p = self.line.xy, np.column_stack((x, y))
        i = self._segment(p)
        x0, x1, x2, x3 = (xy[np.clip(i + k, 0, self.n - 1)] for k in (-2, -1, 0, 1))
        along = x2 - x1
        v = (along[:, 0] * (p - x1)[:, 1] - along[:, 1] * (p - x1)[:, 0]) / np.hypot(*along.T)
        ta = _dot(p - x1, x2 - x0) / _dot(x2 - x0, along)
        tb = _dot(x3 - x1, x2 - p) / _dot(x3 - x1, along)
        u = self.u0 + (i - 1) * self.step + ta / (ta + tb) * self.step
        line = self.line
        for beyond, at, phi, start in (
            (u < self.u0, line.first, line.phi_first, self.u0),
            (u > self.u1, line.last, line.phi_last, self.u1),
        ):
            d = p[beyond] - at
            u[beyond] = start + d[:, 0] * math.cos(phi) + d[:, 1] * math.sin(phi)
            v[beyond] = d[:, 1] * math.cos(phi) - d[:, 0] * math.sin(phi)
        return np.column_stack((u, v))

    def _segment(self, p: Array) -> NDArray[np.intp]:
        """Return the index of the end node of the segment to which each point belongs: the point is between the normals of the segment's nodes."""
        xy = self.line.xy
        coarse = np.unique(np.append(np.arange(0, self.n, COARSE), self.n - 1))
        i = np.ones(len(p), np.intp)
        finite = np.isfinite(p).all(axis=1)
        i[finite] = np.maximum(coarse[_nearest(xy[coarse], p[finite])], 1)
        going = np.arange(len(p))
        while len(going):  # move forward until the normal of the next node is ahead of the point
            at = i[going]
            ahead = _dot(p[going] - xy[at], xy[np.minimum(at + 1, self.n - 1)] - xy[at - 1]) > 0.0
            going = going[ahead & (at < self.n - 1)]
            i[going] += 1
        going = np.arange(len(p))
        while len(going):  # move back until the normal of the previous node is behind the point
            at = i[going]
            behind = _dot(p[going] - xy[at - 1], xy[at] - xy[np.maximum(at - 2, 0)]) < 0.0
            going = going[behind & (at > 1)]
            i[going] -= 1
        return i

    def heights(self, x: Array, y: Array) -> Array:
        """Return heights [m] of points; NaN without data."""
        return self.heights_along(*self.coordinates(x, y).T)

    def heights_along(self, u: Array, v: Array) -> Array:
        """Return heights [m] at positions on the road; NaN without data."""
        entries, u, v = self.options, self._wrapped(u), v.copy()
        mode_u, mode_v = int(entries.get("border_mode_u", HOLD)), int(entries.get("border_mode_v", HOLD))
        out_u = (u < self.u0) | (u > self.u1)
        out_v = (v < self.v[0] - CLOSE) | (v > self.v[-1] + CLOSE)
        low, high = self.v[0], self.v[-1]
        offset = np.where(out_u, entries.get("border_offset_u", 0.0), 0.0) + np.where(out_v, entries.get("border_offset_v", 0.0), 0.0)
        inner_u, inner_v = _inside(u, self.u0, self.u1, mode_u), _inside(v, low, high, mode_v)
        f = np.clip((inner_u - self.u0) / self.step, 0.0, self.n - 1.0)
        i = np.minimum(f.astype(np.intp), self.n - 2)
        f = f - i
        zero_u, zero_v = out_u & (mode_u == ZERO), out_v & (mode_v == ZERO)
        z = np.where(zero_u | zero_v, 0.0, self._grid_height(i, f, inner_v))
        z += (1.0 - f) * self.height[i] + f * self.height[i + 1] + self.lift
        banked = inner_v if self.numbered else v  # the library repeats or mirrors numbered sections only
        z += np.where(zero_u, 0.0, ((1.0 - f) * self.bank[i] + f * self.bank[i + 1]) * np.clip(banked, low, high))
        beyond_u = out_u & (mode_u in (ZERO, HOLD))
        beyond_v = out_v & (mode_v in (ZERO, HOLD)) & ~beyond_u
        z = np.where(zero_u | (zero_v & beyond_v), offset, z + np.where(beyond_u | beyond_v, offset, 0.0))
        z = self._smoothed(z, inner_u if mode_u in (REPEAT, MIRROR) else u)
        z[(out_u & (mode_u == NONE)) | (out_v & (mode_v == NONE)) | ~np.isfinite(u + v)] = np.nan
        return np.asarray(z, np.float64)

    def _grid_height(self, i: NDArray[np.intp], f: Array, v: Array) -> Array:
        """Interpolate bilinearly between four nodes."""
        k = np.clip(np.searchsorted(self.v, v, side="right") - 1, 0, len(self.v) - 2)
        g = np.clip((v - self.v[k]) / (self.v[k + 1] - self.v[k]), 0.0, 1.0)
        z00, z10, z01, z11 = self.z[i, k], self.z[i + 1, k], self.z[i, k + 1], self.z[i + 1, k + 1]
        return np.asarray((1.0 - g) * ((1.0 - f) * z00 + f * z10) + g * ((1.0 - f) * z01 + f * z11), np.float64)

    def _smoothed(self, z: Array, u: Array) -> Array:
        """Blend heights to those of the ends of the line within the lengths given by the options; the end has priority over the start."""
        scale, base = np.ones(len(z)), np.zeros(len(z))
        first, last = self._ends()
        for key, height, away in (("border_smooth_ubeg", first, u - self.u0), ("border_smooth_uend", last, self.u1 - u)):
            zone = self.options.get(key, 0.0)
            if zone > 0.0:
                near = away <= zone
                scale, base = np.where(near, np.clip(away / zone, 0.0, 1.0), scale), np.where(near, height, base)
        return np.where(scale == 1.0, z, base + (z - base) * scale)

    def _ends(self) -> tuple[float, float]:
        """Return the heights of the ends of the line; without a slope the header values, shifted only if the header defines the start."""
        if self._slope is not None or self._header.get("start_s", 0.0) != 0.0:
            return float(self.height[0]) + self.lift, float(self.height[-1]) + self.lift
        lift = self.lift if "start_z" in self._header else 0.0
        return self._header.get("start_z", 0.0) + lift, self._end_z + lift

    def _wrapped(self, u: Array) -> Array:
        """Wrap u of a road that is closed, if the file requests it."""
        if int(self.options.get("refline_continuation", 0)) != 1:
            return u
        ends = self._closing()
        if ends is None:
            return u
        low, high = ends
        return np.where((u < low) | (u > high), low + np.mod(u - low, high - low), u)

    def _closing(self) -> tuple[float, float] | None:
        """Return u at the intersection of the extended ends of the line, or None."""
        line = self.line
        m = np.array((math.cos(line.phi_first), math.sin(line.phi_first)))
        n = np.array((math.cos(line.phi_last), math.sin(line.phi_last)))
        apart, same = line.first - line.last, float(m @ n)
        if same <= 0.5:
            return None
        beyond, before = float(apart @ m) / same, -float(apart @ n) / same
        if not (beyond > 0.0 and before < 0.0):
            return None
        across = float(m[0] * n[1] - m[1] * n[0])
        if abs(across) > PARALLEL:
            after = float(m[0] * apart[1] - m[1] * apart[0]) / across
            ahead = float(n[0] * apart[1] - n[1] * apart[0]) / across
            if after >= 0.0 and ahead <= 0.0:
                return self.u0 + ahead, self.u1 + after
        return self.u0 + 0.5 * before * same, self.u1 + 0.5 * beyond * same


def _integrated(first: Array, steps: Array, end: Array | None) -> Array:
    """Return nodes from the first one on; with a known end, forward and backward sums are blended."""
    if end is None:
        return np.concatenate((first[None], first + np.cumsum(steps, axis=0)))
    out = np.concatenate((end - np.cumsum(steps[::-1], axis=0)[::-1], end[None]))
    out[0] = first
    weights = np.arange(1, len(out)) / (len(out) - 1)
    for k, weight in enumerate(weights):
        out[k + 1] = (1.0 - weight) * (out[k] + steps[k]) + weight * out[k + 1]
    return out


def _nearest(nodes: Array, p: Array) -> NDArray[np.intp]:
    """Return the index of the node nearest to each point; of two at the same distance, the first one."""
    from scipy.spatial import KDTree  # imported on demand: only roads need it

    distance, index = KDTree(nodes).query(p, k=min(2, len(nodes)))
    if len(nodes) == 1:
        return np.asarray(index, np.intp)
    same = distance[:, 0] == distance[:, 1]
    return np.asarray(np.where(same, index.min(axis=1), index[:, 0]), np.intp)


def _normals(d: Array) -> Array:
    """Return unit vectors (m, 2) to the left of the vectors (m, 2)."""
    length = np.maximum(np.hypot(*d.T), 1e-10)
    return np.column_stack((-d[:, 1], d[:, 0])) / length[:, None]


def _mitred(bisector: Array, normal: Array) -> Array:
    """Return the bisector, scaled to the distance 1 from the line with the given normal."""
    cosine = _dot(bisector, normal)
    return bisector / np.where(np.abs(cosine) > 1e-10, cosine, 1.0)[:, None]


def _dot(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(axis=1), np.float64)


def _inside(places: Array, low: float, high: float, mode: int) -> Array:
    """Return the positions in the data at which positions are looked up."""
    size = high - low
    if mode == REPEAT:
        wrapped = low + np.mod(places - low, size)
        return np.where((places < low) | (places > high), wrapped, places)
    if mode == MIRROR:
        rounds = np.mod(places - low, 2.0 * size)
        return np.asarray(low + np.minimum(rounds, 2.0 * size - rounds), np.float64)
    return np.clip(places, low, high)
