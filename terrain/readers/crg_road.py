"""The surface of an OpenCRG road: places along and across it, and its height there, as the library of ASAM OpenCRG 1.2 finds them.

The reference line is a polygon of equal steps in u. Points at v lie on the bisectors of its corners, v over the cosine of half the turn away,
and between two corners on the straight line from one to the next. Modifiers of the file, or those that are there when it says none, move and
scale the data once; options say what lies beyond the borders. Where that library does something odd with numbers that a header leaves out, so does
this one, and a remark says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrain.readers.crg_file import CrgFile

Values = NDArray[np.float64]

DEFAULT_MODIFIERS = {"grid_nan_mode": 2.0, "refpoint_x": 0.0, "refpoint_y": 0.0, "refpoint_z": 0.0, "refpoint_phi": 0.0}
"""Of a file without a section ROAD_CRG_MODS: gaps are filled from beside them, its right corner at the start lies at the origin, and it
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
"""Nodes of the reference line from one to the next at which the search for the nearest begins."""
CLOSE = 1e-8
"""m. As near to the border in v as that is on it."""
PARALLEL = 1e-6
"""Sine of the angle between the extended ends of a line below which they do not meet in a point."""
BEND = 0.5
"""m. Length of road over which the heading at a reference point is taken."""


@dataclass
class _Line:
    """The reference line: header numbers of its ends, and its nodes."""

    first: Values
    """x, y where it begins, as the header says"""
    last: Values
    """x, y where it ends"""
    phi_first: float
    phi_last: float
    """rad; 0 where the header has none, even of a line with phi: so the library extends it"""
    xy: Values
    """(n, 2) nodes"""


class CrgRoad:
    """A road out of an OpenCRG file.

    Parameters
    ----------
    file : what the file says
    raw : leave modifiers aside: everything where the header says
    """

    def __init__(self, file: CrgFile, raw: bool = False) -> None:
        said = file.line
        self.options, self.numbered = file.options, file.numbered
        self.v, self.z = file.v.copy(), file.z.astype(np.float64)
        self.u0, self.step, self.n = said.get("start_u", 0.0), said["increment"], len(file.z)
        self.lift = 0.0
        self._phi = None if file.phi is None else np.concatenate(([said.get("start_phi", 0.0)], file.phi[1:]))
        self._slope, self._bank = file.slope, file.banking
        self._said, self._end_z = dict(said), said.get("end_z", 0.0)
        self._prepare()
        if not raw:
            modifiers = DEFAULT_MODIFIERS if file.modifiers is None else file.modifiers
            self._scale(modifiers)
            self._fill(modifiers)
            self._prepare()
            self._move(modifiers)

    @property
    def u1(self) -> float:
        """u at the end."""
        return self.u0 + self.step * (self.n - 1)

    def _prepare(self) -> None:
        """Nodes, heights and banking along the reference line out of header and channels."""
        said = self._said
        phi0 = said.get("start_phi", 0.0)
        first = np.array((said.get("start_x", 0.0), said.get("start_y", 0.0)))
        end = np.array((said["end_x"], said["end_y"])) if {"end_x", "end_y"} <= set(said) else None
        phi_last = said.get("end_phi", 0.0)
        if self._phi is None:
            xy = first + np.outer(np.arange(self.n) * self.step, (math.cos(phi0), math.sin(phi0)))
        else:
            steps = self.step * np.column_stack((np.cos(self._phi[1:]), np.sin(self._phi[1:])))
            xy = _joined(first, steps, end)
        self.line = _Line(first, xy[-1].copy() if end is None else end, phi0, phi_last, xy)
        self.height = self._heights_of_line()
        self.bank = np.full(self.n, said.get("start_b", 0.0)) if self._bank is None else self._bank

    def _heights_of_line(self) -> Values:
        """z of the nodes of the reference line."""
        said = self._said
        start, end = said.get("start_z", 0.0), said.get("end_z")
        if self._slope is None and said.get("start_s", 0.0) == 0.0:
            return np.full(self.n, start)
        slope = np.full(self.n, said.get("start_s", 0.0)) if self._slope is None else self._slope
        rises = self.step * slope[1:]
        forth = np.concatenate(([start], start + np.cumsum(rises)))
        if end is None:
            return forth
        back = end - np.concatenate((np.cumsum(rises[::-1])[::-1], [0.0]))
        out = np.empty(self.n)
        out[0], out[-1] = start, end
        for i in range(self.n - 2):
            share = i / (self.n - 1)
            out[i + 1] = (1.0 - share) * (out[i] + rises[i]) + share * back[i + 1]
        return out

    def _scale(self, modifiers: dict[str, float]) -> None:
        """Stretch heights, slope, banking, length, width and bends; what the header says of the end is void then."""
        said = self._said
        self.z *= modifiers.get("scale_z_grid", 1.0)
        self.v *= modifiers.get("scale_width", 1.0)
        gain = modifiers.get("scale_slope", 1.0)
        self._slope = None if self._slope is None else self._slope * gain
        said["start_s"] = said.get("start_s", 0.0) * gain
        gain = modifiers.get("scale_banking", 1.0)
        self._bank = None if self._bank is None else self._bank * gain
        said["start_b"] = said.get("start_b", 0.0) * gain
        self.step *= modifiers.get("scale_length", 1.0)
        if "scale_curvature" in modifiers:
            phi = np.array([said.get("start_phi", 0.0)]) if self._phi is None else self._phi
            phi = phi[0] + modifiers["scale_curvature"] * (phi - phi[0])
            self._phi = None if self._phi is None else phi
            said["end_phi"] = float(phi[-1])
        dropped = {"scale_slope": ("end_z",), "scale_length": ("end_x", "end_y", "end_z"), "scale_curvature": ("end_x", "end_y")}
        for key, ends in dropped.items():
            for end in ends if key in modifiers else ():
                said.pop(end, None)

    def _fill(self, modifiers: dict[str, float]) -> None:
        """Gaps in the grid: kept (0), set to a height (1), or the last value from the right, then from the left (2)."""
        offset = modifiers.get("grid_nan_offset", 0.0)
        mode = int(modifiers.get("grid_nan_mode", 2 if "grid_nan_offset" in modifiers else 0))
        if mode == 1:
            self.z[np.isnan(self.z)] = offset
        if mode != 2:
            return
        begins = np.isnan(self.z[:, 0]) & ~np.isnan(self.z).all(axis=1)
        done = np.concatenate(([False], begins[:-1]))  # the library carries this over from the section before
        for k in range(1, len(self.v)):
            done |= self._take(k, k - 1, offset, done)
        done = np.zeros(self.n, bool)
        for k in range(len(self.v) - 1, 0, -1):
            done |= self._take(k - 1, k, offset, done)

    def _take(self, k: int, other: int, offset: float, done: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Fill gaps of a long section from another; the first one of a place gets the offset. Where that was."""
        gap = np.isnan(self.z[:, k]) & ~np.isnan(self.z[:, other])
        self.z[gap, k] = self.z[gap, other] + np.where(done[gap], 0.0, offset)
        return gap

    def _move(self, modifiers: dict[str, float]) -> None:
        """Turn and shift the road: a point of it to a place (refpoint), else by offsets (refline_offset)."""
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
        """u and v of the point that is moved: where the road begins, at its right border, unless something else is said. (So the library has it
        once it has checked the modifiers.)"""
        u = self.u0 + modifiers.get("refpoint_u_fraction", 0.0) * (self.u1 - self.u0) + modifiers.get("refpoint_u_offset", 0.0)
        v = self.v[0] + modifiers.get("refpoint_v_fraction", 0.0) * (self.v[-1] - self.v[0]) + modifiers.get("refpoint_v_offset", 0.0)
        if "refpoint_u_fraction" not in modifiers and "refpoint_u" in modifiers:
            u = modifiers["refpoint_u"]
        if "refpoint_v_fraction" not in modifiers and "refpoint_v" in modifiers:
            v = modifiers["refpoint_v"]
        return u, v

    def _heading(self, u: float) -> float:
        """Heading at a place: that of the piece before it (the library's reading of phi, whose values belong to the pieces that end at a node),
        near the ends that of the end."""
        place = int(np.clip(np.floor((u - self.u0) / self.step), 0, self.n - 2))
        bend = max(1, int(BEND / self.step))
        if bend > place:
            return self.line.phi_first
        if self._phi is None or place + bend >= self.n:
            return self.line.phi_last
        return float(self._phi[place])

    def _moved(self, center: Values, turn: float, shift: Values, lift: float) -> None:
        c, s = math.cos(turn), math.sin(turn)
        rotation = np.array(((c, s), (-s, c)))  # of rows
        line = self.line
        line.xy, line.first, line.last = ((p - center) @ rotation + center + shift for p in (line.xy, line.first, line.last))
        line.phi_first += turn
        line.phi_last += turn
        self.lift += lift

    def places(self, u: Values, v: Values) -> Values:
        """x, y (m, 2) of places on the road."""
        xy = self.line.xy
        f = (self._around(u) - self.u0) / self.step
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

    def coordinates(self, x: Values, y: Values) -> Values:
        """u, v (m, 2) of points."""
        xy, p = self.line.xy, np.column_stack((x, y))
        i = self._piece(p)
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

    def _piece(self, p: Values) -> NDArray[np.intp]:
        """Number of the node at which the piece of the line ends to which a point belongs: between the normals of its two nodes."""
        xy = self.line.xy
        coarse = np.unique(np.append(np.arange(0, self.n, COARSE), self.n - 1))
        i = np.empty(len(p), np.intp)
        for k in range(0, len(p), 4096):
            part = p[k : k + 4096]
            i[k : k + 4096] = coarse[((part[:, None] - xy[coarse]) ** 2).sum(axis=2).argmin(axis=1)]
        i = np.maximum(i, 1)
        going = np.arange(len(p))
        while len(going):  # forward until the normal of the node ahead lies before the point
            at = i[going]
            ahead = _dot(p[going] - xy[at], xy[np.minimum(at + 1, self.n - 1)] - xy[at - 1]) > 0.0
            going = going[ahead & (at < self.n - 1)]
            i[going] += 1
        going = np.arange(len(p))
        while len(going):  # and back until that of the node behind does not
            at = i[going]
            behind = _dot(p[going] - xy[at - 1], xy[at] - xy[np.maximum(at - 2, 0)]) < 0.0
            going = going[behind & (at > 1)]
            i[going] -= 1
        return i

    def heights(self, x: Values, y: Values) -> Values:
        """Heights [m] of points; NaN where there are none."""
        return self.heights_along(*self.coordinates(x, y).T)

    def heights_along(self, u: Values, v: Values) -> Values:
        """Heights [m] at places on the road; NaN where there are none."""
        said, u, v = self.options, self._around(u), v.copy()
        mode_u, mode_v = int(said.get("border_mode_u", HOLD)), int(said.get("border_mode_v", HOLD))
        out_u = (u < self.u0) | (u > self.u1)
        out_v = (v < self.v[0] - CLOSE) | (v > self.v[-1] + CLOSE)
        low, high = self.v[0], self.v[-1]
        offset = np.where(out_u, said.get("border_offset_u", 0.0), 0.0) + np.where(out_v, said.get("border_offset_v", 0.0), 0.0)
        inner_u, inner_v = _inside(u, self.u0, self.u1, mode_u), _inside(v, low, high, mode_v)
        f = np.clip((inner_u - self.u0) / self.step, 0.0, self.n - 1.0)
        i = np.minimum(f.astype(np.intp), self.n - 2)
        f = f - i
        zero_u, zero_v = out_u & (mode_u == ZERO), out_v & (mode_v == ZERO)
        z = np.where(zero_u | zero_v, 0.0, self._grid_height(i, f, inner_v))
        z += (1.0 - f) * self.height[i] + f * self.height[i + 1] + self.lift
        banked = inner_v if self.numbered else v  # the library looks up only numbered sections where it repeats or mirrors them
        z += np.where(zero_u, 0.0, ((1.0 - f) * self.bank[i] + f * self.bank[i + 1]) * np.clip(banked, low, high))
        beyond_u = out_u & (mode_u in (ZERO, HOLD))
        beyond_v = out_v & (mode_v in (ZERO, HOLD)) & ~beyond_u
        z = np.where(zero_u | (zero_v & beyond_v), offset, z + np.where(beyond_u | beyond_v, offset, 0.0))
        z = self._smoothed(z, inner_u if mode_u in (REPEAT, MIRROR) else u)
        z[(out_u & (mode_u == NONE)) | (out_v & (mode_v == NONE)) | ~np.isfinite(u + v)] = np.nan
        return np.asarray(z, np.float64)

    def _grid_height(self, i: NDArray[np.intp], f: Values, v: Values) -> Values:
        """Bilinear between four nodes."""
        k = np.clip(np.searchsorted(self.v, v, side="right") - 1, 0, len(self.v) - 2)
        g = np.clip((v - self.v[k]) / (self.v[k + 1] - self.v[k]), 0.0, 1.0)
        z00, z10, z01, z11 = self.z[i, k], self.z[i + 1, k], self.z[i, k + 1], self.z[i + 1, k + 1]
        return np.asarray((1.0 - g) * ((1.0 - f) * z00 + f * z10) + g * ((1.0 - f) * z01 + f * z11), np.float64)

    def _smoothed(self, z: Values, u: Values) -> Values:
        """Led to the height of the line's end within the lengths that the options name; where both do, to that of the end."""
        scale, base = np.ones(len(z)), np.zeros(len(z))
        first, last = self._ends()
        for key, height, away in (("border_smooth_ubeg", first, u - self.u0), ("border_smooth_uend", last, self.u1 - u)):
            zone = self.options.get(key, 0.0)
            if zone > 0.0:
                near = away <= zone
                scale, base = np.where(near, np.clip(away / zone, 0.0, 1.0), scale), np.where(near, height, base)
        return np.where(scale == 1.0, z, base + (z - base) * scale)

    def _ends(self) -> tuple[float, float]:
        """Heights of the line's ends; of a line without slope what the header says, lifted only if it says where the line begins."""
        if self._slope is not None or self._said.get("start_s", 0.0) != 0.0:
            return float(self.height[0]) + self.lift, float(self.height[-1]) + self.lift
        lift = self.lift if "start_z" in self._said else 0.0
        return self._said.get("start_z", 0.0) + lift, self._end_z + lift

    def _around(self, u: Values) -> Values:
        """u of a road that closes on itself, once the file asks for that: round after round."""
        if int(self.options.get("refline_continuation", 0)) != 1:
            return u
        ends = self._closing()
        if ends is None:
            return u
        low, high = ends
        return np.where((u < low) | (u > high), low + np.mod(u - low, high - low), u)

    def _closing(self) -> tuple[float, float] | None:
        """u where the extended ends of the line meet, or None."""
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


def _joined(first: Values, steps: Values, end: Values | None) -> Values:
    """Nodes from the first one on; with a known end, forward and backward sums blended into each other."""
    if end is None:
        return np.concatenate((first[None], first + np.cumsum(steps, axis=0)))
    out = np.concatenate((end - np.cumsum(steps[::-1], axis=0)[::-1], end[None]))
    out[0] = first
    shares = np.arange(1, len(out)) / (len(out) - 1)
    for k, share in enumerate(shares):
        out[k + 1] = (1.0 - share) * (out[k] + steps[k]) + share * out[k + 1]
    return out


def _normals(d: Values) -> Values:
    """Unit vectors (m, 2) to the left of (m, 2)."""
    length = np.maximum(np.hypot(*d.T), 1e-10)
    return np.column_stack((-d[:, 1], d[:, 0])) / length[:, None]


def _mitred(bisector: Values, normal: Values) -> Values:
    """The bisector, as long as it takes to be 1 from the line whose normal is given."""
    cosine = _dot(bisector, normal)
    return bisector / np.where(np.abs(cosine) > 1e-10, cosine, 1.0)[:, None]


def _dot(a: Values, b: Values) -> Values:
    return np.asarray((a * b).sum(axis=1), np.float64)


def _inside(places: Values, low: float, high: float, mode: int) -> Values:
    """Where in the data a place is looked up."""
    size = high - low
    if mode == REPEAT:
        wrapped = low + np.mod(places - low, size)
        return np.where((places < low) | (places > high), wrapped, places)
    if mode == MIRROR:
        rounds = np.mod(places - low, 2.0 * size)
        return np.asarray(low + np.minimum(rounds, 2.0 * size - rounds), np.float64)
    return np.clip(places, low, high)
