"""Are the arrays of glTF files read in all their encodings, and files that need a decoder refused by its name?"""

from __future__ import annotations

import base64
import copy
import json
import struct

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from terrain.readers.gltf import read_parts
from terrain.readers.request import ReadRequest

CORNERS = np.array([[-5, 0, -5], [5, 1, -5], [5, 2, 5], [-5, 1, 5]], float)
FACES = [[0, 2, 1], [0, 3, 2]]
INDICES = np.ravel(FACES).astype("<u2")
BYTE, UBYTE, SHORT, USHORT, UINT, FLOAT = 5120, 5121, 5122, 5123, 5125, 5126


def scene(arrays, position=None, node=None, primitive=None, **more):
    """A scene of one mesh: corners in array 0, indices in array 1 unless said otherwise."""
    views, data = [], b""
    for array in arrays:
        stride = (
            {"byteStride": array.strides[0]}
            if array.ndim == 2 and array.base is not None and array.strides[0] != array.shape[1] * array.itemsize
            else {}
        )
        part = array.base.tobytes() if stride else array.tobytes()
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(part), **stride})
        data += part
    corners = {"bufferView": 0, "componentType": FLOAT, "count": 4, "type": "VEC3"} if position is None else position
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "square", **(node or {})}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, **(primitive or {})}]}],
        "accessors": [corners, {"bufferView": 1, "componentType": USHORT, "count": 6, "type": "SCALAR"}],
        "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": uri}],
        **more,
    }


def plain(**more):
    return scene([CORNERS.astype("<f4"), INDICES], **more)


def triangles(tmp_path, content):
    file = tmp_path / ("a.glb" if isinstance(content, bytes) else "a.gltf")
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return np.concatenate([part.triangles for part in read_parts(ReadRequest(file, {}, file))])


def glb(content):
    """The scene as a binary file."""
    content = copy.deepcopy(content)
    data = base64.b64decode(content["buffers"][0].pop("uri").partition(",")[2])
    text = json.dumps(content).encode()
    text, data = text + b" " * (-len(text) % 4), data + b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def sparse(places, base):
    """Corners of which some are in a sparse accessor; the others in a buffer, or zero."""
    values = CORNERS[places].astype("<f4")
    rest = CORNERS.copy()
    rest[places] = 99.0
    position = {"componentType": FLOAT, "count": 4, "type": "VEC3"} | ({"bufferView": 0} if base else {})
    indices = {"bufferView": 2, "componentType": UINT}
    position["sparse"] = {"count": len(places), "indices": indices, "values": {"bufferView": 3}}
    return scene([rest.astype("<f4"), INDICES, np.array(places, "<u4"), values], position)


def quantized(code, kind, normalized):
    """Corners as integers over the range of the square, padded to four components; the node scales and moves them back."""
    is_unsigned = kind[1] == "u"
    size, middle = (10.0, np.array([-5.0, 0.0, -5.0])) if is_unsigned else (5.0, np.array([0.0, 1.0, 0.0]))
    most = np.iinfo(kind).max if normalized else size
    padded = np.zeros((4, 4), kind)
    padded[:, :3] = np.rint((CORNERS - middle) / size * most)
    position = {"bufferView": 0, "componentType": code, "count": 4, "type": "VEC3", "normalized": normalized}
    names = {"extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"]}
    node = {"translation": middle.tolist(), "scale": [size if normalized else 1.0] * 3}
    return scene([padded[:, :3], INDICES], position, node, **names), size / most


def test_a_plain_scene_and_its_binary_file(tmp_path):
    for content in (plain(), glb(plain())):
        np.testing.assert_array_equal(triangles(tmp_path, content), CORNERS[FACES])


@pytest.mark.parametrize("places", [[0, 1, 2, 3], [1, 3], []])
def test_sparse_corners(tmp_path, places):
    np.testing.assert_array_equal(triangles(tmp_path, sparse(places, base=True)), CORNERS[FACES])
    expected = np.zeros((4, 3))
    expected[places] = CORNERS[places]
    content = sparse(places, base=False)
    np.testing.assert_array_equal(triangles(tmp_path, content), expected[FACES])
    np.testing.assert_array_equal(triangles(tmp_path, glb(content)), expected[FACES])


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize(("code", "kind"), [(BYTE, "<i1"), (UBYTE, "<u1"), (SHORT, "<i2"), (USHORT, "<u2")])
def test_quantized_corners(tmp_path, code, kind, normalized):
    content, step = quantized(code, kind, normalized)
    np.testing.assert_allclose(triangles(tmp_path, content), CORNERS[FACES], atol=0.5 * step + 1e-9)
    np.testing.assert_allclose(triangles(tmp_path, glb(content)), CORNERS[FACES], atol=0.5 * step + 1e-9)


def test_the_smallest_integer_is_minus_one(tmp_path):
    corners = np.array([[-128, 0, 0], [127, 0, 0], [0, 127, -127]], "<i1")
    padded = np.zeros((3, 4), "<i1")
    padded[:, :3] = corners
    position = {"bufferView": 0, "componentType": BYTE, "count": 3, "type": "VEC3", "normalized": True}
    content = scene([padded[:, :3], np.array([0, 1, 2], "<u2")], position)
    content["accessors"][1]["count"] = 3
    np.testing.assert_array_equal(triangles(tmp_path, content), [[[-1, 0, 0], [1, 0, 0], [0, 1, -1]]])


@pytest.mark.parametrize(("mode", "order"), [(5, [0, 1, 3, 2]), (6, [0, 1, 2, 3])])
def test_strips_and_fans(tmp_path, mode, order):
    content = scene([CORNERS.astype("<f4"), np.array(order, "<u2")], primitive={"mode": mode})
    content["accessors"][1]["count"] = 4
    found = triangles(tmp_path, content)
    normals = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
    assert len(found) == 2 and (normals[:, 1] < 0.0).all()
    area = 0.5 * np.abs(normals[:, 1]).sum()
    assert area == pytest.approx(100.0)


def test_a_mirror_keeps_the_side_of_its_triangles(tmp_path):
    up, mirrored = triangles(tmp_path, plain()), triangles(tmp_path, plain(node={"scale": [-1, 1, 1]}))
    for found in (up, mirrored):
        assert (np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])[:, 1] > 0.0).all()


@pytest.mark.parametrize(
    "name", ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "EXT_mesh_gpu_instancing", "CESIUM_RTC", "VENDOR_new"]
)
def test_a_required_extension_that_is_not_read_is_refused_by_name(tmp_path, name):
    content = plain(extensionsUsed=[name], extensionsRequired=[name])
    for given in (content, glb(content)):
        with pytest.raises(ConfigError, match=f"requires the extension {name}"):
            triangles(tmp_path, given)


@pytest.mark.parametrize(
    "name", ["KHR_texture_basisu", "KHR_materials_unlit", "KHR_texture_transform", "KHR_lights_punctual", "EXT_texture_webp"]
)
def test_required_extensions_of_the_appearance_are_ignored(tmp_path, name):
    content = plain(extensionsUsed=[name], extensionsRequired=[name])
    np.testing.assert_array_equal(triangles(tmp_path, content), CORNERS[FACES])


def test_an_optional_extension_is_ignored_if_the_file_has_the_data_without_it(tmp_path):
    name = "KHR_draco_mesh_compression"
    extension = {"extensions": {name: {"bufferView": 0, "attributes": {"POSITION": 0}}}}
    np.testing.assert_array_equal(triangles(tmp_path, plain(primitive=extension, extensionsUsed=[name])), CORNERS[FACES])
    content = plain(primitive=extension, extensionsUsed=[name])
    del content["accessors"][0]["bufferView"]
    with pytest.raises(ConfigError, match=name):
        triangles(tmp_path, content)
    content = plain()
    content["bufferViews"][0] |= {"buffer": 1, "extensions": {"EXT_meshopt_compression": {}}}
    content["buffers"].append({"byteLength": 48})
    with pytest.raises(ConfigError, match="EXT_meshopt_compression"):
        triangles(tmp_path, content)


def wrong(change):
    content = plain()
    change(content)
    return content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["asset"].update(version="1.0"), "version 1.0"),
        (lambda c: c["accessors"][0].update(count=10**15), "at most 60000000 items"),
        (lambda c: c["accessors"][0].update(count=5), "beyond the end"),
        (lambda c: c["accessors"][0].update(count=-1), "count is -1"),
        (lambda c: c["accessors"][0].pop("bufferView"), "accessor 0 without data"),
        (lambda c: c["accessors"][0].update(type="VEC2"), "expected VEC3"),
        (lambda c: c["accessors"][0].update(componentType=5130), "components of type 5130"),
        (lambda c: c["accessors"][0].update(bufferView=-1), "no entry -1 in bufferViews"),
        (lambda c: c["accessors"][0].update(count=2), "indices beyond the 2 corners"),
        (lambda c: c["accessors"][1].update(count=5), "5 corners of mode 4"),
        (lambda c: c["nodes"][0].update(children=[0]), "node 0 occurs twice"),
        (lambda c: c["nodes"][0].update(matrix=[1, 2]), "expected 16 numbers"),
        (lambda c: c["nodes"][0].update(scale=["a", 1, 1]), "expected 3 numbers"),
        (lambda c: c["nodes"][0].update(rotation=[0, 0, 0, 0]), "rotation of length 0"),
        (lambda c: c["nodes"][0].update(mesh="0"), "no entry 0 in meshes"),
        (lambda c: c["buffers"][0].update(uri="../x.bin"), "not in the folder"),
        (lambda c: c["buffers"][0].update(uri="data:;base64,?"), "no base64 text"),
        (lambda c: c.update(meshes={}), "meshes is no list"),
    ],
)
def test_a_damaged_scene_is_refused(tmp_path, change, words):
    with pytest.raises(ConfigError, match=words):
        triangles(tmp_path, wrong(change))


@pytest.mark.parametrize("entry", [[0], {}, None, "0", 1e30, True])
@pytest.mark.parametrize("key", ["children", "componentType"])
def test_an_entry_of_another_type_is_refused(tmp_path, key, entry):
    content = plain()
    if key == "children":  # without scenes, all nodes without a parent are at the top
        del content["scenes"], content["scene"]
        content["nodes"][0]["children"] = [entry]
    else:
        content["accessors"][0]["componentType"] = entry
    with pytest.raises(ConfigError, match=r"no entry|components of type"):
        triangles(tmp_path, content)
