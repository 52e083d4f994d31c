"""Drawing of one pose of a mechanism with matplotlib: bodies as bars and plates, joints as points, the ground hatched, springs as zigzags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.tools.mechanism.motion import Motion
from simulator.tools.mechanism.stick_figure import Shape, Sight, Slide, sight, skeleton, world_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes


INK, QUIET = "#222222", "#9aa0a6"
COLORS = ("#1f5fa8", "#d9730d", "#2a8c5a", "#b3261e", "#7b4fa3", "#8a6d3b", "#c2448b", "#4f6f7a", "#8f9a1c", "#1b9aaa")
MAX_LABELS = 9
"""Maximum number of labeled bodies; above it, only bodies with three or more points have labels."""
POINT = 1e-9
"""Mechanisms smaller than this fraction of their distance from the origin, or of a nanometer, are drawn as one point in an image of 1 m."""
MARGIN = 0.08
SYMBOL = 0.022
"""Size of the symbols of joints and ground, as a fraction of the image."""
GHOST = 0.13


class Drawing:
    """A motion as a stick figure, with constant position and scale in all images."""

    def __init__(self, motion: Motion) -> None:
        self.motion, system = motion, motion.system
        self.skeleton = skeleton(system, motion.q[0])
        self.places = np.array([world_points(system, self.skeleton, q) for q in motion.q])
        self.sight: Sight = sight(system, self.places.reshape(-1, 3))
        self.flat = self.places @ np.column_stack([self.sight.right, self.sight.up])
        low, high = self.flat.min(axis=(0, 1)), self.flat.max(axis=(0, 1))
        extent, far = float(max(high - low)), float(np.abs(self.flat).max())
        self.size = extent if extent > POINT * max(far, POINT) else 1.0
        self.low, self.high = low - MARGIN * self.size, high + MARGIN * self.size
        names = [shape.body for shape in self.skeleton.shapes]
        self.color = self._colors()
        plates = [shape.body for shape in self.skeleton.shapes if len(shape.points) > 2]
        self.labeled = set(names if len(names) <= MAX_LABELS else plates[:MAX_LABELS])

    def _colors(self) -> dict[str, str]:
        """Return a color for each body; both halves of a telescope have the same color."""
        joints = {joint.child: joint for joint in self.motion.system.mechanism.joints}
        color: dict[str, str] = {}
        for shape in self.skeleton.shapes:
            carrier = joints[shape.body]
            own = color.get(carrier.parent) if carrier.kind == "prismatic" else None
            color[shape.body] = own or COLORS[len(set(color.values())) % len(COLORS)]
        return color

    @property
    def aspect(self) -> float:
        """Height of the image divided by its width."""
        width, height = self.high - self.low
        return float(height / width)

    def prepare(self, axes: Axes) -> None:
        """Clear the axes, set an equal scale, and draw the paths of the joints, the ground and a scale bar."""
        axes.set_aspect("equal")
        axes.set_xlim(self.low[0], self.high[0])
        axes.set_ylim(self.low[1], self.high[1])
        axes.set_axis_off()
        for k in self.skeleton.pins:
            if np.ptp(self.flat[:, k], axis=0).max() > 1e-6 * self.size:
                axes.plot(*self.flat[:, k].T, color=QUIET, linewidth=0.6, alpha=0.6, zorder=1)
        for k in self.skeleton.grounds:
            self._draw_ground(axes, self.flat[0, k])
        for slide in self.skeleton.slides:
            if slide.parent < 0 and slide.node == 0:
                self._draw_track(axes, slide)
        self._draw_scale(axes)

    def pose(self, axes: Axes, i: int, ghost: bool = False, labels: bool = False) -> None:
        """Draw position i, as a faint copy or with the names of the bodies."""
        p, alpha = self.flat[i], GHOST if ghost else 1.0
        depth = self.places[i] @ self.sight.towards
        near, far = float(depth.max()), float(depth.min())
        for slide in self.skeleton.slides:
            if slide.parent >= 0:
                axes.plot(*p[[slide.parent, slide.child]].T, color=INK, linewidth=1.0, linestyle=(0, (1, 1.2)), alpha=alpha, zorder=2)
        for kind, a, b in self.skeleton.ties:
            line = _zigzag(p[a], p[b], 0.6 * SYMBOL * self.size) if kind == "spring" else p[[a, b]]
            axes.plot(*line.T, color=INK, linewidth=1.0, alpha=alpha, zorder=2)
        for shape in self.skeleton.shapes:
            above = (float(depth[list(shape.points)].mean()) - far) / (near - far) if near > far else 0.0
            self._draw_body(axes, p, shape, alpha, 3.0 + above)
            if labels and shape.body in self.labeled:
                self._label(axes, p, shape)
        if not ghost:
            pins = p[list(self.skeleton.pins)]
            axes.plot(*pins.T, "o", markersize=4.5, color="white", markeredgecolor=INK, markeredgewidth=1.1, linestyle="", zorder=5)

    def _draw_body(self, axes: Axes, p: Vector, shape: Shape, alpha: float, order: float) -> None:
        color, at = self.color[shape.body], p[list(shape.points)]
        style: dict[str, Any] = {"color": color, "alpha": alpha, "zorder": order, "solid_capstyle": "round"}
        if len(at) == 1:
            self._draw_block(axes, at[0], shape, color, alpha)
        elif shape.is_plate and len(at) > 2:
            axes.fill(*at.T, facecolor=color, alpha=0.22 * alpha, zorder=order)
            axes.plot(*np.vstack([at, at[:1]]).T, linewidth=2.2, **style)
        else:
            for end in at[1:]:
                axes.plot(*np.stack([at[0], end]).T, linewidth=3.2, **style)

    def _draw_block(self, axes: Axes, at: Vector, shape: Shape, color: str, alpha: float) -> None:
        """Draw a body with one point: a block along its sliding axis."""
        along = next((self._direction(s) for s in self.skeleton.slides if s.child == shape.points[0]), np.array([1.0, 0.0]))
        across = np.array([-along[1], along[0]])
        a, b = 1.6 * SYMBOL * self.size * along, SYMBOL * self.size * across
        axes.fill(*np.array([at + a + b, at - a + b, at - a - b, at + a - b]).T, facecolor=color, edgecolor=color, alpha=alpha, zorder=3)

    def _direction(self, slide: Slide) -> Vector:
        """Return the unit vector in the image along a prismatic joint of the world."""
        along = np.array([self.sight.right @ slide.axis, self.sight.up @ slide.axis])
        length = float(np.linalg.norm(along))
        return along / length if length > 0.0 else np.array([1.0, 0.0])

    def _draw_ground(self, axes: Axes, at: Vector) -> None:
        """Draw a triangle on a hatched line."""
        s = SYMBOL * self.size
        feet = at + s * np.array([[-0.8, -1.4], [0.8, -1.4]])
        axes.fill(*np.vstack([at, feet]).T, facecolor="white", edgecolor=INK, linewidth=1.0, zorder=1.5)
        self._hatch(axes, feet[0] - [0.5 * s, 0.0], feet[1] + [0.5 * s, 0.0])

    def _draw_track(self, axes: Axes, slide: Slide) -> None:
        """Draw the hatched line along which a body slides on the ground."""
        along = self._direction(slide)
        s, travel = SYMBOL * self.size, self.flat[:, slide.child] @ along
        start = self.flat[0, slide.child] - travel[0] * along
        below = np.array([along[1], -along[0]]) * np.sign(along[0] or 1.0) * s
        ends = start + (travel.min() - 3.0 * s) * along + below, start + (travel.max() + 3.0 * s) * along + below
        self._hatch(axes, *(ends if along[0] >= 0.0 else ends[::-1]))

    def _hatch(self, axes: Axes, a: Vector, b: Vector) -> None:
        """Draw a line from a to b with strokes on its right-hand side."""
        s, length = SYMBOL * self.size, float(np.linalg.norm(b - a))
        along = (b - a) / length
        stroke = 0.6 * s * (np.array([along[1], -along[0]]) - along)
        axes.plot(*np.stack([a, b]).T, color=INK, linewidth=1.1, zorder=1.5)
        for x in np.arange(0.6 * s, (1.0 + 1e-9) * length, 0.6 * s):
            axes.plot(*np.stack([a + x * along, a + x * along + stroke]).T, color=INK, linewidth=0.7, zorder=1.4)

    def _draw_scale(self, axes: Axes) -> None:
        """Draw a scale bar of a round length, and in a plane the directions of the world axes."""
        length = 10.0 ** np.floor(np.log10(0.35 * self.size))
        length *= max(factor for factor in (1.0, 2.0, 5.0) if factor == 1.0 or factor * length <= 0.35 * self.size)
        corner = self.low + 0.3 * MARGIN * self.size
        axes.plot([corner[0], corner[0] + length], [corner[1]] * 2, color=INK, linewidth=1.6, zorder=6)
        name = f"{length:g} m" if length >= 0.1 else f"{1000.0 * length:g} mm"
        axes.text(corner[0] + 0.5 * length, corner[1] + 0.01 * self.size, name, ha="center", va="bottom", fontsize=7.5, color=INK)

    def _label(self, axes: Axes, p: Vector, shape: Shape) -> None:
        """Write the name of a body next to its middle."""
        from matplotlib import patheffects

        at = p[list(shape.points)]
        middle, side = at.mean(axis=0), "center"
        if len(at) == 2 and (length := float(np.linalg.norm(at[1] - at[0]))) > 0.0:
            across = np.array([at[0, 1] - at[1, 1], at[1, 0] - at[0, 0]]) / length
            across *= np.sign(across @ (middle - p.mean(axis=0))) or 1.0
            middle = middle + 0.035 * self.size * across
            side = "center" if abs(across[0]) < 0.35 else "left" if across[0] > 0.0 else "right"
        elif len(at) == 1:
            middle = middle + [0.0, 2.5 * SYMBOL * self.size]
        text = axes.text(middle[0], middle[1], shape.body, ha=side, va="center", fontsize=8, color=self.color[shape.body], zorder=7)
        text.set_path_effects([patheffects.withStroke(linewidth=2.5, foreground="white")])


def _zigzag(a: Vector, b: Vector, width: float) -> Vector:
    """Return the points of a spring from a to b."""
    across = np.array([a[1] - b[1], b[0] - a[0]])
    across = across / (float(np.linalg.norm(across)) or 1.0)
    shares = np.concatenate([[0.0, 0.15], np.linspace(0.2, 0.8, 11), [0.85, 1.0]])
    swing = np.concatenate([[0.0, 0.0], width * (-1.0) ** np.arange(11), [0.0, 0.0]])
    return a + shares[:, None] * (b - a) + swing[:, None] * across
