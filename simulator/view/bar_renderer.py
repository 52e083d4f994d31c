"""Rendering of bars outside the vehicle: arrows of forces, and the motion platform in its hall."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from simulator.base.records import Record
from simulator.view.force_arrows import Arrow, arrow_bars, force_arrows, scale_of
from simulator.view.gl_objects import Mesh, Program
from simulator.view.meshes import LAYOUT, Builder, capsule, cone
from simulator.view.poses import pose
from simulator.view.shot import Shot, rotation
from simulator.view.terrain_data import TerrainData

LABELED = 5.0
"""m. Distance from the camera within which an arrow has its value."""
Label = tuple[float, float, str]
"""Place in the image, as shares from the left and from the top, and text."""
_NO_SHADOW = np.array([[0.0, 0.0, 0.0, 9.0], [0.0, 0.0, 0.0, 9.0], [0.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0]])
"""Matrix to the map of shadows that leads to a place outside the map."""
CABIN, WINDOW, STRIPE, DECK, BASE, FLOOR = (
    (226, 228, 230), (28, 34, 42), (222, 122, 32), (96, 104, 112), (74, 80, 88), (150, 152, 150)
)  # fmt: skip
LEG, ROD, AT_STOP = (58, 66, 76), (206, 210, 214), (220, 60, 40)
NEAR_STOP = 0.06
"""Share of the stroke within which a leg is near its stop."""


class BarRenderer:
    """Bars and solids with their ends in W or in the hall of the platform, without shadows."""

    def __init__(self) -> None:
        self._link, self._solid = Program("link", "solid", define=("PLAIN",)), Program("solid", define=("PLAIN",))
        for program in (self._link, self._solid):
            program.use().set(shadow=4)
        self._bar, self._head = (Mesh(mesh, (3, 3), instance=(4, 4, 3)) for mesh in (capsule(), cone()))

    def begin(self, clip_of_world: NDArray, eye: NDArray) -> Program:
        """Prepare both programs; return that for solids."""
        common = {"clip_of_world": clip_of_world, "eye": eye, "shadow_of_world": _NO_SHADOW, "world_of_body": np.eye(4), "lamp": 0.15}
        self._link.use().set(**common)
        return self._solid.use().set(lamps=(0.0, 0.0, 0.0), **common)

    def draw(self, bars: NDArray, heads: NDArray | None = None) -> None:
        """Draw bars (n, 11), and cones (n, 11)."""
        self._link.use()
        for mesh, rows in ((self._bar, bars), (self._head, heads)):
            if rows is not None and len(rows):
                mesh.upload_instances(rows)
                mesh.draw_instances(len(rows))


class ForceRenderer:
    """Arrows of the forces at the wheels, over the image."""

    def __init__(self, bars: BarRenderer, geometry: Mapping[str, Any], terrain: TerrainData) -> None:
        self._bars, self._geometry, self._terrain = bars, geometry, terrain
        self.scale = 0.0
        """N/m. Scale of the arrows; 0: chosen at the next image with load"""

    def draw(self, clip_of_world: NDArray, shot: Shot, state: Record) -> list[Label]:
        """Draw the arrows; return their values, and the scale."""
        arrows = force_arrows(state, self._geometry, self._terrain)
        self.scale = self.scale or scale_of(arrows)
        if not self.scale:
            return []
        self._bars.begin(clip_of_world, shot.eye)
        gl.glDepthRange(0.0, 0.02)  # before all else, but with their own depths
        self._bars.draw(*arrow_bars(arrows, self.scale))
        gl.glDepthRange(0.0, 1.0)
        labels = (self._label(one, clip_of_world, shot.eye) for one in arrows)
        return [one for one in labels if one is not None] + [(0.5, 0.12, f"1 m = {self.scale / 1000.0:g} kN")]

    def _label(self, arrow: Arrow, clip_of_world: NDArray, eye: NDArray) -> Label | None:
        """Return the value of an arrow at its tip, or at its middle if the tip is outside the image; None for a small or distant one."""
        force = float(np.linalg.norm(arrow.force))
        if force < 0.1 * self.scale or np.linalg.norm(arrow.start - eye) > LABELED:
            return None
        for part in (1.0, 0.5, 0.2):
            x, y, _, w = clip_of_world @ [*(arrow.start + part * arrow.force / self.scale), 1.0]
            if w > 0.0 and max(abs(x), abs(y)) < 0.97 * w:
                return 0.5 + 0.5 * x / w, 0.5 - 0.5 * y / w, f"{force / 1000.0:.1f} kN"
        return None


class PlatformRenderer:
    """Motion platform with its cabin on the floor of a hall, in its base frame A. joints: (2, 6, 3) in A and in P [m]; height: of P at rest."""

    def __init__(self, bars: BarRenderer, joints: NDArray[np.float64], height: float) -> None:
        self._bars, self._base, self._top, self._height = bars, joints[0], joints[1], height
        self.exists = bool(np.abs(joints).sum() > 0.0)
        self.reach = float(np.abs(joints[0, :, :2]).max()) if self.exists else 1.0
        self._room = Mesh(_room(self._base, self.reach), LAYOUT)
        self._cabin = Mesh(_cabin(float(np.abs(joints[1, :, :2]).max()) if self.exists else 1.0), LAYOUT)

    @property
    def middle(self) -> NDArray[np.float64]:
        """Point at which the camera looks, in A [m]."""
        return np.array([0.0, 0.0, self._height + 0.35 * self.reach])

    def draw(self, clip_of_world: NDArray, eye: NDArray, state: Record) -> list[Label]:
        """Draw hall and platform; return a label if the drive has no platform."""
        solid = self._bars.begin(clip_of_world, eye)
        self._room.draw()
        s = state[0]
        if not (self.exists and s["has_platform"]):
            return [(0.5, 0.5, "this drive has no motion platform")]
        R, p = rotation(s["q_platform"]), s["p_platform"] + [0.0, 0.0, self._height]
        solid.set(world_of_body=pose(R, p))
        self._cabin.draw()
        self._bars.draw(self.legs(p + self._top @ R.T, s["leg_use"]))
        return []

    def legs(self, top: NDArray[np.float64], use: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the cylinders and rods of the legs (12, 11) up to the joints of the platform (6, 3) in A."""
        bars = np.zeros((12, 11), np.float32)
        share = (
            0.55
            * np.linalg.norm(self._top - self._base + [0.0, 0.0, self._height], axis=1)
            / np.maximum(np.linalg.norm(top - self._base, axis=1), 1e-6)
        )
        bars[:6, :3], bars[:6, 3], bars[:6, 4:7] = (
            self._base,
            0.055 * self.reach,
            self._base + np.minimum(share, 0.95)[:, None] * (top - self._base),
        )
        bars[6:, :3], bars[6:, 3], bars[6:, 4:7] = self._base, 0.028 * self.reach, top
        bars[:6, 8:], bars[6:, 8:] = np.divide(LEG, 255.0), np.divide(ROD, 255.0)
        bars[6:][np.abs(use - 0.5) > 0.5 - NEAR_STOP, 8:] = np.divide(AT_STOP, 255.0)
        return bars


def _room(base: NDArray[np.float64], reach: float) -> NDArray[Any]:
    """Return floor and base plates."""
    out = Builder()
    size = 9.0 * reach
    cells = np.arange(-8, 8) / 8.0 * size
    for x in cells:
        for y in cells:
            shade = 1.0 if round((x + y) / size * 8.0) % 2 else 0.93
            out.paint([round(shade * c) for c in FLOOR])
            out.polygon([(x, y, 0.0), (x + size / 8, y, 0.0), (x + size / 8, y + size / 8, 0.0), (x, y + size / 8, 0.0)])
    out.paint(BASE)
    for x, y, z in base:
        if np.hypot(x, y) > 0.0:
            out.box((x - 0.14 * reach, y - 0.14 * reach, 0.001), (x + 0.14 * reach, y + 0.14 * reach, max(float(z), 0.02)))
    return out.mesh()


def _cabin(reach: float) -> NDArray[Any]:
    """Return deck and cabin in P, whose joints are this far from its origin: closed, with a windshield and side windows."""
    out, r = Builder(), reach
    out.paint(DECK)
    angle = np.arange(12) * math.pi / 6.0
    rim = np.stack((1.12 * r * np.cos(angle), 1.12 * r * np.sin(angle)), axis=1)
    for low, high in ((0.02 * r, 0.10 * r),):
        out.polygon([(x, y, high) for x, y in rim])
        out.polygon([(x, y, low) for x, y in rim[::-1]])
        for (x0, y0), (x1, y1) in zip(rim, np.roll(rim, -1, axis=0), strict=True):
            out.polygon([(x0, y0, low), (x1, y1, low), (x1, y1, high), (x0, y0, high)])
    back, front, nose, w, z0, z1, z2 = -0.85 * r, 0.95 * r, 0.45 * r, 0.68 * r, 0.10 * r, 0.75 * r, 1.50 * r
    side = [(back, z0), (front, z0), (front, z1), (nose, z2), (back, z2)]
    out.paint(CABIN)
    for y, order in ((w, -1), (-w, 1)):
        out.polygon([(x, y, z) for x, z in side[::order]])
    for (xa, za), (xb, zb) in zip(side, side[1:] + side[:1], strict=True):
        out.polygon([(xa, w, za), (xb, w, zb), (xb, -w, zb), (xa, -w, za)])
    out.paint(WINDOW)
    e = 0.012 * r
    a, b = np.array([front, z1]), np.array([nose, z2])
    (xa, za), (xb, zb) = a + 0.10 * (b - a) + e, a + 0.90 * (b - a) + e
    out.polygon([(xa, 0.85 * w, za), (xb, 0.85 * w, zb), (xb, -0.85 * w, zb), (xa, -0.85 * w, za)])
    for y, order in ((w + e, -1), (-w - e, 1)):
        out.polygon([(x, y, z) for x, z in [(-0.1 * r, 0.8 * r), (0.72 * r, 0.8 * r), (0.42 * r, 1.36 * r), (-0.1 * r, 1.36 * r)][::order]])
    out.paint(STRIPE)
    for y, order in ((w + e, -1), (-w - e, 1)):
        out.polygon([(x, y, z) for x, z in [(back, 0.5 * r), (front, 0.5 * r), (front, 0.6 * r), (back, 0.6 * r)][::order]])
    return out.mesh()
