"""Conversion of the objects of a world into the data of the window."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.view.object_data import BAKED, ObjectData, no_objects
from simulator.view.object_meshes import color_codes, flat_triangles, hull_triangles
from terrain.objects.records import HULL, MESH, STATIC

PART = 4096
"""Maximum number of triangles of a part of a mesh, which is drawn or culled as a whole."""


def make_object_data(objects: Any) -> ObjectData:
    """Return the data of a `terrain.objects.object_set.ObjectSet`."""
    if not len(objects):
        return no_objects()
    rows = objects.records
    meshes = _Meshes()
    mesh = _fill_meshes(meshes, objects)
    vehicles, looks, kinds = _vehicles(objects)
    return ObjectData(
        shape=rows["shape"].copy(),
        label=rows["label"].copy(),
        size=np.array([one.shape.drawn_size() for one in objects.objects], np.float32),
        p_WO=rows["p_WO"].copy(),
        R_WO=rows["R_WO"].copy(),
        center_O=rows["center_O"].copy(),
        half_O=rows["half_O"].copy(),
        color=rows["color"].astype(np.float32),
        present=rows["present"] > 0,
        path=np.stack((rows["first_segment"], rows["segments"], rows["repeats"]), axis=1),
        segments=objects.segments,
        mesh=mesh,
        vertices=_stacked(meshes.vertices, 7),
        baked=_stacked(meshes.baked, 9),
        parts=np.array(meshes.parts, float).reshape(-1, 9),
        vehicles=vehicles,
        looks=looks,
        kinds=kinds,
    )


def _vehicles(objects: Any) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.uint8]]:
    """Return `ObjectData.vehicles`, `looks` and `kinds`; vehicles with equal geometry share it."""
    kinds: dict[str, int] = {}
    texts: dict[int, str] = {}
    rows, looks = [], []
    for one in vehicles_among(objects):
        geometry = one.vehicle.geometry
        if id(geometry) not in texts:
            texts[id(geometry)] = json.dumps({name: np.asarray(value).tolist() for name, value in geometry.items()})
        rows.append((one.first, one.parts, kinds.setdefault(texts[id(geometry)], len(kinds))))
        looks.append((*one.vehicle.origin, *(one.vehicle.paint or (np.nan,) * 3)))
    return (
        np.array(rows, np.int64).reshape(-1, 3),
        np.array(looks, float).reshape(-1, 6),
        np.frombuffer(f"[{','.join(kinds)}]".encode(), np.uint8),
    )


class PartRows(NamedTuple):
    """Rows of the parts of a vehicle."""

    vehicle: Any
    """`simulator.view.vehicle_parts.DrawnVehicle`"""
    first: int
    parts: int


def vehicles_among(objects: Any) -> list[PartRows]:
    """Return the vehicles in an ObjectSet in the order of their rows; the parts of a vehicle follow each other."""
    found: list[PartRows] = []
    for row, one in enumerate(objects.objects):
        drawn = getattr(one, "vehicle", None)  # of a `simulator.view.vehicle_parts.VehiclePart`, whose module loads kernels
        if drawn is None:
            continue
        if found and found[-1].vehicle is drawn:
            found[-1] = found[-1]._replace(parts=found[-1].parts + 1)
        else:
            found.append(PartRows(drawn, row, 1))
    return found


@dataclass
class _Meshes:
    """Meshes collected so far."""

    vertices: list[NDArray[np.float32]] = field(default_factory=list)
    baked: list[NDArray[np.float32]] = field(default_factory=list)
    parts: list[tuple[float, ...]] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=lambda: {"vertices": 0, "baked": 0})

    def add(self, which: str, owner: int, vertices: NDArray[np.float64]) -> None:
        """Add triangles, three rows of vertices each, in parts of PART triangles; neighbors in the list are neighbors in space."""
        for k in range(0, len(vertices), 3 * PART):
            some = vertices[k : k + 3 * PART]
            low, high = some[:, :3].min(axis=0), some[:, :3].max(axis=0)
            self.parts.append((owner, self.used[which], len(some), *(0.5 * (low + high)), *(0.5 * (high - low))))
            getattr(self, which).append(some.astype(np.float32))
            self.used[which] += len(some)


def _fill_meshes(meshes: _Meshes, objects: Any) -> NDArray[np.int64]:
    """Add the meshes of all hulls and meshes; return the number of the mesh of each object.

    Objects with the same mesh share it. A static object whose mesh no other object has is baked: its triangles are stored in W, so that
    any number of different rocks is drawn with one call.
    """
    rows = objects.records
    out = np.full(len(rows), -1, np.int64)
    own = np.flatnonzero((rows["shape"] == HULL) | (rows["shape"] == MESH)).tolist()
    keys = {row: _key(objects, row) for row in own}
    users, known = Counter(keys.values()), dict[Any, int]()
    for row in own:
        key = keys[row]
        if users[key] == 1 and rows[row]["motion"] == STATIC:
            vertices = _vertices(objects, row)
            R, p, colors = rows[row]["R_WO"], rows[row]["p_WO"], vertices[:, 6:]
            colors = np.where(np.isnan(colors), rows[row]["color"], colors)
            vertices = np.hstack((vertices[:, :3] @ R.T + p, vertices[:, 3:6] @ R.T, colors))
            meshes.add("baked", -1 - row, vertices)
            out[row] = BAKED
        else:
            if key not in known:
                known[key] = len(known)
                vertices = _vertices(objects, row)
                meshes.add("vertices", known[key], np.column_stack((vertices[:, :6], color_codes(vertices[:, 6:]))))
            out[row] = known[key]
    return out


def _key(objects: Any, row: int) -> Any:
    """Return a value that is equal for objects with the same mesh."""
    r = objects.records[row]
    if r["shape"] == MESH:
        return "mesh", int(r["first"]), _colors(objects, row) is None
    return objects.vertices["r_O"][r["first"] : r["first"] + r["count"]].tobytes()


def _colors(objects: Any, row: int) -> NDArray[np.float64] | None:
    """Return the sRGB colors (n, 3) of the triangles in the file of a mesh; None: its object has one color."""
    one = objects.objects[row]  # a `terrain.objects.mesh_file.PaintedMesh`, whose module loads kernels
    return getattr(one.shape, "colors", None) if one.material.color is None else None


def _vertices(objects: Any, row: int) -> NDArray[np.float64]:
    """Return the vertices (n, 9) of a hull or mesh: position and normal in O, and color, NaN: that of the object."""
    corners, colors = _corners(objects, row), _colors(objects, row)
    ours = np.full((len(corners), 3), np.nan)
    if colors is not None:  # the records have the triangles in another order
        t = np.asarray(objects.objects[row].shape.triangles, float)
        in_file = np.stack((t[:, 0], t[:, 0] + (t[:, 1] - t[:, 0]), t[:, 0] + (t[:, 2] - t[:, 0])), axis=1)
        ours[_order(corners)] = colors[_order(in_file)]
    return flat_triangles(corners, ours)


def _order(triangles: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return an order of triangles (n, 3, 3) that depends on their corners only."""
    return np.lexsort(triangles.reshape(len(triangles), 9).T)


def _corners(objects: Any, row: int) -> NDArray[np.float64]:
    """Return the triangles (n, 3, 3) of a hull or mesh, in O; those of a mesh follow a space-filling curve."""
    r = objects.records[row]
    if r["shape"] == HULL:
        return hull_triangles(objects.vertices["r_O"][r["first"] : r["first"] + r["count"]])
    nodes = objects.nodes[r["first"] : r["first"] + r["count"]]
    leaves = nodes[nodes["count"] > 0]
    t = objects.triangles[leaves["first"].min() : (leaves["first"] + leaves["count"]).max()]
    return np.stack((t["a"], t["a"] + t["ab"], t["a"] + t["ac"]), axis=1)


def _stacked(arrays: list[NDArray[np.float32]], columns: int) -> NDArray[np.float32]:
    return np.vstack(arrays) if arrays else np.zeros((0, columns), np.float32)
