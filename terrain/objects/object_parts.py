"""Shapes and motions of objects as records: vertices of hulls, trees of meshes, segments of paths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from terrain.objects.mass_properties import MassProperties, mass_properties, rigid_bodies, rolling_arm
from terrain.objects.mesh_tree import mesh_tree
from terrain.objects.paths import Path
from terrain.objects.records import BREAKAWAY, PATH, RIGID_BODY, VERTEX_TYPE
from terrain.objects.world_object import Breakaway, ConvexHull, TriangleMesh, WorldObject


class GrowingRows:
    """Records that are collected in pieces."""

    def __init__(self, rows: Record) -> None:
        self._pieces, self._count = [rows], len(rows)

    def __len__(self) -> int:
        return self._count

    def add(self, rows: Record) -> None:
        """Add records at the end."""
        self._pieces.append(rows)
        self._count += len(rows)

    def joined(self) -> Record:
        """Return all records; those of the beginning if there are no more."""
        return self._pieces[0] if len(self._pieces) == 1 else np.concatenate(self._pieces)


class ObjectParts:
    """Records of the shapes and motions of objects, behind those of the objects before.

    Parameters
    ----------
    vertices, nodes, triangles, segments : records of VERTEX, NODE, TRIANGLE and SEGMENT
    trees : (root, number of nodes) of each mesh by the identity of its array of triangles; new meshes are added
    """

    def __init__(self, vertices: Record, nodes: Record, triangles: Record, segments: Record, trees: dict[int, tuple[int, int]]) -> None:
        self.vertices, self.nodes, self.triangles, self.segments = map(GrowingRows, (vertices, nodes, triangles, segments))
        self._bodies: list[MassProperties] = []
        self._outlines: list[tuple[float, float, int, int]] = []
        self._trees = trees

    def fill_shape(self, r: Any, one: WorldObject) -> None:
        """Write the shape of an object to its record."""
        shape = one.shape
        r["shape"], r["size"] = shape.code, shape.size_in_record()
        if isinstance(shape, ConvexHull):
            r["first"], r["count"] = self._add_vertices(shape.vertices)
        elif isinstance(shape, TriangleMesh):
            r["first"], r["count"] = self._tree(shape)

    def _tree(self, shape: TriangleMesh) -> tuple[int, int]:
        """Return (root, number of nodes) of the tree of a mesh; objects with the same array of triangles share the tree."""
        known = self._trees.get(id(shape.triangles))
        if known is None:
            nodes, triangles = mesh_tree(np.asarray(shape.triangles, float))
            root, first = len(self.nodes), len(self.triangles)
            nodes["first"] += np.where(nodes["count"] > 0, first, root)
            self.nodes.add(nodes)
            self.triangles.add(triangles)
            known = self._trees[id(shape.triangles)] = root, len(nodes)
        return known

    def fill_motion(self, r: Any, one: WorldObject) -> None:
        """Write motion and mass of an object to its record."""
        if one.breakaway is not None:
            r["mass"], r["break_force"] = one.breakaway.mass, one.breakaway.force
            self._add_body(r, one)
        if isinstance(one.motion, Breakaway):
            r["motion"] = BREAKAWAY
        elif isinstance(one.motion, Path):
            segments = one.motion.segments(one.yaw)
            r["motion"], r["first_segment"], r["segments"] = PATH, len(self.segments), len(segments)
            r["repeats"] = one.motion.repeats
            r["p_WO"] = segments["p_WO"][0, 0]
            r["R_WO"] = replace(one, yaw=float(segments["yaw"][0, 0])).rotation()
            self.segments.add(segments)

    def _add_body(self, r: Any, one: WorldObject) -> None:
        """Add the mass distribution of an object, and the vertices that touch the ground."""
        found = mass_properties(one, r["mass"])
        self._bodies.append(found)
        self._outlines.append((rolling_arm(one), one.shape.margin, *self._add_vertices(found.points)))

    def bodies(self) -> Record:
        """Return a record of RIGID_BODY of each object with a mass, in their order."""
        if not self._bodies:
            return record(RIGID_BODY, 0)
        out = rigid_bodies(self._bodies)
        out["rolling_arm"], out["margin"], out["first"], out["count"] = zip(*self._outlines, strict=True)
        return out

    def _add_vertices(self, points: NDArray[np.float64]) -> tuple[int, int]:
        """Add points (n, 3) [m] to the vertices; return the first row and their number."""
        first, rows = len(self.vertices), np.zeros(len(points), VERTEX_TYPE)
        rows["r_O"] = points
        self.vertices.add(rows)
        return first, len(rows)
