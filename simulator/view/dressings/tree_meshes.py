"""Meshes of plants, grown by a seeded program: trunk and branches of bark, cards with leaves. No OpenGL here.

A mesh fits a plant of any size: the shader puts a vertex at `place` plus `thick` times the radius of the trunk. `place` counts x and y in radii of
the crown, and z from 0 at the ground over 1 at the lowest point of the crown to 2 at its top.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.view.dressings.leaf_textures import COLUMNS, TILES
from simulator.view.dressings.plants import KINDS

LAYOUT = (3, 3, 3, 2, 2)
"""Floats per vertex attribute: place, thick, unit normal, texture coordinates, and brightness and mobility in the wind from 0 to 1."""
BARK_SIZE = 1.1
"""m. Length of the texture of bark along the trunk."""
ROOT = 0.3
"""m. Depth of a trunk below the ground, for slopes."""

Floats = NDArray[np.float64]


class Form(NamedTuple):
    """Form of a kind of plant, drawn to the sizes of a usual one."""

    tile: str
    """Tile of its leaves"""
    size: tuple[float, float, float, float]
    """m. Radius of the crown, height of its lowest and of its highest point, radius of the trunk, of a usual plant"""
    profile: tuple[float, ...]
    """Radius of the crown from its lowest to its highest point, divided by the largest"""
    cards: int
    """Number of cards with leaves in the coarse mesh"""
    card: float
    """Edge of these cards, divided by the radius of the crown"""
    branches: int
    """Number of thick branches"""
    rise: float
    """rad. Elevation of the branches"""


_ROUND = (0.35, 0.78, 0.96, 1.0, 0.97, 0.86, 0.66, 0.25)
FORMS = {
    "spruce": Form("spruce", (1.7, 2.1, 14.0, 0.20), (1.2, 1.14, 1.02, 0.88, 0.71, 0.53, 0.34, 0.09), 0, 0.0, 0, -0.75),
    "fir": Form("spruce", (1.7, 2.1, 14.0, 0.20), (0.95, 1.1, 1.1, 1.0, 0.85, 0.65, 0.41, 0.1), 0, 0.0, 0, -0.50),
    "pine": Form("pine", (1.7, 2.1, 14.0, 0.20), (0.0, 0.0, 0.0, 0.75, 1.0, 1.0, 0.8, 0.35), 34, 1.3, 9, 0.45),
    "oak": Form("oak", (4.0, 4.9, 13.0, 0.24), _ROUND, 54, 0.86, 9, 0.55),
    "birch": Form("birch", (4.0, 4.9, 13.0, 0.18), (0.35, 0.62, 0.80, 0.86, 0.84, 0.70, 0.48, 0.16), 54, 0.74, 10, 0.95),
    "maple": Form("maple", (4.0, 4.9, 13.0, 0.22), (0.45, 0.85, 1.0, 1.0, 0.92, 0.78, 0.55, 0.2), 54, 0.86, 8, 0.75),
    "dead": Form("oak", (2.6, 4.0, 11.0, 0.20), (0.5, 0.9, 1.0, 0.9, 0.8, 0.6, 0.4, 0.1), 0, 0.0, 13, 0.6),
    "bush": Form("hazel", (1.2, 0.0, 2.2, 0.08), (0.70, 0.95, 1.0, 0.98, 0.9, 0.75, 0.55, 0.2), 26, 1.15, 6, 0.9),
    "hazel": Form("maple", (1.2, 0.0, 2.2, 0.08), (0.45, 0.7, 0.9, 1.0, 0.98, 0.85, 0.6, 0.25), 24, 1.2, 7, 1.1),
    "reed": Form("reed", (0.5, 0.0, 1.2, 0.03), (1.0, 1.0), 7, 1.4, 0, 0.0),
    "log": Form("oak", (0.4, 0.4, 1.2, 0.30), (1.0, 1.0), 0, 0.0, 0, 0.0),
}  # fmt: skip


class TreeMesh(NamedTuple):
    """Mesh of one kind."""

    bark: NDArray[np.float32]
    """(n, 13) vertices of trunk and branches, three per triangle; see LAYOUT"""
    leaves: NDArray[np.float32]
    """(m, 13) vertices of the cards"""


def tree_mesh(kind: str, fine: bool) -> TreeMesh:
    """Return the mesh of a kind of plant. fine: many small cards for a graphics card, else few large ones for a software renderer."""
    return _Grower(kind, fine).mesh()


class _Grower:
    """Grows one plant in its usual size, with z up from the ground [m]."""

    def __init__(self, kind: str, fine: bool) -> None:
        self.kind, self.fine, self.form = kind, fine, FORMS[kind]
        self.random = np.random.default_rng([KINDS.index(kind), 3])
        self.radius, self.bottom, self.top, self.thick = self.form.size
        self.middle = np.array((0.0, 0.0, self.bottom + 0.38 * (self.top - self.bottom)))
        self._inside = 1.0 if kind == "dead" else 0.8 if self.bottom > 0.0 else 0.62
        """Maximum height of branches in the crown, which hides their tips"""
        self.bark: list[Floats] = []
        self.leaves: list[Floats] = []

    def mesh(self) -> TreeMesh:
        """Grow the plant."""
        if self.kind == "log":
            self._log()
        elif self.kind == "reed":
            self._reed()
        else:
            self._trunk()
            if self.kind in ("spruce", "fir"):
                self._whorls()
            else:
                tips = self._branches()
                self._crown(tips)
        parts = [np.vstack([*found, np.zeros((0, 13))]) for found in (self.bark, self.leaves)]
        return TreeMesh(*(self._fitted(part).astype(np.float32) for part in parts))

    def _fitted(self, vertices: Floats) -> Floats:
        """Return vertices whose places count in sizes of the plant; the leaves end at its top."""
        out = vertices.copy()
        out[:, :2] /= self.radius
        z, high = out[:, 2], self.top - self.bottom
        out[:, 2] = np.where(z < self.bottom, z / max(self.bottom, 1e-9), 1.0 + (z - self.bottom) / high)
        out[:, 3:6] /= self.thick
        return out

    def _profile(self, t: float | Floats) -> Floats:
        """Return the radius of the crown at a height t from 0 to 1 in the crown [m]."""
        shape = self.form.profile
        return np.asarray(self.radius * np.interp(t, np.linspace(0.0, 1.0, len(shape)), shape))

    # --- bark

    def _tube(self, path: Floats, radii: Floats, sides: int, shade: float = 1.0) -> None:
        """Add a round bar without ends along a path (n, 3)."""
        along = np.gradient(path, axis=0)
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        helper = np.where(np.abs(along[:, 2:]) < 0.8, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
        right = np.cross(helper, along)
        right /= np.linalg.norm(right, axis=1, keepdims=True)
        up = np.cross(along, right)
        angle = np.linspace(0.0, math.tau, sides + 1)
        out = right[:, None] * np.cos(angle)[:, None] + up[:, None] * np.sin(angle)[:, None]
        length = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))))
        grid = np.zeros((len(path), sides + 1, 13))
        grid[..., :3], grid[..., 3:6], grid[..., 6:9] = path[:, None], radii[:, None, None] * out, out
        grid[..., 9] = angle / math.tau * max(1.0, round(math.tau * radii[0] / BARK_SIZE * 1.5))
        grid[..., 10] = (length / BARK_SIZE)[:, None]
        grid[..., 11] = shade * (0.55 + 0.45 * np.clip(path[:, 2] / 1.5, 0.0, 1.0) if self.bottom > 0.0 else np.ones(len(path)))[:, None]
        grid[..., 12] = self._mobility(path)[:, None]
        a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
        self.bark.append(np.stack((a, b, c, a, c, d), axis=2).reshape(-1, 13))

    def _mobility(self, points: Floats) -> Floats:
        return np.asarray(np.clip(points[..., 2] / self.top, 0.0, 1.0) ** 2)

    def _trunk(self) -> None:
        """Add the trunk: thick at the ground, as thick as its cylinder above, thin at the top."""
        if self.bottom == 0.0:
            return
        top = self.top * (0.98 if self.kind in ("spruce", "fir", "dead") else 0.86)
        z = np.array((-ROOT, 0.25, 0.9, 0.5 * self.bottom + 0.45, self.bottom, 0.5 * (self.bottom + top), top))
        thick = np.interp(z, (-ROOT, 0.25, 0.9, self.bottom, 0.5 * (self.bottom + top), top), (1.45, 1.15, 1.0, 0.88, 0.55, 0.1))
        bend = self.radius * 0.10 * np.clip((z - self.bottom) / (self.top - self.bottom), 0.0, 1.0)
        turn = self.random.uniform(0.0, math.tau)
        path = np.column_stack((bend * math.cos(turn), bend * math.sin(turn), z))
        self._tube(path, self.thick * thick, 10 if self.fine else 6)

    def _branches(self) -> list[Floats]:
        """Add thick branches with smaller ones; return their tips."""
        tips: list[Floats] = []
        number = self.form.branches
        for k in range(number):
            turn = 2.39996 * k + self.random.uniform(-0.3, 0.3)
            t = (k + 0.5) / number
            low = 0.0 if self.bottom == 0.0 else self.bottom * 0.92 + (self.top - self.bottom) * t * (0.62 if self.kind != "pine" else 0.85)
            if self.kind == "dead":
                low = self.bottom + (self.top - self.bottom) * 0.85 * t
            rise = self.form.rise + self.random.uniform(-0.2, 0.2) + 0.35 * t
            height = (low + 0.3 * self.radius - self.bottom) / (self.top - self.bottom)
            length = (
                float(self._profile(np.clip(height, 0.3, 1.0))) * (0.9 if self.kind == "dead" else 0.72) * self.random.uniform(0.85, 1.05)
            )
            start = np.array((0.0, 0.0, low))
            thick = self.thick * (0.42 - 0.2 * t) if self.bottom > 0.0 else self.thick * 0.8
            tips.append(self._limb(start, (turn, rise), length, thick, 1 if self.fine or self.kind == "dead" else 0))
        return tips

    def _limb(self, start: Floats, heading: tuple[float, float], length: float, thick: float, forks: int) -> Floats:
        """Add a branch that curves upwards, and its forks; return its tip."""
        turn, rise = heading
        steps = np.linspace(0.0, 1.0, 4 if self.fine else 3)
        out = np.array((math.cos(turn), math.sin(turn), 0.0))
        up = math.tan(np.clip(rise, -1.2, 1.2)) * length * (0.6 * steps + 0.4 * steps**2)
        path = start + steps[:, None] * length * out + up[:, None] * (0.0, 0.0, 1.0)
        path[:, 2] = np.minimum(path[:, 2], self.bottom + self._inside * (self.top - self.bottom))
        self._tube(path, thick * (1.0 - 0.8 * steps), 5 if self.fine else 3, 0.85)
        for k in range(3 if forks else 0):
            at = path[1] + (path[-1] - path[1]) * k / 3.0
            side = 0.75 if k % 2 else -0.75
            self._limb(at, (turn + side, rise + self.random.uniform(0.0, 0.4)), 0.45 * length, 0.45 * thick, forks - 1)
        return np.asarray(path[-1])

    def _log(self) -> None:
        """Add a bar from end to end of the cylinder, and a disk on top of the bar."""
        z = np.array((0.0, 0.5 * self.bottom, self.bottom, self.top))
        self._tube(np.column_stack((0.0 * z, 0.0 * z, z)), np.full(4, self.thick), 12 if self.fine else 8)
        ring = self.bark[-1][np.isclose(self.bark[-1][:, 2], self.top)].copy()
        ring[:, 6:9] = (0.0, 0.0, 1.0)
        middle = ring[::3].copy()
        middle[:, 3:6] = 0.0
        self.bark.append(np.stack((ring[::3], ring[1::3], middle), axis=1).reshape(-1, 13))

    # --- leaves

    def _card(
        self, corners: Floats, normals: Floats, shade: Floats | float, part: tuple[float, float] = (0.0, 1.0), tile: str = ""
    ) -> None:
        """Add a quadrangle (4, 3), from the lower left corner counterclockwise; part: low and high u in its tile."""
        row, column = divmod(TILES.index(tile or self.form.tile), COLUMNS)
        quad = np.zeros((4, 13))
        quad[:, :3], quad[:, 6:9] = corners, normals
        u, v = np.array((part[0], part[1], part[1], part[0])), np.array((0.0, 0.0, 1.0, 1.0))
        quad[:, 9], quad[:, 10] = (column + u) / COLUMNS, (row + v) / (len(TILES) // COLUMNS)
        quad[:, 11] = shade
        quad[:, 12] = self._mobility(corners)
        self.leaves.append(quad[[0, 1, 2, 0, 2, 3]])

    def _outwards(self, points: Floats) -> Floats:
        """Return unit vectors (n, 3) out of the crown, which light it as one soft body."""
        out = points - self.middle
        out[:, 2] *= self.radius / (0.5 * (self.top - self.bottom))
        out[:, 2] += 0.25 * self.radius
        return np.asarray(out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-6))

    def _depth(self, points: Floats) -> Floats:
        """Return how bright the sky is at points (n, 3) in the crown: dark inside and below."""
        t = np.clip((points[:, 2] - self.bottom) / (self.top - self.bottom), 0.0, 1.0)
        inside = np.clip(np.hypot(points[:, 0], points[:, 1]) / np.maximum(self._profile(t), 0.2 * self.radius), 0.0, 1.0)
        return np.asarray((0.42 + 0.58 * np.maximum(inside, t**3) ** 1.5) * (0.72 + 0.28 * t))

    def _crown(self, tips: list[Floats]) -> None:
        """Add cards over the crown, each at least as far from the others as its size allows, denser at the surface."""
        number, size = self.form.cards, self.form.card * self.radius
        if not number:
            return
        if self.fine:
            number, size = 4 * number, 0.56 * size
        places = self._spread(number, size)
        for k, place in enumerate(places):
            out = self._outwards(place[None])[0]
            face = out + self.random.normal(0.0, 0.45, 3)
            face /= np.linalg.norm(face)
            roll = np.array((0.0, 0.0, 1.0)) if self.kind == "birch" else self.random.normal(size=3)
            right = np.cross(roll, face)
            right /= max(float(np.linalg.norm(right)), 1e-6)
            up = np.cross(face, right)
            half = 0.5 * size * self.random.uniform(0.85, 1.15)
            corners = place + half * np.array([x * right + y * up for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
            corners[:, 2] = np.clip(corners[:, 2], 0.02 * self.top, self.top)
            lump = self.random.normal(0.0, 0.25, 3)
            normals = self._outwards(corners) + lump
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
            self._card(corners, normals, self._depth(corners) * (0.88 + 0.24 * ((k * 0.618) % 1.0)))

    def _spread(self, number: int, size: float) -> Floats:
        """Return places (n, 3) of cards: of many random ones the farthest from all before [Mitchell 1991]."""
        shape = np.array(self.form.profile)
        found = np.zeros((0, 3))
        high = self.top - self.bottom
        for _ in range(number):
            t = self.random.uniform(0.0, 1.0, 400)
            t = t[self.random.uniform(0.0, 1.0, 400) < np.interp(t, np.linspace(0.0, 1.0, len(shape)), shape)][:14]
            turn = self.random.uniform(0.0, math.tau, len(t))
            edge = np.maximum(self._profile(t) - 0.36 * size, 0.0) * np.sqrt(self.random.uniform(0.25, 1.0, len(t)))
            z = self.bottom + np.clip(t * high, 0.38 * size, max(high - 0.38 * size, 0.38 * size))
            some = np.column_stack((edge * np.cos(turn), edge * np.sin(turn), z))
            gap = np.linalg.norm(some[:, None] - found[None], axis=2).min(axis=1, initial=np.inf)
            found = np.vstack((found, some[np.argmax(gap)]))
        return found

    def _whorls(self) -> None:
        """Add the branches of a spruce or fir: rings of sprays that lie over each other like roofs."""
        rings, each = (17, 9) if self.fine else (11, 6)
        for k in range(rings):
            t = (k / rings) ** 0.95
            number = each if t < 0.7 else each - 2
            for j in range(number):
                turn = math.tau * (j + 0.5 * (k % 2)) / number + self.random.uniform(-0.25, 0.25)
                self._spray(turn, t + self.random.uniform(-0.4, 0.4) / rings, 1.25 * math.tau / number)
        tip = 0.17 * (self.top - self.bottom)
        for turn in (0.0, 0.5 * math.pi):
            right = 0.24 * self.radius * np.array((math.cos(turn), math.sin(turn), 0.0))
            foot, up = np.array((0.0, 0.0, self.top - tip)), np.array((0.0, 0.0, tip))
            corners = np.array((foot - right, foot + right, foot + right + up, foot - right + up))
            self._card(corners, self._outwards(corners), 0.95)

    def _spray(self, turn: float, t: float, angle: float) -> None:
        """Add one branch at a height t in the crown, as broad as an angle [rad] seen from above."""
        t = float(np.clip(t, 0.0, 0.94))
        length = float(self._profile(t)) * self.random.uniform(0.92, 1.12)
        out, side = np.array((math.cos(turn), math.sin(turn), 0.0)), np.array((-math.sin(turn), math.cos(turn), 0.0))
        side = side + (0.0, 0.0, self.random.uniform(-0.3, 0.3))
        rise = self.form.rise + 0.5 * t + self.random.uniform(-0.1, 0.1)
        foot = np.array((0.0, 0.0, self.bottom + t * (self.top - self.bottom) + 0.35 * length))
        tip = foot + length * out + (0.0, 0.0, length * math.tan(rise))
        half = 0.5 * angle * length
        corners = np.array((foot - half * side, foot + half * side, tip + half * side, tip - half * side))
        corners[:, 2] = np.minimum(corners[:, 2], self.top)
        normals = self._outwards(corners) + (0.0, 0.0, 0.4) + self.random.normal(0.0, 0.15, 3)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        self._card(corners, normals, np.array((0.45, 0.45, 1.0, 1.0)) * self._depth(tip[None])[0] * self.random.uniform(0.85, 1.15))

    def _reed(self) -> None:
        """Add upright cards with blades."""
        for k in range(self.form.cards * (2 if self.fine else 1)):
            turn, off = 2.39996 * k, self.radius * 0.45 * math.sqrt((k + 0.5) / self.form.cards) * (0.7 if self.fine else 1.0)
            middle = off * np.array((math.cos(turn), math.sin(turn), 0.0))
            right = 0.55 * self.radius * np.array((math.cos(turn + 1.3), math.sin(turn + 1.3), 0.0))
            up = np.array((0.0, 0.0, self.top * self.random.uniform(0.75, 1.0)))
            corners = np.array((middle - right, middle + right, middle + right + up, middle - right + up))
            self._card(corners, self._outwards(corners), np.array((0.6, 0.6, 1.0, 1.0)))
