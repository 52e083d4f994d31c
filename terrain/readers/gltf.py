"""glTF 2.0 (.gltf, .glb), through trimesh: triangles under the transforms of their nodes, in m, y up."""

from __future__ import annotations

import json
import re
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.inputfile import checked_size, read_bytes
from terrain.readers.contract import ElevationSource
from terrain.readers.mesh import Part, from_parts
from terrain.readers.request import ReadRequest, missing

EXPECTED = "a glTF 2.0 file, with its buffers in it or beside it"
MOST_BYTES = 1 << 29
MOST_COUNT = 60_000_000
"""Items of an array."""
MOST_NODES = 1000
"""On top of each other."""
MADE_UP = re.compile(r"_[0-9a-f]{6}$")


def read(asked: ReadRequest) -> ElevationSource:
    """The surface of a scene. Raises ConfigError: damaged, no triangles."""
    try:
        import trimesh
    except ImportError:
        raise missing(asked, "trimesh") from None
    _check_counts(asked)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            beside: Any = _Beside(asked.path.parent)
            scene = trimesh.load_scene(asked.path, process=False, skip_materials=False, resolver=beside)
            parts = _parts(scene)
    except Exception as error:  # trimesh lets through whatever json, struct, base64 and NumPy raise for damaged bytes
        raise asked.wrong(next(iter(str(error).splitlines()), type(error).__name__), EXPECTED) from None
    said = asked.said
    return from_parts(parts, asked.path, said.get("up", "y"), float(said.get("unit", 1.0)), tuple(said.get("ignore", ())))


def _check_counts(asked: ReadRequest) -> None:
    """Raises ConfigError: arrays are announced that are larger than can be meant, for which memory would be asked before anything is read."""
    content = read_bytes(asked.path, EXPECTED, MOST_BYTES)
    if content[:4] == b"glTF":
        (length,) = struct.unpack("<I", content[12:16].ljust(4, b"\0"))
        content = content[20 : 20 + length]
    try:
        accessors = json.loads(content).get("accessors", [])
        counts = [int(accessor.get("count", 0)) for accessor in accessors]
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise asked.wrong(next(iter(str(error).splitlines()), "damaged JSON"), EXPECTED) from None
    if any(not 0 <= count <= MOST_COUNT for count in counts):
        raise asked.wrong(f"arrays of {counts} items"[:80], f"at most {MOST_COUNT} in each")


def _parts(scene: Any) -> list[Part]:
    """Triangles of every node, where it puts them."""
    parts = []
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        geometry = scene.geometry[name]
        if not hasattr(geometry, "faces"):
            continue  # points and lines carry no wheel
        material = getattr(getattr(geometry.visual, "material", None), "name", None)
        corners = geometry.vertices @ transform[:3, :3].T + transform[:3, 3]
        names = (*_nodes_above(scene, node), str(name), str(material or ""))
        parts.append(Part(names, np.asarray(corners[geometry.faces], np.float64)))
    return parts


def _nodes_above(scene: Any, node: str | None) -> list[str]:
    """Names of a node and of those it hangs on; trimesh puts a number behind those of meshes in several parts."""
    parents = scene.graph.transforms.parents
    names: list[str] = []
    while node is not None and node != scene.graph.base_frame and len(names) < MOST_NODES:
        names.append(MADE_UP.sub("", str(node)))
        node = parents.get(node)
    return names


class _Beside:
    """Finds the buffers of a file beside it and nowhere else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str) -> bytes:
        """Content of a file of that name. Raises ValueError: it lies elsewhere."""
        if Path(name).is_absolute() or ".." in Path(name).parts or ":" in name:
            raise ValueError(f"{name}: not beside the file")
        path = self.folder / name
        checked_size(path, "a buffer of a glTF file", MOST_BYTES)
        return path.read_bytes()
