"""glTF 2.0 (.gltf, .glb), read with trimesh: triangles transformed by their nodes, in m, y up."""

from __future__ import annotations

import io
import json
import re
import struct
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from simulator.base.inputfile import as_utf8, checked_size, read_bytes
from terrain.readers.contract import ElevationSource
from terrain.readers.mesh import Part, from_parts
from terrain.readers.request import ReadRequest, missing

EXPECTED = "a glTF 2.0 file with embedded buffers or buffers in the same folder"
MAX_BYTES = 1 << 29
MAX_COUNT = 60_000_000
"""Maximum number of items of an array."""
MAX_NODES = 1000
"""Maximum depth of the node hierarchy."""
GENERATED_SUFFIX = re.compile(r"_[0-9a-f]{6}$")


def read(request: ReadRequest) -> ElevationSource:
    """Read the surface of a scene. Raises ConfigError if the file is damaged or has no triangles."""
    options = request.said
    return from_parts(
        read_parts(request), request.path, options.get("up", "y"), float(options.get("unit", 1.0)), tuple(options.get("ignore", ()))
    )


def read_parts(request: ReadRequest) -> list[Part]:
    """Return the triangles of a scene, in its units. Raises ConfigError if the file is damaged."""
    try:
        import trimesh
    except ImportError:
        raise missing(request, "trimesh") from None
    content = as_utf8(read_bytes(request.path, EXPECTED, MAX_BYTES))
    _check_counts(request, content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            resolver: Any = _SameFolder(request.path.parent)
            scene = trimesh.load_scene(
                io.BytesIO(content), "glb" if content[:4] == b"glTF" else "gltf", resolver=resolver, process=False, skip_materials=False
            )
            return _parts(scene)
    except Exception as error:  # trimesh does not convert the exceptions of json, struct, base64 and NumPy for damaged bytes
        raise request.wrong(next(iter(str(error).splitlines()), type(error).__name__), EXPECTED) from None


def _check_counts(request: ReadRequest, content: bytes) -> None:
    """Raise ConfigError for implausibly large arrays, before trimesh allocates memory for them."""
    if content[:4] == b"glTF":
        (length,) = struct.unpack("<I", content[12:16].ljust(4, b"\0"))
        content = content[20 : 20 + length]
    try:
        accessors = json.loads(content).get("accessors", [])
        counts = [int(accessor.get("count", 0)) for accessor in accessors]
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise request.wrong(next(iter(str(error).splitlines()), "damaged JSON"), EXPECTED) from None
    if any(not 0 <= count <= MAX_COUNT for count in counts):
        raise request.wrong(f"arrays with {counts} items"[:80], f"at most {MAX_COUNT} items in each array")


def _parts(scene: Any) -> list[Part]:
    """Return the triangles of all nodes, in the coordinates of the scene."""
    parts = []
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        geometry = scene.geometry[name]
        if not hasattr(geometry, "faces"):
            continue  # points and lines are no surface
        material = getattr(getattr(geometry.visual, "material", None), "name", None)
        corners = geometry.vertices @ transform[:3, :3].T + transform[:3, 3]
        names = (*_nodes_above(scene, node), str(name), str(material or ""))
        parts.append(Part(names, np.asarray(corners[geometry.faces], np.float64)))
    return parts


def _nodes_above(scene: Any, node: str | None) -> list[str]:
    """Return the names of a node and of its ancestors, without the suffixes that trimesh adds to meshes in several parts."""
    parents = scene.graph.transforms.parents
    names: list[str] = []
    while node is not None and node != scene.graph.base_frame and len(names) < MAX_NODES:
        names.append(GENERATED_SUFFIX.sub("", str(node)))
        node = parents.get(node)
    return names


class _SameFolder:
    """Resolver that finds the buffers of a file in its folder only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str) -> bytes:
        """Return the content of a file. Raises ValueError if it is in another folder."""
        name = unquote(name)
        if Path(name).is_absolute() or ".." in Path(name).parts or ":" in name:
            raise ValueError(f"{name}: not in the folder of the file")
        path = self.folder / name
        checked_size(path, "a buffer of a glTF file", MAX_BYTES)
        return path.read_bytes()

    __getitem__ = get  # the operation by which trimesh reads a buffer
