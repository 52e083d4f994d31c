"""All objects of a world as records for kernels, with a grid of bins for look-up.

Objects that never leave their place, breakaway objects included until they break, are in the bins; objects on paths are in a list that
every look-up goes through. The bins are as large as a typical object, at least SMALLEST_BIN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.callbacks import address_of
from simulator.base.records import Record, dtype_of, record
from terrain.objects.errors import ObjectError
from terrain.objects.labels import COLORS, LABELS, usual_label
from terrain.objects.mesh_tree import mesh_tree
from terrain.objects.paths import Path, highest_speed, path_pose, travelled_bounds
from terrain.objects.records import (
    BOX,
    BREAKAWAY,
    CAPSULE,
    CYLINDER,
    HULL,
    MESH,
    NODE,
    OBJECT,
    PATH,
    SEGMENT,
    SPHERE,
    STATE,
    TRIANGLE,
    VERTEX,
    WORLD,
)
from terrain.objects.world_object import Box, Breakaway, Capsule, ConvexHull, Cylinder, Sphere, TriangleMesh, WorldObject

SMALLEST_BIN = 2.0
"""m."""
MAX_BINS = 1 << 18


class _Memory(bytearray):
    """Memory of a record of WORLD. It keeps the records alive whose addresses are in it: a kernel may use the record longer than its set."""

    parts: tuple[NDArray[Any], ...] = ()


def _new_world() -> Record:
    """Return a zeroed record of WORLD in memory of its own."""
    layout = dtype_of(WORLD)
    return np.frombuffer(_Memory(layout.itemsize), layout)


def _memory_of(world: Record) -> _Memory:
    """Return the memory of a record of `_new_world`."""
    memory: _Memory = world.base.obj  # type: ignore[union-attr]
    return memory


class ObjectSet:
    """Objects of a world and their records.

    Parameters
    ----------
    objects : checked here; the numbers of the objects are 1, 2, ... in this order
    first : number of the first object

    Raises
    ------
    ObjectError : an impossible object, or two with the same name
    """

    def __init__(self, objects: Iterable[WorldObject] = (), first: int = 1) -> None:
        self.objects: tuple[WorldObject, ...] = tuple(objects)
        self._check()
        self.first = first
        self.records: Record = record(OBJECT, len(self.objects))
        self._vertices: list[NDArray[np.float64]] = []
        self._trees: dict[int, tuple[int, int]] = {}
        self._nodes: list[Record] = [record(NODE, 0)]
        self._triangles: list[Record] = [record(TRIANGLE, 0)]
        self._segments: list[Record] = [record(SEGMENT, 0)]
        self.world: Record = _new_world()
        """(1,) of WORLD, for kernels"""
        self._fill()
        self.vertices = record(VERTEX, sum(map(len, self._vertices)))
        if self._vertices:
            self.vertices["r_O"] = np.concatenate(self._vertices)
        self.nodes, self.triangles, self.segments = map(np.concatenate, (self._nodes, self._triangles, self._segments))
        self.states: Record = record(STATE, max(1, int((self.records["motion"] == BREAKAWAY).sum())))
        """of all breakaway objects"""
        self.edits = 0
        """Number of objects removed so far, so that a follower sees a removal without looking at all objects."""
        self.broken_rows = np.zeros(len(self.states), np.int64)
        self._put_back()
        self._bin()
        self._link()

    def __len__(self) -> int:
        return len(self.objects)

    def __reduce__(self) -> tuple[type[ObjectSet], tuple[tuple[WorldObject, ...], int]]:
        return type(self), (self.objects, self.first)  # addresses are valid in one process only

    def name(self, number: int) -> str:
        """Return the name of the object with this number; "ground" for 0, "" for -1."""
        return "ground" if number == 0 else "" if number < 0 else self.objects[number - self.first].name

    def position(self, number: int, time: float) -> NDArray[np.float64]:
        """Return the position (3,) [m] of the origin of an object at a time [s], in W; of a breakaway object the present one.

        Raises ObjectError: no such object.
        """
        row = number - self.first
        if not 0 <= row < len(self.objects) or not self.records[row]["present"]:
            raise ObjectError(f"object {number}: no such object")
        r = self.records[row]
        if r["motion"] == BREAKAWAY:
            return np.array(self.states[r["state"]]["p_WO"])
        if r["motion"] != PATH:
            return np.array(r["p_WO"])
        pose = np.empty(8)
        path_pose(self.segments, int(r["first_segment"]), int(r["segments"]), int(r["repeats"]), time, pose)
        return pose[:3].copy()

    def for_session(self) -> ObjectSet:
        """Return the set with its own states of breakaway objects; all other records are shared."""
        out = self.snapshot()
        out._put_back()
        return out

    def snapshot(self) -> ObjectSet:
        """Return the objects as they are now: breakaway objects stay where they are, while those of this set move on."""
        out = object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        out.records, out.states, out.world = self.records.copy(), self.states.copy(), _new_world()
        out.world[:] = self.world
        out.broken_rows = self.broken_rows.copy()
        out._link()
        return out

    def with_added(self, objects: Sequence[WorldObject], world: Record) -> ObjectSet:
        """Return the set with more objects; the numbers of the present ones stay. Raises ObjectError.

        Kernels read the new set through `world`, the record of the old one, which is changed in place.
        """
        out = type(self)((*self.objects, *objects), self.first)
        count = len(self.objects)
        out.records["present"][:count] = self.records["present"]
        kept = self.records["motion"] == BREAKAWAY
        out.states[: int(kept.sum())] = self.states[: int(kept.sum())]
        out.edits = self.edits
        out.world["broken"], out.broken_rows[: len(self.broken_rows)] = self.world["broken"], self.broken_rows
        world[:] = out.world
        _memory_of(world).parts = _memory_of(out.world).parts
        out.world = world
        return out

    def remove(self, number: int) -> None:
        """Remove an object; its number is not used again. Raises ObjectError."""
        row = number - self.first
        if not 0 <= row < len(self.objects) or not self.records[row]["present"]:
            raise ObjectError(f"object {number}: no such object")
        self.records[row]["present"] = 0
        self.edits += 1

    def reset(self) -> None:
        """Put all breakaway objects back to their places."""
        self._put_back()

    def _check(self) -> None:
        for one in self.objects:
            one.check()
        name, count = max(Counter(one.name for one in self.objects).items(), key=lambda item: item[1], default=("", 0))
        if count > 1:
            raise ObjectError(f"object {name}: {count} objects have this name; expected different names")

    def _fill(self) -> None:
        """Write one record for each object."""
        rows = self.records
        if not len(rows):
            return
        rows["number"] = np.arange(self.first, self.first + len(rows))
        rows["present"] = 1
        rows["label"] = [LABELS[usual_label(one.label)] for one in self.objects]
        rows["p_WO"] = [one.position for one in self.objects]
        rows["R_WO"] = _rotations(self.objects)
        for name in ("friction", "restitution", "stiffness", "reflectance", "extinction", "radar_cross_section"):
            rows[name] = [getattr(one.material, name) for one in self.objects]
        rows["color"] = [COLORS[usual_label(one.label)] if one.material.color is None else one.material.color for one in self.objects]
        bounds = [one.shape.bounds() for one in self.objects]
        rows["center_O"], rows["half_O"] = [center for center, _ in bounds], [half for _, half in bounds]
        rows["reach"] = np.linalg.norm(rows["half_O"], axis=1)
        for row, one in enumerate(self.objects):
            self._fill_shape(row, one)
            if one.motion is not None:
                self._fill_motion(row, one)
        rows["low"], rows["high"] = self._bounds(rows)

    def _fill_shape(self, row: int, one: WorldObject) -> None:
        r, shape = self.records[row], one.shape
        if isinstance(shape, Box):
            r["shape"], r["size"] = BOX, 0.5 * np.asarray(shape.size, float)
        elif isinstance(shape, Cylinder):
            r["shape"], r["size"] = CYLINDER, (shape.radius, 0.5 * shape.height, 0.0)
        elif isinstance(shape, Sphere):
            r["shape"], r["size"] = SPHERE, (shape.radius, 0.0, 0.0)
        elif isinstance(shape, Capsule):
            r["shape"], r["size"] = CAPSULE, (shape.radius, 0.5 * shape.length, 0.0)
        elif isinstance(shape, ConvexHull):
            vertices = shape.vertices
            r["shape"], r["first"], r["count"] = HULL, sum(map(len, self._vertices)), len(vertices)
            self._vertices.append(vertices)
        elif isinstance(shape, TriangleMesh):
            r["shape"] = MESH
            r["first"], r["count"] = self._tree(shape)

    def _tree(self, shape: TriangleMesh) -> tuple[int, int]:
        """Return (root, number of nodes) of the tree of a mesh; objects with the same array of triangles share the tree."""
        known = self._trees.get(id(shape.triangles))
        if known is None:
            nodes, triangles = mesh_tree(np.asarray(shape.triangles, float))
            root, first = sum(map(len, self._nodes)), sum(map(len, self._triangles))
            nodes["first"] += np.where(nodes["count"] > 0, first, root)
            self._nodes.append(nodes)
            self._triangles.append(triangles)
            known = self._trees[id(shape.triangles)] = root, len(nodes)
        return known

    def _fill_motion(self, row: int, one: WorldObject) -> None:
        r = self.records[row]
        if isinstance(one.motion, Breakaway):
            r["motion"], r["mass"], r["break_force"] = BREAKAWAY, one.motion.mass, one.motion.force
            r["state"] = int((self.records["motion"][:row] == BREAKAWAY).sum())
        elif isinstance(one.motion, Path):
            segments = one.motion.segments(one.yaw)
            r["motion"], r["first_segment"], r["segments"] = PATH, sum(map(len, self._segments)), len(segments)
            r["repeats"] = one.motion.repeats
            r["p_WO"] = segments["p_WO"][0, 0]
            r["R_WO"] = replace(one, yaw=float(segments["yaw"][0, 0])).rotation()
            self._segments.append(segments)

    def _bounds(self, rows: Record) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the minimum and maximum x, y, z (n, 3) over all motion."""
        center = rows["p_WO"] + np.einsum("nij,nj->ni", rows["R_WO"], rows["center_O"])
        half = np.einsum("nij,nj->ni", np.abs(rows["R_WO"]), rows["half_O"])
        low, high = center - half, center + half
        for row in np.flatnonzero(rows["motion"] == PATH):
            r = rows[row]
            own = np.concatenate(self._segments)[r["first_segment"] : r["first_segment"] + r["segments"]]
            nearest, farthest = travelled_bounds(own)
            far = r["reach"] + np.linalg.norm(r["center_O"])
            low[row], high[row] = nearest - far, farthest + far
            self.world[0]["fastest"] = max(self.world[0]["fastest"], highest_speed(own, far))
        return low, high

    def _put_back(self) -> None:
        broken = self.records["motion"] == BREAKAWAY
        self.states["broken"], self.states["v_WO"], self.states["impulse_W"] = 0, 0.0, 0.0
        self.world["broken"] = 0
        self.states["p_WO"][: int(broken.sum())] = self.records["p_WO"][broken]

    def _bin(self) -> None:
        """Sort the objects into bins."""
        w, rows = self.world[0], self.records
        moves = rows["motion"] == PATH
        inside, self.mover_rows = np.flatnonzero(~moves), np.flatnonzero(moves)
        w["count"], w["movers"] = len(rows), len(self.mover_rows)
        if not len(inside):
            self.starts, self.item_rows = np.zeros(1, np.int64), np.zeros(0, np.int64)
            return
        low, high = rows["low"][inside], rows["high"][inside]
        w["low"], w["high"] = low.min(axis=0), high.max(axis=0)
        corner, extent = w["low"][:2].copy(), w["high"][:2] - w["low"][:2]
        typical = float(np.median((high - low)[:, :2].max(axis=1)))
        size = max(SMALLEST_BIN, typical, math.sqrt(float(extent.prod()) / MAX_BINS), float(extent.max()) / MAX_BINS)
        count = np.floor(extent / size).astype(np.int64) + 1
        first = np.floor((low[:, :2] - corner) / size).astype(np.int64)
        span = np.floor((high[:, :2] - corner) / size).astype(np.int64) - first + 1
        number = span.prod(axis=1)
        which = np.repeat(np.arange(len(inside)), number)
        k = np.arange(len(which)) - np.repeat(np.cumsum(number) - number, number)
        column, line = first[which, 0] + k % span[which, 0], first[which, 1] + k // span[which, 0]
        bins = line * count[0] + column
        order = np.argsort(bins, kind="stable")
        self.item_rows = inside[which[order]]
        self.starts = np.searchsorted(bins[order], np.arange(int(count.prod()) + 1))
        w["origin"], w["size"], w["bins"], w["items"] = corner, size, count, len(self.item_rows)

    def _link(self) -> None:
        """Write the addresses of all records."""
        w = self.world[0]
        parts = {
            "objects": self.records,
            "starts": self.starts,
            "item_rows": self.item_rows,
            "mover_rows": self.mover_rows,
            "broken_rows": self.broken_rows,
            "vertices": self.vertices,
            "nodes": self.nodes,
            "triangles": self.triangles,
            "segments": self.segments,
            "states": self.states,
        }
        for name, part in parts.items():
            w[name] = address_of(part)
        _memory_of(self.world).parts = tuple(parts.values())


def _rotations(objects: Sequence[WorldObject]) -> NDArray[np.float64]:
    """Return R_WO (n, 3, 3) of all objects."""
    out = np.zeros((len(objects), 3, 3))
    yaw = np.array([one.yaw for one in objects])
    out[:, 0, 0] = out[:, 1, 1] = np.cos(yaw)
    out[:, 1, 0], out[:, 2, 2] = np.sin(yaw), 1.0
    out[:, 0, 1] = -out[:, 1, 0]
    for row, one in enumerate(objects):
        if one.pitch or one.roll:
            out[row] = one.rotation()
    return out


NO_OBJECTS = ObjectSet()
"""Objects of a ground without any."""
