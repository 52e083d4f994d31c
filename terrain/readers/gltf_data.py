"""Content of a glTF 2.0 file: its JSON, its buffers and its accessors as arrays.

Source: glTF 2.0 specification (Khronos), 3.6 (accessors, sparse accessors, normalized integers) and 4 (GLB container); KHR_mesh_quantization.
"""

from __future__ import annotations

import base64
import json
import os
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from simulator.base.inputfile import checked_size

MAX_BYTES = 1 << 29
MAX_COUNT = 60_000_000
"""Maximum number of items of an array."""
COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
READ = ("KHR_mesh_quantization",)
"""Extensions of the geometry that are read."""
NO_GEOMETRY = (
    "KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_xmp", "KHR_animation_", "KHR_audio", "KHR_techniques_", "EXT_texture_", "EXT_lights_",
    "EXT_mesh_features", "EXT_structural_metadata", "EXT_instance_features", "MSFT_texture_", "MSFT_packing_", "ADOBE_materials_",
    "CESIUM_primitive_outline",
)  # fmt: skip
"""Beginnings of the names of extensions that do not change the geometry: appearance, light, sound, animation, metadata."""


class DamagedError(Exception):
    """The content of a file is not glTF 2.0, or needs an extension that is not read."""


class Document:
    """JSON and buffers of a file.

    Parameters
    ----------
    content : content of a .gltf or .glb file
    folder : folder of the buffers that the file names

    Raises DamagedError.
    """

    def __init__(self, content: bytes, folder: Path) -> None:
        self._folder = folder
        text, self._binary = _chunks(content) if content[:4] == b"glTF" else (content, None)
        try:
            self._json = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"damaged JSON: {error}") from None
        if not isinstance(self._json, dict):
            raise DamagedError("JSON without an object")
        version = self.section(self._json, "asset").get("version")
        if not str(version).startswith("2."):
            raise DamagedError(f"version {version}; expected 2.0")
        self._check_extensions()
        self._buffers: dict[int, bytes] = {}

    def _check_extensions(self) -> None:
        for name in self.entries(self._json, "extensionsRequired"):
            if name not in READ and not str(name).startswith(NO_GEOMETRY):
                raise DamagedError(f"it requires the extension {name}, which is not read")

    def item(self, kind: str, index: Any) -> dict[str, Any]:
        """Return an entry of a list of the file: an accessor, a mesh, a node ... Raises DamagedError."""
        return _item(self.entries(self._json, kind), index, kind)

    def entries(self, holder: dict[str, Any], key: str) -> list[Any]:
        """Return a list, empty if it is missing. Raises DamagedError."""
        found = holder.get(key, [])
        if not isinstance(found, list):
            raise DamagedError(f"{key} is no list")
        return found

    def section(self, holder: dict[str, Any], key: str) -> dict[str, Any]:
        """Return an object, empty if it is missing. Raises DamagedError."""
        found = holder.get(key, {})
        if not isinstance(found, dict):
            raise DamagedError(f"{key} is no object")
        return found

    @property
    def roots(self) -> list[Any]:
        """Nodes at the top of the scene; without scenes, all nodes without a parent."""
        scenes, nodes = self.entries(self._json, "scenes"), self.entries(self._json, "nodes")
        if scenes:
            return self.entries(_item(scenes, self._json.get("scene", 0), "scenes"), "nodes")
        children = [child for node in range(len(nodes)) for child in self.entries(self.item("nodes", node), "children")]
        for child in children:
            self.item("nodes", child)
        below = set(children)
        return [node for node in range(len(nodes)) if node not in below]

    def array(self, index: Any, size: str) -> NDArray[Any]:
        """Return the items (count, components) of an accessor; normalized integers as numbers from -1 or 0 to 1. Raises DamagedError."""
        accessor = self.item("accessors", index)
        kind, count = _component(accessor), _count(accessor)
        if accessor.get("type") != size:
            raise DamagedError(f"accessor {index} of type {accessor.get('type')}; expected {size}")
        width = SIZES[size]
        if "bufferView" not in accessor and "sparse" not in accessor:
            raise DamagedError(f"accessor {index} without data")
        if "bufferView" in accessor:
            values = self._items(accessor, kind, count, width)
        else:
            values = np.zeros((count, width), kind)
        if "sparse" in accessor:
            values = self._with_sparse(self.section(accessor, "sparse"), values)
        return _normalized(values) if accessor.get("normalized") is True and kind.kind != "f" else values

    def _with_sparse(self, sparse: dict[str, Any], values: NDArray[Any]) -> NDArray[Any]:
        """Return the items with those that a sparse accessor replaces."""
        count, where, new = _count(sparse), self.section(sparse, "indices"), self.section(sparse, "values")
        places = self._items(where, _component(where, "u"), count, 1)[:, 0]
        if count and int(places.max()) >= len(values):
            raise DamagedError(f"a sparse accessor with item {int(places.max())} of {len(values)}")
        values = values.copy()
        values[places] = self._items(new, values.dtype, count, values.shape[1])
        return values

    def _items(self, holder: dict[str, Any], kind: np.dtype[Any], count: int, width: int) -> NDArray[Any]:
        """Return items (count, width) from the buffer view that an accessor names."""
        view = self.item("bufferViews", holder.get("bufferView"))
        if "EXT_meshopt_compression" in self.section(view, "extensions"):
            view = self._not_compressed(view)
        start, length = _whole(view, "byteOffset", 0), _whole(view, "byteLength")
        first = _whole(holder, "byteOffset", 0)
        size = width * kind.itemsize
        stride = _whole(view, "byteStride", size)
        data = self._buffer(view.get("buffer"))[start : start + length]
        if len(data) < length or stride < size or first + (stride * (count - 1) + size if count else 0) > length:
            raise DamagedError(f"an array of {count} items beyond the end of its buffer")
        rows = np.ndarray((count, size), np.uint8, data, first, (stride, 1)) if count else np.zeros((0, size), np.uint8)
        return np.ascontiguousarray(rows).view(kind).reshape(count, width)

    def _not_compressed(self, view: dict[str, Any]) -> dict[str, Any]:
        """Return a compressed view if its buffer holds the data without compression, too."""
        buffer = self.item("buffers", view.get("buffer"))
        if "uri" not in buffer and not (view.get("buffer") == 0 and self._binary is not None):
            raise DamagedError("data in the extension EXT_meshopt_compression, which is not read")
        return view

    def _buffer(self, index: Any) -> bytes:
        """Return a buffer."""
        buffer = self.item("buffers", index)
        if index not in self._buffers:
            self._buffers[index] = self._load(buffer.get("uri"), index)
        return self._buffers[index]

    def _load(self, uri: Any, index: int) -> bytes:
        if uri is None and index == 0 and self._binary is not None:
            return self._binary
        if not isinstance(uri, str):
            raise DamagedError(f"buffer {index} without data")
        if uri.startswith("data:"):
            head, _, text = uri.partition(",")
            try:
                if head.endswith(";base64"):
                    return base64.b64decode(text, validate=True)
                raise ValueError
            except ValueError:
                raise DamagedError(f"buffer {index} is no base64 text") from None
        name = unquote(uri)
        if Path(name).is_absolute() or ".." in Path(name).parts or ":" in name:
            raise DamagedError(f"{name}: not in the folder of the file")
        path = self._folder / name
        if not os.path.isfile(path):  # unlike Path.is_file, it accepts names that are too long
            raise DamagedError(f"no buffer {name[:80]}")
        checked_size(path, "a buffer of a glTF file", MAX_BYTES)
        return path.read_bytes()


def _chunks(content: bytes) -> tuple[bytes, bytes | None]:
    """Return the JSON and the binary buffer of a GLB file."""
    if len(content) < 20:
        raise DamagedError("a GLB file without chunks")
    version, length = struct.unpack_from("<II", content, 4)
    if version != 2:
        raise DamagedError(f"a GLB file of version {version}; expected 2")
    found: list[tuple[bytes, bytes]] = []
    at = 12
    while at + 8 <= min(length, len(content)):
        size, kind = struct.unpack_from("<I4s", content, at)
        found.append((kind, content[at + 8 : at + 8 + size]))
        if len(found[-1][1]) < size:
            raise DamagedError("a GLB file that ends early")
        at += 8 + size
    if not found or found[0][0] != b"JSON":
        raise DamagedError("a GLB file without JSON")
    return found[0][1], found[1][1] if len(found) > 1 and found[1][0] == b"BIN\0" else None


def _item(values: list[Any], index: Any, kind: str) -> dict[str, Any]:
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(values) or not isinstance(values[index], dict):
        raise DamagedError(f"no entry {index} in {kind}")
    found: dict[str, Any] = values[index]
    return found


def _whole(holder: dict[str, Any], key: str, usual: int | None = None) -> int:
    """Return an integer of an object. Raises DamagedError."""
    value = holder.get(key, usual)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise DamagedError(f"{key} is {value}; expected a number of bytes or items")
    return value


def _count(holder: dict[str, Any]) -> int:
    count = _whole(holder, "count")
    if count > MAX_COUNT:
        raise DamagedError(f"an array of {count} items; expected at most {MAX_COUNT} items")
    return count


def _component(holder: dict[str, Any], kinds: str = "iuf") -> np.dtype[Any]:
    code = holder.get("componentType")
    if not isinstance(code, int) or code not in COMPONENTS or np.dtype(COMPONENTS[code]).kind not in kinds:
        raise DamagedError(f"components of type {code}")
    return np.dtype(COMPONENTS[code])


def _normalized(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return integers as fractions of their maximum; -128 and -127 are both -1."""
    return np.maximum(values / np.iinfo(values.dtype).max, -1.0)
