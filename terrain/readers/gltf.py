"""glTF 2.0 (.gltf, .glb): triangles transformed by their nodes, in m, y up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import UnreadableError
from simulator.base.inputfile import as_utf8, read_bytes
from terrain.readers.contract import ElevationSource
from terrain.readers.gltf_data import MAX_BYTES, DamagedError, Document
from terrain.readers.mesh import MAX_TRIANGLES, Look, Part, from_parts
from terrain.readers.request import ReadRequest

EXPECTED = "a glTF 2.0 file with embedded buffers or buffers in the same folder"
TRIANGLES, STRIP, FAN = 4, 5, 6
"""Modes of a primitive with triangles. Points and lines are no surface."""
LINES = 0, 1, 2, 3
DRACO = "KHR_draco_mesh_compression"


def read(request: ReadRequest) -> ElevationSource:
    """Read the surface of a scene. Raises ConfigError if the file is damaged or has no triangles."""
    options = request.said
    return from_parts(
        read_parts(request), request.path, options.get("up", "y"), float(options.get("unit", 1.0)), tuple(options.get("ignore", ()))
    )


def read_parts(request: ReadRequest, normals: bool = False) -> list[Part]:
    """Return the triangles of a scene, in its units, with normals if asked for. Raises ConfigError if the file is damaged or requires an
    extension that is not read."""
    content = as_utf8(read_bytes(request.path, EXPECTED, MAX_BYTES))
    try:
        return list(_parts(Document(content, request.path.parent), normals))
    except DamagedError as error:
        raise UnreadableError(request.path, "", str(error), EXPECTED) from None


def _parts(document: Document, with_normals: bool) -> Iterator[Part]:
    """Yield the triangles of all nodes, in the coordinates of the scene."""
    corners: dict[tuple[int, int], tuple[Array, Array | None]] = {}
    count = 0
    for names, transform, node in _nodes(document):
        if "mesh" not in node:
            continue
        mesh = document.item("meshes", node["mesh"])
        for n, primitive in enumerate(document.entries(mesh, "primitives")):
            if not isinstance(primitive, dict):
                raise DamagedError("a primitive that is no object")
            key = node["mesh"], n
            if key not in corners:
                corners[key] = _triangles(document, primitive, with_normals)
            points, normals = corners[key]
            count += len(points)
            if count > MAX_TRIANGLES:
                raise DamagedError(f"more than {MAX_TRIANGLES} triangles")
            material = document.item("materials", primitive["material"]) if "material" in primitive else {}
            placed = points @ transform[:3, :3].T + transform[:3, 3]
            turn = -1 if np.linalg.det(transform[:3, :3]) < 0.0 else 1  # a mirrored triangle has its corners in the other order
            normals = None if normals is None else _turned(normals, transform[:3, :3])[:, ::turn]
            yield Part((*names, _name(mesh), _name(material)), placed[:, ::turn], _look(document, material) if material else None, normals)


def _turned(normals: Array, transform: Array) -> Array:
    """Return unit normals after a transform of the points, which may shear and mirror them; zeros remain."""
    cofactors = np.stack([np.cross(transform[k - 2], transform[k - 1]) for k in range(3)])
    turned = np.sign(np.linalg.det(transform)) * normals @ cofactors.T
    return np.asarray(turned / np.maximum(np.linalg.norm(turned, axis=-1, keepdims=True), 1e-30))


def _look(document: Document, material: dict[str, Any]) -> Look:
    """Return the appearance of a material. Raises DamagedError."""
    metal = document.section(material, "pbrMetallicRoughness")
    base = _numbers(metal, "baseColorFactor", [1.0] * 4)
    linear = np.clip(base[:3], 0.0, 1.0)
    red, green, blue = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1.0 / 2.4) - 0.055).tolist()
    rough = float(np.clip(_numbers({"roughnessFactor": [metal.get("roughnessFactor", 1.0)]}, "roughnessFactor", [1.0])[0], 0.0, 1.0))
    clear = material.get("alphaMode") == "BLEND" and base[3] < 1.0
    return Look((red, green, blue), rough, bool(clear), "baseColorTexture" in metal)


def _nodes(document: Document) -> Iterator[tuple[tuple[str, ...], Array, dict[str, Any]]]:
    """Yield the nodes of the scene: names of the node and of its ancestors, transform to the scene (4, 4), content."""
    seen: set[int] = set()
    waiting: list[tuple[Any, tuple[str, ...], Array]] = [(root, (), np.eye(4)) for root in reversed(document.roots)]
    while waiting:
        index, above, parent = waiting.pop()
        node = document.item("nodes", index)
        if index in seen:
            raise DamagedError(f"node {index} occurs twice in the scene")
        seen.add(index)
        names, transform = (_name(node), *above), parent @ _transform(node)
        yield names, transform, node
        waiting += [(child, names, transform) for child in reversed(document.entries(node, "children"))]


def _transform(node: dict[str, Any]) -> Array:
    """Return the matrix (4, 4) of a node: its matrix, column by column, or translation, rotation (x, y, z, w) and scale."""
    if "matrix" in node:
        return _numbers(node, "matrix", [0.0] * 16).reshape(4, 4).T
    x, y, z, w = _numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0])
    length = x * x + y * y + z * z + w * w
    if not length > 0.0:
        raise DamagedError("a rotation of length 0")
    s = 2.0 / length
    rotation = np.array(
        (
            (1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)),
            (s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)),
            (s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)),
        )
    )
    out = np.eye(4)
    out[:3, :3] = rotation * _numbers(node, "scale", [1.0, 1.0, 1.0])
    out[:3, 3] = _numbers(node, "translation", [0.0, 0.0, 0.0])
    return out


def _numbers(node: dict[str, Any], key: str, usual: list[float]) -> Array:
    given = node.get(key, usual)
    try:
        values = np.array(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.zeros(0)
    if values.shape != (len(usual),) or not np.isfinite(values).all():
        raise DamagedError(f"{key} is {given}; expected {len(usual)} numbers")
    return values


def _name(entry: dict[str, Any]) -> str:
    return str(entry.get("name", ""))


def _triangles(document: Document, primitive: dict[str, Any], with_normals: bool) -> tuple[Array, Array | None]:
    """Return the triangles (n, 3, 3) of a primitive, none of points and lines, and their normals (n, 3, 3) if asked for and present."""
    mode = primitive.get("mode", TRIANGLES)
    if mode in LINES:
        return np.zeros((0, 3, 3)), None
    position = document.section(primitive, "attributes").get("POSITION")
    if DRACO in document.section(primitive, "extensions") and (
        position is None or "bufferView" not in document.item("accessors", position)
    ):
        raise DamagedError(f"corners in the extension {DRACO}, which is not read")
    if position is None:
        raise DamagedError("a primitive without POSITION")
    points = document.array(position, "VEC3").astype(np.float64)
    order = document.array(primitive["indices"], "SCALAR")[:, 0] if "indices" in primitive else np.arange(len(points))
    if order.dtype.kind not in "ui" or (len(order) and int(order.max()) >= len(points)):
        raise DamagedError(f"indices beyond the {len(points)} corners")
    rows = _by_mode(mode, order.astype(np.intp))
    normal = document.section(primitive, "attributes").get("NORMAL") if with_normals else None
    if normal is None:
        return points[rows], None
    normals = document.array(normal, "VEC3").astype(np.float64)
    if len(normals) != len(points):
        raise DamagedError(f"{len(normals)} normals of {len(points)} corners")
    return points[rows], normals[rows]


def _by_mode(mode: Any, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the corners (n, 3) of the triangles of a list of corners."""
    if mode == TRIANGLES and len(order) % 3 == 0:
        return order.reshape(-1, 3)
    if mode == STRIP and len(order) >= 3:
        k = np.arange(len(order) - 2)
        return order[np.stack((k, k + 1 + k % 2, k + 2 - k % 2), axis=1)]
    if mode == FAN and len(order) >= 3:
        return np.column_stack((order[1:-1], order[2:], np.full(len(order) - 2, order[0])))
    raise DamagedError(f"{len(order)} corners of mode {mode}; expected triangles, a strip or a fan")
