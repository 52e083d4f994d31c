"""All objects of a world as records for kernels, with a grid of bins for look-up.

Objects that never leave their place, breakaway objects included until they break, are in the bins; objects on paths are in a list that
every look-up goes through. The bins are as large as a typical object, at least SMALLEST_BIN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.callbacks import address_of
from simulator.base.records import Record, dtype_of, record
from terrain.objects.errors import ObjectError
from terrain.objects.labels import COLORS, LABELS, usual_label
from terrain.objects.object_parts import ObjectParts
from terrain.objects.paths import highest_speed, path_pose, travelled_bounds
from terrain.objects.records import (
    GROUND_POINT,
    MAX_GROUND_POINTS,
    NODE,
    OBJECT,
    PATH,
    RIGID_BODY,
    SEGMENT,
    STATE,
    TRIANGLE,
    VERTEX,
    WORLD,
)
from terrain.objects.world_object import WorldObject

SMALLEST_BIN = 2.0
"""m."""
MAX_BINS = 1 << 18
FEW = 32
"""Number of objects that are added one by one, and of objects that may stay outside the bins."""
MAX_CELLS = 4096
"""Maximum number of bins of an object that is added to the present bins."""


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
        self.objects: tuple[WorldObject, ...] = ()
        self.first = first
        self.names: set[str] = set()
        self.records: Record = record(OBJECT, 0)
        self.vertices, self.nodes, self.triangles, self.segments = (record(one, 0) for one in (VERTEX, NODE, TRIANGLE, SEGMENT))
        self._trees: dict[int, tuple[int, int]] = {}
        self.states: Record = record(STATE, 0)
        """of all objects with a mass, at least one row"""
        self.bodies: Record = record(RIGID_BODY, 0)
        """in the rows of `states`"""
        self.broken_rows, self.mover_rows = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._ground_points = record(GROUND_POINT, MAX_GROUND_POINTS)
        self.edits = 0
        """Number of objects removed so far, so that a follower sees a removal without looking at all objects."""
        self.steered_rows = np.zeros(0, np.int64)
        """Rows of the objects whose paths the session writes while it runs."""
        self.world: Record = _new_world()
        """(1,) of WORLD, for kernels"""
        self._append(tuple(objects))
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
        """Return the position (3,) [m] of the origin of an object in W; see `pose`."""
        return self.pose(number, time)[0]

    def pose(self, number: int, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the position (3,) [m] of the origin and the axes (3, 3) of an object in W.

        Of an object on a path those at a time [s]; of a breakaway object, or one that has left its path, the present ones.
        Raises ObjectError: no such object.
        """
        row = number - self.first
        if not 0 <= row < len(self.objects) or not self.records[row]["present"]:
            raise ObjectError(f"object {number}: no such object")
        r = self.records[row]
        if r["mass"] > 0.0 and self.states[r["state"]]["broken"]:
            s = self.states[r["state"]]
            return np.array(s["p_WO"]), np.array(s["R_WO"])
        if r["motion"] != PATH:
            return np.array(r["p_WO"]), np.array(r["R_WO"])
        at, first = np.empty(8), int(r["first_segment"])
        path_pose(self.segments, first, int(r["segments"]), int(r["repeats"]), time, at)
        turn = at[3] - self.segments[first]["yaw"][0]
        c, s = math.cos(turn), math.sin(turn)
        return at[:3].copy(), np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))) @ r["R_WO"]

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
        out.broken_rows, out.names = self.broken_rows.copy(), set(self.names)
        if len(self.steered_rows):
            out.segments = self.segments.copy()
        out._ground_points = record(GROUND_POINT, MAX_GROUND_POINTS)
        out._link()
        return out

    def without(self, rows: Sequence[int]) -> ObjectSet:
        """Return the set without the objects in these rows, for one who is among them; its states are those of this set."""
        out = object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        out.records, out.world = self.records.copy(), _new_world()
        out.records["present"][list(rows)] = 0
        out.world[:] = self.world
        out._link()
        return out

    def steer(self, rows: Sequence[int], low: Sequence[float], high: Sequence[float], fastest: float) -> None:
        """Let the session write the paths of the objects in these rows, between two corners of their world [m], with a maximum speed [m/s]."""
        if not len(self.steered_rows):
            self.segments = self.segments.copy()
        self.steered_rows = np.union1d(self.steered_rows, np.array(rows, np.int64))
        self.records["low"][rows], self.records["high"][rows] = low, high
        self.world["fastest"] = np.maximum(self.world["fastest"], fastest)
        self._link()

    def with_added(self, objects: Sequence[WorldObject], world: Record) -> ObjectSet:
        """Return the set with more objects; the numbers of the present ones stay. This set must not be used any more. Raises ObjectError.

        Kernels read the new set through `world`, the record of the old one, which is changed in place.
        """
        out = object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        out._trees, out.world = dict(self._trees), _new_world()
        out.world[:] = self.world
        out._append(tuple(objects))
        if len(objects) > FEW or not out._bin_more(np.arange(len(self), len(out))):
            out._bin()
        out._link()
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

    def show(self, rows: Sequence[int], present: bool) -> None:
        """Let objects in these rows be in the world, or not; they may come back."""
        self.records["present"][list(rows)] = present
        self.edits += 1

    def reset(self) -> None:
        """Put all breakaway objects back to their places and paths."""
        self._put_back()

    def _check(self, objects: Sequence[WorldObject]) -> None:
        for one in objects:
            one.check()
        names = Counter(one.name for one in objects)
        count = {name: count + (name in self.names) for name, count in names.items()}
        name, most = max(count.items(), key=lambda item: item[1], default=("", 0))
        if most > 1:
            raise ObjectError(f"object {name}: {most} objects have this name; expected different names")

    def _append(self, objects: tuple[WorldObject, ...]) -> None:
        """Check objects and write one record for each, behind those of the others."""
        self._check(objects)
        start, self.objects = len(self.objects), (*self.objects, *objects)
        self.names.update(one.name for one in objects)
        self.records = _longer(self.records, len(self.objects))
        rows = self.records[start:]
        bodies = self._fill(rows, objects, start) if len(rows) else self.bodies[:0]
        loose = rows["mass"] > 0.0
        count = len(self.states) if start and (self.records["mass"][:start] > 0.0).any() else 0
        rows["state"][loose] = count + np.arange(int(loose.sum()))
        end = count + int(loose.sum())
        self.states, self.bodies = _longer(self.states, max(1, end)), _longer(self.bodies, max(1, end))
        for name in ("p_WO", "R_WO"):
            self.states[name][count:end] = rows[name][loose]
        self.bodies[count:end] = bodies
        self.broken_rows = _longer(self.broken_rows, len(self.states))
        self.world["count"] = len(self.records)

    def _fill(self, rows: Record, objects: Sequence[WorldObject], start: int) -> Record:
        """Write the records of objects to `rows`, the first of which is row `start` of all. Return records of RIGID_BODY of those with a mass."""
        rows["number"] = np.arange(self.first + start, self.first + start + len(rows))
        rows["present"] = 1
        rows["label"] = [LABELS[usual_label(one.label)] for one in objects]
        rows["p_WO"] = [one.position for one in objects]
        rows["R_WO"] = _rotations(objects)
        for name in ("friction", "restitution", "stiffness", "reflectance", "extinction", "radar_cross_section"):
            rows[name] = [getattr(one.material, name) for one in objects]
        rows["color"] = [COLORS[usual_label(one.label)] if one.material.color is None else one.material.color for one in objects]
        bounds = [one.shape.bounds() for one in objects]
        rows["center_O"], rows["half_O"] = [center for center, _ in bounds], [half for _, half in bounds]
        rows["reach"] = np.linalg.norm(rows["half_O"], axis=1)
        parts = ObjectParts(self.vertices, self.nodes, self.triangles, self.segments, self._trees)
        for r, one in zip(rows, objects, strict=True):
            parts.fill_shape(r, one)
            if one.motion is not None:
                parts.fill_motion(r, one)
        self.vertices, self.nodes, self.triangles, self.segments = (
            one.joined() for one in (parts.vertices, parts.nodes, parts.triangles, parts.segments)
        )
        rows["low"], rows["high"] = self._bounds(rows)
        return parts.bodies()

    def _bounds(self, rows: Record) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the minimum and maximum x, y, z (n, 3) over all motion."""
        center = rows["p_WO"] + np.einsum("nij,nj->ni", rows["R_WO"], rows["center_O"])
        half = np.einsum("nij,nj->ni", np.abs(rows["R_WO"]), rows["half_O"])
        low, high = center - half, center + half
        for row in np.flatnonzero(rows["motion"] == PATH):
            r = rows[row]
            own = self.segments[r["first_segment"] : r["first_segment"] + r["segments"]]
            nearest, farthest = travelled_bounds(own)
            far = r["reach"] + np.linalg.norm(r["center_O"])
            low[row], high[row] = nearest - far, farthest + far
            self.world[0]["fastest"] = max(self.world[0]["fastest"], highest_speed(own, far))
        return low, high

    def _put_back(self) -> None:
        loose = self.records["mass"] > 0.0
        self.states[:] = np.zeros((), self.states.dtype)
        for name in ("broken", "vehicles", "vehicle_parts", "fastest_vehicle"):
            self.world[name] = 0
        for name in ("p_WO", "R_WO"):
            self.states[name][: int(loose.sum())] = self.records[name][loose]

    def _bin(self) -> None:
        """Sort the objects into bins."""
        w, rows = self.world[0], self.records
        moves = rows["motion"] == PATH
        inside, self.mover_rows = np.flatnonzero(~moves), np.flatnonzero(moves)
        w["movers"], self._outside = len(self.mover_rows), 0
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

    def _bin_more(self, rows: NDArray[np.int64]) -> bool:
        """Sort a few more objects into the present bins, and those outside the bins into the list of moving objects.

        Return False if this list would become long.
        """
        w, count = self.world[0], self.world[0]["bins"]
        listed = []
        for row in rows:
            r = self.records[row]
            first = np.floor((r["low"][:2] - w["origin"]) / w["size"]).astype(np.int64) if w["items"] else np.zeros(2, np.int64)
            last = np.floor((r["high"][:2] - w["origin"]) / w["size"]).astype(np.int64) if w["items"] else first
            inside = w["items"] > 0 and (first >= 0).all() and (last < count).all() and (last - first + 1).prod() <= MAX_CELLS
            if r["motion"] == PATH or not inside:
                listed.append(row)
                self._outside += int(r["motion"] != PATH)
                continue
            lines, columns = np.arange(first[1], last[1] + 1), np.arange(first[0], last[0] + 1)
            cells = (lines[:, None] * count[0] + columns).ravel()
            self.item_rows = np.insert(self.item_rows, self.starts[cells + 1], row)
            more = np.zeros(len(self.starts), np.int64)
            more[cells + 1] = 1
            self.starts = self.starts + np.cumsum(more)
            w["items"], w["low"], w["high"] = len(self.item_rows), np.minimum(w["low"], r["low"]), np.maximum(w["high"], r["high"])
        self.mover_rows = np.concatenate((self.mover_rows, np.array(listed, np.int64)))
        w["movers"] = len(self.mover_rows)
        return self._outside <= max(FEW, len(self.item_rows) // 4)

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
            "bodies": self.bodies,
            "ground_points": self._ground_points,
        }
        for name, part in parts.items():
            w[name] = address_of(part)
        _memory_of(self.world).parts = tuple(parts.values())


def _longer(rows: NDArray[Any], count: int) -> NDArray[Any]:
    """Return an array of `count` rows that begins with `rows`; its memory doubles, so that adding a row rarely copies the others."""
    memory = rows.base if isinstance(rows.base, np.ndarray) and rows.base.dtype == rows.dtype else rows
    if count > len(memory) or memory.ctypes.data != rows.ctypes.data:
        memory = np.zeros(max(count, 2 * len(rows)), rows.dtype)
        memory[: len(rows)] = rows
    return memory[:count]


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
