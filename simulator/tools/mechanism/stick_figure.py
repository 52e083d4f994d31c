"""Stick figure of a mechanism: points of its bodies, lines between them, and the view direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import WORLD
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import PRISMATIC, REVOLUTE, move

TOLERANCE = 1e-6
"""Tolerance for coincident points, relative to the size of the mechanism, and for parallel directions."""
ELEVATION = 0.35
"""rad. Elevation of the view of a mechanism that moves in space."""


class Shape(NamedTuple):
    """Outline of a body: a plate, or lines from the first point to the others; indices of points."""

    body: str
    points: tuple[int, ...]
    is_plate: bool


class Slide(NamedTuple):
    """A prismatic joint: point of the child, point of the parent (-1: no point of the world), and the axis in the node of the parent."""

    child: int
    parent: int
    node: int
    axis: Vector


@dataclass(frozen=True)
class Skeleton:
    """Points fixed to nodes, and the shapes between them.

    nodes (n,), p (n, 3) : node of each point, and its position in the axes of the node
    shapes : the bodies; ties : springs and loops of constant distance, as (kind, point, point)
    pins : points where bodies rotate relative to each other; grounds : points on the world
    slides : prismatic joints
    """

    nodes: NDArray[np.int64]
    p: Vector
    shapes: tuple[Shape, ...]
    ties: tuple[tuple[str, int, int], ...]
    pins: tuple[int, ...]
    grounds: tuple[int, ...]
    slides: tuple[Slide, ...]


def world_points(system: System, skeleton: Skeleton, q: Vector) -> Vector:
    """Return the positions (n, 3) of all points at q (n_q,)."""
    motion = system.parts.tree.motion
    move(system.parts.tree, q)
    return motion["p"][skeleton.nodes] + np.einsum("nij,nj->ni", motion["R"][skeleton.nodes], skeleton.p)


def skeleton(system: System, q: Vector) -> Skeleton:
    """Build the stick figure of a mechanism, with its outlines ordered as seen at q (n_q,)."""
    return _Builder(system, q).finished()


class _Builder:
    """Builder that collects the points of each body without duplicates."""

    def __init__(self, system: System, q: Vector) -> None:
        self.system, self.q = system, q
        self.points: list[tuple[int, Vector]] = []
        self.of_body: dict[str, list[int]] = {WORLD: [], **{body.name: [] for body in system.mechanism.bodies}}
        self.pins: list[int] = []
        self.ties: list[tuple[str, int, int]] = []
        self._connect()
        self.place = self._positions()

    def _connect(self) -> None:
        """Add the points of joints, loops and springs."""
        mechanism = self.system.mechanism
        for joint in mechanism.joints:
            if joint.kind not in ("prismatic", "free"):
                ends = self._add(joint.parent, joint.p_PF), self._add(joint.child, joint.p_BM)
                self.pins += ends if joint.kind != "fixed" else ()
        for loop in mechanism.loops:
            i, j = self._add(loop.predecessor, loop.p_predecessor), self._add(loop.successor, loop.p_successor)
            if loop.kind == "distance":
                self.ties.append(("rod", i, j))
            self.pins += (i, j) if loop.kind != "point_on_line" else (i,)
        for spring in mechanism.springs:
            self.ties.append(("spring", self._add(spring.body_a, spring.point_a), self._add(spring.body_b, spring.point_b)))

    def _add(self, body: str, p_B: Vector) -> int:
        """Return the index of a point of a body; add a new point."""
        R_MB, p_MB = self.system.X_MB.get(body, (np.eye(3), np.zeros(3)))
        node, p = self.system.node[body], p_MB + R_MB @ p_B
        for index in self.of_body[body]:
            if np.linalg.norm(self.points[index][1] - p) < 1e-12:
                return index
        self.points.append((node, p))
        self.of_body[body].append(len(self.points) - 1)
        return len(self.points) - 1

    def _positions(self) -> Vector:
        motion = self.system.parts.tree.motion
        move(self.system.parts.tree, self.q)
        return np.array([motion[node]["p"] + motion[node]["R"] @ p for node, p in self.points])

    def finished(self) -> Skeleton:
        shapes = tuple(self._shape(body.name) for body in self.system.mechanism.bodies)
        slides = tuple(
            self._slide(joint.parent, joint.child, joint.axes[0], joint.R_PF)
            for joint in self.system.mechanism.joints
            if joint.kind == "prismatic"
        )
        self.place = self._positions()
        return Skeleton(
            np.array([node for node, _ in self.points]),
            np.array([p for _, p in self.points]),
            shapes,
            tuple(self.ties),
            tuple(dict.fromkeys(self.pins)),
            tuple(self.of_body[WORLD]),
            slides,
        )

    def _shape(self, name: str) -> Shape:
        """Return a plate through coplanar points; else lines from the center of mass to each point."""
        body = next(body for body in self.system.mechanism.bodies if body.name == name)
        own = self.of_body[name]
        if len(own) < 2 and (body.mass > 0.0 or not own):
            self._add(name, body.p_BoBcm)
        elif len(own) > 2:
            ring = _outline(self.place[own])
            if ring is None:
                center = self._add(name, body.p_BoBcm)
                return Shape(name, (center, *(k for k in own if k != center)), False)
            return Shape(name, tuple(own[k] for k in ring), True)
        return Shape(name, tuple(self.of_body[name]), False)

    def _slide(self, parent: str, child: str, axis: Vector, R_PF: Vector) -> Slide:
        """Return the prismatic joint between the nearest points of two bodies; the world may have no point."""
        place = self._positions()
        R_MB, _ = self.system.X_MB.get(parent, (np.eye(3), None))
        end = self.of_body[child][0]
        node, own = self.system.node[parent], self.of_body[parent]
        if parent == WORLD or not own:
            return Slide(end, -1, node, R_MB @ R_PF @ axis)
        pairs = [(float(np.linalg.norm(place[i] - place[j])), i, j) for i in own for j in self.of_body[child]]
        _, start, end = min(pairs)
        return Slide(end, start, node, R_MB @ R_PF @ axis)


def _outline(points: Vector) -> list[int] | None:
    """Return the convex outline of coplanar points (n, 3) as indices; both ends of a line; None for points in space."""
    centered = points - points.mean(axis=0)
    _, extents, axes = np.linalg.svd(centered, full_matrices=False)
    if extents[-1] > TOLERANCE * extents[0] and len(points) > 3:
        return None
    flat = centered @ axes[:2].T
    order = sorted(range(len(flat)), key=lambda k: (flat[k, 0], flat[k, 1]))
    if extents[1] <= TOLERANCE * extents[0]:
        return [order[0], order[-1]]
    return _half_hull(flat, order)[:-1] + _half_hull(flat, order[::-1])[:-1]


def _half_hull(flat: Vector, order: list[int]) -> list[int]:
    """Return one side of the convex hull (Andrew's monotone chain)."""
    out: list[int] = []
    for k in order:
        while len(out) > 1:
            a, b = flat[out[-1]] - flat[out[-2]], flat[k] - flat[out[-2]]
            if a[0] * b[1] - a[1] * b[0] > 0.0:
                break
            out.pop()
        out.append(k)
    return out


class Sight(NamedTuple):
    """View axes of a mechanism: world directions to the right, upward and towards the viewer.

    is_plane : the mechanism is planar and seen along its normal
    """

    right: Vector
    up: Vector
    towards: Vector
    is_plane: bool


def sight(system: System, places: Vector) -> Sight:
    """Return the view of the plane of motion, or the view with the maximum spread of the points over all poses, (m, 3); gravity points
    down.
    """
    normal = _plane(system)
    g = system.mechanism.gravity
    upward = -g / np.linalg.norm(g) if np.linalg.norm(g) > 0.0 else np.array([0.0, 0.0, 1.0])
    if normal is not None:
        up = upward - (upward @ normal) * normal
        if np.linalg.norm(up) < 0.1:
            up = np.array([0.0, 1.0, 0.0]) - normal[1] * normal
        up /= np.linalg.norm(up)
        right = np.cross(up, normal)
        right *= np.sign(right[int(np.abs(right).argmax())])
        return Sight(right, up, np.cross(right, up), True)
    views = [_from_above(upward, angle) for angle in np.arange(12) * np.pi / 6.0 + 0.26]
    return max(views, key=lambda view: float(np.linalg.det(np.cov(places @ np.column_stack([view.right, view.up]), rowvar=False))))


def _from_above(upward: Vector, angle: float) -> Sight:
    """Return a view from a side, above the horizon."""
    first = np.eye(3)[int(np.abs(upward).argmin())]
    first = first - (first @ upward) * upward
    first /= np.linalg.norm(first)
    side = np.cos(angle) * first + np.sin(angle) * np.cross(upward, first)
    towards = np.cos(ELEVATION) * side + np.sin(ELEVATION) * upward
    right = np.cross(upward, side)
    return Sight(right, np.cross(towards, right), towards, False)


def _plane(system: System) -> Vector | None:
    """Return the normal of the plane of motion from the axes of the joints; None in space."""
    tree = system.parts.tree
    nodes, motion = tree.nodes[1:], tree.motion[1:]
    turning = motion["h"][nodes["kind"] == REVOLUTE]
    moving = nodes["kind"] > 0
    if not len(turning) or not np.isin(nodes["kind"][moving], (REVOLUTE, PRISMATIC)).all():
        return None
    normal = turning[0]
    sliding = motion["h"][nodes["kind"] == PRISMATIC]
    if np.linalg.norm(np.cross(turning, normal), axis=1).max() > TOLERANCE or np.abs(sliding @ normal).max(initial=0.0) > TOLERANCE:
        return None
    return normal
