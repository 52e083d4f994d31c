"""Objects of the window as arrays, created by `simulator.view.make_object_data`. No kernels and no OpenGL here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BAKED = -2
"""Number in `mesh` of an object whose triangles are in `baked`."""


@dataclass
class ObjectData:
    """Objects of one world; row k is the object with the number `first` + k of the `terrain.objects.object_set.ObjectSet`.

    Attributes
    ----------
    shape : (n,) numbers of the shapes in `terrain.objects.records`
    size : (n, 4) factors of the unit mesh along x, y, z of O, and shift of its ends along z [m]; see `object_meshes`
    p_WO, R_WO : (n, 3) [m], (n, 3, 3) pose at time 0
    label : (n,) numbers of the labels in `terrain.objects.labels`
    center_O, half_O : (n, 3) center and half edges of the bounding box, in O [m]
    color : (n, 3) sRGB, 0 to 1
    present : (n,) False = removed
    path : (n, 3) first row of `segments`, number of segments (0 = no path), 1 = repeats
    segments : records of `terrain.objects.records.SEGMENT`
    mesh : (n,) number of the mesh of a hull or mesh; -1 = unit mesh, BAKED
    vertices : (m, 7) triangles of all meshes, in O: position [m], unit normal and color (`object_meshes.color_codes`) of each corner
    baked : (k, 9) triangles, in W, of static hulls and meshes that stand in one place only: position [m], unit normal, color
    parts : (p, 9) compact parts of meshes and of baked objects: number of the mesh, or -1 - row of a baked object; first row of
        `vertices` or `baked`, number of rows; center (3) and half edges (3) of the bounding box, in O or W [m]
    vehicles : (v, 3) other vehicles, in the order of their states: first row of its parts, number of parts, row of `kinds`
    looks : (v, 6) of each of these vehicles: origin of its parts in B [m], and sRGB color of its body, NaN = that of the drawn body
    kinds : JSON text, list of the geometries (`simulator.view.vehicle_geometry.GEOMETRY`) of different vehicles
    """

    shape: NDArray[np.int64]
    label: NDArray[np.int64]
    size: NDArray[np.float32]
    p_WO: NDArray[np.float64]
    R_WO: NDArray[np.float64]
    center_O: NDArray[np.float64]
    half_O: NDArray[np.float64]
    color: NDArray[np.float32]
    present: NDArray[np.bool_]
    path: NDArray[np.int64]
    segments: NDArray[Any]
    mesh: NDArray[np.int64]
    vertices: NDArray[np.float32]
    baked: NDArray[np.float32]
    parts: NDArray[np.float64]
    vehicles: NDArray[np.int64]
    looks: NDArray[np.float64]
    kinds: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.shape)

    @property
    def geometries(self) -> list[dict[str, Any]]:
        """Geometries in `kinds`."""
        found: list[dict[str, Any]] = json.loads(self.kinds.tobytes())
        return found

    def arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """Return all arrays by name, for a file."""
        return {prefix + one.name: getattr(self, one.name) for one in fields(self)}

    @staticmethod
    def of(arrays: Mapping[str, Any], prefix: str = "") -> ObjectData:
        """Return the data from `arrays`."""
        return ObjectData(**{one.name: arrays[prefix + one.name] for one in fields(ObjectData)})

    def save(self, path: Path) -> None:
        """Write the data for another process; a reader sees the old file or the new one."""
        new = path.with_suffix(".new")
        with new.open("wb") as file:
            np.savez(file, **self.arrays())  # type: ignore[arg-type]
        os.replace(new, path)

    @staticmethod
    def load(path: Path) -> ObjectData:
        """Read data written by `save`."""
        with np.load(path) as data:
            return ObjectData.of(data)


def no_objects() -> ObjectData:
    """Return the data of a world without objects."""
    numbers, floats = np.zeros(0, np.int64), np.zeros(0)
    return ObjectData(
        shape=numbers, label=numbers, size=np.zeros((0, 4), np.float32), p_WO=np.zeros((0, 3)), R_WO=np.zeros((0, 3, 3)), center_O=np.zeros((0, 3)),
        half_O=np.zeros((0, 3)), color=np.zeros((0, 3), np.float32), present=np.zeros(0, bool), path=np.zeros((0, 3), np.int64), segments=floats,
        mesh=numbers, vertices=np.zeros((0, 7), np.float32), baked=np.zeros((0, 9), np.float32), parts=np.zeros((0, 9)),
        vehicles=np.zeros((0, 3), np.int64), looks=np.zeros((0, 6)), kinds=np.frombuffer(b"[]", np.uint8),
    )  # fmt: skip
