"""Mesh of a user in place of the sheet metal of a drawn body: its glTF file, and the text that carries it in the geometry of a vehicle.

The file has y up. It is turned as the mesh files of objects: x = X, y = -Z, z = Y of the file; then by `mesh_yaw` about z.
"""

from __future__ import annotations

import base64
import binascii
import math
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.view.bodies.contract import Body
from simulator.view.meshes import Builder, moved
from terrain.readers import gltf
from terrain.readers.mesh import Look, Mesh, Part
from terrain.readers.request import ReadRequest
from vehicles.appearance import BodyMesh

SUFFIXES = (".glb", ".gltf")
MAX_TRIANGLES = 200_000
LARGEST = 30.0
"""m. Maximum size of a mesh; a larger one is probably in another unit."""
GLOSSIEST = 0.8
"""Gloss of a material without roughness."""
GLASS = -1.0
"""Gloss of a transparent material, whose triangles are window panes."""
PANE = 0.9
"""Gloss of a pane."""
PLAIN = Look((0.8, 0.8, 0.8), 1.0, False, False)
"""Look of triangles without a material."""
COLUMNS = 10


class MeshTextureWarning(UserWarning):
    """Warning that the pictures of a mesh are not drawn."""


def checked_mesh(mesh: BodyMesh, assets: Path) -> BodyMesh:
    """Return the mesh with the full path of its file; pictures of its materials give a warning.

    Raises ConfigError: the file is missing, is no glTF file, or has no triangle, too many, or a size that no vehicle has.
    """
    path = next((one for one in (Path(mesh.file).parent / mesh.name, assets / mesh.name) if one.is_file()), None)
    if path is None or path.suffix.lower() not in SUFFIXES:
        expected = f"a glTF file: {', '.join(SUFFIXES)}" if path else "an existing glTF file, relative to this file or in the assets"
        raise ConfigError(mesh.file, "body.mesh", mesh.name, expected)
    found = mesh._replace(name=str(path.resolve()))
    if _content(found)[1]:
        warnings.warn(f"{path}: pictures of materials are ignored; the base colors are drawn", MeshTextureWarning, stacklevel=2)
    return found


def text_of(mesh: BodyMesh | None) -> str:
    """Return the text of a checked mesh, in B, for `vehicle_geometry`; empty without a mesh. Raises ConfigError if its file has changed."""
    return "" if mesh is None else _content(mesh)[0]


def _content(mesh: BodyMesh) -> tuple[str, bool]:
    """Return the text of a mesh, and whether it has pictures. Raises ConfigError."""
    try:
        status = Path(mesh.name).stat()
    except OSError as error:
        raise ConfigError(mesh.name, "", str(error.strerror), "the mesh file of the vehicle") from None
    return _read(mesh.name, status.st_mtime_ns, status.st_size, mesh.position, mesh.yaw)


@lru_cache(maxsize=8)
def _read(name: str, changed: int, size: int, position: tuple[float, ...], yaw: float) -> tuple[str, bool]:
    """Return the text of a file, and whether it has pictures; `changed` and `size` distinguish versions of the file. Raises ConfigError."""
    path = Path(name)
    parts = gltf.read_parts(ReadRequest(path, {}, name), normals=True)
    count = sum(len(part.triangles) for part in parts)
    if not 0 < count <= MAX_TRIANGLES:
        raise ConfigError(path, "", f"{count} triangles" if count else "no triangles", f"from 1 to {MAX_TRIANGLES} triangles")
    b = Builder()
    if not sum(_add(b, part) for part in parts):
        raise ConfigError(path, "", f"{count} triangles without area", "at least one triangle with three different corners")
    found = b.mesh()
    if not np.isfinite(found).all():
        raise ConfigError(path, "", "NaN or infinite coordinates", "finite coordinates")
    extent = float(np.ptp(found[:, :3], axis=0).max())
    if extent > LARGEST:
        raise ConfigError(path, "", f"a mesh of {extent:g} m", f"at most {LARGEST:g} m; glTF lengths are meters")
    c, s = math.cos(yaw), math.sin(yaw)
    from_file = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))) @ [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    mesh = moved(found, from_file, position).astype("<f4")
    return base64.b64encode(zlib.compress(mesh.tobytes(), 1)).decode(), any(part.look is not None and part.look.textured for part in parts)


def _add(b: Builder, part: Part) -> int:
    """Add the triangles of a part that have an area, in the axes of the file; return their number."""
    look = part.look or PLAIN
    flat = np.cross(part.triangles[:, 1] - part.triangles[:, 0], part.triangles[:, 2] - part.triangles[:, 0])
    size = np.linalg.norm(flat, axis=1)
    solid = ~(size <= 1e-12)
    if not solid.any():
        return 0
    normals = np.repeat((flat[solid] / size[solid, None])[:, None, :], 3, axis=1)
    if part.normals is not None:
        given = part.normals[solid]
        normals = np.where(np.linalg.norm(given, axis=2, keepdims=True) > 0.5, given, normals)
    gloss = GLASS if look.transparent else GLOSSIEST * (1.0 - look.roughness)
    b.paint([round(255.0 * value) for value in look.color], gloss).triangles(part.triangles[solid], normals)
    return int(solid.sum())


def mesh_of(text: str) -> Array:
    """Return the mesh (n, 10) of a text of `text_of`, with the gloss GLASS for panes; none of an empty text. Raises ValueError."""
    try:
        data = zlib.decompress(base64.b64decode(text, validate=True)) if text else b""
        mesh = np.frombuffer(data, "<f4").reshape(-1, COLUMNS).astype(float)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(str(error)) from None
    if len(mesh) % 3 or not np.isfinite(mesh).all():
        raise ValueError(f"{len(mesh)} corners")
    return mesh


def with_mesh(body: Body, geometry: Mapping[str, Any]) -> Body:
    """Return a body with the mesh in the geometry, if there is one, in place of sheet metal and panes, as seen from outside.

    Fittings that are not below the mesh, such as mirrors beside it, are left out.
    """
    mesh = mesh_of(str(geometry.get("mesh", "")))
    if not len(mesh):
        return body
    panes = mesh[:, 9] == GLASS
    glass, metal = mesh[panes], mesh[~panes]
    glass[:, 9] = PANE
    fittings = body.fittings
    top = Mesh(mesh[:, :3].reshape(-1, 3, 3), ()).heights(fittings[:, 0], fittings[:, 1])
    below = (fittings[:, 2] < top).reshape(-1, 3).all(axis=1)
    shell = metal if len(metal) else glass
    return replace(body, shell=shell, glass=glass, lining=None, fittings=fittings[np.repeat(below, 3)], inner_shell=body.shell)
