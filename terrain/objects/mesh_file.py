"""Mesh files of objects: OBJ and glTF by Jounce, STL by trimesh."""

from __future__ import annotations

import io
import logging
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_bytes
from terrain.kinds import find_file
from terrain.objects.shapes import FARTHEST, MAX_TRIANGLES, TriangleMesh
from terrain.readers import gltf, obj
from terrain.readers.request import ReadRequest, missing

logging.getLogger("trimesh").addHandler(logging.NullHandler())  # without a handler, it prints the tracebacks of its attempts
SUFFIXES = (".obj", ".gltf", ".glb", ".stl")
MAX_BYTES = 1 << 28
"""Maximum size of a mesh file."""
LARGEST = 1000.0
"""m. A larger mesh gives a warning: its unit is probably another one."""
FLAT = 1e-12
"""Ratio of the area of a triangle to the square of its longest edge below which it has no area."""


@dataclass(frozen=True, eq=False)
class PaintedMesh(TriangleMesh):
    """Triangle mesh with the colors of its file."""

    colors: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """(n, 3) sRGB, 0 to 1, of the triangles; NaN: color of the object"""


MAX_EDGES_CHECKED = 600_000
"""Number of triangles up to which open edges are looked for."""


class FlatTrianglesWarning(UserWarning):
    """Warning that triangles without area are left out."""


class OpenMeshWarning(UserWarning):
    """Warning that a mesh has holes."""


class MeshSizeWarning(UserWarning):
    """Warning that a mesh is probably in another unit."""


def read_mesh(name: str, file: str, key: str, folder: Path, factor: float, up: str | None = None) -> TriangleMesh:
    """Return the triangles of a mesh file in m, z up; triangles without area are left out, with a warning.

    Parameters
    ----------
    name : path of the mesh file, relative to `file` or in `folder`
    file, key : file and key that name it, for messages
    factor : meters per unit of the file
    up : vertical axis of the file, y or z; None: y for glTF, else z

    Raises
    ------
    ConfigError : the file is missing, damaged, empty or too large
    """
    path = find_file(name, file, folder, "a mesh file")
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ConfigError(file, key, name, f"a mesh file: {', '.join(SUFFIXES)}")
    request = ReadRequest(path, {}, file, key)
    triangles, colors = _triangles(request, suffix)
    if not len(triangles):
        raise ConfigError(path, "", "no triangles", "at least one face with three corners")
    if len(triangles) > MAX_TRIANGLES:
        raise ConfigError(path, "", f"{len(triangles)} triangles", f"at most {MAX_TRIANGLES}; reduce the mesh")
    if not np.isfinite(triangles).all():
        raise ConfigError(path, "", "NaN or infinite coordinates", "finite coordinates")
    if (up or ("y" if suffix in (".gltf", ".glb") else "z")) == "y":
        triangles = np.stack((triangles[..., 0], -triangles[..., 2], triangles[..., 1]), axis=-1)
    good = _with_area(triangles * factor, path)
    triangles, colors = np.ascontiguousarray(triangles[good] * factor), colors[good]
    return TriangleMesh(triangles, path.name) if np.isnan(colors).all() else PaintedMesh(triangles, path.name, colors)


def _triangles(request: ReadRequest, suffix: str) -> tuple[Array, Array]:
    """Return the triangles (n, 3, 3) of a file, in its units, and their colors (n, 3), NaN: none or a picture. Raises ConfigError."""
    if suffix == ".stl":
        found = _stl(request)
        return found, np.full((len(found), 3), np.nan)
    parts = (obj if suffix == ".obj" else gltf).read_parts(request)
    colors = [(np.nan,) * 3 if part.look is None or part.look.textured else part.look.color for part in parts]
    return (
        np.concatenate([np.zeros((0, 3, 3)), *(part.triangles for part in parts)]),
        np.concatenate([np.zeros((0, 3)), *(np.tile(one, (len(part.triangles), 1)) for one, part in zip(colors, parts, strict=True))]),
    )


def _stl(request: ReadRequest) -> Array:
    """Return the triangles of an STL file. Raises ConfigError."""
    try:
        import trimesh
    except ImportError:
        raise missing(request, "trimesh") from None
    expected = "an STL file, binary or text"
    content = read_bytes(request.path, expected, MAX_BYTES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mesh = trimesh.load_mesh(io.BytesIO(content), file_type="stl", process=False)
        return np.asarray(mesh.vertices[mesh.faces], np.float64)
    except Exception as error:  # trimesh does not convert the exceptions of struct and NumPy for damaged bytes
        raise request.wrong(next(iter(str(error).splitlines()), type(error).__name__), expected) from None


def _with_area(triangles: Array, path: Path) -> NDArray[np.bool_]:
    """Return which triangles have an area; warn about those that have none, and about an implausible size. Raises ConfigError."""
    edges = triangles - np.roll(triangles, 1, axis=1)
    longest = (edges**2).sum(axis=2).max(axis=1)
    area = 0.5 * np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    good = area > FLAT * longest
    if not good.any():
        raise ConfigError(path, "", f"{len(triangles)} triangles without area", "at least one triangle with three different corners")
    if not good.all():
        warnings.warn(
            f"{path}: {int((~good).sum())} of {len(triangles)} triangles have no area and are left out", FlatTrianglesWarning, stacklevel=4
        )
    extent = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    if extent > FARTHEST:
        raise ConfigError(path, "", f"a mesh of {extent:g} m", f"at most {FARTHEST:g} m; is `units` missing?")
    if extent > LARGEST:
        warnings.warn(
            f"{path}: the mesh is {extent:g} m long; if its unit is not the meter, add `units: mm`", MeshSizeWarning, stacklevel=4
        )
    count = open_edges(triangles[good]) if good.sum() <= MAX_EDGES_CHECKED else 0
    if count:
        text = f"{path}: the mesh is not closed ({count} open edges); rays and the vehicle meet both sides of its triangles"
        warnings.warn(text, OpenMeshWarning, stacklevel=4)
    return np.asarray(good)


def open_edges(triangles: Array) -> int:
    """Return the number of edges that an odd number of triangles (n, 3, 3) share; corners at the same place are one corner."""
    _, number = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    corners = number.reshape(-1, 3)
    edges = np.sort(np.concatenate((corners[:, :2], corners[:, 1:], corners[:, ::2])), axis=1)
    _, counts = np.unique(edges[:, 0] * (corners.max() + 1) + edges[:, 1], return_counts=True)
    return int((counts % 2 == 1).sum())
